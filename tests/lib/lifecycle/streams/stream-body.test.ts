/** How a stream of items goes over a connection, and how it ends: errors, clients that leave or do not read, heartbeats, the end of the server. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, on, once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, HttpError, type Reply, type Request, type Server, type ServerOptions, stream } from 'alcove/lib'
import type { StreamBody } from '../../../../lib/lifecycle/streams/stream-body.js'
import { stateOf } from '../../../../lib/server/server-state.js'
import { countdown } from '../../../fixtures/countdown.js'
import { elapse, workingTime } from '../../../fixtures/elapse.js'
import { type Line, listen, loggedServer, messages } from '../../../fixtures/logged-server.js'
import { exchange, open } from '../../../security/wire.js'

const tick = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } as const
const ticks = { response: { 200: stream(tick) } } as const
const limit = { timeout: 20_000 }

/** Serves one test with a server that listens, logs from warnings on, and closes in its own time. */
async function using(
  declare: (server: Server) => unknown,
  run: (port: number, lines: Line[], server: Server) => Promise<void>,
  options: ServerOptions & { level?: string } = {},
): Promise<void> {
  const { server, lines } = loggedServer({ forceCloseConnections: false, ...options })
  await declare(server)
  try {
    await run(await listen(server), lines, server)
  } finally {
    await server.close()
  }
}

