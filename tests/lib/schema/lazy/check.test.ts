import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import fastJson from 'fast-json-stringify'
import * as ajvFormats from 'ajv-formats/dist/formats.js'
import { buildValidatorCompiler, createServer } from 'alcove/lib'
import { jsonText, SchemaCheck } from '../../../../lib/schema/lazy/check.js'

const formats = new Set(Object.keys(ajvFormats.fullFormats))
const shared = {
  common: {
    $id: 'common',
    type: 'object',
    properties: { name: { type: 'string', minLength: 1 }, other: { $ref: 'http://example.com/things/other' } },
    definitions: {
      id: { type: 'integer', minimum: 1 },
      withDefault: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    },
  },
  'http://example.com/things/other': {
    $id: 'http://example.com/things/other',
    type: 'object',
    properties: { common: { $ref: 'http://example.com/things/third' }, id: { $ref: '#/definitions/id' } },
    definitions: { id: { type: 'string', format: 'uuid' } },
  },
  'http://example.com/things/third': { $id: 'http://example.com/things/third', type: 'object', properties: { self: { $ref: '#' } } },
}

const name = fc.constantFrom('a', 'b', 'first name', 'x-y', 'type', "it's", '__proto__', '$ref', '"', '\\', '\u2028', '')
const anything = fc.constantFrom<unknown>(0, 1, -1, 1.5, '', 'a', 'string', '[', null, true, false, [], {}, ['a', 'a'], ['string'], {
  a: 1,
})
const type = fc.constantFrom<unknown>('string', 'number', 'integer', 'boolean', 'array', 'object', 'null', ['string', 'null'])
const oddType = fc.constantFrom<unknown>('strin', [], ['string', 'integer'], ['string', 'string'], 5, null, ['null'])
const reference = fc.constantFrom<unknown>(
  '#',
  '#/definitions/a',
  '#/definitions/b/properties/a',
  '#/properties/a',
  'common',
  'common#',
  'common#/definitions/id',
  'common#/definitions/withDefault',
  'http://example.com/things/other',
  'http://example.com/things/other#/definitions/id',
  'nowhere',
  'common#/definitions/nowhere',
  '#/nowhere',
  'other',
  './common',
  '#a',
  '%',
  5,
)

