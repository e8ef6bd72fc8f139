/**
 * Schemas in which coercion and removal get in each other's way. The engine changes a value while it looks at it: under
 * `oneOf` an alternative that fails has coerced what the next one reads, and `minProperties` has counted what is removed
 * later. Values under such schemas are looked at in stages, so that what is valid as it was sent is taken, and nothing
 * reaches a handler that its schema does not allow.
 */
import type { ValidateFunction } from '../../types/compilers.js'
import { holdsKey } from '../schema-keys.js'

/** Keywords that look at a value, or at parts of it, more than once or before others change it. */
const tangling = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'discriminator',
  'contains',
  'minContains',
  'maxContains',
  'dependencies',
  'dependentSchemas',
  'minProperties',
  'patternProperties',
])

/** Whether a schema holds such keywords. A property of that name does no harm. */
export function isTangled(schema: unknown): boolean {
  return holdsKey(schema, (key) => tangling.has(key))
}

interface Place {
  readonly parentData: any
  readonly parentDataProperty: string | number
}

type Stage = ValidateFunction & { (value: unknown, place?: Place): unknown; errors?: unknown }

/** Keywords whose values are schemas by name, and those whose values are schemas or lists of them. */
const maps = new Set(['properties', 'patternProperties', 'definitions', '$defs'])
const parts = new Set(['items', 'additionalItems', 'additionalProperties', 'allOf'])
const kept = new Set(['allOf', 'patternProperties'])

/** A schema without its alternatives: what can be coerced and removed whichever of them a value is. */
export function withoutAlternatives(schema: any): any {
  if (Array.isArray(schema)) return schema.map(withoutAlternatives)
  if (schema === null || typeof schema !== 'object') return schema
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries<any>(schema)) {
    if (tangling.has(key) && !kept.has(key)) continue
    if (maps.has(key)) result[key] = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutAlternatives(entry)]))
    else result[key] = parts.has(key) ? withoutAlternatives(value) : value
  }
  return result
}

/**
 * One validator of several for the same schema.
 *
 * @param exact changes nothing but absent values that have a default
 * @param outer coerces and removes what no alternative says anything of
 * @param coercing coerces and removes everywhere
 * @param isTyped whether values come with the types of JSON, and not as texts that wait for coercion
 */
export function inStages(exact: Stage, outer: Stage, coercing: Stage, isTyped: boolean): Stage {
  function validate(value: unknown, place?: Place): boolean {
    if (isTyped) {
      if (exact(value, place) === true || settles(outer, value, place) || settles(coercing, value, place)) return passed()
    } else {
      const original = copyOf(value)
      if (settles(coercing, value, place)) return passed()
      const { errors } = coercing
      if (place !== undefined && settles(outer, original, place)) return passed()
      coercing.errors = errors
    }
    ;(validate as Stage).errors = coercing.errors ?? exact.errors
    return false
  }
  function passed(): true {
    ;(validate as Stage).errors = null
    return true
  }
  /** Whether a stage takes the value, and what it made of it is valid. */
  function settles(stage: Stage, given: unknown, place: Place | undefined): boolean {
    if (place === undefined) return stage(given) === true && exact(given) === true
    const { parentData, parentDataProperty: name } = place
    // Headers are laid over others when they are set: what is there then is another object.
    if (parentData[name] !== given) parentData[name] = given
    return stage(parentData[name], place) === true && exact(parentData[name], place) === true
  }
  // What marks a function of the engine, and what its users read from it.
  return Object.assign(validate, { schema: (coercing as any).schema, schemaEnv: (coercing as any).schemaEnv })
}

/** Texts and lists of texts, as query strings, parameters and headers hold them. */
function copyOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(value))
  for (const [name, entry] of Object.entries(value)) copy[name] = Array.isArray(entry) ? [...entry] : entry
  return copy
}
