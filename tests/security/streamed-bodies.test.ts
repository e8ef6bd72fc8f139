/** Bodies that a parser takes as a stream: their limit, and the time that they may take over HTTP/2. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchange, open, parse, post, wireTest } from './wire.js'

let seen = 0
/** What parsers and streams were told. */
const told: unknown[] = []
const ended: unknown[] = []

/** Parsers that hand the stream on, and handlers that read it. */
function declare(server: Server): void {
  const read = async (request: any): Promise<object> => {
    seen = 0
    for await (const chunk of request.body) seen += chunk.length
    return { bytes: seen }
  }
  server.addContentTypeParser('x/limited', { bodyLimit: 1_000 }, (_request, payload, done) => done(null, payload))
  server.addContentTypeParser('x/free', (_request, payload, done) => done(null, payload))
  server.addContentTypeParser('x/reading', { bodyLimit: 1_000 }, async (_request: any, payload: any) => {
    let bytes = 0
    for await (const chunk of payload) bytes += chunk.length
    return bytes
  })
  server.addContentTypeParser('x/raw', { bodyLimit: 1_000 }, (_request, _payload, done) => done(null))
  server.post('/', read)
  server.post('/route', { bodyLimit: 10 }, read)
  server.post('/parsed', (request) => ({ bytes: request.body }))
  server.post('/raw', async (request) => {
    let bytes = 0
    for await (const chunk of request.raw) bytes += chunk.length
    return { bytes }
  })
  server.post('/hook', { preParsing: async (_request, _reply, payload) => payload.pipe(new PassThrough()) }, read)
}

