/** A cache whose keys clients choose. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from '../../../lib/util/bounded-map.js'

test('it keeps as many entries as it was made for, and drops the oldest first', () => {
  const map = new BoundedMap<number>(2)
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 1, 2])
  map.clear()
  assert.equal(map.get('c'), undefined)
})

test('an entry with a long key is not kept', () => {
  const map = new BoundedMap<number>(2)
  const [long, short] = ['x'.repeat(257), 'x'.repeat(256)]
  map.set(long, 1)
  map.set(short, 2)
  assert.deepEqual([map.get(long), map.get(short)], [undefined, 2])
})
