/** The states of a connection: which requests are served, and how it closes. With Node's own server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { closeInStages, isNoLongerServed, stopServing } from '../../../lib/http/connection-states.js'
import { connectTo, GET, receive } from '../../fixtures/exchanges.js'

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
