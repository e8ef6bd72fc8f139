/**
 * Adds the headers that guards, handlers and plugins declare to the description of a route: request headers that they read, and response
 * headers that they add.
 */
import type { HeadersSchema, InputDescription, JsonSchema, ResponseDescription } from '../../types/description.js'
import { isPlainObject } from '../../util/objects.js'
import type { CoveringReplies } from './route-facts.js'

/**
 * Returns the input of a route with the request headers that are declared for it. If the route itself describes a header, that description
 * stays.
 */
export function withDeclaredHeaders(input: InputDescription, covering: readonly CoveringReplies[]): InputDescription {
  const declared = covering.flatMap(({ replies: { requestHeaders } }) => requestHeaders ?? [])
  if (declared.length === 0) return input
  return { ...input, headers: declared.reduce(addHeaders, input.headers ?? { type: 'object', properties: {} }) }
}

function addHeaders(own: JsonSchema, { required = [], properties }: HeadersSchema): JsonSchema {
  const added = lowerCased(properties)
  const names = required.map((name) => name.toLowerCase())
  if (!isPlainObject(own) || !isPlainObject(own['properties'] ?? {}) || '$ref' in own)
    return { allOf: [own, { type: 'object', properties: added, ...(names.length > 0 && { required: names }) }] }
  const present = (own['properties'] ?? {}) as HeadersSchema['properties']
  const known = new Set(Object.keys(present).map((name) => name.toLowerCase()))
  const others = Object.fromEntries(Object.entries(added).filter(([name]) => !known.has(name)))
  // A header that must be there must be there, whoever describes its value.
  const spelt = new Map(Object.keys(present).map((name) => [name.toLowerCase(), name]))
  const needed = [...new Set([...((own['required'] ?? []) as string[]), ...names.map((name) => spelt.get(name) ?? name)])]
  return { ...own, properties: { ...present, ...others }, ...(needed.length > 0 && { required: needed }) }
}

function lowerCased(properties: HeadersSchema['properties']): HeadersSchema['properties'] {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.toLowerCase(), schema]))
}

/**
 * Adds the declared headers to each response that their status, range or `default` covers. If a response already describes a header, that
 * description stays.
 */
export function addDeclaredHeaders(
  found: Record<string, { headers?: ResponseDescription['headers'] }>,
  covering: readonly CoveringReplies[],
): void {
  for (const { replies } of covering)
    for (const [key, headers] of Object.entries(replies.responseHeaders ?? {}))
      for (const status of Object.keys(found)) if (covers(key.toLowerCase(), status)) found[status] = withHeaders(found[status]!, headers)
}

function withHeaders<R extends { headers?: ResponseDescription['headers'] }>(response: R, added: NonNullable<R['headers']>): R {
  const present = response.headers ?? {}
  const known = new Set(Object.keys(present).map((name) => name.toLowerCase()))
  const others = Object.fromEntries(Object.entries(added).filter(([name]) => !known.has(name.toLowerCase())))
  return { ...response, headers: { ...present, ...others } }
}

function covers(key: string, status: string): boolean {
  return key === 'default' || key === status || (key.endsWith('xx') && key[0] === status[0])
}
