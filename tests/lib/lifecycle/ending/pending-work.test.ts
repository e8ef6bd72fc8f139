/** Hooks and handlers that go on after the response are waited for, but not longer than 30 s. The clock of these tests is advanced by hand. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { mock, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createServer, type Reply, type Request, type Server, stream } from 'alcove/lib'
import { whenRequestIsOver } from '../../../../lib/internal.js'
import { stateOf } from '../../../../lib/server/server-state.js'
import { open, recorder } from '../../../security/wire.js'

const now = performance.now.bind(performance)
let advanced = 0
performance.now = () => now() + advanced
mock.timers.enable({ apis: ['setTimeout'] })

/** In steps of at most 1 s, so that a timer sees the time at which it is due. */
function advance(ms: number): void {
  for (let left = ms; left > 0; left -= 1_000) {
    const step = Math.min(left, 1_000)
    advanced += step
    mock.timers.tick(step)
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const never = (): Promise<never> => new Promise(() => {})

/** Sends a request whose time, of at most 200 ms, passes before it is answered. */
async function answerOverdue(server: Server): Promise<void> {
  const answer = server.inject('/')
  await turn()
  advance(200)
  assert.equal((await answer).statusCode, 503)
  await turn()
}

/** A server whose log is recorded, and how often one of its requests was over. */
function watched(): { server: Server; over: () => number; note: (request: Request) => void; late: () => string[] } {
  const { lines, logger } = recorder()
  const server = createServer({ logger, handlerTimeout: 0 })
  let calls = 0
  return {
    server,
    over: () => calls,
    note: (request) => whenRequestIsOver(request, () => calls++),
    late: () => lines.map(({ given }) => String(given)).filter((line) => line.includes('has not ended')),
  }
}

const lateLine = 'GET /: its handler or one of its hooks has not ended within 30000 ms after its response'

/** Asserts that the request is waited for until 30 s from now, and not longer. */
function assertGivenUp(over: () => number, late: () => string[]): void {
  advance(29_900)
  assert.deepEqual([over(), late()], [0, []])
  // They are looked for every 5 s.
  advance(5_200)
  assert.deepEqual([over(), late()], [1, [lateLine]])
}

test('a request whose handler and hooks have ended is over when its response is, and no line says that it is late', async () => {
  const { server, over, note, late } = watched()
  server.get('/', (request) => (note(request), 'text'))
  await server.inject('/')
  await turn()
  assert.equal(over(), 1)
  advance(60_000)
  assert.deepEqual([over(), late()], [1, []])
})

const replies: Record<string, () => unknown> = { 'at once': () => undefined, 'after a while': turn }
for (const [when, pause] of Object.entries(replies)) {
  test(`a handler that replies ${when} and goes on is waited for until it ends`, async () => {
    const { server, over, note, late } = watched()
    let end!: () => void
    server.get('/', async (request, reply) => {
      note(request)
      await pause()
      void reply.send('text')
      await new Promise<void>((resolve) => (end = resolve))
    })
    await server.inject('/')
    await turn()
    advance(29_000)
    assert.equal(over(), 0)
    end()
    await turn()
    assert.equal(over(), 1)
    advance(60_000)
    assert.deepEqual([over(), late()], [1, []])
  })

  test(`a handler that replies ${when} and never ends is waited for 30 s after its response`, async () => {
    const { server, over, note, late } = watched()
    server.get('/', async (request, reply) => {
      note(request)
      await pause()
      void reply.send('text')
      await never()
    })
    await server.inject('/')
    await turn()
    assertGivenUp(over, late)
  })
}

const untilAborted = ({ signal }: Request): Promise<unknown> => new Promise((resolve) => signal.addEventListener('abort', resolve))

/** Everything that the framework waits for, and that may never end. */
const endless: Record<string, (server: Server) => unknown> = {
  'a handler': (server) => server.get('/', never),
  'a handler that has replied': (server) => server.get('/', (_request, reply) => (void reply.send('text'), never())),
  'a handler in callback style': (server) => server.get('/', () => {}),
  'a handler that returns the reply': (server) => server.get('/', (_request, reply) => reply),
  'an async handler that returns the reply': (server) => server.get('/', async (_request, reply) => reply),
  'a promise that was sent': (server) => server.get('/', (_request, reply) => void reply.send(never())),
  'an error handler': (server) => {
    server.setErrorHandler(never)
    server.get('/', () => Promise.reject(new Error('failed')))
  },
  'a validator': (server) =>
    server.get('/', { schema: { querystring: {} }, validatorCompiler: () => () => never() as never }, () => 'text'),
  'the source of a stream': (server) => server.get('/', () => new Readable({ read() {}, destroy: () => {} })),
  ...Object.fromEntries(
    (['onRequest', 'preParsing', 'preHandler', 'preSerialization', 'onSend', 'onResponse', 'onRequestAbort'] as const).flatMap((name) => {
      const takesPayload = name === 'preParsing' || name === 'preSerialization' || name === 'onSend'
      const withDone = name === 'onRequestAbort' ? (_1: any, _done: any) => {} : (_1: any, _2: any, _done: any) => {}
      const handle = name === 'onRequestAbort' ? untilAborted : () => ({ a: 1 })
      const declare = (hook: any) => (server: Server) => server.addHook(name, hook).get('/', handle)
      return [
        [`a promise of an ${name} hook`, declare(never)],
        [`an ${name} hook that never calls done`, declare(takesPayload ? (_1: any, _2: any, _3: any, _done: any) => {} : withDone)],
      ]
    }),
  ),
}

for (const [name, declare] of Object.entries(endless)) {
  for (const hasListener of [false, true]) {
    test(`${name} that never ends does not keep its request, ${hasListener ? '' : 'also if nothing waits for its end, '}and is named in the log`, async () => {
      const { lines, logger } = recorder()
      // Without a logger, nothing listens to the end of the response.
      const server = createServer({ handlerTimeout: 0, ...(hasListener ? { logger } : {}) })
      if (hasListener) server.addHook('onRequest', async (request) => whenRequestIsOver(request, () => {}))
      declare(server)
      await server.listen({ port: 0, host: '127.0.0.1' })
      const connected = once(server.server, 'connection')
      const socket = await open((server.server.address() as AddressInfo).port)
      const [connection] = (await connected) as [Socket]
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      const { pendingRequests } = stateOf(server.server)
      while (pendingRequests.size === 0) await turn()
      socket.destroy()
      await new Promise((resolve) => connection.once('close', resolve))
      await turn()
      advance(5_100)
      assert.equal(pendingRequests.size, 1)
      advance(36_000)
      assert.equal(pendingRequests.size, 0)
      if (hasListener) assert.equal(lines.filter(({ given }) => String(given).includes('has not ended')).length, 1)
      server.server.close()
    })
  }
}

test('a handler that takes longer than 30 s to reply is not late: the time begins with the end of its response', async () => {
  const { server, over, note, late } = watched()
  let reply!: (text: string) => void
  server.get('/', (request) => {
    note(request)
    return new Promise<string>((resolve) => (reply = resolve))
  })
  const answer = server.inject('/')
  await turn()
  advance(60_000)
  assert.deepEqual([over(), late()], [0, []])
  reply('text')
  await answer
  await turn()
  assert.deepEqual([over(), late()], [1, []])
})

for (const [kind, hook] of Object.entries({
  'whose promise is never settled': never,
  'that never calls done': (_request: Request, _reply: Reply, _done: unknown) => {},
})) {
  test(`an onResponse hook ${kind} is waited for 30 s after the response`, async () => {
    const { server, over, note, late } = watched()
    server.addHook('onResponse', hook)
    server.get('/', (request) => (note(request), 'text'))
    await server.inject('/')
    await turn()
    assertGivenUp(over, late)
  })
}

for (const [when, pause] of Object.entries(replies)) {
  test(`the 30 s also hold for what a hook begins ${when} after the response`, async () => {
    const { server, over, note, late } = watched()
    server.addHook('onResponse', async (request) => {
      await pause()
      note(request)
      await never()
    })
    server.get('/', () => 'text')
    await server.inject('/')
    await turn()
    await turn()
    assertGivenUp(over, late)
  })
}

test('a run that ends after its time does not end the request again', async () => {
  const { server, over, note } = watched()
  let end!: () => void
  server.get('/', (request, reply) => {
    note(request)
    void reply.send('text')
    return new Promise<undefined>((resolve) => (end = () => resolve(undefined)))
  })
  await server.inject('/')
  await turn()
  advance(31_000)
  assert.equal(over(), 1)
  end()
  await turn()
  assert.equal(over(), 1)
})

test('a reply that was sent on a connection that stays open is over, also if nothing waits for its end', async () => {
  const server = createServer({ handlerTimeout: 0, forceCloseConnections: true })
  server.get('/', (_request, reply) => (void reply.send('text'), never()))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = await open((server.server.address() as AddressInfo).port)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  const { pendingRequests } = stateOf(server.server)
  advance(5_100)
  assert.equal(pendingRequests.size, 1)
  advance(36_000)
  assert.equal(pendingRequests.size, 0)
  assert.equal(socket.destroyed, false)
  socket.destroy()
  await server.close()
})

test('the 30 s of a response that has failed begin with its error, though it has not ended', async () => {
  const { server, over, note, late } = watched()
  let raw!: Reply['raw']
  server.get('/', (request, reply) => {
    note(request)
    reply.hijack()
    raw = reply.raw
    raw.emit('error', new Error('fails'))
    return never()
  })
  const answer = server.inject('/').catch(() => {})
  await turn()
  assertGivenUp(over, late)
  raw.end()
  await answer
})

test('what waits for the end of a request is told at once if the request is over, or is not waited for any more', async () => {
  const { server, over, note } = watched()
  const requests: Request[] = []
  server.get('/', (request) => (requests.push(request), 'text'))
  server.get('/endless', (request, reply) => (requests.push(request), void reply.send('text'), never()))
  await server.inject('/')
  await server.inject('/endless')
  await turn()
  advance(36_000)
  for (const [index, request] of requests.entries()) {
    note(request)
    await turn()
    assert.equal(over(), index + 1)
  }
})

test('one timer looks for requests that are late, as long as there is work', async (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout')
  const looks = (): number => timers.mock.calls.filter(({ arguments: [, ms] }) => ms === 5_000).length
  const server = createServer({ handlerTimeout: 0 })
  const ends: (() => void)[] = []
  server.get('/', () => new Promise((resolve) => ends.push(() => resolve('text'))))
  const answers = [server.inject('/'), server.inject('/')]
  await turn()
  assert.equal(looks(), 1)
  advance(6_000)
  assert.equal(looks(), 2)
  for (const end of ends) end()
  await Promise.all(answers)
  advance(20_000)
  assert.equal(looks(), 2)
  answers.push(server.inject('/'))
  await turn()
  assert.equal(looks(), 3)
  ends.at(-1)!()
  await answers.at(-1)
  advance(5_100)
})

/** Handlers that reply in a later event: `then` makes that event. */
const laterReplies: Record<string, (reply: Reply, then: (call: () => void) => void) => unknown> = {
  'sends it in a later event': (reply, then) => then(() => void reply.send('text')),
  'returns it and sends it in a later event': (reply, then) => (then(() => void reply.send('text')), reply),
  'awaits it twice, and sends it in a later event': (reply, then) => {
    for (let count = 0; count < 2; count++)
      void reply.then(
        () => {},
        () => {},
      )
    then(() => void reply.send('text'))
  },
  'ends the raw response in a later event': (reply, then) => then(() => reply.raw.end('text')),
  'hijacks it, and ends the raw response in a later event': (reply, then) => (reply.hijack(), then(() => reply.raw.end('text'))),
  'hijacks it in an async function, and ends the raw response in a later event': async (reply, then) => {
    reply.hijack()
    then(() => reply.raw.end('text'))
  },
}

for (const [what, handle] of Object.entries(laterReplies)) {
  test(`the request of a handler that gets a reply and ${what} is over then, and not before`, async () => {
    const { server, over, note, late } = watched()
    let reply!: () => void
    server.get('/', (request, given) => {
      note(request)
      return handle(given, (call) => void (reply = call))
    })
    const answer = server.inject('/').catch(() => {})
    for (let count = 0; count < 3; count++) await turn()
    assert.equal(over(), 0)
    reply()
    await answer
    await turn()
    assert.equal(over(), 1)
    advance(60_000)
    assert.deepEqual([over(), late()], [1, []])
  })
}

test('the request of a handler that fails the raw response in a later event is over then', async () => {
  const { server, over, note } = watched()
  const raws: Reply['raw'][] = []
  server.get('/', (request, { raw }) => {
    note(request)
    raws.push(raw)
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = await open((server.server.address() as AddressInfo).port)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  while (raws.length === 0) await turn()
  raws[0]!.destroy(new Error('fails'))
  await once(socket, 'close')
  await turn()
  assert.equal(over(), 1)
  await server.close()
})

test('a handler that has sent its reply and returns nothing is not waited for', async () => {
  const { server, over, note } = watched()
  server.get('/', (request, reply) => (note(request), void reply.send('text')))
  await server.inject('/')
  await turn()
  assert.equal(over(), 1)
})

test('a hook that calls done in a later event is waited for until then', async () => {
  const { server, over, note } = watched()
  let finish!: () => void
  server.addHook('preHandler', (request, reply, done) => {
    note(request)
    // The reply alone does not end the hook.
    finish = () => (done(), void reply.raw.end())
  })
  server.get('/', () => 'text')
  const answer = server.inject('/')
  await turn()
  finish()
  await answer
  await turn()
  assert.equal(over(), 1)
})

for (const isAsync of [false, true]) {
  test(`${isAsync ? 'an async handler' : 'a handler in callback style'} whose time was over is waited for until it has ${isAsync ? 'ended' : 'replied'}`, async () => {
    const { server, over, note } = watched()
    let reply!: () => void
    let end!: (value: undefined) => void
    server.get('/', { handlerTimeout: 100 }, (request, given) => {
      note(request)
      reply = () => void given.send('late')
      return isAsync ? new Promise<undefined>((resolve) => (end = resolve)) : undefined
    })
    await answerOverdue(server)
    assert.equal(over(), 0)
    reply()
    await turn()
    assert.equal(over(), isAsync ? 0 : 1)
    end?.(undefined)
    await turn()
    assert.equal(over(), 1)
  })
}

test('a hook whose time was over is waited for until it calls done', async () => {
  const { server, over, note } = watched()
  let finish!: () => void
  server.get(
    '/',
    {
      handlerTimeout: 100,
      preHandler: (request, _reply, done) => {
        note(request)
        finish = done
      },
    },
    () => 'text',
  )
  await answerOverdue(server)
  assert.equal(over(), 0)
  finish()
  await turn()
  assert.equal(over(), 1)
})

for (const name of ['preSerialization', 'onSend', 'onError', 'onResponse'] as const) {
  for (const isLater of [false, true]) {
    const title = `an ${name} hook that calls done ${isLater ? 'in a later event' : 'at once'}`
    /** Two hooks in callback style, with an async one between them. */
    const declare = (server: Server): void => {
      const finish = (done: () => void): void => (isLater ? void setImmediate(done) : done())
      const hook: any =
        name === 'onResponse'
          ? (_request: unknown, _reply: unknown, done: any) => finish(done)
          : (_request: unknown, _reply: unknown, value: unknown, done: any) =>
              finish(() => (name === 'onError' ? done() : done(null, value)))
      const between: any = async (_request: unknown, _reply: unknown, value: unknown) => (name === 'onError' ? undefined : value)
      for (const each of [hook, name === 'onResponse' ? async () => {} : between, hook]) server.addHook(name as 'onSend', each)
    }
    const payload = (): unknown => (name === 'onError' ? new Error('fails') : { a: 1 })

    test(`${title} is not waited for after that`, async () => {
      const { server, over, note } = watched()
      declare(server)
      server.get('/', (request, reply) => (note(request), void reply.send(payload())))
      await server.inject('/')
      for (let count = 0; count < 4; count++) await turn()
      assert.equal(over(), 1)
    })

    test(`${title} does not end the work of its handler`, async () => {
      const { server, over, note, late } = watched()
      declare(server)
      server.get('/', (request, reply) => (note(request), void reply.send(payload()), never()))
      await server.inject('/')
      for (let count = 0; count < 4; count++) await turn()
      assertGivenUp(over, late)
    })
  }
}

const collectGarbage: () => void = (setFlagsFromString('--expose-gc'), runInNewContext('gc'))

/** Handlers that keep nothing alive by themselves: only the framework could. */
const unending: Record<string, (server: Server, seen: (request: Request) => void) => unknown> = {
  'a handler that never ends': (server, seen) => server.get('/', (request) => (seen(request), never())),
  'a handler in callback style': (server, seen) => server.get('/', (request) => void seen(request)),
  'a hook': (server, seen) => server.get('/', { onRequest: (request) => (seen(request), never()) }, () => 'text'),
  'the source of a stream of items': (server, seen) =>
    server.get('/', { schema: { response: { 200: stream({ type: 'string' } as const, { heartbeat: 0 }) } } }, async function* (request) {
      seen(request)
      yield 'first'
      await never()
    }),
  'a stream without an end': (server, seen) => server.get('/', (request) => (seen(request), new Readable({ read() {} }))),
}

for (const [name, declare] of Object.entries(unending))
  test(`nothing of a request is kept after these 30 s: ${name}`, async () => {
    const server = createServer({ logger: false, handlerTimeout: 0 })
    const kept: WeakRef<Request>[] = []
    declare(server, (request) => kept.push(new WeakRef(request)))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = await open((server.server.address() as AddressInfo).port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    while (kept.length === 0) await turn()
    for (let turns = 0; turns < 20; turns++) await turn()
    socket.destroy()
    for (let turns = 0; turns < 20; turns++) await turn()
    // The time begins when the server sees that the client has left: it looks every 5 s.
    advance(50_000)
    for (let passes = 0; passes < 20 && kept[0]!.deref() !== undefined; passes++) {
      await turn()
      collectGarbage()
    }
    assert.equal(kept[0]!.deref(), undefined)
    await server.close()
  })
