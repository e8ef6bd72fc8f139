/** Makes the entries of routes that clients read. */
import { splitPath } from '../../lib/internal.js'
import type { RouteEntry } from './runtime.js'

/** @param url as declared, with the prefix: `/users/:id` */
export function toRouteEntry(method: string, url: string, others: Pick<RouteEntry, 'headers' | 'body'> = {}): RouteEntry {
  const { texts, parameters } = splitPath(url)
  const path = texts.flatMap((text, index) => {
    const parameter = parameters[index]
    return parameter === undefined
      ? [encodeText(text)]
      : [encodeText(text), `${parameter.name === '*' ? '' : ':'}${parameter.name}${parameter.isOptional ? '?' : ''}`]
  })
  // A parameter at the end has no text behind it.
  return { method, path: path.length > 1 && path.at(-1) === '' ? path.slice(0, -1) : path, ...others }
}

/**
 * The media type in which a body is written, of those that a route takes, each with its schema: JSON, or a form if both have one schema, as
 * with `consumes: ['multipart/form-data']`.
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

/** The router decodes a path before it compares it. */
function encodeText(text: string): string {
  return encodeURI(text).replaceAll(/[?#]/g, encodeURIComponent)
}
