/** Lists of entity tags (RFC 9110 §8.8.3), and versions in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEntityTags } from 'alcove/conditional'
import { opaqueOf, versionOf } from '../../../decorators/conditional/entity-tags.js'

const strong = (opaque: string) => ({ isWeak: false, opaque })
const weak = (opaque: string) => ({ isWeak: true, opaque })

test('a list has strong and weak tags, empty tags, commas in tags, and empty elements', () => {
  for (const [text, tags] of [
    ['"1"', [strong('1')]],
    ['W/"1"', [weak('1')]],
    ['"a", W/"b" ,"c"', [strong('a'), weak('b'), strong('c')]],
    ['""', [strong('')]],
    ['"a,b"', [strong('a,b')]],
    [', "a",, \t"b" ,', [strong('a'), strong('b')]],
    ['"\x80\xff!#"', [strong('\x80\xff!#')]],
  ] as const)
    assert.deepEqual(readEntityTags(text), tags, text)
})

test('an asterisk by itself is any version', () => {
  for (const text of ['*', ' * ']) assert.equal(readEntityTags(text), '*')
})

test('anything else is no list', () => {
  for (const text of [
    '',
    ' ',
    ',',
    '1',
    "'1'",
    '"1',
    '1"',
    '"a" "b"',
    '"a";x',
    'w/"1"',
    'W/ "1"',
    'W"1"',
    '*, "1"',
    '"1", *',
    '"a b"',
    '"a"b"',
    '"\x7f"',
    '"\u0100"',
  ])
    assert.equal(readEntityTags(text), undefined, text)
})

test('a long list is read in time that grows with its length', () => {
  const began = performance.now()
  for (const text of [' '.repeat(100_000), ','.repeat(100_000), '"a" '.repeat(25_000), `"${'a'.repeat(100_000)}`]) readEntityTags(text)
  assert.ok(performance.now() - began < 500)
})

test('each version has one text without characters that a tag cannot have, and only this text reads as the version', () => {
  for (const version of [0, 3, -7, Number.MAX_SAFE_INTEGER]) assert.equal(versionOf(opaqueOf(version), 'integer'), version)
  for (const version of ['', 'a', '2026-01-01T00:00:00.000Z', 'a"b', '50%', 'é 😀', 'W/"1"', '\n']) {
    const opaque = opaqueOf(version)
    assert.match(opaque, /^[\x21\x23-\x7e]*$/)
    assert.equal(versionOf(opaque, 'string'), version)
  }
  for (const opaque of ['01', '1.0', '1e3', '+1', '', ' 1', '-0', '9007199254740993', '0x1'])
    assert.equal(versionOf(opaque, 'integer'), undefined, opaque)
  for (const opaque of ['%61', '%2', '%zz', '%C3', '%c3%a9', 'é']) assert.equal(versionOf(opaque, 'string'), undefined, opaque)
})
