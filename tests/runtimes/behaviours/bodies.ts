import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { answers, type Behaviour } from '../client.js'

const typed = (type: string, body: NonNullable<RequestInit['body']>) => ({ body, headers: { 'content-type': type } })
const bytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count).fill(7)

/** A body of pieces, which come one after the other. */
function slowBody(count: number, length: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      await wait(1)
      if (sent++ === count) controller.close()
      else controller.enqueue(bytes(length))
    },
  })
}

const streamed = (body: ReadableStream, type = 'application/octet-stream') => ({ ...typed(type, body), duplex: 'half' as const })

export const bodies: readonly Behaviour[] = [
  answers('a JSON body is parsed', 'POST /bodies/echo', { json: { body: { a: [1, null, 'x'] } } }, { json: { a: [1, null, 'x'] } }),
  answers('a JSON body may be a single value', 'POST /bodies/echo', { json: { body: 5 } }, { json: 5 }),
  answers('a JSON body of another charset parameter is parsed', 'POST /bodies/echo', { json: { body: { a: 1 } } }, typed('application/json; charset=UTF-8', '{"a":1}')), // prettier-ignore
  answers('text is parsed as text', 'POST /bodies/echo', { json: { body: 'héllo' } }, typed('text/plain', 'héllo')),
  answers('a body without a media type is refused', 'POST /bodies/echo', { status: 415 }, { body: bytes(3) }),
  answers('a body of an unknown media type is refused', 'POST /bodies/echo', { status: 415 }, typed('application/xml', '<a/>')),
  answers('a parser of the application parses', 'POST /bodies/echo', { json: { body: ['a', 'b'] } }, typed('text/csv', 'a,b')),
  answers('JSON that cannot be parsed is refused', 'POST /bodies/echo', { status: 400 }, typed('application/json', '{"a":')),
  answers('an empty JSON body is refused', 'POST /bodies/echo', { status: 400, has: { code: 'ALC_ERR_CTP_EMPTY_JSON_BODY' } }, typed('application/json', '')), // prettier-ignore
  answers('JSON with __proto__ is refused', 'POST /bodies/echo', { status: 400 }, typed('application/json', '{"__proto__":{"x":1}}')),
  answers('text that is not UTF-8 is refused', 'POST /bodies/echo', { status: 400, has: { code: 'ALC_ERR_CTP_INVALID_UTF8' } }, typed('application/json', new Uint8Array([34, 255, 34]))), // prettier-ignore
  answers('a request without a body has none', 'POST /bodies/echo', { json: {} }),
  answers('a DELETE request may have a body', 'DELETE /bodies/echo', { json: { body: { a: 1 } } }, { json: { a: 1 } }),
  answers('a DELETE request may have no body', 'DELETE /bodies/echo', { json: { body: 'none' } }),
  answers('the length of a body is stated', 'POST /bodies/length', { json: { length: '7', got: { a: 1 } } }, typed('application/json', '{"a":1}')), // prettier-ignore
  answers('a body over the limit of the server is refused', 'POST /bodies/echo', { status: 413, has: { code: 'ALC_ERR_CTP_BODY_TOO_LARGE' } }, typed('text/plain', 'x'.repeat(70_000))), // prettier-ignore
  answers('a body just below the limit of the server is parsed', 'POST /bodies/echo', { json: { body: 'x'.repeat(60_000) } }, typed('text/plain', 'x'.repeat(60_000))), // prettier-ignore
  answers('a body over the limit of the route is refused', 'POST /bodies/small', { status: 413 }, typed('text/plain', 'x'.repeat(11))),
  answers('a body in pieces over the limit is refused', 'POST /bodies/small', { status: 413 }, () =>
    streamed(slowBody(4, 4), 'text/plain'),
  ),
  answers('a body in pieces is parsed', 'POST /bodies/echo', { json: { body: '\u0007'.repeat(40) } }, () => streamed(slowBody(10, 4), 'text/plain')), // prettier-ignore
  answers('a body may be read as a stream', 'POST /bodies/count', { json: { bytes: 300_000 } }, typed('application/octet-stream', bytes(300_000))), // prettier-ignore
  answers('a body in pieces may be read as a stream', 'POST /bodies/count', { json: { bytes: 200_000 } }, () =>
    streamed(slowBody(20, 10_000)),
  ),
  {
    title: 'a body may be streamed back',
    async check(client) {
      const response = await client.send('POST /bodies/back', typed('application/octet-stream', bytes(150_000)))
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes(150_000))
    },
  },
  answers('a request may be refused before its body is read', 'POST /bodies/unread', { status: 403, json: { refused: true } }, typed('text/plain', 'x'.repeat(1000))), // prettier-ignore
  answers(
    'a large body may be refused before it is read',
    'POST /bodies/unread',
    { status: 403 },
    typed('text/plain', 'x'.repeat(500_000)),
  ),
  answers('a body in an unknown coding is refused', 'POST /bodies/echo', { status: 415, has: { code: 'ALC_ERR_CTP_UNSUPPORTED_ENCODING' } }, { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' } }), // prettier-ignore
  answers('multipart forms have no parser by default', 'POST /bodies/echo', { status: 415 }, () => ({ body: formData() })),
]

function formData(): FormData {
  const form = new FormData()
  form.set('file', new Blob(['content']), 'a.txt')
  return form
}
