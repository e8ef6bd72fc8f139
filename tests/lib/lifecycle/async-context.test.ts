/** Each request has one async context: all its stages and events see what its hooks have entered, and those of other requests do not. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Duplex, Readable } from 'node:stream'
import { describe, test, type TestContext } from 'node:test'
import { createServer, type Reply, type Request, type Server, type ServerOptions } from 'alcove/lib'
import { CheckedServerResponse } from '../../../lib/http/server-response.js'
import { exchangeOf } from '../../../lib/lifecycle/exchange.js'
import { countdown } from '../../fixtures/countdown.js'
import { open, raw } from '../../security/wire.js'

const storage = new AsyncLocalStorage<string>()

/** How a hook enters a store for the rest of its request. */
const entries: Record<string, (server: Server) => unknown> = {
  'enterWith in a hook that calls done': (server) =>
    server.addHook('onRequest', (request, _reply, done) => {
      storage.enterWith(request.query['n'])
      done()
    }),
  'enterWith in an asynchronous hook': (server) => server.addHook('onRequest', async (request) => storage.enterWith(request.query['n'])),
  'enterWith in a hook that waits': (server) =>
    server.addHook('onRequest', async (request) => {
      storage.enterWith(request.query['n'])
      await new Promise((resolve) => setTimeout(resolve, 2))
    }),
  'run around done': (server) => server.addHook('preValidation', (request, _reply, done) => storage.run(request.query['n'], done)),
  'run around done in a later event': (server) =>
    server.addHook('onRequest', (request, _reply, done) => void setTimeout(() => storage.run(request.query['n'], done), 2)),
}

/** The stages that saw another store than their request's, and all stages that ran. */
interface Sightings {
  readonly wrong: string[]
  readonly stages: Set<string>
  /** Called when a request has ended. */
  onEnd(): void
}

function declare(server: Server, seen: Sightings): void {
  const note = (stage: string, request: { query: any }): void => {
    seen.stages.add(stage)
    const store = storage.getStore()
    if (store !== request.query.n) seen.wrong.push(`${stage} of ${request.query.n} saw ${store}`)
  }
  server.addHook('preHandler', async (request) => note('preHandler', request))
  server.addHook('preSerialization', async (request) => note('preSerialization', request))
  server.addHook('onSend', async (request) => note('onSend', request))
  server.addHook('onError', async (request) => note('onError', request))
  server.addHook('onResponse', async (request) => {
    note('onResponse', request)
    seen.onEnd()
  })
  server.addHook('onRequestAbort', async (request) => {
    note('onRequestAbort', request)
    seen.onEnd()
  })
  server.setErrorHandler((error: any, request, reply) => {
    note('error handler', request)
    void reply.code(error.statusCode ?? 500).send({ failed: true })
  })
  server.get('/text', (request) => {
    note('handler', request)
    return 'text'
  })
  server.get('/later', async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 3))
    note('handler', request)
    return { later: true }
  })
  server.post('/body', { schema: { body: { type: 'object' } } }, (request) => {
    note('handler', request)
    return { body: true }
  })
  server.post('/empty', (request) => {
    note('handler', request)
    return { body: true }
  })
  server.get('/fail', async () => {
    throw new Error('fails')
  })
  server.get('/late', { handlerTimeout: 150 }, (request) => {
    request.signal.addEventListener('abort', () => note('signal', request))
    return new Promise(() => {})
  })
  server.get(
    '/broken',
    async () =>
      new Readable({
        read() {
          setTimeout(() => this.destroy(new Error('broken')), 2)
        },
      }),
  )
  server.get('/stuck', (request) => {
    request.signal.addEventListener('abort', () => note('signal', request))
    return new Promise(() => {})
  })
}

const paths = ['/text', '/later', '/body', '/fail', '/late', '/broken', '/text']