const chunked = (path: string, type: string, chunks: readonly number[]): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
    .map((size) => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`)
    .join('')}0\r\n\r\n`

describe('a parser that takes the stream', () => {
  wireTest('gets no body whose stated length is above its limit, or that of the route', declare, async ({ port }) => {
    for (const [path, type, bytes] of [
      ['/', 'x/limited', 1_001],
      ['/parsed', 'x/reading', 1_001],
      ['/route', 'x/limited', 11],
      ['/route', 'x/free', 11],
    ] as const) {
      const [answer] = await exchange(port, post(path, type, 'a'.repeat(bytes)))
      assert.deepEqual([answer!.status, JSON.parse(answer!.body).code], [413, 'ALC_ERR_CTP_BODY_TOO_LARGE'], `${path} ${type}`)
      assert.equal(answer!.headers['connection'], 'close')
    }
  })

  wireTest('gets a body within its limit, and any body without a limit of its own', declare, async ({ port }) => {
    for (const [path, type, bytes] of [
      ['/', 'x/limited', 1_000],
      ['/parsed', 'x/reading', 1_000],
      ['/route', 'x/free', 10],
      ['/raw', 'x/raw', 1_000],
      ['/hook', 'x/limited', 1_000],
      ['/', 'x/free', 2_000_000],
    ] as const) {
      const [answer] = await exchange(port, post(path, type, 'a'.repeat(bytes)))
      assert.deepEqual([answer!.status, JSON.parse(answer!.body)], [200, { bytes }], `${path} ${type}`)
      const [other] = await exchange(port, chunked(path, type, [bytes - 1, 1]))
      assert.deepEqual([other!.status, JSON.parse(other!.body)], [200, { bytes }], `${path} ${type}, in chunks`)
    }
  })

  for (const [path, type] of [
    ['/', 'x/limited'],
    ['/parsed', 'x/reading'],
    ['/route', 'x/free'],
    ['/raw', 'x/raw'],
    ['/hook', 'x/limited'],
  ] as const) {
    wireTest(`gets no more than its limit of a body without a stated length (${path}, ${type})`, declare, async ({ port }) => {
      const [answer] = await exchange(port, chunked(path, type, [8, 900, 93]))
      assert.deepEqual([answer!.status, JSON.parse(answer!.body).code], [413, 'ALC_ERR_CTP_BODY_TOO_LARGE'])
      assert.equal(answer!.headers['connection'], 'close')
      assert.ok(seen <= 1_000)
      const socket = await open(port)
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      // `once` would reject if the connection is reset.
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.write(chunked(path, type, [500]).replace('0\r\n\r\n', ''))
      await new Promise((resolve) => setTimeout(resolve, 50))
      for (let sent = 0; sent < 20 && !socket.destroyed; sent++) socket.write(`64\r\n${'a'.repeat(100)}\r\n`)
      await closed
      assert.deepEqual(
        parse(text).map(({ status }) => status),
        [413],
      )
    })
  }
})

describe('the limit of a stream', () => {
  const limited = (server: Server, parse: (payload: Readable) => unknown): void => {
    server.addContentTypeParser('x/limited', { bodyLimit: 5 }, async (_request: unknown, payload: Readable) => parse(payload))
  }
  const textOf = async (payload: Readable): Promise<string> => (await payload.toArray()).join('')
  const statuses = async (port: number, bytes: string): Promise<number[]> => (await exchange(port, bytes)).map(({ status }) => status)

  wireTest(
    'counts the bytes of texts that a preParsing hook hands on',
    (server) => {
      limited(server, textOf)
      // Four characters, and eight bytes.
      server.post('/over', { preParsing: async () => Readable.from(['ää', 'ää']) }, ({ body }) => body)
      server.post('/within', { preParsing: async () => Readable.from(['ä', 'äa']) }, ({ body }) => body)
    },
    async ({ port }) => {
      assert.deepEqual(await statuses(port, chunked('/over', 'x/limited', [1])), [413])
      const [within] = await exchange(port, chunked('/within', 'x/limited', [1]))
      assert.deepEqual([within!.status, Buffer.from(within!.body, 'latin1').toString()], [200, 'ääa'])
    },
  )

  wireTest(
    'holds for bytes that had come before the parser was called',
    (server) => {
      limited(server, textOf)
      const filled = (): Readable => {
        const stream = new Readable({ read() {} })
        stream.push('a'.repeat(6))
        stream.push(null)
        return stream
      }
      server.post('/', { preParsing: async () => filled() }, ({ body }) => body)
    },
    async ({ port }) => assert.deepEqual(await statuses(port, chunked('/', 'x/limited', [1])), [413]),
  )

  wireTest(
    'is told to a parser as an error of the stream, which need not listen to it',
    (server) => {
      server.addContentTypeParser('x/deaf', { bodyLimit: 5 }, (_request, payload, _done) => void payload.resume())
      server.addContentTypeParser('x/told', { bodyLimit: 5 }, (_request, payload) => {
        payload.resume().once('error', ({ code }: { code?: string }) => told.push(code))
      })
      server.post('/', () => 'never')
      server.post('/hook', { preParsing: async (_request, _reply, payload) => payload.pipe(new PassThrough()) }, () => 'never')
    },
    async ({ port }) => {
      for (const path of ['/', '/hook']) {
        for (const type of ['x/deaf', 'x/told']) {
          told.length = 0
          assert.deepEqual(await statuses(port, chunked(path, type, [3, 3])), [413], `${path} ${type}`)
          assert.deepEqual(told, type === 'x/told' ? ['ALC_ERR_CTP_BODY_TOO_LARGE'] : [], `${path} ${type}`)
        }
      }
    },
  )

  wireTest(
    'ends the stream of a preParsing hook as the stream itself wants to be ended',
    (server) => {
      limited(server, textOf)
      const stream = (): Readable => {
        const made = Readable.from(['abc', 'def'])
        made._destroy = (error, done) => {
          ended.push(error?.message)
          done(error)
        }
        return made
      }
      server.post('/', { preParsing: async () => stream() }, ({ body }) => body)
    },
    async ({ port }) => {
      ended.length = 0
      assert.deepEqual(await statuses(port, chunked('/', 'x/limited', [1])), [413])
      assert.deepEqual(ended, ['Request body is too large'])
    },
  )
})

describe('over HTTP/2', () => {
  const withSession = async (options: object, run: (session: any) => Promise<void>): Promise<void> => {
    const server = createServer({ http2: true, forceCloseConnections: true, ...options })
    declare(server)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const session = connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    try {
      await run(session)
    } finally {
      session.destroy()
      await server.close()
    }
  }

  test('a parser that takes the stream gets no more than its limit either', { timeout: 5_000 }, () =>
    withSession({}, async (session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/', 'content-type': 'x/limited' })
      stream.on('error', () => {})
      stream.write('a'.repeat(600))
      stream.write('a'.repeat(600))
      const [headers] = await once(stream, 'response')
      assert.equal(headers[':status'], 413)
    }),
  )

  test('a request that does not arrive within requestTimeout is answered with 408 and its stream closed', { timeout: 5_000 }, () =>
    withSession({ requestTimeout: 200, handlerTimeout: 0 }, async (session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/', 'content-type': 'x/free' })
      stream.on('error', () => {})
      const trickle = setInterval(() => stream.destroyed || stream.write('a'), 20)
      const [headers] = await once(stream, 'response')
      assert.equal(headers[':status'], 408)
      stream.resume()
      await once(stream, 'close')
      clearInterval(trickle)
      const other = session.request({ ':method': 'POST', ':path': '/', 'content-type': 'x/free' })
      other.end('abc')
      const [answer] = await once(other, 'response')
      assert.equal(answer[':status'], 200)
    }),
  )
})
