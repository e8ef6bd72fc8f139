/** Hooks and handlers that go on after the response are waited for, but not longer than 30 s. The clock of these tests is advanced by hand. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { mock, test } from 'node:test'
import { createServer, type Reply, type Request, type Server } from 'alcove/lib'
import { whenRequestIsOver } from '../../../../lib/internal.js'
import { stateOf } from '../../../../lib/server/server-state.js'
import { open, recorder } from '../../../security/wire.js'

const now = performance.now.bind(performance)
let advanced = 0
performance.now = () => now() + advanced
mock.timers.enable({ apis: ['setTimeout'] })

function advance(ms: number): void {
  advanced += ms
  mock.timers.tick(ms)
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const never = (): Promise<never> => new Promise(() => {})

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
      const { running } = stateOf(server.server)
      while (running.size === 0) await turn()
      socket.destroy()
      await new Promise((resolve) => connection.once('close', resolve))
      await turn()
      advance(5_100)
      assert.equal(running.size, 1)
      advance(36_000)
      assert.equal(running.size, 0)
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