// Only a few values are broken: if most schemas were, hardly any would be accepted and tested.
const mostly = (right: fc.Arbitrary<unknown>, wrong: fc.Arbitrary<unknown> = anything): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: wrong })
const rarely = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
  const node = tie('schema')
  const map = fc.dictionary(fc.oneof({ weight: 30, arbitrary: fc.constantFrom('a', 'b', 'c') }, { weight: 1, arbitrary: name }), node, {
    maxKeys: 3,
  })
  const list = fc.array(node, { minLength: 1, maxLength: 3 })
  const count = mostly(fc.nat(9))
  const number = mostly(fc.integer({ min: -9, max: 9 }))
  const common = {
    title: rarely(mostly(fc.constant('title'))),
    description: rarely(fc.constant('what it is')),
    nullable: rarely(mostly(fc.boolean())),
    default: rarely(anything),
    enum: rarely(mostly(fc.constant(['a', 1, null]))),
    const: rarely(anything),
    definitions: rarely(mostly(map)),
    $defs: rarely(map),
    examples: rarely(mostly(fc.constant([1]))),
    allOf: rarely(mostly(list)),
    anyOf: rarely(mostly(list)),
    oneOf: rarely(mostly(list)),
    not: rarely(fc.oneof({ weight: 0, arbitrary: node }, node)),
    if: rarely(fc.constant({ type: 'string' })),
    unknown: fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anything }),
    $id: fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom('common', 'own', '#x') }),
    $schema: fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, fc.constantFrom('http://json-schema.org/draft-07/schema#', 'x')),
  }
  const ofType = {
    string: { minLength: rarely(count), maxLength: rarely(count), pattern: rarely(mostly(fc.constantFrom('^a', '\\d+', '['))) },
    number: {
      minimum: rarely(number),
      exclusiveMaximum: rarely(number),
      multipleOf: rarely(mostly(fc.constantFrom(1, 0.5), fc.constantFrom(0, -1))),
    },
    object: {
      properties: fc.oneof(map, mostly(map)),
      required: rarely(mostly(fc.uniqueArray(name, { maxLength: 2 }))),
      additionalProperties: rarely(mostly(fc.oneof(fc.boolean(), node))),
      minProperties: rarely(count),
      patternProperties: rarely(fc.dictionary(fc.constantFrom('^a', '['), node, { maxKeys: 1 })),
    },
    array: { items: mostly(node), maxItems: rarely(count), uniqueItems: rarely(mostly(fc.boolean())) },
  }
  const withFormat = { format: rarely(mostly(fc.constantFrom('uuid', 'date', 'int32'), fc.constantFrom('nonsense', 5))) }
  const typed = (type: string, parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
    fc.record({ type: mostly(fc.constantFrom<unknown>(type, [type, 'null']), oddType), ...parts, ...common })
  const clean = (given: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> =>
    given.map((raw) => Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== undefined)))
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      clean(typed('string', { ...ofType.string, ...withFormat })),
      clean(typed('integer', { ...ofType.number, ...withFormat })),
      clean(typed('object', ofType.object)),
      clean(typed('array', ofType.array)),
      clean(fc.record({ ...common, ...ofType.string, type: rarely(type) }) as fc.Arbitrary<Record<string, unknown>>),
      clean(fc.record({ $ref: mostly(reference), description: rarely(anything), default: rarely(anything) })),
    ),
  }
})

const complaint = (...parts: unknown[]): never => assert.fail(parts.join(' '))
const strictLogger = { log: complaint, warn: complaint, error: complaint }

test('The validator engine compiles every schema that the check accepts, without a warning', () => {
  const compile = buildValidatorCompiler(shared, { customOptions: { logger: strictLogger } })
  let accepted = 0
  fc.assert(
    fc.property(schema, (given) => {
      const check = new SchemaCheck(shared, { hasCombinators: true, hasCircles: true, isStrict: true, formats })
      if (jsonText(given) === undefined || !check.isSound(given)) return
      accepted++
      compile({ schema: given, method: 'POST', url: '/', httpPart: 'body' })
    }),
    { numRuns: 4000 },
  )
  assert.ok(accepted > 500, `only ${accepted} schemas were accepted`)
})

test('The serializer engine compiles every schema that the check accepts', () => {
  let accepted = 0
  fc.assert(
    fc.property(schema, (given) => {
      const check = new SchemaCheck(shared, {
        hasCombinators: false,
        hasCircles: false,
        isStrict: false,
        formats: { has: (format) => typeof format === 'string' },
      })
      if (jsonText(given) === undefined || !check.isSound(given)) return
      accepted++
      fastJson(given as object, { schema: shared } as object)
    }),
    { numRuns: 4000 },
  )
  assert.ok(accepted > 500, `only ${accepted} schemas were accepted`)
})

test('The alternatives of every schema that the check accepts compile, if its serializer does', () => {
  let accepted = 0
  const compiles = (given: object, compileValidators: boolean): boolean => {
    try {
      fastJson(given, { schema: shared, compileValidators, ajv: { logger: false } } as object)
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.constantFrom('anyOf', 'oneOf'), schema, schema, (keyword, one, other) => {
      const given = { [keyword]: [one, other] }
      const check = new SchemaCheck(shared, {
        hasCombinators: true,
        hasCircles: true,
        isStrict: false,
        formats: { has: (format) => typeof format === 'string' },
      })
      if (jsonText(given) === undefined || !check.isSound(given) || !compiles(given, false)) return
      accepted++
      assert.ok(compiles(given, true), JSON.stringify(given))
    }),
    { numRuns: 1000 },
  )
  assert.ok(accepted > 50, `only ${accepted} schemas were accepted`)
})

