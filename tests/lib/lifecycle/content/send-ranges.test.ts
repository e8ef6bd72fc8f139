import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type ByteRange, createServer, rangeResponses, type RangeSource, sendRanges } from 'alcove'

const bytes = Buffer.from('0123456789')
const changed = new Date('2026-11-01T10:00:00.500Z')
const changedText = 'Sun, 01 Nov 2026 10:00:00 GMT'
const before = 'Sun, 01 Nov 2026 09:59:59 GMT'
const version: Partial<RangeSource> = { etag: '"v1"', lastModified: changed }

/** Sends a request for the ten bytes. Returns the reply, with the ranges that were opened. */
async function ask(headers: Record<string, string> = {}, source: Partial<RangeSource> = version, method: 'GET' | 'HEAD' = 'GET') {
  const opened: ByteRange[] = []
  const read = (range: ByteRange): Readable => {
    opened.push(range)
    return Readable.from([bytes.subarray(range.start, range.end + 1)], { objectMode: false })
  }
  const server = createServer()
  server.get('/', (_request, reply) => sendRanges(reply, { size: bytes.length, read, ...source }))
  const { statusCode: status, headers: sent, body } = await server.inject({ method, url: '/', headers })
  return { status, body, opened: opened.length, length: sent['content-length'], range: sent['content-range'], sent }
}

const brief = ({ status, body, range }: Awaited<ReturnType<typeof ask>>): unknown[] => [status, body, range]

test('without a range all bytes are sent, with what a client needs for ranges and conditions', async () => {
  const { status, body, length, sent } = await ask()
  assert.deepEqual([status, body, length], [200, '0123456789', '10'])
  const names = ['accept-ranges', 'etag', 'last-modified', 'content-type']
  assert.deepEqual(
    names.map((name) => sent[name]),
    ['bytes', '"v1"', changedText, 'application/octet-stream'],
  )
  assert.equal((await ask({}, { type: 'video/mp4' })).sent['content-type'], 'video/mp4')
})

test('one range is answered with 206 and exactly this part, cut off at the end', async () => {
  for (const [header, body, start, end] of [
    ['bytes=0-0', '0', 0, 0],
    ['bytes=2-4', '234', 2, 4],
    ['bytes=7-', '789', 7, 9],
    ['bytes=7-99', '789', 7, 9],
    // The greatest number of 64 bits, which some players send for "to the end".
    ['bytes=7-18446744073709551615', '789', 7, 9],
    [`bytes=-${'9'.repeat(400)}`, '0123456789', 0, 9],
    ['bytes=-3', '789', 7, 9],
    ['bytes=-99', '0123456789', 0, 9],
    ['BYTES=9-9', '9', 9, 9],
  ] as const) {
    const reply = await ask({ range: header })
    assert.deepEqual([reply.status, reply.body, reply.range], [206, body, `bytes ${start}-${end}/10`], header)
    assert.equal(reply.length, String(body.length))
  }
})

test('a range behind the end is 416 with the length, and nothing is opened', async () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-', `bytes=${'9'.repeat(400)}-`]) {
    const reply = await ask({ range: header })
    assert.deepEqual([brief(reply), reply.opened, reply.length], [[416, '', 'bytes */10'], 0, '0'], header)
  }
  assert.deepEqual(brief(await ask({ range: 'bytes=0-' }, { size: 0 })), [416, '', 'bytes */0'])
  assert.deepEqual(brief(await ask({}, { size: 0 })), [200, '', undefined])
})

test('a range that is malformed, of another unit, or one of several is ignored', async () => {
  for (const range of [
    'bytes=4-2',
    'bytes=-',
    'bytes=a-b',
    'bytes=1',
    'items=0-1',
    'bytes=0-1,3-4',
    'bytes=0x1-2',
    'bytes= 1 - 2',
    'bytes=1e1-',
  ])
    assert.deepEqual(brief(await ask({ range })), [200, '0123456789', undefined], range)
})

test('If-Range gets a part only of the version that it names, exactly', async () => {
  const range = 'bytes=0-1'
  const isPart = async (condition: string, source = version): Promise<boolean> =>
    (await ask({ range, 'if-range': condition }, source)).status === 206
  assert.equal(await isPart('"v1"'), true)
  assert.equal(await isPart(changedText), true)
  assert.equal(await isPart('"v2"'), false)
  assert.equal(await isPart('W/"v1"'), false)
  assert.equal(await isPart('W/"v1"', { etag: 'W/"v1"' }), false)
  assert.equal(await isPart(before), false)
  assert.equal(await isPart('no date'), false)
  assert.equal(await isPart(changedText, {}), false)
  // Without the right version, a range that does not exist is no error either.
  assert.equal((await ask({ range: 'bytes=10-', 'if-range': '"v2"' })).status, 200)
})

test('conditions end a request before its range, in the order of the RFC', async () => {
  const statusFor = async (headers: Record<string, string>, source = version): Promise<number> =>
    (await ask({ range: 'bytes=0-1', ...headers }, source)).status
  assert.equal(await statusFor({ 'if-none-match': '"v0", W/"v1"' }), 304)
  assert.equal(await statusFor({ 'if-none-match': '*' }), 304)
  assert.equal(await statusFor({ 'if-none-match': '"v2"' }), 206)
  assert.equal(await statusFor({ 'if-none-match': '"v2"', 'if-modified-since': changedText }), 206, 'If-None-Match counts alone')
  assert.equal(await statusFor({ 'if-modified-since': changedText }), 304)
  assert.equal(await statusFor({ 'if-modified-since': before }), 206)
  assert.equal(await statusFor({ 'if-modified-since': 'yesterday' }), 206)
  assert.equal(await statusFor({ 'if-match': '"v2"' }), 412)
  assert.equal(await statusFor({ 'if-match': 'W/"v1"' }), 412)
  assert.equal(await statusFor({ 'if-match': '"v2", "v1"' }), 206)
  assert.equal(await statusFor({ 'if-unmodified-since': before }), 412)
  assert.equal(await statusFor({ 'if-match': '"v1"', 'if-unmodified-since': before }), 206, 'If-Match counts alone')
  assert.equal(await statusFor({ 'if-unmodified-since': before }, {}), 206, 'without a date there is nothing to compare')
})

