#!/usr/bin/env node
// Serializes generated pairs of a response schema and a value that is valid under it through routes, and requires of each
// reply that it parses, validates against its schema with a bare ajv, carries no undeclared property, and has the values
// that were sent.
//   node tests/system/serialization.mjs [--pairs 100000] [--seed 1]
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { createServer } from '../../dist/lib/index.js'

const argument = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const pairs = argument('pairs', 100_000)
const seed = argument('seed', 20_240_401)
const valuesPerSchema = 50
const routesPerServer = 100

/** What the generated schemas are made of. */
const keywords = [
  'type (also lists of types)',
  'nullable',
  'properties',
  'required',
  'additionalProperties (false, true, a schema)',
  'items',
  'enum',
  'const',
  'default',
  'minimum, maximum',
  'minLength, maxLength',
  'anyOf',
  'oneOf',
  'allOf',
  'alternatives told apart by a const property',
  'patternProperties',
  'items as a list (tuples)',
  '$ref (own definitions, shared schema)',
]

// ---- schemas ----

const names = ['a', 'b', 'c', 'long name', 'quo"te', 'ünï', 'x-y', '$d', '0']
const shared = {
  $id: 'shared',
  definitions: { text: { type: 'string' }, point: { type: 'object', properties: { x: { type: 'integer' } } } },
}
const definitions = { count: { type: 'integer', minimum: -5 }, names: { type: 'array', items: { type: 'string' } } }
const references = {
  '#/definitions/count': definitions.count,
  '#/definitions/names': definitions.names,
  'shared#/definitions/text': shared.definitions.text,
  'shared#/definitions/point': shared.definitions.point,
}

const leaf = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.record({ type: fc.constant('string'), minLength: fc.integer({ min: 0, max: 2 }), maxLength: fc.integer({ min: 3, max: 8 }) }),
  fc.constant({ type: 'integer' }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -9, max: 0 }), maximum: fc.integer({ min: 1, max: 9 }) }),
  fc.constant({ type: 'number' }),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.constantFrom(...Object.keys(references)).map(($ref) => ({ $ref })),
  fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 3 }).map((values) => ({ type: 'string', enum: values })),
  fc.constantFrom('fixed', 7, true, null).map((value) => ({ const: value })),
  fc.uniqueArray(fc.constantFrom('string', 'integer', 'boolean', 'null'), { minLength: 2, maxLength: 3 }).map((type) => ({ type })),
  fc.constantFrom('string', 'integer', 'boolean').map((type) => ({ type, nullable: true })),
)
const objectOf = (node, allowed = names) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...allowed), node), { selector: ([name]) => name, maxLength: 4 })
    .chain((entries) =>
      fc.record({
        properties: fc.constant(Object.fromEntries(entries)),
        required: fc.subarray(entries.map(([name]) => name)),
        additionalProperties: fc.option(fc.oneof(fc.constant(false), fc.constant(true), fc.constant({ type: 'integer' })), {
          nil: undefined,
        }),
        withDefault: fc.boolean(),
      }),
    )
    .map(({ properties, required, additionalProperties, withDefault }) => {
      const optional = Object.keys(properties).find(
        (name) => !required.includes(name) && ['string', 'integer', 'boolean'].includes(properties[name].type),
      )
      if (withDefault && optional !== undefined && !('enum' in properties[optional]) && !('minLength' in properties[optional]))
        properties = {
          ...properties,
          [optional]: { ...properties[optional], default: { string: 'de"fault', integer: 0, boolean: true }[properties[optional].type] },
        }
      return {
        type: 'object',
        properties,
        ...(required.length > 0 && { required }),
        ...(additionalProperties !== undefined && { additionalProperties }),
      }
    })
/** Objects that a property tells apart. */
const kinds = (node) =>
  fc.tuple(objectOf(node, names.slice(0, 4)), objectOf(node, names.slice(0, 4))).map((all) =>
    all.map((object, index) => ({
      ...object,
      properties: { kind: { const: `kind ${index}` }, ...object.properties },
      required: ['kind', ...(object.required ?? [])],
    })),
  )
/** Alternatives that no value fits two of. */
const distinct = (node) =>
  fc
    .tuple(fc.subarray([{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }], { minLength: 1, maxLength: 2 }), objectOf(node))
    .map(([simple, object]) => [...simple, object])
