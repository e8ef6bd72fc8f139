/** Content types and bodies: one strict reading, bounded in size and depth. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { PassThrough, type Readable } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import { createServer, type Server } from 'alcove/lib'
import { describe, test } from 'node:test'
import { exchange, get, open, parse, post, raw, wireTest } from './wire.js'

const schema = { body: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } } as const

function declareJson(server: Server): void {
  server.post('/checked', { schema }, (request) => ({ got: request.body }))
  server.post('/free', (request) => ({ got: request.body ?? null }))
}

function nestDeep(): unknown {
  let value: unknown = 1
  for (let depth = 0; depth < 200_000; depth++) value = [value]
  return value
}

/** Whether this version of Node can write a value as JSON; from 26 on it writes any depth. */
function canWrite(value: unknown): boolean {
  try {
    return typeof JSON.stringify(value) === 'string'
  } catch {
    return false
  }
}

describe('content types', () => {
  const good = [
    'application/json',
    'APPLICATION/JSON',
    'Application/Json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/json ; a=b',
    'application/json\t;\ta=b',
    'application/vnd.api+json',
    'application/problem+JSON; q=1',
  ]
  wireTest('every spelling of JSON is parsed and validated alike', declareJson, async ({ port }) => {
    for (const type of good) {
      const [valid] = await exchange(port, post('/checked', type, '{"n":1}'))
      assert.equal(valid!.body, '{"got":{"n":1}}', type)
      const [invalid] = await exchange(port, post('/checked', type, '{"n":"x"}'))
      assert.equal(invalid!.status, 400, type)
    }
  })

  const bad = [
    '',
    ' ',
    'json',
    '/',
    'application/',
    '/json',
    'application/json/x',
    'application /json',
    'application/ json',
    'application/json garbage',
    'application/json, text/plain',
    'text/plain, application/json',
    'application/json;',
    'application/json; ',
    'application/json; a',
    'application/json; =b',
    'application/json; a="b',
    'application/json\x01',
    'application/json\u00a0',
    'application\\json',
    'application/json; a=b c',
    'text/plain',
    'application/jsonx',
    'application/xjson',
    'application/x+jsonp',
    '*/*',
    'application/*',
  ]
  wireTest('no other content type reaches a handler whose body schema does not cover it', declareJson, async ({ port }) => {
    for (const type of bad) {
      const [answer] = await exchange(port, post('/checked', type, '{"n":"x"}'))
      assert.ok([400, 415].includes(answer!.status), `${JSON.stringify(type)}: ${answer!.status} ${answer!.body}`)
    }
  })

  wireTest('two content types are none', declareJson, async ({ port }) => {
    for (const types of [
      ['application/json', 'text/plain'],
      ['text/plain', 'application/json'],
      ['application/json', 'application/json'],
    ]) {
      const body = '{"n":"x"}'
      const head = types.map((type) => `Content-Type: ${type}\r\n`).join('')
      for (const path of ['/checked', '/free']) {
        const [answer] = await exchange(port, `POST ${path} HTTP/1.1\r\nHost: a\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`)
        assert.equal(answer!.status, 415, types.join())
      }
    }
  })

  wireTest('a required body that was not sent is 400, on the wire and injected', declareJson, async ({ port, server }) => {
    const [answer] = await exchange(port, 'POST /checked HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    assert.equal(answer!.status, 400)
    const [bare] = await exchange(port, 'POST /checked HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.equal(bare!.status, 400)
    assert.equal((await server.inject({ method: 'POST', url: '/checked' })).statusCode, 400)
    assert.equal(
      (await server.inject({ method: 'POST', url: '/checked', headers: { 'content-type': 'application/json' } })).statusCode,
      400,
    )
  })
})

describe('bodies', () => {
  wireTest(
    '200,000 nested arrays or objects are refused with 400, with and without a schema',
    (server) => {
      declareJson(server)
      server.addSchema({ $id: 'tree', type: 'array', items: { $ref: 'tree#' } })
      server.post('/tree', { schema: { body: { $ref: 'tree#' }, response: { 200: { $ref: 'tree#' } } } }, (request) => request.body)
      server.post('/echo', (request) => request.body)
    },
    async ({ port }) => {
      const arrays = '['.repeat(200_000) + ']'.repeat(200_000)
      const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)
      const hidden = `{"Ģ\\"":"\\\\","b":${'[{"a":'.repeat(40_000)}1${'}]'.repeat(40_000)}}`
      for (const body of [arrays, objects, hidden, '['.repeat(500_000)]) {
        for (const path of ['/free', '/tree', '/echo']) {
          const [answer] = await exchange(port, post(path, 'application/json', body), 3000)
          assert.equal(answer!.status, 400, path)
        }
      }
    },
  )

  wireTest(
    'a body nested 1,000 levels deep is accepted, validated and sent back, regardless of brackets in its strings',
    (server) => {
      server.addSchema({ $id: 'tree', type: 'array', items: { $ref: 'tree#' } })
      server.post('/tree', { schema: { body: { $ref: 'tree#' }, response: { 200: { $ref: 'tree#' } } } }, (request) => request.body)
      server.post('/echo', (request) => request.body)
    },
    async ({ port }) => {
      const deep = '['.repeat(1000) + ']'.repeat(1000)
      for (const path of ['/tree', '/echo']) {
        const [answer] = await exchange(port, post(path, 'application/json', deep))
        assert.equal(answer!.body, deep, path)
      }
      const text = JSON.stringify({
        a: '[{"'.repeat(5000),
        ['\\"[']: Array(3000)
          .fill(0)
          .map(() => ({ b: '\\' })),
      })
      const [answer] = await exchange(port, post('/echo', 'application/json', text))
      assert.equal(answer!.body, text)
    },
  )

  wireTest(
    'a handler that returns a value nested too deep to be serialized is answered 500',
    (server) => void server.get('/deep', nestDeep),
    async ({ port }) => {
      const [answer] = await exchange(port, get('/deep'))
      assert.equal(answer!.status, canWrite(nestDeep()) ? 200 : 500)
    },
  )

  wireTest('invalid UTF-8 is refused, in JSON and in text', declareJson, async ({ port }) => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from('"')])
      for (const type of ['application/json', 'text/plain']) {
        const [answer] = await exchange(port, post('/free', type, body))
        assert.equal(answer!.status, 400, `${type} ${bytes}`)
      }
    }
  })

  wireTest(
    'the JSON parser refuses invalid UTF-8 also in bytes',
    (server) => {
      server.addContentTypeParser('x/json', { parseAs: 'buffer' }, server.getDefaultJsonParser('error', 'error'))
      server.post('/', (request) => ({ got: request.body }))
    },
    async ({ port }) => {
      assert.equal((await exchange(port, post('/', 'x/json', '"é"')))[0]!.status, 200)
      assert.equal((await exchange(port, post('/', 'x/json', Buffer.from([0x22, 0xff, 0x22]))))[0]!.status, 400)
    },
  )

  wireTest('a byte order mark, duplicate keys, lone surrogates and huge numbers do no harm', declareJson, async ({ port }) => {
    const bodies: [string, number[]][] = [
      ['\ufeff{"n":1}', [200, 400]],
      ['{"n":"x","n":1}', [200]],
      ['{"n":1,"n":"x"}', [400]],
      ['{"n":1,"s":"\\ud800"}', [200]],
      ['{"n":1e400}', [400]],
      ['{"n":-1e400}', [400]],
      ['{"n":"Infinity"}', [400]],
      ['{"n":"NaN"}', [400]],
      [`{"n":${'9'.repeat(1000)}}`, [400]],
      ['{"n":NaN}', [400]],
      ['{"n":1}x', [400]],
      ['{"n":1}\0', [400]],
      ['\0', [400]],
      ['{', [400]],
    ]
    for (const [body, statuses] of bodies) {
      const [answer] = await exchange(port, post('/checked', 'application/json', body))
      assert.ok(statuses.includes(answer!.status), `${body.slice(0, 30)}: ${answer!.status}`)
    }
  })

  wireTest('no body reaches a prototype', declareJson, async ({ port }) => {
    for (const body of [
      '{"n":1,"__proto__":{"polluted":1}}',
      '{"n":1,"a":[{"\\u005f_proto__":{"polluted":1}}]}',
      '{"n":1,"constructor":{"prototype":{"polluted":1}}}',
      '{"n":1,"\\u0063onstructor":{"prototype":1}}',
    ]) {
      for (const path of ['/checked', '/free']) {
        const [answer] = await exchange(port, post(path, 'application/json', body))
        assert.equal(answer!.status, 400, body)
      }
    }
    assert.equal(({} as any).polluted, undefined)
  })

  wireTest('a content coding that no hook decodes is refused with 415', declareJson, async ({ port }) => {
    const zipped = gzipSync('{"n":1}')
    for (const coding of ['gzip', 'GZIP', 'deflate', 'br', 'x-unknown', 'identity, gzip', 'gzip, identity']) {
      for (const path of ['/checked', '/free']) {
        for (const body of [zipped, Buffer.from('{"n":1}')]) {
          const [answer] = await exchange(port, post(path, 'application/json', body, `Content-Encoding: ${coding}\r\n`))
          assert.equal(answer!.status, 415, coding)
        }
      }
    }
    for (const coding of ['identity', 'Identity']) {
      const [answer] = await exchange(port, post('/checked', 'application/json', '{"n":1}', `Content-Encoding: ${coding}\r\n`))
      assert.equal(answer!.status, 200)
    }
  })

  wireTest(
    'a preParsing hook may decode a content coding, and a parser of streams receives the coded body',
    (server) => {
      declareJson(server)
      server.addContentTypeParser('x/stream', (_request, payload, done) => {
        let size = 0
        payload.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => done(null, size))
      })
      server.post('/unzip', { preParsing: async (_request: any, _reply: any, payload: any) => unzip(payload) }, (request) => request.body)
    },
    async ({ port }) => {
      const zipped = gzipSync('{"n":1}')
      const [answer] = await exchange(port, post('/unzip', 'application/json', zipped, 'Content-Encoding: gzip\r\n'))
      assert.equal(answer!.body, '{"n":1}')
      const [stream] = await exchange(port, post('/free', 'x/stream', zipped, 'Content-Encoding: gzip\r\n'))
      assert.equal(stream!.body, `{"got":${zipped.length}}`)
      // Bytes that are not gzip, and a body that is too large once it is decoded.
      const [garbage] = await exchange(port, post('/unzip', 'application/json', 'garbage', 'Content-Encoding: gzip\r\n'))
      assert.equal(garbage!.status, 400)
      const bomb = gzipSync(Buffer.alloc(50_000_000, 32))
      const [large] = await exchange(port, post('/unzip', 'application/json', bomb, 'Content-Encoding: gzip\r\n'))
      assert.equal(large!.status, 413)
    },
  )

  wireTest(
    'an error of a stream that a preParsing hook made never ends the process, whether or not the body is read',
    (server) => {
      server.addHook('preParsing', async (_request: any, _reply: any, payload: any) => unzip(payload))
      server.post('/checked', { schema, bodyLimit: 10 }, () => 'ok')
      server.get('/get', () => 'ok')
      server.post('/early', { preValidation: async (_request, reply) => reply.send('early') }, () => 'ok')
    },
    async ({ port }) => {
      const cases: [Buffer | string, number][] = [
        [post('/checked', 'application/json', 'garbage that is no gzip'), 413],
        [post('/checked', 'text/plain', 'garbage'), 415],
        [post('/missing', 'text/x', 'garbage'), 404],
        ['GET /get HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nConnection: close\r\n\r\ngarbage', 200],
        [post('/early', 'application/json', 'garbage'), 400],
      ]
      for (const [bytes, status] of cases) assert.equal((await exchange(port, bytes))[0]!.status, status)
    },
  )

  wireTest(
    'a preParsing hook that does not return a stream, or returns one that fails, is answered',
    (server) => {
      for (const [name, value] of Object.entries({ text: 'x', number: 1, null: null, object: {} }))
        server.post(`/${name}`, { preParsing: (_a: any, _b: any, _c: any, done: any) => done(null, value) }, () => 'ok')
      for (const [name, error] of Object.entries({
        plain: new Error('secret'),
        none: null,
        text: 'secret',
        frozen: Object.freeze(new Error('x')),
      }))
        server.post(
          `/fails-${name}`,
          {
            preParsing: (_a: any, _b: any, payload: any, done: any) => {
              payload.resume()
              const stream = new PassThrough()
              setImmediate(() => stream.emit('error', error))
              setTimeout(() => stream.emit('error', error), 5)
              done(null, stream)
            },
          },
          () => 'ok',
        )
    },
    async ({ port }) => {
      for (const name of ['text', 'number', 'null', 'object'])
        assert.equal((await exchange(port, post(`/${name}`, 'application/json', '{}')))[0]?.status, 500, name)
      for (const name of ['plain', 'none', 'text', 'frozen']) {
        const [answer] = await exchange(port, post(`/fails-${name}`, 'application/json', '{}'))
        assert.ok(answer !== undefined && answer.status >= 400, name)
      }
    },
  )

  wireTest('a chunked body is cut off at the limit, and the connection with it', declareJson, async ({ port }) => {
    const socket = await open(port)
    let text = ''
    let isClosed = false
    socket.on('data', (data) => (text += data)).on('close', () => (isClosed = true))
    socket.write('POST /free HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = Buffer.alloc(65_536, 32)
    const before = process.memoryUsage().rss
    let written = 0
    while (!socket.destroyed && written < 400_000_000) {
      written += chunk.length
      if (!socket.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])))
        await new Promise<void>((resolve) => (socket.once('drain', resolve), socket.once('close', resolve)))
    }
    const [answer] = parse(text)
    assert.equal(answer!.status, 413)
    assert.equal(answer!.headers['connection'], 'close')
    assert.ok(isClosed, `${written} bytes were taken`)
    assert.ok(process.memoryUsage().rss - before < 100_000_000)
  })

  wireTest('a declared length over the limit is refused unread, and the connection closed', declareJson, async ({ port }) => {
    const { text, isClosed } = await raw(
      port,
      'POST /free HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n',
    )
    assert.equal(parse(text)[0]!.status, 413)
    assert.equal(parse(text)[0]!.headers['connection'], 'close')
    assert.ok(isClosed)
  })

  wireTest('after a 400 or a 415 the connection skips the unread body and serves the next request', declareJson, async ({ port }) => {
    const text = 'x'.repeat(70_000)
    const first = `POST /checked HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const second = 'POST /checked HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"n":x}'
    const answers = await exchange(port, [first, second, get('/alive')])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [415, 400, 200],
    )
  })

  wireTest(
    'a body shorter than declared is never handled',
    (server) => {
      server.post('/', () => assert.fail('handled'))
    },
    async ({ port }) => {
      const socket = await open(port)
      socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{}')
      await new Promise((resolve) => socket.on('close', resolve).resume())
    },
  )

  wireTest('bytes beyond the declared length are read as the next request', declareJson, async ({ port }) => {
    const answers = await exchange(
      port,
      'POST /free HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}garbage\r\n\r\n',
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400],
    )
  })

  test('a body without a length is parsed over HTTP/2 as well, in all methods that have one', async (t) => {
    const server = createServer({ http2: true })
    const methods = ['POST', 'DELETE', 'OPTIONS'] as const
    server.route({ method: methods, url: '/', handler: (request) => ({ got: request.body ?? 'none' }) })
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    t.after(async () => {
      session.destroy()
      await server.close()
    })
    const ask = async (method: string, type: string | undefined, body: string | undefined): Promise<string> => {
      const headers = { ':path': '/', ':method': method, ...(type !== undefined && { 'content-type': type }) }
      const stream = session.request(headers, { endStream: body === undefined })
      if (body !== undefined) stream.end(body)
      let text = ''
      stream.setEncoding('utf8').on('data', (data) => (text += data))
      const [{ ':status': status }] = await once(stream, 'response')
      await once(stream, 'end')
      return `${status} ${text}`
    }
    for (const method of methods) {
      assert.equal(await ask(method, 'application/json', '{"n":1}'), '200 {"got":{"n":1}}', method)
      assert.match(await ask(method, 'application/json', '{"__proto__":1}'), /^400/, method)
      assert.match(await ask(method, 'x/unknown', 'x'), /^415/, method)
      assert.equal(await ask(method, undefined, undefined), '200 {"got":"none"}', method)
    }
    assert.equal(await ask('DELETE', 'application/json', undefined), '200 {"got":"none"}')
  })

  test('an injected content-length that does not match is 400', async () => {
    const server = createServer()
    declareJson(server)
    const answer = await server.inject({
      method: 'POST',
      url: '/free',
      headers: { 'content-type': 'application/json', 'content-length': '5' },
      payload: '{}',
    })
    assert.equal(answer.statusCode, 400)
  })

  wireTest('Expect: 100-continue is answered, another expectation refused', declareJson, async ({ port }) => {
    const { text } = await raw(port, [
      'POST /free HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
      '{}',
    ])
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/)
    const [answer] = await exchange(port, 'POST /free HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nContent-Length: 0\r\n\r\n')
    assert.equal(answer!.status, 417)
  })

  describe('Expect: 100-continue', () => {
    const declare = (server: Server): void => {
      declareJson(server)
      server.addContentTypeParser('text/csv', async (_request: unknown, payload: Readable) =>
        String(Buffer.concat(await payload.toArray())),
      )
      server.post('/text', (request) => request.body as string)
      server.get('/by-hand', async (request) => String(Buffer.concat(await request.raw.toArray())))
      server.post('/guarded', { onRequest: async (_request, reply) => reply.code(401).send('who are you?') }, () => 'never')
      server.post('/small', { bodyLimit: 3 }, (request) => request.body as string)
      server.get('/unread', () => 'unread')
    }
    const expecting = (target: string, headers = 'Content-Type: text/plain\r\nContent-Length: 4\r\n'): string =>
      `${target} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${headers}\r\n`
    const chunked = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n'

    for (const [who, head, body] of [
      ['the server', expecting('POST /text'), 'text'],
      ['the server, in chunks', expecting('POST /text', chunked), '4\r\ntext\r\n0\r\n\r\n'],
      ['a parser of its own', expecting('POST /text', 'Content-Type: text/csv\r\nContent-Length: 4\r\n'), 'text'],
      ['a handler', expecting('GET /by-hand'), 'text'],
    ] as const) {
      wireTest(`is answered when ${who} reads the body, and the connection stays open`, declare, async ({ port }) => {
        const client = await open(port)
        client.write(head)
        const [first] = await once(client, 'data')
        assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n')
        client.write(body + get('/unread'))
        const answers = parse(String(Buffer.concat(await client.toArray())))
        assert.deepEqual(
          answers.map(({ status, body: content }) => [status, content]),
          [
            [200, 'text'],
            [200, 'unread'],
          ],
        )
      })
    }

    for (const [why, head, status] of [
      ['a guard refuses the request', expecting('POST /guarded'), 401],
      ['its declared length is too large', expecting('POST /small'), 413],
      ['its media type has no parser', expecting('POST /free', 'Content-Type: x/y\r\nContent-Length: 4\r\n'), 415],
      ['there is no such route', expecting('POST /none', 'Content-Type: x/y\r\nContent-Length: 4\r\n'), 404],
      ['the handler does not read it', expecting('GET /unread'), 200],
    ] as const) {
      wireTest(
        `does not make the server ask for a body if ${why}: the reply comes at once, and the connection is closed`,
        declare,
        async ({ port }) => {
          const { text, isClosed } = await raw(port, head)
          assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
          assert.equal(parse(text)[0]!.headers.connection, 'close')
          assert.equal(isClosed, true)
        },
      )
    }

    wireTest(
      'and other requests that are refused early are answered, although the client is still sending (RFC 9112 §9.6)',
      declare,
      async ({ port }) => {
        const heads = [
          expecting('POST /guarded', 'Content-Length: 30000000\r\n'),
          'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 30000000\r\n\r\n',
        ]
        for (const head of [...heads, ...heads, ...heads]) {
          const client = await open(port)
          const chunks: Buffer[] = []
          client.on('data', (chunk) => chunks.push(chunk))
          const closed = once(client, 'close')
          client.write(head)
          for (let sent = 0; sent < 30 && !client.destroyed; sent++) {
            if (!client.write(Buffer.alloc(1_000_000, 'x'))) await Promise.race([once(client, 'drain'), closed])
          }
          client.end()
          await closed
          const [answer] = parse(String(Buffer.concat(chunks)))
          assert.ok(answer?.status === 401 || answer?.status === 413, String(answer?.status))
        }
      },
    )

    wireTest('without a body is answered at once, and the connection stays', declare, async ({ port }) => {
      const { text } = await raw(port, [expecting('GET /unread', ''), get('/unread')])
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 (?:.|\r\n)*HTTP\/1\.1 200 /)
    })

    wireTest(
      'is left to a listener of the application',
      (server) => {
        declare(server)
        server.server.on('checkContinue', (_request, response) => response.writeHead(417).end())
      },
      async ({ port }) => {
        const [answer] = await exchange(port, expecting('POST /free'))
        assert.equal(answer!.status, 417)
      },
    )
  })
})

/** Decodes gzip, and sets receivedEncodedLength, which the reader of bodies requires of such hooks. */
function unzip(payload: any): unknown {
  const gunzip = Object.assign(createGunzip(), { receivedEncodedLength: 0 })
  payload.on('data', (chunk: Buffer) => (gunzip.receivedEncodedLength += chunk.length))
  return payload.pipe(gunzip)
}
