/** Each request has one end: its onResponse or its onRequestAbort hooks run, once, and one line of the log says how it ended. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Request, type Server, type ServerOptions } from 'alcove/lib'
import { countdown } from '../../../fixtures/countdown.js'
import { whenRequestIsOver } from '../../../../lib/internal.js'
import { open, recorder } from '../../../security/wire.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What ends a request, and which hooks run then. */
interface Case {
  readonly ends: 'onResponse' | 'onRequestAbort'
  readonly options?: ServerOptions
  /** The line of the log; `null`: none. */
  readonly line?: string | null
  /** Sends the request to `/`, and ends it once `arrived`, of the handler, or `seen`, of the first hook, is fulfilled. */
  run(port: number, arrived: Promise<void>, server: Server, seen: Promise<void>): Promise<unknown>
  /** The route `/`, which also answers POST. */
  handler(request: any, reply: any): unknown
  readonly routeOptions?: object
}

const waits = (): Promise<never> => new Promise(() => {})

/** Writes to a connection, and destroys it when the request has arrived. */
const leave =
  (bytes: string) =>
  async (port: number, arrived: Promise<void>): Promise<void> => {
    const socket = await open(port)
    socket.write(bytes)
    await arrived
    socket.destroy()
  }

async function send(port: number, bytes: string): Promise<Socket> {
  const socket = await open(port)
  socket.write(bytes)
  await once(socket, 'data')
  return socket
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

async function overHttp2(
  port: number,
  end: (stream: http2.ClientHttp2Stream, session: http2.ClientHttp2Session) => unknown,
): Promise<void> {
  const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {})
  const stream = session.request({ ':path': '/' }).on('error', () => {})
  await end(stream, session)
  session.destroy()
}

const cases: Record<string, Case> = {
  'a reply': { ends: 'onResponse', run: (port) => send(port, GET).then((socket) => socket.destroy()), handler: () => 'text' },
  'an injected request': { ends: 'onResponse', run: (_port, _arrived, server) => server.inject('/'), handler: () => 'text' },
  'a failure': {
    ends: 'onResponse',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: () => Promise.reject(new Error('fails')),
  },
  'a reply over HTTP/2': {
    ends: 'onResponse',
    options: { http2: true },
    run: (port) => overHttp2(port, (stream) => once(stream.resume(), 'close')),
    handler: () => 'text',
  },
  'the end of its time': {
    ends: 'onResponse',
    routeOptions: { handlerTimeout: 20 },
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: waits,
  },
  'a hijacked reply': {
    ends: 'onResponse',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler(_request, reply) {
      reply.hijack()
      reply.raw.end('text')
    },
  },
  'an error of the response': {
    ends: 'onResponse',
    line: 'request errored',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler(_request, reply) {
      reply.hijack()
      reply.raw.emit('error', new Error('fails'))
      reply.raw.end('text')
    },
  },
  'the not-found handler': {
    ends: 'onResponse',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: (_request, reply) => void reply.callNotFound(),
  },
  'a client that leaves': { ends: 'onRequestAbort', run: leave(GET), handler: waits },
  'a client that leaves after its body': { ends: 'onRequestAbort', run: leave(POST), handler: waits },
  'a client that leaves inside its body': {
    ends: 'onRequestAbort',
    run: (port, _arrived, _server, seen) => leave(POST.slice(0, -1))(port, seen),
    handler: waits,
  },
  'a client that leaves while a hook waits': {
    ends: 'onRequestAbort',
    routeOptions: { preHandler: async ({ signal }: Request) => void (await once(signal, 'abort')) },
    run: (port, _arrived, _server, seen) => leave(GET)(port, seen),
    handler: () => 'text',
  },
  'a client that leaves before the turn of its request': {
    ends: 'onRequestAbort',
    run: leave(`GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n${GET}`),
    handler: waits,
  },
  'a client that leaves before the turn of its request, which was answered': {
    ends: 'onRequestAbort',
    run: leave(`GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n${GET}`),
    handler: () => 'text',
  },
  'a client that leaves in the middle of a large payload': {
    ends: 'onRequestAbort',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: () => Buffer.alloc(30_000_000),
  },
  'a client that leaves in the middle of a stream': {
    ends: 'onRequestAbort',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: async () =>
      new Readable({
        read() {
          setTimeout(() => this.push('part'), 5)
        },
      }),
  },
  'a client that leaves in the middle of a text': {
    ends: 'onRequestAbort',
    run: (port) => send(port, GET).then((socket) => socket.destroy()),
    handler: () => 'x'.repeat(50_000_000),
  },
  'a client that leaves a hijacked reply': {
    ends: 'onRequestAbort',
    line: null,
    run: leave(GET),
    handler: (_request, reply) => void reply.hijack(),
  },
  'a client that leaves the not-found handler': {
    ends: 'onRequestAbort',
    run: leave(GET),
    handler: (_request, reply) => void reply.callNotFound(),
  },
  'a client that resets its stream of HTTP/2': {
    ends: 'onRequestAbort',
    options: { http2: true },
    run: (port, arrived) =>
      overHttp2(port, (stream) => arrived.then(() => (stream.close(http2.constants.NGHTTP2_CANCEL), once(stream, 'close')))),
    handler: waits,
  },
  'a client that closes its session of HTTP/2': {
    ends: 'onRequestAbort',
    options: { http2: true },
    run: (port, arrived) => overHttp2(port, () => arrived),
    handler: waits,
  },
  'a stream that fails': {
    ends: 'onRequestAbort',
    run: (port) => send(port, GET),
    handler: async () =>
      new Readable({
        read() {
          this.push('part')
          setTimeout(() => this.destroy(new Error('fails')), 20)
        },
      }),
  },
}

