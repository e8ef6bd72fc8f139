/** Clients that have left: streams and signals that a handler uses only afterwards are ended too, and nothing waits for the client. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Request, type ServerOptions } from 'alcove/lib'
import { countdown } from '../fixtures/countdown.js'
import { open } from './wire.js'
import { elapse } from '../fixtures/elapse.js'

type Leave = (port: number, arrived: Promise<void>) => Promise<void>

/** Writes requests, and closes the connection when one of them is being handled. */
const closing =
  (requests: string): Leave =>
  async (port, arrived) => {
    const socket = await open(port)
    socket.write(requests)
    await arrived
    socket.destroy()
  }

/** How a client leaves while its request is being handled. */
const ways: Record<string, { leave: Leave; options: ServerOptions }> = {
  'closes its connection': { options: {}, leave: closing('GET / HTTP/1.1\r\nHost: a\r\n\r\n') },
  'closes its connection before the turn of a request that it pipelined': {
    options: {},
    leave: closing('GET /stuck HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  },
  'resets its stream of HTTP/2': {
    options: { http2: true },
    async leave(port, arrived) {
      const session = http2.connect(`http://127.0.0.1:${port}`)
      const stream = session.request({ ':path': '/' })
      await arrived
      stream.close(http2.constants.NGHTTP2_CANCEL)
      await once(stream, 'close')
      session.close()
    },
  },
  'closes its session of HTTP/2': {
    options: { http2: true },
    async leave(port, arrived) {
      const session = http2.connect(`http://127.0.0.1:${port}`)
      session.request({ ':path': '/' }).on('error', () => {})
      await arrived
      session.destroy()
    },
  },
}

/** The results of a handler whose client has left; each must call `ended`. */
const deeds: Record<string, (request: Request, ended: () => void) => unknown> = {
  'a stream': (_request, ended) => new Readable({ read() {}, destroy: (_error, done) => (ended(), done(null)) }),
  'a web stream': (_request, ended) => new ReadableStream({ cancel: ended }),
  'a Response': (_request, ended) => new Response(new ReadableStream({ cancel: ended })),
  'its signal': (request, ended) => {
    if (request.signal.aborted) ended()
    else request.signal.addEventListener('abort', ended)
    return 'not read'
  },
}

describe('after a client has left', () => {
  for (const [way, { leave, options }] of Object.entries(ways)) {
    for (const [what, deed] of Object.entries(deeds)) {
      test(`${what} is ended if the client ${way}`, { timeout: 5000 }, async () => {
        const server = createServer({ ...options, forceCloseConnections: true })
        const arrived = countdown(1)
        const left = countdown(1)
        const ended = countdown(1)
        server.get('/stuck', () => new Promise(() => {}))
        server.get('/', async (request, reply: Reply) => {
          arrived.hit()
          await left.done
          return reply.send(deed(request, ended.hit))
        })
        await server.listen({ port: 0, host: '127.0.0.1' })
        await leave((server.server.address() as AddressInfo).port, arrived.done)
        // Time for the server to notice it
        void elapse(50).then(left.hit)
        await ended.done
        await server.close()
      })
    }
  }

  test('a body that is first read then ends at once, as an error of the client', { timeout: 5000 }, async () => {
    const server = createServer({ forceCloseConnections: true })
    const arrived = countdown(1)
    const left = countdown(1)
    const failed = new Promise<Error & { statusCode?: number }>((resolve) =>
      server.addHook('onError', async (_request, _reply, error) => resolve(error)),
    )
    server.addHook('onRequest', async () => (arrived.hit(), left.done))
    server.post('/', () => 'never')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = await open((server.server.address() as AddressInfo).port)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nha')
    await arrived.done
    socket.destroy()
    void elapse(50).then(left.hit)
    const { statusCode, message } = await failed
    assert.deepEqual([statusCode, message], [400, 'aborted'])
    await server.close()
  })
})
