/**
 * The long runs: `npm run reliability -- <run> [count]`, where the run is `faults`, `leak`, `idle`, `shutdown`, `pipelines`, `scopes`,
 * `departures`, `soak` (an hour) or `all` (but `soak`). Each prints what it measured, and fails if that is beyond its limit.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createServer, type Server } from 'alcove/lib'
import { runDepartures } from './departures.js'
import { runPipelines } from './pipelines.js'
import { runScopes } from './scopes.js'
import { sendFaults } from './soak.js'
import { deeds, errorValues, hookArity, isLeak, makeHook, styles } from './faults.js'

const alive = setInterval(() => {}, 1000)

/** Runs `task` for 0 … count-1, `width` at a time. */
async function inParallel(count: number, width: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await task(next++)
    }),
  )
}

/** Every kind of failure of every hook, over and over: injected, one in twenty over a connection. */
async function faults(count = 1_000_000): Promise<void> {
  const deaths: unknown[] = []
  const die = (reason: unknown): unknown => deaths.push(reason)
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
  const server = createServer({ handlerTimeout: 200 })
  const paths: string[] = []
  for (const name of Object.keys(hookArity)) {
    for (const deed of Object.values(deeds)) {
      for (const style of styles) {
        for (const value of Object.values(deed.throws ? errorValues : { error: errorValues['an error']! })) {
          const thrown = value()
          const path = `/${paths.length}`
          server.post(path, { [name]: makeHook(name, deed, style, () => thrown) }, () => {
            if (name === 'onError') throw thrown
            return { fine: true }
          })
          paths.push(path)
        }
      }
    }
  }
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  const byStatus: Record<string, number> = {}
  const start = performance.now()
  await inParallel(count, 4096, async (index) => {
    const path = paths[index % paths.length]!
    const { status, body } = index % 20 === 0 ? await postOver(agent, port, path) : await postInjected(server, path)
    byStatus[status] = (byStatus[status] ?? 0) + 1
    assert.ok([200, 202, 500, 503].includes(status), `${path} ${status} ${body}`)
    assert.ok(!isLeak(body), body)
  })
  const [seconds, rounds] = [(performance.now() - start) / 1000, paths.length]
  const next = await server.inject('/none')
  assert.equal(next.statusCode, 404)
  agent.destroy()
  await server.close()
  await sleep(50)
  process.off('uncaughtException', die)
  process.off('unhandledRejection', die)
  console.log(
    `faults: ${count} in ${seconds.toFixed(0)} s, ${rounds} kinds, replies by status ${JSON.stringify(byStatus)}, deaths ${deaths.length}`,
  )
  assert.deepEqual(deaths, [])
}

async function postInjected(server: Server, url: string): Promise<{ status: number; body: string }> {
  const { statusCode, body } = await server.inject({ method: 'POST', url, payload: { a: 1 } })
  return { status: statusCode, body }
}

function postOver(agent: http.Agent, port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, port, path, method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    request.on('error', reject)
    request.end('{"a":1}')
  })
}

/** The heap that requests leave behind: its growth between a fifth of the requests and all of them. */
async function leak(count = 1_000_000): Promise<void> {
  assert.ok(globalThis.gc, 'run node with --expose-gc')
  const server = createServer()
  const schema = {
    body: { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, b: { type: 'string' } } },
    response: { 200: { type: 'object', properties: { a: { type: 'integer' } } } },
  } as const
  server.addHook('onRequest', async () => {})
  server.addHook('onResponse', (_request, _reply, done) => done())
  server.get('/', () => ({ hello: 'world' }))
  server.get('/item/:id', (request: any) => ({ id: request.params.id, query: request.query }))
  server.post('/body', { schema }, (request) => request.body)
  server.get('/fails', () => Promise.reject(new Error('failed')))
  server.get('/signal', (request) => ({ aborted: request.signal.aborted }))
  server.get('/early', { preHandler: (_request, reply) => void reply.code(401).send('no') }, () => 'never')
  await server.ready()
  const kinds: ((index: number) => any)[] = [
    () => ({ url: '/' }),
    (index) => ({ url: `/item/${index}?page=${index}`, headers: { host: `host-${index}`, 'request-id': `id-${index}` } }),
    (index) => ({ method: 'POST', url: '/body', payload: { a: index, b: `b${index}` } }),
    (index) => ({ method: 'POST', url: '/body', payload: `{"a":"x${index}"}`, headers: { 'content-type': 'application/json' } }),
    (index) => ({ method: 'POST', url: '/body', payload: 'x', headers: { 'content-type': `x/type-${index}; a=${index}` } }),
    (index) => ({ url: `/missing/${index}` }),
    () => ({ url: '/fails' }),
    (index) => ({ url: `/%zz${index}` }),
    () => ({ url: '/signal' }),
    () => ({ url: '/early' }),
    (index) => ({ method: 'HEAD', url: `/item/${index}` }),
  ]
  const heapAfter = async (from: number, to: number): Promise<number> => {
    await inParallel(to - from, 32, async (index) => void (await server.inject(kinds[index % kinds.length]!(from + index))))
    for (let pass = 0; pass < 4; pass++) {
      await sleep(20)
      globalThis.gc!()
    }
    return process.memoryUsage().heapUsed
  }
  const warm = Math.floor(count / 5)
  const before = await heapAfter(0, warm)
  const end = await heapAfter(warm, count)
  const growth = (end - before) / (count - warm)
  console.log(`leak: ${count} mixed requests, heap ${before} -> ${end} bytes from ${warm} on, ${growth.toFixed(3)} bytes a request`)
  assert.ok(growth <= 2, `${growth} bytes of heap a request`)
  await server.close()
}

