/** Makes the entries of routes, which are the data by which clients call routes. */
import { splitPath } from '../../lib/internal.js'
import type { RouteEntry } from './runtime.js'

/** Makes the entry of a route, by which a client calls the route. @param url the declared URL, with the prefix: `/users/:id` */
export function toRouteEntry(method: string, url: string, others: Pick<RouteEntry, 'headers' | 'body'> = {}): RouteEntry {
  const { texts, parameters } = splitPath(url)
  const path = texts.flatMap((text, index) => {
    const parameter = parameters[index]
    return parameter === undefined
      ? [encodeText(text)]
      : [encodeText(text), `${parameter.name === '*' ? '' : ':'}${parameter.name}${parameter.isOptional ? '?' : ''}`]
  })
  // The text behind a parameter at the end is empty.
  return { method, path: path.length > 1 && path.at(-1) === '' ? path.slice(0, -1) : path, ...others }
}

/**
 * Returns the media type in which a client writes a body: JSON, or else the first media type that the route takes. If JSON and a form have
 * the same schema, as with `consumes: ['multipart/form-data']`, the form is returned.
 * @param schemas the schemas of the body by media type
 */
export function mainBodyType(schemas: { readonly [mediaType: string]: unknown }): string | undefined {
  const types = Object.keys(schemas)
  const json = types.find((type) => type === 'application/json')
  const form = types.find(isMultipart)
  if (json === undefined || form === undefined) return json ?? types[0]
  return JSON.stringify(schemas[json]) === JSON.stringify(schemas[form]) ? form : json
}

export function isMultipart(mediaType: string): boolean {
  return /^multipart\//i.test(mediaType)
}

/** Encodes a fixed text of a path for a URL, because the router decodes the path of a request before it compares the path with routes. */
function encodeText(text: string): string {
  return encodeURI(text).replaceAll(/[?#]/g, encodeURIComponent)
}
