/**
 * The fast way to send a reply repeats every check of Node's own way: whatever the state of a response, both write the same bytes, or both
 * refuse. `FAST_PATH_STATES=100000` generates that many states, `FAST_PATH_SEED` others.
 */
import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Duplex } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Server, type ServerOptions } from 'alcove/lib'
import fc from 'fast-check'
import { ResponseSerializers } from '../../lib/schema/serialize-response.js'
import { parse, wireTest, exchange, get, raw } from './wire.js'

const numRuns = Number(process.env['FAST_PATH_STATES'] ?? 2_000)
const seed = Number(process.env['FAST_PATH_SEED'] ?? 20_261_122)

const texts = fc.oneof(
  fc.constantFrom('', 'a', 'text/plain', 'application/json; charset=utf-8', 'close', 'keep-alive', 'chunked', '0', '4', '999', 'caf\u00e9'),
  fc.constantFrom('a\r\nb: c', '\r\n\r\nHTTP/1.1 200 OK', 'a\nb', '\0', '\u20ac', '200 OK\r\nSet-Cookie: a=1', ' 204 '),
  fc.string({ maxLength: 8 }),
)
const statuses = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(200, 201, 204, 205, 304, 404, 500, 599) },
  fc.constantFrom<unknown>(100, 101, 199, 600, 700, 999, 1000, 12_345, -200, 0, 2 ** 32 + 200, 1e21, NaN, Infinity, 404.7, 199.9, 999.5),
  fc.constantFrom<unknown>('200', '204', '304', ' 404', '0xc8', '2e2', 'push', '__proto__', null, undefined, true, [204], [], {}, 200n),
  fc.constantFrom<unknown>({ valueOf: () => 204 }, { valueOf: () => '200 OK\r\n' }, { toString: () => '304' }, Symbol('200'), () => 200),
  fc.integer(),
  texts,
)
const names = fc.oneof(
  fc.constantFrom(
    'x-one',
    'X-Two',
    'content-type',
    'content-length',
    'connection',
    'date',
    'set-cookie',
    'keep-alive',
    'trailer',
    'expect',
  ),
  fc.constantFrom('transfer-encoding', 'content-disposition', 'upgrade', 'etag', 'x bad', 'x:y', '', 'x\r\ny', '__proto__', 'constructor'),
)
const values = fc.oneof({ weight: 3, arbitrary: texts }, fc.constantFrom<unknown>(1, 0, null, undefined, true, ['a', 'b'], ['a\r\nb'], {}))
const headers = fc.array(fc.tuple(names, values), { maxLength: 3 })
const payloads = fc.constantFrom<unknown>(
  '',
  'text',
  't\u00e4xt\u20ac',
  '{"a":1}',
  null,
  undefined,
  { a: 1 },
  [],
  0,
  Buffer.from([0, 255]),
  'x'.repeat(20_000),
)
const rare = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(arbitrary, { nil: undefined, freq: 4 })

const states = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  version: fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
  connection: fc.constantFrom('', '', 'Connection: keep-alive\r\n', 'Connection: close\r\n', 'Expect: 100-continue\r\n'),
  rawStatus: fc.option(fc.tuple(statuses), { nil: undefined }),
  code: rare(fc.constantFrom<any>(200, 204, 404, '201', 599)),
  headers,
  rawHeaders: rare(headers),
  phrase: rare(texts),
  payload: payloads,
  rawMethod: rare(fc.constantFrom('GET', 'HEAD')),
  isKept: rare(fc.boolean()),
  early: rare(fc.constantFrom('continue', 'processing', 'cork')),
  onSend: rare(
    fc.record({ rawStatus: fc.option(fc.tuple(statuses), { nil: undefined }), headers, payload: fc.option(fc.string({ maxLength: 9 })) }),
  ),
  isDeclared: fc.boolean(),
})
type State = typeof states extends fc.Arbitrary<infer Value> ? Value : never

function setAll(reply: Reply<any, any>, { rawStatus, headers: given }: Pick<State, 'rawStatus' | 'headers'>): void {
  if (rawStatus !== undefined) reply.raw.statusCode = rawStatus[0] as number
  for (const [name, value] of given) reply.header(name, value)
}

function answer(state: State, reply: Reply<any, any>): unknown {
  if (state.code !== undefined) reply.code(state.code)
  if (state.rawMethod !== undefined) reply.request.raw.method = state.rawMethod
  setAll(reply, state)
  for (const [name, value] of state.rawHeaders ?? []) reply.raw.setHeader(name, value as string)
  if (state.phrase !== undefined) reply.raw.statusMessage = state.phrase
  if (state.isKept !== undefined) reply.raw.shouldKeepAlive = state.isKept
  if (state.early === 'continue') reply.raw.writeContinue()
  if (state.early === 'processing') reply.raw.writeProcessing()
  if (state.early === 'cork') reply.raw.cork()
  return reply.send(state.payload)
}

