/** Looks for a value that the narrow schema has and the wide one does not take: a counterexample to a comparison that is not proven. */
import { type Generator, SIZES } from '../document/generator.js'
import type { Doubt, Hint, Step } from './doubts.js'
import { membersOf } from './objects.js'
import type { Conjunction, Schema, SchemaPool } from './schemas.js'
import { type Atom, itemSchemas, type Shape, shapesOf } from './shapes.js'
import { allOf } from './validators.js'

/** The values of each size that are generated for a place, and for the whole schema. */
const SEEDS_OF_PLACE = 3
const SEEDS_OF_WHOLE = 10
/** The most shapes of a place for which values are generated. */
const MAX_SHAPES = 4
/** The most lists of items that are filled up to reach an index. */
const MAX_ITEMS = 200

/** The kinds of values that a generator is asked for, one at a time. */
const typeNames: Readonly<Record<Atom, string>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'integer',
  fraction: 'number',
  string: 'string',
  array: 'array',
  object: 'object',
}

export interface Search {
  readonly pool: SchemaPool
  /** Whether members that a schema does not name count as absent. */
  readonly isClosed: boolean
  /** The generator of values; `undefined` if json-schema-faker is not installed. */
  readonly generator: Generator | undefined
  readonly seed: number
  /** Whether a value is valid for the narrow schema and not for the wide one. */
  isCounterexample(value: unknown): boolean
}

/** Looks for a counterexample at the places that a doubt names. Returns `undefined` if none is found. */
export function counterexampleOf(doubt: Doubt, search: Search): { readonly value: unknown } | undefined {
  for (const hint of doubt.hints) {
    for (const value of valuesFor(hint, search)) if (search.isCounterexample(value)) return { value }
  }
  return undefined
}

/** Looks for a counterexample among generated values of the narrow schema. */
export function anyCounterexample(narrow: Schema, search: Search): { readonly value: unknown } | undefined {
  for (const value of generated([narrow], search, SEEDS_OF_WHOLE)) if (search.isCounterexample(value)) return { value }
  return undefined
}

/** Makes whole values that have a value of interest at the place of a hint. */
function* valuesFor(hint: Hint, search: Search): Generator_ {
  const at = hint.levels.at(-1)!
  const candidates = function* (): Generator_ {
    yield* hint.tries
    for (const value of generated(at, search, SEEDS_OF_PLACE)) yield hint.isDoubled === true ? doubled(value) : value
  }
  for (const value of candidates()) for (const whole of wrapped(value, hint, search)) yield whole
}

type Generator_ = Iterable<unknown>

/** Makes the values around a value, from the inside out, by the schemas of each level. */
function* wrapped(value: unknown, { path, levels }: Hint, search: Search): Generator_ {
  if (path.length === 0) return yield value
  for (let attempt = 0; attempt < 2; attempt++) {
    let whole: unknown = value
    for (let level = path.length - 1; level >= 0; level--) whole = around(whole, path[level]!, levels[level]!, search, attempt)
    if (whole !== undefined) yield whole
  }
}

/** Makes a value of a conjunction that has the given value at a step. Returns `undefined` if no such value is found. */
function around(value: unknown, step: Step, level: Conjunction, search: Search, attempt: number): unknown {
  const [shape] = shapesOf(level, search.pool) ?? []
  if (shape === undefined || value === undefined) return undefined
  const type = typeof step === 'number' ? 'array' : 'object'
  const base = attempt === 0 && isFree(shape, step) ? (type === 'array' ? [] : {}) : generateOne(shape, type, search, attempt, step)
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(base) ? base : []
    for (let index = list.length; index < Math.min(MAX_ITEMS, Math.max(step, shape.minItems)); index++)
      list.push(generateItem(shape, index, search))
    list[step] = value
    return list
  }
  const object = base !== null && typeof base === 'object' ? base : {}
  // A member may be named `__proto__`.
  return Object.fromEntries([...Object.entries(object), [step, value]])
}

/** Whether a shape demands nothing but the member or item at a step. */
function isFree({ required, minProperties, minItems, contains, dependents }: Shape, step: Step): boolean {
  if (typeof step === 'number') return minItems <= step + 1 && contains.length === 0 && step === 0
  return [...required].every((name) => name === step) && minProperties <= 1 && dependents.length === 0
}

function generateItem(shape: Shape, index: number, search: Search): unknown {
  for (const value of generated(itemSchemas(shape.items, index), search, 1)) return value
  return null
}

function generateOne(shape: Shape, type: Atom, search: Search, attempt: number, hole: Step): unknown {
  const { generator, pool, seed } = search
  if (generator === undefined) return undefined
  const schema = schemaOf(shape, type, search, hole)
  try {
    return generator.generate(schema, pool.componentsOf([schema as Schema]), seed + attempt, SIZES - 1 - attempt)
  } catch {
    return undefined
  }
}

