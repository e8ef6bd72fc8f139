/** Headers and replies: no value of a handler can split, corrupt or lose a response, or end the process. */
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import { exchange, get, open, post, raw, revoked, wireTest } from './wire.js'
import { elapse } from '../fixtures/elapse.js'

const bad = ['a\r\nx-injected: 1', 'a\nx-injected: 1', 'a\r\n\r\n<script>', 'a\0b', '\u{1f600}', '\r\n']

wireTest(
  'no value breaks out of a header, a redirect or a media type',
  (server) => {
    for (const [index, value] of bad.entries()) {
      server.get(`/header/${index}`, (_request, reply) => reply.header('x-a', value).send('secret'))
      server.get(`/headers/${index}`, (_request, reply) => reply.headers({ 'x-a': ['fine', value] } as any).send({ secret: 1 }))
      server.get(`/redirect/${index}`, (_request, reply) => reply.redirect(`/${value}`))
      server.get(`/type/${index}`, (_request, reply) => reply.type(`text/${value}`).send('secret'))
      server.get(`/cookie/${index}`, (_request, reply) => reply.header('set-cookie', ['a=1', `b=${value}`]).send('secret'))
      server.get(`/stream/${index}`, (_request, reply) => reply.header('x-a', value).send(Readable.from(['secret'])))
      server.get(`/message/${index}`, (_request, reply) => {
        reply.raw.statusMessage = value
        return reply.send('secret')
      })
      server.get(`/message-stream/${index}`, (_request, reply) => {
        reply.raw.statusMessage = value
        return reply.send(Readable.from(['secret']))
      })
      server.get(`/chunked/${index}`, (_request, reply) => reply.header('transfer-encoding', 'chunked').header('x-a', value).send('secret'))
      server.get(`/trailer/${index}`, (_request, reply) =>
        reply.trailer('x-t', (_reply: any, _payload: any, done: any) => done(null, value)).send('fine'),
      )
    }
  },
  async ({ port }) => {
    for (const index of bad.keys()) {
      for (const kind of ['header', 'headers', 'redirect', 'type', 'cookie', 'stream', 'message', 'message-stream', 'chunked']) {
        const { text } = await raw(port, get(`/${kind}/${index}`))
        assert.match(text, /^HTTP\/1\.1 500 /, `${kind} ${index}: ${JSON.stringify(text.slice(0, 80))}`)
        assert.ok(!/x-injected|script|secret/.test(text), `${kind} ${index}: ${text}`)
        const [answer] = await exchange(port, get(`/${kind}/${index}`))
        assert.equal(JSON.parse(answer!.body).statusCode, 500, `${kind} ${index}: ${answer!.body}`)
      }
      const { text } = await raw(port, get(`/trailer/${index}`))
      assert.ok(text.startsWith('HTTP/1.1 200 ') && !/x-injected/.test(text))
    }
  },
)

const names = ['', ' ', 'bad name', 'a:b', 'a\r\nb', 'ü', '\0', 'constructor', '__proto__', 'hasownproperty', 'toString']

wireTest(
  'an invalid header name is answered 500, and one named like a member of prototypes is a header',
  (server) => {
    for (const [index, name] of names.entries()) {
      server.get(`/${index}`, (_request, reply) => reply.header(name, 'v').send(String(reply.hasHeader(name) && reply.getHeader(name))))
      server.get(`/has/${index}`, (_request, reply) => reply.send(String(reply.hasHeader(name) || reply.getHeader(name))))
    }
    server.get('/symbol', (_request, reply) => reply.header(Symbol('x') as any, 'v').send('secret'))
    server.get('/value', (_request, reply) => reply.header('x', revoked({})).send('secret'))
    server.get('/object', (_request, reply) => reply.headers(revoked({})).send('secret'))
  },
  async ({ port }) => {
    for (const [index, name] of names.entries()) {
      const [answer] = await exchange(port, get(`/${index}`))
      if (index < 7) assert.equal(answer!.status, 500, JSON.stringify(name))
      else {
        assert.equal(answer!.body, 'v', name)
        assert.equal(answer!.headers[name.toLowerCase()], 'v')
        assert.ok(['false', 'undefined'].includes((await exchange(port, get(`/has/${index}`)))[0]!.body), name)
      }
    }
    for (const path of ['/symbol', '/value', '/object']) assert.equal((await exchange(port, get(path)))[0]!.status, 500, path)
  },
)

