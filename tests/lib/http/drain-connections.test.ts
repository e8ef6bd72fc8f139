/** Connections while the server closes: what is found of them by looks at certain times. The clock is that of the test. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer as createNodeServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { createServer } from 'alcove/lib'
import { Connections } from '../../../lib/http/drain-connections.js'
import { LazyIncomingMessage } from '../../../lib/http/incoming-message.js'
import { until } from '../../fixtures/elapse.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Drain {
  /** Looks at the connections after some time. */
  later(ms: number): Promise<void>
  stop(): void
}

/** Drains connections by a clock that stands still until the test looks at them again. */
function drain(t: TestContext, connections: Connections, idleDelay: number): Drain {
  let now = 5_000
  let look!: () => void
  const timer = {} as NodeJS.Timeout
  t.mock.method(performance, 'now', () => now)
  const start = t.mock.method(globalThis, 'setInterval', (call: () => void) => ((look = call), timer))
  const stop = connections.drain(idleDelay)
  start.mock.restore()
  return {
    stop() {
      const clear = t.mock.method(globalThis, 'clearInterval')
      stop()
      assert.deepEqual(clear.mock.calls[0]?.arguments, [timer])
    },
    async later(ms) {
      now += ms
      look()
      await turn()
    },
  }
}

test('a connection that never sent anything does not delay the closing, and one that sends a request late is answered', async () => {
  const server = createServer({ return503OnClosing: false })
  server.get('/', () => 'hello')
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  const silent = connect(Number(port), '127.0.0.1')
  await once(server.server, 'connection')
  const late = connect(Number(port), '127.0.0.1')
  await once(server.server, 'connection')
  const answer = once(late, 'data')
  const closing = server.close()
  late.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 200 OK\r\n/)
  await Promise.all([closing, once(silent, 'close')])
})

