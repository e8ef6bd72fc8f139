/** The bytes of a reply: headers, length, trailers, streams, and connections that close. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Duplex, PassThrough, Readable, Stream } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Reply, type Request, type Server, type ServerOptions } from 'alcove/lib'
import { countdown } from '../../fixtures/countdown.js'
import { until } from '../../fixtures/elapse.js'
import { type Line, loggedServer, messages } from '../../fixtures/logged-server.js'
import { exchange, get, open, raw } from '../../security/wire.js'

/** Serves one test with a server that listens and logs. */
async function using(
  declare: (server: Server) => unknown,
  run: (port: number, lines: Line[], server: Server) => Promise<void>,
  options: ServerOptions & { level?: string } = {},
): Promise<void> {
  const { server, lines } = loggedServer(options)
  await declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  // The line that it listens is left out.
  lines.length = 0
  try {
    await run((server.server.address() as AddressInfo).port, lines, server)
  } finally {
    await server.close()
  }
}

const kept = (path: string, method = 'GET'): string => `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** A stream that emits its parts with some time between them. */
function slow(parts: readonly string[], wait = 20): Readable {
  return Readable.from(
    (async function* () {
      for (const part of parts) {
        yield part
        await sleep(wait)
      }
    })(),
  )
}

describe('the length of a body', () => {
  test('is stated for strings, bytes and empty replies, on connections that stay open and without a time limit', () =>
    using(
      (server) => {
        server.get('/text', (_request, reply) => reply.send('tëxt'))
        server.get('/bytes', (_request, reply) => reply.send(Buffer.from([0, 255])))
        server.get('/nothing', (_request, reply) => reply.send())
      },
      async (port, lines) => {
        const answers = await exchange(port, kept('/text') + kept('/bytes') + kept('/nothing') + get('/text'))
        assert.deepEqual(
          answers.map(({ headers, body }) => [headers['content-length'], body]),
          [
            ['5', Buffer.from('tëxt').toString('latin1')],
            ['2', '\0\xff'],
            ['0', ''],
            ['5', Buffer.from('tëxt').toString('latin1')],
          ],
        )
        assert.deepEqual(messages(lines), [])
      },
      { handlerTimeout: 0 },
    ))

  test('is that of the payload, also if the handler set another', () =>
    using(
      (server) => {
        for (const [index, length] of ['9', 4, '0', ''].entries())
          server.get(`/${index}`, (_request, reply) =>
            reply.header('content-length', length).send(index === 1 ? Buffer.from('text') : 'text'),
          )
      },
      async (port) => {
        for (const index of [0, 1, 2, 3]) {
          const [answer] = await exchange(port, get(`/${index}`))
          assert.deepEqual([answer!.headers['content-length'], answer!.body], ['4', 'text'])
        }
      },
    ))

  test('of a HEAD reply is that of the body that GET would send: the one that its own route stated, or else that of the payload', () =>
    using(
      (server) => {
        server.get('/text', () => 'hello')
        server.get('/nothing', (_request, reply) => reply.send())
        server.head('/own', (_request, reply) => reply.header('content-length', 1000).send('x'))
        server.head('/own-text', (_request, reply) => reply.send('text'))
        server.head('/own-nothing', (_request, reply) => reply.send())
      },
      async (port, _lines, server) => {
        for (const [url, length] of [
          ['/text', '5'],
          ['/nothing', '0'],
          ['/own', '1000'],
          ['/own-text', '4'],
          ['/own-nothing', undefined],
        ] as const) {
          const { text } = await raw(port, get(url).replace('GET', 'HEAD'))
          assert.equal(/^content-length: (\d+)\r$/im.exec(text)?.[1], length, url)
          assert.ok(text.endsWith('\r\n\r\n'), text)
          assert.equal((await server.inject({ method: 'HEAD', url })).body, '')
        }
      },
    ))

  test('is not stated if there can be no content or if it is not a number: a 204 has no media type either, a 304 keeps it', () =>
    using(
      (server) => {
        for (const status of [204, 304]) {
          server.get(`/${status}/nothing`, (_request, reply) => reply.code(status).send())
          server.get(`/${status}/empty`, (_request, reply) => reply.code(status).type('text/x').send(''))
          server.get(`/${status}/bytes`, (_request, reply) => reply.code(status).type('text/x').send(Buffer.alloc(0)))
          server.get(`/${status}/text`, (_request, reply) => reply.code(status).type('text/x').send('text'))
        }
        server.get('/204/stated', (_request, reply) =>
          reply.code(204).headers({ 'content-length': '4', 'content-type': 'text/x' }).send('text'),
        )
        for (const length of ['0', '10', '01', 'x']) {
          server.get(`/204/${length}`, (_request, reply) => reply.code(204).header('content-length', length).send())
        }
        for (const length of ['3x', 'x3', '']) {
          server.get(`/200/${length}`, (_request, reply) => reply.header('content-length', length).send(Readable.from(['abc'])))
        }
      },
      async (port) => {
        for (const [url, type, length] of [
          ['/204/nothing', undefined, undefined],
          ['/204/text', undefined, undefined],
          ['/204/stated', undefined, undefined],
          ['/204/0', undefined, '0'],
          ['/204/10', undefined, undefined],
          ['/204/01', undefined, undefined],
          ['/204/x', undefined, undefined],
          ['/200/3x', undefined, undefined],
          ['/200/x3', undefined, undefined],
          ['/200/', undefined, undefined],
          ['/304/nothing', undefined, undefined],
          // A length of 0 would say that the reply with 200 is empty.
          ['/304/empty', 'text/x', undefined],
          ['/304/bytes', 'text/x', undefined],
          ['/304/text', 'text/x', '4'],
        ] as const) {
          const { text } = await raw(port, get(url))
          assert.match(text, new RegExp(`^HTTP/1.1 ${url.slice(1, 4)} `))
          assert.equal(/^content-type: (.*)\r$/im.exec(text)?.[1], type, url)
          assert.equal(/^content-length: (.*)\r$/im.exec(text)?.[1], length, url)
          assert.ok(text.endsWith('\r\n\r\n'), text)
        }
      },
    ))
})

test('a length that the application has set on the raw response is not sent together with chunks', () =>
  using(
    (server) => {
      server.get('/', (_request, reply) => {
        reply.raw.setHeader('content-length', '4')
        return reply.trailer('x-sum', async () => '1').send('text')
      })
    },
    async (port) => {
      const { text } = await raw(port, get('/'))
      assert.match(text, /^transfer-encoding: chunked\r$/im)
      assert.ok(!/^content-length/im.test(text) && text.endsWith('4\r\ntext\r\n0\r\nx-sum: 1\r\n\r\n'), text)
    },
  ))

test('headers of a Response that describe its connection are not forwarded (RFC 9110 §7.6.1)', () =>
  using(
    (server) =>
      void server.get(
        '/',
        () => new Response('text', { headers: { connection: 'keep-alive', 'keep-alive': 'timeout=72', 'x-own': 'kept' } }),
      ),
    async (port) => {
      const { text, isClosed } = await raw(port, get('/'))
      assert.match(text, /^connection: close\r$/im)
      assert.match(text, /^x-own: kept\r$/im)
      assert.ok(isClosed && !/keep-alive/i.test(text), text)
    },
  ))

test('a status that only the raw response accepts is sent, up to 999', () =>
  using(
    (server) => {
      server.get('/', (_request, reply) => {
        reply.raw.statusCode = 999
        return 'text'
      })
    },
    async (port) => assert.equal((await exchange(port, get('/')))[0]!.status, 999),
  ))

test('a status of the raw response that cannot be sent is a 500, and the log names the status', () =>
  using(
    (server) => {
      server.get('/', (_request, reply) => {
        reply.raw.statusCode = 99
        return Buffer.from('text')
      })
    },
    async (port, lines) => {
      assert.equal((await exchange(port, get('/')))[0]!.status, 500)
      assert.deepEqual(
        lines.map(({ err }) => [err?.code, err?.message.includes('99')]),
        [['ALC_ERR_BAD_STATUS_CODE', true]],
      )
    },
    { level: 'warn' },
  ))

describe('a reply that the application writes itself', () => {
  test('in an onSend hook is not sent by the framework', () =>
    using(
      (server) => {
        server.get(
          '/hijacked',
          {
            onSend: async (_request, reply) => {
              reply.hijack()
              setTimeout(() => reply.raw.end('mine'), 20)
            },
          },
          () => 'text',
        )
        server.get('/ended', { onSend: async (_request, reply) => void reply.raw.end('mine') }, () => 'text')
      },
      async (port, lines) => {
        for (const url of ['/hijacked', '/ended']) assert.equal((await exchange(port, get(url)))[0]!.body, 'mine', url)
        assert.deepEqual(messages(lines), [])
      },
    ))

  test('in part is cut off if another payload is sent, with an error that names the route', () =>
    using(
      (server) => {
        server.get('/:id', (_request, reply) => {
          reply.raw.writeHead(200)
          reply.raw.write('part')
          return 'text'
        })
      },
      async (port, lines) => {
        const { text, isClosed } = await raw(port, kept('/7?a=1'))
        assert.ok(isClosed && !text.includes('text') && !text.endsWith('0\r\n\r\n'), text)
        assert.deepEqual(messages(lines), ['an error occurred after the headers were sent'])
        assert.equal(lines[0]!.err?.message, 'Reply was already sent, did you forget to "return reply" in "/7?a=1" (GET)?')
      },
    ))
})

describe('while the server closes', () => {
  test('only the last reply of a connection announces that the connection closes', async () => {
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    const arrived = countdown(3)
    const server = createServer()
    server.get('/', () => (arrived.hit(), released.then(() => 'text')))
    server.get('/bytes', () => (arrived.hit(), released.then(() => Buffer.from('bytes'))))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    const both = exchange(port, kept('/') + kept('/bytes'))
    const one = exchange(port, kept('/'))
    await arrived.done
    const closed = server.close()
    await sleep(50)
    release()
    assert.deepEqual(
      [...(await both), ...(await one)].map(({ headers, body }) => [headers['connection'] === 'close', body]),
      [
        [false, 'text'],
        [true, 'bytes'],
        [true, 'text'],
      ],
    )
    await closed
  })

  test('replies over HTTP/2 have no connection header', async () => {
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    const arrived = countdown(1)
    const server = createServer({ http2: true })
    server.get('/', () => (arrived.hit(), released.then(() => 'text')))
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    const session = connectHttp2(await server.listen({ port: 0, host: '127.0.0.1' }))
    const stream = session.request({ ':path': '/' })
    const headers = new Promise<Record<string, unknown>>((resolve) => stream.on('response', resolve))
    await arrived.done
    const closed = server.close()
    await sleep(50)
    release()
    assert.deepEqual([(await headers)[':status'], (await headers)['connection']], [200, undefined])
    stream.resume()
    session.close()
    await closed
    process.off('warning', note)
    assert.deepEqual(
      warnings.filter((message) => message.includes('connection')),
      [],
    )
  })
})

describe('a Response', () => {
  test('sets status, headers and body; an object like a Response may have no status', () =>
    using(
      (server) => {
        server.get('/text', () => new Response('text', { status: 201, headers: { 'x-one': '1', 'content-type': 'text/x' } }))
        server.get('/empty', () => new Response(null, { status: 202 }))
        server.get('/like', () => ({
          [Symbol.toStringTag]: 'Response',
          headers: new Map([['x-one', '1']]),
          bodyUsed: false,
          body: 'like',
        }))
      },
      async (port) => {
        const answers = await Promise.all(['/text', '/empty', '/like'].map((url) => exchange(port, get(url))))
        assert.deepEqual(
          answers.flat().map(({ status, headers, body }) => [status, headers['x-one'], headers['content-type'], body]),
          [
            [201, '1', 'text/x', 'text'],
            [202, undefined, undefined, ''],
            [200, '1', undefined, 'like'],
          ],
        )
      },
    ))

  test('whose body was read is refused', () =>
    using(
      (server) => {
        server.get('/', async () => {
          const response = new Response('text')
          await response.text()
          return response
        })
      },
      async (port) => {
        const [answer] = await exchange(port, get('/'))
        assert.deepEqual([answer!.status, JSON.parse(answer!.body).code], [500, 'ALC_ERR_REP_RESPONSE_BODY_CONSUMED'])
      },
    ))
})

describe('trailers', () => {
  test('follow a chunked body: a string, bytes, a stream, or none; a header names them, and no length is stated', () =>
    using(
      (server) => {
        const payloads: Record<string, () => unknown> = {
          text: () => 'text',
          bytes: () => Buffer.from('text'),
          stream: () => Readable.from(['text']),
          nothing: () => undefined,
        }
        for (const [name, payload] of Object.entries(payloads))
          server.get(`/${name}`, (_request, reply) => {
            reply.header('content-length', '4')
            reply.trailer('x-sum', (given, body, done) =>
              done(null, `${given === reply} ${Buffer.isBuffer(body) ? 'bytes' : JSON.stringify(body)}`),
            )
            reply.trailer('x-later', async () => 'later')
            return reply.send(payload())
          })
      },
      async (port, lines) => {
        for (const [name, seen] of [
          ['text', '"text"'],
          ['bytes', 'bytes'],
          ['stream', 'null'],
          ['nothing', 'undefined'],
        ] as const) {
          const { text } = await raw(port, get(`/${name}`))
          assert.match(text, /^transfer-encoding: chunked\r$/im, name)
          assert.match(text, /^trailer: x-sum, x-later\r$/im, name)
          assert.ok(!/^content-length/im.test(text), name)
          const body = name === 'nothing' ? '' : '4\r\ntext\r\n'
          assert.ok(text.endsWith(`\r\n\r\n${body}0\r\nx-sum: true ${seen}\r\nx-later: later\r\n\r\n`), `${name}: ${text}`)
        }
        assert.deepEqual(messages(lines), [])
      },
      { handlerTimeout: 0 },
    ))

  test('may be computed by a function that returns a value beside done', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.trailer('x-late', ((_reply: unknown, _payload: unknown, done: (error: null, value: string) => void) =>
            setTimeout(done, 5, null, 'computed')) as never)
          return reply.send('text')
        })
      },
      async (port) => assert.match((await raw(port, get('/'))).text, /0\r\nx-late: computed\r\n\r\n$/),
    ))

  test('get the whole payload over HTTP/2 too, however large it is', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.trailer('x-length', async (_reply: unknown, payload: any) => String(payload?.length))
          return reply.send('x'.repeat(2_000_000))
        })
      },
      async (port) => {
        const session = connectHttp2(`http://127.0.0.1:${port}`)
        const stream = session.request({ ':path': '/' }).resume()
        const [trailers] = (await once(stream, 'trailers')) as [Record<string, string>]
        session.destroy()
        assert.equal(trailers['x-length'], '2000000')
      },
      { http2: true },
    ))

  test('that were all removed leave a reply without chunks', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) =>
          reply
            .trailer('x-sum', async () => '1')
            .removeTrailer('x-sum')
            .send('text'),
        )
      },
      async (port) => {
        const { text } = await raw(port, get('/'))
        assert.ok(text.endsWith('\r\n\r\ntext') && !/^trailer/im.test(text), text)
      },
    ))

  test('that fail are omitted and logged on level debug, the others are sent once each', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.trailer('x-throws', () => {
            throw new Error('thrown')
          })
          reply.trailer('x-rejects', () => Promise.reject(new Error('rejected')))
          reply.trailer('x-fails', (_reply, _payload, done) => done(new Error('failed')))
          reply.trailer('x-twice', (_reply, _payload, done) => (done(null, 'one'), done(null, 'two')))
          reply.trailer('x-null', ((_reply: any, _payload: any, done: any) => (setImmediate(() => done(null, 'null')), null)) as any)
          reply.trailer('x-both', ((_reply: any, _payload: any, done: any) => (done(null, 'both'), 1)) as any)
          reply.trailer('x-promise', ((_reply: any, _payload: any, done: any) => done(null, Promise.resolve('x'))) as any)
          reply.trailer('x-slow', () => sleep(30, 'slow'))
          return reply.send('text')
        })
      },
      async (port, lines) => {
        const { text } = await raw(port, get('/'))
        assert.ok(text.endsWith('text\r\n0\r\nx-twice: one\r\nx-both: both\r\nx-null: null\r\nx-slow: slow\r\n\r\n'), text)
        assert.deepEqual(
          lines.flatMap(({ level, msg, err }) => (err === undefined ? [] : [[level, msg, err.message]])),
          [
            [20, 'the trailer x-throws could not be computed', 'thrown'],
            [20, 'the trailer x-fails could not be computed', 'failed'],
            [20, 'the trailer x-promise could not be computed', 'the trailer x-promise must not be asynchronous'],
            [20, 'the trailer x-rejects could not be computed', 'rejected'],
          ],
        )
      },
      { level: 'debug' },
    ))

  test('that are removed while a stream is sent are left out, also all of them', () =>
    using(
      (server) => {
        const remove = (names: string[]) => (_request: unknown, reply: Reply) => {
          const source = Readable.from(
            (function* () {
              for (const name of names) reply.removeTrailer(name)
              yield 'text'
            })(),
          )
          return reply
            .trailer('x-one', async () => '1')
            .trailer('x-two', async () => '2')
            .send(source)
        }
        server.get('/some', remove(['X-One']))
        server.get('/all', remove(['x-one', 'x-two']))
      },
      async (port) => {
        assert.ok((await raw(port, get('/some'))).text.endsWith('text\r\n0\r\nx-two: 2\r\n\r\n'))
        assert.ok((await raw(port, get('/all'))).text.endsWith('text\r\n0\r\n\r\n'))
      },
    ))

  test('must be computed within handlerTimeout; later ones are ignored', () => {
    const released = countdown(1)
    return using(
      (server) => {
        server.get('/late', (_request, reply) => reply.trailer('x-late', () => released.done.then(() => 'late')).send('text'))
        server.get('/fails', (_request, reply) =>
          reply
            .trailer('x-late', async () => {
              await released.done
              throw new Error('late')
            })
            .send('text'),
        )
        server.get('/in-time', (_request, reply) => reply.trailer('x-one', async () => '1').send('text'))
      },
      async (port, lines) => {
        for (const url of ['/late', '/fails']) assert.ok((await raw(port, get(url))).text.endsWith('text\r\n0\r\n\r\n'))
        assert.ok((await raw(port, get('/in-time'))).text.endsWith('text\r\n0\r\nx-one: 1\r\n\r\n'))
        released.hit()
        await sleep(20)
        const message = 'trailers were not computed within 50 ms: the reply ends without them'
        assert.deepEqual(
          lines.map(({ msg, res }) => [msg, res?.statusCode]),
          [
            [message, 200],
            [message, 200],
          ],
        )
      },
      { handlerTimeout: 50, level: 'debug', disableRequestLogging: true },
    )
  })
})

