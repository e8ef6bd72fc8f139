/** Differences over HTTP/2: frames mark the begin and end of a body, and no header describes the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2, { type ClientHttp2Session, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  trailers: IncomingHttpHeaders | undefined
  hints: IncomingHttpHeaders[]
  body: string
}

const SPLIT = 'a\r\nset-cookie: b'
/** What an application can do with the raw response. */
const rawWrites: Record<string, (raw: any) => void> = {
  setHeader: (raw) => raw.setHeader('x-own', SPLIT),
  'setHeader with a list': (raw) => raw.setHeader('x-own', ['a', SPLIT]),
  appendHeader: (raw) => raw.setHeader('x-own', 'a') ?? raw.appendHeader('x-own', SPLIT),
  writeHead: (raw) => raw.writeHead(200, { 'x-own': SPLIT }),
  'writeHead with a list': (raw) => raw.writeHead(200, ['x-a', 'a', 'x-own', SPLIT]),
  writeEarlyHints: (raw) => raw.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-own': SPLIT }),
  'writeEarlyHints with a link': (raw) => raw.writeEarlyHints({ link: '</a\r\nset-cookie: b>; rel=preload' }),
  setTrailer: (raw) => raw.setTrailer('x-own', SPLIT),
  addTrailers: (raw) => raw.addTrailers({ 'x-own': SPLIT }),
}

