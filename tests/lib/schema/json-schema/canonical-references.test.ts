import assert from 'node:assert/strict'
import { test } from 'node:test'
import { References } from '../../../../lib/schema/json-schema/canonical-references.js'

const integer = { type: 'integer' }

for (const [title, schema] of [
  ['no references', { properties: { a: integer } }],
  ['references that lead nowhere', { properties: { a: { $ref: 'nowhere#' }, b: { $ref: '#/%E0%A4%A' }, c: { $ref: '#none' } } }],
  [
    'references in the canonical form',
    {
      $id: 'own',
      definitions: { d: integer, e: { $id: '#e', ...integer } },
      allOf: ['#', '#/definitions/d', '#e', 'own', 'own#', 'own#/definitions/d', 'shared', 'shared#', 'shared#e'].map(($ref) => ({ $ref })),
    },
  ],
  [
    'data and properties that look like references',
    { enum: [{ $ref: '#/a%20b' }], properties: { $ref: integer, $id: integer }, 'a b': {} },
  ],
] as const) {
  test(`a schema stays the same object if it has ${title}`, () => {
    const shared = { shared: { $id: 'shared', definitions: { e: { $id: '#e', ...integer } } } }
    const references = new References(shared)
    assert.equal(references.canonical(schema), schema)
    assert.equal(references.shared['shared'], shared.shared)
  })
}

const shared = {
  'http://example.com/': { $id: 'http://example.com/', definitions: { a: integer } },
  'http://h/b.json#': { $id: 'http://h/b.json#', definitions: { 'x y': integer, self: { $ref: 'b.json#/definitions/self' } } },
  'http://host': { $id: 'http://host', definitions: { inner: { $id: 'inner.json', ...integer } } },
  plain: { $id: 'plain', definitions: { 'c/d': { anyOf: [{ $ref: '#/definitions/c~1d' }, { $ref: '#/definitions/e' }] }, e: integer } },
}
const cases: [title: string, schema: object, expected: object][] = [
  [
    'the id is written as the shared schema writes it',
    { $ref: 'http://example.com#/definitions/a' },
    { $ref: 'http://example.com/#/definitions/a' },
  ],
  ['an id loses its trailing #', { $id: 'own#', $ref: 'http://h/b.json#' }, { $id: 'own', $ref: 'http://h/b.json#' }],
  [
    'a schema behind an escaped pointer is copied',
    { properties: { p: { $ref: 'http://h/b.json#/definitions/x%20y' }, q: { $ref: 'http://h/b.json#/definitions/x%20y' } } },
    { properties: { p: { $ref: '#/definitions/alcove-1' }, q: { $ref: '#/definitions/alcove-1' } }, definitions: { 'alcove-1': integer } },
  ],
  [
    'a copy may refer to itself and to its former document',
    { $ref: 'plain#/definitions/c~1d', definitions: { 'alcove-1': true } },
    {
      $ref: '#/definitions/alcove-2',
      definitions: { 'alcove-1': true, 'alcove-2': { anyOf: [{ $ref: '#/definitions/alcove-2' }, { $ref: 'plain#/definitions/e' }] } },
    },
  ],
  [
    'a schema with an $id is copied if ajv cannot find it, because the $id around it is a URL without a path',
    { $ref: 'http://host/inner.json' },
    { $ref: '#/definitions/alcove-1', definitions: { 'alcove-1': integer } },
  ],
  [
    'a plain id is copied into a schema whose $id is a URL',
    { $id: 'http://h/c.json', $ref: 'plain#/definitions/e' },
    { $id: 'http://h/c.json', $ref: '#/definitions/alcove-1', definitions: { 'alcove-1': integer } },
  ],
  [
    'an inner $id becomes absolute, and # inside of it means that schema',
    {
      $id: 'http://h/c.json',
      not: { $ref: 'inner' },
      definitions: { i: { $id: 'inner', items: { $ref: '#/definitions/z' }, definitions: { z: integer } } },
    },
    {
      $id: 'http://h/c.json',
      not: { $ref: 'http://h/inner#' },
      definitions: { i: { $id: 'http://h/inner', items: { $ref: '#/definitions/z' }, definitions: { z: integer } } },
    },
  ],
  [
    'a pointer into a schema with an $id of its own starts there',
    { definitions: { i: { $id: 'inner', definitions: { z: integer } } }, $ref: '#/definitions/i/definitions/z' },
    { definitions: { i: { $id: 'inner', definitions: { z: integer } } }, $ref: 'inner#/definitions/z' },
  ],
  [
    'an $anchor, which only one engine knows, is replaced by a pointer',
    { definitions: { i: { $anchor: 'here', ...integer } }, $ref: '#here' },
    { definitions: { i: { $anchor: 'here', ...integer } }, $ref: '#/definitions/i' },
  ],
]
for (const [title, schema, expected] of cases) {
  test(title, () => {
    const before = JSON.stringify([schema, shared])
    const references = new References(shared)
    const canonical: unknown = references.canonical(schema)
    assert.deepEqual(canonical, expected)
    assert.equal(references.canonical(canonical), canonical, 'a canonical schema stays as it is')
    assert.equal(JSON.stringify([schema, shared]), before, 'the given schemas are not changed')
  })
}

test('shared schemas are canonical too, under an id without a trailing #', () => {
  assert.deepEqual(new References(shared).shared['http://h/b.json'], {
    $id: 'http://h/b.json',
    definitions: { 'x y': integer, self: { $ref: '#/definitions/self' } },
  })
  assert.deepEqual(Object.keys(new References({ a: { $id: 'a' }, 'a#': { $id: 'a#' } }).shared), ['a', 'a#'], 'ajv refuses both together')
})