describe('a request is ended', () => {
  for (const [name, { ends, options, line, run, handler, routeOptions }] of Object.entries(cases)) {
    test(`once by ${name}`, { timeout: 10_000 }, async () => {
      const { lines, logger } = recorder()
      const server = createServer({ ...options, logger, forceCloseConnections: true })
      const ended: string[] = []
      const arrived = countdown(1)
      const over = countdown(1)
      const seen = countdown(1)
      const isMine = (request: any): boolean => request.url === '/'
      let signal: AbortSignal | undefined
      server.addHook('onRequest', async (request) => void (isMine(request) && ((signal = request.signal), seen.hit())))
      server.addHook('onResponse', async (request) => void (isMine(request) && (ended.push('onResponse'), over.hit())))
      server.addHook('onRequestAbort', async (request) => void (isMine(request) && (ended.push('onRequestAbort'), over.hit())))
      server.setNotFoundHandler(async () => (name.includes('leaves') ? waits() : 'nothing'))
      server.get('/stuck', { logLevel: 'silent' }, waits)
      server.route({
        method: ['GET', 'POST'],
        url: '/',
        ...routeOptions,
        handler(request, reply) {
          arrived.hit()
          return handler(request, reply)
        },
      })
      await server.listen({ port: 0, host: '127.0.0.1' })
      await run((server.server.address() as AddressInfo).port, arrived.done, server, seen.done)
      await over.done
      await pause(20)
      await server.close()
      assert.deepEqual(ended, [ends])
      assert.equal(signal!.aborted, ends === 'onRequestAbort' || name === 'the end of its time')
      const expected = line === undefined ? (ends === 'onResponse' ? 'request completed' : 'request aborted') : line
      const endings = lines.map(({ message }) => message).filter((message) => /^request (?:completed|aborted|errored)$/.test(message))
      // `/stuck` has one too.
      assert.deepEqual([...new Set(endings)], expected === null ? [] : [expected])
    })
  }

  for (const fails of [true, false]) {
    test(`and an onRequestAbort hook that ${fails ? 'fails is logged' : 'succeeds is not'}`, async () => {
      const { lines, logger } = recorder()
      const server = createServer({ logger, forceCloseConnections: true })
      const arrived = countdown(1)
      const over = countdown(1)
      server.addHook('onRequestAbort', async (_request) => {
        over.hit()
        if (fails) throw new Error('fails')
      })
      server.get('/', () => (arrived.hit(), waits()))
      await server.listen({ port: 0, host: '127.0.0.1' })
      await leave(GET)((server.server.address() as AddressInfo).port, arrived.done)
      await over.done
      await pause(5)
      await server.close()
      const errors = lines.filter(({ level }) => level === 'error').map(({ message }) => message)
      assert.deepEqual(errors, fails ? ['an onRequestAbort hook failed'] : [])
    })
  }

  test('and the failure of an onResponse hook is logged with its end', async () => {
    const { lines, logger } = recorder()
    const server = createServer({ logger })
    const failure = new Error('fails')
    server.addHook('onResponse', () => Promise.reject(failure))
    server.get('/', () => 'text')
    await server.inject('/')
    await pause(5)
    assert.deepEqual(
      lines.filter(({ message }) => /^request (?:completed|errored)$/.test(message)).map(({ given, message }) => [given.err, message]),
      [[failure, 'request errored']],
    )
  })

  test('and an error of its response ends no process if nothing waits for the end', async () => {
    const server = createServer()
    server.get('/', (_request, reply) => {
      reply.hijack()
      reply.raw.end('text')
      reply.raw.write('more')
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    for (let count = 0; count < 2; count++) assert.equal(await (await fetch(server.listeningOrigin)).text(), 'text')
    await server.close()
  })

  test('once each, whenever its client leaves: a counter of open requests returns to 0', { timeout: 600_000 }, async () => {
    const count = Number(process.env['RANDOM_ABORTS'] ?? 1_500)
    const server = createServer({ forceCloseConnections: true })
    const requests = { open: 0, seen: 0 }
    server.addHook('onRequest', async () => void (requests.open++, requests.seen++))
    for (const name of ['onResponse', 'onRequestAbort'] as const) server.addHook(name, async (_request: unknown) => void requests.open--)
    server.addHook('preHandler', async () => {
      if (Math.random() < 0.3) await pause(Math.random() * 4)
    })
    server.get('/', () => 'text')
    server.get('/later', async () => pause(Math.random() * 5))
    server.get('/missing', (_request, reply) => void reply.callNotFound())
    server.get('/stream', async () => Readable.from(['a', 'b', 'c']))
    server.get('/big', () => 'x'.repeat(300_000))
    server.post('/', async ({ body }) => (await pause(Math.random() * 3), body))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    const paths = ['/', '/later', '/missing', '/stream', '/big']
    const client = async (): Promise<void> => {
      const socket = await open(port)
      for (let left = 1 + Math.floor(Math.random() * 5); left > 0; left--) {
        const isPost = Math.random() < 0.3
        const path = paths[Math.floor(Math.random() * paths.length)]!
        const bytes = isPost ? POST : `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
        socket.write(Math.random() < 0.2 ? bytes.slice(0, Math.floor(Math.random() * bytes.length)) : bytes)
        if (Math.random() < 0.5) await pause(Math.random() * 3)
      }
      if (Math.random() < 0.5) await pause(Math.random() * 6)
      if (Math.random() < 0.5) socket.resetAndDestroy()
      else socket.destroy()
    }
    for (let sent = 0; sent < count; sent += 50) await Promise.all(Array.from({ length: 50 }, client))
    await server.close()
    for (let waited = 0; requests.open !== 0 && waited < 5_000; waited += 20) await pause(20)
    assert.equal(requests.open, 0)
    assert.ok(requests.seen > count / 2)
  })
})

describe('what waits for a request to be over', () => {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

  /** What waits for a request that is over is told in the next turn of the event loop, once. */
  async function assertToldAtOnce(request: Request): Promise<void> {
    let calls = 0
    whenRequestIsOver(request, () => calls++)
    await turn()
    assert.equal(calls, 1)
  }

  for (const hasLogger of [false, true]) {
    const options = hasLogger ? { logger: recorder().logger } : {}
    const title = hasLogger ? 'a server with a logger' : 'a server that nothing else lets wait for the end'

    test(`is told when its reply is sent, and not before: ${title}`, async () => {
      const server = createServer(options)
      let calls = 0
      let reply!: () => void
      server.get('/', (request, given) => {
        whenRequestIsOver(request, () => calls++)
        given.hijack()
        reply = () => given.raw.end('text')
      })
      const answer = server.inject('/')
      for (let count = 0; count < 3; count++) await turn()
      assert.equal(calls, 0)
      reply()
      await answer
      await turn()
      assert.equal(calls, 1)
    })

    test(`is told at once if its reply was sent before, on a connection that stays open: ${title}`, async () => {
      const server = createServer({ ...options, forceCloseConnections: true })
      const requests: Request[] = []
      server.get('/', (request) => (requests.push(request), 'text'))
      await server.listen({ port: 0, host: '127.0.0.1' })
      const socket = await send((server.server.address() as AddressInfo).port, GET)
      await assertToldAtOnce(requests[0]!)
      assert.equal(socket.destroyed, false)
      socket.destroy()
      await server.close()
    })

    test(`is told at once if its client has left before: ${title}`, async () => {
      const server = createServer({ ...options, forceCloseConnections: true })
      const arrived = countdown(1)
      const requests: Request[] = []
      server.get('/', (request, reply) => {
        requests.push(request)
        reply.hijack()
        arrived.hit()
      })
      await server.listen({ port: 0, host: '127.0.0.1' })
      await leave(GET)((server.server.address() as AddressInfo).port, arrived.done)
      const { socket } = requests[0]!.raw
      while (!socket.closed) await turn()
      await turn()
      await assertToldAtOnce(requests[0]!)
      await server.close()
    })
  }

  for (const isReset of [false, true]) {
    test(`is told at once if its stream of HTTP/2 has ${isReset ? 'been reset' : 'ended'} before`, async () => {
      const server = createServer({ http2: true, forceCloseConnections: true })
      const requests: Request[] = []
      let over!: Promise<unknown>
      server.get('/', (request, reply) => {
        requests.push(request)
        over = once(reply.raw, 'close')
        if (isReset) reply.hijack()
        else void reply.send('text')
      })
      await server.listen({ port: 0, host: '127.0.0.1' })
      await overHttp2((server.server.address() as AddressInfo).port, async (stream) => {
        const closed = once(stream.resume(), 'close')
        while (requests.length === 0) await pause(5)
        if (isReset) stream.close(http2.constants.NGHTTP2_CANCEL)
        await closed
        await over
        await turn()
        await assertToldAtOnce(requests[0]!)
      })
      await server.close()
    })
  }
})
