/** Reads a Standard Schema of any library as JSON Schema. */
import { isObject } from '../../util/objects.js'
import type { StandardSchema } from '../../types/schema.js'
import { readArkType } from './arktype.js'
import { exact, inexact, type JsonSchema, objectOf, type Reading } from './reading.js'
import { shorthandProperties } from './shorthand.js'
import { tryToConvert } from './standard-schema.js'
import { readZod } from './zod.js'

/**
 * Reads a Standard Schema. Only schemas of libraries whose definitions are known (Zod, ArkType) can be read exactly. For other schemas, the
 * JSON Schema of the library only tells the types that texts are coerced to.
 */
export function readStandardSchema(schema: StandardSchema): Reading {
  const properties = shorthandProperties(schema)
  if (properties !== undefined) {
    return objectOf(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, readStandardSchema(property)])))
  }
  const { vendor } = schema['~standard']
  if (vendor === 'zod' && '_zod' in schema) return readZod(schema)
  const json = vendor === 'arktype' && 'json' in schema ? readArkType(schema.json) : undefined
  return json === undefined ? inexact(typesOnly(tryToConvert(schema) ?? {}, 0)) : exact(json)
}

/** The most levels of nested JSON Schema that are read. */
const MAX_DEPTH = 40

/** Reduces a JSON Schema to the types that it states outside of conditions and alternatives. */
function typesOnly(json: JsonSchema, depth: number): JsonSchema {
  if (json === null || typeof json !== 'object' || depth > MAX_DEPTH || '$ref' in json) return {}
  const { type, properties, items } = json
  return {
    ...(type !== undefined && { type }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries<any>(properties).map(([name, entry]) => [name, typesOnly(entry, depth + 1)])),
    }),
    ...(isObject(items) && { items: typesOnly(items, depth + 1) }),
  }
}