describe('a connection of HTTP/1', { timeout: 10_000 }, () => {
  interface Served {
    readonly connections: Connections
    readonly server: Server
    readonly client: Socket
    /** The connection as the server has it. */
    readonly socket: Socket
    /** Sends bytes, and waits until the server has read them. */
    send(bytes: string): Promise<void>
    /** Sends bytes, and waits until the server has a request. */
    request(bytes: string): Promise<[raw: IncomingMessage, response: ServerResponse]>
  }

  async function serve(t: TestContext): Promise<Served> {
    const server = createNodeServer({ IncomingMessage: LazyIncomingMessage })
    const connections = new Connections()
    connections.watch(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => {})
    const [socket] = (await once(server, 'connection')) as [Socket]
    t.after(() => {
      client.destroy()
      server.close()
    })
    const send = async (bytes: string): Promise<void> => {
      const read = socket.bytesRead + bytes.length
      client.write(bytes)
      await until(() => socket.bytesRead >= read)
    }
    const request = async (bytes: string): Promise<[IncomingMessage, ServerResponse]> => {
      const come = once(server, 'request')
      await send(bytes)
      return (await come) as [IncomingMessage, ServerResponse]
    }
    return { connections, server, client, socket, send, request }
  }

  const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'
  const large = Buffer.alloc(30_000_000)

  test('is destroyed when it has been idle for the delay', async (t) => {
    const { connections, socket } = await serve(t)
    const { later, stop } = drain(t, connections, 100)
    await later(99)
    assert.equal(socket.destroyed, false)
    await later(1)
    assert.equal(socket.destroyed, true)
    await once(socket, 'close')
    assert.deepEqual([...connections.http1Sockets()], [])
    stop()
  })

  test('that never sent anything is destroyed at once if there is no delay', async (t) => {
    const { connections, socket } = await serve(t)
    drain(t, connections, 0)
    assert.equal(socket.destroyed, true)
  })

  test('stays open for 2 s more while parts of a request come', async (t) => {
    const { connections, socket, send } = await serve(t)
    const { later } = drain(t, connections, 100)
    for (const [time, isOpen] of [
      [100, true],
      [1_999, true],
      [1, false],
    ] as const) {
      await send(time === 100 ? 'GET / HTTP/1.1\r\n' : 'a: b\r\n')
      await later(time)
      assert.equal(!socket.destroyed, isOpen)
    }
  })

  test('is destroyed after the delay if parts of a request came, but no more of them since the last look', async (t) => {
    const { connections, socket, send } = await serve(t)
    await send('GET / HTTP/1.1\r\n')
    const { later } = drain(t, connections, 100)
    await later(100)
    assert.equal(socket.destroyed, true)
  })

  test('is left alone while its request is served, however long, and is idle for the delay then', async (t) => {
    const { connections, socket, request } = await serve(t)
    const { later } = drain(t, connections, 100)
    await later(60)
    const [, response] = await request(GET)
    await later(100_000)
    response.write('a')
    await later(100_000)
    response.end()
    await once(response, 'close')
    await later(100_000)
    await later(99)
    assert.equal(socket.destroyed, false)
    await later(1)
    assert.equal(socket.destroyed, true)
  })

  test('is left alone once it was upgraded', async (t) => {
    const { connections, server, socket, send } = await serve(t)
    server.on('upgrade', () => {})
    await send('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n')
    const { later } = drain(t, connections, 0)
    await later(100_000)
    assert.equal(socket.destroyed, false)
    connections.destroyAll()
    assert.equal(socket.destroyed, true)
  })

  test('gets an answer if less than 480 bytes of a body have come in 2 s, and is destroyed with the next look', async (t) => {
    const { connections, server, socket, send, request } = await serve(t)
    const errors: unknown[] = []
    server.on('clientError', (error, of) => errors.push([error.message, (error as { code?: string }).code, of === socket]))
    const [raw] = await request(POST)
    raw.resume()
    await turn()
    const { later } = drain(t, connections, 0)
    await later(1_000)
    await send('x'.repeat(480))
    await later(1_000)
    await send('x'.repeat(479))
    await later(1_999)
    assert.deepEqual([errors, socket.destroyed], [[], false])
    await later(1)
    const message = 'The server is closing and the request was not completed in time.'
    assert.deepEqual([errors, socket.destroyed], [[[message, 'ERR_HTTP_REQUEST_TIMEOUT', true]], false])
    await later(25)
    assert.deepEqual([errors.length, socket.destroyed], [1, true])
  })

  test('is destroyed at once if its body does not come and nothing listens to clientError, or its reply has begun', async (t) => {
    for (const hasBegun of [false, true]) {
      const { connections, server, socket, request } = await serve(t)
      let errors = 0
      if (hasBegun) server.on('clientError', () => errors++)
      const [raw, response] = await request(POST)
      raw.resume()
      if (hasBegun) response.flushHeaders()
      await turn()
      const { later } = drain(t, connections, 0)
      await later(2_000)
      assert.deepEqual([errors, socket.destroyed], [0, true])
    }
  })

  test('has 10 s for a body that keeps coming', async (t) => {
    const { connections, socket, send, request } = await serve(t)
    const [raw] = await request(POST)
    raw.resume()
    await turn()
    const { later } = drain(t, connections, 0)
    for (let time = 0; time < 8_000; time += 2_000) {
      await send('x'.repeat(480))
      await later(2_000)
    }
    await later(1_999)
    assert.equal(socket.destroyed, false)
    await send('x'.repeat(480))
    await later(1)
    assert.equal(socket.destroyed, true)
  })

  test('has 10 s for its reply if a body was awaited before', async (t) => {
    const { connections, client, socket, send, request } = await serve(t)
    client.pause()
    const [raw, response] = await request(POST)
    raw.resume()
    await turn()
    const { later } = drain(t, connections, 0)
    await later(1_900)
    const ended = once(raw, 'end')
    await send('x'.repeat(100_000))
    await ended
    await later(1)
    response.end(large)
    await later(8_099)
    await later(9_999)
    assert.equal(socket.destroyed, false)
    await later(1)
    assert.equal(socket.destroyed, true)
  })

  for (const [what, send] of [
    ['has ended', (response: ServerResponse) => response.end(large)],
    ['waits for room', (response: ServerResponse) => response.write(large)],
  ] as const) {
    test(`whose reply ${what} is left alone while its client takes something in 10 s`, async (t) => {
      const { connections, client, socket, request } = await serve(t)
      client.pause()
      const [, response] = await request(GET)
      send(response)
      const { later } = drain(t, connections, 0)
      let taken = 0
      client.on('data', (data) => {
        taken += data.length
        if (taken > 10_000_000) client.pause()
      })
      client.resume()
      await until(() => client.isPaused())
      await later(10_000)
      assert.equal(socket.destroyed, false)
      await turn()
      await later(9_999)
      assert.equal(socket.destroyed, false)
      await later(1)
      assert.equal(socket.destroyed, true)
    })
  }

  test('has 10 s for its reply, but 2 s for its body, if no progress of a reply can be seen', async (t) => {
    for (const isBody of [false, true]) {
      const { connections, client, socket, request } = await serve(t)
      Object.defineProperty((socket as unknown as { _handle: object })._handle, 'writeQueueSize', { value: undefined })
      client.pause()
      const [raw, response] = await request(isBody ? POST : GET)
      if (isBody) raw.resume()
      else response.end(large)
      await turn()
      const { later } = drain(t, connections, 0)
      await later(isBody ? 1_999 : 9_999)
      assert.equal(socket.destroyed, false)
      await later(1)
      assert.equal(socket.destroyed, true)
    }
  })
})

