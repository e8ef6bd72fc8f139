/** One connection: the client on it, and how it ends. With Node's own server, and sockets that send exactly what stands here. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  closeInStages,
  closeWithConnection,
  isAborted,
  isClientGone,
  isLastOnConnection,
  isNoLongerServed,
  stopServing,
} from '../../../lib/http/connection.js'
// Its try-out confirms the fields of sockets, which are read here without a server of ours.
import '../../../lib/http/incoming-message.js'
import { elapse } from '../../fixtures/elapse.js'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A client that is connected to a server with the given listener. */
async function connectTo(t: TestContext, listener: RequestListener): Promise<Socket> {
  const server = http.createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => {
    client.destroy()
    server.close()
    server.closeAllConnections()
  })
  return client
}

type Exchange = { raw: IncomingMessage; response: ServerResponse }

/** The exchanges of requests that are sent in one piece, none of them answered. */
async function receive(t: TestContext, requests: string, count: number): Promise<{ client: Socket; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = []
  let arrived!: () => void
  const all = new Promise<void>((resolve) => (arrived = resolve))
  const client = await connectTo(t, (raw, response) => {
    exchanges.push({ raw, response })
    if (exchanges.length === count) arrived()
  })
  client.write(requests)
  await all
  return { client, exchanges }
}

test('a request is the last of its connection until another one arrives behind it', async (t) => {
  const { client, exchanges } = await receive(t, GET + GET, 2)
  assert.deepEqual(
    exchanges.map(({ raw }) => isLastOnConnection(raw)),
    [false, true],
  )
  client.write(GET)
  while (exchanges.length < 3) await wait(5)
  assert.deepEqual(
    exchanges.map(({ raw }) => isLastOnConnection(raw)),
    [false, false, true],
  )
})

test('a request without a socket is the last of its connection', () => {
  assert.equal(isLastOnConnection({ socket: null } as unknown as IncomingMessage), true)
})

describe('a client that leaves', () => {
  test('is gone for the response whose turn it is and for those behind it, and their requests are aborted', async (t) => {
    const { client, exchanges } = await receive(t, GET + GET, 2)
    const seen = (): boolean[][] => exchanges.map(({ raw, response }) => [isClientGone(response), isAborted(raw)])
    assert.deepEqual(seen(), [
      [false, false],
      [false, false],
    ])
    const closed = once(exchanges[0]!.raw.socket, 'close')
    client.destroy()
    await closed
    assert.deepEqual(seen(), [
      [true, true],
      [true, true],
    ])
  })

  test('after its reply does not abort the request', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { raw, response } = exchanges[0]!
    response.end('text')
    await once(client, 'data')
    const closed = once(raw.socket, 'close')
    client.destroy()
    await closed
    assert.equal(isAborted(raw), false)
  })

  test('is gone when it resets its stream of HTTP/2, though the session goes on', async (t) => {
    const server = http2.createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    t.after(() => (session.destroy(), server.close()))
    const stream = session.request()
    const [, response] = (await once(server, 'request')) as [unknown, http2.Http2ServerResponse]
    const asResponse = response as unknown as ServerResponse
    assert.equal(isClientGone(asResponse), false)
    const closed = once(response, 'close')
    stream.close(http2.constants.NGHTTP2_CANCEL)
    await closed
    assert.equal(isClientGone(asResponse), true)
    assert.equal(session.destroyed, false)
  })

  test('an injected request has no such field, and is not aborted', () => {
    assert.equal(isAborted({}), false)
  })
})

test('a response that waits for its turn closes with its connection', async (t) => {
  const { client, exchanges } = await receive(t, GET + GET + GET, 3)
  const closed: number[] = []
  for (const [index, { raw, response }] of exchanges.entries()) {
    response.on('close', () => closed.push(index))
    closeWithConnection(raw.socket, response)
  }
  const end = once(exchanges[0]!.raw.socket, 'close')
  client.destroy()
  await end
  await elapse(10)
  assert.deepEqual(closed, [0, 1, 2])
  assert.equal(exchanges[2]!.response.destroyed, true)
})

test('a response whose turn has come closes once, though it waited before', async (t) => {
  const { client, exchanges } = await receive(t, GET + GET, 2)
  const [first, second] = exchanges as [Exchange, Exchange]
  let closed = 0
  second.response.on('close', () => closed++)
  closeWithConnection(second.raw.socket, second.response)
  first.response.end('1')
  second.response.end('2')
  for (let bytes = ''; !bytes.endsWith('\r\n\r\n2');) bytes += String((await once(client, 'data'))[0])
  const end = once(first.raw.socket, 'close')
  client.destroy()
  await end
  await elapse(10)
  assert.equal(closed, 1)
})

describe('a connection that closes in stages', () => {
  const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n'
  const refuse: RequestListener = (raw, response) => {
    closeInStages(raw.socket)
    response.writeHead(413, { connection: 'close' })
    response.end('too large')
  }

  test('lets its client read the reply while it still sends its request', { timeout: 5_000 }, async (t) => {
    const client = await connectTo(t, refuse)
    let reply = ''
    const errors: Error[] = []
    client.allowHalfOpen = true
    client.on('data', (data) => (reply += data)).on('error', (error) => errors.push(error))
    const closed = once(client, 'close')
    client.write(POST)
    for (let piece = 0; piece < 20; piece++) {
      client.write('x'.repeat(10_000))
      await wait(5)
    }
    client.end()
    await closed
    assert.match(reply, /^HTTP\/1\.1 413 .*too large/s)
    assert.deepEqual(errors, [])
  })

  test('is no longer served, and is destroyed if its client does not close it', { timeout: 5_000 }, async (t) => {
    let socket!: Socket
    const client = await connectTo(t, (raw, response) => {
      socket = raw.socket
      refuse(raw, response)
    })
    client.allowHalfOpen = true
    client.resume().write(POST)
    await once(client, 'end')
    assert.equal(isNoLongerServed(socket), true)
    assert.equal(socket.destroyed, false)
    await once(socket, 'close')
  })
})

test('a connection is served until that is stopped; a request without a socket can neither be stopped nor fails', async (t) => {
  const { exchanges } = await receive(t, GET, 1)
  const { socket } = exchanges[0]!.raw
  assert.equal(isNoLongerServed(socket), false)
  stopServing(socket)
  assert.equal(isNoLongerServed(socket), true)
  stopServing(undefined)
  assert.equal(isNoLongerServed(undefined), false)
})
