/** One connection: the client on it. With Node's own server, and sockets that send exactly what stands here. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  closeWithConnection,
  isAborted,
  isClientGone,
  isLastOnConnection,
  kClosesAfterFinish,
  wasSentWhole,
  whenOver,
} from '../../../lib/http/connection.js'
import type { MaybeHttp2Response } from '../../../lib/http/http2.js'
import { areSocketFieldsKnown } from '../../../lib/http/node-internals.js'
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

test('responses that wait on a connection have one listener for its close; one that has closed before does not close again', async (t) => {
  const { client, exchanges } = await receive(t, GET + GET + GET, 3)
  const { socket } = exchanges[0]!.raw
  const before = socket.listenerCount('close')
  const closed: number[] = []
  for (const [index, { response }] of exchanges.entries()) {
    response.on('close', () => closed.push(index))
    closeWithConnection(socket, response)
  }
  assert.equal(socket.listenerCount('close'), before + 1)
  exchanges[1]!.response.destroy()
  exchanges[1]!.response.emit('close')
  const end = once(socket, 'close')
  client.destroy()
  await end
  await elapse(10)
  assert.deepEqual([closed.filter((index) => index === 0).length, closed.filter((index) => index === 2).length], [1, 1])
  // A request that was made without a connection.
  closeWithConnection(null, exchanges[1]!.response)
  closeWithConnection(undefined, exchanges[1]!.response)
})

test('a response that has the connection does not wait for its close', async (t) => {
  const { exchanges } = await receive(t, GET, 1)
  const { raw, response } = exchanges[0]!
  const before = raw.socket.listenerCount('close')
  closeWithConnection(raw.socket, response)
  assert.equal(raw.socket.listenerCount('close'), before)
})

test('a client is gone if the response is destroyed, if its stream of HTTP/2 is, or if the response waits on a destroyed connection', () => {
  const states: [response: object, isGone: boolean][] = [
    [{ destroyed: true }, true],
    [{ destroyed: false, stream: { destroyed: true, closed: false } }, true],
    [{ destroyed: false, stream: { destroyed: false, closed: true } }, true],
    [{ destroyed: false, stream: { destroyed: false, closed: false } }, false],
    [{ destroyed: false, socket: null, req: { socket: { destroyed: true } } }, true],
    [{ destroyed: false, socket: null, req: { socket: { destroyed: false } } }, false],
    [{ destroyed: false, socket: null, req: { socket: null } }, false],
    [{ destroyed: false, socket: {}, req: { socket: { destroyed: true } } }, false],
  ]
  for (const [response, isGone] of states) assert.equal(isClientGone(response as MaybeHttp2Response), isGone, JSON.stringify(response))
})

test('a response was sent as a whole if it has finished and its client has not left before; over HTTP/2 if its stream was not reset', () => {
  const states: [response: object, isWhole: boolean][] = [
    [{ writableFinished: true, req: {} }, true],
    [{ writableFinished: true, req: { aborted: true } }, false],
    [{ writableFinished: false, req: {} }, false],
    [{ writableEnded: true, stream: { rstCode: 0 } }, true],
    [{ writableEnded: true, stream: { rstCode: 8 } }, false],
    [{ writableEnded: false, stream: { rstCode: 0 } }, false],
  ]
  for (const [response, isWhole] of states) assert.equal(wasSentWhole(response as MaybeHttp2Response), isWhole, JSON.stringify(response))
})

describe('what waits for the end of a response', () => {
  /** Three listeners. @returns what each was told */
  function listen(response: ServerResponse): boolean[][] {
    const told: boolean[][] = [[], [], []]
    for (const list of told) whenOver(response, (_response, isWhole) => list.push(isWhole))
    return told
  }

  test('is told once that it was sent as a whole; later at once', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { response } = exchanges[0]!
    const told = listen(response)
    response.end('text')
    await once(response, 'close')
    assert.deepEqual(told, [[true], [true], [true]])
    assert.deepEqual(listen(response), [[true], [true], [true]])
    client.destroy()
  })

  test('is told once that its client has left, also for a response whose turn has not come; later at once', async (t) => {
    const { client, exchanges } = await receive(t, GET + GET, 2)
    const told = exchanges.map(({ response }) => listen(response))
    client.destroy()
    await once(exchanges[0]!.raw.socket, 'close')
    await elapse(10)
    for (const each of told) assert.deepEqual(each, [[false], [false], [false]])
    assert.deepEqual(listen(exchanges[1]!.response), [[false], [false], [false]])
  })

  test('is told at once if the response has closed before anything waited for it', async (t) => {
    const { client, exchanges } = await receive(t, GET + GET, 2)
    const [first, second] = exchanges as [Exchange, Exchange]
    const read = once(client, 'data')
    first.response.end('text')
    await once(first.response, 'close')
    assert.deepEqual(listen(first.response), [[true], [true], [true]])
    await read
    client.destroy()
    await once(second.raw.socket, 'close')
    await elapse(10)
    assert.deepEqual(listen(second.response), [[false], [false], [false]])
  })

  for (const [kind, fields, isWhole] of [
    ['that has finished', { socket: null, writableFinished: true }, true],
    ['that has not finished', { socket: null, writableFinished: false }, false],
    ['that has lost its connection', { socket: {}, writableFinished: true }, false],
    ['of HTTP/2', { socket: null, writableFinished: true, stream: { rstCode: 0 } }, false],
  ] as const) {
    test(`is told by the close of a response ${kind} that it was ${isWhole ? '' : 'not '}sent as a whole`, () => {
      const response: any = Object.assign(new EventEmitter(), { closed: false, req: { socket: null }, [kClosesAfterFinish]: true }, fields)
      const told = listen(response)
      // Its class closes in the tick after its finish, which needs no listener.
      assert.deepEqual([response.listenerCount('finish'), response.listenerCount('close')], [areSocketFieldsKnown ? 0 : 1, 1])
      response.emit('close')
      assert.deepEqual(told, [[isWhole], [isWhole], [isWhole]])
    })
  }

  test('is told by the finish of a response whose class is not known', () => {
    const response: any = Object.assign(new EventEmitter(), { closed: false, req: { socket: null }, socket: null, writableFinished: true })
    const told = listen(response)
    response.emit('finish')
    response.emit('close')
    assert.deepEqual(told, [[true], [true], [true]])
  })
})