/** A server, sockets and sessions without a network. */
class FakeSocket extends EventEmitter {
  bytesRead = 0
  bytesWritten = 0
  writableLength = 0
  writableEnded = false
  destroyed = 0
  _parent: FakeSocket | undefined
  destroy(): void {
    this.destroyed++
  }
}
class FakeSession extends EventEmitter {
  closed = false
  close(): void {
    this.closed = true
  }
}
class FakeStream extends EventEmitter {
  state = { remoteClose: 1 }
  readableFlowing: boolean | null = true
  readableLength = 0
  readableHighWaterMark = 10
  writableEnded = false
  writableNeedDrain = false
}
const working = (): FakeStream => new FakeStream()
const reading = (): FakeStream => Object.assign(new FakeStream(), { state: { remoteClose: 0 } })
const replying = (): FakeStream => Object.assign(new FakeStream(), { writableEnded: true })

describe('a connection of HTTP/2', () => {
  function serve(...streams: FakeStream[]): { connections: Connections; socket: FakeSocket; session: FakeSession } {
    const [server, socket, session] = [new EventEmitter(), new FakeSocket(), new FakeSession()]
    const connections = new Connections()
    connections.watch(server as Server)
    server.emit('session', session)
    server.emit('connection', socket)
    for (const stream of streams) session.emit('stream', stream)
    return { connections, socket, session }
  }
  const isDestroyed = ({ destroyed }: FakeSocket): boolean => destroyed > 0

  test('is told of the end when the delay is over, and destroyed 50 ms later, or 2 s if it does not take that', async (t) => {
    for (const [unsent, grace] of [
      [0, 50],
      [9, 2_000],
    ] as const) {
      const { connections, socket, session } = serve()
      socket.writableLength = unsent
      const { later } = drain(t, connections, 100)
      await later(99)
      assert.equal(session.closed, false)
      await later(1)
      assert.equal(session.closed, true)
      await later(grace - 1)
      assert.equal(isDestroyed(socket), false)
      await later(1)
      assert.equal(isDestroyed(socket), true)
    }
  })

  test('is left alone while a stream is served, also if others wait for the client, and is idle for the delay then', async (t) => {
    const streams = [reading(), working()]
    const { connections, socket } = serve(...streams)
    const { later } = drain(t, connections, 100)
    await later(100_000)
    await later(100_000)
    for (const stream of streams) stream.emit('close')
    await later(100_000)
    await later(149)
    assert.equal(isDestroyed(socket), false)
    await later(1)
    assert.equal(isDestroyed(socket), true)
  })

  test('begins to be idle, or to wait for its client, anew after each time that it was not', async (t) => {
    const { connections, socket, session } = serve()
    const { later } = drain(t, connections, 100)
    await later(140)
    const stream = reading()
    session.emit('stream', stream)
    await later(1_999)
    await later(1_999)
    stream.state.remoteClose = 1
    await later(1_000)
    stream.writableEnded = true
    await later(1_999)
    stream.emit('close')
    await later(1_000)
    await later(149)
    assert.equal(isDestroyed(socket), false)
    await later(1)
    assert.equal(isDestroyed(socket), true)
  })

  for (const [what, field] of [
    ['sends', 'bytesRead'],
    ['takes', 'bytesWritten'],
  ] as const) {
    test(`is destroyed if its client ${what} less than 480 bytes in 2 s`, async (t) => {
      const { connections, socket } = serve(reading(), replying())
      socket[field] = 1_000
      const { later } = drain(t, connections, 0)
      await later(1_000)
      socket[field] += 480
      await later(1_000)
      socket[field] += 479
      await later(1_999)
      assert.equal(isDestroyed(socket), false)
      await later(1)
      assert.equal(isDestroyed(socket), true)
    })
  }

  test('has 10 s for a body that keeps coming, and any time for replies that are taken', async (t) => {
    for (const [streams, isLimited] of [
      [[reading(), replying()], true],
      [[replying(), replying()], false],
    ] as const) {
      const { connections, socket } = serve(...streams)
      const { later } = drain(t, connections, 0)
      for (let time = 0; time < 8_000; time += 2_000) {
        socket.bytesRead += 480
        await later(2_000)
      }
      await later(1_999)
      assert.equal(isDestroyed(socket), false)
      socket.bytesRead += 480
      await later(1)
      assert.equal(isDestroyed(socket), isLimited)
    }
  })

  test('is not known any more once it has closed', () => {
    const { connections, socket, session } = serve()
    assert.deepEqual([...connections.http2Sessions()], [[socket, session]])
    socket.emit('close')
    assert.deepEqual([...connections.http2Sessions()], [])
  })

  test('is told apart from a connection of HTTP/1 on the same server', () => {
    const server = new EventEmitter()
    const connections = new Connections()
    connections.watch(server as Server)
    const [first, second] = [new FakeSocket(), new FakeSocket()]
    server.emit('session', new FakeSession())
    server.emit('connection', first)
    server.emit('connection', second)
    assert.deepEqual([[...connections.http2Sessions()].map(([socket]) => socket), [...connections.http1Sockets()]], [[first], [second]])
    connections.destroyAll()
    assert.deepEqual([first.destroyed, second.destroyed], [1, 1])
  })
})

