/** The texts of a route for its documentation: its own, and those that it inherits. */
import type { Context } from '../../context/context.js'
import type { DeclaredOptions } from '../../context/declared-route.js'
import type { ContextDocs, RouteDocs } from '../../types/description.js'

/** The fields that `@fastify/swagger` reads from the schema of a route. */
const schemaFields = ['summary', 'description', 'tags', 'operationId', 'deprecated', 'hide', 'externalDocs']

/** A nearer text takes the place of one from farther away: those of the contexts from the root, of the route, and in its schema. */
export function describeDocs(context: Context, { docs, schema }: Pick<DeclaredOptions, 'docs' | 'schema'>): RouteDocs {
  const inSchema = Object.entries((schema ?? {}) as Record<string, unknown>).filter(
    ([key, value]) => value !== undefined && (schemaFields.includes(key) || key.startsWith('x-')),
  )
  return { ...contextDocs(context), ...docs, ...Object.fromEntries(inSchema) }
}

function contextDocs({ parent, contracts }: Context): ContextDocs {
  // A plugin comes before those that it shares, whose texts give way to its own.
  const own = contracts.map(({ contract }) => contract.docs).toReversed()
  return Object.assign({}, parent && contextDocs(parent), ...own) as ContextDocs
}
