/** Decides whether a text, a number, a boolean or null fits a schema, without compiling a validator of the whole schema. */
import { canonicalText } from '../../../lib/internal.js'
import type { Schema, SchemaObject, SchemaPool } from './schemas.js'
import { atomOf, typesOf } from './shapes.js'

type Accepts = (schema: Schema, value: unknown) => boolean | undefined

/** The most references and combinations (`allOf`, `anyOf`) that are followed. */
const MAX_STEPS = 100

/**
 * Whether a scalar fits a schema; `undefined` if this is not known.
 * @param accepts validates keywords such as `pattern` and `format`
 */
export function acceptsScalar(schema: Schema, value: unknown, pool: SchemaPool, accepts: Accepts, steps = 0): boolean | undefined {
  if (typeof schema === 'boolean') return schema
  if (steps > MAX_STEPS) return undefined
  if (!fitsKeywords(schema, value)) return false
  const asked = ['pattern', 'format', 'multipleOf'].filter((keyword) => keyword in schema)
  const found = asked.map((keyword) => accepts(pool.make({ [keyword]: schema[keyword] }), value))
  const fits = (each: Schema): boolean | undefined => acceptsScalar(each, value, pool, accepts, steps + 1)
  const { $ref, $dynamicRef, allOf = [], anyOf, oneOf, not, if: condition, then = true, else: other = true } = schema
  if ($ref !== undefined) found.push(fits(pool.component($ref)))
  if ($dynamicRef !== undefined) found.push(undefined)
  found.push(...allOf.map(fits))
  if (anyOf !== undefined) found.push(isOne(anyOf.map(fits)))
  if (oneOf !== undefined) found.push(isExactlyOne(oneOf.map(fits)))
  if (not !== undefined) found.push(isNot(fits(not)))
  if (condition !== undefined) found.push(eitherOf(fits(condition), fits(then), fits(other)))
  if (found.includes(false)) return false
  return found.includes(undefined) ? undefined : true
}

function fitsKeywords(schema: SchemaObject, value: unknown): boolean {
  const { enum: listed, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema
  if (!typesOf(schema).has(atomOf(value))) return false
  if (listed !== undefined && !listed.some((each: unknown) => canonicalText(each) === canonicalText(value))) return false
  if (typeof value === 'number') {
    if (value < minimum || value > maximum || value <= exclusiveMinimum || value >= exclusiveMaximum) return false
  }
  if (typeof value === 'string') {
    const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(value).length
    if (length < minLength || length > maxLength) return false
  }
  return true
}

function isOne(found: readonly (boolean | undefined)[]): boolean | undefined {
  if (found.includes(true)) return true
  return found.includes(undefined) ? undefined : false
}

function isExactlyOne(found: readonly (boolean | undefined)[]): boolean | undefined {
  const fitting = found.filter((each) => each === true).length
  if (fitting > 1) return false
  return found.includes(undefined) ? undefined : fitting === 1
}

function isNot(found: boolean | undefined): boolean | undefined {
  return found === undefined ? undefined : !found
}

function eitherOf(condition: boolean | undefined, then: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (condition === undefined) return then === other ? then : undefined
  return condition ? then : other
}
