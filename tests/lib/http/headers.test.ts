import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRepeated, isValidHost, validateHeader, validateHeaders } from '../../../lib/http/headers.js'

for (const host of [
  '',
  'a',
  'example.com',
  'example.com:8080',
  'example.com:',
  'a_b~c',
  '%41.example',
  '127.0.0.1:80',
  '[::1]',
  '[::1]:65535',
]) {
  test(`a valid host: '${host}'`, () => {
    assert.equal(isValidHost(host), true)
    assert.equal(isValidHost(host), true, 'asked again')
    assert.equal(isValidHost('other.example'), true)
    assert.equal(isValidHost(host), true, 'asked after another one')
  })
}

for (const host of [
  'a b',
  'a/b',
  'a@b',
  'a:b',
  'a:65536',
  'a:1:2',
  '::1',
  '[::1',
  '[::g]',
  '[1.2.3.4]',
  '[::1]a',
  'a?',
  'a#',
  '%4',
  'a\tb',
  ':80',
]) {
  test(`an invalid host: '${host}'`, () => {
    assert.equal(isValidHost('example.com'), true)
    assert.equal(isValidHost(host), false)
    assert.equal(isValidHost(host), false, 'asked again')
  })
}

test('a header is repeated if its name was sent twice, in whatever case', () => {
  assert.equal(isRepeated(['Host', 'a', 'Accept', '*/*', 'hOST', 'b'], 'host'), true)
  assert.equal(isRepeated(['Host', 'a', 'Hosts', 'b'], 'host'), false)
  assert.equal(isRepeated(['Host', 'a', 'Date', 'b'], 'host'), false)
  assert.equal(isRepeated([], 'host'), false)
})

test('a value that reads like the name of a header is not one', () => {
  assert.equal(isRepeated(['Host', 'a', 'X-Name', 'host'], 'host'), false)
})

test('a host that was valid does not make another one valid', () => {
  assert.equal(isValidHost('example.com'), true)
  assert.equal(isValidHost('example.com:x'), false)
  assert.equal(isValidHost('example.com'), true)
})

test('a header is refused with a line break in its name or its value', () => {
  validateHeader('x-own', 'fine')
  validateHeaders({ 'x-own': 'fine', 'x-list': ['a', 'b'] })
  for (const [name, value, code] of [
    ['x-own', 'a\r\nb: c', 'ERR_INVALID_CHAR'],
    ['x-own\r\n', 'a', 'ERR_INVALID_HTTP_TOKEN'],
  ] as const) {
    assert.throws(() => validateHeader(name, value), { code })
    assert.throws(() => validateHeaders({ 'x-fine': 'a', [name]: value }), { code })
  }
})
