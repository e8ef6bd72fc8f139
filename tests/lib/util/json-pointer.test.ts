/** JSON Pointer (RFC 6901): the examples of its §5. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOfStep, toPointer } from '../../../lib/util/json-pointer.js'

test('a pointer escapes tildes and slashes in names, and its steps are read as the names', () => {
  const path = ['foo', 0, 'a/b', 'm~n', '~1', '']
  const pointer = toPointer(path)
  assert.equal(pointer, '/foo/0/a~1b/m~0n/~01/')
  assert.deepEqual(pointer.split('/').slice(1).map(nameOfStep), path.map(String))
})

test('the pointer of the whole document is empty', () => {
  assert.equal(toPointer([]), '')
})
