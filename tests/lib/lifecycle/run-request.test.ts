/** The stages of a request, and `reply.callNotFound`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchangeOf } from '../../../lib/lifecycle/exchange.js'
import { until } from '../../fixtures/elapse.js'
import { listen, loggedServer, messages, using } from '../../fixtures/logged-server.js'
import { exchange, get, open, post } from '../../security/wire.js'

describe('reply.callNotFound', () => {
  test('calls the not-found handler of the context with its preHandler hooks, and the result of the route handler is dropped', async () => {
    const server = createServer()
    server.register(
      async (instance: Server) => {
        instance.setNotFoundHandler(
          { preHandler: async (request: any) => void (request.seen = 'hooked') },
          (request, reply) => void reply.code(404).send(`${(request as any).seen} ${request.is404}`),
        )
        instance.get('/gone', async (_request, reply) => {
          reply.callNotFound()
          return 'ignored'
        })
      },
      { prefix: '/in' },
    )
    const answer = await server.inject('/in/gone')
    assert.deepEqual([answer.statusCode, answer.body], [404, 'hooked true'])
    await server.close()
  })

  test('leaves the reply to the not-found handler, also if that takes longer and whether the route handler returns a value or not', async () => {
    const server = createServer()
    server.setNotFoundHandler(async (_request, reply) => {
      await new Promise((resolve) => setImmediate(resolve))
      reply.code(404)
      return 'not found'
    })
    server.get('/nothing', async (_request, reply) => void reply.callNotFound())
    server.get('/at-once', (_request, reply) => {
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/promised', async (_request, reply) => {
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/later', async (_request, reply) => {
      await new Promise((resolve) => setImmediate(resolve))
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/failed', { errorHandler: async (_error, _request, reply) => void reply.callNotFound() }, () => {
      throw new Error('gone')
    })
    for (const url of ['/nothing', '/at-once', '/promised', '/later', '/failed']) {
      const answer = await server.inject(url)
      assert.deepEqual([answer.statusCode, answer.body], [404, 'not found'], url)
    }
    await server.close()
  })

  test('in a not-found handler is answered with a plain 404, without an endless loop', async () => {
    const { server, lines } = loggedServer({})
    server.setNotFoundHandler((_request, reply) => void reply.callNotFound())
    const answer = await server.inject('/nowhere')
    assert.deepEqual([answer.statusCode, answer.body], [404, '404 Not Found'])
    assert.deepEqual(messages(lines), ['Trying to send a NotFound error inside a 404 handler. Sending basic 404 response.'])
    await server.close()
  })

  test('does not read the body of a request once more', async () => {
    const server = createServer()
    server.setNotFoundHandler(({ body }) => ({ body }))
    server.post('/', (_request, reply) => void reply.callNotFound())
    assert.deepEqual((await server.inject({ method: 'POST', url: '/', payload: { a: 1 } })).json(), { body: { a: 1 } })
    await server.close()
  })
})

describe('a route', () => {
  /** The stages of the route `/`, in their order. */
  async function stagesOf(declare: (server: Server) => unknown): Promise<string[]> {
    const server = createServer()
    let names: string[] = []
    server.addHook('onSend', async (request) => {
      names = exchangeOf(request).route.stages.map(({ name }) => name)
    })
    await declare(server)
    await server.inject('/')
    await server.close()
    return names
  }
  const handler = (): string => 'text'

  test('has no stage that it does not use', async () => {
    assert.deepEqual(await stagesOf((server) => server.get('/', handler)), ['callHandler'])
  })

  test('has a stage for each kind of hook, for its body and for its schema, in this order', async () => {
    const names = await stagesOf((server) => {
      for (const name of ['preHandler', 'preValidation', 'onRequest'] as const) server.addHook(name, async () => {})
      server.addHook('preParsing', async () => undefined)
      server.route({ method: ['GET', 'POST'], url: '/', schema: { querystring: {} }, handler })
    })
    assert.deepEqual(names, ['runOnRequest', 'runPreParsing', 'readBody', 'runPreValidation', 'validate', 'runPreHandler', 'callHandler'])
  })

  test('reads a body if one of its methods may have one; so does a not-found handler', async () => {
    const methods: [method: string | string[], names: string[]][] = [
      [['GET', 'HEAD'], ['callHandler']],
      [
        ['GET', 'PUT'],
        ['readBody', 'callHandler'],
      ],
    ]
    for (const [method, names] of methods)
      assert.deepEqual(await stagesOf((server) => server.route({ method: method as 'GET', url: '/', handler })), names)
    assert.deepEqual(await stagesOf((server) => server.setNotFoundHandler(handler)), ['readBody', 'callHandler'])
  })
})

