/**
 * Shapes: the merged keywords of schemas that a value must all fit, with one alternative chosen of each `anyOf`, `oneOf` and `if`. A shape
 * has one range, one list of values and one set of required members.
 */
import { canonicalText } from '../../../lib/internal.js'
import type { Conjunction, Schema, SchemaObject, SchemaPool } from './schemas.js'

/** The types of values. JSON Schema's type `number` is split into `integer` and `fraction`. */
export type Atom = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

export interface Bound {
  readonly value: number
  readonly exclusive: boolean
}

/** The keywords of one schema that describe the members of objects. */
export interface MemberRules {
  readonly properties: Readonly<Record<string, Schema>>
  readonly patterns: Readonly<Record<string, Schema>>
  /** The schema of all other members; `undefined` if there is no `additionalProperties`. */
  readonly others: Schema | undefined
}

/** The keywords of one schema that describe the items of lists. */
export interface ItemRules {
  readonly prefix: readonly Schema[]
  readonly rest: Schema
}

export interface ContainsRule {
  readonly schema: Schema
  readonly least: number
  readonly most: number
}

export interface Shape {
  /** All schemas that a value of the shape must fit, with one alternative chosen of each `anyOf`, `oneOf` and `if`. */
  readonly schemas: ReadonlySet<Schema>
  types: ReadonlySet<Atom>
  /** The only allowed values, if a schema lists them; otherwise `undefined`. */
  values: readonly unknown[] | undefined
  low: Bound | undefined
  high: Bound | undefined
  multiples: readonly number[]
  minLength: number
  maxLength: number
  patterns: ReadonlySet<string>
  formats: ReadonlySet<string>
  minItems: number
  maxItems: number
  unique: boolean
  items: readonly ItemRules[]
  contains: readonly ContainsRule[]
  minProperties: number
  maxProperties: number
  required: ReadonlySet<string>
  members: readonly MemberRules[]
  names: readonly Schema[]
  /** Pairs of a member's name and the names that are required if this member is present. */
  dependents: readonly (readonly [string, readonly string[]])[]
  /** The schemas that no value of the shape may fit. */
  nots: readonly Schema[]
}

/** The most shapes that schemas are split into. Schemas with more alternatives are not compared. */
const MAX_SHAPES = 128
/** The most alternatives of a `oneOf` for which each shape excludes the values of the other alternatives. */
const MAX_EXCLUDED = 16
const MAX_INTEGERS = 64

const atomsOf: Readonly<Record<string, readonly Atom[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
}
const allAtoms: ReadonlySet<Atom> = new Set(Object.values(atomsOf).flat())

/** Returns the types of values that a schema allows; all types if the schema has no `type`. */
export function typesOf({ type }: SchemaObject): ReadonlySet<Atom> {
  return type === undefined ? allAtoms : new Set((type as readonly string[]).flatMap((each) => atomsOf[each] ?? []))
}

/** The schemas of a shape that is being made, and the alternatives (`anyOf`, `oneOf`, `if`) that are not chosen yet. */
interface Unfolding {
  readonly schemas: Set<Schema>
  readonly choices: (readonly (readonly Schema[])[])[]
}

/**
 * Returns the shapes of the values that fit all these schemas. Each such value has at least one of the shapes.
 * @param base further schemas that the values fit, whose alternatives are chosen already
 * @returns `undefined` if there are too many shapes
 */
export function shapesOf(conjunction: Conjunction, pool: SchemaPool, base: ReadonlySet<Schema> = new Set()): Shape[] | undefined {
  const found: Shape[] = []
  const start: Unfolding = { schemas: new Set(base), choices: [] }
  for (const schema of conjunction) unfold(schema, start, pool)
  return choose(start, pool, found) ? found : undefined
}

function choose({ schemas, choices }: Unfolding, pool: SchemaPool, found: Shape[]): boolean {
  const shape = shapeOf(schemas)
  // Alternatives that contradict each other are left out before they multiply.
  if (shape.types.size === 0) return true
  const [first, ...others] = choices
  if (first === undefined) return found.push(shape) <= MAX_SHAPES
  return first.every((option) => {
    const next: Unfolding = { schemas: new Set(schemas), choices: [...others] }
    for (const schema of option) unfold(schema, next, pool)
    return choose(next, pool, found)
  })
}

