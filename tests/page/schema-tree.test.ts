/** JSON Schemas as rows for people. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareTrees, readSchema, type SchemaNode } from '../../page/data/schema-tree.js'

const none = new Map<string, unknown>()

function textOf({ name, type, isRequired, facts, children, mark }: SchemaNode, depth = 0): string[] {
  const sign = { gained: '+', lost: '-', changed: '~' }[mark ?? 'changed']
  const line = `${'  '.repeat(depth)}${mark === undefined ? '' : sign}${name}${isRequired ? '' : '?'}: ${[type, ...facts].join('; ')}`
  return [line, ...children.flatMap((child) => textOf(child, depth + 1))]
}

test('properties are read with their types, limits and whether they are required', () => {
  const schema = {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: {
      id: { type: 'integer', minimum: 1 },
      state: { enum: ['open', 'done'] },
      tags: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
      when: { type: ['string', 'null'], format: 'date' },
    },
  }
  assert.deepEqual(textOf(readSchema('body', schema, none)), [
    'body: object; no other properties',
    '  id: integer; ≥ 1',
    '  state?: "open" | "done"',
    '  tags?: list of string; at most 3 items',
    '    each: string; at most 9 characters',
    '  when?: string or null; date',
  ])
})

test('references lead to shared schemas and to definitions, and a schema that contains itself ends', () => {
  const shared = new Map<string, unknown>([
    ['Node', { $id: 'Node', type: 'object', properties: { next: { $ref: 'Node#' }, size: { $ref: '#/definitions/size' } } }],
  ])
  const schema = {
    type: 'object',
    properties: { node: { $ref: 'Node#' }, other: { $ref: 'Hidden#' }, size: { $ref: '#/$defs/size' } },
    $defs: { size: { type: 'integer' } },
  }
  assert.deepEqual(textOf(readSchema('body', schema, shared)), [
    'body: object',
    '  node?: Node',
    '    next?: Node; …',
    '    size?: size',
    '  other?: Hidden',
    '  size?: size: integer',
  ])
})

test('schemas that refer to each other many times are read in bounded time', () => {
  const names = Array.from({ length: 40 }, (_, index) => `M${index}`)
  const shared = new Map<string, unknown>(
    names.map((name) => [
      name,
      { $id: name, type: 'object', properties: Object.fromEntries(names.map((other) => [other, { $ref: `${other}#` }])) },
    ]),
  )
  const count = ({ children }: SchemaNode): number => 1 + children.reduce((sum, child) => sum + count(child), 0)
  assert.ok(count(readSchema('body', { $ref: 'M0#' }, shared)) < 20_000)
})

test('two schemas are shown as one, with the properties that were gained, lost and changed', () => {
  const old = {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'object', properties: { x: {} } } },
  }
  const now = {
    type: 'object',
    required: ['b'],
    properties: { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'object', properties: { x: {}, y: {} } } },
  }
  assert.deepEqual(textOf(compareTrees(readSchema('body', old, none), readSchema('body', now, none))), [
    'body: object',
    '  ~a?: string; before: required',
    '  ~b: number; before: integer',
    '  c?: object',
    '    x?: any value',
    '    +y?: any value',
  ])
  assert.deepEqual(textOf(compareTrees(readSchema('body', now, none), readSchema('body', { ...now, properties: {} }, none))).slice(1, 3), [
    '  -a?: string',
    '  -b: number',
  ])
})