const ways: Record<string, { options: ServerOptions; run(server: Server, count: number): Promise<void> }> = {
  inject: {
    options: {},
    async run(server, count) {
      await Promise.all(
        Array.from({ length: count }, (_, n) => {
          const url = `${paths[n % paths.length]}?n=${n}`
          return server.inject(url.startsWith('/body') ? { method: 'POST', url, payload: { n } } : url)
        }),
      )
    },
  },
  'HTTP/1 pipelining': {
    options: {},
    async run(server, count) {
      const requests = Array.from({ length: count }, (_, n) => {
        const path = `${paths[n % paths.length]}?n=${n}`
        const last = n === count - 1 ? 'Connection: close\r\n' : ''
        if (!path.startsWith('/body')) return `GET ${path} HTTP/1.1\r\nHost: a\r\n${last}\r\n`
        return `POST ${path} HTTP/1.1\r\nHost: a\r\n${last}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
      })
      const { text } = await raw((server.server.address() as AddressInfo).port, requests, 3_000)
      assert.equal(text.split('HTTP/1.1 ').length - 1, count)
    },
  },
  'HTTP/2': {
    options: { http2: true },
    async run(server, count) {
      const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
      await Promise.all(
        Array.from({ length: count }, async (_, n) => {
          const path = n % paths.length === 6 ? '/empty' : paths[n % paths.length]!
          const isPost = path === '/body' || path === '/empty'
          const stream = session.request(
            {
              ':path': `${path}?n=${n}`,
              ':method': isPost ? 'POST' : 'GET',
              ...(path === '/body' ? { 'content-type': 'application/json' } : {}),
            },
            { endStream: !isPost },
          )
          // The end comes in a frame of its own.
          if (path === '/body') stream.write('{}')
          if (isPost) setTimeout(() => stream.end(), 3)
          stream.on('error', () => {}).resume()
          await once(stream, 'close')
        }),
      )
      session.close()
    },
  },
}

describe('all stages of a request have its AsyncLocalStorage', () => {
  for (const [entry, enter] of Object.entries(entries)) {
    for (const [way, { options, run }] of Object.entries(ways)) {
      test(`that it entered by ${entry}: ${way}`, { timeout: 20_000 }, async () => {
        const count = 28
        const server = createServer({ ...options, forceCloseConnections: true })
        const ended = countdown(count)
        const seen: Sightings = { wrong: [], stages: new Set(), onEnd: ended.hit }
        await enter(server)
        declare(server, seen)
        await server.listen({ port: 0, host: '127.0.0.1' })
        await run(server, count)
        await ended.done
        await server.close()
        assert.deepEqual(seen.wrong, [])
        assert.deepEqual(
          ['preHandler', 'handler', 'preSerialization', 'onSend', 'onError', 'error handler', 'onResponse', 'signal'].filter(
            (stage) => !seen.stages.has(stage),
          ),
          [],
        )
      })
    }

    for (const http2Used of [false, true]) {
      test(`that it entered by ${entry}: a client of ${http2Used ? 'HTTP/2' : 'HTTP/1'} that leaves`, { timeout: 20_000 }, async () => {
        const server = createServer({ http2: http2Used, forceCloseConnections: true })
        const ended = countdown(1)
        const seen: Sightings = { wrong: [], stages: new Set(), onEnd: ended.hit }
        const arrived = countdown(1)
        await enter(server)
        declare(server, seen)
        server.addHook('preHandler', async () => void setTimeout(arrived.hit, 5))
        await server.listen({ port: 0, host: '127.0.0.1' })
        const { port } = server.server.address() as AddressInfo
        if (http2Used) {
          const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {})
          session.request({ ':path': '/stuck?n=1' }).on('error', () => {})
          await arrived.done
          session.destroy()
        } else {
          const socket = await open(port)
          socket.write('GET /stuck?n=1 HTTP/1.1\r\nHost: a\r\n\r\n')
          await arrived.done
          socket.destroy()
        }
        await ended.done
        await server.close()
        assert.deepEqual(seen.wrong, [])
        assert.deepEqual([seen.stages.has('onRequestAbort'), seen.stages.has('signal')], [true, true])
      })
    }
  }

  /** A server whose hook and handler enter stores and leave them entered. It notes the stores that requests begin with. */
  async function createEnteringServer(t: TestContext): Promise<{ server: Server; port: number; begunWith: unknown[] }> {
    const server = createServer({ forceCloseConnections: true })
    t.after(() => server.close())
    const begunWith: unknown[] = []
    server.addHook('onRequest', (request, _reply, done) => {
      begunWith.push(storage.getStore())
      storage.enterWith(request.url)
      done()
    })
    server.get('/async/:n', async () => {
      storage.enterWith('handler')
      return 'text'
    })
    server.get('/:n', () => {
      storage.enterWith('handler')
      return 'text'
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    return { server, port: (server.server.address() as AddressInfo).port, begunWith }
  }
  const requestTo = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

  test('and the next request of the connection has not', async (t) => {
    const { port, begunWith } = await createEnteringServer(t)
    const socket = await open(port)
    for (const path of ['/async/1', '/2', '/async/3', '/4']) {
      socket.write(requestTo(path))
      await once(socket, 'data')
    }
    socket.destroy()
    assert.deepEqual(begunWith, [undefined, undefined, undefined, undefined])
  })

  test('and the requests that come in the same read have not', async (t) => {
    const { port, begunWith } = await createEnteringServer(t)
    const socket = await open(port)
    socket.write(['/1', '/2', '/async/3', '/4'].map(requestTo).join(''))
    await once(socket, 'data')
    socket.destroy()
    assert.deepEqual(begunWith, [undefined, undefined, undefined, undefined])
  })

  test('and requests that come in the same event on another connection have not', async (t) => {
    const { server, begunWith } = await createEnteringServer(t)
    // As of a tunnel, which carries several connections: one event brings bytes for each of them.
    const sockets = [1, 2].map(() => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }))
    for (const socket of sockets) server.server.emit('connection', socket)
    setImmediate(() => {
      for (const [n, socket] of sockets.entries()) socket.push(requestTo(`/${n}`))
    })
    while (begunWith.length < 2) await new Promise((resolve) => setImmediate(resolve))
    for (const socket of sockets) socket.destroy()
    assert.deepEqual(begunWith, [undefined, undefined])
  })
})

/** Listens, and sends a body in an event after that of its head. @returns the reply, with its head */
async function sendInTwoEvents(server: Server, type: string, body: string): Promise<string> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = await open((server.server.address() as AddressInfo).port)
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`)
  await once(server.server, 'request')
  socket.write(body)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

test('a store that a tracer has entered around the event of a request is seen by a handler whose body comes later', async (t) => {
  const server = createServer()
  t.after(() => server.close())
  server.post('/', () => storage.getStore() ?? 'nothing')
  const { emit } = server.server
  server.server.emit = (event: string, ...args: unknown[]) => {
    const emitEvent = (): boolean => Reflect.apply(emit, server.server, [event, ...args])
    return event === 'request' ? storage.run('span', emitEvent) : emitEvent()
  }
  assert.match(await sendInTwoEvents(server, 'application/json', '{}'), /span$/)
})

for (const parseAs of ['string', 'buffer', undefined] as const) {
  test(`a store that a hook enters is seen by a parser that gets the body as ${parseAs ?? 'a stream'}, in a later event`, async (t) => {
    const server = createServer()
    t.after(() => server.close())
    server.addHook('onRequest', async () => storage.enterWith('of the hook'))
    server.addContentTypeParser('text/csv', { parseAs }, async (_request: Request, body: Readable | string) => {
      if (body instanceof Readable) await once(body.resume(), 'end')
      return storage.getStore()
    })
    server.post('/', (request) => request.body ?? 'nothing')
    assert.match(await sendInTwoEvents(server, 'text/csv', 'ab'), /of the hook$/)
  })
}

describe('a store that is entered before the hooks', () => {
  const enter = (): string => {
    storage.enterWith('entered')
    return 'id'
  }
  const starts: Record<string, () => Server> = {
    'by the option genReqId': () => createServer({ genReqId: enter }),
    'by setGenReqId of a context above': () => createServer().setGenReqId(enter),
    'by a childLoggerFactory': () => createServer().setChildLoggerFactory((logger) => (enter(), logger)),
  }
  for (const [how, create] of Object.entries(starts)) {
    test(`${how}, is seen by the handler of a body that comes later`, async (t) => {
      const server = create()
      t.after(() => server.close())
      server.register(async (child: Server) => void child.post('/', () => storage.getStore() ?? 'nothing'))
      await server.listen({ port: 0, host: '127.0.0.1' })
      const socket = await open((server.server.address() as AddressInfo).port)
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n')
      await new Promise((resolve) => setTimeout(resolve, 20))
      socket.write('{}')
      let text = ''
      for await (const chunk of socket) text += String(chunk)
      assert.match(text, /entered$/)
    })
  }
})

test('a request gets an async context, unless it begins in one that no other request sees', async () => {
  const server = createServer()
  const got: [hasContext: boolean, needsContext: boolean][] = []
  server.get('/', (request, reply) => {
    const isChecked = reply.raw instanceof CheckedServerResponse
    got.push([exchangeOf(request).asyncContext !== undefined, !isChecked || '_enable' in AsyncLocalStorage.prototype])
    return 'text'
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  await raw((server.server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await server.inject('/')
  assert.deepEqual([got.length, got[1]], [2, [true, true]])
  assert.equal(got[0]![0], got[0]![1])
  await server.close()
})

/** What handlers that answer later return. */
const late: Record<string, (reply: Reply) => unknown> = {
  nothing: (reply) => void setImmediate(() => void reply.send('text')),
  'a promise': () => new Promise((resolve) => setImmediate(resolve, 'text')),
  'a promise of nothing': () => Promise.resolve(undefined),
  'a stream': () => Readable.from(['text']),
}

for (const [what, answer] of Object.entries(late)) {
  test(`a store that a handler enters is seen by onResponse hooks if the handler returns ${what}`, async () => {
    const server = createServer()
    const seen: (string | undefined)[] = []
    const over = countdown(1)
    // The handler runs in an event of the hook's promise, not in the one in which the request came.
    server.addHook('preHandler', () => new Promise((resolve) => setImmediate(resolve)))
    server.addHook('onResponse', async () => {
      seen.push(storage.getStore())
      over.hit()
    })
    server.get('/', (_request, reply) => {
      storage.enterWith('of the handler')
      return answer(reply)
    })
    await storage.run('of the client', () => server.inject('/'))
    await over.done
    assert.deepEqual(seen, ['of the handler'])
    await server.close()
  })
}
