/** Finds the declaration of a deprecation that applies to a route: the route's own declaration, or that of one of its contexts. */
import type { Context } from '../context/context.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import type { Deprecation } from '../types/description.js'

/**
 * Returns the declaration of a deprecation that applies to a route: the one in its schema or its options, else the one of the nearest
 * context that has one. `deprecated: true` in the schema has no dates, so a declaration with dates elsewhere takes precedence.
 */
export function deprecationOf(
  context: Context,
  { deprecated: own, schema }: Pick<DeclaredOptions, 'deprecated' | 'schema'>,
): boolean | Deprecation {
  const inSchema: unknown = (schema as { readonly deprecated?: unknown } | null | undefined)?.deprecated
  if (inSchema === false) return false
  const declared = own ?? deprecationOfContext(context)
  return inSchema === true ? declared || true : (declared ?? false)
}

function deprecationOfContext({ parent, declaredReplies }: Context): boolean | Deprecation | undefined {
  // The declaration of a plugin counts before those of the plugins that it shares.
  const own = declaredReplies.find(({ replies }) => replies.deprecated !== undefined)
  return own === undefined ? (parent ?? undefined) && deprecationOfContext(parent!) : own.replies.deprecated
}
