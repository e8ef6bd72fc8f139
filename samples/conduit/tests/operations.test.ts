/** Operation: configuration, logs, health, metrics, traces, protection and an orderly shutdown. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { JobDriver, testServer, type TestServer } from 'alcove'
import { App, serverOptions } from '../src/app.js'
import { CONFIG, ConfigError, type Environment, readConfig } from '../src/config.js'
import { Database } from '../src/database/database.js'
import { Tracing } from '../src/operations/tracing.js'
import { createDatabase, testConfig, v8Flag } from './conduit.js'

const database = { ping: () => Promise.resolve(), selectFrom: () => assert.fail('no query is expected') } as unknown as Database
/** A queue to which nothing is added. */
const jobs = { declare: () => Promise.resolve() } as unknown as JobDriver

describe('the configuration', () => {
  test('says all that is missing or wrong in one error', () => {
    const environment = { NODE_ENV: 'production', PORT: 'http', DATABASE_URL: 'mysql://db', RATE_LIMIT: '-1' }
    assert.throws(
      () => readConfig(environment),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith('The environment has 4 faults:') &&
        ['PORT', 'DATABASE_URL', 'RATE_LIMIT', 'JWT_SECRET is required in production'].every((part) =>
          error.message.replaceAll(': ', ' ').includes(part),
        ),
    )
  })

  test('takes an empty variable for none, and knows what production needs', () => {
    const secret = 'x'.repeat(32)
    const { SEED, RATE_LIMIT, DATABASE_URL } = readConfig({ NODE_ENV: 'production', JWT_SECRET: secret, DATABASE_URL: '', PORT: '' })
    assert.deepEqual([SEED, RATE_LIMIT, DATABASE_URL], [false, 600, undefined])
    assert.deepEqual([readConfig({}).SEED, readConfig({}).RATE_LIMIT], [true, 0])
  })
})

