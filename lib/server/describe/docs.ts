/** The texts for the documentation of a route: the route's own texts and inherited ones. */
import type { Context } from '../../context/context.js'
import type { DeclaredOptions } from '../../context/declared-route.js'
import type { ContextDocs, RouteDocs } from '../../types/description.js'

/** The keys of a route's schema that `@fastify/swagger` reads as texts for documentation. */
const schemaFields = ['summary', 'description', 'tags', 'operationId', 'hide', 'externalDocs']

/**
 * Returns the texts of a route for its documentation: the texts of its contexts from the root down, then of its option `docs`, then in its
 * schema. A later text replaces an earlier one.
 */
export function describeDocs(context: Context, { docs, schema }: Pick<DeclaredOptions, 'docs' | 'schema'>): RouteDocs {
  const inSchema = Object.entries((schema ?? {}) as Record<string, unknown>).filter(
    ([key, value]) => value !== undefined && (schemaFields.includes(key) || key.startsWith('x-')),
  )
  return { ...contextDocs(context), ...docs, ...Object.fromEntries(inSchema) }
}

function contextDocs({ parent, declaredReplies }: Context): ContextDocs {
  // The texts of a plugin replace the texts of the plugins that it shares.
  const own = declaredReplies.map(({ replies }) => replies.docs).toReversed()
  return Object.assign({}, parent && contextDocs(parent), ...own) as ContextDocs
}
