import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shorten } from '../../../lib/util/shorten.js'

test('a text of 200 characters stays as it is', () => {
  assert.equal(shorten('x'.repeat(200)), 'x'.repeat(200))
  assert.equal(shorten('text/csv'), 'text/csv')
})

test('a longer text is replaced by its beginning and its length', () => {
  assert.equal(shorten('x'.repeat(15_000)), `${'x'.repeat(200)}… (15000 characters)`)
  assert.equal(shorten('abcdef', 3), 'abc… (6 characters)')
})

test('a value that is not a text is written as one', () => {
  assert.equal(shorten(undefined), 'undefined')
})
