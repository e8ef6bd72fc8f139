/** References to the component schemas of an OpenAPI document: `#/components/schemas/User`. */
import { isObject } from '../../../lib/internal.js'

type Schema = any

/** The schemas of an OpenAPI document's components, by name. */
export type ComponentSchemas = Readonly<Record<string, Schema>>

/** The most references that are followed in one chain, because a schema may refer to itself. */
const MAX_STEPS = 100

const componentPrefix = '#/components/schemas/'

export function referTo(component: string): Schema {
  return { $ref: componentPrefix + component }
}

/** Returns the name of the component that a reference leads to. */
export function componentOf(reference: string): string {
  return reference.replace(componentPrefix, '')
}

/** Returns the component that a schema refers to, merged with the keywords beside `$ref`; the schema itself if it has no such reference. */
export function behindReference(schema: Schema, components: ComponentSchemas): Schema {
  let at = schema
  for (let steps = 0; isObject(at) && typeof at['$ref'] === 'string' && steps < MAX_STEPS; steps++) {
    const { $ref, ...beside } = at
    const target = components[componentOf($ref)]
    if (target === undefined) return at
    at = isObject(target) ? { ...target, ...beside } : target
  }
  return at
}

/** Returns a schema, and all schemas that the schema refers to or combines by keywords (`combining`) such as `allOf` and `anyOf`. */
export function combinedSchemas(
  schema: Schema,
  components: ComponentSchemas,
  combining: readonly string[],
  seen = new Set<Schema>(),
): Schema[] {
  if (schema === undefined || seen.has(schema)) return []
  if (!isObject(schema)) return [schema]
  seen.add(schema)
  const target = typeof schema['$ref'] === 'string' ? [components[componentOf(schema['$ref'])]] : []
  const others = [...target, ...combining.flatMap((keyword) => schema[keyword] ?? [])]
  return [schema, ...others.flatMap((other) => combinedSchemas(other, components, combining, seen))]
}
