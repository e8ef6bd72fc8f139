/** Generates values that mostly fit a schema. */
import { behindReference, type ComponentSchemas } from '../../contract/openapi/component-references.js'
import { textMatching } from './pattern-text.js'
import type { Random } from './random.js'

type Schema = any

const MAX_DEPTH = 6
const letters = ['a', 'b', 'Z', '0', ' ', '-', '_', '.', 'é', '漢', '😀', '"', '<', "'", '&', '%']
const formats: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-29', '1999-12-31', '2000-01-01'],
  time: ['12:34:56Z', '23:59:59.999+02:00'],
  'date-time': ['2024-02-29T12:34:56Z', '1999-12-31T23:59:59.999+02:00'],
  duration: ['P1D', 'PT12H'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'],
  ipv4: ['127.0.0.1', '255.255.255.255'],
  ipv6: ['::1', '2001:db8::ff00:42:8329'],
  email: ['a@b.co', 'first.last@example.org'],
  hostname: ['example.org', 'localhost'],
  uri: ['https://example.org/a?b=c', 'urn:a:b'],
  'uri-reference': ['/a/b', 'https://example.org'],
  byte: ['YQ==', ''],
}

/** The component schemas and choices for generating values. */
export interface Fitting {
  readonly random: Random
  readonly components: ComponentSchemas
  /** Whether all optional properties are generated, and each list gets an item. */
  readonly isFull?: boolean
}

/** Generates a value that mostly fits a schema. The value may not fit if keywords restrict each other, such as `not`. */
export function fitting(schema: Schema, fit: Fitting, depth = 0): unknown {
  const { random, components } = fit
  const at = behindReference(schema, components)
  if (at === true || at === undefined || at === null || at === false)
    return random.pick<unknown>([null, 1, 'x', true, [], {}, [1], { a: 1 }])
  if ('const' in at) return at.const
  if (at.enum !== undefined) return random.pick(at.enum)
  const alternatives = at.oneOf ?? at.anyOf
  if (alternatives !== undefined) {
    const { oneOf: _one, anyOf: _any, ...rest } = at
    // A schema that refers to itself ends in the alternative that comes first.
    const chosen = depth > MAX_DEPTH ? alternatives[0] : random.pick(alternatives)
    return depth > MAX_DEPTH * 2 ? null : fitting(merge(rest, behindReference(chosen, components)), fit, depth + 1)
  }
  if (at.allOf !== undefined) {
    const { allOf, ...rest } = at
    if (depth > MAX_DEPTH * 2) return null
    return fitting(
      allOf.reduce((all: Schema, each: Schema) => merge(all, behindReference(each, components)), rest),
      fit,
      depth + 1,
    )
  }
  if (Array.isArray(at.examples) && at.examples.length > 0 && random.chance(0.3)) return random.pick(at.examples)
  return fittingType(typeOf(at, random), at, fit, depth)
}

function typeOf({ type, properties, required, items, minLength, pattern, minimum }: Schema, random: Random): string | undefined {
  if (type !== undefined) return Array.isArray(type) ? random.pick(type) : type
  if (properties !== undefined || required !== undefined) return 'object'
  if (items !== undefined) return 'array'
  if (minLength !== undefined || pattern !== undefined) return 'string'
  return minimum === undefined ? undefined : 'number'
}

function fittingType(type: string | undefined, schema: Schema, fit: Fitting, depth: number): unknown {
  const { random } = fit
  switch (type) {
    case 'string':
      return fittingText(schema, random)
    case 'integer':
    case 'number':
      return fittingNumber(type, schema, random)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array':
      return fittingList(schema, fit, depth)
    case 'object':
      return fittingObject(schema, fit, depth)
    default:
      return fitting(true, fit, depth)
  }
}

function fittingText({ format, pattern, minLength = 0, maxLength }: Schema, random: Random): string {
  if (pattern !== undefined) {
    const text = textMatching(pattern, random)
    return text !== '' && text.length < minLength ? text.repeat(Math.ceil(minLength / text.length)) : text
  }
  if (format !== undefined && Object.hasOwn(formats, format)) return random.pick(formats[format]!)
  const most = Math.min(maxLength ?? Infinity, Math.max(minLength, 8))
  return random
    .list(Math.max(minLength, Math.min(1, most)), most, () => random.pick(letters))
    .join('')
    .slice(0, maxLength)
}

function fittingNumber(type: string, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema, random: Random): number {
  const isWhole = type === 'integer'
  const step = isWhole ? 1 : 0.001
  const low: number | undefined = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step)
  const high: number | undefined = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step)
  const least = low ?? Math.min(0, (high ?? 0) - 100)
  const most = high ?? least + 100
  if (multipleOf !== undefined)
    return Number((multipleOf * random.int(Math.ceil(least / multipleOf), Math.floor(most / multipleOf))).toFixed(6))
  if (isWhole) return random.int(Math.ceil(least), Math.floor(most))
  const value = random.chance(0.5) ? Math.ceil(least) : Number((least + random.next() * (most - least)).toFixed(3))
  return Math.max(least, Math.min(most, value))
}

function fittingList({ items, prefixItems = [], minItems, maxItems, uniqueItems }: Schema, fit: Fitting, depth: number): unknown[] {
  const least: number = minItems ?? (fit.isFull === true && depth < MAX_DEPTH ? Math.min(1, maxItems ?? 1) : 0)
  const most = depth >= MAX_DEPTH ? least : Math.max(least, Math.min(maxItems ?? 3, least + 3))
  const list = fit.random.list(least, most, (index) => fitting(prefixItems[index] ?? items, fit, depth + 1))
  if (uniqueItems !== true) return list
  const texts = list.map((entry) => JSON.stringify(entry))
  return list.filter((_, index) => texts.indexOf(texts[index]!) === index)
}

function fittingObject(schema: Schema, fit: Fitting, depth: number): object {
  const { random, isFull } = fit
  const { required = [], properties = {}, additionalProperties, minProperties = 0 } = schema
  const value = {}
  for (const [name, property] of Object.entries(properties))
    if (required.includes(name) || (depth < MAX_DEPTH && (isFull === true || random.chance(0.6))))
      put(value, name, fitting(property, fit, depth + 1))
  for (const name of required) if (!Object.hasOwn(value, name)) put(value, name, random.pick<unknown>([1, 'x']))
  const isMap = additionalProperties !== null && typeof additionalProperties === 'object'
  const others =
    additionalProperties === false ? 0 : Math.max(minProperties - Object.keys(value).length, isMap && depth < MAX_DEPTH ? 1 : 0)
  for (let index = 0; index < Math.min(others, 20); index++) put(value, `other${index}`, fitting(additionalProperties, fit, depth + 1))
  return value
}

/** Sets a member of an object, even one with the name `__proto__`. */
export function put(object: object, name: string | number, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

function merge(one: Schema, other: Schema): Schema {
  if (other === null || typeof other !== 'object') return one
  return {
    ...one,
    ...other,
    ...((one.properties ?? other.properties) && { properties: { ...one.properties, ...other.properties } }),
    ...((one.required ?? other.required) && { required: [...(one.required ?? []), ...(other.required ?? [])] }),
  }
}