describe('HTTP/2', () => {
  let server: Server
  let session: ClientHttp2Session
  let handled = 0
  const warnings: string[] = []
  // Our own warning says that this Node's HTTP/2 is unsafe.
  const warn = (warning: Error): unknown => warning.name === 'AlcoveWarning' || warnings.push(warning.message)

  before(async () => {
    process.on('warning', warn)
    server = createServer({ http2: true })
    server.get('/trailer', (_request, reply) => {
      reply.trailer('x-sum', async () => '5')
      return reply.send('hello')
    })
    server.get('/connection', (_request, reply) => {
      for (const name of ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'te'])
        reply.header(name, 'x')
      return reply.header('x-own', 'kept').send('hello')
    })
    for (const [name, write] of Object.entries(rawWrites)) {
      server.get(`/raw/${name.replaceAll(' ', '-')}`, (_request, reply) => {
        write(reply.raw)
        if (!reply.raw.headersSent) return reply.send('hello')
        reply.hijack()
        reply.raw.end('hello')
        return reply
      })
    }
    server.get('/split/value', (_request, reply) => reply.header('x-own', 'a\r\nset-cookie: b').send('hello'))
    server.get('/split/name', (_request, reply) => reply.header('x-own\r\n', 'a').send('hello'))
    server.get('/split/trailer', (_request, reply) => reply.trailer('x-own', async () => 'a\r\nset-cookie: b').send('hello'))
    // Waits, because a reply that was sent would hide a second call.
    const handler = async (request: any): Promise<unknown> => {
      handled++
      await sleep(5)
      return { body: request.body ?? null }
    }
    server.route({ method: ['POST', 'DELETE', 'OPTIONS'], url: '/body', handler })
    server.post('/late', { onRequest: () => sleep(60) }, handler)
    server.post('/small', { bodyLimit: 4 }, handler)
    server.register(async (child) => {
      child.addContentTypeParser('*', (_request, _payload, done) => done(null))
      child.addContentTypeParser('application/json', (_request, payload, done) => {
        let text = ''
        payload.on('data', (chunk: Buffer) => (text += chunk)).on('end', () => done(null, text))
      })
      child.post('/own', handler)
      child.post('/unread', (_request, reply) => reply.trailer('x-sum', async () => '5').send('hello'))
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  })
  after(async () => {
    session.close()
    await server.close()
    process.off('warning', warn)
    // No request of these tests makes Node warn.
    assert.deepEqual(warnings, [])
  })

  function ask(headers: OutgoingHttpHeaders, ...chunks: string[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = session.request(headers, { endStream: chunks.length === 0 })
      const answer: Answer = { status: undefined, headers: {}, trailers: undefined, hints: [], body: '' }
      stream.on('response', (received) => {
        answer.headers = received
        answer.status = received[':status']
      })
      stream.on('headers', (received) => answer.hints.push(received))
      stream.on('trailers', (received) => (answer.trailers = received))
      stream.setEncoding('utf8')
      stream.on('data', (chunk) => (answer.body += chunk))
      stream.on('error', reject)
      stream.on('close', () => resolve(answer))
      for (const chunk of chunks) stream.write(chunk)
      if (chunks.length > 0) stream.end()
    })
  }
  const json = { 'content-type': 'application/json' }

  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    test(`the body of a ${method} is read once although no header announces it`, async () => {
      handled = 0
      const { status, body } = await ask({ ':method': method, ':path': '/body', ...json }, '{"a"', ':1}')
      assert.deepEqual([status, body], [200, '{"body":{"a":1}}'])
      // The events of a body that has ended come before the next request.
      await ask({ ':path': '/connection' })
      assert.equal(handled, 1)
    })
  }

  test('a body without a media type is refused although no header announces it', async () => {
    const { status } = await ask({ ':method': 'POST', ':path': '/body' }, '{"a":1}')
    assert.equal(status, 415)
  })

  test('a stream that ends without bytes has no body', async () => {
    for (const [method, headers] of [
      ['POST', {}],
      ['DELETE', json],
    ] as const) {
      const { status, body } = await ask({ ':method': method, ':path': '/body', ...headers }, '')
      assert.deepEqual([status, body], [200, '{"body":null}'], method)
    }
  })

  test('a request whose client resets it before its first byte does not reach the handler', async () => {
    handled = 0
    const stream = session.request({ ':method': 'DELETE', ':path': '/body', ...json }, { endStream: false })
    stream.on('error', () => {})
    await ask({ ':path': '/connection' })
    stream.close(http2.constants.NGHTTP2_CANCEL)
    await ask({ ':path': '/connection' })
    await sleep(10)
    assert.equal(handled, 0)
  })

  for (const path of ['/body', '/late', '/own'])
    test(`a client of ${path} that leaves in the middle of its body does not reach the handler with the part that has come`, async () => {
      handled = 0
      const leaving = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
      const stream = leaving.request({ ':method': 'POST', ':path': path, ...json }, { endStream: false })
      stream.on('error', () => {})
      const opened = once(server.server, 'stream')
      stream.write('{"a":1}')
      const [served] = (await opened) as [ServerHttp2Stream]
      await sleep(20)
      served.session!.destroy()
      await sleep(120)
      assert.equal(handled, 0)
    })

  for (const [what, headers] of [
    ['refused', {}],
    ['not read', {}],
    ['too large', json],
  ] as const) {
    test(`a stream whose body is ${what} is closed with its reply, although the client is still sending`, async () => {
      const path = what === 'refused' ? '/body' : what === 'too large' ? '/small' : '/unread'
      const opened = once(server.server, 'stream')
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false })
      stream.on('error', () => {})
      stream.write('x'.repeat(100_000))
      stream.resume()
      let sum: unknown
      stream.on('trailers', (trailers) => (sum = trailers['x-sum']))
      const [served] = (await opened) as [ServerHttp2Stream]
      await Promise.all([once(stream, 'end'), once(served, 'close')])
      assert.equal(served.rstCode, http2.constants.NGHTTP2_NO_ERROR)
      assert.equal(sum, path === '/unread' ? '5' : undefined)
      stream.destroy()
    })
  }

  test('trailers are sent', async () => {
    const { status, body, trailers, headers } = await ask({ ':path': '/trailer' })
    assert.deepEqual([status, body, trailers?.['x-sum'], headers['transfer-encoding']], [200, 'hello', '5', undefined])
  })

  test('headers that describe a connection of HTTP/1 are omitted (RFC 9113 §8.2.2)', async () => {
    const { status, headers } = await ask({ ':path': '/connection' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(headers).toSorted(), [':status', 'content-length', 'content-type', 'date', 'x-own'])
  })

  for (const where of ['value', 'name', 'trailer']) {
    test(`a ${where} with a line break is not sent (RFC 9113 §8.2.1)`, async () => {
      const { status, headers, trailers } = await ask({ ':path': `/split/${where}` })
      assert.equal(status, where === 'trailer' ? 200 : 500)
      assert.deepEqual([headers['x-own'], headers['set-cookie'], trailers?.['x-own']], [undefined, undefined, undefined])
    })
  }

  for (const name of Object.keys(rawWrites)) {
    test(`a line break in a header of the raw response is refused where it is set: ${name}`, async () => {
      const { status, headers, body, hints, trailers } = await ask({ ':path': `/raw/${name.replaceAll(' ', '-')}` })
      assert.deepEqual([status, body.includes('hello')], [500, false])
      for (const sent of [headers, ...hints, trailers]) assert.ok(!JSON.stringify(sent ?? {}).includes('set-cookie'))
    })
  }

  test('a client that sends Expect: 100-continue is told to send its body when it is read, and not if it is refused before', async () => {
    const waiting = (path: string): Promise<[status: number | undefined, isTold: boolean]> =>
      new Promise((resolve) => {
        const stream = session.request({ ':method': 'POST', ':path': path, ...json, 'content-length': 7, expect: '100-continue' })
        let status: number | undefined
        let isTold = false
        stream.on('continue', () => {
          isTold = true
          stream.end('{"a":1}')
        })
        stream.on('response', (headers) => (status = headers[':status']))
        stream.on('close', () => resolve([status, isTold]))
        stream.on('error', () => {})
        stream.resume()
      })
    assert.deepEqual(await waiting('/body'), [200, true])
    assert.deepEqual(await waiting('/small'), [413, false])
  })

  test('a body above its limit is refused, and the session continues', async () => {
    assert.equal((await ask({ ':method': 'POST', ':path': '/small', ...json }, '{"a":1}')).status, 413)
    assert.equal((await ask({ ':path': '/connection' })).status, 200)
  })

  test('Node emits no warnings for these requests', () => {
    assert.deepEqual(warnings, [])
  })
})

test('a client that cancels a large reply can go on with other requests on its session', async (t) => {
  const server = createServer({ http2: true, forceCloseConnections: true })
  t.after(() => server.close())
  const large = Buffer.alloc(32 * 1_048_576, 'a')
  server.get('/large', (_request, reply) => reply.header('content-length', large.length).send(large))
  server.get('/text', () => 'ä'.repeat(1_048_577))
  server.get('/small', () => 'ok')
  await server.listen({ port: 0, host: '127.0.0.1' })
  const session = http2.connect(server.listeningOrigin)
  t.after(() => session.destroy())
  const cancelled = session.request({ ':path': '/large' })
  cancelled.on('error', () => {})
  await once(cancelled, 'response')
  cancelled.pause()
  await sleep(50)
  cancelled.close(http2.constants.NGHTTP2_CANCEL)
  const read = async (path: string): Promise<Buffer> => Buffer.concat(await session.request({ ':path': path }).toArray())
  assert.equal(String(await read('/small')), 'ok')
  assert.equal((await read('/large')).length, large.length)
  assert.equal(String(await read('/text')), 'ä'.repeat(1_048_577))
})