const statuses: unknown[] = [9999, 1000, 100, 101, 199, 99, 0, -1, Number.NaN, Infinity, 'x', '', null, undefined, {}, [], 1n]

wireTest(
  'an invalid status is answered 500, for every kind of payload',
  (server) => {
    for (const [index, status] of statuses.entries()) {
      server.get(`/code/${index}`, (_request, reply) => reply.code(status as any).send('secret'))
      for (const [kind, payload] of Object.entries({
        text: (): unknown => 'secret',
        none: (): unknown => undefined,
        stream: () => Readable.from(['secret']),
        web: () => new Response('secret').body,
      })) {
        server.get(`/${kind}/${index}`, (_request, reply) => {
          reply.raw.statusCode = status as any
          return reply.send(payload())
        })
      }
    }
    server.get('/redirect', (_request, reply) => (reply as any).redirect(9999, '/'))
    server.get('/response', () => Response.error())
  },
  async ({ port }) => {
    for (const [index, status] of statuses.entries()) {
      for (const kind of ['code', 'text', 'none', 'stream', 'web']) {
        const answers = await exchange(port, get(`/${kind}/${index}`))
        assert.deepEqual(
          answers.map((answer) => answer.status),
          [500],
          `${kind} ${typeof status} ${index}`,
        )
        assert.ok(!answers[0]!.body.includes('secret'))
      }
    }
    for (const path of ['/redirect', '/response']) assert.equal((await exchange(port, get(path)))[0]!.status, 500)
  },
)

wireTest(
  'an array of cookies that requests share never grows',
  (server) => {
    const shared = ['a=1', 'b=2']
    server.addHook('onRequest', async (_request, reply) => void reply.header('set-cookie', shared))
    server.get('/', (_request, reply) => reply.header('set-cookie', 'c=3').headers({ 'set-cookie': shared }).send('ok'))
  },
  async ({ port }) => {
    for (let round = 0; round < 3; round++)
      assert.equal((await exchange(port, get('/')))[0]!.headers['set-cookie'], 'a=1\nb=2\nc=3\na=1\nb=2')
  },
)

wireTest(
  'a reply that is sent twice is sent once',
  (server) => {
    server.get('/twice', (_request, reply) => (reply.send('first'), reply.send('second')))
    server.get('/return', async (_request, reply) => {
      reply.send('first')
      return 'second'
    })
    server.get('/error', async (_request, reply) => {
      reply.send('first')
      throw new Error('second')
    })
    server.get('/hook', { onSend: async (_request, reply) => void reply.send('second') }, () => 'first')
    server.get('/raw', (_request, reply) => {
      reply.raw.end('first')
      return 'second'
    })
    server.get('/late', (_request, reply) => {
      reply.send('first')
      setImmediate(() => reply.send('second').code(201).header('x', 'y'))
    })
    server.get('/done', (_request, reply) => {
      reply.raw.on('finish', () => reply.header('x', '1').code(404).send('second'))
      reply.send('first')
    })
  },
  async ({ port }) => {
    for (const path of ['/twice', '/return', '/error', '/hook', '/raw', '/late', '/done']) {
      const answers = await exchange(port, get(path).replace('Connection: close\r\n', '') + get('/alive'))
      assert.deepEqual(
        answers.map(({ body }) => body),
        ['first', 'alive'],
        path,
      )
    }
  },
)

function endless(onClose: () => void): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(16_384, 120))
    },
    destroy(error, done) {
      onClose()
      done(error)
    },
  })
}

let closed = 0

wireTest(
  'the source of a body that is not sent is closed: HEAD, 204, 304, an invalid header',
  (server) => {
    closed = 0
    const web = (): ReadableStream =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(Buffer.alloc(16_384)),
        cancel: () => void closed++,
      })
    server.get('/node', () => endless(() => closed++))
    server.get('/web', () => web())
    server.get('/response', () => new Response(web()))
    for (const status of [204, 304]) {
      server.get(`/${status}`, (_request, reply) => reply.code(status).send(endless(() => closed++)))
      server.get(`/web${status}`, (_request, reply) => reply.code(status).send(web()))
    }
    server.get('/bad', (_request, reply) => reply.header('x', 'a\r\nb').send(endless(() => closed++)))
  },
  async ({ port }) => {
    const requests = ['/node', '/web', '/response']
      .map((path) => `HEAD ${path}`)
      .concat(['/204', '/web204', '/304', '/web304', '/bad'].map((path) => `GET ${path}`))
    for (const [index, line] of requests.entries()) {
      const answers = await exchange(port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      assert.equal(answers.length, 1, line)
      await elapse(20)
      assert.equal(closed, index + 1, line)
    }
  },
)

