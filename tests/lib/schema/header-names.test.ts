import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lowerCaseHeaderSchema } from '../../../lib/schema/header-names.js'

const cases: [title: string, schema: object, shared: Record<string, object>, expected: object][] = [
  [
    'names in properties and required',
    { type: 'object', required: ['X-Key'], properties: { 'X-Key': { type: 'string', const: 'Kept' } } },
    {},
    { type: 'object', required: ['x-key'], properties: { 'x-key': { type: 'string', const: 'Kept' } } },
  ],
  [
    'names in dependencies of every kind',
    { dependencies: { A: ['B'], C: { required: ['D'] } }, dependentRequired: { E: ['F'] }, dependentSchemas: { G: { required: ['H'] } } },
    {},
    { dependencies: { a: ['b'], c: { required: ['d'] } }, dependentRequired: { e: ['f'] }, dependentSchemas: { g: { required: ['h'] } } },
  ],
  ['names that are allowed', { propertyNames: { enum: ['A', 'B'], const: 'C' } }, {}, { propertyNames: { enum: ['a', 'b'], const: 'c' } }],
  [
    'names that alternatives, conditions and references allow or forbid',
    {
      definitions: { own: { const: 'C' } },
      propertyNames: {
        not: { enum: ['A'], anyOf: [{ pattern: '^b' }, { $ref: '#/definitions/own' }, { $ref: 'names#' }] },
        if: { const: 'E' },
        then: { oneOf: [{ const: 'F' }] },
      },
    },
    { names: { $id: 'names', enum: ['D'] } },
    {
      definitions: { own: { const: 'C' } },
      propertyNames: {
        not: { enum: ['a'], anyOf: [{ pattern: '^b' }, { const: 'c' }, { enum: ['d'] }] },
        if: { const: 'e' },
        then: { oneOf: [{ const: 'f' }] },
      },
    },
  ],
  [
    'patterns in lower case, which stay',
    { patternProperties: { '^x-\\D[^a-f]$': {} } },
    {},
    { patternProperties: { '^x-\\D[^a-f]$': {} } },
  ],
  [
    'branches',
    { allOf: [{ required: ['A'] }], if: { required: ['B'] }, then: { required: ['C'] }, else: { not: { required: ['D'] } } },
    {},
    { allOf: [{ required: ['a'] }], if: { required: ['b'] }, then: { required: ['c'] }, else: { not: { required: ['d'] } } },
  ],
  ['a shared schema behind a reference', { $ref: 'auth#' }, { auth: { $id: 'auth', required: ['X-A'] } }, { required: ['x-a'] }],
  [
    'what a pointer within the schema leads to',
    { allOf: [{ $ref: '#/definitions/One~1Two' }], definitions: { 'One/Two': { required: ['A'] } } },
    {},
    { allOf: [{ required: ['a'] }], definitions: { 'One/Two': { required: ['A'] } } },
  ],
  [
    'names that match a pattern; names that are not strings are left as they are',
    { propertyNames: { pattern: '^x-', enum: ['A', 7], const: 7 } },
    {},
    { propertyNames: { pattern: '^x-', enum: ['a', 7], const: 7 } },
  ],
  [
    'what a reference without # to a shared schema leads to',
    { $ref: 'auth' },
    { auth: { $id: 'auth', required: ['A'] } },
    { required: ['a'] },
  ],
  [
    'what an id within a shared schema leads to, and what that refers to in turn',
    { $ref: 'auth#key' },
    {
      auth: {
        $id: 'auth',
        definitions: {
          name: { $id: '#name', type: 'string' },
          list: [
            {
              $id: '#key',
              required: ['A'],
              properties: { A: { $ref: '#/definitions/name' }, B: { enum: [{ $ref: 7 }] }, C: { $ref: 'other#' } },
            },
          ],
        },
      },
    },
    { required: ['a'], properties: { a: { $ref: 'auth#/definitions/name' }, b: { enum: [{ $ref: 7 }] }, c: { $ref: 'other#' } } },
  ],
  ...['auth#nothing', 'auth#/definitions/nothing', 'auth#/definitions/text/deeper'].map(($ref): (typeof cases)[number] => [
    `a reference that leads nowhere within a shared schema is left as it is: ${$ref}`,
    { $ref },
    { auth: { $id: 'auth', definitions: { text: 'x', none: null } } },
    { $ref },
  ]),
  ['a reference that leads nowhere is left as it is', { $ref: 'unknown#' }, {}, { $ref: 'unknown#' }],
]
for (const [title, schema, shared, expected] of cases) {
  test(`a header schema is brought to lower case: ${title}`, () => {
    const before = JSON.stringify([schema, shared])
    assert.deepEqual(
      lowerCaseHeaderSchema(schema, shared, () => {}),
      expected,
    )
    assert.equal(JSON.stringify([schema, shared]), before, 'what was given is not changed')
  })
}

test('a circular reference does not run forever', () => {
  const schema = { $id: 'loop', required: ['A'], allOf: [{ $ref: 'loop#' }] }
  assert.deepEqual(lowerCaseHeaderSchema(schema, { loop: schema }, () => {}).required, ['a'])
})