test('The check accepts the schemas that applications commonly have', () => {
  const check = new SchemaCheck(shared, { hasCombinators: true, hasCircles: true, isStrict: true, formats })
  assert.ok(check.isSharedSound)
  for (const sound of [
    {
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid' }, n: { type: 'integer', minimum: 0, default: 1 } },
      required: ['id'],
    },
    { type: 'array', items: { $ref: 'common#' } },
    { anyOf: [{ $ref: 'common#/definitions/id' }, { type: 'null' }] },
    { $ref: 'http://example.com/things/other#' },
    { type: 'object', properties: { left: { $ref: '#' }, kind: { type: 'string', enum: ['a', 'b'] } }, additionalProperties: false },
  ]) {
    assert.ok(check.isSound(sound), JSON.stringify(sound))
  }
})

const broken: Record<string, any> = {
  'an unknown type': { type: 'strin' },
  'an unknown keyword': { type: 'object', properties: { a: { type: 'string', minLenght: 1 } } },
  'an unknown format': { type: 'object', properties: { a: { type: 'string', format: 'phone' } } },
  'a broken pattern': { type: 'object', properties: { a: { type: 'string', pattern: '[' } } },
  'a reference to an unknown schema': { type: 'object', properties: { a: { $ref: 'nowhere#' } } },
  'a reference to a definition that is missing': { type: 'object', properties: { a: { $ref: '#/definitions/a' } } },
  'a reference to a shared definition that is missing': { type: 'object', properties: { a: { $ref: 'common#/definitions/nowhere' } } },
  'a list of required names that repeats one': { type: 'object', required: ['a', 'a'] },
  'an empty list of alternatives': { anyOf: [] },
  'a default below an alternative': { anyOf: [{ type: 'object', properties: { a: { type: 'string', default: 'x' } } }] },
  'a default behind a reference below an alternative': { anyOf: [{ $ref: 'common#/definitions/withDefault' }] },
  'a default at the root': { type: 'object', default: {} },
  'nullable without a type': { nullable: true },
  'then without if': { type: 'object', then: { required: ['a'] } },
  'an empty enumeration': { type: 'string', enum: [] },
  'properties that are a list': { type: 'object', properties: [] },
  'a length that is negative': { type: 'object', properties: { a: { type: 'string', minLength: -1 } } },
  'an unknown dialect': { $schema: 'http://example.com/dialect', type: 'object' },
  'an id that is taken': { $id: 'common', type: 'object', properties: { a: { $ref: '#/definitions/a' } } },
}

const failure = async (compileSchemas: 'lazy' | 'boot', schema: object, ...more: object[]): Promise<string> => {
  const server = createServer({ compileSchemas })
  for (const entry of [...Object.values(shared), ...more]) server.addSchema(entry)
  server.post('/', { schema, handler: () => '' })
  const error = await server.ready().then(
    () => undefined,
    (thrown: Error & { code?: string; part?: string }) => thrown,
  )
  return error === undefined ? 'none' : `${error.code} ${error.part} ${error.message}`
}

test('Every faulty schema fails at ready, with the same message as with compileSchemas: boot', async () => {
  for (const [what, given] of Object.entries(broken)) {
    for (const schema of [{ body: given }, { querystring: given }, { headers: given }, { response: { 200: given } }]) {
      assert.equal(await failure('lazy', schema), await failure('boot', schema), what)
    }
    assert.notEqual(await failure('lazy', { body: given }), 'none', what)
    const own = { ...given, $id: 'own' }
    for (const schema of [{ body: { $ref: 'own#' } }, { body: { type: 'object' } }, { response: { 200: { type: 'object' } } }]) {
      assert.equal(await failure('lazy', schema, own), await failure('boot', schema, own), `shared: ${what}`)
    }
  }
})
