/** The serializers of a route by status and media type. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ResponseSerializers } from '../../../lib/schema/serialize-response.js'

const named = (name: string) => () => name

function serializersOf(...entries: [status: string, contentType: string | undefined][]): ResponseSerializers {
  const serializers = new ResponseSerializers(() => {})
  for (const [status, contentType] of entries) serializers.add(status, contentType, named([status, contentType].filter(Boolean).join(' ')))
  return serializers
}

describe('the serializer of a reply', () => {
  test('is that of its exact status, else of its range, else the default', () => {
    const serializers = serializersOf(['200', undefined], ['2xx', undefined], ['default', undefined])
    // Twice, because the result for a status is kept.
    for (let times = 0; times < 2; times++)
      for (const [status, name] of Object.entries({ 200: '200', 201: '2xx', 299: '2xx', 404: 'default' }))
        assert.equal(serializers.find(Number(status), undefined)!({}), name)
  })

  test('is undefined if the first matching status has none for the media type', () => {
    const serializers = serializersOf(['200', 'text/csv'], ['2xx', undefined])
    assert.equal(serializers.find(200, 'text/csv')!({}), '200 text/csv')
    assert.equal(serializers.find(200, 'text/plain'), undefined)
    assert.equal(serializers.find(201, 'text/plain')!({}), '2xx')
    assert.equal(serializers.find(404, 'text/plain'), undefined)
    assert.deepEqual(
      [
        serializers.findInContent(200, 'text/csv') !== undefined,
        serializers.findInContent(200, 'a/b') !== undefined,
        serializers.findInContent(201, 'text/csv') !== undefined,
      ],
      [true, false, false],
    )
  })
})

test('a second serializer for the same status and media type is refused', () => {
  assert.throws(() => serializersOf(['200', 'text/csv'], ['200', 'text/csv']), {
    code: 'ALC_ERR_SCH_DUPLICATE',
    message: /response 200 text\/csv/,
  })
})

test('declared serializers are found only under exactly their key', () => {
  const serializers = serializersOf(['2xx', undefined], ['default', 'text/csv'])
  assert.equal(serializers.declared('2XX', undefined)!({}), '2xx')
  assert.equal(serializers.declared('default', 'text/csv')!({}), 'default text/csv')
  assert.deepEqual([serializers.declared('200', undefined), serializers.declared('default', undefined)], [undefined, undefined])
})
