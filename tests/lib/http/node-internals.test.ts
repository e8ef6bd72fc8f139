/** What the fields of a socket tell, and in a Node that is not verified the events of its server. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import * as internals from '../../../lib/http/node-internals.js'
import { verification } from '../../../lib/util/node-verification.js'

const {
  areSocketFieldsKnown,
  currentResponse,
  hasFinished,
  isUpgraded,
  latestRequest,
  socketBelow,
  transportOf,
  trackUnlessKnown,
  unsentBytes,
} = internals

/** A socket with these fields. */
const socket = (fields: object = {}): any => fields

test('bytes that wait are those that the operating system has not taken, or those of the stream if the handle does not say', () => {
  assert.equal(unsentBytes(socket({ _handle: { writeQueueSize: 5 }, writableLength: 9 })), 5)
  assert.equal(unsentBytes(socket({ _handle: { writeQueueSize: 0 }, writableLength: 9 })), 0)
  assert.equal(unsentBytes(socket({ _handle: {}, writableLength: 9 })), 9)
  for (const _handle of [null, undefined]) assert.equal(unsentBytes(socket({ _handle, writableLength: 9 })), 9)
})

test('the socket below TLS is the one that Node names, or the one with the same peer', () => {
  const [first, second, third] = [
    socket({ remotePort: 1, remoteAddress: 'a' }),
    socket({ remotePort: 2, remoteAddress: 'b' }),
    socket({ remotePort: 2, remoteAddress: 'a' }),
  ]
  const peer = { remotePort: 2, remoteAddress: 'a' }
  assert.equal(socketBelow(socket({ ...peer, _parent: first }), [second, third]), first)
  assert.equal(socketBelow(socket(peer), [first, second, third]), third)
  assert.equal(socketBelow(socket(peer), [first, second]), undefined)
})

test('the bytes of a connection go to the operating system by its socket, or by the socket below TLS', () => {
  const [plain, below] = [socket(), socket()]
  assert.equal(transportOf(plain), plain)
  assert.equal(transportOf(socket({ _parent: below })), below)
})

test('a response has finished if it is written to its end and its socket was taken away', () => {
  const responses = [
    [{ socket: null, writableFinished: true }, true],
    [{ socket: null, writableFinished: false }, false],
    [{ socket: {}, writableFinished: true }, false],
  ] as const
  for (const [response, expected] of responses) assert.equal(hasFinished(response as never), expected)
})

describe('in a Node that is verified, the fields of a socket tell', { skip: !areSocketFieldsKnown }, () => {
  const message = {}

  test('the latest request', () => {
    assert.equal(latestRequest(socket({ parser: { incoming: message } })), message)
    for (const parser of [{ incoming: null }, {}, null, undefined]) assert.equal(latestRequest(socket({ parser })), undefined)
    assert.equal(latestRequest(null), undefined)
  })
  test('the response whose turn it is', () => {
    assert.equal(currentResponse(socket({ _httpMessage: message })), message)
    for (const _httpMessage of [null, undefined]) assert.equal(currentResponse(socket({ _httpMessage })), undefined)
  })
  test('that it carries another protocol, if it has no parser', () => {
    assert.equal(isUpgraded(socket({ parser: {} })), false)
    for (const parser of [null, undefined]) assert.equal(isUpgraded(socket({ parser })), true)
  })
  test('all, so that the server stays as it is', () => {
    const server = new EventEmitter()
    trackUnlessKnown(server as never)
    assert.equal(server.emit, EventEmitter.prototype.emit)
  })
})

describe('in a Node that is not verified, the events of the server tell', async () => {
  const given = verification.fields
  Object.assign(verification, { fields: false })
  const address = '../../../lib/http/node-internals.js?not-verified'
  const tracking = (await import(address)) as typeof internals
  Object.assign(verification, { fields: given })

  const server = new EventEmitter()
  const calls: unknown[] = []
  server.on('request', (...args) => calls.push(args))
  tracking.trackUnlessKnown(server as never)
  const { emit } = server

  const exchange = (on: object): [request: object, response: EventEmitter] => [{ socket: on }, new EventEmitter()]

  test('nothing of a connection without requests', () => {
    const unknown = socket({ parser: { incoming: {} }, _httpMessage: {} })
    assert.equal(tracking.areSocketFieldsKnown, false)
    assert.equal(tracking.currentResponse(unknown), undefined)
    assert.equal(tracking.latestRequest(unknown), undefined)
    assert.equal(tracking.latestRequest(null), undefined)
    assert.equal(tracking.isUpgraded(socket()), false)
  })
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    test(`the latest request, and the first response that is not closed: ${event}`, () => {
      const on = socket()
      const [first, second] = [exchange(on), exchange(on)]
      server.emit(event, ...first)
      server.emit(event, ...second)
      assert.equal(tracking.latestRequest(on), second[0])
      assert.equal(tracking.currentResponse(on), first[1])
      first[1].emit('close')
      assert.equal(tracking.currentResponse(on), second[1])
      second[1].emit('close')
      assert.equal(tracking.currentResponse(on), undefined)
      assert.equal(tracking.latestRequest(on), second[0])
      assert.equal(tracking.isUpgraded(on), false)
    })
  }
  for (const event of ['upgrade', 'connect']) {
    test(`that the connection carries another protocol: ${event}`, () => {
      const on = socket()
      server.emit(event, {}, on)
      assert.equal(tracking.isUpgraded(on), true)
      assert.equal(tracking.currentResponse(on), undefined)
    })
  }
  test('nothing of other events and of HTTP/2', () => {
    const on = socket()
    server.emit('connection', on, on)
    server.emit('request', { stream: {}, socket: on }, new EventEmitter())
    assert.equal(tracking.latestRequest(on), undefined)
    assert.equal(tracking.currentResponse(on), undefined)
    assert.equal(tracking.isUpgraded(on), false)
  })
  test('and listeners get the events as before, from a server that is tracked once', () => {
    calls.length = 0
    const given = exchange(socket())
    assert.equal(server.emit('request', ...given), true)
    assert.equal(server.emit('other'), false)
    assert.deepEqual(calls, [given])
    tracking.trackUnlessKnown(server as never)
    assert.equal(server.emit, emit)
  })
})
