/** The time that a request has until its reply's headers are written. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server, type ServerOptions } from 'alcove'
import { Deadline, Deadlines, MAX_TIMEOUT_MS } from '../../../lib/http/deadline.js'

/** A clock and timers that stand still until `advance` is called. */
function clock(t: TestContext): { timers: Timer[]; advance(ms: number): void } {
  const timers: Timer[] = []
  let now = 1_000
  t.mock.method(performance, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (call: () => void, wait: number) => {
    const timer: Timer = { call, dueAt: now + wait, hasRef: true, ref: () => (timer.hasRef = true), unref: () => (timer.hasRef = false) }
    timers.push(timer)
    return timer
  })
  return {
    timers,
    advance(ms) {
      now += ms
      for (const timer of timers.filter(({ dueAt }) => dueAt <= now)) {
        timer.dueAt = Infinity
        timer.call()
      }
    },
  }
}

interface Timer {
  readonly call: () => void
  dueAt: number
  hasRef: boolean
  ref(): void
  unref(): void
}

test('a timer that is set to the longest time does not fire at once', async () => {
  let isCalled = false
  const timer = setTimeout(() => (isCalled = true), MAX_TIMEOUT_MS)
  await sleep(10)
  clearTimeout(timer)
  assert.equal(isCalled, false)
})

describe('a queue of deadlines', () => {
  test('calls each when its span is over, in their order, with one timer at a time', (t) => {
    const { timers, advance } = clock(t)
    const queue = new Deadlines(100)
    const due: string[] = []
    const add = (name: string, now?: number): void => queue.add(new Deadline(name, (subject) => due.push(subject)), now)
    add('a')
    add('b')
    advance(60)
    add('c')
    assert.equal(timers.length, 1)
    advance(39)
    assert.deepEqual(due, [])
    advance(1)
    assert.deepEqual(due, ['a', 'b'])
    assert.deepEqual([timers.length, timers[1]!.dueAt], [2, 1_160])
    advance(59)
    assert.deepEqual(due, ['a', 'b'])
    advance(1)
    assert.deepEqual(due, ['a', 'b', 'c'])
    assert.equal(timers.length, 2)
    // The span of a request began when it arrived.
    add('d', 1_100)
    assert.equal(timers.length, 3)
    advance(100)
    assert.deepEqual(due, ['a', 'b', 'c', 'd'])
  })

  test('waits at least 1 ms between two looks', (t) => {
    const { timers, advance } = clock(t)
    const queue = new Deadlines(100)
    queue.add(new Deadline(0, () => {}))
    queue.add(new Deadline(1, () => {}), 1_000.25)
    advance(100)
    assert.deepEqual([timers.length, timers[1]!.dueAt], [2, 1_101])
  })

  test('does not call one that was cancelled, and keeps its timer when it is empty', (t) => {
    const { timers, advance } = clock(t)
    const queue = new Deadlines(100)
    const other = new Deadlines(50)
    let calls = 0
    const deadline = new Deadline(undefined, () => calls++)
    deadline.cancel()
    queue.add(deadline)
    // It is not in this one.
    other.remove(deadline)
    assert.equal(deadline.queue, queue)
    deadline.cancel()
    deadline.cancel()
    assert.equal(deadline.queue, undefined)
    advance(50)
    queue.add(deadline)
    assert.equal(timers.length, 1)
    advance(50)
    assert.deepEqual([calls, timers.length], [0, 2])
    advance(50)
    assert.deepEqual([calls, timers.length], [1, 2])
  })

  test('may get another one while one is called', (t) => {
    const { timers, advance } = clock(t)
    const queue = new Deadlines(100)
    let calls = 0
    const again = (): void => {
      calls++
      queue.add(new Deadline(undefined, again))
    }
    queue.add(new Deadline(undefined, again))
    advance(100)
    assert.deepEqual([calls, timers.length], [1, 2])
    advance(100)
    assert.deepEqual([calls, timers.length], [2, 3])
  })

  test('calls each in time, although another one is added while one is called, or a call throws', (t) => {
    for (const fails of [false, true]) {
      const { advance } = clock(t)
      const queue = new Deadlines(100)
      const due: string[] = []
      const first = (): void => {
        due.push('first')
        queue.add(new Deadline(undefined, () => due.push('added')))
        if (fails) throw new Error('failed')
      }
      queue.add(new Deadline(undefined, first))
      advance(20)
      queue.add(new Deadline(undefined, () => due.push('second')))
      if (fails) assert.throws(() => advance(80), /failed/)
      else advance(80)
      advance(20)
      assert.deepEqual(due, ['first', 'second'])
      advance(80)
      assert.deepEqual(due, ['first', 'second', 'added'])
      t.mock.restoreAll()
    }
  })

  test('keeps the process alive only while it is held', (t) => {
    const { timers, advance } = clock(t)
    const queue = new Deadlines(100)
    const seen: boolean[] = []
    const look = (): number => seen.push(timers.at(-1)!.hasRef)
    // Before there is a timer.
    queue.hold()
    queue.release()
    queue.add(new Deadline(undefined, () => {}))
    look()
    queue.hold()
    look()
    queue.hold()
    queue.release()
    look()
    queue.release()
    look()
    advance(100)
    queue.hold()
    queue.add(new Deadline(undefined, () => {}))
    look()
    queue.release()
    look()
    assert.deepEqual(seen, [false, true, true, false, true, false])
  })

  test('shows none of its deadlines the AsyncLocalStorage of the one that started its timer', async () => {
    const store = new AsyncLocalStorage<string>()
    const queue = new Deadlines(5)
    queue.hold()
    const seen = await store.run(
      'first',
      () => new Promise((resolve) => queue.add(new Deadline(undefined, () => resolve(store.getStore())))),
    )
    queue.release()
    assert.equal(seen, undefined)
  })
})

