/** Reads the keys of a route's schemas that only documents use: examples, links, callbacks. The server itself does not use them. */
import { mediaTypeEssence } from '../../schema/normalize.js'
import { descriptionNames, partNames } from '../../schema/route-schema-keys.js'
import type { MediaTypeDocs, ResponseDescription, RouteDescription, SchemaDocs } from '../../types/description.js'
import { isPlainObject } from '../../util/objects.js'
import type { RouteFacts } from './route-facts.js'

type MediaEntry = Readonly<Record<string, unknown>>

const mediaKeys: readonly string[] = ['schema', 'example', 'examples', 'encoding']
const responseKeys: readonly string[] = ['description', 'headers', 'content', 'links']
const bodyKeys: readonly string[] = ['description', 'content', 'required']
/** The keys of a route's schema for which documents have no place. */
const namesOnly: readonly string[] = ['$id', 'title', 'schemes']

function isExtension(key: string): boolean {
  return key.startsWith('x-')
}

function extensionsOf(entry: MediaEntry): Record<`x-${string}`, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => isExtension(key)))
}

/** Returns, by media type, the members that the entries of a `content` map have besides their schemas. */
function mediaOf(content: unknown, nameOf: (type: string) => string): { readonly media?: Record<string, MediaTypeDocs> } {
  const entries = Object.entries((content ?? {}) as Record<string, MediaEntry>)
    .map(([type, entry]): [string, MediaTypeDocs] => {
      const said = Object.entries(entry).filter(([key]) => isExtension(key) || (key !== 'schema' && mediaKeys.includes(key)))
      return [nameOf(type), Object.fromEntries(said)]
    })
    .filter(([, said]) => Object.keys(said).length > 0)
  return entries.length > 0 ? { media: Object.fromEntries(entries) } : {}
}

/**
 * Returns the links, examples and extensions of an entry of `response`. @param hasContent whether the entry has a `content` map, and is not
 * a schema itself
 */
export function describeResponseDocs(entry: MediaEntry, hasContent: boolean): Partial<ResponseDescription> {
  const { links } = entry
  return {
    ...(isPlainObject(links) && { links }),
    ...(hasContent && { ...extensionsOf(entry), ...mediaOf(entry['content'], (type) => type.trim().toLowerCase()) }),
  }
}

/** Returns the texts about the body that documents show besides its schemas. */
export function describeBodyDocs({ normal }: RouteFacts): Pick<RouteDescription, 'bodyDocs'> {
  if (normal?.bodyContent === undefined) return {}
  const body = normal.declared.body as MediaEntry
  const { description } = body
  const docs = {
    ...(typeof description === 'string' && { description }),
    ...extensionsOf(body),
    ...mediaOf(body['content'], mediaTypeEssence),
  }
  return Object.keys(docs).length > 0 ? { bodyDocs: docs } : {}
}

/**
 * Returns the keys of a route's schema that describe its operation (servers, callbacks, cookies that are not validated). Texts that the
 * option `docs` can have too are left out.
 */
export function describeSchemaDocs({ declared, normal }: RouteFacts): SchemaDocs {
  const { servers, callbacks, cookies } = (declared.options.schema ?? {}) as SchemaDocs
  return {
    ...(servers && { servers }),
    ...(callbacks && { callbacks }),
    ...(cookies && normal?.parts.cookies === undefined && { cookies }),
  }
}

/** Returns the links of a route's replies by status, from the key `links` beside `response`. */
export function linksOf({ declared }: RouteFacts): Readonly<Record<string, unknown>> {
  const { links } = (declared.options.schema ?? {}) as { links?: unknown }
  return isPlainObject(links) ? links : {}
}

/** Finds the keys in a route's schemas for which documents have no place, each with its path: `response 200 application/json > sample`. */
export function findLeftOut(facts: RouteFacts): Pick<RouteDescription, 'leftOut'> {
  const { normal } = facts
  if (normal === undefined) return {}
  const unknown = (entry: object, known: readonly string[], place: string): string[] =>
    Object.keys(entry)
      .filter((key) => !known.includes(key) && !isExtension(key))
      .map((key) => (place === '' ? key : `${place} > ${key}`))
  const ofContent = (content: unknown, place: string): string[] =>
    Object.entries(content ?? {}).flatMap(([type, entry]) => unknown(entry as object, mediaKeys, `${place} ${type}`))
  const { body, response = {} } = normal.declared as { body?: MediaEntry; response?: Record<string, MediaEntry> }
  const known = [...partNames, ...descriptionNames].filter((key) => !namesOnly.includes(key))
  const statuses = Object.keys(response).map((status) => status.toLowerCase())
  const maps = Object.entries(response).filter(([status]) =>
    normal.responses.some((each) => each.status === status.toLowerCase() && each.contentType !== undefined),
  )
  const leftOut = [
    ...unknown(normal.declared, known, ''),
    ...(normal.bodyContent === undefined ? [] : [...unknown(body!, bodyKeys, 'body'), ...ofContent(body!['content'], 'body')]),
    ...maps.flatMap(([status, entry]) => [
      ...unknown(entry, responseKeys, `response ${status}`),
      ...ofContent(entry['content'], `response ${status}`),
    ]),
    ...Object.keys(linksOf(facts))
      .filter((status) => !statuses.includes(status.toLowerCase()))
      .map((status) => `links > ${status}`),
  ]
  return leftOut.length > 0 ? { leftOut } : {}
}
