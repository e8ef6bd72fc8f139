/** Requests that are read as streams emit the same events, in the same order, as with Node's own class. */
import assert from 'node:assert/strict'
import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect, Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { createServer as createAlcove } from 'alcove/lib'
import { dropFurther } from '../../../lib/http/connection-states.js'
import { type BodySink, isBodyAwaited, LazyIncomingMessage } from '../../../lib/http/incoming-message.js'
import { elapse } from '../../fixtures/elapse.js'

type Handler = (request: IncomingMessage, response: ServerResponse, tell: (what: string) => void) => void

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789'

/** Sends pieces to a server with the given class of requests. Returns what its handler told, and how many replies came. */
async function serve(Class: typeof IncomingMessage, pieces: readonly string[], handler: Handler, patience = 40): Promise<string[]> {
  const told: string[] = []
  const server: Server = createServer({ IncomingMessage: Class }, (request, response) =>
    handler(request, response, (what) => told.push(what)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let replies = ''
  socket.on('data', (data) => (replies += data))
  socket.on('error', () => {})
  for (const piece of pieces) {
    if (piece === 'leave') socket.destroy()
    else socket.write(piece)
    await elapse(20)
  }
  await elapse(patience)
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  told.push(`${replies.split('HTTP/1.1').length - 1} replies`)
  return told
}

const answer = (response: ServerResponse): void => void response.end('ok')

const scenarios: Record<string, { pieces: readonly string[]; handler: Handler }> = {
  'a body that is listened to': {
    pieces: [POST],
    handler(request, response, tell) {
      request.on('data', (data) => tell(String(data)))
      request.on('end', () => (tell('end'), answer(response)))
      request.on('close', () => tell(`close ${request.complete} ${request.readableEnded}`))
    },
  },
  'a body in pieces, piped': {
    pieces: [POST.slice(0, -5), '56', '789', POST],
    async handler(request, response, tell) {
      const copy = new PassThrough()
      copy.on('data', (data) => tell(String(data)))
      await pipeline(request, copy)
      answer(response)
    },
  },
  'a body that is iterated over later': {
    pieces: [POST.slice(0, -5), POST.slice(-5), GET],
    async handler(request, response, tell) {
      await wait(30)
      // Small chunks that wait are put together, so the number of chunks may differ.
      let body = ''
      for await (const chunk of request) body += String(chunk)
      tell(`${body} over`)
      answer(response)
    },
  },
  'a body that is read in paused mode': {
    pieces: [POST],
    handler(request, response, tell) {
      request.setEncoding('hex')
      request.on('readable', () => {
        for (let chunk = request.read(); chunk !== null; chunk = request.read()) tell(chunk)
      })
      request.on('end', () => answer(response))
    },
  },
  'requests whose bodies are not read, on one connection': {
    pieces: [GET, POST, GET + GET],
    handler(_request, response) {
      answer(response)
    },
  },
  'a request whose end is awaited before and after its reply': {
    pieces: [GET],
    handler(request, response, tell) {
      request.on('close', () => tell('close'))
      request.on('end', () => tell('end'))
      response.on('finish', async () => {
        await wait(5)
        tell(`ended ${request.readableEnded}, aborted ${(request as { aborted?: boolean }).aborted}`)
      })
      answer(response)
    },
  },
  'a request that is resumed, then awaited': {
    pieces: [GET],
    async handler(request, response, tell) {
      request.resume()
      await finished(request, { writable: false })
      tell('finished')
      answer(response)
    },
  },
  'a client that leaves while its request is served': {
    pieces: [GET, 'leave'],
    handler(request, _response, tell) {
      request.on('aborted', () => tell('aborted'))
      request.on('error', (error) => tell(String((error as { code?: string }).code)))
      request.on('close', () => tell('close'))
    },
  },
  'a client that leaves in the middle of a body': {
    pieces: [POST.slice(0, -5), 'leave'],
    handler(request, _response, tell) {
      request.on('data', (data) => tell(String(data)))
      request.on('error', (error) => tell(String((error as { code?: string }).code)))
      request.on('close', () => tell('close'))
    },
  },
  'a request that is destroyed after its reply': {
    pieces: [GET, GET],
    handler(request, response, tell) {
      response.on('close', () => setTimeout(() => (request.destroy(), tell('destroyed')), 5))
      answer(response)
    },
  },
}

for (const event of ['end', 'close', 'error', 'readable', 'data']) {
  scenarios[`a request of which only ${event} is listened to, and which is destroyed after its reply`] = {
    pieces: [GET, POST],
    handler(request, response, tell) {
      request.on(event, () => tell(event))
      response.on('finish', () => setTimeout(() => (request.destroy(new Error('late')), tell('destroyed')), 5))
      answer(response)
    },
  }
}
// Node's class has emitted `end` and `close` by then. This one emits them for the listener.
for (const event of ['error', 'data']) {
  scenarios[`a request of which only ${event} is listened to after its reply, and which is then destroyed`] = {
    pieces: [GET, POST],
    handler(request, response, tell) {
      response.on('finish', async () => {
        await wait(5)
        request.on(event, () => tell(event))
        await wait(5)
        request.destroy(new Error('late'))
        tell('destroyed')
      })
      answer(response)
    },
  }
}

/** The ways in which code reads the body of a request. */
const readings: Record<string, (request: IncomingMessage, tell: (what: string) => void) => Promise<unknown>> = {
  async 'by listeners'(request, tell) {
    let body = ''
    request.on('data', (data) => (body += data))
    await once(request, 'end')
    tell(body)
  },
  async 'in paused mode'(request, tell) {
    let body = ''
    request.on('readable', () => {
      for (let chunk = request.read(); chunk !== null; chunk = request.read()) body += chunk
    })
    await once(request, 'end')
    tell(body)
  },
  async 'by a pipeline'(request, tell) {
    const copy = new PassThrough()
    const body = text(copy)
    await pipeline(request, copy)
    tell(await body)
  },
  async 'by pipe'(request, tell) {
    tell(await text(request.pipe(new PassThrough())))
  },
  async 'by for await'(request, tell) {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    tell(body)
  },
  async 'as a web stream'(request, tell) {
    tell(await text(Readable.toWeb(request)))
  },
  async 'not, but its end is awaited'(request, tell) {
    request.resume()
    await finished(request, { writable: false })
    tell('finished')
  },
}

/** As Express does with each request. */
const giveOtherPrototype = (request: IncomingMessage): void => void Object.setPrototypeOf(request, Object.create(IncomingMessage.prototype))

const moments: Record<string, (request: IncomingMessage) => unknown> = {
  'at once': giveOtherPrototype,
  async 'while its body comes'(request) {
    await wait(30)
    giveOtherPrototype(request)
  },
  async 'after its body has come'(request) {
    await wait(90)
    giveOtherPrototype(request)
  },
}

const bodies: Record<string, readonly string[]> = {
  'without a body': [GET, GET],
  'in one piece': [POST, POST],
  'in pieces': [POST.slice(0, -5), '56', '789', POST],
}

describe('a request that is given another prototype', { concurrency: 7 }, () => {
  for (const [moment, change] of Object.entries(moments))
    for (const [reading, read] of Object.entries(readings))
      it(`${moment}, and is read ${reading}: no byte is lost`, async () => {
        const outcomes = await Promise.all(
          Object.entries(bodies).flatMap(([name, pieces]) =>
            [LazyIncomingMessage, IncomingMessage].map(async (Class) => {
              const told = await serve(
                Class,
                pieces,
                async (request, response, tell) => {
                  await change(request)
                  await read(request, tell)
                  answer(response)
                },
                300,
              )
              return [name, told]
            }),
          ),
        )
        for (let index = 0; index < outcomes.length; index += 2) assert.deepEqual(outcomes[index], outcomes[index + 1])
      })
})

describe('a request as a stream', () => {
  for (const [name, { pieces, handler }] of Object.entries(scenarios)) {
    it(`${name}: the same events as with Node's class`, async () => {
      assert.deepEqual(await serve(LazyIncomingMessage, pieces, handler), await serve(IncomingMessage, pieces, handler))
    })
  }

  it('holds back a client that sends faster than its body is read', async () => {
    const told = await serve(
      LazyIncomingMessage,
      ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n', 'x'.repeat(4_000_000)],
      async (request, response, tell) => {
        await wait(200)
        tell(`read ${request.socket.bytesRead < 1_000_000 ? 'little' : 'much'}, paused ${request.socket.isPaused()}`)
        request.resume()
        request.on('end', () => answer(response))
      },
      400,
    )
    assert.deepEqual(told, ['read little, paused true', '1 replies'])
  })

  it('hands its body to a sink only once, and only if it is not read as a stream', async () => {
    const sink = { onData() {}, onEnd() {}, onError() {} }
    let requests = 0
    const told = await serve(LazyIncomingMessage, [POST, POST], (request, response, tell) => {
      const incoming = request as LazyIncomingMessage
      if (++requests === 2) incoming.on('data', () => {})
      tell(`${incoming.sinkInto(sink)} ${incoming.sinkInto(sink)}`)
      answer(response)
    })
    assert.deepEqual(told, ['true false', 'false false', '2 replies'])
  })

  it('is parsed as it was sent even if a hook chose an encoding', async (t) => {
    const server = createAlcove()
    t.after(() => server.close())
    server.addHook('onRequest', async (request) => void request.raw.setEncoding('hex'))
    server.post('/', (request) => request.body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(server.listeningOrigin, { method: 'POST', body: '{"a":"ä"}', headers })
    assert.equal(await reply.text(), '{"a":"ä"}')
  })

  it('is parsed as a whole if it came while a hook was at work', async (t) => {
    const server = createAlcove()
    t.after(() => server.close())
    server.addHook('onRequest', () => wait(50))
    server.post('/', (request) => request.body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(server.listeningOrigin, { method: 'POST', body: '{"a":1}', headers })
    assert.equal(await reply.text(), '{"a":1}')
  })

  it('emits its end for listeners that are added after it was parsed, by `on` and by `addListener`', async (t) => {
    const server = createAlcove()
    t.after(() => server.close())
    server.post('/', async ({ raw, body }) => {
      await wait(10)
      const ended = new Promise<void>((resolve) => void raw.addListener('end', resolve))
      raw.on('data', () => assert.fail('its bytes were taken'))
      await ended
      return body
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(server.listeningOrigin, { method: 'POST', body: '{"a":1}', headers })
    assert.equal(await reply.text(), '{"a":1}')
  })

  it('lets a hook listen to the bytes while the body is parsed', async (t) => {
    const server = createAlcove()
    t.after(() => server.close())
    let heard = ''
    let isListening: () => void
    const listening = new Promise<void>((resolve) => (isListening = resolve))
    server.addHook('preParsing', (request, _reply, _payload, done) => {
      setImmediate(() => {
        request.raw.on('data', (data: Buffer) => (heard += data))
        isListening()
      })
      done()
    })
    server.post('/', (request) => request.body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((server.addresses()[0] as AddressInfo).port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":')
    await listening
    socket.write('1}')
    let reply = ''
    for await (const data of socket) reply += data
    assert.match(reply, /\{"a":1\}$/)
    assert.equal(heard, '1}')
  })
})

describe('a request, piece by piece', () => {
  /** A request of a connection without a client, and what it told a sink. */
  function receive(...pieces: readonly (string | null)[]): { request: LazyIncomingMessage; told: string[]; sink: BodySink } {
    const request = new LazyIncomingMessage(new Socket())
    for (const piece of pieces) request.push(piece === null ? null : Buffer.from(piece))
    const told: string[] = []
    const sink: BodySink = {
      onData: (chunk) => void told.push(String(chunk)),
      onEnd: () => void told.push('end'),
      onError: (error) => void told.push(String(error)),
    }
    return { request, told, sink }
  }
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('asks for more of its body while less is held than a stream buffers, or a sink takes it', () => {
    const { request, sink } = receive()
    const full = Buffer.alloc(request.readableHighWaterMark - 1)
    assert.equal(request.push(full), true)
    assert.deepEqual([request.push(Buffer.from('a')), request.readableLength], [false, full.length + 1])
    assert.equal(request.sinkInto(sink), true)
    assert.equal(request.push(full), true)
    assert.equal(receive().request.push(null), false)
  })

  it('has bytes to read once they have come', async () => {
    const { request } = receive()
    assert.equal(request.readableLength, 0)
    request.push(Buffer.from('abc'))
    assert.equal(request.readableLength, 3)
    assert.equal(String(request.read(2)), 'ab')
    assert.equal(request.readableLength, 1)
  })

  it('hands a sink what was held, what comes, and the end; no stream starts', async () => {
    for (const [before, after] of [
      [
        ['a', 'b'],
        ['c', null],
      ],
      [['a', 'bc', null], []],
      [[], ['abc', null]],
    ] as const) {
      const { request, told, sink } = receive(...before)
      assert.equal(request.sinkInto(sink), true)
      for (const piece of after) request.push(piece === null ? null : Buffer.from(piece))
      await tick()
      assert.equal(told.join(' ').replaceAll(' ', ''), 'abcend')
      assert.deepEqual([request.readableFlowing, request.readableEnded], [null, true])
    }
  })

  it('ends for a listener when a sink has taken its body', async () => {
    const { request, told, sink } = receive('abc')
    request.on('end', () => told.push('end event'))
    request.sinkInto(sink)
    request.push(null)
    await tick()
    assert.deepEqual(told, ['abc', 'end', 'end event'])
  })

  it('hands a sink its bytes whatever its encoding, also if another listener makes it a stream', async () => {
    for (const isEarly of [true, false]) {
      const { request, told, sink } = receive('a')
      if (isEarly) request.setEncoding('hex')
      assert.equal(request.sinkInto(sink), true)
      request.setEncoding('hex')
      request.on('data', (text: string) => told.push(`as ${text}`))
      await tick()
      request.push(Buffer.from('b'))
      request.push(null)
      await tick()
      assert.deepEqual(told.toSorted(), ['a', 'as 62', 'b', 'end'])
    }
  })

  it('is not handed to a sink if it was destroyed, if bytes were put back into it, or if `_read` was overridden', () => {
    const changes: ((request: LazyIncomingMessage) => unknown)[] = [
      (request) => request.destroy(),
      (request) => request.unshift(Buffer.from('a')),
      (request) => (request._read = () => {}),
    ]
    for (const change of changes) {
      const { request, sink } = receive()
      change(request)
      assert.equal(request.sinkInto(sink), false)
    }
  })

  it('tells a sink that it was destroyed, and drops what comes then', () => {
    for (const [error, expected] of [
      [undefined, 'Error: aborted'],
      [new Error('gone'), 'Error: gone'],
    ] as const) {
      const { request, told, sink } = receive('a')
      request.sinkInto(sink)
      request.destroy(error)
      request.push(Buffer.from('b'))
      assert.deepEqual(told, ['a', expected])
    }
  })

  it('tells a sink that it was destroyed also if another listener has made it a stream', async () => {
    const { request, told, sink } = receive('a')
    request.sinkInto(sink)
    request.on('data', () => {})
    await tick()
    request.destroy(new Error('gone'))
    await tick()
    assert.deepEqual(told, ['a', 'Error: gone'])
  })

  it('collects what comes while bytes wait to be read', async () => {
    const { request, told } = receive('ab')
    assert.equal(String(request.read(1)), 'a')
    const { push } = request
    for (const piece of ['c', 'd', 'e']) request.push(Buffer.from(piece))
    request.on('data', (chunk: Buffer) => told.push(String(chunk)))
    await tick()
    assert.deepEqual(told, ['b', 'cde'])
    assert.equal(request.push, push)
  })

  it('of which something was read is dropped as a stream', async () => {
    const { request } = receive('abc', null)
    assert.equal(String(request.read(1)), 'a')
    request.resume()
    await tick()
    assert.deepEqual([request.readableLength, request.destroyed], [0, true])
  })

  it('that was dropped has ended, without a stream; listeners of other events start none', async () => {
    for (const drop of ['resume', 'read'] as const) {
      const { request } = receive(null)
      request[drop](0)
      assert.equal(request.readableEnded, true)
      request.on('pause', () => {})
      await tick()
      assert.deepEqual([request.readableFlowing, request.destroyed, request.read()], [null, false, null])
    }
  })

  it('that holds a body keeps it when nothing of it is read', () => {
    const { request } = receive('abc', null)
    assert.equal(request.read(0), null)
    assert.equal(request.readableEnded, false)
    assert.equal(String(request.read()), 'abc')
  })

  it('that holds its whole body hands it to a listener that asks for nothing else', async () => {
    const { request, told } = receive('abc', null)
    request.on('data', (chunk: Buffer) => told.push(String(chunk)))
    await tick()
    assert.deepEqual(told, ['abc'])
  })

  it('that was dropped ends for a listener that comes late', async () => {
    for (const event of ['end', 'close']) {
      const { request } = receive(null)
      request.resume()
      await tick()
      let count = 0
      request.on(event, () => count++)
      await wait(5)
      assert.equal(count, 1, event)
    }
  })

  it('ends for each listener when nothing of it is read', async () => {
    for (const event of ['end', 'close', 'readable']) {
      const { request } = receive(null)
      let count = 0
      request.on(event, () => count++)
      request.read(0)
      await tick()
      if (event === 'close') await wait(1)
      assert.equal(count, 1, event)
    }
  })

  it('does not let its connection go on that was paused after its body has come', async () => {
    const { request } = receive(null)
    let resumed = 0
    request.resume()
    request.socket.resume = () => (resumed++, request.socket)
    request.on('end', () => {})
    await tick()
    assert.deepEqual([request.readableFlowing, resumed], [true, 0])
  })

  it('is awaited while something reads it that has room for more', async () => {
    const awaited = (change: (request: LazyIncomingMessage, sink: BodySink) => unknown): boolean => {
      const { request, sink } = receive('a')
      change(request, sink)
      return isBodyAwaited(request)
    }
    assert.equal(
      awaited(() => {}),
      false,
    )
    assert.equal(
      awaited((request) => request.pause()),
      false,
    )
    assert.equal(
      awaited((request, sink) => request.sinkInto(sink)),
      true,
    )
    assert.equal(
      awaited((request, sink) => (request.sinkInto(sink), (request.complete = true))),
      false,
    )
    assert.equal(
      awaited((request) => request.read()),
      false,
    )
    assert.equal(
      awaited((request) => (request.on('readable', () => {}), request.read())),
      true,
    )
    const full = (request: LazyIncomingMessage): void => {
      request.on('readable', () => {})
      request.read()
      request.push(Buffer.alloc(request.readableHighWaterMark))
    }
    assert.equal(awaited(full), false)
    const ofNode = new IncomingMessage(new Socket())
    assert.equal(isBodyAwaited(ofNode), false)
    ofNode.resume()
    assert.equal(isBodyAwaited(ofNode), true)
  })

  it('of a connection that drops what comes is always the same one, and takes what it is given', () => {
    const socket = new Socket()
    const before = new LazyIncomingMessage(socket)
    dropFurther(socket)
    const ignored = new LazyIncomingMessage(socket)
    assert.notEqual(ignored, before)
    assert.equal(new LazyIncomingMessage(socket), ignored)
    assert.deepEqual([ignored.push(Buffer.from('abc')), ignored.readableLength], [true, 0])
  })

  it("has the constructor of Node's class", () => assert.equal(receive().request.constructor, IncomingMessage))
})
