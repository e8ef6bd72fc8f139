import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followPointer, makeReferencesAbsolute, resolveReference, splitReference } from '../../../../lib/schema/json-schema/references.js'

test('a reference is split at its first #', () => {
  assert.deepEqual(splitReference('id'), { id: 'id', fragment: '' })
  assert.deepEqual(splitReference('id#'), { id: 'id', fragment: '' })
  assert.deepEqual(splitReference('#/a'), { id: '', fragment: '/a' })
  assert.deepEqual(splitReference('id#/a#b'), { id: 'id', fragment: '/a#b' })
})

test('a pointer returns every value on its way, and nothing if it leads nowhere', () => {
  const document = { definitions: { 'a/b~c': [{ type: 'string' }], 'a b': true } }
  assert.deepEqual(followPointer(document, ''), [document])
  assert.deepEqual(followPointer(document, '/definitions/a~1b~0c/0'), [
    document,
    document.definitions,
    document.definitions['a/b~c'],
    { type: 'string' },
  ])
  assert.equal(followPointer(document, '/definitions/a%20b')?.at(-1), true)
  for (const pointer of ['/missing', '/definitions/a b/deeper', '/definitions/toString'])
    assert.equal(followPointer(document, pointer), undefined, pointer)
})

test('a reference leads into its own document or into a shared schema, by pointer or by $id', () => {
  const part = { $id: '#part', type: 'integer' }
  const document = { $id: 'own', properties: { a: part } }
  const shared = { other: { $id: 'other', definitions: { b: { type: 'string' } } } }
  const own = (schema: unknown) => ({ schema, document })
  assert.deepEqual(resolveReference('#', document, shared), own(document))
  assert.deepEqual(resolveReference('own', document, shared), own(document))
  assert.deepEqual(resolveReference('#/properties/a', document, shared), own(part))
  assert.deepEqual(resolveReference('#part', document, shared), own(part))
  assert.deepEqual(resolveReference('other#/definitions/b', document, shared), { schema: { type: 'string' }, document: shared.other })
  for (const reference of ['unknown', '#/missing', '#missing', 'toString'])
    assert.equal(resolveReference(reference, document, shared), undefined, reference)
})

test('references of a schema that is taken out of its document get the id of the document', () => {
  const schema = { anyOf: [{ $ref: '#/definitions/a' }, { $ref: 'other#' }], default: null }
  assert.deepEqual(makeReferencesAbsolute(schema, { $id: 'own' }), {
    anyOf: [{ $ref: 'own#/definitions/a' }, { $ref: 'other#' }],
    default: null,
  })
})