wireTest(
  'the source of a body is closed when the client leaves, and waits while the client does not read',
  (server) => {
    closed = 0
    let pushed = 0
    server.get('/node', () => {
      pushed = 0
      const source = endless(() => closed++)
      const read = source._read.bind(source)
      source._read = () => (pushed++, read(0))
      return source
    })
    server.get('/pushed', () => String(pushed))
  },
  async ({ port }) => {
    const socket = await open(port)
    socket.write('GET /node HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.pause()
    await elapse(300)
    const [first] = await exchange(port, get('/pushed'))
    await elapse(100)
    const [second] = await exchange(port, get('/pushed'))
    assert.equal(first!.body, second!.body)
    assert.ok(Number(first!.body) * 16_384 < 50_000_000)
    socket.destroy()
    await elapse(50)
    assert.equal(closed, 1)
  },
)

wireTest(
  'a stream that fails is answered 500 before its first byte and ends the connection after it',
  (server) => {
    const failing = (after: number, error: unknown): Readable => {
      let count = 0
      return new Readable({
        read() {
          if (count++ < after) this.push('part')
          else setImmediate(() => this.destroy(error as Error))
        },
      })
    }
    for (const [name, error] of Object.entries({
      error: new Error('secret'),
      frozen: Object.freeze(new Error('secret')),
      odd: revoked(new Error('secret')),
    })) {
      server.get(`/before/${name}`, () => failing(0, error))
      server.get(`/after/${name}`, () => failing(2, error))
    }
    server.get('/text', () => Readable.from([{ not: 'bytes' }]))
    server.get('/web', () => new ReadableStream({ start: (controller) => controller.error('secret') }))
  },
  async ({ port }) => {
    for (const name of ['error', 'frozen']) {
      const [answer] = await exchange(port, get(`/before/${name}`))
      assert.equal(answer!.status, 500)
      assert.ok(!answer!.body.includes('secret'))
      const { text, isClosed } = await raw(port, get(`/after/${name}`))
      assert.ok(isClosed && text.includes('part') && !text.endsWith('0\r\n\r\n'), text)
    }
    for (const path of ['/text', '/web']) {
      const { text, isClosed } = await raw(port, get(path))
      assert.ok(isClosed && !text.includes('secret') && !text.endsWith('0\r\n\r\n'), `${path}: ${text}`)
    }
  },
)

wireTest(
  'the signal of a request is aborted by a client that leaves, not by the end of a connection that served it',
  (server) => {
    const seen: string[] = []
    server.get('/quick/:n', (request: any) => {
      request.signal.addEventListener('abort', () => seen.push(`quick ${request.params.n}`))
      return 'ok'
    })
    server.get(
      '/slow',
      (request: any) => new Promise((resolve) => request.signal.addEventListener('abort', () => (seen.push('slow'), resolve('ok')))),
    )
    server.get('/seen', () => seen)
    server.get('/listeners', (request) => String(request.socket.listenerCount('close')))
  },
  async ({ port }) => {
    const lines = Array.from({ length: 30 }, (_, index) => `GET /quick/${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')
    const answers = await exchange(port, lines + get('/listeners'))
    assert.equal(answers.length, 31)
    assert.ok(Number(answers.at(-1)!.body) < 5, `${answers.at(-1)!.body} listeners`)
    const socket = await open(port)
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    await elapse(50)
    socket.destroy()
    await elapse(50)
    assert.equal((await exchange(port, get('/seen')))[0]!.body, '["slow"]')
  },
)

wireTest(
  'a reply never names the software of the server',
  (server) => server.get('/', () => 'ok'),
  async ({ port }) => {
    const [answer] = await exchange(port, get('/'))
    for (const name of ['x-powered-by', 'server']) assert.equal(answer!.headers[name], undefined)
  },
)

wireTest(
  'trailers that are never computed are omitted after handlerTimeout, and the reply and the other trailers reach the client',
  (server) => {
    server.get('/', (_request, reply) => {
      reply.trailer('x-late', () => new Promise<string>(() => {}))
      reply.trailer('x-never', () => {})
      reply.trailer('x-fine', (_reply, _payload, done) => done(null, 'fine'))
      reply.send('body')
    })
  },
  async ({ port }) => {
    const { text } = await raw(port, get('/'))
    assert.match(text, /body\r\n0\r\nx-fine: fine\r\n\r\n$/)
  },
  { handlerTimeout: 100 },
)

const chunked = { 'transfer-encoding': 'chunked' }

wireTest(
  'a reply marks its end once: by a length or by chunks, and by neither if it has no content',
  (server) => {
    const send = (path: string, status: number, headers: Record<string, unknown>, payload: () => unknown): void => {
      server.get(path, (_request, reply) => reply.code(status).headers(headers).send(payload()))
    }
    for (const [kind, payload] of Object.entries({
      text: (): unknown => 'hello',
      bytes: () => Buffer.from('hello'),
      stream: () => Readable.from(['hello']),
    })) {
      send(`/${kind}/both`, 200, { ...chunked, 'content-length': 5 }, payload)
      send(`/${kind}/bad`, 200, { 'content-length': 'abc' }, payload)
      send(`/${kind}/negative`, 200, { 'content-length': -1, 'transfer-encoding': 'identity' }, payload)
      for (const status of [204, 205, 304]) send(`/${kind}/${status}`, status, { ...chunked, 'content-length': 5 }, payload)
    }
    server.get('/response', () => new Response('hello', { headers: { ...chunked, 'content-length': '5' } }))
    server.get('/error', () => {
      throw Object.assign(new Error('no'), { statusCode: 418, headers: { ...chunked, 'content-length': '99' } })
    })
    for (const status of [204, 205, 304])
      server.get(`/trailer/${status}`, (_request, reply) =>
        reply
          .code(status)
          .trailer('x-t', async () => 't')
          .send(),
      )
  },
  async ({ port }) => {
    const paths = ['text', 'bytes', 'stream'].flatMap((kind) =>
      ['both', 'bad', 'negative', '204', '205', '304'].map((name) => `/${kind}/${name}`),
    )
    for (const path of [...paths, '/response', '/error', '/trailer/204', '/trailer/205', '/trailer/304']) {
      for (const method of ['GET', 'HEAD']) {
        const { text } = await raw(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`)
        const [head = '', ...rest] = text.split('\r\n\r\n')
        const [length, coding] = [/^content-length: (.*)$/im.exec(head)?.[1], /^transfer-encoding: (.*)$/im.exec(head)?.[1]]
        const status = path.split('/')[2]
        const place = `${method} ${path}: ${text}`
        assert.ok(length === undefined || coding === undefined, place)
        assert.match(length ?? '0', /^\d+$/, place)
        if (status === '204') assert.equal(length, undefined, place)
        if (status === '205') assert.equal(length, '0', place)
        if (['204', '205', '304'].includes(status!)) assert.equal(coding, undefined, place)
        if (method === 'HEAD' || ['204', '205', '304'].includes(status!)) assert.match(rest.join('\r\n\r\n'), /^HTTP\/1\.1 200 /, place)
        assert.ok(text.endsWith('\r\n\r\nalive'), place)
      }
    }
  },
)

