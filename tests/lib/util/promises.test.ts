import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNotPromise, ignoreRejection, isAsyncFunction, isPromiseLike } from '../../../lib/util/promises.js'

test('a value is like a promise if it has a function `then`', () => {
  for (const value of [Promise.resolve(), { then() {} }, Object.assign(() => {}, { then() {} })]) assert.equal(isPromiseLike(value), true)
  for (const value of [undefined, null, 0, '', 'then', {}, { then: true }, () => {}]) assert.equal(isPromiseLike(value), false)
})

test('a promise whose rejection is ignored does not end the process', async () => {
  ignoreRejection(Promise.reject(new Error('ignored')))
  await new Promise((resolve) => setImmediate(resolve))
})

test('ignoring the rejection of any other value does nothing, even if its `then` throws', () => {
  const throwing = {
    get then() {
      throw new Error('no')
    },
  }
  for (const value of [undefined, null, 1, 'text', {}, throwing]) ignoreRejection(value)
})

test('only functions that are declared as async are async functions', () => {
  assert.equal(
    isAsyncFunction(async () => {}),
    true,
  )
  for (const value of [() => Promise.resolve(), class {}, undefined, null, {}]) assert.equal(isAsyncFunction(value), false)
})

test('a value that is not a promise is returned, and a promise is refused with the name of its function', async () => {
  for (const value of [undefined, null, 1, 'text', assert]) assert.equal(assertNotPromise(value, 'parse'), value)
  assert.throws(() => assertNotPromise(Promise.reject(new Error('handled')), 'parse'), new TypeError('parse must not be asynchronous'))
  await new Promise((resolve) => setImmediate(resolve))
})
