import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isJsonType, MediaTypeMap, parseMediaType, readMediaType } from '../../../lib/http/media-type.js'

test('the essence of a media type and the names of its parameters are returned in lower case', () => {
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
  test(`a malformed media type is refused: '${header}'`, () => {
    assert.equal(parseMediaType(header), undefined)
  })
}

test('the essence of a header that is missing, malformed or not a text is undefined', () => {
  assert.equal(readMediaType('Text/HTML; charset=utf-8'), 'text/html')
  for (const header of [undefined, null, 5, ['text/html'], '', 'html']) assert.equal(readMediaType(header), undefined, String(header))
})

test('JSON is application/json and any subtype with the suffix +json', () => {
  for (const essence of ['application/json', 'application/problem+json', 'image/svg+json']) assert.equal(isJsonType(essence), true, essence)
  for (const essence of ['text/json', 'application/jsonp', 'application/json+xml', 'application/x-json', 'application/x-ndjson'])
    assert.equal(isJsonType(essence), false, essence)
})

describe('values by media type', () => {
  const map = (...keys: string[]) => {
    const values = new MediaTypeMap<string>()
    for (const key of keys) values.add(key, key)
    return values
  }

  test('a value declared for the parameters wins over one for the type; order and case of the parameters do not matter', () => {
    const values = map('application/json', 'application/json; v=2; profile=A', 'application/json; v=2')
    assert.equal(values.find('application/json; profile=a; V=2'), 'application/json; v=2; profile=A')
    assert.equal(values.find('application/json; v=2'), 'application/json; v=2')
    assert.equal(values.find('application/json; v=2; charset=utf-8'), 'application/json; v=2')
    assert.equal(values.find('Application/JSON'), 'application/json')
  })

  test('a type with parameters that are not declared gets the least specific value of the type', () => {
    assert.equal(map('application/json; v=1', 'application/json').find('application/json; v=3'), 'application/json')
    assert.equal(map('application/json', 'application/json; v=1').find('application/json; v=3'), 'application/json')
    assert.equal(map('application/json; v=1; w=1', 'application/json; v=2').find('application/json'), 'application/json; v=2')
    assert.equal(map('application/json; v=1').find('application/json'), 'application/json; v=1')
    assert.equal(map('a/b; v=1; w=1', 'a/b', 'a/b; v=2').find('a/b; v=3'), 'a/b')
  })

  test('a type wins over its range, and a range over any type', () => {
    const values = map('*/*', 'text/*', 'text/html')
    assert.equal(values.find('text/html'), 'text/html')
    assert.equal(values.find('text/plain; charset=utf-8'), 'text/*')
    assert.equal(values.find('image/png'), '*/*')
    assert.equal(map('text/*').find('image/png'), undefined)
    assert.equal(map('text/html').find('text/plain'), undefined)
  })

  test('a header that is missing or malformed gets only the value declared for any type', () => {
    for (const header of [undefined, '', 'json']) {
      assert.equal(map('text/html', '*/*').find(header), '*/*')
      assert.equal(map('text/html').find(header), undefined)
    }
  })

  test('a key is new once: the same type with the same parameters is the same key', () => {
    const values = map('application/json; v=1')
    assert.equal(values.add('application/json', 'bare'), true)
    assert.equal(values.add('application/json; v=2', 'second'), true)
    assert.equal(values.add('Application/JSON; V=1', 'again'), false)
    assert.equal(values.add('application/json', 'again'), false)
    assert.equal(values.add('text/html', 'other'), true)
    assert.equal(values.get('application/json; v=1'), 'application/json; v=1')
    assert.equal(values.get('application/json'), 'bare')
    assert.equal(values.get('application/json; v=2'), 'second')
  })

  test('`get` finds only the value that was declared under exactly its key', () => {
    const values = map('application/json; v=1', 'text/*')
    assert.equal(values.get('application/json'), undefined)
    assert.equal(values.get('application/json; v=1; w=1'), undefined)
    assert.equal(values.get('text/html'), undefined)
    assert.equal(values.get('image/png'), undefined)
  })

  test('`replace` changes the value under exactly its key, keeps its place, and adds nothing', () => {
    const values = map('application/json; v=1', 'application/json', 'text/html')
    values.replace('Application/JSON', 'other')
    assert.deepEqual(
      [values.get('application/json'), values.get('application/json; v=1'), values.get('text/html')],
      ['other', 'application/json; v=1', 'text/html'],
    )
    assert.equal(values.find('application/json; v=2'), 'other')
    for (const key of ['application/json; v=2', 'image/png']) {
      values.replace(key, 'never')
      assert.equal(values.get(key), undefined)
    }
    assert.equal(values.first, 'application/json; v=1')
  })

  test('a key that is not a media type is kept by its text, trimmed and in lower case', () => {
    const values = map(' JSON ')
    assert.equal(values.get('json'), ' JSON ')
    assert.equal(values.add('Json', 'again'), false)
  })

  test('the values of all keys are listed', () => {
    assert.deepEqual([...map('text/html', 'application/json; v=1', 'text/html; v=1').values()].sort(), [
      'application/json; v=1',
      'text/html',
      'text/html; v=1',
    ])
    assert.deepEqual([...map().values()], [])
  })

  test('the first value is the first declared, or undefined if there is none', () => {
    assert.equal(map('text/html', 'application/json').first, 'text/html')
    assert.equal(map().first, undefined)
  })
})
