/** The keys of a route's schemas: the keys of parts that are compiled, and further keys that documentation plugins read. */
import { isMediaTypeOrRange } from '../http/media-type.js'
import { nearestName } from '../util/nearest-name.js'
import { isContentMap } from './normalize.js'

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

/** A key of a `content` map that is the media type of no request and no reply: its schema would be used for nothing. */
export interface MediaTypeProblem {
  /** The part of the route's schema: `body`, or `response 200`. */
  readonly part: string
  /** The key, such as `application/*+json`. */
  readonly key: string
}

/** Finds the keys of `content` maps that are neither a media type nor a range (`text/*`, or the one of all types). */
export function findMediaTypeProblems({ body, response }: Readonly<Record<string, any>>): MediaTypeProblem[] {
  const entries = [['body', body], ...Object.entries(response ?? {}).map(([status, entry]) => [`response ${status}`, entry])]
  return entries.flatMap(([part, entry]) => {
    if (!isContentMap(entry)) return []
    // A key without a schema gets an error of its own.
    const keys = Object.keys(entry.content).filter((key) => entry.content[key]?.schema && !isMediaTypeOrRange(key))
    return keys.map((key) => ({ part, key }))
  })
}
