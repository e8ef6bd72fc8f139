/** Headers for HTTP/2, and responses that are cut off. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { abortResponse, connectionHeaders, prepareHttp2Headers } from '../../../lib/http/response.js'

describe('headers for HTTP/2', () => {
  test('lose those that describe the connection, and keep all others', () => {
    const headers = { ...Object.fromEntries(connectionHeaders.map((name) => [name, 'x'])), 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] }
    prepareHttp2Headers(headers)
    assert.deepEqual(headers, { 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] })
  })

  for (const [title, headers, code] of [
    ['a line break in a value', { 'x-own': 'a\r\nset-cookie: b' }, 'ERR_INVALID_CHAR'],
    ['a line break in a name', { 'x-own\r\n': 'a' }, 'ERR_INVALID_HTTP_TOKEN'],
  ] as const) {
    test(`are refused with ${title}`, () => {
      assert.throws(() => prepareHttp2Headers(headers), { code })
    })
  }
})

test('a response is cut off by its socket over HTTP/1, and by an error code of its stream over HTTP/2', () => {
  const calls: unknown[] = []
  abortResponse({ destroy: () => calls.push('destroy') } as never)
  abortResponse({
    destroy: () => assert.fail('it would end as if complete'),
    stream: { close: (code: number) => calls.push(code) },
  } as never)
  assert.deepEqual(calls, ['destroy', 2])
})
