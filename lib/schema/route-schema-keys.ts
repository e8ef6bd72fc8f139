/** The keys of a route's schemas: the parts that are compiled, and what documentation plugins read beside them. */
import { nearestName } from '../util/nearest-name.js'

export const partNames = ['body', 'params', 'query', 'querystring', 'headers', 'cookies', 'response'] as const
export const descriptionNames = [
  ...(['$id', 'title', 'description', 'summary', 'tags', 'operationId', 'deprecated', 'hide', 'externalDocs', 'security'] as const),
  ...(['consumes', 'produces', 'schemes', 'servers', 'callbacks', 'links'] as const),
] as const

/** A key that is known: a part, a description or an extension. */
export type RouteSchemaKey = (typeof partNames)[number] | (typeof descriptionNames)[number] | `x-${string}`

/** Keys that say more about a route or its schemas. `@fastify/swagger` reads them; names that begin with `x-` are its extensions. */
const descriptions: ReadonlySet<string> = new Set(descriptionNames)

/** A key that leaves a part of a route unvalidated, or its replies unfiltered. */
export interface SchemaKeyProblem {
  readonly key: string
  /** `undefined`: the value is undefined. `unknown`: no plugin is known to read the key. `misspelt`: so it is, and it resembles a part. */
  readonly kind: 'undefined' | 'unknown' | 'misspelt'
  /** The part that the key resembles. */
  readonly meant: string | undefined
}

/**
 * The keys of a route's schemas that are not what they seem to be.
 * @param validatesCookies whether `cookies` is a part, and not one of the descriptions
 */
export function findSchemaKeyProblems(schema: object, validatesCookies = true): SchemaKeyProblem[] {
  // The parts that are compiled: validated or serialized.
  const parts: readonly string[] = validatesCookies ? partNames : partNames.filter((part) => part !== 'cookies')
  return Object.entries(schema).flatMap(([key, value]): SchemaKeyProblem[] => {
    if (parts.includes(key)) return findUndefined(key, value).map((at) => ({ key: at, kind: 'undefined', meant: undefined }))
    if (descriptions.has(key) || key.startsWith('x-')) return []
    const meant = similarPart(key, parts)
    return [{ key, kind: meant === undefined ? 'unknown' : 'misspelt', meant }]
  })
}

// Of a short name, two letters are too many: `code` and `mode` are not misspelt `body`.
function similarPart(key: string, parts: readonly string[]): string | undefined {
  return (
    nearestName(
      key,
      parts.filter((part) => part !== 'body'),
      2,
    ) ?? nearestName(key, ['body'], 1)
  )
}

function findUndefined(key: string, value: unknown): string[] {
  if (value === undefined) return [key]
  if (key !== 'response' || value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([status, schema]) => (schema === undefined ? [`${key} ${status}`] : []))
}