describe('the operating part of the application, without a database', () => {
  async function start(environment: Environment = {}, server: object = {}, given: Database = database): Promise<TestServer> {
    const config = testConfig(environment)
    return testServer(App, {
      override: [
        [CONFIG, config],
        [Database, given],
        [JobDriver, jobs],
      ],
      server: { ...serverOptions(config), ...server },
    })
  }

  test('is healthy; ready as long as the database answers', async () => {
    await using app = await start()
    assert.deepEqual([(await app.inject('/healthz')).statusCode, (await app.inject('/readyz')).statusCode], [200, 200])
    const away = { ping: () => Promise.reject(new Error('away')) } as unknown as Database
    await using broken = await start({}, {}, away)
    assert.deepEqual([(await broken.inject('/healthz')).statusCode, (await broken.inject('/readyz')).statusCode], [200, 503])
  })

  test('measures requests by their declared route', async () => {
    await using app = await start()
    await app.inject('/api/user')
    await app.inject('/api/articles/some-slug/comments/7?x=1')
    await app.inject({ method: 'DELETE', url: '/api/articles/some-slug/comments/7' })
    const { body, headers } = await app.inject('/metrics')
    assert.match(String(headers['content-type']), /^text\/plain/)
    assert.match(body, /http_request_duration_seconds_count\{method="GET",route="\/api\/user",status="401"\} 1/)
    assert.match(
      body,
      /http_request_duration_seconds_count\{method="DELETE",route="\/api\/articles\/:slug\/comments\/:id",status="401"\} 1/,
    )
    assert.match(body, /route="unknown",status="404"/)
    assert.match(body, /process_cpu_seconds_total/)
  })

  test('logs what happens to a request under the id that its sender is told', async () => {
    const lines: any[] = []
    const stream = new Writable({ write: (line, _encoding, done) => (lines.push(JSON.parse(String(line))), done()) })
    await using app = await start({}, { logger: { level: 'info', stream, redact: ['req.headers.authorization'] } })
    const { headers } = await app.inject({ url: '/api/user', headers: { authorization: 'Token secret' } })
    const own = lines.filter(({ reqId }) => reqId === headers['x-request-id'])
    assert.ok(own.length >= 3, 'incoming, refused, completed')
    assert.equal(own.at(-1).res.statusCode, 401)
    assert.ok(!JSON.stringify(lines).includes('Token secret'))
    const given = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'from-the-proxy' } })
    assert.equal(given.headers['x-request-id'], 'from-the-proxy')
  })

  test('tells nobody what went wrong inside', async () => {
    const failing = { selectFrom: () => assert.fail('the password of the database is 1234') } as unknown as Database
    await using app = await start({}, {}, failing)
    const response = await app.inject('/api/tags')
    assert.deepEqual([response.statusCode, response.json()], [500, { errors: { body: ['Internal server error'] } }])
  })

  test('answers front ends of other origins, or of those that it is told', async () => {
    await using app = await start()
    const preflight = {
      method: 'OPTIONS',
      url: '/api/articles',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
    }
    const { statusCode, headers } = await app.inject(preflight)
    assert.deepEqual(
      [statusCode, headers['access-control-allow-origin'], headers['access-control-allow-headers']],
      [204, '*', 'authorization'],
    )
    assert.match(String(headers['access-control-allow-methods']), /PUT/)
    await using own = await start({ CORS_ORIGIN: 'https://a.example, https://b.example' })
    assert.equal((await own.inject(preflight)).headers['access-control-allow-origin'], 'https://a.example')
    const stranger = { ...preflight, headers: { ...preflight.headers, origin: 'https://c.example' } }
    assert.equal((await own.inject(stranger)).headers['access-control-allow-origin'], undefined)
  })

  test('sends the headers that browsers heed', async () => {
    await using app = await start()
    const { headers } = await app.inject('/healthz')
    assert.deepEqual(
      [headers['x-content-type-options'], headers['content-security-policy']],
      ['nosniff', "default-src 'none';frame-ancestors 'none'"],
    )
  })

  test('limits the requests of a client, but not those of the operator', async () => {
    await using app = await start({ RATE_LIMIT: '2' })
    const ask = (remoteAddress: string) => app.inject({ url: '/api/user', remoteAddress })
    const statuses = [await ask('10.0.0.1'), await ask('10.0.0.1'), await ask('10.0.0.1'), await ask('10.0.0.2')]
    assert.deepEqual(
      statuses.map(({ statusCode }) => statusCode),
      [401, 401, 429, 401],
    )
    assert.match(statuses[2]!.body, /^\{"errors":\{"body":\["Too many requests, try again in \d+ seconds"\]\}\}$/)
    assert.ok(Number(statuses[2]!.headers['retry-after']) > 0)
    for (let count = 0; count < 5; count += 1) assert.equal((await app.inject('/readyz')).statusCode, 200)
  })

  test('limits logins more strictly, also below the limit of a client', async () => {
    await using app = await start({ RATE_LIMIT: '100' })
    const payload = { user: { email: 'ada@example.com', password: 7 } }
    const statuses: number[] = []
    for (let count = 0; count < 11; count += 1)
      statuses.push((await app.inject({ method: 'POST', url: '/api/users/login', payload })).statusCode)
    assert.deepEqual(statuses, [...Array<number>(10).fill(422), 429])
  })

  test('counts by the address that a trusted proxy forwards', async () => {
    await using app = await start({ RATE_LIMIT: '1', TRUST_PROXY: '10.0.0.1' })
    const ask = async (client: string) =>
      (await app.inject({ url: '/api/user', remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': client } })).statusCode
    assert.deepEqual([await ask('1.1.1.1'), await ask('1.1.1.1'), await ask('2.2.2.2')], [401, 429, 401])
  })

  test('answers as before where the shared counters are away', async () => {
    await using app = await start({ RATE_LIMIT: '1', REDIS_URL: 'redis://127.0.0.1:1' })
    for (let count = 0; count < 3; count += 1) assert.equal((await app.inject('/api/user')).statusCode, 401)
  })

  test('answers 503 while the event loop lags', async () => {
    await using app = await start({ MAX_EVENT_LOOP_DELAY: '1' })
    let response = await app.inject('/api/user')
    for (let attempt = 0; response.statusCode !== 503 && attempt < 40; attempt += 1) {
      const end = performance.now() + 50
      while (performance.now() < end);
      await wait(50)
      response = await app.inject('/api/user')
    }
    assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '5'])
    assert.deepEqual(response.json(), { errors: { body: ['Service unavailable, try again later'] } })
    assert.equal((await app.inject('/healthz')).statusCode, 200)
  })

  test('traces requests, with the route that answered', async () => {
    const exporter = new InMemorySpanExporter()
    const tracing = new Tracing('conduit', new SimpleSpanProcessor(exporter))
    await using app = await testServer(App, {
      override: [
        [CONFIG, testConfig()],
        [Database, database],
        [JobDriver, jobs],
        [Tracing, tracing],
      ],
    })
    await app.inject({ method: 'DELETE', url: '/api/articles/some-slug' })
    const request = exporter.getFinishedSpans().find(({ attributes }) => attributes['http.route'] === '/api/articles/:slug')
    assert.ok(request, 'a span of the request')
    assert.equal(request.resource.attributes['service.name'], 'conduit')
    assert.ok(exporter.getFinishedSpans().some(({ parentSpanContext }) => parentSpanContext?.spanId === request.spanContext().spanId))
  })
})

