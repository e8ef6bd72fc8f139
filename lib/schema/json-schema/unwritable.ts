/** Finds response schemas that the serializer would not apply: it would write values as they are, with all of their properties. */
import { isObject } from '../../util/objects.js'
import type { ReferenceTargets, Resource } from './reference-targets.js'
import { containsKey } from './schema-keys.js'
import { subschemas } from './vocabulary.js'

type Schema = any

/**
 * Returns what is wrong with the first part of a schema, or of the schemas that it refers to, that the serializer would not apply; `undefined`
 * if there is none.
 * @param seen the schemas that were searched before, which are left out and added to
 */
export function findUnwritable(schema: Schema, targets: ReferenceTargets, seen: WeakSet<object>): string | undefined {
  // Most schemas have none of these keywords, and then no reference has to be resolved.
  if (!containsKey(schema, (key) => key === '$ref' || key === 'prefixItems' || key === 'additionalItems')) return undefined
  const left: { readonly schema: Schema; readonly source: Resource }[] = [{ schema, source: targets.read(schema) }]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const within: Schema = place.schema
    if (!isObject(within) || seen.has(within)) continue
    seen.add(within)
    const problem = problemOf(within)
    if (problem !== undefined) return problem
    const source = place.source.document.resources.get(within) ?? place.source
    const target = typeof within['$ref'] === 'string' ? targets.resolve(within['$ref'], source) : undefined
    if (target !== undefined) left.push({ schema: target.schema, source: target.resource })
    left.push(...subschemas(within).map((each) => ({ schema: each, source })))
  }
  return undefined
}

function problemOf({ items, additionalItems, prefixItems }: Record<string, Schema>): string | undefined {
  if (Array.isArray(prefixItems)) return 'the serializer does not know prefixItems. Write items: [ … ] and additionalItems: false'
  if (Array.isArray(items) && isObject(additionalItems) && Object.keys(additionalItems).length > 0 && !isScalar(additionalItems))
    return 'the serializer does not apply the schema in additionalItems. Write additionalItems: false, or one schema for all items'
  return undefined
}

/** Whether a schema describes only values without properties. */
function isScalar({ type }: Record<string, Schema>): boolean {
  const types: unknown[] = [type].flat()
  return types.every((each) => typeof each === 'string' && each !== 'object' && each !== 'array')
}