/** A server without a network. Its handlers do what `state` says. */
async function createAnswering(options: ServerOptions): Promise<(state: State) => Promise<string>> {
  let current: State
  const server: Server = createServer({ ...options, keepAliveTimeout: 5_000 })
  const schema = { response: { 200: { type: 'object', properties: { a: { type: 'string' } } }, '4xx': { type: 'object', properties: {} } } }
  server.addHook('onSend', (_request, reply, payload, done) => {
    const { onSend } = current
    if (onSend === undefined) return done(null, payload)
    try {
      setAll(reply, onSend)
      done(null, onSend.payload === null ? payload : onSend.payload)
    } catch (error) {
      done(error as Error)
    }
  })
  for (const [url, extra] of [
    ['/', {}],
    ['/declared', { schema }],
  ] as const) {
    server.route({ method: ['GET', 'HEAD', 'POST'], url, ...extra, handler: (_request, reply) => answer(current, reply) })
  }
  server.get('/last', () => 'last')
  await server.ready()
  return async (state) => {
    current = state
    let bytes = ''
    const socket = new Duplex({
      read() {},
      write(chunk, encoding, done) {
        bytes += typeof chunk === 'string' ? Buffer.from(chunk, encoding).toString('latin1') : (chunk as Buffer).toString('latin1')
        done()
      },
    })
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    server.server.emit('connection', socket)
    const { method, version, connection, isDeclared } = state
    socket.push(`${method} ${isDeclared ? '/declared' : '/'} HTTP/${version}\r\nHost: a\r\n${connection}\r\n`)
    // The hook belongs to the first request alone.
    const isOver = (): boolean => socket.writableEnded || socket.destroyed
    for (let turn = 0; turn < 4 && !isOver(); turn++) await new Promise((resolve) => setImmediate(resolve))
    current = { ...state, onSend: undefined }
    if (!isOver()) socket.push('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    for (let turn = 0; turn < 8 && !isOver(); turn++) await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    await closed
    return bytes.replaceAll(/^Date: .*\r\n/gm, 'Date\r\n')
  }
}

describe('a reply in any state', () => {
  test(`is the same bytes in the fast way and in Node's, or is refused in both (${numRuns} states)`, { timeout: 3_600_000 }, async () => {
    const [ours, nodes] = await Promise.all([createAnswering({}), createAnswering({ http: { IncomingMessage, ServerResponse } })])
    let answered = 0
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const bytes = await ours(state)
        assert.equal(bytes, await nodes(state))
        // No status line but that of a whole number, and the phrase that was set.
        for (const [line] of bytes.matchAll(/^HTTP\/1\.1 .*/gm)) assert.match(line, /^HTTP\/1\.1 [1-9]\d\d /)
        if (bytes.endsWith('last')) answered++
      }),
      { numRuns, seed },
    )
    assert.ok(answered > numRuns / 10, `only ${answered} connections went on`)
  })
})

const forged = '200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 FORGED\r\nContent-Length: 5\r\n\r\nEVIL!'

wireTest(
  'a status of the raw response is read as Node reads it, or the reply is 500',
  (server) => {
    const given: Record<string, unknown> = {
      forged,
      text: '204',
      object: { valueOf: () => 204 },
      cut: 404.7,
      none: NaN,
      large: 12_345,
      symbol: Symbol('200'),
      early: 199,
    }
    for (const [name, status] of Object.entries(given)) {
      server.get(`/${name}`, (_request, reply) => {
        reply.raw.statusCode = status as number
        return reply.send('body')
      })
    }
  },
  async ({ port }) => {
    const expected = { forged: 500, text: 204, object: 204, cut: 404, none: 500, large: 500, symbol: 500, early: 500 }
    for (const [name, status] of Object.entries(expected)) {
      const bytes = `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`
      const { text } = await raw(port, bytes)
      assert.doesNotMatch(text, /FORGED|EVIL/)
      const answers = parse(text)
      assert.deepEqual([answers.length, answers[0]!.status, answers[1]!.body], [2, status, 'alive'], name)
      if (status === 204) assert.equal(answers[0]!.headers['content-length'], undefined)
    }
  },
)

wireTest(
  'a response schema is found by the status that is sent, whatever type the raw status has',
  (server) => {
    const only = (name: string): object => ({ type: 'object', properties: { [name]: { type: 'string' } } })
    server.get('/:status', { schema: { response: { 404: only('safe'), default: {} } } }, (request, reply) => {
      reply.raw.statusCode = (request.params as { status: string }).status as unknown as number
      return reply.send({ safe: 'yes', secret: 'no' })
    })
  },
  async ({ port }) => {
    for (const status of ['404', '404.7', '0x194', ' 404'].map(encodeURIComponent)) {
      const [answer] = await exchange(port, get(`/${status}`))
      assert.deepEqual([answer!.status, answer!.body], [404, '{"safe":"yes"}'], status)
    }
    for (const status of ['push', '__proto__', 'length', '1e9'])
      assert.equal((await exchange(port, get(`/${status}`)))[0]!.status, 500, status)
  },
)

test('serializers are cached by checked statuses only', () => {
  const serializers = new ResponseSerializers(() => {})
  serializers.add('default', undefined, () => 'default')
  serializers.add('2xx', undefined, () => '2xx')
  for (const status of [1e9, -1, 0.5, 'push', '__proto__', 'x', NaN] as number[]) {
    assert.equal(serializers.find(status, undefined)?.(null), 'default', String(status))
  }
  assert.equal(serializers.find('204' as unknown as number, undefined)?.(null), '2xx')
})

wireTest(
  'a HEAD request has no body, even if a hook makes it look like GET',
  (server) => {
    server.addHook('onRequest', async ({ raw: request }) => void (request.method = 'GET'))
    server.get('/', () => 'body of the next reply')
  },
  async ({ port }) => {
    const { text } = await raw(port, `HEAD / HTTP/1.1\r\nHost: a\r\n\r\n${get('/alive')}`)
    assert.doesNotMatch(text, /body of the next/)
    assert.equal(text.match(/^HTTP\/1\.1 200/gm)?.length, 2)
  },
)

test('a phrase of http.STATUS_CODES that cannot be sent splits no reply', async (t) => {
  STATUS_CODES[298] = 'Fine\r\nx-forged: 1'
  t.after(() => delete STATUS_CODES[298])
  const server = createServer()
  t.after(() => server.close())
  server.get('/', (_request, reply) => reply.code(298).send('text'))
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  const reply = await fetch(origin)
  assert.equal(reply.headers.get('x-forged'), null)
  assert.equal(reply.status, 500)
})
