/** The states of a connection: which requests are served, and how it closes. With Node's own server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  closeInStages,
  dropFurther,
  endBefore,
  isDropping,
  isNoLongerServed,
  isPipelined,
  servePipelined,
  stopServing,
} from '../../../lib/http/connection-states.js'
// Its try-out confirms the fields of sockets, which are read here without a server of ours.
import '../../../lib/http/incoming-message.js'
import type { HttpSocket } from '../../../lib/http/node-internals.js'
import { until, workingTime } from '../../fixtures/elapse.js'
import { connectTo, type Exchange, GET, receive } from '../../fixtures/exchanges.js'
import { parse } from '../../security/wire.js'

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

test('a connection that drops what comes never goes back to one that only stopped serving', async (t) => {
  const { exchanges } = await receive(t, GET, 1)
  const { socket } = exchanges[0]!.raw
  assert.equal(isDropping(socket), false)
  dropFurther(socket)
  stopServing(socket)
  assert.deepEqual([isDropping(socket), isNoLongerServed(socket)], [true, true])
  const listeners = socket.listenerCount('end')
  dropFurther(socket)
  assert.equal(socket.listenerCount('end'), listeners)
})

test('a connection without a socket drops nothing', () => {
  assert.deepEqual([isDropping(undefined), isDropping(null)], [false, false])
})

describe('a connection that drops what comes', { timeout: 5_000 }, () => {
  test('is read, unparsed, until its client ends it', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { socket } = exchanges[0]!.raw
    client.resume()
    dropFurther(socket)
    const read = socket.bytesRead
    const bytes = 'no http\r\n'.repeat(20_000)
    client.write(bytes)
    await until(() => socket.bytesRead === read + bytes.length)
    assert.equal(exchanges.length, 1)
    assert.equal(socket.destroyed, false)
    const closed = once(socket, 'close')
    client.end()
    assert.deepEqual(await closed, [false])
  })

  test('is destroyed before Node reports that its client has ended it in the middle of a request', async (t) => {
    const { client, exchanges } = await receive(t, `${GET}POST / HTTP/1.1\r\nContent-Le`, 1)
    const { socket } = exchanges[0]!.raw
    client.resume()
    const reported: boolean[] = []
    ;(socket as Socket & { server: Server }).server.on('clientError', () => reported.push(socket.destroyed))
    dropFurther(socket)
    const closed = once(socket, 'close')
    client.end()
    await closed
    assert.deepEqual(reported, [true])
  })

  test('is read although it was paused and could not be resumed', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { socket } = exchanges[0]!.raw
    socket.pause()
    socket.resume = () => socket
    dropFurther(socket)
    const read = socket.bytesRead
    client.write(GET)
    await until(() => socket.bytesRead === read + GET.length)
    assert.equal(exchanges.length, 1)
  })

  test('is destroyed at once if its client has ended it already', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { socket } = exchanges[0]!.raw
    const seen: boolean[] = []
    // Node ends the connection itself, but later in this event.
    socket.prependOnceListener('end', () => {
      seen.push(socket.destroyed)
      dropFurther(socket)
      seen.push(socket.destroyed)
    })
    const closed = once(socket, 'close')
    client.end()
    await closed
    assert.deepEqual(seen, [false, true])
  })

  test('closes in stages after its last reply: a client that ends it too is not waited for', async (t) => {
    const { client, exchanges } = await receive(t, GET, 1)
    const { raw, response } = exchanges[0]!
    client.allowHalfOpen = true
    dropFurther(raw.socket)
    const end = once(client.resume(), 'end')
    response.setHeader('connection', 'close')
    response.end('last')
    await end
    assert.equal(raw.socket.destroyed, false)
    const took = await workingTime(async () => {
      const closed = once(raw.socket, 'close')
      client.end()
      await closed
    })
    assert.ok(took < 700, `${took} ms`)
  })

  test('closes in the place of a response that is not sent, after the replies before it', async (t) => {
    const { client, exchanges } = await receive(t, GET + GET, 2)
    const [first, second] = exchanges as [Exchange, Exchange]
    let text = ''
    client.on('data', (chunk) => (text += chunk))
    endBefore(second.response)
    assert.equal(isDropping(first.raw.socket), true)
    const end = once(client, 'end')
    first.response.end('first')
    await end
    assert.deepEqual(
      parse(text).map(({ body }) => body),
      ['first'],
    )
  })
})

test('a request waits for its turn if another response has the connection; one without a connection never waits', () => {
  const waiting = { socket: null } as ServerResponse
  const busy = { _httpMessage: {} } as HttpSocket
  assert.deepEqual(
    [
      isPipelined(busy, waiting),
      isPipelined({ _httpMessage: null } as HttpSocket, waiting),
      isPipelined(undefined, waiting),
      isPipelined(busy, { socket: busy } as unknown as ServerResponse),
    ],
    [true, false, false, false],
  )
})

/** A connection whose requests are served as receive.ts does. */
interface Served {
  readonly client: Socket
  /** The server's side. */
  readonly socket: HttpSocket
  /** All that Node has parsed. */
  readonly parsed: Exchange[]
  readonly served: Exchange[]
  /** How many were refused, and how many were dropped after that. */
  readonly refused: { now: number; later: number }
  /** Replies to the requests that are served, one after the other, until none is. @returns the replies */
  answerAll(): Promise<ReturnType<typeof parse>>
}

