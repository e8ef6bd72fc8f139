/**
 * Schemas in which coercion and removal get in each other's way. The engine changes a value while it looks at it: under
 * `oneOf` an alternative that fails has coerced what the next one reads, and `minProperties` has counted what is removed
 * later. Values under such schemas are looked at in stages, so that what is valid as it was sent is taken, and nothing
 * reaches a handler that its schema does not allow.
 */
import type { ValidateFunction } from './contract.js'
import { holdsKey } from './schema-names.js'

/** Keywords that look at a value, or at parts of it, more than once or before others change it. */
const tangling = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'contains',
  'dependencies',
  'dependentSchemas',
  'minProperties',
  'patternProperties',
])

/** Whether a schema, or a shared one that it may refer to, holds such keywords. A property of that name does no harm. */
export function isTangled(schema: unknown, shared: Record<string, unknown>): boolean {
  return holdsKey(schema, (key) => tangling.has(key)) || (refersTo(schema) && holdsKey(shared, (key) => tangling.has(key)))
}

function refersTo(schema: unknown): boolean {
  return holdsKey(schema, (key) => key === '$ref')
}

interface Place {
  readonly parentData: any
  readonly parentDataProperty: string | number
}

type Stage = ValidateFunction & { (value: unknown, place?: Place): unknown; errors?: unknown }

/**
 * One validator of several for the same schema.
 *
 * @param exact changes nothing but absent values that have a default
 * @param removing removes what is additional, and coerces nothing
 * @param coercing does both
 * @param isTyped whether values come with the types of JSON, and not as texts that wait for coercion
 */
export function inStages(exact: Stage, removing: Stage, coercing: Stage, isTyped: boolean): Stage {
  function validate(value: unknown, place?: Place): boolean {
    const original = isTyped ? value : copyOf(value)
    if (isTyped && exact(value, place) === true) return passed()
    if (isTyped && settles(removing, value, place)) return passed()
    if (settles(coercing, value, place)) return passed()
    const { errors } = coercing
    if (!isTyped && place !== undefined && exact(original, place) === true) {
      place.parentData[place.parentDataProperty] = original
      return passed()
    }
    ;(validate as Stage).errors = errors ?? exact.errors
    return false
  }
  function passed(): true {
    ;(validate as Stage).errors = null
    return true
  }
  /** Whether a stage takes the value, and what it made of it is valid. */
  function settles(stage: Stage, value: unknown, place: Place | undefined): boolean {
    return stage(value, place) === true && exact(place === undefined ? value : place.parentData[place.parentDataProperty], place) === true
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
