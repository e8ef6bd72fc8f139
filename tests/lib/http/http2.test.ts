/** What the module knows of HTTP/2 alone; what a server does with it is tested in ../http2.test.ts. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import http2 from 'node:http2'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  acknowledgedBytes,
  checkedHttp2Response,
  endWhenIdle,
  findHttp2Fault,
  isStreamReading,
  isStreamWaiting,
  hasUnsentData,
  limitRequestTime,
  mayHaveHttp2Body,
  type MaybeHttp2Response,
  openStreams,
  PIECE_LENGTH,
  progressOf,
  writePieces,
} from '../../../lib/http/http2.js'
import { until } from '../../fixtures/elapse.js'

async function listen(
  t: TestContext,
  options: http2.ServerOptions = {},
): Promise<{ server: http2.Http2Server; session: http2.ClientHttp2Session }> {
  const server = http2.createServer(options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => (session.destroy(), server.close()))
  return { server, session }
}

test('a request may have a body unless its stream ended with the headers', async (t) => {
  const { server, session } = await listen(t)
  session.request({ ':method': 'POST' })
  const [posted] = (await once(server, 'request')) as [http2.Http2ServerRequest]
  const raw = posted as unknown as IncomingMessage
  assert.equal(mayHaveHttp2Body(raw), true)
  posted.stream.close()

  session.request({ ':method': 'POST' }, { endStream: true })
  const [empty] = (await once(server, 'request')) as [http2.Http2ServerRequest]
  assert.equal(mayHaveHttp2Body(empty as unknown as IncomingMessage), false)
})

test('a request without a stream, whatever version it claims, has no body of HTTP/2', () => {
  for (const httpVersionMajor of [1, 2]) assert.equal(mayHaveHttp2Body({ httpVersionMajor } as IncomingMessage), false)
})

test('the open streams of a session are those that have not closed', async (t) => {
  const { server, session } = await listen(t)
  const sessions = once(server, 'session') as Promise<[http2.ServerHttp2Session]>
  server.once('session', openStreams)
  const request = session.request()
  const [serverSession] = await sessions
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  assert.deepEqual([...openStreams(serverSession)], [stream])
  stream.respond({}, { endStream: true })
  request.resume()
  await once(stream, 'close')
  assert.equal(openStreams(serverSession).size, 0)
})

test('a stream reads from the moment that its body is read until that ends', async (t) => {
  const { server, session } = await listen(t)
  const request = session.request({ ':method': 'POST' })
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  assert.equal(isStreamReading(stream), false)
  stream.resume()
  assert.equal(isStreamReading(stream), true)
  request.end('x')
  await once(stream, 'end')
  await wait(10)
  assert.equal(isStreamReading(stream), false)
  stream.respond({}, { endStream: true })
})

test('an idle session ends, but not while a handler works on a stream', async (t) => {
  const { server, session } = await listen(t)
  server.on('session', (serverSession) => endWhenIdle(serverSession, 30))
  const request = session.request()
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  await wait(100)
  assert.equal(stream.destroyed, false)
  stream.respond({}, { endStream: true })
  request.resume()
  await once(session, 'close')
})

test('a Node whose HTTP/2 a client can end the process with is told by the version of nghttp2', () => {
  for (const version of ['1.61.0', '1.68.0', '0.99.9']) assert.match(findHttp2Fault(version)!, /CVE-2026-27135.*nghttp2 1\.68\.1/)
  for (const version of ['1.68.1', '1.69.0', '1.70.0', '2.0.0']) assert.equal(findHttp2Fault(version), undefined)
  assert.equal(findHttp2Fault(undefined as never), findHttp2Fault(process.versions['nghttp2']))
})

describe('a response of HTTP/2 refuses a line break', () => {
  const bad = 'a\r\nb: c'
  const uses: Record<string, (response: any, value: string) => unknown> = {
    setHeader: (response, value) => response.setHeader('x-a', value),
    appendHeader: (response, value) => response.appendHeader('x-a', value),
    setTrailer: (response, value) => response.setTrailer('x-a', value),
    addTrailers: (response, value) => response.addTrailers({ 'x-a': value }),
    writeEarlyHints: (response, value) => response.writeEarlyHints({ link: `</a>; rel=preload; as=${value}` }),
    'the headers of writeHead': (response, value) => response.writeHead(200, { 'x-a': value }),
    'the headers of writeHead behind a message': (response, value) => response.writeHead(200, '', { 'x-a': value }),
    'the list of writeHead': (response, value) => response.writeHead(200, ['x-b', '1', 'x-a', value]),
    'the list of pairs of writeHead': (response, value) => response.writeHead(200, [['x-a', value]]),
  }
  for (const [use, write] of Object.entries(uses)) {
    test(`in ${use}, and takes other values`, async (t) => {
      const { server, session } = await listen(t, { Http2ServerResponse: checkedHttp2Response() as never })
      server.on('request', (_request, response: any) => {
        if (typeof response[use] !== 'function' && /^[a-z]+[A-Z]\w*$/.test(use)) return response.end('fine')
        try {
          write(response, bad)
          response.end('taken')
        } catch {
          write(response, 'style')
          response.end('fine')
        }
      })
      const stream = session.request().setEncoding('utf8')
      let text = ''
      for await (const chunk of stream) text += chunk
      assert.equal(text, 'fine')
    })
  }

  test('but writes a head that has no headers of its own', async (t) => {
    const { server, session } = await listen(t, { Http2ServerResponse: checkedHttp2Response() as never })
    server.on('request', (_request, response) => response.writeHead(201).end())
    const stream = session.request()
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
    assert.equal(headers[':status'], 201)
    stream.resume()
    await once(stream, 'close')
  })
})

test('acknowledgements are counted while a session has streams: 17 bytes for a PING, 9 for SETTINGS', async (t) => {
  const { server, session } = await listen(t)
  const sessions = once(server, 'session') as Promise<[http2.ServerHttp2Session]>
  server.once('session', openStreams)
  const open = async (): Promise<[http2.ClientHttp2Stream, http2.ServerHttp2Stream]> => {
    const stream = session.request()
    const [ours] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
    return [stream, ours]
  }
  const ping = (): Promise<void> => new Promise((resolve) => session.ping(() => resolve()))
  const close = async ([stream, ours]: [http2.ClientHttp2Stream, http2.ServerHttp2Stream]): Promise<void> => {
    ours.respond({}, { endStream: true })
    stream.resume()
    await once(ours, 'close')
  }
  const first = await open()
  const [ours] = await sessions
  assert.equal(acknowledgedBytes({} as http2.ServerHttp2Session), 0)
  const before = acknowledgedBytes(ours)
  await ping()
  assert.equal(acknowledgedBytes(ours) - before, 17)
  await new Promise<void>((resolve) => session.settings({ enablePush: false }, () => resolve()))
  assert.equal(acknowledgedBytes(ours) - before, 26)
  const second = await open()
  const listeners = (): number[] => [ours.listenerCount('ping'), ours.listenerCount('remoteSettings')]
  assert.deepEqual(listeners(), [1, 1])
  await close(first)
  await ping()
  assert.equal(acknowledgedBytes(ours) - before, 43)
  assert.deepEqual(listeners(), [1, 1])
  await close(second)
  // The last one is still counted. Then a session without streams must be able to become idle.
  await ping()
  assert.equal(acknowledgedBytes(ours) - before, 60)
  assert.deepEqual(listeners(), [0, 0])
  await ping()
  assert.equal(acknowledgedBytes(ours) - before, 60)
  const third = await open()
  assert.deepEqual(listeners(), [1, 1])
  await close(third)
})

describe('the pieces of a reply', () => {
  function written(): { response: MaybeHttp2Response; stream: any; chunks: (string | Uint8Array)[] } {
    const chunks: (string | Uint8Array)[] = []
    const stream: any = { writableLength: 1, bufferSize: 7, _writev: () => {} }
    const response: any = { stream, write: (chunk: string | Uint8Array) => chunks.push(chunk) < 2 }
    return { response, stream, chunks }
  }

  test('are those of one frame, and whether there is room is told by the last', () => {
    for (const make of [(length: number) => 'x'.repeat(length), (length: number) => Buffer.alloc(length, 'x')]) {
      const { response, chunks } = written()
      assert.equal(writePieces(response, make(PIECE_LENGTH)), true)
      assert.equal(chunks.length, 1)
      assert.equal(chunks[0]!.length, PIECE_LENGTH)
      assert.equal(writePieces(response, make(2 * PIECE_LENGTH + 1)), false)
      assert.deepEqual(
        chunks.map(({ length }) => length),
        [PIECE_LENGTH, PIECE_LENGTH, PIECE_LENGTH, 1],
      )
      const whole = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string)))
      assert.equal(whole.toString(), 'x'.repeat(3 * PIECE_LENGTH + 1))
    }
    for (const length of [PIECE_LENGTH + 1, 2 * PIECE_LENGTH]) {
      const { response, chunks } = written()
      assert.equal(writePieces(response, 'x'.repeat(length)), false)
      assert.equal(chunks.length, 2)
    }
  })

  test('are written one by one, and the progress of a stream changes with each and with what its client takes', () => {
    const { response, stream } = written()
    assert.equal(progressOf(stream), undefined)
    writePieces(response, 'a')
    assert.equal(stream._writev, undefined)
    const seen = [progressOf(stream)]
    writePieces(response, 'b')
    seen.push(progressOf(stream))
    stream.bufferSize = 3
    seen.push(progressOf(stream))
    assert.equal(new Set(seen).size, 3)
    assert.ok(!seen.includes(undefined))
    stream.writableLength = 0
    assert.equal(progressOf(stream), undefined)
  })
})

test('bytes of a reply wait if some are buffered, or if the stream has ended and is not finished', () => {
  const states: [stream: object, isWaiting: boolean][] = [
    [{ writableLength: 1, writableEnded: false, writableFinished: false }, true],
    [{ writableLength: 0, writableEnded: false, writableFinished: false }, false],
    [{ writableLength: 0, writableEnded: true, writableFinished: false }, true],
    [{ writableLength: 0, writableEnded: true, writableFinished: true }, false],
  ]
  for (const [stream, isWaiting] of states) assert.equal(hasUnsentData(stream as never), isWaiting, JSON.stringify(stream))
})

test('a stream waits for its client if its body is read, its reply has ended, or its buffer is full', () => {
  const idle = {
    state: { remoteClose: 0 },
    readableFlowing: null as boolean | null,
    readableLength: 0,
    readableHighWaterMark: 10,
    writableEnded: false,
    writableNeedDrain: false,
  }
  const states: [change: Partial<typeof idle>, isReading: boolean, isWaiting: boolean][] = [
    [{}, false, false],
    [{ readableFlowing: true }, true, true],
    [{ readableFlowing: false }, true, true],
    [{ readableFlowing: true, readableLength: 9 }, true, true],
    [{ readableFlowing: true, readableLength: 10 }, false, false],
    [{ readableFlowing: true, state: { remoteClose: 1 } }, false, false],
    [{ writableEnded: true }, false, true],
    [{ writableNeedDrain: true }, false, true],
  ]
  for (const [change, isReading, isWaiting] of states) {
    const stream = { ...idle, ...change } as never
    assert.deepEqual([isStreamReading(stream), isStreamWaiting(stream)], [isReading, isWaiting], JSON.stringify(change))
  }
})

test('a session without traffic is closed and destroyed if all its streams wait for their clients, and otherwise looked at again', () => {
  for (const [endings, isDestroyed] of [
    [[], true],
    [[true, true], true],
    [[true, false], false],
  ] as const) {
    const done: string[] = []
    const session: any = Object.assign(new EventEmitter(), {
      destroyed: false,
      setTimeout: (ms: number) => done.push(`after ${ms}`),
      close: () => done.push('close'),
      destroy: () => done.push('destroy'),
    })
    endWhenIdle(session, 30)
    for (const writableEnded of endings)
      session.emit('stream', Object.assign(new EventEmitter(), { writableEnded, state: { remoteClose: 1 }, writableNeedDrain: false }))
    session.emit('timeout')
    assert.deepEqual(done, ['after 30', ...(isDestroyed ? ['close', 'destroy'] : ['after 30'])])
    session.destroyed = true
    session.emit('timeout')
    assert.equal(done.filter((each) => each === 'destroy').length, isDestroyed ? 1 : 0)
  }
})

describe('a request of HTTP/2 that does not arrive in time', () => {
  const format = { payload: (members: object) => members, mediaType: 'application/json' } as never
  /** A stream whose time is over after 50 ms. */
  function limited(t: TestContext, fields: object): any {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const done: unknown[] = []
    const stream = Object.assign(new EventEmitter(), {
      endAfterHeaders: false,
      destroyed: false,
      headersSent: false,
      state: { remoteClose: 0 },
      done,
      respond: (headers: object) => done.push(headers),
      end: (text: string) => done.push(text),
      close: (code: number) => done.push(code),
      ...fields,
    })
    limitRequestTime(50, () => format)(stream as never)
    return stream
  }

  test('is answered 408, and its stream closes then', (t) => {
    const stream = limited(t, {})
    t.mock.timers.tick(49)
    assert.deepEqual(stream.done, [])
    t.mock.timers.tick(1)
    const answer = [{ ':status': 408, 'content-type': 'application/json' }, '{"statusCode":408,"message":"Client Timeout"}']
    assert.deepEqual(stream.done, answer)
    stream.emit('finish')
    assert.deepEqual(stream.done, [...answer, http2.constants.NGHTTP2_CANCEL])
  })

  test('is cut off if its reply has begun', (t) => {
    const stream = limited(t, { headersSent: true })
    t.mock.timers.tick(50)
    assert.deepEqual(stream.done, [http2.constants.NGHTTP2_CANCEL])
  })

  for (const [kind, fields] of Object.entries({
    'has no body': { endAfterHeaders: true },
    'has left': { destroyed: true },
    'has arrived': { state: { remoteClose: 1 } },
  })) {
    test(`is left alone if it ${kind}`, (t) => {
      const stream = limited(t, fields)
      t.mock.timers.tick(50)
      assert.deepEqual(stream.done, [])
      assert.equal(stream.listenerCount('close'), kind === 'has no body' ? 0 : 1)
    })
  }

  test('is left alone if its stream has closed before', (t) => {
    const stream = limited(t, {})
    stream.emit('close')
    t.mock.timers.tick(50)
    assert.deepEqual(stream.done, [])
  })

  test('does not keep the process alive', async (t) => {
    const { server, session } = await listen(t)
    server.on(
      'stream',
      limitRequestTime(60_000, () => format),
    )
    const stream = session.request({ ':method': 'POST' }).on('error', () => {})
    await once(server, 'stream')
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    stream.close()
    await until(() => stream.closed)
    assert.equal(timers, 0)
  })
})
