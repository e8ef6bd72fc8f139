import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fitting } from '../../../../decorators/tools/values/fitting.js'
import { textMatching } from '../../../../decorators/tools/values/pattern-text.js'
import { Random } from '../../../../decorators/tools/values/random.js'
import { createDocumentValidator } from '../../../../lib/internal.js'

const components = {
  Tree: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
  },
  Named: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 2 } } },
}
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const schemas: Readonly<Record<string, object>> = {
  texts: { type: 'string', minLength: 3, maxLength: 5 },
  'texts without a character': { type: 'string', maxLength: 0 },
  formats: {
    type: 'array',
    items: { anyOf: ['date', 'date-time', 'uuid', 'ipv4', 'ipv6', 'email', 'uri'].map((format) => ({ type: 'string', format })) },
  },
  patterns: { type: 'string', pattern: '^(?:[A-Z]{2}-\\d{3}|x+[^0-9]?)$' },
  'whole numbers': { type: 'integer', minimum: 5, maximum: 7 },
  'numbers below a bound': { type: 'number', exclusiveMaximum: -5 },
  'numbers above a bound': { type: 'integer', minimum: 1_000_000 },
  multiples: { type: 'number', multipleOf: 0.25, minimum: 1, maximum: 3 },
  lists: { type: 'array', minItems: 2, maxItems: 4, items: { type: 'integer' } },
  'empty lists': { type: 'array', maxItems: 0, items: { type: 'integer' } },
  'lists without repetition': { type: 'array', uniqueItems: true, items: { enum: [1, 2, 3] } },
  tuples: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2, maxItems: 2 },
  objects: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] } },
    additionalProperties: false,
  },
  maps: { type: 'object', minProperties: 2, additionalProperties: { type: 'boolean' } },
  alternatives: {
    type: 'object',
    properties: { kind: { type: 'string' } },
    oneOf: [
      { required: ['a'], properties: { a: { const: 1 } } },
      { required: ['b'], properties: { b: { const: 2 } } },
    ],
  },
  combinations: { allOf: [reference('Named'), { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } }] },
  'schemas that refer to themselves': reference('Tree'),
  constants: { properties: { kind: { const: 'cat' } }, required: ['kind'] },
}

describe('generated values fit schemas of', async () => {
  const validator = await createDocumentValidator()
  for (const [name, schema] of Object.entries(schemas))
    for (const isFull of [true, false])
      test(`${name}${isFull ? ', with all that is optional' : ''}`, () => {
        const findProblem = validator.compile('value', schema, components)
        const random = new Random(1)
        for (let count = 0; count < 200; count++) {
          const value = fitting(schema, { random, components, isFull })
          assert.equal(findProblem(value), undefined, JSON.stringify(value))
        }
      })
})

test('a member named __proto__ is a member', () => {
  const value = fitting(
    { type: 'object', properties: JSON.parse('{"__proto__":{"const":1}}') as object, required: ['__proto__'] },
    { random: new Random(1), components },
  )
  assert.equal(JSON.stringify(value), '{"__proto__":1}')
})

describe('texts match the pattern', () => {
  const patterns = [
    '^a$',
    '^[a-z]+$',
    '^\\d{3,5}$',
    '^(a|b)?c*$',
    '^[^\\0]*$',
    '^\\w+@\\w+\\.[a-z]{2}$',
    '^\\u0041\\x42$',
    '^[\\d-]{4}$',
    '^\\p{L}+$',
  ]
  for (const pattern of patterns)
    test(pattern, () => {
      const random = new Random(1)
      for (let count = 0; count < 100; count++) assert.match(textMatching(pattern, random), new RegExp(pattern, 'u'))
    })
})

test('the same seed makes the same choices', () => {
  const choices = (seed: number) =>
    new Random(seed).list(20, 20, (index) => index).join() + new Random(seed).shuffle([1, 2, 3, 4, 5, 6, 7]).join()
  assert.equal(choices(3), choices(3))
  assert.notEqual(choices(3), choices(4))
})
