/**
 * Validation in several passes, for schemas that one pass would judge wrongly. ajv coerces and removes values while it validates them:
 * under `oneOf`, an alternative that fails has already coerced the value that the next one reads, and `minProperties` has counted
 * properties that are removed later. With several passes, a value that is valid as it was sent is accepted unchanged, and a handler never
 * gets a value that the schema does not allow.
 */
import type { ValidateFunction as AjvFunction } from 'ajv'
import { isObject } from '../../util/objects.js'
import { containsKey } from '../json-schema/schema-keys.js'
import { mapSchemas } from '../json-schema/vocabulary.js'
import { withNumbering } from './equality.js'

/** Keywords that read a value, or parts of it, several times, or before other keywords change it. */
const multiPassKeywords = new Set([
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

/**
 * Whether a schema contains a keyword that needs several passes of validation. A property with the name of such a keyword is mistaken for
 * one; this costs passes, but does no harm.
 */
export function needsMultiplePasses(schema: unknown): boolean {
  return containsKey(schema, (key) => multiPassKeywords.has(key))
}

/** The object that contains a value, and the name of the value in that object (ajv's data context). */
type DataContext = Parameters<AjvFunction>[1]

const keptKeywords = new Set(['allOf', 'patternProperties'])

/**
 * Returns a schema without its alternatives, such as `anyOf`. The remaining schema coerces and removes the same, whichever alternative a
 * value matches.
 */
export function withoutAlternatives(schema: any): any {
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !multiPassKeywords.has(keyword) || keptKeywords.has(keyword))
  return mapSchemas(Object.fromEntries(kept), withoutAlternatives)
}

/** The functions that one schema is compiled to: one for each pass of validation. */
export interface Passes {
  /** The pass that changes nothing, except that it fills in defaults of absent values. */
  readonly strict: AjvFunction
  /** The pass that coerces and removes only values that no alternative mentions. */
  readonly withoutAlternatives: AjvFunction
  /** The pass that coerces and removes values everywhere. */
  readonly coerce: AjvFunction
}

/** A function that runs one pass of validation, and returns whether it accepts the value. */
type RunPass = (pass: AjvFunction, value: unknown, context: DataContext) => boolean

const runPass: RunPass = (pass, value, context) => pass(value, context)
const runNumberedPass: RunPass = (pass, value, context) => withNumbering(() => pass(value, context))

/**
 * Makes one validator from the passes of a schema.
 * @param isTyped whether values come with the types of JSON; if not, they are texts that have to be coerced
 * @param hasNestedUniqueness whether lists within lists may have to be unique. Each pass then numbers values ({@link withNumbering}). A
 * pass that changes values may use numbers from before the change, so the last pass that has to accept a value is always one that changes
 * nothing.
 */
export function createMultiPassValidator(
  { strict, withoutAlternatives, coerce }: Passes,
  isTyped: boolean,
  hasNestedUniqueness: boolean,
): AjvFunction {
  const run = hasNestedUniqueness ? runNumberedPass : runPass
  function validate(value: unknown, context?: DataContext): value is unknown {
    if (isTyped) {
      if (isValid(value, context) || isValidAfter(withoutAlternatives, value, context) || isValidAfter(coerce, value, context))
        return accept()
    } else {
      const original = copyTexts(value)
      if (isValidAfter(coerce, value, context)) return accept()
      const { errors } = coerce
      if (context !== undefined && isValidAfter(withoutAlternatives, original, context)) return accept()
      coerce.errors = errors
    }
    validate.errors = coerce.errors ?? strict.errors
    return false
  }
  validate.errors = undefined as AjvFunction['errors']
  function accept(): true {
    validate.errors = null
    return true
  }
  /** Whether a value is valid as it was sent. For nested uniqueness the pass runs twice, because its first run may fill in defaults. */
  function isValid(value: unknown, context: DataContext): boolean {
    return run(strict, value, context) && (!hasNestedUniqueness || run(strict, value, context))
  }
  /** Whether a pass accepts a value, and the value is still valid after the changes of that pass. */
  function isValidAfter(pass: AjvFunction, value: unknown, context: DataContext): boolean {
    if (context === undefined) return run(pass, value, context) && run(strict, value, context)
    const { parentData, parentDataProperty: name } = context
    // Setting headers merges them into a new object, so the value is read again afterwards.
    if (parentData[name] !== value) parentData[name] = value
    return run(pass, parentData[name], context) && run(strict, parentData[name], context)
  }
  // `schemaEnv` marks a function of ajv; code that uses validators reads `schema`.
  return Object.assign(validate, { schema: coerce.schema, schemaEnv: coerce.schemaEnv })
}

/** Copies an object of texts and lists of texts, as query strings, parameters and headers are. */
function copyTexts(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(value))
  for (const [name, entry] of Object.entries(value)) copy[name] = Array.isArray(entry) ? [...entry] : entry
  return copy
}