describe('the process', () => {
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url))
  const children = new Set<ChildProcess>()
  let directory: string
  let created: Awaited<ReturnType<typeof createDatabase>>
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'conduit-'))
    created = await createDatabase()
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
    await created?.drop()
  })

  interface Started {
    child: ChildProcess
    output: () => string
    exit: Promise<[number | null]>
  }
  function run(environment: Environment): Started {
    const child = spawn(process.execPath, [v8Flag, main], { env: { PATH: process.env['PATH'], ...environment } })
    children.add(child)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
    return { child, output: () => text, exit: once(child, 'exit') as Promise<[number | null]> }
  }
  const place = (): Environment =>
    created === undefined ? { PGLITE_DIRECTORY: join(directory, 'data/conduit') } : { DATABASE_URL: created.url }
  async function occupyPort(): Promise<{ port: number; close: () => void }> {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    return { port: (other.address() as AddressInfo).port, close: () => void other.close() }
  }
  async function address({ output, child }: Started): Promise<string> {
    for (;;) {
      const found = /listens at (http:\S+)\/api/.exec(output())
      if (found) return found[1]!
      if (child.exitCode !== null) assert.fail(output())
      await wait(20)
    }
  }

  test('ends with one clear message when the environment is wrong', async () => {
    const { output, exit } = run({ NODE_ENV: 'production' })
    assert.deepEqual((await exit)[0], 1)
    assert.equal(output(), 'The environment has a fault:\n  - JWT_SECRET: is required in production\n')
  })

  test('closes its port first; who has a connection is still answered, and told that it closes', async () => {
    const { child, exit, output } = run({ PORT: '0', SEED: 'false', CLOSE_IDLE_DELAY: '10000' })
    const url = await address({ child, exit, output })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async (): Promise<IncomingMessage> => {
      const [response] = (await once(get(`${url}/healthz`, { agent }), 'response')) as [IncomingMessage]
      await response.resume().toArray()
      return response
    }
    const before = await ask()
    child.kill('SIGTERM')
    while (await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined)) await wait(20)
    const after = await ask()
    assert.deepEqual([before.statusCode, before.headers.connection], [200, 'keep-alive'])
    assert.deepEqual([after.statusCode, after.headers.connection], [200, 'close'])
    assert.equal((await exit)[0], 0, output())
    agent.destroy()
  })

  test('says what it does on its first start, drains before it ends, and finds its data again', async () => {
    const environment = { PORT: '0', ...place(), SHUTDOWN_DELAY: '2000', JWT_SECRET: 'x'.repeat(32) }
    const first = run(environment)
    const url = await address(first)
    for (const part of ['migrations run: 0001-tables', 'seed data added', '/docs']) assert.ok(first.output().includes(part), part)

    first.child.kill('SIGTERM')
    let status = 200
    while (status === 200) status = (await fetch(`${url}/readyz`)).status
    assert.equal(status, 503)
    assert.equal((await fetch(`${url}/api/tags`)).status, 200, 'requests are answered until load balancers have noticed')
    assert.equal((await first.exit)[0], 0, first.output())

    const second = run(environment)
    const again = await address(second)
    assert.ok(second.output().includes('the tables are up to date'))
    assert.ok(!second.output().includes('seed data added'))
    const { articlesCount } = (await (await fetch(`${again}/api/articles`)).json()) as { articlesCount: number }
    assert.equal(articlesCount, 2)
    second.child.kill('SIGTERM')
    assert.equal((await second.exit)[0], 0)
  })

  test('ends when it cannot listen', async () => {
    const { port, close } = await occupyPort()
    const { output, exit } = run({ PORT: String(port), ...place() })
    assert.equal((await exit)[0], 1)
    assert.match(output(), /EADDRINUSE/)
    close()
  })
})