/** Sends requests in one piece. @param max how many of them are served at a time */
async function serve(t: TestContext, requests: string, max: number): Promise<Served> {
  const served: Exchange[] = []
  const parsed: Exchange[] = []
  const refused = { now: 0, later: 0 }
  const client = await connectTo(t, (raw, response) => {
    parsed.push({ raw, response })
    if (isNoLongerServed(raw.socket)) {
      refused.later++
      dropFurther(raw.socket)
    } else if (!isPipelined(raw.socket, response)) served.push({ raw, response })
    else if (!servePipelined(raw, response, max, (request, itsResponse) => served.push({ raw: request, response: itsResponse })))
      refused.now++
  })
  client.allowHalfOpen = true
  let text = ''
  client.on('data', (chunk) => (text += chunk))
  client.write(requests)
  await until(() => parsed.length > 0)
  let replied = 0
  const answerAll: Served['answerAll'] = async () => {
    while (replied < served.length) {
      const { response } = served[replied++]!
      response.end(String(replied))
      await once(response, 'finish')
      // What is held is served in the tick after that.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => text.endsWith(`\r\n${replied}`))
    return parse(text)
  }
  return { client, socket: parsed[0]!.raw.socket, parsed, served, refused, answerAll }
}

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'
const POST_CHUNKS = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'

describe('a connection that is held for 5 s', { timeout: 10_000 }, () => {
  /** Advances the clock of deadlines. Those of Node are not mocked. */
  function clock(t: TestContext): (ms: number) => void {
    const now = performance.now.bind(performance)
    let advanced = 0
    t.mock.method(performance, 'now', () => now() + advanced)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const advance = (ms: number): void => {
      advanced += ms
      t.mock.timers.tick(ms)
    }
    // The timer that all deadlines share ends with the mock.
    t.after(() => advance(20_000))
    return advance
  }

  test('without a reply closes after the requests that it has sent; each reply puts that off', async (t) => {
    const advance = clock(t)
    const { client, socket, served } = await serve(t, GET.repeat(4), 1)
    advance(4_800)
    assert.equal(isDropping(socket), false)
    served[0]!.response.end('x')
    await until(() => served.length === 2)
    advance(4_800)
    assert.equal(isDropping(socket), false)
    advance(400)
    assert.equal(isDropping(socket), true)
    served[1]!.response.end('x')
    await until(() => served.length === 3)
    served[2]!.response.end('x')
    await until(() => served.length === 4)
    assert.equal(isDropping(socket), true)
    const end = once(client, 'end')
    served[3]!.response.end('x')
    await end
  })

  test('in all, but is read again before that, goes on', async (t) => {
    const advance = clock(t)
    const { client, socket, served } = await serve(t, GET.repeat(2), 1)
    served[0]!.response.end('x')
    await until(() => served.length === 2)
    advance(6_000)
    assert.equal(isNoLongerServed(socket), false)
    client.write(GET)
    served[1]!.response.end('x')
    await until(() => served.length === 3)
  })

  test('after it has begun to drop what comes is not closed once more', async (t) => {
    const advance = clock(t)
    const { parsed, socket } = await serve(t, GET.repeat(3), 1)
    dropFurther(socket)
    advance(6_000)
    assert.equal(parsed[2]!.response.shouldKeepAlive, true)
  })
})

describe('a connection that is held', { timeout: 10_000 }, () => {
  test('is not read, whoever resumes it, until all that were held are served; then it serves on', async (t) => {
    const { client, socket, served } = await serve(t, GET.repeat(4), 2)
    assert.equal(served.length, 2)
    assert.equal(socket.resume(), socket)
    assert.deepEqual([socket.isPaused(), isNoLongerServed(socket)], [true, false])
    served[0]!.response.end('x')
    await until(() => served.length === 3)
    assert.equal(socket.isPaused(), true)
    served[1]!.response.end('x')
    await until(() => served.length === 4)
    assert.equal(socket.isPaused(), false)
    served[2]!.response.end('x')
    client.write(GET)
    await until(() => served.length === 5)
  })

  test('is not resumed while Node has paused it because too many bytes of replies wait', async (t) => {
    const { socket, served } = await serve(t, GET.repeat(3), 2)
    socket._paused = true
    served[0]!.response.end('x')
    await until(() => served.length === 3)
    assert.equal(socket.isPaused(), true)
    assert.equal(Object.hasOwn(socket, 'resume'), false)
  })

  test('drops the requests that were held if a reply closes it', async (t) => {
    const { client, socket, served } = await serve(t, GET.repeat(3), 1)
    stopServing(socket)
    assert.equal(isDropping(socket), true)
    const { response } = served[0]!
    const end = once(client, 'end')
    response.setHeader('connection', 'close')
    response.end('last')
    await end
    assert.equal(served.length, 1)
  })

  test('serves nothing more of what was held if it was destroyed', async (t) => {
    const { socket, parsed, served } = await serve(t, GET.repeat(3), 1)
    parsed[1]!.response.once('socket', () => socket.destroy())
    const closed = once(socket, 'close')
    served[0]!.response.end('x')
    await closed
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(served.length, 1)
  })

  for (const [kind, requests, count] of [
    ['480 requests', GET.repeat(500), 481],
    ['400 requests, and refuses one with a body', GET.repeat(401) + POST.repeat(5), 401],
    ['400 requests, and refuses one with chunks', GET.repeat(401) + POST_CHUNKS.repeat(5), 401],
    ['400 requests with a body and then some without', POST.repeat(401) + GET.repeat(20) + POST, 421],
  ] as const) {
    test(`keeps ${kind}; the reply to the last one that is kept closes it`, async (t) => {
      const { client, served, refused, answerAll } = await serve(t, requests, 1)
      assert.deepEqual([served.length, refused.now], [1, 1])
      const end = once(client, 'end')
      const replies = await answerAll()
      await end
      assert.deepEqual(
        replies.map(({ body }) => body),
        Array.from({ length: count }, (_, index) => String(index + 1)),
      )
      const connections = replies.map(({ headers }) => headers['connection'])
      assert.deepEqual([connections.indexOf('close'), connections.length], [count - 1, count])
    })
  }
})