/** Adds a schema to `into`, with all schemas that it refers to or combines by `allOf`. */
function unfold(schema: Schema, into: Unfolding, pool: SchemaPool): void {
  if (into.schemas.has(schema)) return
  into.schemas.add(schema)
  if (typeof schema === 'boolean') return
  const { $ref, allOf = [], anyOf, oneOf, if: condition, then = true, else: other = true, dependentSchemas = {} } = schema
  if ($ref !== undefined) unfold(pool.component($ref), into, pool)
  for (const each of allOf) unfold(each, into, pool)
  if (anyOf !== undefined) into.choices.push(anyOf.map((each: Schema) => [each]))
  if (oneOf !== undefined) into.choices.push(alternativesOf(oneOf, pool))
  if (condition !== undefined)
    into.choices.push([
      [condition, then],
      [pool.make({ not: condition }), other],
    ])
  for (const [name, each] of Object.entries<Schema>(dependentSchemas))
    into.choices.push([[pool.make({ properties: { [name]: false } })], [pool.make({ required: [name] }), each]])
}

function alternativesOf(oneOf: readonly Schema[], pool: SchemaPool): Schema[][] {
  return oneOf.map((each, index) => {
    const others = oneOf.length > MAX_EXCLUDED ? [] : oneOf.filter((_, at) => at !== index)
    return [each, ...others.map((other) => pool.make({ not: other }))]
  })
}

/** Merges the keywords of schemas that a value must all fit. Alternatives (`anyOf`, `oneOf`, `if`) must be chosen already. */
export function shapeOf(schemas: ReadonlySet<Schema>): Shape {
  const shape: Shape = {
    schemas,
    types: schemas.has(false) ? new Set() : allAtoms,
    values: undefined,
    low: undefined,
    high: undefined,
    multiples: [],
    minLength: 0,
    maxLength: Infinity,
    patterns: new Set(),
    formats: new Set(),
    minItems: 0,
    maxItems: Infinity,
    unique: false,
    items: [],
    contains: [],
    minProperties: 0,
    maxProperties: Infinity,
    required: new Set(),
    members: [],
    names: [],
    dependents: [],
    nots: [],
  }
  for (const schema of schemas) if (typeof schema === 'object') merge(schema, shape)
  return settle(shape)
}

function merge(given: SchemaObject, shape: Shape): void {
  const { type, enum: values, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, pattern, format, not } = given
  if (type !== undefined) shape.types = intersection(shape.types, typesOf(given))
  if (values !== undefined) shape.values = shape.values === undefined ? values : intersectValues(shape.values, values)
  for (const bound of [bounded(minimum, false), bounded(exclusiveMinimum, true)])
    if (bound !== undefined && isTighter(bound, shape.low, (a, b) => a > b)) shape.low = bound
  for (const bound of [bounded(maximum, false), bounded(exclusiveMaximum, true)])
    if (bound !== undefined && isTighter(bound, shape.high, (a, b) => a < b)) shape.high = bound
  if (multipleOf !== undefined) shape.multiples = [...shape.multiples, multipleOf]
  if (pattern !== undefined) shape.patterns = new Set([...shape.patterns, pattern])
  if (format !== undefined) shape.formats = new Set([...shape.formats, format])
  if (not !== undefined) shape.nots = [...shape.nots, not]
  mergeSizes(given, shape)
  mergeItems(given, shape)
  mergeMembers(given, shape)
}

function mergeSizes(given: SchemaObject, shape: Shape): void {
  shape.minLength = Math.max(shape.minLength, given['minLength'] ?? 0)
  shape.maxLength = Math.min(shape.maxLength, given['maxLength'] ?? Infinity)
  shape.minItems = Math.max(shape.minItems, given['minItems'] ?? 0)
  shape.maxItems = Math.min(shape.maxItems, given['maxItems'] ?? Infinity)
  shape.minProperties = Math.max(shape.minProperties, given['minProperties'] ?? 0)
  shape.maxProperties = Math.min(shape.maxProperties, given['maxProperties'] ?? Infinity)
}

function mergeItems(
  { items, prefixItems, uniqueItems, contains, minContains = 1, maxContains = Infinity }: SchemaObject,
  shape: Shape,
): void {
  if (uniqueItems === true) shape.unique = true
  if (items !== undefined || prefixItems !== undefined) shape.items = [...shape.items, { prefix: prefixItems ?? [], rest: items ?? true }]
  if (contains !== undefined) shape.contains = [...shape.contains, { schema: contains, least: minContains, most: maxContains }]
}

