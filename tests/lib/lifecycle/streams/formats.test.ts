/** The choice of a format by the `Accept` header (RFC 9110 §12.5.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseFormat } from '../../../../lib/lifecycle/streams/formats.js'

const chosen: [accept: string | undefined, mediaType: string | undefined][] = [
  [undefined, 'application/jsonl'],
  ['', 'application/jsonl'],
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
  // None is acceptable.
  ['application/json', undefined],
  ['text/html, application/xml', undefined],
  ['*/*;q=0', undefined],
  ['text/event-stream;q=0', undefined],
  // A malformed entry accepts nothing, and the others count.
  ['text/event-stream;q=2', undefined],
  ['text/event-stream;q=', undefined],
  ['event-stream, application/x-ndjson', 'application/x-ndjson'],
  [',,', undefined],
  // In the value of a parameter, a comma and a weight mean nothing.
  ['application/jsonl;x="a,b";q=0.1, text/event-stream;q=0.5', 'text/event-stream'],
  [String.raw`application/jsonl;x="\"\";q=0", text/event-stream;q=0.5`, 'application/jsonl'],
  ['application/jsonl;q=0.1;x="a, text/event-stream', 'application/jsonl'],
]

for (const [accept, mediaType] of chosen) {
  test(`${accept === undefined ? 'no Accept header' : JSON.stringify(accept)} chooses ${mediaType ?? 'none'}`, () => {
    assert.equal(chooseFormat(accept)?.mediaType, mediaType)
  })
}
