/**
 * Checks that the time of validation grows at most by n·log n with the input: for every keyword of the engine, in several shapes of schema
 * and input. Compares the CPU time for an input with that for one four times as large; quadratic work takes sixteen times as long. Not
 * part of it: references that the schema follows twice for the same value (in two alternatives), whose work doubles at each level, and
 * lists of lists only, because coercion makes a list of one item of anything else, without end.
 * Run with `--expose-gc`, after a build.
 */
import assert from 'node:assert/strict'
import { buildValidatorCompiler } from '../../dist/lib/index.js'

/** n·log n takes 4.6 times as long at these sizes. */
const MAX_GROWTH = 10
/** ms; what takes less is not measured exactly enough */
const TOO_SHORT = 20
const ATTEMPTS = 8

const keywordsOfEngine = new Set()
const compile = buildValidatorCompiler(
  {},
  {
    customOptions: { strict: false, logger: false },
    onCreate: (engine) => Object.keys(engine.RULES.keywords).forEach((keyword) => keywordsOfEngine.add(keyword)),
  },
)

function compiled(schema) {
  const validate = compile({ schema, method: 'POST', url: '/', httpPart: 'body' })
  return (text) => {
    const request = { body: JSON.parse(text) }
    const context = { instancePath: '', parentData: request, parentDataProperty: 'body', rootData: request.body, dynamicAnchors: {} }
    globalThis.gc?.()
    const before = process.cpuUsage()
    validate(request.body, context)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

function assertGrowth(schema, make, size) {
  const run = compiled(schema)
  const [small, large] = [JSON.stringify(make(size)), JSON.stringify(make(4 * size))]
  let growth = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const long = Math.min(run(large), run(large))
    if (long < TOO_SHORT) return
    growth = long / Math.min(run(small), run(small), run(small))
    if (growth <= MAX_GROWTH) return
  }
  assert.fail(`four times the input takes ${growth.toFixed(1)} times as long: ${JSON.stringify(schema).slice(0, 200)}`)
}

const repeat = (size, make) => Array.from({ length: size }, (_, index) => make(index))
const numbers = (size) => repeat(size, (index) => index)
const texts = (size) => repeat(size, (index) => `text ${index}`)
const object = (size) => Object.fromEntries(repeat(size, (index) => [`name${index}`, index]))
const text = (size) => 'a'.repeat(size)
const objects = (size) => repeat(size, (index) => ({ b: index, a: [index] }))
const decimals = (size) => repeat(size, (index) => [index / 100, 1e300, 1e-300, 123.456][index % 4])
const all = (size) => [numbers, texts, object, text, objects, decimals].map((make) => make(Math.ceil(size / 6)))

const wanted = { a: [1, { b: 'c' }], d: null }
const keywords = {
  type: { schemas: [{ type: 'integer' }, { type: ['string', 'null'] }, { type: ['object', 'null'] }] },
  nullable: { schemas: [{ type: 'string', nullable: true }] },
  enum: { schemas: [{ enum: [1, 'a'] }, { enum: repeat(300, (index) => index) }, { enum: [wanted, { a: 1 }, 'text 1'] }] },
  const: { schemas: [{ const: 1 }, { const: wanted }, { const: [[1, 2], 3] }, { const: {} }, { const: [] }] },
  multipleOf: { schemas: [0.01, 3, 1e-20, 1e30, 0.3].map((multipleOf) => ({ multipleOf })), values: [decimals] },
  maximum: { schemas: [{ maximum: 1 }] },
  exclusiveMaximum: { schemas: [{ exclusiveMaximum: 1 }] },
  minimum: { schemas: [{ minimum: 1 }] },
  exclusiveMinimum: { schemas: [{ exclusiveMinimum: 1 }] },
  maxLength: { schemas: [{ maxLength: 5 }, { maxLength: 1e9 }] },
  minLength: { schemas: [{ minLength: 5 }] },
  pattern: { schemas: [{ pattern: '^a+$' }, { pattern: '^[^b]*b' }] },
  format: { schemas: [{ format: 'email' }, { format: 'date-time' }, { format: 'uri' }, { format: 'url' }, { format: 'regex' }] },
  formatMaximum: { schemas: [{ format: 'date', formatMaximum: '2030-01-01' }] },
  formatMinimum: { schemas: [{ format: 'time', formatMinimum: '10:00:00Z' }] },
  formatExclusiveMaximum: { schemas: [{ format: 'date', formatExclusiveMaximum: '2030-01-01' }] },
  formatExclusiveMinimum: { schemas: [{ format: 'date-time', formatExclusiveMinimum: '2030-01-01T00:00:00Z' }] },
  maxItems: { schemas: [{ maxItems: 1e9 }] },
  minItems: { schemas: [{ minItems: 1 }] },
  uniqueItems: { schemas: [{ uniqueItems: true }, { uniqueItems: true, items: true }] },
  items: { schemas: [{ items: { type: 'string' } }, { items: [{ type: 'array' }, { type: 'string' }] }] },
  additionalItems: { schemas: [{ items: [true], additionalItems: { type: 'array' } }] },
  contains: { schemas: [{ contains: { const: wanted } }, { contains: { type: 'null' } }] },
  maxProperties: { schemas: [{ maxProperties: 1e9 }] },
  minProperties: { schemas: [{ minProperties: 1 }] },
  required: { schemas: [{ required: ['name1', 'next'] }] },
  properties: { schemas: [{ properties: { name1: { type: 'string' }, constructor: { type: 'string' } } }] },
  patternProperties: { schemas: [{ patternProperties: { '^n': { type: 'integer' }, '^m': false } }] },
  additionalProperties: {
    schemas: [
      { properties: { name1: true }, additionalProperties: { type: 'integer' } },
      { properties: { name1: true }, additionalProperties: false },
    ],
  },
  propertyNames: { schemas: [{ propertyNames: { pattern: '^n' } }, { propertyNames: { maxLength: 20 } }] },
  dependencies: { schemas: [{ dependencies: { name1: ['name2'], name2: { minProperties: 2 } } }] },
  if: { schemas: [{ if: { minItems: 2 }, then: { uniqueItems: true }, else: { uniqueItems: true } }] },
  not: { schemas: [{ not: { uniqueItems: true } }] },
  allOf: { schemas: [{ allOf: [{ uniqueItems: true }, { minItems: 1 }] }] },
  anyOf: { schemas: [{ anyOf: [{ const: wanted }, { uniqueItems: true }] }] },
  oneOf: { schemas: [{ oneOf: [{ const: wanted }, { uniqueItems: true }] }] },
  $ref: { schemas: [{ $ref: '#/definitions/other' }] },
  default: { schemas: [{ properties: { other: { type: 'string', default: 'x' } } }] },
}
/** Tested with those that they belong to, or they reject nothing. */
const others = [
  'then',
  'else',
  'definitions',
  '$id',
  'id',
  '$schema',
  '$comment',
  '$async',
  '$defs',
  '$vocabulary',
  '$anchor',
  'title',
  'description',
  'deprecated',
  'readOnly',
  'writeOnly',
  'examples',
  'discriminator',
  'alcove-finite',
  'contentMediaType',
  'contentEncoding',
  'contentSchema',
]

const definitions = { other: { uniqueItems: true } }
const values = [numbers, texts, object, text, objects, decimals]
/** Levels of an input that is nested as deep as the parser of JSON allows, when it is four times as large. */
const DEPTH = 240

/** Every level holds all levels below it. */
const nested = (wrap, leaf, size) => {
  const depth = Math.round((DEPTH * size) / 2500)
  return repeat(depth, (index) => index).reduce((below, index) => wrap(below, index), leaf(size))
}
const wraps = {
  'lists of one item': (below) => [below],
  'lists of two items': (below, index) => [index, below],
  objects: (below) => ({ next: below }),
  'objects of two properties': (below, index) => ({ value: index, next: below }),
}

const shapes = {
  'one value': (keyword, own) => own.forEach((make) => assertGrowth({ ...keyword, definitions }, make, 10_000)),
  'each item of a list': (keyword) => assertGrowth({ items: keyword, definitions }, (size) => all(size), 10_000),
  'each item of a list, beside an alternative': (keyword, own) =>
    own.forEach((make) =>
      assertGrowth({ items: { anyOf: [keyword, { type: 'integer' }, true] }, definitions }, (size) => [make(size)].flat(), 10_000),
    ),
  'each property': (keyword) =>
    assertGrowth({ additionalProperties: keyword, definitions }, (size) => Object.assign({}, objects(size)), 10_000),
  'each level of a nested value': (keyword) => {
    const root = {
      ...keyword,
      definitions,
      ...('items' in keyword ? {} : { items: { $ref: '#' } }),
      properties: { ...keyword.properties, next: { $ref: '#' } },
    }
    for (const wrap of Object.values(wraps)) assertGrowth(root, (size) => nested(wrap, objects, size), 2500)
  },
  'each level of a nested value, without effect': (keyword) => {
    const root = { if: keyword, then: true, else: true, items: { $ref: '#' }, properties: { next: { $ref: '#' } }, definitions }
    for (const wrap of Object.values(wraps))
      for (const leaf of [texts, object]) assertGrowth(root, (size) => nested(wrap, leaf, size), 2500)
  },
  'each level of a nested value, beside an alternative': (keyword) => {
    const level = { type: ['object', 'array'], properties: { next: { $ref: '#' } }, items: { $ref: '#' } }
    const root = { anyOf: [keyword, level, { type: ['string', 'integer'] }], definitions }
    for (const wrap of Object.values(wraps)) assertGrowth(root, (size) => nested(wrap, texts, size), 2500)
  },
}

assert.ok(keywordsOfEngine.size > 0)
const untested = [...keywordsOfEngine].filter((keyword) => !Object.hasOwn(keywords, keyword) && !others.includes(keyword))
assert.deepEqual(untested, [], 'keywords of the engine without a case')

let count = 0
const failures = []
for (const [keyword, { schemas, values: own = values }] of Object.entries(keywords)) {
  for (const [shape, check] of Object.entries(shapes)) {
    for (const schema of schemas) {
      count++
      try {
        check(schema, own)
      } catch (error) {
        failures.push(`${keyword} on ${shape}: ${error.message}`)
      }
    }
  }
}
for (const failure of failures) console.error(failure)
console.log(`${failures.length === 0 ? 'ok' : 'FAILED'}: ${count} pairs of schema and shape, ${failures.length} grow faster than n·log n`)
process.exitCode = failures.length === 0 ? 0 : 1