describe('a preParsing hook', () => {
  test('may return a stream that fails after its request was refused', () => {
    const streams: Readable[] = []
    return using(
      (server) => {
        server.addHook('preParsing', async () => {
          const stream = new Readable({ read() {} })
          streams.push(stream)
          return stream
        })
        server.post('/', () => 'text')
      },
      async (server) => {
        assert.equal((await exchange(await listen(server), post('/', 'application/unknown', '{}')))[0]!.status, 415)
        streams[0]!.emit('error', new Error('fails'))
      },
    )
  })

  test('that returns something else than a stream fails no request without a body', () =>
    using(
      (server) => {
        server.addHook('preParsing', async () => 'no stream')
        server.post('/', () => 'text')
      },
      async (server) => {
        const [answer] = await exchange(
          await listen(server),
          'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
        )
        assert.deepEqual([answer!.status, answer!.body], [200, 'text'])
      },
    ))
})

test('a parser that has replied is not followed by the handler, whether it succeeds or fails', async () => {
  for (const error of [null, new Error('fails')]) {
    let isCalled = false
    const server = createServer()
    server.addContentTypeParser('a/b', (request, _payload, done) => {
      void exchangeOf(request).reply.code(202).send('early')
      done(error, 'body')
    })
    server.post('/', ({ body }) => {
      isCalled = true
      return body
    })
    const answer = await server.inject({ method: 'POST', url: '/', payload: 'x', headers: { 'content-type': 'a/b' } })
    assert.deepEqual([answer.statusCode, answer.body, isCalled], [202, 'early', false])
    await server.close()
  }
})

describe('a stage that is over too late', () => {
  const late = (value?: unknown): Promise<any> => new Promise((resolve) => void setTimeout(resolve, 60, value))
  const cases: readonly (readonly [string, (server: Server) => unknown])[] = [
    ['an onRequest hook', (server) => server.addHook('onRequest', () => late())],
    ['a body parser', (server) => server.addContentTypeParser('text/plain', () => late('body'))],
    ['a validator', (server) => server.setValidatorCompiler(() => () => late({ error: new Error('invalid') }) as any)],
  ]
  for (const [name, add] of cases) {
    test(`is ignored while an asynchronous error handler answers that the time is over: ${name}`, async () => {
      let calls = 0
      const server = createServer({ handlerTimeout: 30 })
      await add(server)
      server.setErrorHandler(async ({ code }: Error & { code?: string }, _request, reply) => {
        calls++
        await late()
        return reply.code(503).send(code)
      })
      const schema = { querystring: { type: 'object' } } as const
      server.post('/', { schema }, () => {
        calls++
        return 'handled'
      })
      const answer = await server.inject({ method: 'POST', url: '/', headers: { 'content-type': 'text/plain' }, payload: 'x' })
      assert.deepEqual([answer.statusCode, answer.body, calls], [503, 'ALC_ERR_HANDLER_TIMEOUT', 1])
      await server.close()
    })
  }

  for (const reply of ['send', 'hijack'] as const) {
    for (const name of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
      test(`is logged if it is a hook that fails after reply.${reply}: ${name}`, () =>
        using(
          (server) => {
            server.addHook(name, async (_request: unknown, own: any) => {
              if (reply === 'send') own.send('sent')
              else own.hijack().raw.end('sent')
              throw new Error('after the reply')
            })
            server.get('/', () => 'never')
          },
          async (server, lines) => {
            await server.inject('/')
            const late = lines.filter(({ err }) => err?.message === 'after the reply')
            assert.deepEqual(messages(late), ['a hook failed after its request was answered'])
          },
          { level: 'info' } as object,
        ))
    }
  }
})