/** A stream that can only be ended in one way. */
function endedBy(way: 'close' | 'abort' | undefined, ended: () => void): Readable {
  const source = new PassThrough()
  source.write('part')
  Object.defineProperty(source, 'destroy', { value: undefined })
  if (way === 'close')
    Object.defineProperty(source, 'close', {
      value: (done: () => void) => {
        ended()
        done()
      },
    })
  if (way === 'abort') Object.defineProperty(source, 'abort', { value: ended })
  return source
}

describe('a stream', () => {
  test('is sent as it arrives, with the headers of the reply and of the raw response', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.raw.setHeader('x-raw', '1')
          return reply.headers({ 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] }).send(slow(['a', 'b']))
        })
        server.get('/web', () => new Response('web').body)
      },
      async (port, lines) => {
        const [answer] = await exchange(port, get('/'))
        const { headers, body } = answer!
        assert.deepEqual([headers['x-raw'], headers['x-one'], headers['set-cookie'], body], ['1', '1', 'a=1\nb=2', 'ab'])
        assert.equal((await exchange(port, get('/web')))[0]!.body, 'web')
        assert.deepEqual(messages(lines), [])
      },
    ))

  test('is sent after headers that were written to the raw response, with a warning', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          reply.raw.writeHead(201, { 'x-raw': '1' })
          return reply.header('x-lost', '1').send(slow(['a', 'b']))
        })
      },
      async (port, lines) => {
        const [answer] = await exchange(port, get('/'))
        const { status, headers, body } = answer!
        assert.deepEqual([status, headers['x-raw'], headers['x-lost'], body], [201, '1', undefined, 'ab'])
        assert.deepEqual(messages(lines), ["response will send, but you shouldn't use res.writeHead in stream mode"])
      },
    ))

  test('whose client left is ended by its `destroy`, `close` or `abort`; if it has none of them, this is logged', async () => {
    const ended: string[] = []
    let usual!: Readable
    await using(
      (server) => {
        for (const way of ['close', 'abort'] as const) server.get(`/${way}`, () => endedBy(way, () => ended.push(way)))
        server.get('/none', () => endedBy(undefined, () => {}))
        server.get('/usual', () => (usual = slow(['a', 'b', 'c'])))
      },
      async (port, lines) => {
        let left = 0
        for (const url of ['/usual', '/close', '/abort', '/none']) {
          const socket = await open(port)
          socket.write(kept(url))
          await new Promise((resolve) => socket.once('data', resolve))
          socket.destroy()
          left++
          await until(() => messages(lines).filter((message) => message === 'stream closed prematurely').length >= left)
        }
        // It has been destroyed, and reports this too.
        await until(() => usual.closed)
        assert.deepEqual(ended, ['close', 'abort'])
        assert.deepEqual(
          lines.filter(({ level }) => level >= 40).map(({ msg }) => msg),
          ['stream payload does not end properly'],
        )
        assert.deepEqual(
          lines.flatMap(({ msg, res }) => (msg === 'stream closed prematurely' ? [res?.statusCode] : [])),
          [200, 200, 200, 200],
        )
      },
      { level: 'info' },
    )
  })

  test('that is sent when the client has left is destroyed, also without a time limit', () => {
    const source = new PassThrough()
    const arrived = countdown(1)
    return using(
      (server) => {
        server.get('/', async (request) => {
          arrived.hit()
          await once(request.signal, 'abort')
          return source
        })
      },
      async (port, lines) => {
        const socket = await open(port)
        socket.write(kept('/'))
        await arrived.done
        socket.destroy()
        await once(source, 'close')
        await sleep(10)
        assert.deepEqual(messages(lines), [])
      },
      { handlerTimeout: 0, level: 'warn' },
    )
  })

  test('whose client left is not logged if requests are not logged', () =>
    using(
      (server) => void server.get('/', () => slow(['a', 'b', 'c'])),
      async (port, lines) => {
        const socket = await open(port)
        socket.write(kept('/'))
        await new Promise((resolve) => socket.once('data', resolve))
        socket.destroy()
        await sleep(60)
        assert.deepEqual(messages(lines), [])
      },
      { level: 'info', disableRequestLogging: true },
    ))

  test('that fails in the middle is logged once; one that fails before its first byte is an error like any other', () =>
    using(
      (server) => {
        const failing = (first: boolean): Readable =>
          Readable.from(
            (async function* () {
              if (first) yield 'part'
              await sleep(10)
              throw Object.assign(new Error('broken'), { statusCode: 409 })
            })(),
          )
        server.get('/before', () => failing(false))
        server.get('/after', () => failing(true))
      },
      async (port, lines) => {
        const [answer] = await exchange(port, get('/before'))
        assert.deepEqual([answer!.status, JSON.parse(answer!.body).message], [409, 'broken'])
        assert.deepEqual(messages(lines), [])
        const { text, isClosed } = await raw(port, kept('/after'))
        assert.ok(isClosed && text.includes('part') && !text.endsWith('0\r\n\r\n'), text)
        assert.deepEqual(
          lines.map(({ level, msg, err }) => [level, msg, err?.message]),
          [[40, 'response terminated with an error with headers already sent', 'broken']],
        )
      },
    ))

  test('that is shorter than its stated length cuts the connection off, and this is logged once', () =>
    using(
      (server) => void server.get('/', (_request, reply) => reply.header('content-length', '10').send(slow(['part']))),
      async (port, lines) => {
        const { text, isClosed } = await raw(port, kept('/'))
        assert.ok(isClosed && text.endsWith('part'), text)
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.code]),
          [['response terminated with an error with headers already sent', 'ALC_ERR_REP_LENGTH_MISMATCH']],
        )
      },
    ))

  test('that is closed before its end cuts the connection off, so that the client does not mistake a part for the whole', () =>
    using(
      (server) => {
        server.get('/', () => {
          const source = new PassThrough()
          source.write('part')
          setTimeout(() => source.destroy(), 20)
          return source
        })
      },
      async (port) => {
        const { text, isClosed } = await raw(port, kept('/'))
        assert.ok(isClosed && text.includes('part') && !text.endsWith('0\r\n\r\n'), text)
      },
    ))

  test('that fails after its client left runs no onError hooks', async () => {
    const seen: string[] = []
    let arrived = countdown(1)
    let thrown = countdown(1)
    await using(
      (server) => {
        server.addHook('onError', async (request) => void seen.push(request.url))
        const late = ({ signal }: Request): Readable =>
          Readable.from(
            (async function* () {
              arrived.hit()
              await once(signal, 'abort')
              yield* []
              thrown.hit()
              throw new Error('broken')
            })(),
          )
        server.get('/first', () => slow(['a', 'b', 'c'], 50))
        server.get('/late', late)
      },
      async (port) => {
        for (const lines of [kept('/late'), kept('/first') + kept('/late')]) {
          arrived = countdown(1)
          thrown = countdown(1)
          const socket = await open(port)
          socket.write(lines)
          await arrived.done
          socket.destroy()
          await thrown.done
          await sleep(20)
        }
        assert.deepEqual(seen, [])
      },
    )
  })

  test('that is not sent is closed, and its errors are logged for HEAD and 304 only', async () => {
    const ended: string[] = []
    await using(
      (server) => {
        const failing = (name: string) => (): Readable =>
          new Readable({
            read() {},
            destroy(_error, done) {
              ended.push(name)
              done(new Error(`${name} broken`))
            },
          })
        server.get('/head', failing('head'))
        server.get('/aborted', () => {
          const body = new Readable({
            read() {},
            // As the body of undici, through which @fastify/reply-from forwards.
            destroy(_error, done) {
              done(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
            },
          })
          return body
        })
        server.get('/204', (_request, reply) => reply.code(204).send(failing('204')()))
        server.get('/304', (_request, reply) => reply.code(304).send(failing('304')()))
        server.get('/web', (_request, reply) =>
          reply.code(204).send(
            new ReadableStream({
              cancel: () => {
                ended.push('web')
                throw new Error('web broken')
              },
            }),
          ),
        )
      },
      async (port, lines) => {
        for (const line of [
          get('/head').replace('GET', 'HEAD'),
          get('/aborted').replace('GET', 'HEAD'),
          get('/204'),
          get('/304'),
          get('/web'),
        ]) {
          const { text } = await raw(port, line)
          assert.ok(/^HTTP\/1.1 (200|204|304) /.test(text) && text.endsWith('\r\n\r\n'), text)
        }
        assert.deepEqual(ended, ['head', '204', '304', 'web'])
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.message]),
          [
            ['Error on Stream found for HEAD route', 'head broken'],
            ['Error on Stream found for HEAD route', '304 broken'],
          ],
        )
      },
    )
  })

  test('with a chunk that is not bytes ends only its connection', () =>
    using(
      (server) => void server.get('/', () => Readable.from(['part', { not: 'bytes' }, 'rest'])),
      async (port, lines) => {
        const { text, isClosed } = await raw(port, kept('/'))
        assert.ok(isClosed && !text.includes('rest'), text)
        assert.deepEqual(
          lines.map(({ err }) => err?.code),
          ['ALC_ERR_REP_INVALID_PAYLOAD_TYPE'],
        )
      },
    ))

  test('whose first chunk is not bytes is answered 500', () =>
    using(
      (server) => void server.get('/', () => Readable.from([{ not: 'bytes' }])),
      async (port) => assert.equal((await exchange(port, get('/')))[0]!.status, 500),
    ))

  test('of the old kind, which may lack pause and resume, is piped, also with trailers', () => {
    const large = 'x'.repeat(1_000_000)
    const old = (properties: object = {}): any => {
      const source = Object.assign(new Stream(), { readable: true }, properties)
      setTimeout(() => source.emit('data', large), 10)
      setTimeout(() => source.emit('data', 'end') && source.emit('end') && source.emit('close'), 60)
      return source
    }
    return using(
      (server) => {
        server.get('/neither', () => old())
        server.get('/pause', () => old({ pause() {} }))
        server.get('/resume', () => old({ resume() {} }))
        server.get('/trailers', (_request, reply) => reply.trailer('x-sum', () => sleep(20, '1')).send(old()))
        server.get('/status', (_request, reply) => {
          reply.raw.statusCode = 1000
          return old()
        })
        server.get('/phrase', (_request, reply) => {
          reply.raw.statusMessage = 'a\r\nb'
          return old()
        })
      },
      async (port, lines) => {
        for (const url of ['/neither', '/pause', '/resume']) {
          const { text } = await raw(port, get(url))
          assert.ok(text.endsWith('xxx\r\n3\r\nend\r\n0\r\n\r\n') && text.length > large.length, url)
        }
        assert.ok((await raw(port, get('/trailers'))).text.endsWith('3\r\nend\r\n0\r\nx-sum: 1\r\n\r\n'))
        assert.deepEqual(messages(lines), [])
        for (const url of ['/status', '/phrase']) assert.equal((await exchange(port, get(url)))[0]!.status, 500, url)
      },
    )
  })

  test('ends with its readable side, also if its writable side is still open', () =>
    using(
      (server) => {
        server.get('/', (_request, reply) => {
          const source = new Duplex({ read() {}, write() {} })
          source.push('text')
          source.push(null)
          return reply.trailer('x-sum', async () => '1').send(source)
        })
      },
      async (port) => assert.ok((await raw(port, get('/'))).text.endsWith('4\r\ntext\r\n0\r\nx-sum: 1\r\n\r\n')),
    ))

  test('waits for a client that reads slowly, and is sent whole', () =>
    using(
      (server) => {
        server.get('/', () => Readable.from(Array.from({ length: 400 }, () => Buffer.alloc(65_536, 120))))
      },
      async (port) => {
        const socket = await open(port)
        let length = 0
        socket.write(get('/'))
        socket.pause()
        await sleep(50)
        socket.on('data', (chunk) => (length += chunk.length)).resume()
        await new Promise((resolve) => socket.on('close', resolve))
        assert.ok(length > 400 * 65_536, `${length}`)
      },
    ))
})

