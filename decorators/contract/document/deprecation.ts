/**
 * Writes and reads the dates of a deprecated route in OpenAPI documents: as extensions `x-…` of the operation, because OpenAPI has no field
 * for them.
 */
import type { DeprecationDescription } from '../../../lib/index.js'
import { findDeprecationProblems } from '../../../lib/internal.js'

/** The OpenAPI extension for each member of the option `deprecated`. `alcove diff` reads `x-sunset`. */
const extensionOf = { since: 'x-deprecated-since', sunset: 'x-sunset', link: 'x-deprecated-link' } as const
const members = Object.entries(extensionOf) as [keyof typeof extensionOf, `x-${string}`][]

/** Returns the OpenAPI extensions that say when a route was deprecated and when the route may end. */
export function deprecationExtensions(deprecation: DeprecationDescription | undefined): Record<`x-${string}`, string> {
  if (deprecation === undefined) return {}
  return Object.fromEntries(members.flatMap(([member, name]) => (deprecation[member] === undefined ? [] : [[name, deprecation[member]]])))
}

/**
 * Reads the deprecation of an operation from its extensions.
 * @returns the option `deprecated` for the route, and all other extensions. If the option would refuse the dates, they stay among the
 * extensions
 */
export function readDeprecation<E extends object>(
  isDeprecated: boolean,
  extensions: E,
): { readonly deprecated: boolean | DeprecationDescription; readonly extensions: Partial<E> } {
  const entries = Object.entries(extensions)
  const found = Object.fromEntries(
    members.flatMap(([member, name]) => entries.filter(([key]) => key === name).map(([, value]) => [member, value as unknown])),
  )
  if (!isDeprecated || findDeprecationProblems(found).length > 0) return { deprecated: isDeprecated, extensions }
  const names: readonly string[] = members.map(([, name]) => name)
  const others = Object.fromEntries(entries.filter(([key]) => !names.includes(key))) as Partial<E>
  return { deprecated: found as unknown as DeprecationDescription, extensions: others } // it has no problems
}
