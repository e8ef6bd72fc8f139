/** Generates values that schemas allow, among which counterexamples are searched. */
import { type Generator, SIZES } from '../document/generator.js'
import { closeShape } from './closing.js'
import { namesOf } from './objects.js'
import type { Conjunction, Schema, SchemaPool } from './schemas.js'
import { type Atom, itemSchemas, memberSchemas, type Shape, shapesOf } from './shapes.js'
import type { Step } from './doubts.js'
import { allOf } from './validators.js'

/** The most shapes (choices of alternatives) for which values are generated. */
const MAX_SHAPES = 4
/** The most items with which a list is filled up to reach an index. */
export const MAX_ITEMS = 200
/** The greatest length of a text that is generated from a pattern. */
const MAX_LENGTH = 1000

/** The JSON Schema types of the values that a generator is asked for, one type at a time. */
const typeNames: Readonly<Record<Atom, string>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'integer',
  fraction: 'number',
  string: 'string',
  array: 'array',
  object: 'object',
}

export class Candidates {
  readonly pool: SchemaPool
  readonly #isClosed: boolean
  readonly #generator: Generator | undefined
  readonly #seed: number
  readonly #lists = new Map<string, readonly unknown[]>()
  readonly #holders = new Map<string, unknown>()

  /**
   * @param isClosed whether objects must not have members that their schema does not name
   * @param generator the generator of values; without a generator, no values are generated
   */
  constructor(pool: SchemaPool, isClosed: boolean, generator: Generator | undefined, seed: number) {
    this.pool = pool
    this.#isClosed = isClosed
    this.#generator = generator
    this.#seed = seed
  }

  /**
   * Generates values for a list of schemas that a value must all fit; most of the values do. Small values come first, because they are
   * easier to read.
   * @param count the number of values for each shape, type and size
   * @param base further schemas that the values must fit, whose alternatives are chosen already
   */
  *of(conjunction: Conjunction, count: number, base: ReadonlySet<Schema> = new Set()): Iterable<unknown> {
    if (this.#generator === undefined) return
    const shapes = (shapesOf(conjunction, this.pool, base) ?? []).slice(0, MAX_SHAPES).map((shape) => this.#closed(shape))
    for (let size = SIZES - 1; size >= 0; size--) {
      const key = `${this.pool.keyOf(conjunction)} ${this.pool.keyOf([...base])} ${size} ${count}`
      let values = this.#lists.get(key)
      if (values === undefined) this.#lists.set(key, (values = shapes.flatMap((shape) => this.#generate(shape, size, count))))
      yield* values
    }
  }

  #closed(shape: Shape): Shape {
    return this.#isClosed ? closeShape(shape, this.pool) : shape
  }

  #generate(shape: Shape, size: number, count: number): unknown[] {
    return [...shape.types].flatMap((type) => {
      const schema = this.#schemaOf(shape, type)
      const components = this.pool.componentsOf([schema])
      const found: unknown[] = []
      for (let index = 0; index < count; index++) {
        try {
          found.push(...withLengths(this.#generator!.generate(schema, components, this.#seed + size * 100 + index, size), shape))
        } catch {
          // The generator finds no value of this kind. Others may have one.
          break
        }
      }
      return found
    })
  }

  /**
   * Generates an object or a list that fits a shape. The caller then replaces the member or item at `hole`.
   * @param attempt the number of the attempt: a higher number gives a larger value
   */
  holderOf(shape: Shape, hole: Step, attempt: number): unknown {
    if (this.#generator === undefined) return undefined
    const key = `${this.pool.keyOf([...shape.schemas])} ${typeof hole} ${hole} ${attempt}`
    if (!this.#holders.has(key)) this.#holders.set(key, this.#generateHolder(shape, hole, attempt))
    return this.#holders.get(key)
  }

  #generateHolder(shape: Shape, hole: Step, attempt: number): unknown {
    const schema = this.#schemaOf(shape, typeof hole === 'number' ? 'array' : 'object', hole)
    try {
      return this.#generator!.generate(schema, this.pool.componentsOf([schema]), this.#seed + attempt, SIZES - 1 - attempt)
    } catch {
      return undefined
    }
  }

  /**
   * Returns one schema without combinations (`allOf`, `anyOf`) for a shape, because the generator handles such a schema better.
   * @param hole the member or item that the caller replaces, for which no value is generated
   */
  #schemaOf(shape: Shape, type: Atom, hole?: Step): object {
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
        return objectSchema(shape, hole)
      default:
        return { type: typeNames[type] }
    }
  }
}

/**
 * Returns a text that was generated from a pattern, and copies of it in the lengths that the schema allows, because the generator does not
 * regard `minLength` and `maxLength` beside a pattern.
 */
function withLengths(value: unknown, { patterns, minLength, maxLength }: Shape): unknown[] {
  if (typeof value !== 'string' || value === '' || patterns.size === 0 || minLength > MAX_LENGTH) return [value]
  const lengths = new Set([minLength, minLength + 1, Math.min(maxLength, MAX_LENGTH)])
  return [
    value,
    ...[...lengths]
      .filter((length) => length <= maxLength)
      .map((length) => value.repeat(Math.ceil(length / value.length)).slice(0, length)),
  ]
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

function objectSchema(shape: Shape, hole: Step | undefined): object {
  const { required, minProperties, maxProperties, members, dependents, names } = shape
  const wanted = new Set([...namesOf(shape), ...required])
  const schemas = [...wanted].map((name): [string, Schema] => [name, name === hole ? { const: 0 } : allOf(memberSchemas(shape, name))])
  const possible = schemas.filter(([, schema]) => schema !== false && !hasFalse(schema))
  const others = members.flatMap((each) => (each.others === undefined ? [] : [each.others]))
  return {
    type: 'object',
    properties: Object.fromEntries(possible),
    required: [...required].filter((name) => possible.some(([each]) => each === name)),
    additionalProperties: others.includes(false) ? false : allOf(others),
    ...(members.some(({ patterns }) => Object.keys(patterns).length > 0) && {
      patternProperties: Object.assign({}, ...members.map(({ patterns }) => patterns).toReversed()) as object,
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
