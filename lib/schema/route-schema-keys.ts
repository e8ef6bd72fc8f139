/** The keys of a route's schemas: the keys of parts that are compiled, and further keys that documentation plugins read. */
import { nearestName } from '../util/nearest-name.js'

export const partNames = ['body', 'params', 'query', 'querystring', 'headers', 'cookies', 'response'] as const
export const descriptionNames = [
  ...(['$id', 'title', 'description', 'summary', 'tags', 'operationId', 'deprecated', 'hide', 'externalDocs', 'security'] as const),
  ...(['consumes', 'produces', 'schemes', 'servers', 'callbacks', 'links'] as const),
] as const

/** A known key of a route's schemas: the name of a part, a description or an extension. */
export type RouteSchemaKey = (typeof partNames)[number] | (typeof descriptionNames)[number] | `x-${string}`

/**
 * The keys that describe a route or its schemas. `@fastify/swagger` reads them, and keys that begin with `x-`, which are its extensions.
 */
const descriptions: ReadonlySet<string> = new Set(descriptionNames)

/** A key of a route's schemas that leaves a part of the route unvalidated, or its replies unfiltered. */
export interface SchemaKeyProblem {
  readonly key: string
  /**
   * The kind of problem. `undefined`: the value of the key is undefined. `unknown`: no plugin is known to read the key. `misspelt`: the key
   * is unknown, and resembles the name of a part such as `body`.
   */
  readonly kind: 'undefined' | 'unknown' | 'misspelt'
  /** The name of the part that a misspelt key resembles: `querystring`. */
  readonly meant: string | undefined
}

/**
 * Finds the keys of a route's schemas that are undefined, unknown or misspelt.
 * @param validatesCookies whether `cookies` is a part that is validated, not only a description
 */
export function findSchemaKeyProblems(schema: object, validatesCookies = true): SchemaKeyProblem[] {
  // The parts that are compiled: validated or serialized.
  const parts: readonly string[] = validatesCookies ? partNames : partNames.filter((part) => part !== 'cookies')
  return Object.entries(schema).flatMap(([key, value]): SchemaKeyProblem[] => {
    if (parts.includes(key)) return findUndefined(key, value).map((at) => ({ key: at, kind: 'undefined', meant: undefined }))
    if (descriptions.has(key) || key.startsWith('x-')) return []
    const meant = similarPartName(key, parts)
    return [{ key, kind: meant === undefined ? 'unknown' : 'misspelt', meant }]
  })
}

// Of a short name, two letters are too many: `code` and `mode` are not misspelt `body`.
function similarPartName(key: string, parts: readonly string[]): string | undefined {
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