/** Generates values of a conjunction: small ones first, because they are easier to read. */
function* generated(conjunction: Conjunction, search: Search, seeds: number): Generator_ {
  const { generator, pool, seed } = search
  if (generator === undefined) return
  const shapes = (shapesOf(conjunction, pool) ?? []).slice(0, MAX_SHAPES)
  for (let size = SIZES - 1; size >= 0; size--)
    for (const shape of shapes)
      for (const type of shape.types) {
        const schema = schemaOf(shape, type, search)
        const components = pool.componentsOf([schema as Schema])
        for (let index = 0; index < seeds; index++) {
          try {
            yield generator.generate(schema, components, seed + size * 100 + index, size)
          } catch {
            // The generator finds no value of this kind. Others may have one.
            break
          }
        }
      }
}

function doubled(value: unknown): unknown {
  return Array.isArray(value) && value.length > 0 ? [...(value as unknown[]), value[0]] : value
}

/**
 * Writes a shape as one schema without combinations, which a generator reads better.
 * @param hole the member or item that is replaced afterwards, so that it is not generated
 */
function schemaOf(shape: Shape, type: Atom, search: Pick<Search, 'isClosed'>, hole?: Step): object {
  const { values, low, high, multiples, minLength, maxLength, patterns, formats } = shape
  if (values !== undefined) return { enum: values }
  const [pattern] = patterns
  const [format] = formats
  switch (type) {
    case 'integer':
    case 'fraction':
      return {
        type: typeNames[type],
        ...(low !== undefined && { [low.exclusive ? 'exclusiveMinimum' : 'minimum']: low.value }),
        ...(high !== undefined && { [high.exclusive ? 'exclusiveMaximum' : 'maximum']: high.value }),
        ...(multiples.length > 0 && { multipleOf: Math.max(...multiples) }),
      }
    case 'string':
      return {
        type: 'string',
        ...(minLength > 0 && { minLength }),
        ...(maxLength < Infinity && { maxLength }),
        ...(pattern !== undefined && { pattern }),
        ...(format !== undefined && { format }),
      }
    case 'array':
      return listSchema(shape, hole)
    case 'object':
      return objectSchema(shape, search, hole)
    default:
      return { type: typeNames[type] }
  }
}

function listSchema({ items, minItems, maxItems, unique, contains }: Shape, hole: Step | undefined): object {
  const longest = Math.min(MAX_ITEMS, Math.max(0, ...items.map(({ prefix }) => prefix.length)))
  const at = (index: number): Schema => (index === hole ? { const: 0 } : allOf(itemSchemas(items, index)))
  const prefix = Array.from({ length: Math.max(longest, typeof hole === 'number' ? hole + 1 : 0) }, (_, index) => at(index))
  const rest = allOf(itemSchemas(items, longest))
  const most = [...prefix, rest].indexOf(false)
  return {
    type: 'array',
    ...(prefix.length > 0 && { prefixItems: prefix }),
    items: rest === false ? {} : rest,
    ...(minItems > 0 && { minItems }),
    ...((maxItems < Infinity || most >= 0) && { maxItems: most >= 0 ? Math.min(most, maxItems) : maxItems }),
    ...(unique && { uniqueItems: true }),
    ...(contains.length > 0 && { contains: contains[0]!.schema }),
  }
}

function objectSchema(shape: Shape, search: Pick<Search, 'isClosed'>, hole: Step | undefined): object {
  const { required, minProperties, maxProperties, members, dependents, names } = shape
  const { isClosed, names: named, of } = membersOf(shape, search)
  const wanted = new Set([...named, ...required])
  const schemas = [...wanted].map((name): [string, Schema] => [name, name === hole ? { const: 0 } : allOf(of(name))])
  const possible = schemas.filter(([, schema]) => schema !== false && !hasFalse(schema))
  const others = members.flatMap((each) => (each.others === undefined ? [] : [each.others]))
  return {
    type: 'object',
    properties: Object.fromEntries(possible),
    required: [...required].filter((name) => possible.some(([each]) => each === name)),
    additionalProperties: isClosed ? false : others.length === 0 ? true : allOf(others),
    ...(members.some(({ patterns }) => Object.keys(patterns).length > 0) && {
      patternProperties: Object.assign({}, ...members.map(({ patterns }) => patterns)) as object,
    }),
    ...(minProperties > 0 && { minProperties }),
    ...(maxProperties < Infinity && { maxProperties }),
    ...(dependents.length > 0 && { dependentRequired: Object.fromEntries(dependents) }),
    ...(names.length > 0 && { propertyNames: allOf(names) }),
  }
}

function hasFalse(schema: Schema): boolean {
  return typeof schema === 'object' && Array.isArray(schema['allOf']) && schema['allOf'].includes(false)
}
