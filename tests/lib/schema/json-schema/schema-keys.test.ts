import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containsKey, extendToShared, findMisspeltKeyword, namesInheritedMember } from '../../../../lib/schema/json-schema/schema-keys.js'

test('a schema that names an inherited member is found at any depth, by key and by text', () => {
  assert.equal(namesInheritedMember({ properties: { constructor: {} } }), true)
  assert.equal(namesInheritedMember({ allOf: [{ required: ['a', 'toString'] }] }), true)
  assert.equal(namesInheritedMember({ type: 'object', properties: { construct: { enum: [1, null] } } }), false)
  assert.equal(namesInheritedMember(true), false)
})

test('shared schemas count for a schema with a $ref only, and are searched once', () => {
  let searches = 0
  const shared = { other: { $id: 'other', not: {} } }
  const containsNot = extendToShared(shared, (schema) => {
    if (schema === shared) searches++
    return containsKey(schema, (key) => key === 'not')
  })
  assert.equal(containsNot({ type: 'string' }), false)
  assert.equal(searches, 0)
  assert.equal(containsNot({ items: { $ref: 'other#' } }), true)
  assert.equal(containsNot({ $ref: 'other#' }), true)
  assert.equal(containsNot({ not: {} }), true)
  assert.equal(searches, 1)
})

test('a misspelt keyword that decides what a serializer writes is found at any depth, but not among names and values', () => {
  const inner = { type: 'object', propertys: {} }
  for (const schema of [inner, { properties: { a: inner } }, { items: [inner] }, { anyOf: [{ not: inner }] }, { $defs: { a: inner } }])
    assert.deepEqual(findMisspeltKeyword(schema), { key: 'propertys', meant: 'properties' })
  const circle: Record<string, unknown> = { type: 'object' }
  circle['items'] = circle
  assert.equal(findMisspeltKeyword(circle), undefined)
  assert.equal(findMisspeltKeyword({ properties: { propertys: {} }, default: inner, example: inner, 'x-item': 1, itemCount: 1 }), undefined)
})
