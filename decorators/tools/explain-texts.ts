/** The texts that `explain` shows in terminals and on its HTML page. */
import { inspect, textOfDeprecation } from '../../lib/internal.js'
import type { ContextDescription, RouteDescription } from '../../lib/index.js'
import type { ContextUse } from './explanation.js'

/** Returns the validated inputs of a route, with their validation engines: `params (ajv)`, `body (Zod)`. */
export function validatedParts({ engines }: RouteDescription): string[] {
  return Object.entries(engines).map(([part, engine]) => `${part} (${engine})`)
}

/** Returns the security requirements of a route as texts, of which a request must satisfy one: `bearer`, `oauth (read, write) and key`. */
export function securityOf({ security }: RouteDescription): string[] {
  return security.map((schemes) =>
    Object.entries(schemes)
      .map(([name, scopes]) => (scopes.length === 0 ? name : `${name} (${scopes.join(', ')})`))
      .join(' and '),
  )
}

/** Returns the responses of a route with their media types, and the places that declare them. */
export function responsesOf({ responses }: RouteDescription): { name: string; from: string }[] {
  return Object.entries(responses).map(([status, { content, from, isUnknown }]) => ({
    name: [status, isUnknown === true ? 'payload not declared' : Object.keys(content).join(', ')].filter(Boolean).join(' '),
    from: from.join(', '),
  }))
}

/** Returns the methods, the URL and the constraints of a route: `GET /users  { version: '2.0.0' }`. */
export function routeHeading(route: RouteDescription, hasConstraints = true): string {
  const name = `${route.methods.join(', ')} ${route.url}`
  return hasConstraints && route.constraints !== undefined ? `${name}  ${constraintsOf(route)}` : name
}

function constraintsOf({ constraints }: RouteDescription): string {
  return inspect(constraints, { breakLength: Infinity })
}

/** Returns a text that says since when a route is deprecated; `undefined` if the route is not deprecated. */
export function deprecationText({ deprecated, deprecation }: RouteDescription): string | undefined {
  if (!deprecated) return undefined
  return deprecation === undefined ? 'deprecated' : `deprecated ${textOfDeprecation(deprecation)}`
}

/** Returns the names of the shared plugin instances that the plugins of a context use, as a text for people. */
export function namesOfUsed({ path }: ContextDescription, uses: readonly ContextUse[]): string {
  return [...new Set(uses.filter(({ context }) => context === path).map(({ plugin }) => plugin))].join(', ')
}

/** Returns texts for people about the parsers and the not-found handler of a context. */
export function namesOfHandlers({ contentTypeParsers, notFoundHandler }: ContextDescription): string[] {
  return [
    ...contentTypeParsers.map(({ type, name }) => `${type} parsed by ${name}`),
    ...(notFoundHandler === undefined ? [] : [`unknown paths answered by ${notFoundHandler}`]),
  ]
}