const nodeOf = (depth) => {
  if (depth === 0) return leaf
  const inner = nodeOf(depth - 1)
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 3, arbitrary: objectOf(inner) },
    { weight: 2, arbitrary: inner.map((items) => ({ type: 'array', items })) },
    { weight: 1, arbitrary: distinct(inner).map((anyOf) => ({ anyOf })) },
    { weight: 1, arbitrary: distinct(inner).map((oneOf) => ({ oneOf })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(objectOf(inner, names.slice(0, 4)), objectOf(inner, names.slice(4)))
        .map((all) => ({ type: 'object', allOf: all.map(({ additionalProperties: _, ...rest }) => rest) })),
    },
    { weight: 1, arbitrary: objectOf(inner).map((schema) => ({ ...schema, nullable: true })) },
    { weight: 1, arbitrary: kinds(inner).map((anyOf) => ({ anyOf })) },
    { weight: 1, arbitrary: kinds(inner).map((oneOf) => ({ oneOf })) },
    {
      weight: 1,
      arbitrary: fc
        .array(leaf, { minLength: 1, maxLength: 3 })
        .map((items) => ({ type: 'array', items, additionalItems: false, minItems: items.length })),
    },
    { weight: 1, arbitrary: objectOf(inner).map((schema) => ({ ...schema, patternProperties: { '^p_': { type: 'integer' } } })) },
  )
}
// Texts and null are sent as they are, so replies are objects and lists.
const root = fc
  .oneof({ weight: 4, arbitrary: objectOf(nodeOf(2)) }, { weight: 1, arbitrary: nodeOf(2).map((items) => ({ type: 'array', items })) })
  .map((schema) => ({ ...schema, definitions }))

// ---- values: what a handler sends, and what the reply must be ----

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\u2028', '\u0000', '\ud83d\ude00', '</script>', 'x'.repeat(200)),
)
const same = (arbitrary) => arbitrary.map((value) => ({ value, expected: value }))
const left = Symbol('left out')

function valueOf(schema) {
  if ('$ref' in schema) return valueOf(references[schema.$ref])
  if ('const' in schema) return same(fc.constant(schema.const))
  if ('enum' in schema) return same(fc.constantFrom(...schema.enum))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return fc.oneof(...alternatives.map(valueOf))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map((part) => objectValue(part, false))).map((all) => ({
      value: Object.assign({}, ...all.map((entry) => entry.value)),
      expected: Object.assign({}, ...all.map((entry) => entry.expected)),
    }))
  if (schema.nullable) return fc.oneof(same(fc.constant(null)), valueOf({ ...schema, nullable: false }))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valueOf({ type })))
  switch (schema.type) {
    case 'string':
      return same(schema.maxLength === undefined ? text : fc.string({ minLength: schema.minLength, maxLength: schema.maxLength }))
    case 'integer':
      return same(
        fc.oneof(
          fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 }),
          ...(schema.minimum === undefined ? [fc.maxSafeInteger()] : []),
        ),
      )
    case 'number':
      return same(fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value)))
    case 'boolean':
      return same(fc.boolean())
    case 'null':
      return same(fc.constant(null))
    case 'array':
      if (Array.isArray(schema.items))
        return fc
          .tuple(...schema.items.map(valueOf))
          .map((all) => ({ value: all.map((entry) => entry.value), expected: all.map((entry) => entry.expected) }))
      return fc
        .array(valueOf(schema.items), { maxLength: 4 })
        .map((all) => ({ value: all.map((entry) => entry.value), expected: all.map((entry) => entry.expected) }))
    default:
      return objectValue(schema, true)
  }
}

