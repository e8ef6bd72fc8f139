/** The shared schemas of a context. */
import { isPlainObject } from '../util/objects.js'
import { errorCodes } from '../errors/codes.js'
import type { SchemaBucket } from '../types/compilers.js'
import { containsRefinement, refinementCure } from './refinements.js'
import { containsStream } from './streams/stream.js'

const kFluent = Symbol.for('fluent-schema-object')

/**
 * The shared schemas that are visible in one context, by `$id`. The store starts with a copy of the schemas of the parent context. Schemas
 * of the context are added to it, and schemas that an ancestor gets later.
 */
export class SchemaStore implements SchemaBucket {
  readonly #schemas: Record<string, any>

  constructor(inherited: Record<string, any> = {}) {
    this.#schemas = { ...inherited }
  }

  /** Adds a shared schema. @throws ALC_ERR_SCH_MISSING_ID, ALC_ERR_SCH_ALREADY_PRESENT */
  add(input: any): void {
    const schema = copySchema(unwrapFluent(input))
    const id = schema?.$id
    if (!id) throw new errorCodes.ALC_ERR_SCH_MISSING_ID(typeof input === 'function' ? input.name : undefined)
    if (containsStream(schema))
      throw new errorCodes.ALC_ERR_SETTING_INVALID(
        `The shared schema '${id}'`,
        'has stream(…) in it, which has no effect there. Write it in a route: response: { 200: stream(…) }',
      )
    if (containsRefinement(input)) throw new errorCodes.ALC_ERR_SETTING_INVALID(`The shared schema '${id}'`, `contains ${refinementCure}`)
    if (Object.hasOwn(this.#schemas, id)) throw new errorCodes.ALC_ERR_SCH_ALREADY_PRESENT(id)
    this.#schemas[id] = schema
  }

  getSchema(id: string): any {
    return Object.hasOwn(this.#schemas, id) ? this.#schemas[id] : undefined
  }

  getSchemas(): Record<string, any> {
    return { ...this.#schemas }
  }
}

/** Copies the plain objects and arrays of a schema. Anything else (functions, objects of other engines) is not copied. */
function copySchema(value: any): any {
  if (Array.isArray(value)) return value.map(copySchema)
  if (!isPlainObject(value)) return value
  const copy: any = {}
  // TypeBox 1 hides what it notes of a schema in keys that are not enumerable, which are no keywords.
  for (const key of Reflect.ownKeys(value)) if (Object.prototype.propertyIsEnumerable.call(value, key)) copy[key] = copySchema(value[key])
  return copy
}

/** Returns the JSON Schema of an object of fluent-json-schema; any other schema unchanged. */
export function unwrapFluent(schema: any): any {
  return schema?.isFluentSchema || schema?.isFluentJSONSchema || schema?.[kFluent] ? schema.valueOf() : schema
}
