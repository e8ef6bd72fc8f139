/** Describes how clients authenticate at a route, from the security that the guards which cover it declare. */
import type { SecurityRequirement } from '../../types/description.js'
import type { RouteFacts } from './route-facts.js'

/**
 * Returns the security requirements of which a request must satisfy one. A guard lets in a request that satisfies one of the guard's
 * schemes, and all guards must let the request in. The requirements in the schema of the route (as `@fastify/swagger` reads them) are added
 * to the guards' requirements, and take none away.
 */
export function describeSecurity(facts: RouteFacts): SecurityRequirement[] {
  const { security: own = [] } = (facts.declared.options.schema ?? {}) as { security?: readonly SecurityRequirement[] }
  return allOf([...alternativesOfGuards(facts), own])
}

/** Returns the security requirements of the guards alone, of which a request must satisfy one. Empty if no guard requires anything. */
export function securityOfGuards(facts: Pick<RouteFacts, 'replies'>): SecurityRequirement[] {
  return allOf(alternativesOfGuards(facts))
}

function alternativesOfGuards({ replies }: Pick<RouteFacts, 'replies'>): SecurityRequirement[][] {
  return replies.flatMap(({ replies: { security } }) =>
    security === undefined ? [] : [Object.entries(security).map(([name, { scopes = [] }]) => ({ [name]: scopes }))],
  )
}

/** Returns the requirements that satisfy one of each list of alternatives. */
function allOf(lists: readonly (readonly SecurityRequirement[])[]): SecurityRequirement[] {
  const all = lists.filter((alternatives) => alternatives.length > 0)
  if (all.length === 0) return []
  return all.reduce<SecurityRequirement[]>((found, more) => found.flatMap((one) => more.map((other) => join(one, other))), [{}])
}

function join(one: SecurityRequirement, other: SecurityRequirement): SecurityRequirement {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(names.map((name) => [name, [...new Set([...(one[name] ?? []), ...(other[name] ?? [])])]]))
}
