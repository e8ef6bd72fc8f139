import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRepeated, isValidHost } from '../../../lib/http/headers.js'

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
  assert.equal(isRepeated([], 'host'), false)
})

test('a value that reads like the name of a header is not one', () => {
  assert.equal(isRepeated(['Host', 'a', 'X-Name', 'host'], 'host'), false)
})
