/** The stages of a request, and `reply.callNotFound`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchangeOf } from '../../../lib/lifecycle/exchange.js'
import { until } from '../../fixtures/elapse.js'
import { listen, messages, using } from '../../fixtures/logged-server.js'
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
    const server = createServer()
    server.setNotFoundHandler((_request, reply) => void reply.callNotFound())
    const answer = await server.inject('/nowhere')
    assert.deepEqual([answer.statusCode, answer.body], [404, '404 Not Found'])
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
