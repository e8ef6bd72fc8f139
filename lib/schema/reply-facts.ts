/** Facts that a response schema demands of every payload, as far as they are certain without knowing the payload. */
import { isObject } from '../util/objects.js'
import { resolveReference } from './json-schema/references.js'

type Schema = any

/** The most levels of references and alternatives that are followed, because a schema may refer to itself. */
const MAX_DEPTH = 10

/**
 * Whether a reply without a payload contradicts a response schema, because the schema describes a value other than `null`. `false` if that
 * is not certain.
 * @param shared the shared schemas by `$id`; references are canonical
 */
export function needsPayload(schema: Schema, shared: Record<string, Schema>, document: Schema = schema, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false
  const inner = (each: Schema): boolean => needsPayload(each, shared, document, depth + 1)
  if (typeof schema['$ref'] === 'string') {
    const target = resolveReference(schema['$ref'], document, shared)
    return target !== undefined && needsPayload(target.schema, shared, target.document, depth + 1)
  }
  const { type, nullable, const: value, enum: values, anyOf, oneOf, allOf, properties } = schema
  if (nullable === true) return false
  if (type !== undefined) return ![type].flat().includes('null')
  if (value !== undefined) return value !== null
  if (Array.isArray(values)) return !values.includes(null)
  const alternatives: unknown = anyOf ?? oneOf
  if (Array.isArray(alternatives)) return alternatives.every(inner)
  if (Array.isArray(allOf)) return allOf.some(inner)
  return isObject(properties)
}

/** Lists the members without a default that a schema requires of every object, as far as that is certain. */
export function requiredMembers(schema: Schema, shared: Record<string, Schema>, document: Schema = schema, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return []
  if (typeof schema['$ref'] === 'string') {
    const target = resolveReference(schema['$ref'], document, shared)
    return target === undefined ? [] : requiredMembers(target.schema, shared, target.document, depth + 1)
  }
  const { required, properties, allOf } = schema
  const own: unknown[] = Array.isArray(required) ? required : []
  const inner = Array.isArray(allOf) ? allOf.flatMap((each) => requiredMembers(each, shared, document, depth + 1)) : []
  return [...own, ...inner].filter((name): name is string => typeof name === 'string' && properties?.[name]?.default === undefined)
}