function objectValue({ properties, required = [], additionalProperties, patternProperties }, mayHaveMore) {
  const known = Object.entries(properties).map(([name, schema]) =>
    (required.includes(name)
      ? valueOf(schema)
      : fc.option(valueOf(schema), { nil: { value: left, expected: 'default' in schema ? schema.default : left } })
    ).map((entry) => [name, entry]),
  )
  const extra = mayHaveMore && additionalProperties !== false ? fc.option(fc.integer(), { nil: left }) : fc.constant(left)
  const byPattern = patternProperties ? fc.option(fc.integer(), { nil: left }) : fc.constant(left)
  return fc.tuple(fc.tuple(...known), extra, byPattern).map(([entries, more, matching]) => {
    const value = {}
    const expected = {}
    for (const [name, entry] of entries) {
      if (entry.value !== left) value[name] = entry.value
      if (entry.expected !== left) expected[name] = entry.expected
    }
    if (matching !== left) value.p_1 = expected.p_1 = matching
    if (more !== left) {
      value.undeclared = more
      if (additionalProperties) expected.undeclared = more
    }
    return { value, expected }
  })
}

// ---- running ----

const defects = new Map()
let checked = 0
function note(kind, schema, detail) {
  const known = defects.get(kind)
  if (known) known.count++
  else defects.set(kind, { count: 1, schema: JSON.stringify({ ...schema, definitions: undefined }), detail })
}

const count = Math.ceil(pairs / valuesPerSchema)
const schemas = fc.sample(root, { numRuns: count, seed })
const ajv = () => new Ajv({ strict: false, logger: false })

for (let from = 0; from < count; from += routesPerServer) {
  const batch = schemas.slice(from, from + routesPerServer)
  let current
  const server = createServer({ jsonShorthand: false, exposeErrorMessages: true })
  server.addSchema(shared)
  for (const [index, schema] of batch.entries())
    server.get(`/${index}`, { exposeHeadRoute: false, schema: { response: { 200: schema } } }, () => current)
  await server.ready()
  for (const [index, schema] of batch.entries()) {
    const validate = ajv().addSchema(shared).compile(schema)
    for (const { value, expected } of fc.sample(valueOf(schema), {
      numRuns: Math.min(valuesPerSchema, pairs - checked),
      seed: seed + from + index,
    })) {
      checked++
      if (!validate(value))
        throw new Error(`the generator made an invalid pair: ${JSON.stringify({ schema, value, errors: validate.errors })}`)
      current = value
      const reply = await server.inject(`/${index}`)
      const detail = { value, got: reply.payload, expected }
      if (reply.statusCode !== 200) {
        note(
          `fails: ${JSON.parse(reply.payload)
            .message.replace(/"[^"]*"/g, '…')
            .slice(0, 80)}`,
          schema,
          detail,
        )
        continue
      }
      let parsed
      try {
        parsed = JSON.parse(reply.payload)
      } catch {
        note('is no JSON', schema, detail)
        continue
      }
      if (JSON.stringify(parsed)?.includes('"undeclared"') && !JSON.stringify(expected).includes('"undeclared"'))
        note('carries an undeclared property', schema, detail)
      else if (!validate(parsed)) note(`is invalid: ${validate.errors[0].keyword}`, schema, detail)
      else if (!isDeepStrictEqual(parsed, JSON.parse(JSON.stringify(expected)))) note('has other values than were sent', schema, detail)
    }
  }
  await server.close()
}

/** What fast-json-stringify gets wrong. Such a reply is a 500, never a disclosure. */
const knownDefects = [
  {
    kind: /^fails: Item at \d+ does not match schema definition/,
    reason: 'an entry of a tuple must have a `type`: entries with only const, enum or anyOf are refused',
  },
]
const known = (kind) => knownDefects.find((defect) => defect.kind.test(kind))
const total = [...defects.values()].reduce((sum, { count: n }) => sum + n, 0)
const unknown = [...defects].filter(([kind]) => known(kind) === undefined)
console.log(`generated replies: ${checked} pairs of ${count} schemas (seed ${seed}), ${checked - total} as they must be, ${total} not`)
console.log(`keywords: ${keywords.join(', ')}`)
for (const defect of knownDefects) {
  const n = [...defects].filter(([kind]) => known(kind) === defect).reduce((sum, [, entry]) => sum + entry.count, 0)
  console.log(`  ${n} × a known defect of fast-json-stringify: ${defect.reason}`)
}
for (const [kind, { count: n, schema, detail }] of unknown) {
  console.error(`  ${n} × ${kind}\n    ${schema.slice(0, 600)}\n    ${JSON.stringify(detail).slice(0, 400)}`)
  process.exitCode = 1
}