describe('an onTimeout hook', () => {
  test('runs for the latest request of a connection, which has one listener for all', async () => {
    const seen: string[] = []
    const listeners: number[] = []
    await using(
      (server) => {
        server.addHook('onTimeout', async ({ url }) => void seen.push(url))
        server.get('/first', ({ socket }) => (listeners.push(socket.listenerCount('timeout')), 'text'))
        server.get('/second', ({ socket }) => (listeners.push(socket.listenerCount('timeout')), new Promise(() => {})))
      },
      async (server) => {
        const socket = await open(await listen(server))
        socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(socket, 'data')
        socket.write('GET /second HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(socket.resume(), 'close')
      },
      { connectionTimeout: 100 },
    )
    assert.deepEqual(seen, ['/second'])
    assert.equal(listeners[0], listeners[1])
  })

  test('runs also while a reply is sent that pauses, such as a stream', async () => {
    const seen: string[] = []
    await using(
      (server) => {
        server.addHook('onTimeout', async ({ url }) => void seen.push(url))
        server.get('/paused', () => {
          const source = new Readable({ read: () => {} })
          source.push('first')
          return source
        })
      },
      async (server) => {
        const socket = await open(await listen(server))
        socket.write(get('/paused'))
        await once(socket.resume(), 'close')
      },
      { connectionTimeout: 100 },
    )
    assert.deepEqual(seen, ['/paused'])
  })

  for (const fails of [true, false]) {
    test(`that ${fails ? 'fails is logged' : 'succeeds is not logged'}`, () =>
      using(
        (server) => {
          server.addHook('onTimeout', () => (fails ? Promise.reject(new Error('fails')) : Promise.resolve()))
          server.get('/', () => new Promise(() => {}))
        },
        async (server, lines) => {
          const connected = once(server.server, 'connection')
          const socket = await open(await listen(server))
          const [accepted] = (await connected) as [Socket]
          socket.write(get('/'))
          await until(() => accepted.destroyed)
          await new Promise((resolve) => setImmediate(resolve))
          assert.deepEqual(messages(lines), fails ? ['an onTimeout hook failed'] : [])
        },
        { connectionTimeout: 50, handlerTimeout: 0 },
      ))
  }
})

test('a connection whose route has no onTimeout hooks has no listener of ours, and times out', async () => {
  const seen: number[] = []
  await using(
    (server) => {
      server.server.on('connection', (socket: Socket) => seen.push(socket.listenerCount('timeout')))
      server.get('/', ({ socket }) => (seen.push(socket.listenerCount('timeout')), new Promise(() => {})))
    },
    async (server) => {
      const socket = await open(await listen(server))
      socket.write(get('/'))
      await once(socket.resume(), 'close')
    },
    { connectionTimeout: 50, handlerTimeout: 0 },
  )
  assert.equal(seen[0], seen[1])
})

for (const fails of [true, false]) {
  test(`an asynchronous validator that ${fails ? 'fails' : 'succeeds'} after its request was answered changes nothing`, async () => {
    let settle!: () => void
    let isCalled = false
    const { server } = loggedServer({ handlerTimeout: 30 })
    const verdict = new Promise<void>((resolve, reject) => (settle = () => (fails ? reject(new Error('late')) : resolve())))
    server.get('/', { schema: { querystring: {} }, validatorCompiler: () => () => verdict as never }, () => {
      isCalled = true
      return 'text'
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(server.listeningOrigin)
    assert.equal(answer.status, 503)
    settle()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isCalled, false)
    await server.close()
  })
}

test('what a handler returns at once is sent in the same tick', async () => {
  const order: string[] = []
  const server = createServer()
  server.addHook('onSend', (_request, _reply, payload, done) => {
    order.push('sent')
    done(null, payload)
  })
  server.get('/', () => {
    queueMicrotask(() => order.push('next'))
    return 'text'
  })
  await server.inject('/')
  assert.deepEqual(order, ['sent', 'next'])
  await server.close()
})

describe('a body that is too large', () => {
  /** Whether the connection closes in stages, which is set before the reply is sent. */
  async function closesInStages(declare: (server: Server) => unknown, request: string): Promise<boolean[]> {
    const seen: boolean[] = []
    await using(
      (server) => {
        server.addHook('onSend', async ({ socket }) => void seen.push(Object.hasOwn(socket, 'destroySoon')))
        declare(server)
        server.post('/', () => 'text')
      },
      async (server) => {
        const [answer] = await exchange(await listen(server), request)
        assert.deepEqual([answer!.status, answer!.headers['connection']], [413, 'close'])
      },
      { bodyLimit: 4 },
    )
    return seen
  }
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n'

  test('closes its connection in stages after the reply if its client still sends it', async () => {
    assert.deepEqual(await closesInStages(() => {}, `${head}x`), [true])
  })

  test('closes its connection at once after the reply if it has arrived', async () => {
    const wait = (server: Server): unknown => server.addHook('onRequest', () => new Promise((resolve) => setImmediate(resolve)))
    assert.deepEqual(await closesInStages(wait, `${head}0123456789`), [false])
  })

  test('is answered over HTTP/2, whose connection goes on', async () => {
    const server = createServer({ http2: true, bodyLimit: 4 })
    server.post('/', () => 'text')
    const connections: Socket[] = []
    server.server.on('connection', (socket: Socket) => connections.push(socket))
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    const statuses: unknown[] = []
    for (const length of [10, 3]) {
      const stream = session.request({ ':method': 'POST', 'content-type': 'text/plain', 'content-length': length })
      stream.on('error', () => {})
      if (length === 3) stream.end('abc')
      const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
      statuses.push(headers[':status'])
      stream.close()
    }
    assert.deepEqual(statuses, [413, 200])
    assert.equal(Object.hasOwn(connections[0]!, 'destroySoon'), false)
    session.destroy()
    await server.close()
  })
})
