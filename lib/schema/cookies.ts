/** Reads the cookies of a request for the validator of a route's schema. Only this file imports the package cookie. */
import { parse } from 'cookie'
import { isObject } from '../util/objects.js'
import { resolveReference } from './json-schema/references.js'
import { tryToConvert } from './standard/standard-schema.js'

/** The members of a request that cookies are read from. Hooks and plugins may have changed them. */
export interface CookieSource {
  /** The cookies that a plugin such as `@fastify/cookie` has parsed. Absent without such a plugin; the header `cookie` is parsed then. */
  readonly cookies?: unknown
  readonly headers: { readonly cookie?: unknown }
}

/** A function that returns the cookies of a request by name, in a new object that the validator may change. */
export type CookieReader = (request: CookieSource) => Record<string, unknown>

/**
 * Makes the function that reads the cookies for a schema. A browser may also send the cookies of other applications on the same host, so a
 * request must not be refused for these. A schema that allows no further cookies therefore gets only the cookies that it names.
 * @param shared the shared schemas that a reference may lead to
 */
export function createCookieReader(schema: unknown, shared: Record<string, any>): CookieReader {
  const names = namesOfClosed(schema, shared)
  return (request) => {
    const cookies = cookiesOf(request)
    const own = Object.create(null) as Record<string, unknown>
    for (const name of names ?? Object.keys(cookies))
      // The name `__proto__` is left out, as in a query string: copying such an object could change the prototype of the copy.
      if (name !== '__proto__' && Object.hasOwn(cookies, name) && cookies[name] !== undefined) own[name] = cookies[name]
    return own
  }
}

function cookiesOf({ cookies, headers: { cookie } }: CookieSource): Readonly<Record<string, unknown>> {
  if (isObject(cookies)) return cookies
  return typeof cookie === 'string' ? parse(cookie) : {}
}

/**
 * Returns the names of the cookies that a schema lists, if it allows no other cookies. Returns `undefined` if the schema allows others, or
 * if this is not certain.
 */
function namesOfClosed(schema: unknown, shared: Record<string, any>): readonly string[] | undefined {
  const json: any = tryToConvert(schema) ?? schema
  const closed: any = typeof json?.$ref === 'string' ? resolveReference(json.$ref, json, shared)?.schema : json
  if (!isObject(closed) || closed['additionalProperties'] !== false || closed['patternProperties'] !== undefined) return undefined
  return Object.keys((closed['properties'] as object | undefined) ?? {})
}