wireTest(
  'a stream whose length differs from the stated one is answered 500 or ends its connection, and no part of it is read as another reply',
  (server) => {
    for (const [name, length] of Object.entries({ longer: 3, shorter: 99, none: 1, first: 1 })) {
      const bytes = name === 'none' ? [] : ['hel', 'lo']
      server.get(`/node/${name}`, (_request, reply) => reply.header('content-length', length).send(Readable.from(bytes)))
      server.get(`/raw/${name}`, (_request, reply) => {
        reply.raw.setHeader('content-length', length)
        return reply.send(Readable.from(bytes))
      })
      server.get(`/web/${name}`, () => new Response(bytes.join(''), { headers: { 'content-length': String(length) } }))
    }
    server.get('/right', (_request, reply) => reply.header('content-length', 5).send(Readable.from(['hel', 'lo'])))
  },
  async ({ port }) => {
    for (const kind of ['node', 'raw', 'web']) {
      for (const name of ['longer', 'shorter', 'none', 'first']) {
        const { text, isClosed } = await raw(port, `GET /${kind}/${name} HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`)
        const place = `${kind} ${name}: ${text}`
        if ((kind !== 'web' && (name === 'longer' || name === 'shorter')) || (kind === 'web' && name === 'shorter')) {
          assert.ok(isClosed && text.startsWith('HTTP/1.1 200 ') && !text.endsWith('\r\n\r\nalive'), place)
          if (name === 'longer') assert.ok(text.endsWith('\r\n\r\nhel'), place)
        } else assert.match(text, /^HTTP\/1\.1 500 .*\r\n\r\nalive$/s, place)
      }
    }
    const { text } = await raw(port, `GET /right HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`)
    assert.match(text, /\r\n\r\nhelloHTTP\/1\.1 200 .*\r\n\r\nalive$/s)
  },
)

