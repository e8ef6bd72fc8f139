/** Bodies that a handler reads as a stream, but not to their end. The clock of these tests is advanced by hand. */
import assert from 'node:assert/strict'
import type { AddressInfo, Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { after, before, mock, test } from 'node:test'
import { createServer, type Reply } from 'alcove/lib'
import { open, recorder } from '../../../security/wire.js'

const now = performance.now.bind(performance)
let advanced = 0
performance.now = () => now() + advanced
const wait = setTimeout
mock.timers.enable({ apis: ['setTimeout'] })
const pause = (ms: number): Promise<void> => new Promise((resolve) => void wait(resolve, ms))

/** Lets time pass in steps of a second, in each of which sockets get their turn. */
async function advance(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    advanced += 1_000
    mock.timers.tick(1_000)
    await pause(5)
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    assert.ok(waited < 10_000, 'it did not happen within 10 s')
    await pause(5)
  }
}

/** Replies to a request, and does something with its body. */
type Handle = (payload: Readable, reply: Reply) => unknown
let handle: Handle
const { lines, logger } = recorder()
const closings = (): number => lines.filter(({ given }) => String(given).startsWith('the connection is closed')).length
const server = createServer({ logger, handlerTimeout: 0, forceCloseConnections: true, bodyLimit: 10_000_000 })
server.addContentTypeParser('application/x-parts', (_request, payload, done) => done(null, payload))
server.post('/', (request, reply) => handle(request.body as Readable, reply))
server.get('/next', () => 'next')
let port: number
before(async () => {
  await server.listen({ port: 0, host: '127.0.0.1' })
  port = (server.server.address() as AddressInfo).port
})
after(() => server.close())

/** Sends a request with the first bytes of a body, or with all of it, then another request on the same connection. */
async function send(size: number, handler: Handle, sent = size): Promise<{ socket: Socket; text: () => string; isClosed: () => boolean }> {
  handle = handler
  const socket = await open(port)
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-parts\r\nContent-Length: ${size}\r\n\r\n`)
  socket.write(Buffer.alloc(sent))
  await until(() => text.includes('first'))
  if (sent === size) socket.write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')
  return { socket, text: () => text, isClosed: () => socket.closed || socket.readableEnded }
}

test('a connection whose body was read in part is closed after its reply, so that its client does not wait for ever', async () => {
  const { isClosed, text } = await send(1_000_000, (payload) => {
    // Nothing reads from this stream, as from a file of a form that is refused.
    payload.pipe(new PassThrough())
    return 'first'
  })
  const before = closings()
  await advance(4)
  assert.deepEqual([isClosed(), closings() - before], [false, 0])
  await advance(12)
  await until(isClosed)
  assert.equal(closings() - before, 1)
  assert.ok(!text().includes('next'))
})

test('a connection stays open as long as its body is read, also long after the reply', async () => {
  const sink = new PassThrough()
  const { isClosed, text, socket } = await send(1_000_000, (payload) => {
    payload.pipe(sink)
    return 'first'
  })
  for (let count = 0; count < 4; count++) {
    await advance(4)
    for (let read = 0; read < 80_000;) {
      const chunk = sink.read() as Buffer | null
      read += chunk?.length ?? 0
      if (chunk === null) await pause(1)
    }
  }
  assert.equal(isClosed(), false)
  sink.resume()
  await until(() => text().includes('next'))
  socket.destroy()
})

test('a connection stays open as long as the handler is at work', async () => {
  let end!: () => void
  const { isClosed } = await send(1_000_000, async (payload, reply) => {
    payload.pipe(new PassThrough())
    reply.send('first')
    await new Promise<void>((resolve) => (end = resolve))
  })
  await advance(20)
  assert.equal(isClosed(), false)
  end()
  await advance(12)
  await until(isClosed)
})

test('a connection that can take its next request stays open, although a rest of the body is not read', async () => {
  const { isClosed, text, socket } = await send(10_000, (payload) => {
    payload.once('data', () => payload.pause())
    return 'first'
  })
  await until(() => text().includes('next'))
  await advance(20)
  assert.equal(isClosed(), false)
  socket.destroy()
})

test('a connection stays open while its client is late with a body of which nothing waits to be read', async () => {
  const handler: Handle = (payload) => {
    payload.resume()
    return 'first'
  }
  const { isClosed, text, socket } = await send(10_000, handler, 5_000)
  await advance(20)
  assert.equal(isClosed(), false)
  socket.write(Buffer.alloc(5_000))
  socket.write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => text().includes('next'))
  socket.destroy()
})

test('a request whose socket was taken away, as undici does, is left alone', async () => {
  const before = closings()
  const { socket } = await send(1_000_000, (payload, reply) => {
    payload.pipe(new PassThrough())
    reply.raw.once('finish', () => Object.assign(reply.request.raw, { socket: null }))
    return 'first'
  })
  await advance(20)
  assert.equal(closings() - before, 0)
  socket.destroy()
})

test('an injected request has no connection, so nothing is logged of its body while its reply goes on', async () => {
  const source = new PassThrough()
  handle = (_payload, reply) => reply.send(source)
  const before = lines.length
  const injected = server.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/x-parts' }, payload: 'x' })
  await until(() => source.readableFlowing === true)
  await advance(12)
  source.end('first')
  assert.equal((await injected).body, 'first')
  const said = lines.slice(before).map(({ given }) => String(given))
  assert.deepEqual(
    said.filter((text) => text.startsWith('the body of the request is dropped')),
    [],
  )
})