test('a reply is sent the same way by a server of serverFactory', async () => {
  await using(
    (server) => {
      server.get('/text', () => 'text')
    },
    async (port) => assert.equal((await exchange(port, kept('/text') + get('/text')))[0]!.body, 'text'),
    { serverFactory: (handler: any) => createHttpServer(handler) },
  )
})

test('a HEAD reply has the length of the body that GET would send, and no body', async () => {
  const server = createServer()
  server.get('/text', () => 'hello')
  server.get('/nothing', (_request, reply) => reply.send())
  server.head('/own', (_request, reply) => reply.header('content-length', 1000).send(''))
  for (const [url, length] of [
    ['/text', '5'],
    ['/nothing', '0'],
    ['/own', 1000],
  ] as const) {
    const response = await server.inject({ method: 'HEAD', url })
    assert.equal(String(response.headers['content-length']), String(length))
    assert.equal(response.body, '')
  }
})

test('a reply to HEAD and a 304 have no body, also if an error occurs and in injected requests', async () => {
  const server = createServer()
  server.get('/header', (_request, reply) => reply.header('x', 'a\r\nb').send('text'))
  server.get('/handler', { errorHandler: () => Promise.reject(new Error('no')) }, () => Promise.reject(new Error('no')))
  server.get('/304', (_request, reply) => reply.code(304).send('text'))
  for (const url of ['/header', '/handler', '/304']) assert.equal((await server.inject({ method: 'HEAD', url })).body, '', url)
  assert.equal((await server.inject('/304')).body, '')
})

