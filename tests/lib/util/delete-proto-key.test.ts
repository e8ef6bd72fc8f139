import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteProtoKey } from '../../../lib/util/delete-proto-key.js'

const withoutPrototype = (values: object): any => Object.assign(Object.create(null), values)

test('an own `__proto__` key is deleted, so that a copy inherits nothing from it', () => {
  const values = withoutPrototype({ a: 1 })
  values['__proto__'] = { isAdmin: true }
  assert.equal(deleteProtoKey(values), values)
  assert.equal(Object.assign({}, values).isAdmin, undefined)
  assert.deepEqual(values, withoutPrototype({ a: 1 }))

  const parsed = JSON.parse('{"__proto__":{"isAdmin":true},"a":1}')
  assert.deepEqual(Object.keys(deleteProtoKey(parsed) as object), ['a'])
})

test('all other values come back as they are, with their prototypes', () => {
  class Values {}
  const values = new Values()
  assert.equal(deleteProtoKey(values), values)
  assert.equal(Object.getPrototypeOf(values), Values.prototype)
  for (const value of [undefined, null, 1, 'text', {}, []]) assert.equal(deleteProtoKey(value), value)
})