test('HEAD states the length of the whole, has no ranges, and opens nothing', async () => {
  const reply = await ask({ range: 'bytes=2-4' }, version, 'HEAD')
  assert.deepEqual([brief(reply), reply.length, reply.opened], [[200, '', undefined], '10', 0])
  assert.equal((await ask({ 'if-none-match': '"v1"' }, version, 'HEAD')).status, 304)
})

test('an error of read is the reply, without headers of the part', async () => {
  const server = createServer()
  const fail = (): never => {
    throw Object.assign(new Error('gone'), { statusCode: 404 })
  }
  server.get('/throws', (_request, reply) => sendRanges(reply, { size: 10, ...version, read: fail }))
  server.get('/rejects', (_request, reply) => sendRanges(reply, { size: 10, ...version, read: async () => fail() }))
  server.get(
    '/fails',
    (_request, reply) =>
    sendRanges(reply, { size: 10, read: () => new Readable({ read() { this.destroy(new Error('gone')) } }) }), // prettier-ignore
  )
  for (const [url, status] of [
    ['/throws', 404],
    ['/rejects', 404],
    ['/fails', 500],
  ] as const) {
    // prettier-ignore
    const { statusCode, headers, json } = await server.inject({ url, headers: { range: 'bytes=2-4' } })
    assert.equal(statusCode, status, url)
    assert.deepEqual([headers['content-range'], headers['etag'], json().statusCode], [undefined, undefined, status], url)
  }
})

test('a stream with fewer or more bytes than asked for fails the reply: no client takes it for the part', async (t) => {
  const server = createServer()
  server.get('/:count', ({ params }, reply) =>
    sendRanges(reply, { size: 10, read: () => Readable.from([bytes.subarray(0, Number((params as { count: string }).count))]) }),
  )
  const origin = await server.listen({ port: 0 })
  t.after(() => server.close())
  const part = (count: number): Promise<Response> => fetch(`${origin}/${count}`, { headers: { range: 'bytes=0-2' } })
  await assert.rejects(part(2).then((reply) => reply.text()))
  assert.equal((await part(4)).status, 500)
  const right = await part(3)
  assert.deepEqual([right.status, await right.text()], [206, '012'])
})

test('bytes in memory, web streams and promises of a stream can be sent', async () => {
  const part = ({ start, end }: ByteRange): Buffer => bytes.subarray(start, end + 1)
  for (const read of [part, async (range: ByteRange) => new Blob([new Uint8Array(part(range))]).stream()] as RangeSource['read'][])
    assert.deepEqual(brief(await ask({ range: 'bytes=2-4' }, { read })), [206, '234', 'bytes 2-4/10'])
  assert.deepEqual(brief(await ask({ range: 'bytes=2-4' }, { read: () => bytes })).slice(0, 1), [500], 'an array of another length')
})

test('an impossible size, an entity tag without quotes and an invalid date are errors that say so', async () => {
  const messages: string[] = []
  const server = createServer()
  server.setErrorHandler((error: Error, _request, reply) => void reply.code(500).send(messages.push(error.message)))
  for (const [index, source] of [{ size: 1.5 }, { etag: 'v1' }, { etag: '"v1"\r\n' }, { lastModified: new Date(Number.NaN) }].entries()) {
    server.get(`/${index}`, (_request, reply) => sendRanges(reply, { size: 10, read: () => bytes, ...source }))
  }
  for (const index of [0, 1, 2, 3]) assert.equal((await server.inject(`/${index}`)).statusCode, 500)
  assert.deepEqual(
    messages.map((text) => text.split(',')[0]),
    [
      'sendRanges: size must be a whole number of bytes',
      'sendRanges: etag must be a text in quotes',
      'sendRanges: etag must be a text in quotes',
      'sendRanges: lastModified is not a date',
    ],
  )
})

test('rangeResponses describes each status that sendRanges answers with', () => {
  assert.deepEqual(Object.keys(rangeResponses('video/mp4')), ['200', '206', '304', '412', '416'])
})

test('a refusal is not kept by caches, however long they may keep the bytes', async () => {
  const server = createServer()
  server.get('/', (_request, reply) =>
    sendRanges(reply.header('cache-control', 'public, max-age=60'), { size: 10, etag: '"v1"', read: () => bytes }),
  )
  const keptFor = async (headers: object): Promise<unknown[]> => {
    const { statusCode, headers: sent } = await server.inject({ url: '/', headers })
    return [statusCode, sent['cache-control']]
  }
  assert.deepEqual(await keptFor({ 'if-match': '"v2"' }), [412, 'no-store'])
  assert.deepEqual(await keptFor({ range: 'bytes=10-' }), [416, 'no-store'])
  assert.deepEqual(await keptFor({ 'if-none-match': '"v1"' }), [304, 'public, max-age=60'])
  assert.deepEqual(await keptFor({}), [200, 'public, max-age=60'])
})
