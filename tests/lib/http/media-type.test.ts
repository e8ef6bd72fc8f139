import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isJson, MediaTypeMap, parseMediaType } from '../../../lib/http/media-type.js'

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

describe('values by media type', () => {
  const map = (...keys: string[]) => {
    const values = new MediaTypeMap<string>()
    for (const key of keys) values.add(key, key)
    return values
  }

  test('the value declared for the parameters goes before that for the type, whatever their order and case', () => {
    const values = map('application/json', 'application/json; v=2; profile=A', 'application/json; v=2')
    assert.equal(values.find('application/json; profile=a; V=2'), 'application/json; v=2; profile=A')
    assert.equal(values.find('application/json; v=2'), 'application/json; v=2')
    assert.equal(values.find('application/json; v=2; charset=utf-8'), 'application/json; v=2')
    assert.equal(values.find('Application/JSON'), 'application/json')
  })

  test('parameters that are not declared are still the same type, and get the least demanding value', () => {
    assert.equal(map('application/json; v=1', 'application/json').find('application/json; v=3'), 'application/json')
    assert.equal(map('application/json', 'application/json; v=1').find('application/json; v=3'), 'application/json')
    assert.equal(map('application/json; v=1; w=1', 'application/json; v=2').find('application/json'), 'application/json; v=2')
  })

  test('a type goes before its range, and a range before any type', () => {
    const values = map('*/*', 'text/*', 'text/html')
    assert.equal(values.find('text/html'), 'text/html')
    assert.equal(values.find('text/plain; charset=utf-8'), 'text/*')
    assert.equal(values.find('image/png'), '*/*')
    assert.equal(map('text/*').find('image/png'), undefined)
    assert.equal(map('text/html').find('text/plain'), undefined)
  })

  test('a header that is missing or malformed finds what is declared for any type, and nothing else', () => {
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

  test('by key, only what is declared under exactly that key is found', () => {
    const values = map('application/json; v=1', 'text/*')
    assert.equal(values.get('application/json'), undefined)
    assert.equal(values.get('application/json; v=1; w=1'), undefined)
    assert.equal(values.get('text/html'), undefined)
    assert.equal(values.get('image/png'), undefined)
  })

  test('a value gives way to another under exactly its key, in its place, and nothing is added by that', () => {
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

  test('a key that is no media type is kept by its text, without spaces around it and in lower case', () => {
    const values = map(' JSON ')
    assert.equal(values.get('json'), ' JSON ')
    assert.equal(values.add('Json', 'again'), false)
  })

  test('the first value is the first declared, and none where none is', () => {
    assert.equal(map('text/html', 'application/json').first, 'text/html')
    assert.equal(map().first, undefined)
  })
})
