/** What clients read of streams, and how they reconnect, against servers that listen. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { pendingTimers } from '../../fixtures/pending-timers.js'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer, event, stream } from 'alcove'
import { callRoute, type CallParts, type ClientOptions, ReplyError, type RouteEntry } from '../../../decorators/client/runtime.js'
import { type EventStream, readEvents, type ServerSentEvent } from '../../../decorators/client/streams.js'
import { answer, listen } from '../../fixtures/listening-servers.js'

const route: RouteEntry = { method: 'GET', path: ['/'], headers: { accept: 'text/event-stream' }, stream: readEvents }

/** The stream that a call receives. */
async function open(parts: CallParts, options: ClientOptions, path = '/'): Promise<EventStream<any>> {
  return (await callRoute({ ...route, path: [path] }, parts, options).expect(200)) as EventStream<any>
}

/** The stream of a response. */
async function read(response: Response, parts: CallParts = {}): Promise<EventStream<any>> {
  return open(parts, { baseUrl: 'http://localhost', fetch: async () => response })
}

async function eventsOf(stream: EventStream<any>): Promise<ServerSentEvent<any>[]> {
  const events: ServerSentEvent<any>[] = []
  for await (const each of stream.events()) events.push(each)
  return events
}

/** A stream of events that comes in pieces of a length. */
function eventStream(text: string, length: number): Response {
  let at = 0
  const body = new ReadableStream({
    pull(controller) {
      if (at >= text.length) return controller.close()
      controller.enqueue(Buffer.from(text.slice(at, at + length)))
      at += length
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function readAll(response: Response): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of await read(response)) items.push(item)
  return items
}

// Before, the second of these took 21 s.
test('a large event is read in time that grows with its bytes, also in small pieces', { timeout: 10_000 }, async () => {
  const item = { text: 'x'.repeat(6_000_000) }
  const text = `data: ${JSON.stringify(item)}\n\ndata: 1\r\n\r\n`
  assert.deepEqual(await readAll(eventStream(text, 65_536)), [item, 1])
  assert.deepEqual(await readAll(eventStream(text, 200)), [item, 1])
})

test('an event of more than 16 MB is an error, whether it is one line that does not end or many', { timeout: 10_000 }, async () => {
  for (const text of [`data: ${'x'.repeat(17_000_000)}`, `data: ${'x'.repeat(1_000)}\n`.repeat(17_000)])
    await assert.rejects(readAll(eventStream(text, 65_536)), /^RangeError: an item is longer than 16 MB/)
})

test('the items of server-sent events are read as they come, however the bytes are cut', async () => {
  const text =
    ': begin\r\n\r\nid: 1\ndata: {"tick":1}\n\nevent: tick\ndata:{"text":"\u00e9\ud83d\ude00"}\r\n\r\nid: 2\ndata: 3\n\n: heartbeat\n\ndata: 4'
  await using at = await answer(async (request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    const bytes = Buffer.from(text)
    const size = Number(request.url!.slice(1))
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await new Promise(setImmediate)
    }
    response.end()
  })
  for (const size of [1, 2, 3, 7, 1000]) {
    const stream = await open({}, at, `/${size}`)
    const items: unknown[] = []
    for await (const item of stream) items.push([item, stream.lastEventId])
    assert.deepEqual(items, [
      [{ tick: 1 }, '1'],
      [{ text: '\u00e9\ud83d\ude00' }, '1'],
      [3, '2'],
    ])
  }
})

test('a stream that is left closes its connection, and one that breaks off rejects', async () => {
  let resolve: () => void
  const closed = new Promise<void>((done) => (resolve = done))
  await using at = await answer((request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write('data: 1\n\n')
    if (request.url === '/broken') setTimeout(() => response.destroy(), 20)
    else response.on('close', () => resolve())
  })
  for await (const item of await open({}, at, '/left')) {
    assert.equal(item, 1)
    break
  }
  await closed
  await assert.rejects(async () => {
    for await (const item of await open({}, at, '/broken')) assert.equal(item, 1)
  })
})

test('a stream is continued behind the last item that was read', async () => {
  const server = createServer()
  const tick = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } as const
  const schema = { headers: { 'last-event-id': { type: 'integer' } }, response: { 200: stream(tick) } } as const
  server.get('/ticks', { schema }, async function* ({ headers }) {
    for (let n = headers['last-event-id'] ?? 0; ;) yield event({ n: ++n }, { id: String(n) })
  })
  await using at = await listen(server)
  const readUntil = async (last: number, headers: object): Promise<EventStream<{ n: number }>> => {
    const ticks = await open({ headers }, at, '/ticks')
    for await (const { n } of ticks) if (n === last) break
    return ticks
  }
  const first = await readUntil(3, {})
  assert.equal(first.lastEventId, '3')
  const second = await readUntil(4, { 'last-event-id': first.lastEventId })
  assert.equal(second.lastEventId, '4')
})