wireTest(
  'a client of HTTP/1.0 gets no chunks and no trailers',
  (server) => {
    server.get('/text', (_request, reply) => reply.headers(chunked).send('hello'))
    server.get('/stream', (_request, reply) => reply.headers(chunked).send(Readable.from(['hel', 'lo'])))
    server.get('/trailer', (_request, reply) => reply.trailer('x-t', async () => 't').send('hello'))
  },
  async ({ port }) => {
    for (const path of ['/text', '/stream', '/trailer']) {
      const { text } = await raw(port, `GET ${path} HTTP/1.0\r\n\r\n`)
      assert.match(text, /\r\n\r\nhello$/, path)
      assert.doesNotMatch(text, /transfer-encoding|trailer/i)
    }
  },
)

wireTest(
  'a trailer that fails in any way affects only itself',
  (server) => {
    server.get('/', (_request, reply) => {
      const hostile = {
        get then() {
          throw new Error('secret')
        },
      }
      reply.trailer('x-hostile', () => hostile as any)
      reply.trailer('x-nothing', () => Promise.reject())
      reply.trailer('x-undefined', async (): Promise<any> => undefined)
      reply.trailer('x-bad', async () => 'a\r\nb: c')
      reply.trailer('x-fine', async () => 'fine')
      return reply.send('body')
    })
    server.get('/name', (_request, reply) => reply.trailer('bad name', async () => 'v').send('secret'))
  },
  async ({ port }) => {
    const { text } = await raw(port, get('/'))
    assert.match(text, /body\r\n0\r\nx-fine: fine\r\n\r\n$/)
    assert.equal((await exchange(port, get('/name')))[0]!.status, 500)
  },
)

wireTest(
  'an error reply has no headers of the body that it replaces, and its error handler may send another',
  (server) => {
    const fail = (): Readable =>
      new Readable({
        read() {
          this.destroy(new Error('secret'))
        },
      })
    const describe = (reply: any): any =>
      reply
        .type('application/octet-stream')
        .headers({ 'content-encoding': 'gzip', 'content-length': 500, 'content-disposition': 'attachment', 'content-range': 'bytes 0-1/2' })
        .headers({
          etag: '"a"',
          'last-modified': 'then',
          'x-kept': 'kept',
          'content-digest': 'd',
          'repr-digest': 'd',
          digest: 'd',
          'content-md5': 'd',
        })
    const kinds: Record<string, (reply: any) => unknown> = {
      stream: (reply) => describe(reply).send(fail()),
      chunks: (reply) => describe(reply).header('transfer-encoding', 'chunked').send(fail()),
      throw: (reply) => {
        describe(reply)
        throw new Error('secret')
      },
      raw: (reply) => {
        for (const name of ['content-type', 'content-encoding', 'etag']) reply.raw.setHeader(name, 'gzip')
        reply.raw.statusMessage = 'Fine'
        reply.header('x-kept', 'kept')
        throw new Error('secret')
      },
      bad: (reply) => describe(reply).header('x-bad', 'a\r\nb').send('secret'),
      onSend: (reply) => describe(reply).code(201).send('secret'),
    }
    const onSend = async (_request: unknown, reply: any): Promise<void> => {
      if (reply.statusCode === 201) throw new Error('secret')
    }
    const stuck = (_request: unknown, reply: any): Promise<never> => (describe(reply), new Promise(() => {}))
    for (const [kind, run] of Object.entries(kinds)) {
      server.get(`/${kind}`, { onSend }, (_request, reply) => void run(reply))
      const errorHandler = (_error: unknown, _request: unknown, reply: any): unknown =>
        reply.removeHeader('x-bad').code(418).send({ mine: 1 })
      server.get(`/handled/${kind}`, { errorHandler, onSend }, (_request, reply) => void run(reply))
    }
    server.get('/stuck', { onSend: stuck, handlerTimeout: 50 }, () => 'secret')
    server.get('/silent', { handlerTimeout: 50 }, (_request, reply) => describe(reply).send(new Promise(() => {})))
  },
  async ({ port }) => {
    const paths = ['stream', 'chunks', 'throw', 'raw', 'bad', 'onSend'].flatMap((kind) => [`/${kind}`, `/handled/${kind}`])
    for (const path of [...paths, '/stuck', '/silent']) {
      const { text } = await raw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`)
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const isHandled = path.startsWith('/handled')
      const status = isHandled
        ? "418 I'm a Teapot"
        : ['/stuck', '/silent'].includes(path)
          ? '503 Service Unavailable'
          : '500 Internal Server Error'
      assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`), `${path}: ${head}`)
      assert.doesNotMatch(head, /gzip|attachment|bytes|etag|last-modified|digest|md5|octet|transfer-encoding/i, path)
      if (path !== '/bad') assert.match(head, /x-kept: kept/, path)
      if (isHandled) assert.ok(body.startsWith('{"mine":1}HTTP/'), `${path}: ${body}`)
      assert.ok(text.endsWith('\r\n\r\nalive'), path)
    }
  },
)