interface Target {
  readonly child: ChildProcess
  readonly port: number
}

async function startApp(kind: 'framework' | 'bare'): Promise<Target> {
  const child = fork(fileURLToPath(new URL('app.js', import.meta.url)), [kind], { execArgv: ['--expose-gc'] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

async function memoryOf({ child }: Target): Promise<{ rss: number; heap: number }> {
  await sleep(200)
  child.send('memory')
  return (await once(child, 'message'))[0]
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/**
 * The memory of a keep-alive connection that has served a request and waits for the next. Some requests come first: the space that V8
 * reserves for new objects grows once, from 7 to 28 MB, whether connections stay open or not.
 */
async function idle(count = 5_000): Promise<void> {
  for (const kind of ['bare', 'framework'] as const) {
    const target = await startApp(kind)
    const sockets: Socket[] = []
    const get = async (socket: Socket): Promise<void> => {
      socket.write(GET)
      await once(socket, 'data')
    }
    const openOne = (): Promise<void> => {
      const socket = connect(target.port, '127.0.0.1')
      sockets.push(socket)
      return get(socket)
    }
    await inParallel(200, 50, openOne)
    for (let round = 0; round < 200; round++) await Promise.all(sockets.map(get))
    const before = await memoryOf(target)
    await inParallel(count, 50, openOne)
    const after = await memoryOf(target)
    const each = (key: 'rss' | 'heap'): number => (after[key] - before[key]) / count / 1024
    console.log(
      `idle (${kind}): ${count} connections, each ${each('rss').toFixed(2)} KiB RSS, ${each('heap').toFixed(2)} KiB heap and external`,
    )
    for (const socket of sockets) socket.destroy()
    target.child.kill('SIGKILL')
    if (kind === 'framework') assert.ok(each('heap') <= 10 && each('rss') <= 10, 'more than 10 KiB a connection')
  }
}

/** A client that writes its next request as soon as it may, until a reply has connection: close. */
class Client {
  /** When the request without a reply yet was written */
  waitingSince: number | undefined
  replies = 0
  lastReply = 0
  failed = 0
  readonly isOver: Promise<unknown>
  readonly #socket: Socket
  readonly #pause: () => number
  #text = ''
  #isTold = false

  constructor(port: number, pause: () => number) {
    this.#pause = pause
    this.#socket = connect(port, '127.0.0.1', () => this.#write())
    this.#socket.on('data', (data) => this.#read(String(data)))
    this.#socket.on('error', () => {})
    this.isOver = new Promise((resolve) => this.#socket.once('close', resolve))
    this.#socket.once('end', () => (this.#isTold = true))
  }

  #write(): void {
    if (this.#isTold || this.#socket.destroyed) return
    this.waitingSince = performance.now()
    const kind = Math.random()
    if (kind < 0.5) this.#socket.write(GET)
    else if (kind < 0.8) this.#socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    else this.#socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}')
  }

  #read(data: string): void {
    this.#text += data
    const end = this.#text.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#text.slice(0, end).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1])
    if (this.#text.length < end + 4 + length) return
    this.#text = this.#text.slice(end + 4 + length)
    this.waitingSince = undefined
    this.replies++
    this.lastReply = performance.now()
    if (!head.startsWith('http/1.1 200')) this.failed++
    if (head.includes('connection: close')) {
      this.#isTold = true
      return
    }
    const wait = this.#pause()
    if (wait === 0) this.#write()
    else setTimeout(() => this.#write(), wait)
  }
}

/** A signal under load, repeatedly: requests in flight, and those that came on live connections before their clients could know. */
async function shutdown(rounds = 100): Promise<void> {
  let [replies, inFlight, late, failed, slowest, badExits] = [0, 0, 0, 0, 0, 0]
  await inParallel(rounds, 1, async () => {
    const { child, port } = await startApp('framework')
    const exited = once(child, 'exit')
    // Half of them write at once, the others are sometimes idle.
    const clients = Array.from({ length: 60 }, (_, index) => new Client(port, index % 2 === 0 ? () => 0 : () => 1 + Math.random() * 100))
    await sleep(150 + Math.random() * 150)
    const signalled = performance.now()
    child.kill('SIGTERM')
    const [code] = await exited
    const exitedAt = performance.now()
    await Promise.all(clients.map(({ isOver }) => isOver))
    if (code !== 0) badExits++
    for (const { waitingSince, ...client } of clients) {
      replies += client.replies
      failed += client.failed
      if (waitingSince !== undefined && waitingSince <= signalled) inFlight++
      else if (waitingSince !== undefined) late++
    }
    slowest = Math.max(slowest, exitedAt - Math.max(...clients.map(({ lastReply }) => lastReply)))
  })
  console.log(
    `shutdown: ${rounds} rounds, ${replies} replies, ${failed} not 200; dropped in flight ${inFlight}, dropped on live connections ${late}; ` +
      `exit at most ${slowest.toFixed(0)} ms after the last reply; ${badExits} exits other than 0`,
  )
  assert.deepEqual([inFlight, late, failed, badExits], [0, 0, 0, 0])
  assert.ok(slowest < 500, `exit ${slowest} ms after the last reply`)
}

/**
 * Mixed faults and slow clients for a time. The process takes at rest at the end as much memory as at half of it: 2 MiB more would be
 * 9 bytes for each fault of half an hour.
 * @param seconds how long
 */
async function soak(seconds = 3600): Promise<void> {
  const target = await startApp('framework')
  const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)
  const atRest: { rss: number; heap: number }[] = []
  let sent = 0
  for (const part of [0.1, 0.4, 0.5]) {
    sent += await sendFaults(target.port, seconds * part, 10)
    // A handler that never settles is waited for up to 45 s: 5 s until its client is seen to have left, then 30 s, and 5 s for each look.
    await sleep(50_000)
    const { rss, heap } = await memoryOf(target)
    atRest.push({ rss, heap })
    console.log(`soak: ${sent} faults; at rest ${mb(rss)} MiB RSS, ${mb(heap)} MiB heap and external`)
  }
  assert.equal(target.child.exitCode, null, 'the server has died')
  const [, half, end] = atRest as [(typeof atRest)[0], (typeof atRest)[0], (typeof atRest)[0]]
  // Compiled code and feedback grow in the first half. The measure itself differs by 1 to 2 MiB from one rest to the next.
  for (const kind of ['rss', 'heap'] as const)
    assert.ok(end[kind] - half[kind] <= Math.max(half[kind] * 0.05, 2 * 2 ** 20), `${kind} has grown in the second half`)
  target.child.kill('SIGKILL')
}

/** Random pipelines, each of whose requests must be answered. */
async function pipelines(count = 1_000_000): Promise<void> {
  const start = performance.now()
  const replies = await runPipelines(count)
  console.log(`pipelines: ${replies} replies in ${((performance.now() - start) / 1000).toFixed(0)} s, none missing`)
}

/** Random faults against request scopes: nothing may use one after its end. */
async function scopes(count = 100_000): Promise<void> {
  const { made, ended, uses, usesAfterEnd } = await runScopes(count)
  console.log(`scopes: ${count} requests, ${made} scopes made, ${ended} ended, ${uses} uses, ${usesAfterEnd} after an end`)
  assert.deepEqual([usesAfterEnd, made - ended], [0, 0])
}

/** Clients that leave: a server with 300 files must answer after any number of them. */
async function departures(count = 10_000): Promise<void> {
  for await (const { kind, clients, slowest } of runDepartures(count, 300))
    console.log(
      `departures: ${clients} clients that sent ${kind} have left; the server answered in between within ${slowest.toFixed(0)} ms`,
    )
}

const runs = { faults, leak, idle, shutdown, pipelines, scopes, departures, soak }
const [name = 'all', count] = process.argv.slice(2)
const chosen =
  name === 'all' ? Object.values(runs).filter((run) => run !== soak) : Object.hasOwn(runs, name) ? [runs[name as keyof typeof runs]] : []
if (chosen.length === 0) {
  console.error(`There is no run '${name}': choose one of all, ${Object.keys(runs).join(', ')}.`)
  process.exit(2)
}
try {
  for (const run of chosen) await run(count === undefined ? undefined : Number(count))
  clearInterval(alive)
} catch (error) {
  console.error(error)
  process.exit(1)
}