test('data that is not JSON rejects with the route, the status and the text, after the items before it', async () => {
  const items: unknown[] = []
  const readItems = async (): Promise<void> => {
    for await (const item of await read(eventStream('data: 1\n\ndata: hello\n\n', 100))) items.push(item)
  }
  await assert.rejects(readItems(), (error: any) => {
    assert.ok(error instanceof ReplyError)
    assert.match(error.message, /^GET \/ was answered 200: SyntaxError: /)
    assert.equal(error.body, 'hello')
    return true
  })
  assert.deepEqual(items, [1])
})

test('the timer of a call ends with the stream', async (context) => {
  const timers = pendingTimers(context, 60_000)
  const items = await read(eventStream('data: 1\n\n', 100), { timeout: 60_000 })
  assert.equal(timers.size, 1)
  for await (const item of items) assert.equal(item, 1)
  assert.equal(timers.size, 0)
})

// The examples of https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation, with JSON as data.
for (const [name, text, expected] of [
  ['data of several lines is one item', 'data: [1,\ndata: 2,\ndata: 3]\n\n', [{ event: 'message', data: [1, 2, 3] }]],
  [
    'a comment is nothing, an id without a value resets the last one',
    ': test stream\n\ndata: 1\nid: 1\n\ndata: 2\nid\n\ndata:  3\n\n',
    [
      { event: 'message', id: '1', data: 1 },
      { event: 'message', id: '', data: 2 },
      { event: 'message', id: '', data: 3 },
    ],
  ],
  ['events without data, and one that does not end, are not dispatched', 'data\n\ndata\ndata\n\nevent: a\n\ndata: 1', []],
  ['one space after the colon is not part of the value', 'data:1\n\ndata: 1\n\n', [1, 1].map((data) => ({ event: 'message', data }))],
  [
    'a type holds for its event only',
    'event: add\ndata: 1\n\ndata: 2\n\n',
    [
      { event: 'add', data: 1 },
      { event: 'message', data: 2 },
    ],
  ],
  ['a byte order mark is left out', '\ufeffdata: 1\n\n', [{ event: 'message', data: 1 }]],
  [
    'lines end in LF, CR or both',
    'data: [1,\rdata: 2]\r\rdata: 3\r\n\r\ndata: 4\n\n',
    [[1, 2], 3, 4].map((data) => ({ event: 'message', data })),
  ],
  [
    'an id with NUL, a time that is no number, and an unknown field are ignored',
    'id: 1\nid: a\0b\nretry: 1s\nnote: x\ndata: 1\n\n',
    [{ event: 'message', id: '1', data: 1 }],
  ],
] as const)
  test(`of events: ${name}, however the bytes are cut`, async () => {
    for (const size of [1, 2, 3, 1000]) {
      const events = await eventsOf(await read(eventStream(text, size)))
      assert.deepEqual(
        events.map(({ id, ...event }) => ({ ...event, ...(id !== undefined && { id }) })),
        expected,
        `in pieces of ${size}`,
      )
    }
  })

test('an event without data has an id too, with which a new call continues', async () => {
  const ticks = await read(eventStream('data: 1\nid: 1\n\nid: 2\n\nid: 3', 100))
  assert.equal((await eventsOf(ticks)).length, 1)
  // The last event did not end.
  assert.equal(ticks.lastEventId, '2')
})

/** A server whose connections are answered one after the other; the last answer holds for all that follow. */
async function answerInTurn(answers: readonly ((response: ServerResponse) => void)[]) {
  const asked: { id: string | undefined; at: number }[] = []
  const at = await answer((request, response) => {
    const reply = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push({ id: request.headers['last-event-id'] as string | undefined, at: Date.now() })
    reply(response)
  })
  return { ...at, asked }
}
const send =
  (text: string, end: 'end' | 'break' | 'stay' = 'end') =>
  (response: ServerResponse): void => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(text)
    if (end === 'end') response.end()
    if (end === 'break') setTimeout(() => response.destroy(), 20)
  }
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code, { 'retry-after': '0' }).end()

