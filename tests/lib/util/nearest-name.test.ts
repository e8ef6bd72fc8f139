import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertKnownOptions, nearestName } from '../../../lib/util/nearest-name.js'

const known = ['bodyLimit', 'name', 'onRequest']

test('the nearest name is the known one with the fewest differences, in any case of letters', () => {
  assert.equal(nearestName('bodylimit', known), 'bodyLimit')
  assert.equal(nearestName('nme', known), 'name')
  assert.equal(nearestName('onRequst', known), 'onRequest')
})

test('a name without a similar one has no nearest name', () => {
  assert.equal(nearestName('colour', known), undefined)
  assert.equal(nearestName('anything', []), undefined)
  for (const short of ['', 'x', 'ab']) assert.equal(nearestName(short, ['_', 'cd']), undefined, 'a name that differs in all characters')
})

test('the number of differences may be limited', () => {
  assert.equal(nearestName('nae', known, 1), 'name')
  assert.equal(nearestName('na', known, 1), undefined)
})

test('a value that is not an object of options is refused with the names of the options', () => {
  for (const options of [null, undefined, 'text'])
    assert.throws(() => assertKnownOptions('tea(…)', options as never, ['sugar'] as never), {
      message: 'tea(…) takes an object of options. Its options are: sugar.',
    })
})
