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

/** The router decodes a path before it compares it. */
function encodeText(text: string): string {
  return encodeURI(text).replaceAll(/[?#]/g, encodeURIComponent)
}