wireTest(
  'the headers and trailers of an empty stream are sent',
  (server) => {
    server.get('/', (_request, reply) => {
      reply.header('x-a', '1').trailer('x-t', (_reply, _payload, done) => done(null, 't'))
      return reply.send(Readable.from([]))
    })
  },
  async ({ port }) => assert.match((await raw(port, get('/'))).text, /x-a: 1\r\n.*\r\n\r\n0\r\nx-t: t\r\n\r\n$/s),
)

wireTest(
  'the source of a body that comes too late, or whose hook fails, is closed, but not that of the reply in flight',
  (server) => {
    const sources: Record<string, () => unknown> = {
      node: () => endless(() => closed++),
      web: () => new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(16_384)), cancel: () => void closed++ }),
    }
    sources['response'] = () => new Response(sources['web']!() as ReadableStream)
    for (const [kind, make] of Object.entries(sources)) {
      const late = async (_request: unknown, reply: any): Promise<void> => (reply.hijack(), void reply.raw.end('first'))
      server.get(`/${kind}/sent`, (_request, reply) => void reply.send('first').send(make()))
      server.get(`/${kind}/returned`, async (_request, reply) => (reply.send('first'), make()))
      server.get(`/${kind}/hijacked`, async (_request, reply) => (reply.hijack(), reply.raw.end('first'), make()))
      server.get(`/${kind}/missing`, async (_request, reply) => (reply.callNotFound(), make()))
      server.get(`/${kind}/expired`, { handlerTimeout: 30 }, () => elapse(60).then(make))
      server.get(`/${kind}/onSend`, { onSend: () => Promise.reject(new Error('secret')) }, () => make())
      server.get(`/${kind}/taken`, { onSend: late }, () => make())
      server.get(`/${kind}/status`, (_request, reply) => {
        reply.raw.statusMessage = 'a\r\nb'
        return reply.send(make())
      })
      server.get(`/${kind}/gone`, (request, reply) => {
        request.raw.destroy()
        setTimeout(() => reply.send(make()), 10)
      })
    }
    server.get('/same', async (_request, reply) => {
      const source = Readable.from(['whole'])
      reply.send(source)
      return source
    })
    const wait = async (_request: unknown, _reply: unknown, payload: unknown): Promise<any> => (await elapse(20), payload)
    server.get('/same/hook', { onSend: wait }, async (_request, reply) => {
      const source = Readable.from(['whole'])
      reply.send(source)
      return source
    })
  },
  async ({ port }) => {
    for (const kind of ['node', 'web', 'response']) {
      for (const name of ['sent', 'returned', 'hijacked', 'missing', 'expired', 'onSend', 'taken', 'status', 'gone']) {
        closed = 0
        await raw(port, get(`/${kind}/${name}`))
        for (let turns = 0; turns < 100; turns++) {
          if (closed > 0) break
          await elapse(20)
        }
        await elapse(20)
        assert.equal(closed, 1, `${kind} ${name}`)
      }
    }
    for (const path of ['/same', '/same/hook']) assert.equal((await exchange(port, get(path)))[0]!.body, 'whole', path)
  },
)

