/** Headers for HTTP/2, early hints, and responses that are cut off. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createServer, type Server } from 'alcove/lib'
import { cert, key } from '../../fixtures/certificate.js'
import { FastServerResponse } from '../../../lib/http/server-response.js'
import {
  abortResponse,
  connectionHeaders,
  isHeadSent,
  prepareHttp2Headers,
  readStatus,
  writeEarlyHints,
} from '../../../lib/http/response.js'

test('a status is a whole number from 200 to 999, also if it was given as a text or with a fraction', () => {
  const read: [given: unknown, status: number | undefined][] = [
    [200, 200],
    [999, 999],
    [199, undefined],
    [1000, undefined],
    ['404', 404],
    [201.9, 201],
    [199.9, undefined],
    [999.9, 999],
    [Number.NaN, undefined],
    ['none', undefined],
    [undefined, undefined],
    [null, undefined],
    [{ valueOf: () => 418 }, 418],
  ]
  for (const [given, status] of read) assert.equal(readStatus(given), status, String(given))
  assert.throws(() => readStatus(Symbol('status')), TypeError)
})

test('the head of a response is out if Node says so of HTTP/1, and the stream of HTTP/2', () => {
  const states: [response: object, isSent: boolean][] = [
    [{ _header: 'HTTP/1.1 200 OK', headersSent: false }, true],
    [{ _header: null, headersSent: true }, false],
    [{ stream: { headersSent: true }, headersSent: false }, true],
    [{ stream: { headersSent: false }, headersSent: true }, false],
  ]
  for (const [response, isSent] of states) assert.equal(isHeadSent(response as never), isSent, JSON.stringify(response))
})

describe('headers for HTTP/2', () => {
  test('have none that describe the connection of HTTP/1', () => {
    const names = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'te']
    assert.deepEqual(connectionHeaders, names)
  })

  test('lose those that describe the connection, and keep all others', () => {
    const headers = { ...Object.fromEntries(connectionHeaders.map((name) => [name, 'x'])), 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] }
    prepareHttp2Headers(headers)
    assert.deepEqual(headers, { 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] })
  })

  for (const [title, headers, code] of [
    ['a line break in a value', { 'x-own': 'a\r\nset-cookie: b' }, 'ERR_INVALID_CHAR'],
    ['a line break in a name', { 'x-own\r\n': 'a' }, 'ERR_INVALID_HTTP_TOKEN'],
  ] as const) {
    test(`are refused with ${title}`, () => {
      assert.throws(() => prepareHttp2Headers(headers), { code })
    })
  }
})

test('early hints that are refused say what is wrong, and how it is written', () => {
  const response = { destroyed: true } as never
  for (const [hints, message] of [
    [{ 'x-own': 'a' }, /needs a 'link', e\.g\. \{ link: '<\/style\.css>; rel=preload; as=style' \}/],
    [{ link: 'a', TE: 'b' }, /cannot send 'te', which belongs to one message or connection/],
  ] as const)
    assert.throws(() => writeEarlyHints(response, hints), { code: 'ALC_ERR_REP_EARLY_HINTS_INVALID', message })
})

test('each value of early hints is checked', () => {
  for (const link of ['a\r\nb', ['a', 'a\r\nb']])
    assert.throws(() => writeEarlyHints({ destroyed: true } as never, { link }), { code: 'ERR_INVALID_CHAR' })
})

test('a response is cut off by its socket over HTTP/1, and by an error code of its stream over HTTP/2', () => {
  const calls: unknown[] = []
  abortResponse({ destroy: () => calls.push('destroy') } as never)
  abortResponse({
    destroy: () => assert.fail('it would end as if complete'),
    stream: { close: (code: number) => calls.push(code) },
  } as never)
  assert.deepEqual(calls, ['destroy', 2])
})

describe('a reply that lasts until its connection ends, to a client of HTTP/1.0,', () => {
  /** Sends a request of HTTP/1.0. @returns the body that came, and how the connection has ended */
  async function ask(port: number, path: string, isSecure: boolean): Promise<[body: string, end: string]> {
    const client = isSecure ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1')
    let text = ''
    let end = ''
    client.on('end', () => (end = 'ended'))
    client.on('error', ({ code }: NodeJS.ErrnoException) => (end = code!))
    client.on('data', (chunk) => (text += String(chunk)))
    client.write(`GET ${path} HTTP/1.0\r\nhost: a\r\n\r\n`)
    await new Promise((resolve) => client.on('close', resolve))
    return [text.slice(text.indexOf('\r\n\r\n') + 4), end]
  }

  async function* items(isWhole: boolean): AsyncGenerator<string> {
    yield 'abc'
    await sleep(30)
    if (!isWhole) throw new Error('of the source')
    yield 'def'
  }

  function declare(server: Server): void {
    server.get('/cut', (_request, reply) => reply.send(Readable.from(items(false))))
    server.get('/whole', (_request, reply) => reply.send(Readable.from(items(true))))
    server.get('/counted', (_request, reply) => reply.header('content-length', 6).send(Readable.from(items(false))))
  }

  for (const isSecure of [false, true]) {
    const options = isSecure ? { https: { key, cert } } : {}
    test(`is reset if it is cut, and ends otherwise${isSecure ? ', also over TLS' : ''}`, async (t) => {
      const server = createServer(options)
      t.after(() => server.close())
      declare(server)
      await server.listen({ port: 0, host: '127.0.0.1' })
      const { port } = server.server.address() as AddressInfo
      assert.deepEqual(await ask(port, '/cut', isSecure), ['abc', 'ECONNRESET'])
      assert.deepEqual(await ask(port, '/whole', isSecure), ['abcdef', 'ended'])
      // The client misses bytes of a body whose length it knows.
      assert.deepEqual(await ask(port, '/counted', isSecure), ['abc', 'ended'])
    })
  }

  for (const [title, options] of [
    ['at the limit of closing', { closeTimeout: 100 }],
    ['by forceCloseConnections', { forceCloseConnections: true }],
  ] as const) {
    test(`is reset if it is cut ${title}`, async (t) => {
      const server = createServer(options)
      t.after(() => server.close())
      server.get('/open', (_request, reply) => {
        const source = new PassThrough()
        source.write('abc')
        return reply.send(source)
      })
      await server.listen({ port: 0, host: '127.0.0.1' })
      const answer = ask((server.server.address() as AddressInfo).port, '/open', false)
      await once(server.server, 'request')
      await sleep(30)
      await server.close()
      assert.deepEqual(await answer, ['abc', 'ECONNRESET'])
    })
  }

  test('is reset if the client does not take it within sendTimeout', async (t) => {
    const server = createServer({ sendTimeout: 400 })
    t.after(() => server.close())
    server.get('/large', (_request, reply) => {
      const source = new PassThrough()
      source.write(Buffer.alloc(16_000_000, 'x'))
      return reply.send(source)
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    // It does not read, so it does not notice the end.
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => {})
    client.write('GET /large HTTP/1.0\r\nhost: a\r\n\r\n')
    const [socket] = (await once(server.server, 'connection')) as [Socket]
    const reset = t.mock.method(socket, 'resetAndDestroy')
    await once(socket, 'close')
    assert.equal(reset.mock.callCount(), 1)
    client.destroy()
  })
})

