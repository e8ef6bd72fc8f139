/** Describes how clients authenticate at a route, from the security schemes that the guards of the route declare. */
import type { SecurityRequirement } from '../../types/description.js'
import type { RouteFacts } from './route-facts.js'

/**
 * Returns the security requirements of a route. A request must satisfy one of them. A guard lets in a request that satisfies one of the
 * guard's schemes, and all guards must let the request in. The requirements in the schema of the route (as `@fastify/swagger` reads them)
 * are added to the guards' requirements, and remove none.
 */
export function describeSecurity(facts: RouteFacts): SecurityRequirement[] {
  const { security: own = [] } = (facts.declared.options.schema ?? {}) as { security?: readonly SecurityRequirement[] }
  return allOf([...alternativesOfGuards(facts), own])
}

/** Returns the security requirements of the guards alone. A request must satisfy one of them. Empty if no guard requires anything. */
export function securityOfGuards(facts: Pick<RouteFacts, 'replies'>): SecurityRequirement[] {
  return allOf(alternativesOfGuards(facts))
}

function alternativesOfGuards({ replies }: Pick<RouteFacts, 'replies'>): SecurityRequirement[][] {
  return replies.flatMap(({ replies: { security } }) =>
    security === undefined ? [] : [Object.entries(security).map(([name, { scopes = [] }]) => ({ [name]: scopes }))],
  )
}

/** Combines lists of alternative requirements: each requirement in the result joins one alternative from every list. */
function allOf(lists: readonly (readonly SecurityRequirement[])[]): SecurityRequirement[] {
  const all = lists.filter((alternatives) => alternatives.length > 0)
  if (all.length === 0) return []
  return all.reduce<SecurityRequirement[]>((found, more) => found.flatMap((one) => more.map((other) => join(one, other))), [{}])
}

function join(one: SecurityRequirement, other: SecurityRequirement): SecurityRequirement {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(names.map((name) => [name, [...new Set([...(one[name] ?? []), ...(other[name] ?? [])])]]))
}