wireTest(
  'a stream that was read to its end before it is sent is answered 500 at once',
  (server) => {
    server.get('/', async () => {
      const source = Readable.from(['read'])
      for await (const _chunk of source);
      return source
    })
    server.post('/', (request) => request.raw)
  },
  async ({ port }) => {
    assert.equal((await exchange(port, get('/')))[0]!.status, 500)
    assert.equal((await exchange(port, post('/', 'application/json', '{}')))[0]!.status, 500)
  },
)

test('over HTTP/2, a body that breaks off differs from a whole one, and no field holds a line break', { timeout: 20_000 }, async () => {
  const server = createServer({ http2: true })
  const parts = (): Readable => {
    let count = 0
    return new Readable({
      read() {
        if (count++ < 2) this.push('part')
        else setImmediate(() => this.destroy(new Error('secret')))
      },
    })
  }
  server.get('/breaks', () => parts())
  server.get('/short', (_request, reply) => reply.header('content-length', 99).send(Readable.from(['part'])))
  server.get('/thrown', (_request, reply) => {
    reply.raw.write('part')
    setTimeout(() => reply.send({}), 10)
  })
  server.get('/whole', () => Readable.from(['part']))
  server.get('/trailer', (_request, reply) => reply.trailer('x-t', async () => 't').send('part'))
  for (const [index, value] of bad.entries()) {
    server.get(`/text/${index}`, (_request, reply) => reply.header('x-a', value).send('secret'))
    server.get(`/list/${index}`, (_request, reply) => reply.header('x-a', ['fine', value]).send('secret'))
    server.get(`/stream/${index}`, (_request, reply) => reply.header('x-a', value).send(Readable.from(['secret'])))
  }
  server.get('/name', (_request, reply) => reply.header('bad name', 'a').send('secret'))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const client = connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  const ask = (path: string): Promise<{ status: unknown; isWhole: boolean }> =>
    new Promise((resolve) => {
      let status: unknown
      let isWhole = false
      const stream = client.request({ ':path': path })
      stream.on('response', (headers) => (status = headers[':status']))
      stream.on('end', () => (isWhole = stream.rstCode === 0))
      stream.on('error', () => (isWhole = false))
      stream.on('close', () => resolve({ status, isWhole: isWhole && stream.rstCode === 0 }))
      stream.resume()
    })
  try {
    for (const path of ['/breaks', '/short', '/thrown']) assert.deepEqual(await ask(path), { status: 200, isWhole: false }, path)
    for (const path of ['/whole', '/trailer']) assert.deepEqual(await ask(path), { status: 200, isWhole: true }, path)
    for (const index of bad.keys()) {
      for (const kind of ['text', 'list', 'stream'])
        assert.deepEqual(await ask(`/${kind}/${index}`), { status: 500, isWhole: true }, `${kind} ${index}`)
    }
    assert.equal((await ask('/name')).status, 500)
  } finally {
    client.destroy()
    await server.close()
  }
})

wireTest(
  'a client that leaves also ends the sources of the requests whose turn has not come',
  (server) => {
    closed = 0
    const seen: string[] = []
    server.get('/slow', () => elapse(100).then(() => 'slow'))
    server.get('/node', () => endless(() => closed++))
    server.get('/signal', (request) => {
      request.signal.addEventListener('abort', () => seen.push('aborted'))
      return elapse(100).then(() => 'late')
    })
    server.get('/seen', () => ({ closed, seen }))
  },
  async ({ port }) => {
    const line = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const socket = await open(port)
    socket.write(line('/slow') + line('/node').repeat(20) + line('/signal'))
    await elapse(30)
    socket.destroy()
    await elapse(50)
    assert.equal((await exchange(port, get('/seen')))[0]!.body, '{"closed":20,"seen":["aborted"]}')
    // A request whose turn comes is served like any other.
    closed = 0
    const patient = await open(port)
    patient.write(line('/slow') + line('/slow') + line('/node'))
    await elapse(250)
    patient.destroy()
    await elapse(50)
    assert.equal(closed, 1)
  },
)
