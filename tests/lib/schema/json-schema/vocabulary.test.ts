import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapSchemas, possibleSchemas, subschemas } from '../../../../lib/schema/json-schema/vocabulary.js'

const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((title) => ({ title }))
const schema = {
  properties: { items: a },
  items: [b, true],
  anyOf: [c],
  not: d,
  required: ['x'],
  default: { title: 'data' },
  custom: { deeper: [e] },
  'x-list': [[f]],
}

test('the schemas within a schema are those of known keywords', () => {
  assert.deepEqual(subschemas(schema), [a, b, true, c, d])
})

test('objects of unknown keywords may be schemas too; data may not', () => {
  assert.deepEqual(possibleSchemas(schema), [a, b, c, d, { deeper: [e] }, f])
})

test('schemas are replaced where they stand, and values by their keyword; the rest stays the same object', () => {
  const mapped = mapSchemas(
    schema,
    (within) => (within === a || within === f ? { title: 'other' } : within),
    (keyword, value) => (keyword === 'maxItems' ? undefined : value),
  )
  assert.deepEqual(mapped, { ...schema, properties: { items: { title: 'other' } }, 'x-list': [[{ title: 'other' }]] })
  assert.equal(mapped.anyOf, schema.anyOf)
  assert.deepEqual(
    mapSchemas(
      { maxItems: 1, minItems: 1 },
      (within) => within,
      (keyword, value) => (keyword === 'maxItems' ? undefined : value),
    ),
    { minItems: 1 },
  )
  assert.equal(
    mapSchemas(schema, (within) => within),
    schema,
  )
})
