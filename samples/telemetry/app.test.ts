/** The application of docs/how-to/trace-and-measure.md as a process: what it tells a probe, Prometheus, a collector of traces, and its log. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { testServer } from 'alcove'
import { App } from './app.js'
import { Dependency } from './health.js'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
}

/** A collector of traces, and the other service, whose answers take their time. */
async function startOthers(): Promise<{ spans: Span[]; asked: IncomingHttpHeaders[]; url: string; server: Server }> {
  const spans: Span[] = []
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      if (request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
          resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
        }
        for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
      } else {
        asked.push(request.headers)
      }
      response.setHeader('content-type', 'application/json')
      response.end('7')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { spans, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

async function startApp(url: string): Promise<{ child: ChildProcess; origin: string; lines: () => Record<string, unknown>[] }> {
  const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  const env = {
    ...process.env,
    PORT: '0',
    HOST: '127.0.0.1',
    SHUTDOWN_DELAY: '300',
    PRICES_URL: `${url}/price`,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
  }
  const child = spawn(process.execPath, ['--import', new URL('./tracing.js', import.meta.url).href, path('./main.js')], { env })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stderr.pipe(process.stderr)
  let origin: string | undefined
  while ((origin = /http:\/\/127[\d.:]+/.exec(printed)?.[0]) === undefined) await once(child.stdout, 'data')
  return {
    child,
    origin,
    lines: () =>
      printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

test('a request is measured, traced across services and logged under the id of its trace; the process says when it ends', async () => {
  const { spans, asked, url, server } = await startOthers()
  const { child, origin, lines } = await startApp(url)
  try {
    const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    assert.equal((await fetch(`${origin}/orders/7`, { headers: { traceparent } })).status, 200)
    assert.deepEqual([await statusOf('/health/live'), await statusOf('/health/ready'), await statusOf('/nowhere')], [200, 200, 404])

    const metrics = await (await fetch(`${origin}/metrics`)).text()
    assert.match(metrics, /http_request_duration_seconds_count\{method="GET",route="\/orders\/:id",status="200"\} 1/)
    assert.match(metrics, /route="unknown",status="404"\} 1/)
    assert.match(metrics, /nodejs_eventloop_lag_seconds/)

    child.kill('SIGTERM')
    while ((await statusOf('/health/ready')) === 200) await wait(5)
    assert.deepEqual([await statusOf('/health/ready'), await statusOf('/health/live')], [503, 200])
    assert.deepEqual(await once(child, 'exit'), [0, null])

    const own = spans.filter((span) => span.traceId === traceId)
    const [request] = own.filter(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7')
    const [call] = own.filter(({ kind }) => kind === 3)
    assert.ok(request !== undefined && call !== undefined)
    assert.deepEqual(
      asked.map((headers) => headers['traceparent']),
      [`00-${traceId}-${call.spanId}-01`],
    )
    const completed = lines().filter(({ msg, traceId: id }) => msg === 'request completed' && id === traceId)
    assert.equal(completed.length, 1)
  } finally {
    child.kill('SIGKILL')
    server.close()
  }
})

test('without the database the process is alive and not ready', async () => {
  const away = { ping: () => Promise.reject(new Error('away')) }
  await using app = await testServer(App, { override: [[Dependency, away]] })
  assert.deepEqual([(await app.inject('/health/live')).statusCode, (await app.inject('/health/ready')).statusCode], [200, 503])
})

test('a client that leaves is counted as such', async () => {
  const others = createServer(() => {}).listen(0, '127.0.0.1')
  await once(others, 'listening')
  process.env['PRICES_URL'] = `http://127.0.0.1:${(others.address() as AddressInfo).port}`
  await using app = await testServer(App)
  const origin = await app.server.listen({ port: 0, host: '127.0.0.1' })
  await fetch(`${origin}/orders/7`, { signal: AbortSignal.timeout(200) }).catch(() => {})
  const aborted = /http_requests_aborted_total\{method="GET",route="\/orders\/:id"\} 1/
  let body = ''
  for (let tries = 0; tries < 100 && !aborted.test(body); tries += 1) {
    await wait(10)
    body = (await app.inject('/metrics')).body
  }
  assert.match(body, aborted)
  others.closeAllConnections()
  others.close()
})
