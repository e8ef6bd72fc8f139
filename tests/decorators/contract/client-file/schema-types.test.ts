/** The TypeScript types of JSON Schemas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Direction, SchemaTypes } from '../../../../decorators/contract/client-file/schema-types.js'
import { literal } from '../../../../decorators/contract/client-file/type-texts.js'

const components = {
  User: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, boss: { $ref: '#/components/schemas/User' } } },
  Page: { type: 'object', properties: { size: { type: 'integer', default: 10 } } },
  Holder: { type: 'object', properties: { page: { $ref: '#/components/schemas/Page' } } },
  'a.b-c': { type: 'string', enum: ['x'] },
  Request: { type: 'null' },
}
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')
const typeOf = (schema: unknown, direction: Direction = 'received'): string =>
  flat(new SchemaTypes(components, new Set(['Request'])).typeOf(schema, direction))

for (const [schema, type] of [
  [true, 'unknown'],
  [false, 'never'],
  [{}, 'unknown'],
  [{ type: 'string', format: 'date-time' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ const: 'a"\u2028' }, '"a\\"\\u2028"'],
  [{ enum: ['a', 1, null, 'a'] }, '"a" | 1 | null'],
  [{ const: { a: [1] } }, '{ a: [1] }'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 }, '[string, number?]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }], minItems: 1 }, '[string, ...unknown[]]'],
  [{ type: 'object' }, '{ [key: string]: unknown }'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
  [
    { type: 'object', required: ['a', 'c'], properties: { a: { type: 'string' }, 'b-b': { type: 'null' } } },
    '{ a: string; "b-b"?: null; c: unknown }',
  ],
  [{ properties: { a: { type: 'string' } } }, '{ a?: string }'],
  [{ type: 'object', additionalProperties: false }, '{ [key: string]: never }'],
  [
    { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: { type: ['string', 'null'] } },
    '{ a?: number; [key: string]: string | null | number | undefined }',
  ],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'number' } }, patternProperties: { '^x-': { type: 'string' } } },
    '{ a: number; [key: string]: string | number }',
  ],
  [{ type: 'object', properties: { a: true }, additionalProperties: true }, '{ a?: unknown; [key: string]: unknown }'],
  [{ type: 'object', patternProperties: { '^x-': { type: 'string' } } }, '{ [key: string]: string }'],
  [{ anyOf: [{ type: ['string', 'null'] }, { type: 'string' }, { enum: ['a | b'] }, { type: 'null' }] }, 'string | null | "a | b"'],
  [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: true } }] }, 'string | { a?: unknown }'],
  [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
  [{ allOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { $ref: '#/components/schemas/User' }] }, '(string | null) & User'],
  [{ $ref: '#/components/schemas/User', anyOf: [{ type: 'null' }, { type: 'string' }] }, 'User & (null | string)'],
  [{ $ref: '#/components/schemas/a.b-c' }, 'ABC'],
  [{ $ref: '#/components/schemas/Request' }, 'Request2'],
  [{ $ref: '#/components/schemas/Gone' }, 'unknown'],
] as const)
  test(`${JSON.stringify(schema)} is ${type}`, () => assert.equal(typeOf(schema), type))

test('a property with a default is received always, and may be left out of what is sent', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string', default: 'x' }, b: { type: 'array', items: { type: 'string' } } },
  }
  assert.equal(typeOf(schema, 'received'), '{ a: string; b?: string[] }')
  assert.equal(typeOf(schema, 'sent'), '{ a?: string; b?: readonly string[] }')
})

test('of what a guard declares, a member is certain if it is required; values may be undefined if they may be left out', () => {
  const schema = {
    type: 'object',
    required: ['a', 'b'],
    properties: {
      a: { type: 'string' },
      b: { type: 'string', default: 'x' },
      c: { type: 'string', default: 'x' },
      d: { type: ['string', 'null'] },
    },
  }
  assert.equal(typeOf(schema, 'declared'), '{ a: string; b: string; c?: string; d?: string | null }')
  assert.equal(typeOf(schema, 'values'), '{ a: string b?: string | undefined c?: string | undefined d?: string | null | undefined }')
  assert.equal(typeOf({ $ref: '#/components/schemas/Page' }, 'values'), '{ size?: number | undefined }')
})

test('a component has a second type for what is sent if that is another one, and those that refer to it too', () => {
  const types = new SchemaTypes(components, new Set())
  assert.equal(types.typeOf({ $ref: '#/components/schemas/Holder' }, 'sent'), 'HolderInput')
  assert.equal(types.typeOf({ $ref: '#/components/schemas/Holder' }, 'received'), 'Holder')
  assert.equal(types.typeOf({ $ref: '#/components/schemas/User' }, 'sent'), 'User')
  assert.deepEqual(types.declarations().map(flat), [
    'export interface Holder { page?: Page }',
    'export interface HolderInput { page?: PageInput }',
    'export interface Page { size: number }',
    'export interface PageInput { size?: number }',
    'export interface User { id: number; boss?: User }',
  ])
})

test('texts of schemas cannot leave their comments and literals', () => {
  const types = new SchemaTypes(
    { A: { type: 'object', description: 'one */ process.exit() /*\u2028two', properties: { 'a"\n': { const: '`${x}`\u2029' } } } },
    new Set(),
  )
  types.typeOf({ $ref: '#/components/schemas/A' }, 'received')
  const [text] = types.declarations()
  assert.equal(text, '/**\n * one *\\/ process.exit() /*\n * two\n */\nexport interface A { "a\\"\\n"?: "`${x}`\\u2029" }')
  assert.equal(literal(['\u2028']), '["\\u2028"]')
})
