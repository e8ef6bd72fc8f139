/** The choice of a format by the `Accept` header (RFC 9110 §12.5.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseFormat, streamMediaTypes } from '../../../../lib/lifecycle/streams/formats.js'

const chosen: [accept: string | undefined, mediaType: string | undefined][] = [
  [undefined, 'application/jsonl'],
  ['', 'application/jsonl'],
  ['  ', 'application/jsonl'],
  ['*/*', 'application/jsonl'],
  ['text/event-stream', 'text/event-stream'],
  ['Text/Event-Stream', 'text/event-stream'],
  ['text/*', 'text/event-stream'],
  ['application/*', 'application/jsonl'],
  ['application/jsonl', 'application/jsonl'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/event-stream;charset=utf-8', 'text/event-stream'],
  // The type that is named is preferred to those that are accepted too.
  ['text/event-stream, */*', 'text/event-stream'],
  ['application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
  ['application/json, text/plain, */*', 'application/jsonl'],
  ['application/jsonl;q=0.5, text/event-stream;q=0.9', 'text/event-stream'],
  ['application/jsonl;q=0.9, text/event-stream;q=0.5', 'application/jsonl'],
  ['*/*, application/jsonl;q=0', 'text/event-stream'],
  ['text/*;q=0.1, text/event-stream;q=0, */*;q=0.01', 'application/jsonl'],
  // Spaces around a parameter, its case, and the parameters beside the weight mean nothing.
  ['application/jsonl ; q=0.1 , text/event-stream;Q=0.5;x=1', 'text/event-stream'],
  ['text/event-stream; q=0', undefined],
  ['text/event-stream;x=1;q=0', undefined],
  ['text/event-stream;xq=0', 'text/event-stream'],
  // A weight has three digits at most (RFC 9110 §12.4.2).
  ['application/jsonl;q=0.123, text/event-stream;q=0.124', 'text/event-stream'],
  ['application/jsonl;q=0.5 , text/event-stream;q=1.000 ', 'text/event-stream'],
  ['application/jsonl;q=0.999, text/event-stream;q=1.', 'text/event-stream'],
  ['application/jsonl;q=0., text/event-stream;q=0.001', 'text/event-stream'],
  // None is acceptable.
  ['application/json', undefined],
  ['text/html, application/xml', undefined],
  ['*/*;q=0', undefined],
  ['text/event-stream;q=0', undefined],
  // A malformed entry accepts nothing, and the others count.
  ['text/event-stream;q=2', undefined],
  ['text/event-stream;q=', undefined],
  ['text/event-stream;q=0.1234', undefined],
  ['text/event-stream;q=1.0000', undefined],
  ['text/event-stream;q=1.5', undefined],
  ['text/event-stream;q=10', undefined],
  ['text/event-stream;q=0.5x', undefined],
  ['text/event-stream;q=x0.5', undefined],
  ['text/event-stream;q=0x5', undefined],
  ['text/event-stream x', undefined],
  ['x text/event-stream', undefined],
  ['text/event-stream/x', undefined],
  ['event-stream, application/x-ndjson', 'application/x-ndjson'],
  [',,', undefined],
  // In the value of a parameter, a comma and a weight mean nothing.
  ['application/jsonl;x="a,b";q=0.1, text/event-stream;q=0.5', 'text/event-stream'],
  [String.raw`application/jsonl;x="\"\";q=0", text/event-stream;q=0.5`, 'application/jsonl'],
  ['application/jsonl;q=0.1;x="a, text/event-stream', 'application/jsonl'],
  ['application/jsonl;q=0.1;x="a, text/event-stream;y=\\', 'application/jsonl'],
  ['"x"text/event-stream', undefined],
]

for (const [accept, mediaType] of chosen) {
  test(`${accept === undefined ? 'no Accept header' : JSON.stringify(accept)} chooses ${mediaType ?? 'none'}`, () => {
    assert.equal(chooseFormat(accept)?.mediaType, mediaType)
  })
}

test('the formats are listed, that of JSON Lines first', () => {
  assert.deepEqual(streamMediaTypes, ['application/jsonl', 'text/event-stream', 'application/x-ndjson'])
})

test('an item is a line of JSON Lines without the fields of an event, or an event with them; only events can be resumed', () => {
  for (const mediaType of streamMediaTypes) {
    const { frame, heartbeat, isResumable } = chooseFormat(mediaType)!
    assert.deepEqual(
      [frame('{"n":1}', 'id: 7\n'), heartbeat, isResumable],
      mediaType === 'text/event-stream' ? ['id: 7\ndata: {"n":1}\n\n', ':\n\n', true] : ['{"n":1}\n', '\n', false],
    )
  }
})
