/** Finds all schemas that describe a variable of the environment, wherever the schema of the environment has them. */
import { isObject } from '../../util/objects.js'
import { ReferenceTargets, type Resource } from '../json-schema/reference-targets.js'

type Schema = any

/** A schema, and the resource from which its references are resolved. */
interface Place {
  readonly schema: Record<string, Schema>
  readonly source: Resource
}

/**
 * Returns the schemas of each variable: those of its name, and all schemas that these apply to the same value by a reference or a keyword
 * such as `anyOf`. Schemas that apply only to some values are returned too.
 * @param json the JSON Schema of an environment, which the engine has compiled or a library has made: its objects do not contain themselves
 */
export function schemasByVariable(json: Record<string, Schema>): ReadonlyMap<string, readonly Record<string, Schema>[]> {
  const targets = new ReferenceTargets({})
  const wholes = ofSameValue([{ schema: json, source: targets.read(json) }], targets)
  const names = new Set(wholes.flatMap(({ schema }) => (isObject(schema['properties']) ? Object.keys(schema['properties']) : [])))
  return new Map(
    [...names].map((name) => {
      const own = wholes.flatMap(({ schema, source }) => membersOf(schema, name).map((member) => ({ schema: member, source })))
      return [name, ofSameValue(own, targets).map(({ schema }) => schema)]
    }),
  )
}

/** Adds to schemas the ones that they apply to the same value, at any depth. */
function ofSameValue(schemas: readonly Place[], targets: ReferenceTargets): Place[] {
  const found = new Map<Schema, Place>()
  const left = [...schemas]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { schema } = place
    if (!isObject(schema) || found.has(schema)) continue
    const source = place.source.document.resources.get(schema) ?? place.source
    found.set(schema, { schema, source })
    const { $ref: reference, allOf, anyOf, oneOf, if: condition, then: right, else: other, dependencies, dependentSchemas } = schema
    const target = typeof reference === 'string' ? targets.resolve(reference, source) : undefined
    if (target !== undefined) left.push({ schema: target.schema, source: target.resource })
    const applied = [allOf, anyOf, oneOf, condition, right, other, ...valuesOf(dependencies), ...valuesOf(dependentSchemas)].flat()
    left.push(...applied.map((each) => ({ schema: each, source })))
  }
  return [...found.values()]
}

/** Returns the schemas that a schema of objects has for a member. */
function membersOf({ properties, patternProperties, additionalProperties }: Record<string, Schema>, name: string): Schema[] {
  const named = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const matching = Object.entries(patternProperties ?? {}).flatMap(([pattern, schema]) => (matches(pattern, name) ? [schema] : []))
  return named.length + matching.length > 0 ? [...named, ...matching] : [additionalProperties]
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    // A library may write a pattern that is valid only without the flag.
    return true
  }
}

function valuesOf(map: unknown): Schema[] {
  return isObject(map) ? Object.values(map) : []
}