test('HTTP/2 replies do not set a status text, of which Node would warn', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {})
  const server = createServer({ http2: true })
  server.get('/', (_request, reply) => void reply.header('x-a', 'b').send({ a: 1 }))
  const session = connectHttp2(await server.listen({ port: 0, host: '127.0.0.1' }))
  const stream = session.request({ ':path': '/' })
  const [headers] = await once(stream, 'response')
  stream.resume()
  await once(stream, 'end')
  session.close()
  await server.close()
  assert.deepEqual([headers[':status'], warned.mock.callCount()], [200, 0])
})

describe('a web stream', () => {
  test('that a reader holds is a 500 that says so, also as the body of a Response', () =>
    using(
      (server) => {
        const stream = (): ReadableStream => new ReadableStream({ start: (controller) => controller.close() })
        server.get('/stream', (_request, reply) => {
          const payload = stream()
          payload.getReader()
          return reply.send(payload)
        })
        server.get('/response', async () => {
          const payload = new Response(stream())
          payload.body!.getReader()
          return payload
        })
      },
      async (port, lines) => {
        for (const url of ['/stream', '/response']) assert.match((await raw(port, get(url))).text, /^HTTP\/1.1 500 /)
        assert.deepEqual(
          lines.map(({ err }) => err?.code),
          ['ALC_ERR_REP_READABLE_STREAM_LOCKED', 'ALC_ERR_REP_READABLE_STREAM_LOCKED'],
        )
      },
    ))

  test('is not read further if its response is destroyed while it waits for the client', async () => {
    const pulled: string[] = []
    const cancelled = countdown(1)
    await using(
      (server) => {
        server.get('/', (_request, reply) => {
          const response = reply.raw
          response.write = () => {
            queueMicrotask(() => {
              response.destroy()
              response.emit('drain')
            })
            return false
          }
          return new ReadableStream(
            {
              pull(controller) {
                controller.enqueue(Buffer.from('part'))
                pulled.push('part')
              },
              cancel: () => cancelled.hit(),
            },
            { highWaterMark: 0 },
          )
        })
      },
      async (port) => {
        await raw(port, kept('/'))
        await cancelled.done
        assert.deepEqual(pulled, ['part'])
      },
    )
  })

  test('is sent whole', () =>
    using(
      (server) => {
        let left = 50
        server.get(
          '/',
          () =>
            new ReadableStream({
              pull(controller) {
                controller.enqueue(Buffer.alloc(20_000, 'x'))
                if (--left === 0) controller.close()
              },
            }),
        )
      },
      async (_port, _lines, server) => {
        assert.equal((await (await fetch(server.listeningOrigin)).text()).length, 1_000_000)
      },
    ))
})
