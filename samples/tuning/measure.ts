/** Measures the routes of app.ts: node dist/samples/tuning/measure.js */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, request } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Figures {
  /** ms */
  readonly p50: number
  readonly p99: number
  /** requests per second of all clients together */
  readonly perSecond: number
}

/** Starts the server as another process, so that the clients take none of its time. */
export async function start(
  flags: readonly string[] = [],
  options: readonly string[] = [],
): Promise<{ child: ChildProcess; origin: string }> {
  const main = fileURLToPath(new URL('./main.js'.replace('.js', extname(import.meta.url)), import.meta.url))
  const loader = main.endsWith('.ts') ? ['--import', import.meta.resolve('@oxc-node/core/register')] : []
  const child = spawn(process.execPath, [...loader, ...flags, main, ...options], { env: { ...process.env, PORT: '0' } })
  let printed = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if ((printed += text).includes('\n')) break
  return { child, origin: printed.trim() }
}

export async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

/** So many clients, each of which asks again when it has its answer. */
export async function load(url: string, clients: number, ms: number): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const times: number[] = []
  const end = performance.now() + ms
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now()
      await ask(url, agent)
      times.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  times.sort((one, other) => one - other)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))]!
  return { p50: at(0.5), p99: at(0.99), perSecond: times.length / seconds }
}

function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().on('end', resolve).on('error', reject)).on('error', reject)
  })
}

/** The ms of one request with a JSON body. */
export async function post(url: string, body: string): Promise<number> {
  const started = performance.now()
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }).end(body)
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
  return performance.now() - started
}

export interface Row {
  readonly what: string
  readonly slow: number
  readonly fast: number
  readonly unit: 'ms' | 'per s'
}

/** Each cause beside its cure, measured for so many ms. */
export async function measureAll(ms: number): Promise<Row[]> {
  const rows: Row[] = []
  const { child, origin } = await start()
  try {
    const pingWhile = async (path: string): Promise<number> => {
      const [, { p50 }] = await Promise.all([load(origin + path, 4, ms), load(`${origin}/ping`, 1, ms)])
      return p50
    }
    rows.push({
      what: 'GET /ping, while 4 clients ask for passwords: sync, async',
      slow: await pingWhile('/password/sync'),
      fast: await pingWhile('/password/async'),
      unit: 'ms',
    })
    const medianOf = async (path: string): Promise<number> => (await load(origin + path, 1, ms)).p50
    rows.push({
      what: 'GET /orders: 20 queries one by one, one query',
      slow: await medianOf('/orders/one-by-one'),
      fast: await medianOf('/orders/together'),
      unit: 'ms',
    })
    const perSecond = async (path: string): Promise<number> => (await load(origin + path, 10, ms)).perSecond
    rows.push({
      what: 'GET /rows, 10 clients: all 10,000, a page of 50',
      slow: await perSecond('/rows/all'),
      fast: await perSecond('/rows/page'),
      unit: 'per s',
    })
  } finally {
    await stop(child)
  }
  const firstRequest = async (options: readonly string[]): Promise<number> => {
    const started = await start([], options)
    try {
      await load(`${started.origin}/ping`, 1, 100)
      return await post(`${started.origin}/import`, '{"field1":{"value":"a","count":1}}')
    } finally {
      await stop(started.child)
    }
  }
  rows.push({
    what: 'the first POST /import: compiled then, compiled at boot',
    slow: Math.min(await firstRequest([]), await firstRequest([])),
    fast: Math.min(await firstRequest(['--compile-at-boot']), await firstRequest(['--compile-at-boot'])),
    unit: 'ms',
  })
  return rows
}
