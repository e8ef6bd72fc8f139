/**
 * Plans the shared schemas of a contract in the order of their declarations: each schema after the schemas that it refers to, unless
 * schemas refer to each other in a circle.
 */
import { isContainer, isObject } from '../../../lib/internal.js'
import type { OpenApiSchema } from '../../contract/index.js'
import type { Draft7 } from './draft7.js'
import { Names, pascal } from './identifiers.js'

type Schema = any

export interface PlannedSchema {
  readonly id: string
  /** The name of the class or constant that the schema becomes. */
  readonly identifier: string
  /** The schema in draft 7, without its `$id`. */
  readonly schema: Schema
  /** Whether the schema becomes a class, because it describes an object with properties. */
  readonly isModel: boolean
  /** The `$id`s of all schemas in a circle of references with this schema, including its own `$id`; empty if there is no circle. */
  readonly circle: ReadonlySet<string>
}

export function planSchemas(schemas: Readonly<Record<string, OpenApiSchema>>, draft7: Draft7): PlannedSchema[] {
  const names = new Names(['Model', 'ref', 'refTo', 'FromSchema', 'TypedSchema', 'App'])
  const converted = new Map(
    Object.entries(schemas).map(([id, schema]) => [id, schemaObject(draft7.convert(schema, `/components/schemas/${id}`))]),
  )
  const identifiers = new Map([...converted.keys()].map((id) => [id, names.take(pascal(id, 'Schema'))]))
  const used = new Map([...converted].map(([id, schema]) => [id, referencesIn(schema).filter((other) => converted.has(other))]))
  return circlesOf([...converted.keys()], used).flatMap((circle) =>
    circle.map((id): PlannedSchema => {
      const schema = converted.get(id)!
      const isCircle = circle.length > 1 || used.get(id)!.includes(id)
      return { id, identifier: identifiers.get(id)!, schema, isModel: isModel(schema), circle: new Set(isCircle ? circle : []) }
    }),
  )
}

function schemaObject(schema: Schema): Record<string, Schema> {
  return isObject(schema) ? schema : schema === false ? { not: {} } : {}
}

function isModel({ type, properties, $ref }: Record<string, Schema>): boolean {
  return type === 'object' && isObject(properties) && Object.keys(properties).length > 0 && $ref === undefined
}

/** Returns the `$id`s of the shared schemas that a schema refers to. */
export function referencesIn(schema: Schema): string[] {
  if (!isContainer(schema)) return []
  const { $ref } = schema as Record<string, Schema>
  return [...(typeof $ref === 'string' ? [$ref.slice(0, -1)] : []), ...Object.values(schema).flatMap(referencesIn)]
}

/**
 * Sorts schemas into groups: the schemas of one group refer to each other in circles, and each group comes after the groups that it refers
 * to (Tarjan's algorithm).
 * @param used the `$id`s that each schema refers to
 */
function circlesOf(ids: readonly string[], used: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (id: string): void => {
    numbers.set(id, numbers.size)
    lowest.set(id, numbers.get(id)!)
    open.push(id)
    for (const other of used.get(id)!) {
      if (!numbers.has(other)) visit(other)
      if (open.includes(other)) lowest.set(id, Math.min(lowest.get(id)!, lowest.get(other)!))
    }
    if (lowest.get(id) === numbers.get(id)) found.push(open.splice(open.indexOf(id)))
  }
  for (const id of ids) if (!numbers.has(id)) visit(id)
  return found
}
