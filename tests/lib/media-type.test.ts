import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJson, parseMediaType } from '../../lib/media-type.js'

test('a media type is read in one way: essence and names of parameters in lower case', () => {
  assert.deepEqual(
    {
      ...parseMediaType('Application/JSON; Charset="UTF-8"'),
      parameters: { ...parseMediaType('Application/JSON; Charset="UTF-8"')!.parameters },
    },
    { essence: 'application/json', parameters: { charset: 'UTF-8' } },
  )
})

for (const header of [
  '',
  'json',
  'application/',
  '/json',
  'application/json;charset',
  'text/plain, application/json',
  'application/json x',
]) {
  test(`what is no media type is read as none: '${header}'`, () => {
    assert.equal(parseMediaType(header), undefined)
  })
}

test('JSON is application/json and whatever has the suffix +json', () => {
  for (const essence of ['application/json', 'application/problem+json', 'image/svg+json']) assert.equal(isJson(essence), true, essence)
  for (const essence of ['text/json', 'application/jsonp', 'application/json+xml', 'application/x-json'])
    assert.equal(isJson(essence), false, essence)
})
