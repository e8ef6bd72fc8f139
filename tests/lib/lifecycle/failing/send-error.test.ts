/** Errors: how they are passed to error handlers, late errors, deadlines, and the reply if all handlers fail. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, HttpError, type Reply, type Server } from 'alcove/lib'
import { listen, messages, using } from '../../../fixtures/logged-server.js'
import { exchange, get, open, raw } from '../../../security/wire.js'
import { workingTime } from '../../../fixtures/elapse.js'

describe('an error', () => {
  test('is answered the same whether it was sent, returned, thrown or rejected', () =>
    using(
      (server) => {
        const error = Object.assign(new Error('taken'), { statusCode: 409 })
        server.get('/sent', (_request, reply) => reply.send(error))
        server.get('/returned', () => error)
        server.get('/promised', async () => error)
        server.get('/rejected', () => Promise.reject(error))
        server.get('/then', () => ({
          get then() {
            throw error
          },
        }))
      },
      async (server) => {
        for (const url of ['/sent', '/returned', '/promised', '/rejected', '/then']) {
          const answer = await server.inject(url)
          assert.deepEqual([answer.statusCode, answer.json()], [409, { statusCode: 409, error: 'Conflict', message: 'taken' }], url)
        }
      },
    ))

  test('that the result of an error handler throws when it is looked at goes to the next error handler', () =>
    using(
      (server) => {
        server.setErrorHandler((error, _request, reply) => void reply.code(500).send(`handled: ${error.message}`))
        const errorHandler = (): unknown => ({
          get then() {
            throw new Error('no then')
          },
        })
        server.get('/', { errorHandler: errorHandler as never }, () => Promise.reject(new Error('first')))
      },
      async (server) => assert.equal((await exchange(await listen(server), get('/')))[0]!.body, 'handled: no then'),
    ))

  test('that is undefined or null is replaced by an error, also for error handlers', async () => {
    const seen: unknown[] = []
    await using(
      (server) => {
        server.setErrorHandler((error: any, _request, reply) => {
          seen.push(error.code)
          reply.code(500).send('handled')
        })
        for (const [index, nothing] of [undefined, null].entries()) {
          server.get(`/rejected/${index}`, () => Promise.reject(nothing as never))
          server.get(`/then/${index}`, () => ({
            get then() {
              throw nothing
            },
          }))
          server.get(
            `/handler/${index}`,
            {
              errorHandler: () => {
                throw nothing
              },
            },
            () => Promise.reject(new Error('first')),
          )
          const fail = (): never => {
            throw nothing
          }
          server.get(`/toJSON/${index}`, () => ({ toJSON: fail }))
          server.get(`/serializer/${index}`, { serializerCompiler: () => fail, schema: { response: { 200: {} } } }, () => ({}))
          server.get(`/formatter/${index}`, { schemaErrorFormatter: fail, schema: { query: { required: ['q'] } } }, () => '')
        }
      },
      async (server) => {
        for (const kind of ['rejected', 'then', 'handler', 'toJSON', 'serializer', 'formatter'])
          for (const index of [0, 1]) assert.equal((await server.inject(`/${kind}/${index}`)).body, 'handled')
      },
    )
    assert.deepEqual(seen, Array(12).fill('ALC_ERR_SEND_UNDEFINED_ERR'))
  })

  test('that is answered because the time is over is not replaced by what the handler returns or throws later', async () => {
    const wait = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))
    await using(
      (server) => {
        for (const [name, settle] of [
          ['fulfilled', () => 'late'],
          ['rejected', () => Promise.reject(new Error('late'))],
        ] as const) {
          const handler = async (): Promise<unknown> => (await wait(60), settle())
          server.get(`/hook/${name}`, { handlerTimeout: 20, onError: async () => void (await wait(120)) }, handler)
          server.get(
            `/handler/${name}`,
            { handlerTimeout: 20, errorHandler: async (error: any) => (await wait(120), { handled: error.code }) },
            handler,
          )
        }
      },
      async (server, lines) => {
        for (const name of ['fulfilled', 'rejected']) {
          lines.length = 0
          assert.equal((await server.inject(`/hook/${name}`)).json().code, 'ALC_ERR_HANDLER_TIMEOUT')
          assert.deepEqual((await server.inject(`/handler/${name}`)).json(), { handled: 'ALC_ERR_HANDLER_TIMEOUT' })
          const late = lines.filter(({ msg }) => msg.startsWith('the promise')).map(({ msg, err }) => [msg, err?.message])
          const line = ['the promise of a handler was rejected after its request had failed', 'late']
          assert.deepEqual(late, name === 'fulfilled' ? [] : [line, line])
        }
      },
    )
  })

  test('that an error handler throws goes to the next outer one, and each is called once; onError hooks receive only the first error', async () => {
    const seen: string[] = []
    const passOn =
      (name: string) =>
      (error: Error): never => {
        seen.push(`${name}: ${error.message}`)
        throw new Error(name)
      }
    await using(
      (server) => {
        server.addHook('onError', async (_request, _reply, error) => void seen.push(`hook: ${error.message}`))
        server.setErrorHandler(passOn('outer') as never)
        server.register(async (child) => {
          child.setErrorHandler(passOn('inner') as never)
          child.get('/', { errorHandler: passOn('own') as never }, () => Promise.reject(new Error('first')))
        })
      },
      async (server, lines) => {
        assert.equal((await server.inject('/')).statusCode, 500)
        assert.deepEqual(
          lines.map(({ err }) => err?.message),
          ['outer'],
        )
      },
    )
    assert.deepEqual(seen, ['hook: first', 'own: first', 'inner: own', 'outer: inner'])
  })

  test('is passed to every onError hook, also if the one before it returned another value', async () => {
    const seen: string[] = []
    await using(
      (server) => {
        server.addHook('onError', (async () => 'another') as never)
        server.addHook('onError', ((_request: unknown, _reply: unknown, _error: unknown, done: (...args: unknown[]) => void) =>
          done(null, 'another')) as never)
        server.addHook('onError', async (_request, _reply, error) => void seen.push(error.message))
        server.get('/', () => Promise.reject(new Error('first')))
      },
      async (server) => void (await server.inject('/')),
    )
    assert.deepEqual(seen, ['first'])
  })

  test('in an onError hook is logged, and does not change the reply', () =>
    using(
      (server) => {
        const handler = (): Promise<never> => Promise.reject(Object.assign(new Error('taken'), { statusCode: 409 }))
        server.get('/fails', { onError: async () => Promise.reject(new Error('hook')) }, handler)
        server.get('/fine', { onError: async () => {} }, handler)
      },
      async (server, lines) => {
        assert.equal((await server.inject('/fine')).statusCode, 409)
        assert.deepEqual(messages(lines), [])
        assert.equal((await server.inject('/fails')).statusCode, 409)
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.message]),
          [['an onError hook failed', 'hook']],
        )
      },
    ))

  for (const header of [false, true]) {
    test(`is logged, and the response cut off, if an onError hook has begun it (${header ? 'with' : 'without'} a header of its own)`, () =>
      using(
        (server) => {
          const begin = async (_request: unknown, reply: any): Promise<void> => {
            if (header) reply.raw.setHeader('content-type', 'text/plain')
            reply.raw.writeHead(500)
            reply.raw.write('part')
          }
          server.get('/', { onError: begin }, () => Promise.reject(new Error('first')))
        },
        async (server, lines) => {
          const { text, isClosed } = await raw(await listen(server), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
          assert.ok(isClosed && !text.includes('0\r\n\r\n'), text)
          assert.deepEqual(
            lines.map(({ msg, err }) => [msg, err?.message]),
            [['an error occurred after the headers were sent', 'first']],
          )
        },
      ))
  }

  test('is not answered if an onError hook has taken over the response', () =>
    using(
      (server) => {
        const take = async (_request: unknown, reply: any): Promise<void> => {
          reply.hijack()
          setTimeout(() => reply.raw.end('taken'), 20)
        }
        server.get('/', { onError: take }, () => Promise.reject(new Error('first')))
      },
      async (server, lines) => {
        assert.equal((await exchange(await listen(server), get('/')))[0]!.body, 'taken')
        assert.deepEqual(messages(lines), [])
      },
    ))

  test('is answered over HTTP/2 without a warning of Node about status messages, which HTTP/2 does not have', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    await using(
      (server) => {
        server.get('/', () => Promise.reject(new Error('first')))
        server.get('/bad', { onSend: async () => Promise.reject(new Error('hook')) }, (_request, reply) =>
          reply.header('x-bad', 'a\r\nb').send('x'),
        )
      },
      async (server) => {
        const session = http2.connect(`http://127.0.0.1:${await listen(server)}`)
        for (const path of ['/', '/bad']) {
          const stream = session.request({ ':path': path })
          const [headers] = await once(stream.resume(), 'response')
          assert.equal(headers[':status'], 500)
        }
        session.close()
      },
      { http2: true },
    )
    await sleep(10)
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })

  test('of a response of HTTP/2 whose prototype a plugin has replaced does not end the process', () =>
    using(
      (server) => {
        // As @fastify/express does.
        const onRequest = async (_request: unknown, reply: Reply): Promise<void> =>
          void Object.setPrototypeOf(reply.raw, ServerResponse.prototype)
        server.get('/replaced', { onRequest }, async () => ({ a: 1 }))
        server.get('/', async () => ({ a: 1 }))
      },
      async (server) => {
        const session = http2.connect(`http://127.0.0.1:${await listen(server)}`)
        const replaced = session.request({ ':path': '/replaced' })
        const [headers] = await once(session.request({ ':path': '/' }).resume(), 'response')
        assert.equal(headers[':status'], 200)
        await sleep(20)
        replaced.destroy()
        session.destroy()
      },
      { http2: true, closeTimeout: 100 },
    ))

  test('is not described by the body headers of the reply that failed', () =>
    using(
      (server) => {
        const headers = { 'content-type': 'image/png', 'content-length': '3', 'transfer-encoding': 'chunked', 'x-kept': 'yes' }
        const fail = (_request: unknown, reply: any): never => {
          reply.headers(headers)
          throw new Error('late')
        }
        server.get('/', fail)
        server.get('/text', { errorHandler: (_error, _request, reply) => void reply.send('handled') }, fail)
        server.get('/stream', { errorHandler: (_error, _request, reply) => void reply.send(Readable.from(['handled'])) }, fail)
      },
      async (server) => {
        const port = await listen(server)
        for (const [url, type, length] of [
          ['/', 'application/json; charset=utf-8', '84'],
          ['/text', 'text/plain; charset=utf-8', '7'],
        ] as const) {
          const [{ headers } = { headers: {} as Record<string, string> }] = await exchange(port, get(url))
          assert.deepEqual(
            ['content-type', 'content-length', 'transfer-encoding', 'x-kept'].map((name) => headers[name]),
            [type, length, undefined, 'yes'],
          )
        }
        const [answer] = await exchange(port, get('/stream'))
        const { headers, body } = answer!
        assert.deepEqual([headers['content-length'], headers['transfer-encoding'], body], [undefined, 'chunked', 'handled'])
      },
    ))
})

describe('the reply of last resort', () => {
  const failing = (set: (reply: any) => void) => (server: Server) => {
    server.get('/', { onSend: async () => Promise.reject(new Error('hook')) }, (_request, reply) => {
      set(reply)
      return 'never'
    })
  }

  for (const handlerTimeout of [0, 1000]) {
    test(`keeps the headers that were set, and contains the error as JSON (with ${handlerTimeout} ms for handlers)`, () =>
      using(
        failing((reply) => reply.headers({ 'x-kept': 'yes', 'content-type': 'text/html' })),
        async (server) => {
          const { statusCode, headers, body } = await server.inject('/')
          assert.deepEqual(
            [statusCode, headers['x-kept'], headers['content-type'], headers['content-length']],
            [500, 'yes', 'application/json; charset=utf-8', String(body.length)],
          )
          assert.equal(JSON.parse(body).statusCode, 500)
        },
        { handlerTimeout },
      ))
  }

  test('keeps the headers of HTTP/1 that are for the connection, and has no body for HEAD', () =>
    using(
      failing((reply) => reply.header('connection', 'close')),
      async (server) => {
        const [answer] = await exchange(await listen(server), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        assert.deepEqual([answer!.status, answer!.headers['connection']], [500, 'close'])
        const head = await server.inject({ method: 'HEAD', url: '/' })
        assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [500, String(answer!.body.length), ''])
      },
    ))

  test('keeps the headers of the reply over HTTP/2, except those that are for the connection', () =>
    using(
      failing((reply) => reply.headers({ connection: 'close', 'keep-alive': 'timeout=5', 'x-kept': 'yes' })),
      async (server) => {
        const session = http2.connect(`http://127.0.0.1:${await listen(server)}`)
        const [headers] = await once(session.request().resume(), 'response')
        session.close()
        assert.deepEqual([headers[':status'], headers['x-kept'], headers['keep-alive']], [500, 'yes', undefined])
      },
      { http2: true },
    ))

  test('is a plain 500 if the serializer of its status throws a value that has no text', () =>
    using(
      (server) => {
        server.setSerializerCompiler(() => () => {
          throw { message: { toString: null } }
        })
        server.get('/', { schema: { response: { 500: { type: 'object' } } } }, () => Promise.reject(new Error('first')))
      },
      async (server, lines) => {
        const [answer] = await exchange(await listen(server), get('/'))
        assert.deepEqual(JSON.parse(answer!.body), {
          statusCode: 500,
          error: 'Internal Server Error',
          message: 'Internal Server Error',
        })
        assert.equal(lines.at(-1)!.msg, 'the error reply could not be written')
      },
    ))

  test('is a plain 500 if one of the headers cannot be written, and the reason is logged', () =>
    using(
      failing((reply) => reply.headers({ 'x-bad': 'a\r\nb', 'x-other': 'yes' })),
      async (server, lines) => {
        const [answer] = await exchange(await listen(server), get('/'))
        const { status, headers, body } = answer!
        assert.deepEqual(
          [status, headers['x-other'], headers['content-type'], headers['content-length'], JSON.parse(body)],
          [
            500,
            undefined,
            'application/json; charset=utf-8',
            String(body.length),
            { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' },
          ],
        )
        const last = lines.at(-1)!
        assert.deepEqual([last.msg, last.err?.code], ['the error reply could not be written', 'ERR_INVALID_CHAR'])
      },
    ))

  test('keeps its status and payload if a header of the reply cannot be written', () =>
    using(
      (server) => {
        server.addHook('onSend', async () => {
          throw new HttpError(409, 'refused', { code: 'REFUSED' })
        })
        server.get('/', (_request, reply) => reply.headers({ 'x-bad': 'a\r\nb', 'x-other': 'yes' }).send('text'))
      },
      async (server, lines) => {
        const [answer] = await exchange(await listen(server), get('/'))
        const { status, headers, body } = answer!
        assert.deepEqual(
          [status, headers['x-other'], headers['content-length'], JSON.parse(body)],
          [409, undefined, String(body.length), { statusCode: 409, code: 'REFUSED', error: 'Conflict', message: 'refused' }],
        )
        const last = lines.at(-1)!
        assert.deepEqual([last.msg, last.err?.code], ['the error reply could not be written', 'ERR_INVALID_CHAR'])
      },
    ))

  test('is cut off if a plugin has replaced writeHead by a function that throws', () =>
    using(
      failing((reply) => {
        reply.raw.writeHead = () => {
          throw new Error('no head')
        }
      }),
      async (server) => {
        const { text, isClosed } = await raw(await listen(server), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        assert.deepEqual([text, isClosed], ['', true])
      },
    ))

  test('is cut off if it has begun when it fails, and the reason is logged', () =>
    using(
      failing((reply) => {
        reply.raw.setHeader('x-raw', 'yes')
        reply.raw.end = () => {
          throw new Error('no end')
        }
      }),
      async (server, lines) => {
        const { text, isClosed } = await raw(await listen(server), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        assert.ok(isClosed && !text.includes('statusCode'), text)
        const last = lines.at(-1)!
        assert.deepEqual([last.msg, last.err?.message], ['the error reply could not be written', 'no end'])
      },
    ))
})

describe('the result of a handler', () => {
  test('that is a promise of undefined is a reply without a body', () =>
    using(
      (server) => server.get('/', async () => {}),
      async (server) => {
        const { statusCode, headers, body } = await server.inject('/')
        assert.deepEqual([statusCode, headers['content-length'], body], [200, '0', ''])
      },
      { handlerTimeout: 500 },
    ))

  test('that is null is sent as JSON', () =>
    using(
      (server) => server.get('/', () => null),
      async (server) => {
        const [answer] = await exchange(await listen(server), get('/'))
        assert.deepEqual([answer!.status, answer!.headers['content-type'], answer!.body], [200, 'application/json; charset=utf-8', 'null'])
      },
    ))

  test('that has called callNotFound is ignored: the not-found handler answers', () =>
    using(
      (server) => {
        server.setNotFoundHandler(async () => (await sleep(20), 'not found'))
        server.get('/value', (_request, reply) => (reply.callNotFound(), 'own'))
        server.get('/promise', async (_request, reply) => (reply.callNotFound(), 'own'))
      },
      async (server, lines) => {
        const port = await listen(server)
        for (const url of ['/value', '/promise']) assert.equal((await exchange(port, get(url)))[0]!.body, 'not found', url)
        assert.deepEqual(messages(lines), [])
      },
    ))

  test('that is a promise of undefined or of the reply does not affect a reply that is sent in another way', async () => {
    const sent: string[] = []
    await using(
      (server) => {
        server.addHook('onSend', async (request) => {
          await sleep(10)
          sent.push(request.url)
        })
        const later = (reply: any): void => void setTimeout(() => reply.raw.end('b'), 20)
        server.get('/sent', async (_request, reply) => void reply.send('ab'))
        server.get('/raw', async (_request, reply) => {
          reply.raw.writeHead(200)
          reply.raw.write('a')
          later(reply)
        })
        server.get('/hijacked', async (_request, reply) => {
          reply.hijack().raw.write('a')
          later(reply)
          return 'no'
        })
        server.get('/thenable', (_request, reply) => {
          setTimeout(() => reply.send('ab'), 20)
          return { then: (settle: (value: unknown) => void) => settle(reply) }
        })
        server.get('/reply', async (_request, reply) => {
          setTimeout(() => reply.send('ab'), 20)
          return reply
        })
      },
      async (server, lines) => {
        const port = await listen(server)
        for (const url of ['/sent', '/raw', '/hijacked', '/thenable', '/reply'])
          assert.equal((await exchange(port, get(url)))[0]!.body, 'ab', url)
        assert.deepEqual(messages(lines), [])
      },
    )
    assert.deepEqual(sent, ['/sent', '/thenable', '/reply'])
  })

  test('that is a promise of undefined runs no hooks if the client is gone, also for a pipelined request', async () => {
    const sent: string[] = []
    let arrived!: () => void
    let release!: () => void
    const isThere = new Promise<void>((resolve) => (arrived = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    await using(
      (server) => {
        server.addHook('onSend', async (request) => void sent.push(request.url))
        server.get('/first', () => released)
        server.get('/second', () => (arrived(), released))
        server.get('/cut', async (_request, reply) => void reply.raw.destroy())
      },
      async (server) => {
        const port = await listen(server)
        const socket = await open(port)
        socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n')
        await isThere
        socket.destroy()
        await sleep(50)
        release()
        await raw(port, get('/cut'))
        await sleep(20)
      },
    )
    assert.deepEqual(sent, [])
  })

  test('that is an error after the reply was sent is logged, and the reply continues', () =>
    using(
      (server) => {
        const slow = (): Readable =>
          Readable.from(
            (async function* () {
              yield 'a'
              await sleep(30)
              yield 'b'
            })(),
          )
        server.get('/async', async (_request, reply) => {
          reply.send(slow())
          await sleep(10)
          throw new Error('late')
        })
        server.get('/hijacked', (_request, reply) => {
          reply.hijack().raw.write('a')
          setTimeout(() => reply.raw.end('b'), 20)
          throw new Error('late')
        })
        server.get('/ended', (_request, reply) => {
          reply.raw.end('ab')
          throw new Error('late')
        })
        server.get('/waiting', { onSend: () => sleep(10) }, (_request, reply) => {
          reply.send('ab')
          throw new Error('late')
        })
      },
      async (server, lines) => {
        const port = await listen(server)
        for (const [url, msg] of [
          ['/waiting', 'an error occurred after the reply was sent'],
          ['/async', 'Promise errored, but reply.sent = true was set'],
          ['/hijacked', 'an error occurred after the reply was sent'],
          ['/ended', 'an error occurred after the reply was sent'],
        ] as const) {
          assert.equal((await exchange(port, get(url)))[0]!.body, 'ab', url)
          assert.deepEqual(
            lines.splice(0).map((line) => [line.msg, line.err?.message]),
            [[msg, 'late']],
          )
        }
      },
    ))

  test('that is an error after the headers were sent is logged, and the reply is cut off', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.raw.writeHead(200)
          reply.raw.write('part')
          throw new Error('late')
        })
      },
      async (server, lines) => {
        const { text, isClosed } = await raw(await listen(server), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        assert.ok(isClosed && !text.includes('0\r\n\r\n') && !text.includes('500'), text)
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.message]),
          [['an error occurred after the headers were sent', 'late']],
        )
      },
    ))
})

describe('a reply that exceeds handlerTimeout', () => {
  const options = { handlerTimeout: 50 }
  const never = new Promise<never>(() => {})

  test('passes the error handler an error that names the route, or the URL if no route was found', async () => {
    const seen: unknown[] = []
    await using(
      (server) => {
        server.setErrorHandler((error, _request, reply) => {
          seen.push(error.message)
          reply.code(503).send('handled')
        })
        server.setNotFoundHandler(() => never)
        server.get('/things/:id', () => never)
      },
      async (server) => {
        for (const url of ['/things/7', '/nowhere']) assert.equal((await server.inject(url)).body, 'handled')
      },
      options,
    )
    assert.deepEqual(
      seen.map((message) => String(message).split('. ')[0]),
      ['No reply within 50 ms: GET /things/:id', 'No reply within 50 ms: GET /nowhere'],
    )
  })

  test('because a hook never ends is answered when the time is over, and the hook does not run again', async () => {
    let runs = 0
    await using(
      (server) => server.get('/', { onSend: () => (runs++, never) }, () => 'x'),
      async (server) => {
        const took = await workingTime(async () => assert.equal((await server.inject('/')).statusCode, 503))
        assert.ok(took < 900, `${took} ms`)
      },
      options,
    )
    assert.equal(runs, 1)
  })

  test('is answered by the framework if the error handler does not answer either, unless it has hijacked the reply', () =>
    using(
      (server) => {
        server.setErrorHandler((_error, request, reply): any => {
          if (request.url === '/stuck') return never
          if (request.url === '/late') return void setTimeout(() => reply.code(503).send('late'), 100)
          reply.hijack()
          setTimeout(() => reply.raw.end('mine'), 1200)
          return reply
        })
        for (const url of ['/stuck', '/late', '/taken']) server.get(url, () => never)
      },
      async (server, lines) => {
        const [stuck, late, taken] = await Promise.all(['/stuck', '/late', '/taken'].map((url) => server.inject(url)))
        assert.deepEqual([stuck!.statusCode, stuck!.json().code], [503, 'ALC_ERR_HANDLER_TIMEOUT'])
        assert.deepEqual([late!.statusCode, late!.body, taken!.body], [503, 'late', 'mine'])
        assert.deepEqual(
          lines.map(({ err }) => err?.code),
          ['ALC_ERR_HANDLER_TIMEOUT'],
        )
      },
      options,
    ))

  test('is left alone if the application has begun, ended or destroyed the raw response', () =>
    using(
      (server) => {
        server.get('/begun', ({ signal }, reply) => {
          reply.raw.writeHead(200)
          reply.raw.write('a')
          setTimeout(() => reply.raw.end(signal.aborted ? 'aborted' : 'b'), 150)
        })
        server.get('/ended', (_request, reply) => void reply.raw.end('ab'))
        server.get('/cut', (_request, reply) => void reply.raw.destroy())
      },
      async (server, lines) => {
        const port = await listen(server)
        for (const url of ['/begun', '/ended']) assert.equal((await exchange(port, get(url)))[0]!.body, 'ab', url)
        assert.equal((await raw(port, get('/cut'))).text, '')
        await sleep(120)
        assert.deepEqual(messages(lines), [])
      },
      options,
    ))
})

describe('a listener of the signal may answer when the time is over', () => {
  const options = { handlerTimeout: 50 }

  test('by reply.send, which it may return, also if hooks of the reply take a while', () =>
    using(
      (server) => {
        server.get('/', { onSend: async () => void (await sleep(20)) }, ({ signal }, reply) => {
          signal.addEventListener('abort', () => reply.code(503).send('mine'))
        })
      },
      async (server, lines) => {
        const [answer] = await exchange(await listen(server), get('/'))
        assert.deepEqual([answer!.status, answer!.body], [503, 'mine'])
        assert.deepEqual(messages(lines), [])
      },
      options,
    ))

  test('by the raw response, also if a hook of the reply never ends', () =>
    using(
      (server) => {
        server.get('/', { onSend: () => new Promise<never>(() => {}) }, ({ signal }, reply) => {
          signal.addEventListener('abort', () => reply.raw.end('mine'))
          return 'text'
        })
      },
      async (server, lines) => {
        assert.equal((await exchange(await listen(server), get('/')))[0]!.body, 'mine')
        assert.deepEqual(messages(lines), [])
      },
      options,
    ))
})

describe('a thrown value of any type', () => {
  for (const thrown of [undefined, null, 'text', 0, { statusCode: 404, message: 'plain object' }]) {
    test(`is answered: ${JSON.stringify(thrown) ?? 'undefined'}`, async () => {
      const server = createServer()
      server.get('/sync', () => {
        throw thrown
      })
      server.get('/async', () => Promise.reject(thrown as never))
      for (const url of ['/sync', '/async']) {
        const answer = await server.inject(url)
        assert.equal(answer.statusCode, (thrown as { statusCode?: number } | null | undefined)?.statusCode ?? 500)
        assert.equal(answer.json().statusCode, answer.statusCode)
      }
      await server.close()
    })
  }
})

describe('the reply to an error', () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString()
  /** The headers for caches that a reply to an error has if the handler had set some before it failed. */
  const kept = async (headers: Record<string, string>, error: Error = new Error('failed'), isRaw = false): Promise<object> => {
    const server = createServer()
    server.get('/', (_request, reply) => {
      for (const [name, value] of Object.entries(headers)) if (isRaw) reply.raw.setHeader(name, value)
      if (!isRaw) reply.headers(headers)
      throw error
    })
    const sent = (await server.inject('/')).headers
    await server.close()
    return Object.fromEntries(Object.entries(sent).filter(([name]) => /control|expires/.test(name)))
  }

  test('has no header by which caches would keep the reply that the handler meant to send', async () => {
    for (const isRaw of [false, true]) {
      assert.deepEqual(await kept({ 'cache-control': 'public, max-age=60' }, undefined, isRaw), {})
      assert.deepEqual(await kept({ 'Cache-Control': 'max-age=60', expires: later }, new HttpError(404), isRaw), {})
      assert.deepEqual(await kept({ 'cdn-cache-control': 'max-age=60', 'surrogate-control': 'max-age=60' }, undefined, isRaw), {})
    }
  })

  test('keeps the headers that forbid caches to use it again', async () => {
    for (const value of ['no-store', 'private, no-cache', 'Private, max-age=5'])
      assert.deepEqual(await kept({ 'cache-control': value, expires: '0' }), { 'cache-control': value, expires: '0' })
  })

  test('has the headers for caches of the error itself, and of an error handler', async () => {
    const error = new HttpError(404, 'gone for a minute', { headers: { 'cache-control': 'public, max-age=60' } })
    assert.deepEqual(await kept({ 'cache-control': 'max-age=3600' }, error), { 'cache-control': 'public, max-age=60' })
    const server = createServer()
    server.setErrorHandler((_error, _request, reply) => reply.code(404).header('cache-control', 'max-age=1').send('none'))
    server.get('/', () => Promise.reject(new Error('failed')))
    assert.equal((await server.inject('/')).headers['cache-control'], 'max-age=1')
    await server.close()
  })
})