const never = new Promise<never>(() => {})

async function listening(set: (server: Server) => void, options: ServerOptions = {}): Promise<{ server: Server; url: string }> {
  const server = createServer({ handlerTimeout: 100, forceCloseConnections: true, ...options })
  set(server)
  return { server, url: await server.listen({ port: 0, host: '127.0.0.1' }) }
}

const stuck: [string, (server: Server) => void][] = [
  ['a handler', (server) => void server.get('/', () => never)],
  ['a handler that neither returns nor replies', (server) => void server.get('/', () => undefined)],
  ...(['onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend'] as const).map(
    (name): [string, (server: Server) => void] => [
      `an ${name} hook`,
      (server) => void server.addHook(name, (() => never) as never).get('/', async () => ({ a: 1 })),
    ],
  ),
  [
    'an onError hook',
    (server) =>
      void server
        .addHook('onError', () => never)
        .get('/', () => {
          throw new Error('x')
        }),
  ],
  [
    'an error handler',
    (server) =>
      void server
        .setErrorHandler(() => never)
        .get('/', () => {
          throw new Error('x')
        }),
  ],
  ['a promise that was sent', (server) => void server.get('/', (_request, reply) => reply.send(never))],
]

for (const [what, set] of stuck) {
  test(`${what} that never ends is answered with 503`, async () => {
    const { server, url } = await listening(set)
    const response = await fetch(url)
    assert.equal(response.status, 503)
    assert.deepEqual(await response.json(), {
      statusCode: 503,
      code: 'ALC_ERR_HANDLER_TIMEOUT',
      error: 'Service Unavailable',
      message: 'Service Unavailable',
    })
    await server.close()
  })
}

test('a payload that comes after the timeout is ignored, and the connection serves the next request', async () => {
  let release!: (value: object) => void
  const { server, url } = await listening((app) => {
    app.get('/slow', () => new Promise((resolve) => (release = resolve)))
    app.get('/next', () => ({ ok: true }))
  })
  assert.equal((await fetch(`${url}/slow`)).status, 503)
  release({ late: true })
  assert.deepEqual(await (await fetch(`${url}/next`)).json(), { ok: true })
  await server.close()
})