const link = '</style.css>; rel=preload; as=style'

describe('early hints', () => {
  for (const [title, other] of [
    ['arrive', undefined],
    ['may be several', '</code.js>; rel=preload; as=script'],
  ] as const) {
    test(`${title} before the reply over HTTP/1`, async () => {
      const server = createServer()
      const sent: string[] = []
      server.get('/', async (_request, reply) => {
        reply.writeEarlyHints({ Link: other === undefined ? link : [link, other], 'x-own': 'a' }, () => sent.push('hints'))
        return 'reply'
      })
      await server.listen({ port: 0, host: '127.0.0.1' })
      const request = get(server.listeningOrigin)
      const [[information], [response]] = await Promise.all([once(request, 'information'), once(request, 'response')])
      assert.equal(information.statusCode, 103)
      assert.equal(information.headers.link, other === undefined ? link : `${link}, ${other}`)
      assert.equal(information.headers['x-own'], 'a')
      let text = ''
      for await (const chunk of response) text += String(chunk)
      assert.deepEqual([response.statusCode, text, sent], [200, 'reply', ['hints']])
      await server.close()
    })
  }

  for (const [title, fail] of [
    [
      'throws',
      () => {
        throw new Error('of onSent')
      },
    ],
    ['returns a promise that is rejected', () => Promise.reject(new Error('of onSent'))],
  ] as const) {
    test(`are logged if their callback ${title}, and the request is answered`, async () => {
      const lines: string[] = []
      const server = createServer({ logger: { stream: { write: (line: string) => lines.push(line) } } })
      server.get('/', async (_request, reply) => {
        reply.writeEarlyHints({ link }, fail)
        await setImmediate()
        return 'reply'
      })
      const origin = await server.listen({ port: 0, host: '127.0.0.1' })
      assert.equal(await (await fetch(origin)).text(), 'reply')
      assert.equal(lines.filter((line) => line.includes('of onSent')).length, 1)
      await server.close()
    })
  }

  test('arrive before the reply over HTTP/2', async () => {
    const server = createServer({ http2: true })
    let isSent = false
    server.get('/', async (_request, reply) => {
      await new Promise<void>((resolve) => void reply.writeEarlyHints({ link }, resolve))
      isSent = true
      return 'reply'
    })
    const session = connectHttp2(await server.listen({ port: 0, host: '127.0.0.1' }))
    const stream = session.request()
    const [information] = await once(stream, 'headers')
    assert.deepEqual([information[':status'], information.link], [103, link])
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    assert.deepEqual([text, isSent], ['reply', true])
    session.close()
    await server.close()
  })

  for (const http2 of [false, true]) {
    const refused: [title: string, hints: Record<string, any>, code: string][] = [
      ['a line break in a link', { link: '</a\r\nset-cookie: b>; rel=preload' }, 'ERR_INVALID_CHAR'],
      ['a line break in another value', { link, 'x-own': 'a\r\nset-cookie: b' }, 'ERR_INVALID_CHAR'],
      ['a line break in a name', { link, 'x-own\r\nset-cookie': 'a' }, 'ERR_INVALID_HTTP_TOKEN'],
      ['a length', { link, 'Content-Length': '5' }, 'ALC_ERR_REP_EARLY_HINTS_INVALID'],
      ['a header of the connection', { link, connection: 'close' }, 'ALC_ERR_REP_EARLY_HINTS_INVALID'],
      ['no link', { 'x-own': 'a' }, 'ALC_ERR_REP_EARLY_HINTS_INVALID'],
    ]
    for (const [title, hints, code] of refused) {
      test(`with ${title} are refused${http2 ? ' over HTTP/2' : ''}, and nothing of them is sent`, async () => {
        const server = createServer({ http2 })
        server.get('/', (_request, reply) => {
          assert.throws(() => reply.writeEarlyHints(hints), { code })
          // Node's own response of HTTP/1 refuses nothing.
          if (!code.startsWith('ALC_') && (http2 || reply.raw instanceof FastServerResponse))
            assert.throws(() => reply.raw.writeEarlyHints(hints), { code })
          return 'reply'
        })
        const address = await server.listen({ port: 0, host: '127.0.0.1' })
        const session = http2 ? connectHttp2(address) : undefined
        const request = session?.request() ?? get(address)
        request.on(http2 ? 'headers' : 'information', () => assert.fail('something was sent'))
        const [response] = await once(request, 'response')
        assert.equal(http2 ? response[':status'] : response.statusCode, 200)
        ;(http2 ? request : response).resume()
        await once(http2 ? request : response, 'end')
        session?.close()
        await server.close()
      })
    }
  }

  test('are not sent over HTTP/1.0, nor after the reply', async () => {
    const server = createServer()
    server.get('/', (_request, reply) => {
      reply.writeEarlyHints({ link })
      reply.send('reply')
      reply.writeEarlyHints({ link })
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    for (const [version, responses] of [
      ['1.0', 1],
      ['1.1', 2],
    ] as const) {
      const socket = connect(Number(new URL(server.listeningOrigin).port), '127.0.0.1')
      socket.end(`GET / HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`)
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      assert.equal(answer.match(/HTTP\/1.1 \d/g)!.length, responses, answer)
      assert.match(answer, /\r\n\r\nreply$/)
    }
    assert.equal((await server.inject('/')).body, 'reply')
    await server.close()
  })
})

test('a runtime whose OutgoingMessage has no headersSent, such as Bun 1.3, serves requests', () => {
  const program = `
    import { OutgoingMessage, ServerResponse } from 'node:http'
    const property = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, 'headersSent')
    delete OutgoingMessage.prototype.headersSent
    Object.defineProperty(ServerResponse.prototype, 'headersSent', property)
    const { createServer } = await import('${new URL('../../../lib/index.js', import.meta.url).href}')
    const server = createServer()
    server.get('/', async () => 'served')
    const { status } = await server.fetch(new Request('http://localhost/'))
    console.log(status, (await server.inject('/')).payload)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.equal(stdout.trim(), '200 served', stderr)
})

test('a runtime whose responses have a headersSent of their own, such as Bun 1.4, is asked by that one', () => {
  const program = `
    import { ServerResponse } from 'node:http'
    Object.defineProperty(ServerResponse.prototype, 'headersSent', { get() { return this.isOut } })
    const { isHeadSent } = await import('${new URL('../../../lib/http/response.js', import.meta.url).href}')
    console.log([true, false].map((isOut) => isHeadSent({ isOut, _header: null })).join())`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.equal(stdout.trim(), 'true,false', stderr)
})
