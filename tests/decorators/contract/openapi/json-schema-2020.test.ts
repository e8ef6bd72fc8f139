import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Components } from '../../../../decorators/contract/openapi/components.js'

interface Converted {
  readonly schema: any
  readonly components: Record<string, any>
  readonly warnings: readonly string[]
}

function convert(schema: unknown, shared: Record<string, unknown> = {}): Converted {
  const warnings: string[] = []
  const components = new Components((text) => warnings.push(text))
  const converted: unknown = components.convert(schema, { shared, context: 'App', place: 'GET /', name: 'GetRoot' })
  return { schema: converted, components: components.schemas, warnings }
}

const text = { type: 'string' }
const number = { type: 'number' }

for (const [title, before, after] of [
  ['a list of schemas in items becomes prefixItems', { items: [text, number] }, { prefixItems: [text, number] }],
  [
    'additionalItems becomes items beside prefixItems',
    { items: [text], additionalItems: false, minItems: 1 },
    { prefixItems: [text], items: false, minItems: 1 },
  ],
  ['an empty list in items leaves no prefixItems, which has to have one', { items: [], additionalItems: text }, { items: text }],
  ['additionalItems without a list in items has no effect, and is left out', { items: text, additionalItems: false }, { items: text }],
  [
    'dependencies is split by what its values are',
    { dependencies: { a: ['b'], c: { required: ['d'] }, e: false } },
    { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] }, e: false } },
  ],
  ['nullable adds null to the type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['nullable adds null to a list of types once', { type: ['null', 'string'], nullable: true }, { type: ['null', 'string'] }],
  [
    'nullable without a type allows null beside the schema',
    { oneOf: [text], nullable: true },
    { anyOf: [{ oneOf: [text] }, { type: 'null' }] },
  ],
  ['nullable: false is left out', { type: 'string', nullable: false }, { type: 'string' }],
  ['a boolean exclusiveMinimum takes the limit', { minimum: 1, exclusiveMinimum: true, maximum: 5 }, { exclusiveMinimum: 1, maximum: 5 }],
  ['exclusiveMaximum: false leaves the limit', { maximum: 5, exclusiveMaximum: false }, { maximum: 5 }],
  ['numbers in exclusiveMinimum stay', { exclusiveMinimum: 0 }, { exclusiveMinimum: 0 }],
  ['booleans are schemas', { properties: { a: true, b: false }, additionalProperties: false }, undefined],
  ['data that looks like a schema stays', { default: { items: [1] }, const: { nullable: true }, enum: [{ dependencies: {} }] }, undefined],
  [
    'properties with the names of keywords are properties',
    { properties: { items: text, nullable: text, dependencies: text, $ref: text, definitions: text } },
    undefined,
  ],
  ['content keywords and formats stay', { contentEncoding: 'base64', contentMediaType: 'image/png', format: 'byte' }, undefined],
  [
    'the name of the draft, comments and definitions are left out',
    { $schema: 'x', $comment: 'y', definitions: { a: text }, ...text },
    text,
  ],
  ['x- fields stay', { ...text, 'x-order': 3 }, undefined],
] as const) {
  test(title, () => {
    const { schema, warnings } = convert(before)
    assert.deepEqual(schema, after ?? before)
    assert.deepEqual(warnings, [])
  })
}

test('conditions, alternatives and patterns are converted at every depth', () => {
  const inner = { items: [text] }
  const converted = { prefixItems: [text] }
  const keywords = (schema: object) => ({
    if: schema,
    then: schema,
    else: schema,
    not: schema,
    contains: schema,
    propertyNames: schema,
    additionalProperties: schema,
    allOf: [schema],
    anyOf: [schema],
    oneOf: [schema],
    properties: { a: schema },
    patternProperties: { b: schema },
  })
  assert.deepEqual(convert(keywords(inner)).schema, keywords(converted))
})

test('a keyword that JSON Schema does not have is left out with a warning that names the place and the cure', () => {
  const { schema, warnings } = convert({ type: 'object', properties: { a: { ...text, transform: ['trim'], minLength: { $data: '1/b' } } } })
  assert.deepEqual(schema, { type: 'object', properties: { a: text } })
  assert.deepEqual(warnings, [
    "GET /: the keyword 'transform' is left out, because JSON Schema has none of this name. Describe what it demands in a description, or name it x-transform.",
    "GET /: the keyword 'minLength' is left out, because it takes its value from the data ($data). Describe what it demands in a description.",
  ])
})

test('a nullable list of values has null; beside a const, which refuses null in requests, with a warning', () => {
  const both = convert({ properties: { one: { ...text, enum: ['a'], nullable: true }, two: { ...text, const: 'b', nullable: true } } })
  const type = ['string', 'null']
  assert.deepEqual(both.schema, { properties: { one: { type, enum: ['a', null] }, two: { type, enum: ['b', null] } } })
  assert.deepEqual(both.warnings, [
    'GET /: a nullable schema has a const. Replies may be null, as the document says, but requests may not. Write enum with the value instead.',
  ])
  assert.deepEqual(convert({ ...text, enum: ['a', null], nullable: true }), {
    schema: { type, enum: ['a', null] },
    components: {},
    warnings: [],
  })
})

test('a property may be named __proto__', () => {
  const { schema } = convert(JSON.parse('{ "properties": { "__proto__": { "items": [true] } } }'))
  assert.equal(JSON.stringify(schema), '{"properties":{"__proto__":{"prefixItems":[true]}}}')
})

test('a converted schema accepts the values that ajv accepted before, with keywords beside a reference as well', () => {
  const shared = {
    Tree: {
      $id: 'Tree',
      type: 'object',
      properties: { children: { items: { $ref: '#' } }, pair: { $ref: '#/definitions/pair' } },
      definitions: { pair: { items: [text, number], additionalItems: false } },
    },
  }
  const schema = { type: 'object', properties: { tree: { $ref: 'Tree', maxProperties: 1 } }, dependencies: { tree: ['name'] } }
  const { schema: converted, components } = convert(schema, shared)
  const before = new Ajv({ schemas: [shared.Tree], strict: false }).compile(schema)
  const after = new Ajv2020({ strict: false }).compile({ allOf: [converted], components: { schemas: components } })
  for (const [value, isValid] of [
    [{ tree: { children: [{ pair: ['a', 1] }] }, name: 1 }, true],
    [{ tree: { children: [{ pair: ['a', 1, 2] }] }, name: 1 }, false],
    [{ tree: { children: [{ children: [{ pair: [1] }] }] }, name: 1 }, false],
    [{ tree: { children: [], pair: [] }, name: 1 }, false],
    [{ tree: {} }, false],
  ]) {
    assert.equal(before(value), isValid, JSON.stringify(value))
    assert.equal(after(value), isValid, JSON.stringify(value))
  }
})
