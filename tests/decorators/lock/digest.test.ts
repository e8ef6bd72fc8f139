/** The digests of schemas in alcove.lock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Digests } from '../../../decorators/lock/digest.js'

const none = new Digests({})

test('the order of keys, of required names and of enum values does not change a digest', () => {
  const one = { type: 'object', required: ['a', 'b'], properties: { a: { enum: [1, 'x', null] }, b: {} } }
  const other = { properties: { b: {}, a: { enum: ['x', null, 1] } }, required: ['b', 'a'], type: 'object' }
  assert.equal(none.of({ body: one }), none.of({ body: other }))
})

test('the order of types changes a digest, because a reply writes a list as a text if the type string comes first', () => {
  assert.notEqual(none.of({ 200: { type: ['array', 'string'] } }), none.of({ 200: { type: ['string', 'array'] } }))
})

test('texts for readers do not change a digest, but a property of such a name does', () => {
  const plain = { type: 'object', properties: { a: { type: 'string' } } }
  const described = { title: 'T', description: 'D', ...plain, properties: { a: { type: 'string', description: 'x', examples: ['y'] } } }
  assert.equal(none.of({ body: described }), none.of({ body: plain }))
  const further = { ...plain, properties: { ...plain.properties, description: { type: 'string' } } }
  assert.notEqual(none.of({ body: further }), none.of({ body: plain }))
  assert.notEqual(none.of({ body: { const: { title: 'a' } } }), none.of({ body: { const: { title: 'b' } } }))
})

test('every change of what is accepted changes the digest', () => {
  const schemas = [
    {},
    true,
    false,
    { type: 'string' },
    { type: 'string', minLength: 1 },
    { type: 'string', minLength: 2 },
    { type: 'object', properties: { a: {} } },
    { type: 'object', properties: { a: {} }, required: ['a'] },
    { type: 'object', properties: { a: {} }, additionalProperties: false },
    { items: [{ type: 'string' }, { type: 'number' }] },
    { items: [{ type: 'number' }, { type: 'string' }] },
    { default: 1 },
    { $ref: '#/definitions/a', definitions: { a: {} } },
    { 'x-mine': 1 },
  ]
  const digests = schemas.map((schema) => none.of({ body: schema }))
  assert.equal(new Set(digests).size, schemas.length)
  for (const digest of digests) assert.match(digest, /^[0-9a-f]{12}$/)
})

test('the name and the media type of a schema belong to the digest', () => {
  assert.notEqual(none.of({ 'application/json': {} }), none.of({ 'text/plain': {} }))
})

test('a change of a shared schema changes the digest of each schema that refers to it, also through another one and in a circle', () => {
  const shared = (limit: number) => ({
    List: { $id: 'List', type: 'array', items: { $ref: 'Note#' } },
    Note: { $id: 'Note', type: 'object', properties: { text: { maxLength: limit }, next: { $ref: 'Note#' } } },
    Other: { $id: 'Other', type: 'object', properties: { limit: { maximum: limit } } },
  })
  const digestOf = (limit: number): string => new Digests(shared(limit)).of({ body: { $ref: 'List#' } })
  assert.equal(digestOf(1), digestOf(1))
  assert.notEqual(digestOf(1), digestOf(2))
  const apart = (limit: number): string => new Digests({ ...shared(1), Other: shared(limit).Other }).of({ body: { $ref: 'List#' } })
  assert.equal(apart(1), apart(2))
})

test('a digest is the same in every version of Node', () => {
  assert.equal(none.of({ body: { type: 'object', properties: { 2: {}, 10: {}, b: { type: 'number', minimum: 0.1 } } } }), '99836ebf33a2')
})
