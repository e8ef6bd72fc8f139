/** The cookies of a request, for the validator of a route's schema. Only this file imports cookie. */
import { parse } from 'cookie'
import { isObject } from '../util/objects.js'
import { resolveReference } from './json-schema/references.js'
import { tryToConvert } from './standard/standard-schema.js'

/** A request as hooks and plugins have left it. */
export interface CookieSource {
  /** Set by a plugin such as `@fastify/cookie`; otherwise the header has not been parsed yet. */
  readonly cookies?: unknown
  readonly headers: { readonly cookie?: unknown }
}

/** Returns the cookies of a request by name, in an object of their own. */
export type CookieReader = (request: CookieSource) => Record<string, unknown>

/**
 * Makes the function that reads the cookies for a schema. Browsers send the cookies of all applications of a site, so that no request may be
 * refused for them: a schema that allows no further cookies gets only those that it names.
 * @param shared the shared schemas that a reference may lead to
 */
export function createCookieReader(schema: unknown, shared: Record<string, any>): CookieReader {
  const names = namesOfClosed(schema, shared)
  return (request) => {
    const given = cookiesOf(request)
    const own = Object.create(null) as Record<string, unknown>
    for (const name of names ?? Object.keys(given))
      // As in a query string: an object with this key could change the prototype of one that it is copied to.
      if (name !== '__proto__' && Object.hasOwn(given, name) && given[name] !== undefined) own[name] = given[name]
    return own
  }
}

function cookiesOf({ cookies, headers: { cookie } }: CookieSource): Readonly<Record<string, unknown>> {
  if (isObject(cookies)) return cookies
  return typeof cookie === 'string' ? parse(cookie) : {}
}

/** The names that a schema lists if it allows no others; `undefined` if it allows some, or is not known to allow none. */
function namesOfClosed(schema: unknown, shared: Record<string, any>): readonly string[] | undefined {
  const json: any = tryToConvert(schema) ?? schema
  const closed: any = typeof json?.$ref === 'string' ? resolveReference(json.$ref, json, shared)?.schema : json
  if (!isObject(closed) || closed['additionalProperties'] !== false || closed['patternProperties'] !== undefined) return undefined
  return Object.keys((closed['properties'] as object | undefined) ?? {})
}