test('with `reconnect`, a stream goes on behind its last item when its connection ends, breaks or is refused, until the server answers 204', async () => {
  await using at = await answerInTurn([
    send('retry: 20\n\nid: 1\ndata: 1\n\n'),
    send('id: 2\ndata: 2\n\nid: 3\ndata: 3', 'break'),
    status(503),
    send('id: \u00e9\u20ac\nevent: last\ndata: 3\n\n'),
    status(204),
  ])
  const ticks = await open({ reconnect: true, headers: { 'last-event-id': '0' } }, at)
  const events = await eventsOf(ticks)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data]),
    [
      ['message', 1],
      ['message', 2],
      ['last', 3],
    ],
  )
  assert.deepEqual(
    at.asked.map(({ id }) => id && Buffer.from(id, 'latin1').toString()),
    ['0', '1', '2', '2', '\u00e9\u20ac'],
  )
})

test('without `reconnect`, the end of a connection is the end of the stream', async () => {
  await using at = await answerInTurn([send('retry: 1\nid: 1\ndata: 1\n\n')])
  const ticks = await open({}, at)
  assert.deepEqual(await eventsOf(ticks), [{ event: 'message', id: '1', data: 1 }])
  assert.equal(at.asked.length, 1)
})

test('an empty id is not sent', async () => {
  await using at = await answerInTurn([send('retry: 1\nid: 1\ndata: 1\n\nid\ndata: 2\n\n'), status(204)])
  await eventsOf(await open({ reconnect: true, headers: { 'last-event-id': '0' } }, at))
  assert.deepEqual(
    at.asked.map(({ id }) => id),
    ['0', undefined],
  )
})

test('a stream reconnects after the time that the server asks for, and connections without an item take twice as long each time', async () => {
  const nothing = send(':\n\n')
  await using at = await answerInTurn([send('retry: 100\ndata: 1\n\n'), nothing, nothing, send('data: 2\n\n'), status(204)])
  assert.equal((await eventsOf(await open({ reconnect: true }, at))).length, 2)
  const waits = at.asked.slice(1).map((asked, index) => asked.at - at.asked[index]!.at)
  for (const [index, least] of [100, 200, 400, 100].entries()) assert.ok(waits[index]! >= least - 5, `after ${waits.join(', ')} ms`)
  assert.ok(waits[3]! < 400, 'an item ends the back-off')
})

test('a reply that is no stream ends the stream with its error, and so does one that is refused', async () => {
  await using at = await answerInTurn([send('retry: 1\ndata: 1\n\n'), status(401)])
  await assert.rejects(eventsOf(await open({ reconnect: true }, at)), { name: 'ReplyError', status: 401 })
  await using other = await answerInTurn([
    send('retry: 1\ndata: 1\n\n'),
    (response) => void response.setHeader('content-type', 'application/json').end('{"payload":1}'),
  ])
  await assert.rejects(eventsOf(await open({ reconnect: true }, other)), { name: 'ReplyError', status: 200 })
})

test('data that is not JSON, and an item that is too long, are not a lost connection', async () => {
  await using at = await answerInTurn([send('retry: 1\ndata: hello\n\n', 'stay')])
  await assert.rejects(eventsOf(await open({ reconnect: true }, at)), { name: 'ReplyError' })
  assert.equal(at.asked.length, 1)
})

test('a signal ends a stream that reads, one that waits, and one that is refused again and again', async () => {
  const answers: [string, Parameters<typeof answerInTurn>[0]][] = [
    ['reads', [send('data: 1\n\n', 'stay')]],
    ['waits', [send('retry: 60000\ndata: 1\n\n')]],
    ['is refused', [send('retry: 1\ndata: 1\n\n'), status(503)]],
  ]
  for (const [name, list] of answers) {
    await using at = await answerInTurn(list)
    const controller = new AbortController()
    const ticks = await open({ reconnect: true, signal: controller.signal }, at)
    setTimeout(() => controller.abort(new Error('left')), 100)
    const started = Date.now()
    await assert.rejects(eventsOf(ticks), /left/, name)
    assert.ok(Date.now() - started < 5000, name)
  }
})

test('leaving the loop of a stream that has reconnected closes its connection', async () => {
  const closed: string[] = []
  await using at = await answerInTurn([
    send('retry: 1\ndata: 1\n\n'),
    (response) => {
      response.on('close', () => closed.push('close'))
      send('data: 2\n\n', 'stay')(response)
    },
  ])
  for await (const item of await open({ reconnect: true }, at)) if (item === 2) break
  while (closed.length === 0) await wait(5)
  assert.equal(at.asked.length, 2)
})

test('a route that declares no stream gets the bytes of one', async () => {
  await using at = await answer((_request, response) => send('data: 1\n\n')(response))
  const { stream: _stream, ...other } = route
  const bytes: any = await callRoute(other, {}, at).expect(200)
  assert.equal(await new Response(bytes).text(), 'data: 1\n\n')
})
