/** Which declaration of a deprecation a route has: its own, or that of a context. */
import type { Context } from '../context/context.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import type { Deprecation } from '../types/description.js'

/**
 * Returns what a route declares of its deprecation: its schema or its option, else the nearest of its contexts that says something.
 * `deprecated: true` in its schema, which has no dates, adds nothing to another declaration.
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
