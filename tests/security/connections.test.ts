/** Connections: ambiguous or invalid requests are refused and cut off, valid ones are answered in order, and forwarded headers count only from trusted peers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
import { describe, test } from 'node:test'
import { cert, key } from '../fixtures/certificate.js'
import { exchange, get, open, parse, raw, wireTest } from './wire.js'
import { countdown } from '../fixtures/countdown.js'
import { elapse } from '../fixtures/elapse.js'

function declare(server: Server): void {
  server.get('/', () => 'root')
  server.get('/smuggled', () => 'smuggled')
  server.post('/', (request) => ({ got: request.body ?? null }))
  server.get('/slow', async () => (await sleep(100), 'slow'))
}

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

const forms: Record<string, string> = {
  'TE and CL': 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
  'CL and TE': 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
  'two lengths': 'Content-Length: 4\r\nContent-Length: 5\r\n',
  'a list of lengths': 'Content-Length: 4, 5\r\n',
  'a signed length': 'Content-Length: +4\r\n',
  'a negative length': 'Content-Length: -1\r\n',
  'a hexadecimal length': 'Content-Length: 0x4\r\n',
  'a length of no digits': 'Content-Length: \r\n',
  'TE of identity': 'Transfer-Encoding: identity\r\nContent-Length: 4\r\n',
  'TE that does not end in chunked': 'Transfer-Encoding: chunked, gzip\r\n',
  'TE with a tab': 'Transfer-Encoding:\tchunked\r\nContent-Length: 4\r\n',
  'TE with a vertical tab': 'Transfer-Encoding: \x0bchunked\r\n',
  'TE twice': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'TE with a space before the colon': 'Transfer-Encoding : chunked\r\nContent-Length: 4\r\n',
  'TE on a folded line': 'Content-Length: 4\r\nTransfer-Encoding:\r\n chunked\r\n',
  'TE with quotes': 'Transfer-Encoding: "chunked"\r\n',
  'TE with a bare CR': 'X: a\rTransfer-Encoding: chunked\r\nContent-Length: 4\r\n',
  'a NUL in a header': 'X: a\0b\r\nContent-Length: 4\r\n',
  'a name with a space': 'Content Length: 4\r\n',
  'TE of a coding before chunked': 'Transfer-Encoding: gzip, chunked\r\n',
  'TE of a coding, and of chunked': 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n',
  'TE of identity before chunked': 'Transfer-Encoding: identity, chunked\r\n',
  'TE of nothing before chunked': 'Transfer-Encoding: , chunked\r\n',
  'TE of nothing': 'Transfer-Encoding: \r\n',
  'TE of nothing and CL': 'Transfer-Encoding: \r\nContent-Length: 5\r\n',
}

describe('requests with two readings', () => {
  wireTest('are refused, and nothing behind them is served', declare, async ({ port }) => {
    for (const [name, headers] of Object.entries(forms)) {
      const { text, isClosed } = await raw(
        port,
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${headers}\r\n0\r\n\r\n${smuggled}`,
      )
      const answers = parse(text)
      assert.equal(answers[0]?.status, 400, `${name}: ${text}`)
      assert.equal(answers.length, 1, `${name}: ${text}`)
      assert.equal(answers[0].headers['connection'], 'close', name)
      assert.ok(isClosed, name)
    }
  })

  const served: string[] = []
  const serving = (server: Server): void => {
    served.length = 0
    server.get('/behind', () => void served.push('behind'))
    server.get('/last', (_request, reply) => reply.header('connection', 'close').send('last'))
    server.get('/late-last', async (_request, reply) => (await sleep(30), reply.header('connection', 'close').send('last')))
  }
  const behind = 'GET /behind HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const [what, first, status] of [
    ['an invalid target', 'GET nowhere://a HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['two codings', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 400],
    ['a reply that announces the end of the connection', 'GET /last HTTP/1.1\r\nHost: a\r\n\r\n', 200],
  ] as const) {
    wireTest(`with ${what}: a request behind it in the same packet is not processed (RFC 9112 §9.6)`, serving, async ({ port }) => {
      const answers = await exchange(port, first + behind)
      assert.deepEqual([answers.map((answer) => answer.status), served], [[status], []])
    })
  }

  wireTest('are refused in HTTP/1.0 if they have a transfer coding', declare, async ({ port }) => {
    const { text, isClosed } = await raw(
      port,
      `POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    )
    assert.deepEqual(
      parse(text).map(({ status }) => status),
      [400],
    )
    assert.ok(isClosed)
  })

  wireTest('malformed chunks are refused, and nothing behind them is served', declare, async ({ port }) => {
    for (const chunks of [
      'x\r\n',
      '5;a=b\x00\r\nhello\r\n0\r\n\r\n',
      '-1\r\n',
      '0x5\r\nhello\r\n0\r\n\r\n',
      '5\nhello\n0\n\n',
      '5\r\nhelloX\r\n0\r\n\r\n',
      'ffffffffffffffffff\r\n',
    ]) {
      const { text, isClosed } = await raw(
        port,
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${smuggled}`,
      )
      assert.ok(!text.includes('smuggled'), chunks)
      assert.ok(
        parse(text).every(({ status }) => status === 400),
        text,
      )
      assert.ok(isClosed, chunks)
    }
  })
})

describe('Host', () => {
  const bad = [
    'Host: a\r\nHost: b\r\n',
    'Host: a\r\nHost: a\r\n',
    'host: a\r\nHOST: b\r\n',
    '',
    'Host: a b\r\n',
    'Host: a/b\r\n',
    'Host: a@b\r\n',
    'Host: a?b\r\n',
    'Host: a#b\r\n',
    'Host: http://a\r\n',
    'Host: a:b\r\n',
    'Host: [::1\r\n',
    'Host: a\\b\r\n',
    'Host: a"b\r\n',
    'Host: <a>\r\n',
    'Host: \x80\r\n',
    'Host: a, b\r\n',
    'Host: a:65536\r\n',
    'Host: :80\r\n',
    'Host: [:::::]\r\n',
    'Host: [1::2::3]\r\n',
    'Host: a%zz\r\n',
  ]
  wireTest('that is missing, repeated or invalid is answered 400', declare, async ({ port }) => {
    for (const host of bad) {
      const [answer] = await exchange(port, `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
      assert.equal(answer!.status, 400, JSON.stringify(host))
    }
  })
  wireTest('of every valid kind is served', declare, async ({ port }) => {
    for (const host of [
      'a',
      'a.b-c.example',
      'a:80',
      'a:',
      '[::1]',
      '[::1]:8080',
      '127.0.0.1:3000',
      'a_b',
      'a:65535',
      'a%20b',
      'xn--bcher-kva.example',
      '',
    ]) {
      const [answer] = await exchange(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      assert.equal(answer!.status, 200, host)
    }
    assert.equal((await exchange(port, 'GET / HTTP/1.0\r\n\r\n'))[0]!.status, 200)
  })
  wireTest('that is invalid is answered 400, also if the target names a valid one', declare, async ({ port }) => {
    const [answer] = await exchange(port, 'GET http://a/ HTTP/1.1\r\nHost: b@c\r\n\r\n')
    assert.equal(answer!.status, 400)
  })
  test('and :authority must agree in HTTP/2', async (t) => {
    const server = createServer({ http2: true })
    declare(server)
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    t.after(() => (session.destroy(), server.close()))
    assert.equal(await statusOf(session, { ':authority': 'a', host: 'a' }), 200)
    assert.equal(await statusOf(session, { host: 'a' }), 200)
    assert.equal(await statusOf(session, { ':authority': 'a', host: 'b' }), 400)
    assert.equal(await statusOf(session, { ':authority': 'a@b' }), 400)
    assert.equal(await statusOf(session, { ':authority': 'a' }), 200)
  })
  test('and a target is a path in HTTP/2: no absolute one replaces :authority, whatever the scheme', async (t) => {
    const server = createServer({ http2: true })
    const hosts: string[] = []
    server.addHook('onRequest', async ({ host }) => void hosts.push(host))
    declare(server)
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    t.after(() => (session.destroy(), server.close()))
    for (const scheme of ['ftp', 'x', 'http', 'https']) {
      for (const path of ['http://evil/', 'https://evil/', 'HTTP://evil', 'evil:80', 'evil']) {
        assert.equal(await statusOf(session, { ':scheme': scheme, ':authority': 'good', ':path': path }), 400, `${scheme} ${path}`)
      }
      assert.equal(await statusOf(session, { ':scheme': scheme, ':authority': 'good', ':path': '/' }), 200)
    }
    assert.ok(!hosts.some((host) => host.includes('evil')))
  })
})

/** The status of a reply over HTTP/2. Later versions of Node, and nghttp2, reset some streams before a request is made of them. */
async function statusOf(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders): Promise<unknown> {
  const stream = session.request({ ':path': '/', ...headers }).resume()
  return new Promise((resolve) => {
    stream.once('response', (answer) => resolve(answer[':status']))
    stream.once('error', () => {})
    stream.once('close', () => resolve(stream.rstCode === http2.constants.NGHTTP2_PROTOCOL_ERROR ? 400 : 'reset'))
  })
}