describe('a connection of TLS', () => {
  function serve(): { connections: Connections; server: EventEmitter; below: FakeSocket; secure: FakeSocket } {
    const server = Object.assign(new EventEmitter(), { setSecureContext() {} })
    const connections = new Connections()
    connections.watch(server as unknown as Server)
    const [below, secure] = [new FakeSocket(), new FakeSocket()]
    secure._parent = below
    server.emit('connection', below)
    return { connections, server, below, secure }
  }

  test('is destroyed when the delay is over if its handshake is not complete', async (t) => {
    const { connections, below } = serve()
    const { later } = drain(t, connections, 100)
    await later(99)
    assert.equal(below.destroyed, 0)
    await later(1)
    assert.equal(below.destroyed, 1)
    below.emit('close')
    connections.destroyAll()
    assert.equal(below.destroyed, 1)
  })

  test('is one of HTTP/1 once its handshake is complete', () => {
    const { connections, server, below, secure } = serve()
    assert.deepEqual([...connections.http1Sockets()], [])
    server.emit('secureConnection', secure)
    connections.destroyAll()
    assert.deepEqual([[...connections.http1Sockets()], below.destroyed, secure.destroyed], [[secure], 0, 1])
  })

  test('stays one whose handshake is not complete if Node has refused its protocol', () => {
    const { connections, server, below, secure } = serve()
    secure.writableEnded = true
    server.emit('secureConnection', secure)
    connections.destroyAll()
    assert.deepEqual([[...connections.http1Sockets()], below.destroyed, secure.destroyed], [[], 1, 0])
  })
})

describe('the connections that the operating system holds have been accepted', () => {
  function accept(t: TestContext): { server: EventEmitter; setTime(ms: number): void; isDone(): boolean } {
    const server = new EventEmitter()
    const connections = new Connections()
    connections.watch(server as Server)
    let now = 5_000
    let isDone = false
    t.mock.method(performance, 'now', () => now)
    connections.whenAccepted(() => (isDone = true))
    return { server, setTime: (ms) => (now = 5_000 + ms), isDone: () => isDone }
  }

  test('when a turn of the event loop has brought none', async (t) => {
    const { server, isDone } = accept(t)
    for (let count = 0; count < 5; count++) {
      await turn()
      assert.equal(isDone(), false)
      server.emit('connection', new FakeSocket())
    }
    await turn()
    await turn()
    assert.equal(isDone(), true)
  })

  test('as far as that is waited for if they keep coming for a second', async (t) => {
    const { server, setTime, isDone } = accept(t)
    for (const time of [0, 500, 1_000]) {
      setTime(time)
      server.emit('connection', new FakeSocket())
      await turn()
      assert.equal(isDone(), false)
    }
    setTime(1_001)
    server.emit('connection', new FakeSocket())
    await turn()
    assert.equal(isDone(), true)
  })
})