function mergeMembers(given: SchemaObject, shape: Shape): void {
  const { required, properties = {}, patternProperties = {}, additionalProperties: others, propertyNames, dependentRequired = {} } = given
  if (required !== undefined) shape.required = new Set([...shape.required, ...required])
  if (given['properties'] !== undefined || given['patternProperties'] !== undefined || others !== undefined)
    shape.members = [...shape.members, { properties, patterns: patternProperties, others }]
  const { unevaluatedProperties: unevaluated } = given
  // Which members are evaluated is not decided here, so that any value is allowed for the others.
  if (unevaluated !== undefined && unevaluated !== false) shape.members = [...shape.members, { properties: {}, patterns: {}, others: true }]
  if (propertyNames !== undefined) shape.names = [...shape.names, propertyNames]
  shape.dependents = [...shape.dependents, ...Object.entries<string[]>(dependentRequired)]
}

/** Removes from a shape the types that no value can have, and lists the values if they are few. */
function settle(shape: Shape): Shape {
  if (shape.multiples.some((each) => Number.isInteger(each)) || shape.formats.has('int32') || shape.formats.has('int64'))
    shape.types = without(shape.types, 'fraction')
  const { low, high } = shape
  if (low !== undefined && high !== undefined) {
    if (low.value > high.value || (low.value === high.value && (low.exclusive || high.exclusive)))
      shape.types = without(shape.types, 'integer', 'fraction')
    else if (integersOf(shape)?.length === 0) shape.types = without(shape.types, 'integer')
  }
  if (shape.minLength > shape.maxLength) shape.types = without(shape.types, 'string')
  if (shape.minItems > shape.maxItems) shape.types = without(shape.types, 'array')
  if (shape.minProperties > shape.maxProperties || shape.required.size > shape.maxProperties) shape.types = without(shape.types, 'object')
  if (shape.values !== undefined) {
    shape.values = shape.values.filter((value) => shape.types.has(atomOf(value)))
    shape.types = new Set(shape.values.map(atomOf))
  } else listValues(shape)
  return shape
}

function listValues(shape: Shape): void {
  if (shape.types.has('fraction') || shape.types.has('string') || shape.types.has('array') || shape.types.has('object')) return
  const integers = shape.types.has('integer') ? integersOf(shape) : []
  if (integers === undefined || integers.length > MAX_INTEGERS) return
  const others = [...(shape.types.has('null') ? [null] : []), ...(shape.types.has('boolean') ? [false, true] : [])]
  shape.values = [...others, ...integers]
}

/** Returns the integers within the bounds of a shape; `undefined` if there are too many integers. */
function integersOf({ low, high }: Shape): number[] | undefined {
  if (low === undefined || high === undefined) return undefined
  const first = low.exclusive ? Math.floor(low.value) + 1 : Math.ceil(low.value)
  const last = high.exclusive ? Math.ceil(high.value) - 1 : Math.floor(high.value)
  if (last - first >= MAX_INTEGERS || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return undefined
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

export function atomOf(value: unknown): Atom {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return typeof value as Atom
}

function bounded(value: number | undefined, exclusive: boolean): Bound | undefined {
  return typeof value === 'number' ? { value, exclusive } : undefined
}

function isTighter(bound: Bound, than: Bound | undefined, isBeyond: (a: number, b: number) => boolean): boolean {
  return than === undefined || isBeyond(bound.value, than.value) || (bound.value === than.value && bound.exclusive)
}

function intersectValues(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  const texts = new Set(other.map(canonicalText))
  return one.filter((value) => texts.has(canonicalText(value)))
}

function intersection<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...one].filter((each) => other.has(each)))
}

function without(types: ReadonlySet<Atom>, ...left: readonly Atom[]): ReadonlySet<Atom> {
  return new Set([...types].filter((each) => !left.includes(each)))
}

/** Returns the schemas that the member `name` must fit, from all rules of a shape. */
export function memberSchemas({ members }: Shape, name: string): Conjunction {
  return members.flatMap((rules) => schemasFor(rules, name) ?? [])
}

/** Returns the schemas of the member `name` by the rules of one schema; `undefined` if the rules do not describe this member. */
export function schemasFor({ properties, patterns, others }: MemberRules, name: string): Conjunction | undefined {
  const matching = Object.entries(patterns).filter(([pattern]) => matches(pattern, name))
  const own = Object.hasOwn(properties, name) ? [properties[name]!] : []
  const named = [...own, ...matching.map(([, schema]) => schema)]
  if (named.length > 0) return named
  return others === undefined ? undefined : [others]
}

export function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}

/** Returns the schemas that the item at `index` must fit, from all rules of a shape. */
export function itemSchemas(items: readonly ItemRules[], index: number): Conjunction {
  return items.map(({ prefix, rest }) => prefix[index] ?? rest).filter((each) => each !== true)
}