test('a route may have its own timeout, 0 means none, and a hijacked reply has none', async () => {
  const { server, url } = await listening((app) => {
    app.get('/patient', { handlerTimeout: 0 }, () => sleep(250, { ok: true }))
    app.get('/hasty', { handlerTimeout: 20 }, () => sleep(5000))
    app.get('/hijacked', async (_request, reply) => {
      reply.hijack()
      await sleep(250)
      reply.raw.end('raw')
    })
  })
  const [patient, hasty, hijacked] = await Promise.all(['/patient', '/hasty', '/hijacked'].map((path) => fetch(url + path)))
  assert.deepEqual([patient!.status, hasty!.status, hijacked!.status, await hijacked!.text()], [200, 503, 200, 'raw'])
  await server.close()
})

test('a stream that is quiet for longer is not cut: it may wait for its first event', async () => {
  const { server, url } = await listening((app) => {
    app.get('/late', () => Readable.from(late('event')))
    app.get('/fails', () => Readable.from(late(new Error('fails'))))
  })
  const [told, failed] = await Promise.all([fetch(`${url}/late`), fetch(`${url}/fails`)])
  assert.deepEqual([told.status, await told.text(), failed.status], [200, 'event', 500])
  await server.close()
})

async function* late(what: string | Error): AsyncGenerator<string> {
  await sleep(250)
  if (typeof what !== 'string') throw what
  yield what
}

test('the signal of a request that timed out is aborted, for that reason', async () => {
  let reason: { code?: string } | undefined
  const { server, url } = await listening((app) => {
    app.get('/', async ({ signal }) => {
      signal.addEventListener('abort', () => (reason = signal.reason))
      return never
    })
  })
  await (await fetch(url)).text()
  assert.equal(reason?.code, 'ALC_ERR_HANDLER_TIMEOUT')
  await server.close()
})

test('a listener of the signal may reply when the time is over, and the connection goes on', async () => {
  const server = createServer({ handlerTimeout: 50, closeTimeout: 100 })
  server.get('/', (request, reply) => {
    request.signal.addEventListener('abort', () => void reply.code(504).send('by the listener'))
    return never
  })
  server.get('/next', (request) => String(request.socket.remotePort))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string): Promise<[status: number, text: string, port: number]> => {
    const request = get(`${server.listeningOrigin}${path}`, { agent })
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return [response.statusCode, text, request.socket!.localPort!]
  }
  const [status, text, port] = await ask('/')
  assert.deepEqual([status, text], [504, 'by the listener'])
  assert.deepEqual((await ask('/next')).slice(0, 2), [200, String(port)])
  agent.destroy()
  await server.close()
})

test('the options of a route show its handlerTimeout, which is that of the server by default', async () => {
  const server = createServer({ handlerTimeout: 7000 })
  server.get('/', ({ routeOptions }) => routeOptions.handlerTimeout)
  server.get('/own', { handlerTimeout: 3000 }, ({ routeOptions }) => routeOptions.handlerTimeout)
  server.get('/none', { handlerTimeout: 0 }, ({ routeOptions }) => routeOptions.handlerTimeout)
  server.setNotFoundHandler((request) => request.routeOptions.handlerTimeout)
  const answers = await Promise.all(['/', '/own', '/none', '/missing'].map(async (url) => (await server.inject(url)).body))
  assert.deepEqual(answers, ['7000', '3000', '0', '7000'])
  await server.close()
})

test('a handlerTimeout that is not a whole number is refused, for a server and for a route', () => {
  assert.throws(() => createServer({ handlerTimeout: -1 }), { code: 'ALC_ERR_INIT_OPTS_INVALID' })
  assert.throws(() => createServer().get('/', { handlerTimeout: 1.5 }, () => {}), { code: 'ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT' })
})