describe('a connection', () => {
  wireTest('answers pipelined requests in order', declare, async ({ port }) => {
    const lines = ['/slow', '/', '/missing', '/slow', '/%', '/'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')
    const answers = await exchange(port, lines)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404, 200, 400, 200],
    )
    assert.equal(answers[0]!.body, 'slow')
  })

  wireTest('answers whole requests before it refuses what follows them', declare, async ({ port }) => {
    for (const garbage of [
      'garbage\r\n\r\n',
      'GET / HTTP/9.x\r\n\r\n',
      '\0\0\0\0',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    ]) {
      const { text, isClosed } = await raw(port, `GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n${garbage}`)
      assert.deepEqual(
        parse(text).map(({ status }) => status),
        [200, 200, 400],
        text,
      )
      assert.ok(isClosed)
    }
  })

  const released = countdown(1)
  wireTest(
    'never receives an error inside a response that has begun',
    (server) => {
      server.get('/stream', (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-length': 10 })
        reply.raw.write('01234')
        void released.done.then(() => reply.raw.end('56789'))
      })
      server.post('/early', (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-length': 10 })
        reply.raw.write('01234')
      })
      server.addContentTypeParser('x/none', async () => null)
    },
    async ({ port }) => {
      const socket = await open(port)
      let text = ''
      socket.on('data', (data) => (text += data))
      socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'data')
      socket.write('garbage\r\n\r\n')
      await elapse(60)
      released.hit()
      await elapse(200)
      assert.deepEqual(
        parse(text)
          .map(({ status, body }) => [status, body.slice(0, 10)])
          .slice(0, 1),
        [[200, '0123456789']],
      )
      const other = await open(port)
      text = ''
      const isOver = new Promise((resolve) => other.on('close', resolve))
      other.on('data', (data) => (text += data))
      other.write('POST /early HTTP/1.1\r\nHost: a\r\nContent-Type: x/none\r\nTransfer-Encoding: chunked\r\n\r\n')
      await once(other, 'data')
      other.write('no chunk\r\n')
      await isOver
      assert.ok(text.endsWith('01234'), text)
    },
  )

  wireTest(
    'receives one reply to a request that was answered before its body came and turned out malformed',
    (server) =>
      server.addHook('onRequest', async (request, reply) => (request.url === '/early' ? reply.code(401).send('early') : undefined)),
    async ({ port }) => {
      for (const rest of ['zz\r\n', '']) {
        const socket = await open(port)
        let text = ''
        socket.on('data', (data) => (text += data))
        // `once` would reject if the connection is reset.
        const isOver = new Promise((resolve) => socket.on('close', resolve))
        socket.write('POST /early HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n')
        await once(socket, 'data')
        if (rest !== '') socket.write(rest)
        await isOver
        assert.deepEqual(
          parse(text).map(({ status }) => status),
          [401],
        )
      }
    },
    { http: { connectionsCheckingInterval: 100 }, requestTimeout: 300 },
  )

  wireTest('that asks for an upgrade without a handler for it is answered as usual, and CONNECT is cut off', declare, async ({ port }) => {
    const [answer] = await exchange(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    assert.ok([200, 400, 404, 426].includes(answer!.status))
    const [h2c] = await exchange(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
    )
    assert.equal(h2c!.body, 'root')
    assert.ok((await raw(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')).isClosed)
    await raw(port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  })

  wireTest(
    'may use absolute targets, which determine path and host',
    (server) => {
      server.addHook('onRequest', async (request, reply) => void (request.url.startsWith('/guarded') && reply.code(401).send('guarded')))
      server.get('/guarded', () => 'secret')
      server.get('/read', (request) => [request.url, request.host, request.headers.host])
      server.get('/of-host', { constraints: { host: 'other' } }, () => 'of other')
      server.get('/', () => 'root')
    },
    async ({ port }) => {
      for (const target of ['http://a/', 'http://other:80/', 'https://other/?a=b', 'http://other', 'HTTP://other', 'http://other?a=b']) {
        assert.equal((await exchange(port, get(target)))[0]!.body, 'root', target)
      }
      const [read] = await exchange(port, get('http://other:81/read?a'))
      assert.deepEqual(JSON.parse(read!.body), ['/read?a', 'other:81', 'other:81'])
      assert.equal((await exchange(port, get('http://other/of-host')))[0]!.body, 'of other')
      for (const target of ['http://other/guarded', 'HTTPS://other/guarded']) {
        assert.equal((await exchange(port, get(target)))[0]!.status, 401, target)
      }
      for (const host of ['user@other', 'a:b', '<a>']) assert.equal((await exchange(port, get(`http://${host}/`)))[0]!.status, 400, host)
      for (const target of ['*guarded', '*', '*/guarded', 'ftp://other/guarded']) {
        assert.equal((await exchange(port, get(target)))[0]!.status, 400, target)
      }
      for (const target of ['http:', 'http://', '://', 'ftp://a/', 'http:///', 'x', 'mailto:a', '@', '\\']) {
        const [answer] = await exchange(port, get(target))
        assert.ok([200, 400, 404].includes(answer!.status), target)
      }
    },
  )

  wireTest('is closed with 431 for headers that are too large, and with 400 for bytes that are not HTTP', declare, async ({ port }) => {
    const { text, isClosed } = await raw(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)
    assert.equal(parse(text)[0]!.status, 431)
    assert.equal(parse(text)[0]!.headers['connection'], 'close')
    assert.ok(isClosed)
    for (const bytes of [
      '\x16\x03\x01\x02\x00\x01',
      'hello\r\n\r\n',
      'GET / HTTP/1.1\nHost: a\n\n',
      ' GET / HTTP/1.1\r\n\r\n',
      'GET  / HTTP/1.1\r\n\r\n',
      'GET / b HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      const refused = await raw(port, bytes)
      assert.equal(parse(refused.text)[0]!.status, 400, bytes)
      assert.equal(parse(refused.text)[0]!.headers['connection'], 'close')
      assert.ok(refused.isClosed)
    }
  })

  wireTest(
    'may send many headers, and none of them is omitted',
    (server) => {
      server.post('/count', (request) => [request.body, Object.keys(request.headers).length])
    },
    async ({ port }) => {
      const many = Array.from({ length: 2100 }, (_, index) => `${index.toString(36)}:\r\n`).join('')
      const [answer] = await exchange(
        port,
        `POST /count HTTP/1.1\r\nHost: a\r\n${many}Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`,
      )
      assert.equal(answer!.body, '["hello",2104]')
    },
  )

  wireTest(
    'whose headers never end is closed with 408',
    declare,
    async ({ port }) => {
      const socket = await open(port)
      let text = ''
      socket.on('data', (data) => (text += data))
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n')
      await new Promise((resolve) => socket.on('close', resolve))
      assert.equal(parse(text)[0]!.status, 408)
    },
    { http: { connectionsCheckingInterval: 100 }, requestTimeout: 300 },
  )

  wireTest(
    'whose body never ends is closed with 408',
    declare,
    async ({ port }) => {
      const socket = await open(port)
      let text = ''
      socket.on('data', (data) => (text += data))
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabc')
      await new Promise((resolve) => socket.on('close', resolve))
      assert.equal(parse(text)[0]!.status, 408)
    },
    { http: { connectionsCheckingInterval: 100 }, requestTimeout: 300 },
  )
})

describe('a handler of client errors', () => {
  const handlers: Record<string, (error: Error, socket: Socket) => unknown> = {
    'that throws': () => {
      throw new Error('secret')
    },
    'that rejects': async () => {
      throw null
    },
  }
  for (const [name, clientErrorHandler] of Object.entries(handlers)) {
    wireTest(
      `${name} does not keep clients from being answered`,
      declare,
      async ({ port }) => {
        const { text, isClosed } = await raw(port, 'garbage\r\n\r\n')
        assert.deepEqual([parse(text)[0]?.status, parse(text)[0]?.headers['connection']], [400, 'close'])
        assert.ok(isClosed)
      },
      { clientErrorHandler },
    )
  }
  wireTest(
    'that does nothing leaves no connection open and cuts no reply off',
    (server) => {
      declare(server)
      server.get('/slower', async () => (await sleep(1300), 'slower'))
    },
    async ({ port }) => {
      assert.ok((await raw(port, 'garbage\r\n\r\n')).isClosed)
      const { text, isClosed } = await raw(port, 'GET /slower HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n', 600)
      assert.equal(parse(text)[0]?.body, 'slower')
      assert.ok(isClosed)
    },
    { clientErrorHandler: () => {} },
  )
})

describe('sessions of HTTP/2', () => {
  for (const [what, path] of [
    ['half of a body', '/half'],
    ['a reply that the client does not read', '/large'],
  ] as const) {
    test(`end with ${what} after http2SessionTimeout without activity`, { timeout: 10_000 }, async () => {
      const server = createServer({ http2: true, http2SessionTimeout: 200 })
      server.post('/half', (request) => request.body)
      server.get('/large', () => Buffer.alloc(5_000_000))
      const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
      session.on('error', () => {})
      const stream = session.request({ ':path': path, ':method': path === '/half' ? 'POST' : 'GET', 'content-type': 'text/plain' })
      stream.on('error', () => {}).pause()
      if (path === '/half') stream.write('abc')
      await once(session, 'close')
      await server.close()
    })
  }

  for (const [frames, send] of [
    ['PING', (session: http2.ClientHttp2Session) => session.ping(() => {})],
    ['SETTINGS', (session: http2.ClientHttp2Session) => session.settings({}, () => {})],
  ] as const) {
    test(`end after http2SessionTimeout without a request, whatever ${frames} frames come`, { timeout: 10_000 }, async () => {
      const server = createServer({ http2: true, http2SessionTimeout: 200 })
      declare(server)
      const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
      session.on('error', () => {})
      for (let count = 0; count < 2; count++) await once(session.request({ ':path': '/' }).resume(), 'close')
      const timer = setInterval(() => session.destroyed || send(session), 20)
      await once(session, 'close')
      clearInterval(timer)
      await server.close()
    })
  }

  test('do not end while a handler works, and take further requests, until they are idle', { timeout: 10_000 }, async () => {
    const server = createServer({ http2: true, http2SessionTimeout: 300 })
    server.get('/working', async () => (await sleep(1000), 'done'))
    declare(server)
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    session.on('error', () => {})
    const ask = async (path: string): Promise<string> => {
      let body = ''
      for await (const chunk of session.request({ ':path': path })) body += String(chunk)
      return body
    }
    const working = ask('/working')
    await sleep(700)
    try {
      assert.deepEqual([await ask('/'), await working, await ask('/')], ['root', 'done', 'root'])
      await once(session, 'close')
    } finally {
      session.destroy()
      await server.close()
    }
  })

  test('do not make Node emit warnings', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): unknown => warning.name === 'AlcoveWarning' || warnings.push(warning)
    process.on('warning', onWarning)
    const server = createServer({ http2: true })
    declare(server)
    const session = http2.connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    for (const path of ['/', '/missing', '/%']) await once(session.request({ ':path': path }).resume(), 'end')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    assert.deepEqual(warnings, [])
    session.destroy()
    await server.close()
  })

  test('and connections of HTTP/1 at the same port are both cut off when they are idle or slow', { timeout: 10_000 }, async () => {
    const https = { key, cert, allowHTTP1: true }
    const server = createServer({ http2: true, https, keepAliveTimeout: 200, requestTimeout: 200 })
    declare(server)
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
    const { headersTimeout, requestTimeout } = server.server
    assert.deepEqual([headersTimeout, requestTimeout], [200, 200])
    const socket = tls.connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.equal(parse(text)[0]!.body, 'root')
    await server.close()
  })
})

test('a server of HTTP/2 answers injected requests', async () => {
  const server = createServer({ http2: true })
  declare(server)
  assert.equal((await server.inject('/')).body, 'root')
  await server.ready()
  assert.equal((await server.inject('/')).body, 'root')
})

describe('a TLS client of HTTP/2', () => {
  const connect = (port: string, ALPNProtocols: string[]): tls.TLSSocket =>
    tls.connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols })

  test('that did not choose a protocol is refused, and does not delay the closing', { timeout: 5_000 }, async () => {
    const server = createServer({ http2: true, https: { key, cert } })
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(port, [])
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.deepEqual([parse(text)[0]?.status, parse(text)[0]?.headers['connection']], [505, 'close'])
    await server.close()
  })

  test('that chose HTTP/1 cannot write another version', async () => {
    const https = { key, cert, allowHTTP1: true }
    const server = createServer({ http2: true, https })
    declare(server)
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
    for (const [version, status] of [
      ['2.0', 505],
      ['1.0', 200],
    ] as const) {
      const socket = connect(port, ['http/1.1'])
      socket.write(`GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)
      let text = ''
      for await (const chunk of socket) text += String(chunk)
      assert.equal(parse(text)[0]?.status, status, version)
    }
    await server.close()
  })
})

describe('forwarded headers', () => {
  const trusted: [string, ServerOptions['trustProxy'], boolean][] = [
    ['no proxy', undefined, false],
    ['no proxy (false)', false, false],
    ['a number of hops', 1, false],
    ['many hops', 100, false],
    ['another address', '10.0.0.1', false],
    ['a list without the peer', ['10.0.0.0/8', '192.168.0.1'], false],
    ['a function that returns false', () => false, false],
    ['the address of the peer', '127.0.0.1', true],
    ['loopback', 'loopback', true],
    ['every proxy', true, true],
  ]
  for (const [name, trustProxy, isBelieved] of trusted) {
    wireTest(
      `${isBelieved ? 'determine' : 'do not determine'} host and protocol with trustProxy for ${name}`,
      (server) => server.get('/', (request) => [request.host, request.hostname, request.protocol]),
      async ({ port }) => {
        const [answer] = await exchange(
          port,
          get('/', 'X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n'),
        )
        assert.deepEqual(JSON.parse(answer!.body), isBelieved ? ['evil.example', 'evil.example', 'https'] : ['a', 'a', 'http'])
      },
      trustProxy === undefined ? {} : { trustProxy },
    )
  }
  wireTest(
    'determine addresses, host and protocol if they are valid; if not, the connection does',
    (server) => server.get('/', (request) => [request.ips, request.host, request.protocol]),
    async ({ port }) => {
      const read = async (headers: string): Promise<unknown> => JSON.parse((await exchange(port, get('/', headers)))[0]!.body)
      const chains: [string, string[]][] = [
        ['1.1.1.1', ['1.1.1.1']],
        ['2001:db8::1', ['2001:db8::1']],
        ['1.1.1.1:5000', ['1.1.1.1']],
        ['"[2001:db8::1]:80"', ['2001:db8::1']],
        ['1.1.1.1, 127.0.0.2', ['127.0.0.2', '1.1.1.1']],
        ['1.1.1.1, 2.2.2.2', ['2.2.2.2']],
        ['<script>', []],
        ['unknown', []],
        ['1.1.1.1, garbage, 127.0.0.2', ['127.0.0.2']],
        ['999.1.1.1', []],
        [',', []],
      ]
      for (const [value, ips] of chains)
        assert.deepEqual(await read(`X-Forwarded-For: ${value}\r\n`), [['127.0.0.1', ...ips], 'a', 'http'], value)
      for (const host of ['e@vil', '<x>', 'a:99999', ',', 'evil,'])
        assert.deepEqual(await read(`X-Forwarded-Host: ${host}\r\n`), [['127.0.0.1'], 'a', 'http'], host)
      for (const [protocol, expected] of Object.entries({ HTTPS: 'https', 'http, wss': 'wss', 'a b': 'http', 'https"': 'http' }))
        assert.deepEqual(await read(`X-Forwarded-Proto: ${protocol}\r\n`), [['127.0.0.1'], 'a', expected], protocol)
    },
    { trustProxy: 'loopback' },
  )
  wireTest(
    'that are garbage, or a trust function that throws, do not keep requests from being answered',
    (server) => server.get('/', (request) => [request.ip, request.ips, request.host]),
    async ({ port }) => {
      for (const value of ['', ',', 'x', '1.2.3.4,,', '::', 'a'.repeat(5000), '"', '1.2.3.4, throw']) {
        const answers = await exchange(port, get('/', `X-Forwarded-For: ${value}\r\nX-Forwarded-Host: ${value}\r\n`))
        assert.equal(answers.length, 1, value)
      }
    },
    {
      logger: { level: 'info', stream: { write: () => {} } } as any,
      trustProxy: (address: string) => {
        if (address === 'throw') throw new Error('secret')
        return true
      },
    },
  )
})
