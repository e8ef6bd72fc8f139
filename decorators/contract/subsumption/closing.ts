/**
 * Closes objects: an object must not have members that its schemas do not name, unless a schema describes the other members. Members that a
 * schema requires or depends on count as named, and so do the members of all alternatives of `anyOf`, because a value may fit several
 * alternatives.
 */
import { mapValues, type Schema, type SchemaPool } from './schemas.js'
import { type Shape, shapeOf } from './shapes.js'

/** The most references and combinations (`allOf`, `anyOf`) that are followed from one alternative. */
const MAX_STEPS = 50

/** Returns a shape whose objects have only named members; the shape itself if a schema describes other members. */
export function closeShape(shape: Shape, pool: SchemaPool): Shape {
  const { members, schemas, required, dependents } = shape
  if (!shape.types.has('object') || shape.values !== undefined) return shape
  if (!members.some(({ properties }) => namesMembers(properties)) || members.some(({ others }) => others !== undefined)) return shape
  const alternatives = membersOfAlternatives(schemas, pool)
  if (alternatives === undefined) return shape
  const own = [
    ...members.flatMap(({ properties }) => Object.keys(properties)),
    ...required,
    ...dependents.flatMap(([name, names]) => [name, ...names]),
    ...[...schemas].flatMap((schema) => (typeof schema === 'object' ? Object.keys(schema['dependentSchemas'] ?? {}) : [])),
  ]
  const closing = pool.make({
    properties: { ...mapValues(Object.fromEntries(alternatives), (each) => pool.make({ anyOf: each })), ...anyOf(own) },
    patternProperties: anyOf(members.flatMap(({ patterns }) => Object.keys(patterns))),
    additionalProperties: false,
  })
  return shapeOf(new Set([...schemas, closing]))
}

/** Whether a schema's `properties` name at least one member that is not forbidden (`false`). */
export function namesMembers(properties: Readonly<Record<string, Schema>>): boolean {
  return Object.values(properties).some((schema) => schema !== false)
}

/** Returns an object with these names as keys, and for each the schema `true`, which allows any value. */
function anyOf(names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, true]))
}

/** Returns the schemas of the members that the alternatives of `anyOf` name; `undefined` if an alternative allows further members. */
function membersOfAlternatives(schemas: ReadonlySet<Schema>, pool: SchemaPool): Map<string, Schema[]> | undefined {
  const found = new Map<string, Schema[]>()
  for (const schema of schemas) {
    const alternatives: readonly Schema[] = (typeof schema === 'object' ? schema['anyOf'] : undefined) ?? []
    for (const each of alternatives) if (!schemas.has(each) && !collect(each, pool, found, 0)) return undefined
  }
  return found
}

/** Adds the members that a schema names to `found`. @returns `false` if the schema may allow members that it does not name */
function collect(schema: Schema, pool: SchemaPool, found: Map<string, Schema[]>, steps: number): boolean {
  if (typeof schema === 'boolean') return true
  if (steps > MAX_STEPS || ['additionalProperties', 'patternProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema))
    return false
  const {
    properties = {},
    required = [],
    $ref,
    allOf = [],
    anyOf: any = [],
    oneOf = [],
    dependentSchemas = {},
    dependentRequired = {},
  } = schema
  for (const [name, each] of Object.entries<Schema>(properties)) found.set(name, [...(found.get(name) ?? []), each])
  const demanded = [...required, ...Object.keys(dependentSchemas), ...Object.entries<string[]>(dependentRequired).flat(2)]
  for (const name of demanded) if (!Object.hasOwn(properties, name)) found.set(name, [...(found.get(name) ?? []), true])
  const conditions = ['if', 'then', 'else'].flatMap((keyword) => (keyword in schema ? [schema[keyword] as Schema] : []))
  const within: readonly Schema[] = [...allOf, ...any, ...oneOf, ...Object.values(dependentSchemas), ...conditions]
  const parts = $ref === undefined ? within : [...within, pool.component($ref)]
  return parts.every((each) => collect(each, pool, found, steps + 1))
}
