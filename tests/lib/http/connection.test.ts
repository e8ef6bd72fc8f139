/** One connection: the client on it. With Node's own server, and sockets that send exactly what stands here. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { closeWithConnection, isAborted, isClientGone, isLastOnConnection } from '../../../lib/http/connection.js'
// Its try-out confirms the fields of sockets, which are read here without a server of ours.
import '../../../lib/http/incoming-message.js'
import { elapse } from '../../fixtures/elapse.js'
import { type Exchange, GET, receive } from '../../fixtures/exchanges.js'

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
