/** The dates of a deprecated route in OpenAPI documents, which have no field for them: the extensions of its operation. */
import type { DeprecationDescription } from '../../../lib/index.js'
import { findDeprecationProblems } from '../../../lib/internal.js'

/** The extension that has each member of a deprecation. `alcove diff` reads `x-sunset`. */
const extensionOf = { since: 'x-deprecated-since', sunset: 'x-sunset', link: 'x-deprecated-link' } as const
const members = Object.entries(extensionOf) as [keyof typeof extensionOf, `x-${string}`][]

/** Returns the extensions that say in a document when a route was deprecated and when it may end. */
export function deprecationExtensions(deprecation: DeprecationDescription | undefined): Record<`x-${string}`, string> {
  if (deprecation === undefined) return {}
  return Object.fromEntries(members.flatMap(([member, name]) => (deprecation[member] === undefined ? [] : [[name, deprecation[member]]])))
}

/**
 * Reads the deprecation of an operation from its extensions.
 * @returns the option `deprecated` for its route, and the extensions that are left. Dates that this option does not take are left
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