const request = (path: string, accept = 'application/jsonl', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\nHost: a\r\nAccept: ${accept}\r\n\r\n`

/** A client that keeps what it receives. */
class Client {
  text = ''
  isClosed = false
  readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()))
    socket.on('close', () => (this.isClosed = true))
  }

  /** Waits until the text contains another one, or the connection is closed. */
  async until(found: string): Promise<string> {
    while (!this.text.includes(found) && !this.isClosed) await sleep(5)
    assert.ok(this.text.includes(found), `${JSON.stringify(found)} is not in ${JSON.stringify(this.text)}`)
    return this.text
  }

  async closed(): Promise<string> {
    while (!this.isClosed) await sleep(5)
    return this.text
  }
}

async function ask(port: number, path: string, accept?: string): Promise<Client> {
  const client = new Client(await open(port))
  client.socket.write(request(path, accept))
  return client
}

async function untilTrue(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5)
}

describe('an error of a stream', () => {
  test('before its first item is answered by the error handlers', limit, () =>
    using(
      (server) => {
        server.setErrorHandler((error, _request, reply) => reply.code(error.statusCode ?? 500).send({ handled: error.message }))
        const schema = { response: { ...ticks.response, 409: { type: 'object', properties: { handled: { type: 'string' } } } } } as const
        server.get('/', { schema }, async function* () {
          yield await sleep(5).then(() => Promise.reject(new HttpError(409, 'not now')))
        })
      },
      async (port, lines) => {
        const [answer] = await exchange(port, request('/'))
        assert.deepEqual([answer?.status, answer?.body], [409, '{"handled":"not now"}'])
        assert.match(answer!.headers['content-type']!, /^application\/json/)
        assert.deepEqual(messages(lines), [])
      },
    ),
  )

  test('after its first item is logged once, and cuts the connection', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          yield { n: 1 }
          await sleep(20)
          throw new Error('the source broke')
        }),
      async (port, lines) => {
        const client = await ask(port, '/')
        const text = await client.closed()
        assert.match(text, /\{"n":1\}\n/)
        assert.doesNotMatch(text, /\r\n0\r\n/)
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.message]),
          [['response terminated with an error with headers already sent', 'the source broke']],
        )
      },
    ),
  )

  test('is also an item that cannot be serialized; the source is ended', limit, () => {
    let ended = 0
    return using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          try {
            for (const n of [1, 'no number']) yield { n }
          } finally {
            ended++
          }
        }),
      async (port, lines) => {
        await (await ask(port, '/')).closed()
        assert.equal(lines.length, 1)
        assert.match(lines[0]!.err!.message, /integer/)
        assert.equal(ended, 1)
      },
    )
  })

  test('that is not an object fails the stream too', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          yield await Promise.reject(undefined)
        }),
      async (port, lines) => {
        assert.equal((await exchange(port, request('/')))[0]?.status, 500)
        assert.match(messages(lines).join(), /Undefined error/)
      },
    ),
  )
})

describe('the frames of a stream', () => {
  test('cannot be forged by an item, whatever its serializer returns', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks, serializerCompiler: () => () => '{\r\n"a":\n\n"id: 1"\r}' }, async function* () {
          yield { n: 1 }
        }),
      async (port) => {
        const [events] = await exchange(port, request('/', 'text/event-stream'))
        assert.equal(events?.body, 'data: { "a": "id: 1" }\n\n')
        const [lines] = await exchange(port, request('/'))
        assert.equal(lines?.body, '{ "a": "id: 1" }\n')
      },
    ),
  )

  test('are texts: a serializer that returns anything else fails the stream', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks, serializerCompiler: () => () => 5 as never }, async function* () {
          yield { n: 1 }
        }),
      async (port, lines) => {
        assert.equal((await exchange(port, request('/')))[0]?.status, 500)
        assert.match(messages(lines).join(), /'number'.*The serializer of an item returns a text/)
      },
    ),
  )

  test('end the response of HTTP/1.0 with the connection', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          yield { n: 1 }
        }),
      async (port) => {
        const client = new Client(await open(port))
        client.socket.write(request('/', '*/*', '1.0'))
        const text = await client.closed()
        assert.match(text, /\r\n\r\n\{"n":1\}\n$/)
        assert.doesNotMatch(text, /transfer-encoding/i)
      },
    ),
  )

  test('go over HTTP/2, and a cancelled stream ends its source', limit, async () => {
    let ended = 0
    const server = createServer({ http2: true, logger: false })
    server.get('/', { schema: ticks }, async function* ({ signal }) {
      try {
        yield { n: 1 }
        await sleep(60_000, undefined, { signal })
      } finally {
        ended++
      }
    })
    const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
    try {
      const asked = session.request({ ':path': '/', accept: 'text/event-stream' })
      const [headers] = (await once(asked, 'response')) as [Record<string, unknown>]
      assert.equal(headers['content-type'], 'text/event-stream')
      const [chunk] = (await once(asked.setEncoding('utf8'), 'data')) as [string]
      assert.equal(chunk, 'data: {"n":1}\n\n')
      asked.close(8)
      await untilTrue(() => ended === 1)
    } finally {
      session.destroy()
      await server.close()
    }
  })
})

describe('a stream that is quiet', { concurrency: true }, () => {
  test('sends its headers after a second, and heartbeats in the time that it names', limit, () => {
    const schema = { response: { 200: stream(tick, { heartbeat: 50 }) } }
    const beaten = countdown(1)
    return using(
      (server) =>
        void server.get('/', { schema }, async function* () {
          await beaten.done
          yield { n: 1 }
        }),
      async (port) => {
        const [events, lines] = await Promise.all([ask(port, '/', 'text/event-stream'), ask(port, '/')])
        await sleep(500)
        assert.equal(events.text, '')
        await Promise.all([events.until(':\n\n\r\n3\r\n:\n\n'), lines.until('\r\n\r\n1\r\n\n\r\n1\r\n\n')])
        beaten.hit()
        assert.match(await events.until('data: '), /\r\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n\r\n.*data: \{"n":1\}\n\n/s)
        assert.match(await lines.until('{'), /\r\n\r\n1\r\n\n\r\n1\r\n\n\r\n.*\{"n":1\}\n/s)
      },
    )
  })

  test('sends no further heartbeat if that is 0', limit, () => {
    const schema = { response: { 200: stream(tick, { heartbeat: 0 }) } }
    return using(
      (server) =>
        void server.get('/', { schema }, async function* ({ signal }) {
          yield { n: 1 }
          await sleep(300, undefined, { signal })
          yield { n: 2 }
        }),
      async (port) => {
        const client = await ask(port, '/', 'text/event-stream')
        assert.doesNotMatch(await client.until('{"n":2}'), /:\n\n/)
      },
    )
  })

  test('collects no heartbeats for a reader that does not read, and sends more to one that reads again', limit, () => {
    const schema = { response: { 200: stream(tick, { heartbeat: 5 }) } }
    let body: StreamBody | undefined
    const onSend = async (_request: unknown, _reply: unknown, payload: unknown): Promise<unknown> => {
      body = payload as StreamBody
      return new PassThrough()
    }
    return using(
      (server) =>
        void server.get('/', { schema, onSend }, async function* ({ signal }) {
          yield { n: 1 }
          await sleep(60_000, undefined, { signal })
        }),
      async (port) => {
        const client = await ask(port, '/')
        await untilTrue(() => body !== undefined)
        let beats = 0
        body!.on('data', (chunk: Buffer) => {
          beats += chunk.length === 1 ? 1 : 0
          if (beats === 2) body!.pause()
        })
        await sleep(150)
        assert.deepEqual([beats, body!.readableLength], [2, 0])
        body!.resume()
        await untilTrue(() => beats > 2)
        client.socket.destroy()
      },
    )
  })

  test('is not cut by handlerTimeout', limit, () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks, handlerTimeout: 400 }, async function* () {
          await sleep(700)
          yield { n: 1 }
        }),
      async (port) => assert.equal((await exchange(port, request('/')))[0]?.body, '{"n":1}\n'),
    ),
  )
})

describe('the source of a stream', () => {
  test('is asked for no more than the client takes, and works and ends in the context of its request', limit, () => {
    const storage = new AsyncLocalStorage<string>()
    const text = 'x'.repeat(10_000)
    const schema = { response: { 200: stream({ type: 'string' }) } }
    const seen = new Set<unknown>()
    let asked = 0
    let ended: string | undefined
    async function* items(): AsyncGenerator<string> {
      try {
        for (; asked < 20_000; asked++) {
          seen.add(storage.getStore())
          yield text
        }
      } finally {
        ended = `ended ${storage.getStore()}`
      }
    }
    /** Waits until no further item is asked for. @returns how many were */
    async function untilQuiet(): Promise<number> {
      for (let before = -1; ; before = asked) {
        await sleep(200)
        if (asked > 0 && asked === before) return asked
      }
    }
    return using(
      (server) =>
        void server.get('/', { schema }, () => {
          storage.enterWith('mine')
          return items()
        }),
      async (port) => {
        const client = await open(port)
        client.pause()
        client.write(request('/'))
        const before = await untilQuiet()
        // The operating system holds some megabytes for a client that does not read.
        assert.ok(before < 2_000, `${before} items were made`)
        client.on('data', () => {})
        client.resume()
        await untilTrue(() => asked > before)
        client.pause()
        await untilQuiet()
        assert.equal(ended, undefined)
        client.destroy()
        await untilTrue(() => ended !== undefined)
        assert.deepEqual([[...seen], ended], [['mine'], 'ended mine'])
      },
    )
  })

  test('works in the context of its request also if the response before it on its connection makes room for it', limit, () => {
    const storage = new AsyncLocalStorage<string>()
    const schema = { response: { 200: stream({ type: 'string' }) } }
    const seen = new Set<unknown>()
    return using(
      (server) => {
        async function* items(): AsyncGenerator<string> {
          for (let asked = 0; asked < 20; asked++) {
            seen.add(storage.getStore())
            yield 'x'.repeat(10_000)
          }
        }
        server.get('/slow', async () => sleep(100, 'slow'))
        server.get('/', { schema }, () => {
          storage.enterWith('mine')
          return items()
        })
      },
      async (port) => {
        const [, answer] = await exchange(port, request('/slow') + request('/'))
        assert.equal(answer?.body.length, 20 * 10_003)
        assert.deepEqual([...seen], ['mine'])
      },
    )
  })

  test('is ended when the client leaves: its finally blocks run, and so do the onRequestAbort hooks', limit, () => {
    const seen: string[] = []
    return using(
      (server) => {
        server.addHook('onRequestAbort', async (_request) => void seen.push('aborted'))
        server.get('/', { schema: ticks }, async function* () {
          try {
            for (let n = 1; ; n++) {
              yield { n }
              await sleep(5)
            }
          } finally {
            seen.push('ended')
          }
        })
      },
      async (port, lines) => {
        const client = await ask(port, '/')
        await client.until('{"n":3}')
        client.socket.destroy()
        await untilTrue(() => seen.length === 2)
        assert.deepEqual([new Set(seen), messages(lines)], [new Set(['aborted', 'ended']), []])
      },
    )
  })

  test('is told by the signal that the client has left, and logs nothing of it', limit, () => {
    let ended = 0
    return using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* ({ signal }) {
          try {
            yield { n: 1 }
            for await (const _ of on(new EventEmitter(), 'never', { signal })) yield { n: 2 }
          } finally {
            ended++
          }
        }),
      async (port, lines) => {
        const client = await ask(port, '/')
        await client.until('{"n":1}')
        client.socket.destroy()
        await untilTrue(() => ended === 1)
        await sleep(20)
        assert.deepEqual(messages(lines), [])
      },
    )
  })

  test('that fails while it is ended is logged', limit, () => {
    function cleanUp(): never {
      throw new Error('cannot clean up')
    }
    return using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          try {
            for (let n = 1; ; n++) {
              yield { n }
              await sleep(5)
            }
          } finally {
            cleanUp()
          }
        }),
      async (port, lines) => {
        const client = await ask(port, '/')
        await client.until('{"n":2}')
        client.socket.destroy()
        await untilTrue(() => lines.length > 0)
        assert.deepEqual(
          lines.map(({ msg, err }) => [msg, err?.message]),
          [['the source of a stream failed after its reply had ended', 'cannot clean up']],
        )
      },
    )
  })

  for (const [what, makeSource] of [
    ['a stream', (ended: () => void) => new Readable({ objectMode: true, read() {}, destroy: (error, done) => (ended(), done(error)) })],
    ['a web stream', (ended: () => void) => new ReadableStream({ cancel: ended })],
  ] as const) {
    test(`that is ${what} is ended when the client leaves, also while it waits for an item`, limit, () => {
      const [asked, ended] = [countdown(1), countdown(1)]
      return using(
        (server) => {
          const source = makeSource(ended.hit) as AsyncIterable<{ n: number }>
          server.addHook('onSend', async () => asked.hit())
          server.get('/', { schema: ticks }, () => source)
        },
        async (port, lines, server) => {
          const client = await ask(port, '/')
          await asked.done
          await elapse(20)
          client.socket.destroy()
          await ended.done
          await server.close()
          assert.deepEqual(messages(lines), [])
        },
      )
    })
  }

  test('is ended also if a hook pipes its bytes elsewhere, or sends another body', limit, () => {
    let ended = 0
    const unread = Readable.from([{ n: 1 }])
    return using(
      (server) => {
        const schema = ticks
        async function* endless(): AsyncGenerator<{ n: number }> {
          try {
            for (let n = 1; ; n++) {
              yield { n }
              await sleep(5)
            }
          } finally {
            ended++
          }
        }
        const piped = async (_request: unknown, _reply: unknown, payload: any): Promise<unknown> => payload.pipe(new PassThrough())
        server.get('/piped', { schema, onSend: piped }, endless)
        server.get('/other', { schema, onSend: async () => 'other' }, endless)
        server.get('/unread', { schema, onSend: async () => 'other' }, () => unread)
      },
      async (port) => {
        const client = await ask(port, '/piped')
        await client.until('{"n":2}')
        client.socket.destroy()
        await untilTrue(() => ended === 1)
        for (const path of ['/other', '/unread']) assert.equal((await exchange(port, request(path)))[0]?.body, 'other')
        assert.equal(unread.destroyed, true)
        // Its source has never started. The server closes at once, so nothing waits for it.
      },
    )
  })
})

describe('a server that closes', { concurrency: true }, () => {
  /** Declares an endless stream, and one whose source heeds no signal. */
  function declare(server: Server, ended: { count: number }): void {
    server.get('/ticks', { schema: ticks }, async function* ({ signal }) {
      try {
        for (let n = 1; ; n++) {
          yield { n }
          await sleep(10_000, undefined, { signal })
        }
      } finally {
        ended.count++
      }
    })
    server.get('/stuck', { schema: ticks }, async function* () {
      yield { n: 1 }
      await new Promise(() => {})
    })
  }

  test('ends a hundred streams of events as wholes, and waits for their sources', limit, async () => {
    const ended = { count: 0 }
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    declare(server, ended)
    let endedBefore = 0
    server.addHook('onClose', async () => void (endedBefore = ended.count))
    const port = await listen(server)
    const clients = await Promise.all(Array.from({ length: 100 }, () => ask(port, '/ticks', 'text/event-stream')))
    await Promise.all(clients.map((client) => client.until('{"n":1}')))
    const time = await workingTime(() => server.close())
    assert.equal(endedBefore, 100)
    assert.ok(time < 3_000, `close() took ${time} ms`)
    for (const client of clients) assert.match(await client.closed(), /data: \{"n":1\}\n\n\r\n0\r\n\r\n$/)
    assert.deepEqual(messages(lines), [])
  })

  test('ends a stream that has not begun, and tells its source by the signal', limit, async () => {
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    let waiting = 0
    server.get('/', { schema: ticks }, async function* ({ signal }) {
      waiting++
      await sleep(60_000, undefined, { signal })
      yield { n: 1 }
    })
    const client = await ask(await listen(server), '/', 'text/event-stream')
    await untilTrue(() => waiting === 1)
    await server.close()
    assert.match(await client.closed(), /^HTTP\/1.1 200 .*\r\n\r\n0\r\n\r\n$/s)
    assert.deepEqual(messages(lines), [])
  })

  test('cuts streams of JSON Lines, which a client could take for complete', limit, async () => {
    const ended = { count: 0 }
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    declare(server, ended)
    const client = await ask(await listen(server), '/ticks')
    await client.until('{"n":1}')
    await server.close()
    assert.doesNotMatch(await client.closed(), /\r\n0\r\n/)
    assert.equal(ended.count, 1)
    assert.deepEqual(
      lines.map(({ err }) => err?.code),
      ['ALC_ERR_REP_STREAM_CUT'],
    )
  })

  test(
    'waits a second for a source that does not end, names it in the log once, however often the stream is told, and notes that closing was incomplete',
    limit,
    async () => {
      const { server, lines } = loggedServer({ forceCloseConnections: false })
      let body: StreamBody | undefined
      server.addHook('onSend', async (_request, _reply, payload) => (body = payload as StreamBody))
      declare(server, { count: 0 })
      const client = await ask(await listen(server), '/stuck', 'text/event-stream')
      await client.until('{"n":1}')
      const before = performance.now()
      body!.shutDown()
      await server.close()
      const time = performance.now() - before
      assert.ok(time > 900 && time < 4_000, `close() took ${time} ms`)
      assert.match(await client.closed(), /\r\n0\r\n\r\n$/)
      assert.deepEqual(messages(lines), [
        'GET /stuck: the source of its stream has not ended within 1000 ms while the server closed. Let it wait with request.signal',
      ])
      assert.equal(stateOf(server.server).isIncomplete, true)
    },
  )

  test('does not cut a stream whose source has ended, however late its reader takes the end', limit, async () => {
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    let body: StreamBody | undefined
    const sent = new PassThrough()
    server.addHook('onSend', async (_request, _reply, payload) => ((body = payload as StreamBody), sent))
    let isEnded = false
    const told = countdown(1)
    server.get('/', { schema: ticks }, ({ signal }) => {
      signal.addEventListener('abort', told.hit)
      return (async function* () {
        yield { n: 1 }
        isEnded = true
      })()
    })
    const client = await ask(await listen(server), '/')
    await untilTrue(() => {
      body?.read()
      return isEnded
    })
    const closing = server.close()
    await told.done
    await elapse(1_100)
    body!.on('end', () => sent.end()).resume()
    await closing
    assert.match(await client.closed(), /\r\n\r\n0\r\n\r\n$/)
    assert.deepEqual(messages(lines), [])
  })

  test('ends a stream that it is asked for meanwhile', limit, async () => {
    const { server } = loggedServer({ forceCloseConnections: false, level: 'silent' })
    let started = 0
    server.get('/', { schema: ticks }, async function* () {
      started++
      yield { n: 1 }
    })
    // It keeps the server from closing until both clients have their replies.
    const [asked, release] = [countdown(1), countdown(1)]
    server.get('/slow', async () => {
      asked.hit()
      await release.done
      return 'slow'
    })
    const port = await listen(server)
    const accepted = countdown(3)
    server.server.on('connection', accepted.hit)
    const busy = await ask(port, '/slow')
    const [events, lines] = [new Client(await open(port)), new Client(await open(port))]
    await Promise.all([asked.done, accepted.done])
    const closing = server.close()
    await untilTrue(() => !server.server.listening)
    events.socket.write(request('/', 'text/event-stream'))
    lines.socket.write(request('/'))
    assert.match(await events.closed(), /^HTTP\/1.1 200 .*\r\n\r\n0\r\n\r\n$/s)
    assert.match(await lines.closed(), /^HTTP\/1.1 503 /)
    release.hit()
    await Promise.all([closing, busy.closed()])
    assert.equal(started, 0)
  })
})

describe('an iterator of the application', { concurrency: true }, () => {
  const item = { done: false, value: { n: 1 } }
  const end = { done: true, value: undefined }

  /** The iterator of a source that has one item, and then answers with what `answer` is called with. */
  class Waiting {
    asked = 0
    returns = 0
    answer!: (result: unknown) => void
    readonly #answered = new Promise((resolve) => (this.answer = resolve))

    async next(): Promise<unknown> {
      return ++this.asked === 1 ? item : this.#answered
    }
  }
  const sourceOf = (iterator: object): AsyncIterable<{ n: number }> => ({ [Symbol.asyncIterator]: () => iterator as never })

  /** Serves a source whose client leaves after its first item. @returns what is to happen in this order: the end of the server is noted */
  async function leave(
    handle: (order: string[], request: Request, reply: Reply) => unknown,
    run: (order: string[], close: () => Promise<void>, lines: Line[]) => Promise<void>,
  ): Promise<void> {
    const order: string[] = []
    const left = countdown(1)
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    server.addHook('onRequestAbort', async () => left.hit())
    server.addHook('onClose', async () => void order.push('closed'))
    server.get('/', { schema: ticks }, (asked, reply) => handle(order, asked, reply) as never)
    const client = await ask(await listen(server), '/')
    await client.until('{"n":1}')
    client.socket.destroy()
    await left.done
    await run(order, () => server.close(), lines)
  }

  for (const [what, source, message] of [
    ['cannot be made', { [Symbol.asyncIterator]: () => assert.fail('no iterator') }, /no iterator/],
    ['throws', sourceOf({ next: () => assert.fail('no item') }), /no item/],
    ['answers with nothing', sourceOf({ next: async () => {} }), /undefined/],
  ] as const) {
    test(`that ${what} fails the stream`, limit, () =>
      using(
        (server) => void server.get('/', { schema: ticks }, () => source),
        async (port, lines) => {
          assert.equal((await exchange(port, request('/')))[0]?.status, 500)
          assert.match(messages(lines).join(), message)
        },
      ),
    )
  }

  test('may answer at once, not by a promise', limit, () => {
    const answers = [item, item, end]
    return using(
      (server) => void server.get('/', { schema: ticks }, () => sourceOf({ next: () => answers.shift() })),
      async (port) => assert.equal((await exchange(port, request('/')))[0]?.body, '{"n":1}\n{"n":1}\n'),
    )
  })

  test('is asked for one item at a time, also if heartbeats are sent meanwhile', limit, () => {
    const iterator = new Waiting()
    return using(
      (server) => void server.get('/', { schema: { response: { 200: stream(tick, { heartbeat: 5 }) } } }, () => sourceOf(iterator)),
      async (port) => {
        const client = await ask(port, '/')
        await client.until('\n\r\n1\r\n\n\r\n1\r\n\n')
        assert.equal(iterator.asked, 2)
        iterator.answer(end)
        await client.until('\r\n0\r\n')
      },
    )
  })

  test('is not asked again by a reader that destroys the stream while it takes an item, and no heartbeat is sent', limit, () => {
    const iterator = new Waiting()
    let body: StreamBody | undefined
    let beats = 0
    const onSend = async (_request: unknown, _reply: unknown, payload: unknown): Promise<unknown> => {
      body = payload as StreamBody
      body.beat = () => beats++
      body.on('data', () => body!.destroy())
      return new PassThrough()
    }
    return using(
      (server) => void server.get('/', { schema: { response: { 200: stream(tick, { heartbeat: 5 }) } }, onSend }, () => sourceOf(iterator)),
      async (port) => {
        const client = await ask(port, '/')
        await untilTrue(() => body?.closed === true)
        await elapse(50)
        assert.deepEqual([iterator.asked, beats], [1, 0])
        client.socket.destroy()
      },
    )
  })

  test('is told to end once, and its end counts once: a handler that still works is waited for', limit, () => {
    const working = countdown(1)
    const iterator = Object.assign(new Waiting(), {
      return: async () => (iterator.returns++, iterator.answer(end), end),
    })
    return leave(
      async (order, _request, reply) => {
        reply.send(sourceOf(iterator))
        await working.done
        order.push('worked')
      },
      async (order, close) => {
        const closing = close()
        await elapse(100)
        working.hit()
        await closing
        assert.deepEqual([iterator.returns, order], [1, ['worked', 'closed']])
      },
    )
  })

  test('is told to end when its client leaves before the first item', limit, () => {
    const [asked, told] = [countdown(1), countdown(1)]
    const iterator = { next: () => (asked.hit(), new Promise(() => {})), return: async () => (told.hit(), end) }
    return using(
      (server) => void server.get('/', { schema: ticks }, () => sourceOf(iterator)),
      async (port) => {
        const client = await ask(port, '/')
        await asked.done
        client.socket.destroy()
        await told.done
      },
    )
  })

  test('is told to end once when the server closes', limit, async () => {
    const server = createServer({ logger: false })
    const iterator = Object.assign(new Waiting(), { return: async () => (iterator.returns++, iterator.answer(end), end) })
    server.get('/', { schema: ticks }, () => sourceOf(iterator))
    const client = await ask(await listen(server), '/', 'text/event-stream')
    await client.until('{"n":1}')
    await server.close()
    await client.closed()
    assert.equal(iterator.returns, 1)
  })

  test('that has failed is not told to end', limit, () => {
    let returns = 0
    const iterator = { next: () => Promise.reject(new Error('it broke')), return: async () => (returns++, end) }
    return using(
      (server) => void server.get('/', { schema: ticks }, () => sourceOf(iterator)),
      async (port) => {
        assert.equal((await exchange(port, request('/')))[0]?.status, 500)
        assert.equal(returns, 0)
      },
    )
  })

  test('that is told to end is over when it has cleaned up, not with an item that it was waiting for', limit, () => {
    const going = countdown(1)
    return leave(
      async function* (order) {
        try {
          yield { n: 1 }
          await going.done
          yield { n: 2 }
        } finally {
          await elapse(100)
          order.push('cleaned up')
        }
      },
      async (order, close) => {
        const closing = close()
        going.hit()
        await closing
        assert.deepEqual(order, ['cleaned up', 'closed'])
      },
    )
  })

  test('that has ended is over, though it does not answer that it was told to end', limit, () => {
    const iterator = Object.assign(new Waiting(), { return: () => new Promise(() => {}) })
    return leave(
      () => sourceOf(iterator),
      async (order, close, lines) => {
        iterator.answer(end)
        await close()
        assert.deepEqual([order, messages(lines)], [['closed'], []])
      },
    )
  })

  test('without `return` is over when it has answered, with an item too', limit, () => {
    const iterator = new Waiting()
    return leave(
      () => sourceOf(iterator),
      async (order, close, lines) => {
        const closing = close()
        await elapse(100)
        order.push('answered')
        iterator.answer(item)
        await closing
        assert.deepEqual([order, messages(lines)], [['answered', 'closed'], []])
      },
    )
  })

  test('without `return` is over at once if it was not asked', limit, async () => {
    const answers = [item, { done: false, value: { n: 'no number' } }]
    const { server, lines } = loggedServer({ forceCloseConnections: false })
    server.get('/', { schema: ticks }, () => sourceOf({ next: async () => answers.shift() }))
    const client = await ask(await listen(server), '/')
    await client.closed()
    await server.close()
    assert.deepEqual(messages(lines), ['response terminated with an error with headers already sent'])
  })

  for (const [what, end] of Object.entries({
    'throws when it is told to end': () => assert.fail('it broke'),
    'fails when it is told to end': () => Promise.reject(new Error('it broke')),
  })) {
    test(`that ${what} is logged, and over`, limit, () =>
      leave(
        () => sourceOf(Object.assign(new Waiting(), { return: end })),
        async (_order, close, lines) => {
          await close()
          assert.deepEqual(
            lines.map(({ msg, err }) => [msg, err?.message]),
            [['the source of a stream failed after its reply had ended', 'it broke']],
          )
        },
      ),
    )
  }

  test('that fails with nothing after its client has left is logged, and over', limit, () => {
    const iterator = new Waiting()
    return leave(
      () => sourceOf(iterator),
      async (_order, close, lines) => {
        iterator.answer(Promise.reject(undefined))
        await close()
        assert.deepEqual(messages(lines), ['the source of a stream failed after its reply had ended'])
      },
    )
  })
})
