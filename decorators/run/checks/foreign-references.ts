/**
 * Checks the references to classes in routes that `setup` methods and plugin functions add, because the wiring contains only the routes of
 * classes.
 */
import type { RouteOptions, Server } from '../../../lib/index.js'
import { findReferences, kPlace } from '../../../lib/internal.js'
import { modelOf } from '../../declare/model/ref.js'
import { getSharedSchema } from '../../declare/schema.js'
import { type Fault, fault } from '../../wiring/faults.js'
import { nameOf } from '../../wiring/value-names.js'

/**
 * Watches the programmatic routes that are added to a server, because their references are checked nowhere else.
 * @returns a function that returns a fault for each reference to a class that would lead to another schema
 */
export function watchReferences(server: Server): () => Fault[] {
  const added: { readonly context: Server; readonly options: RouteOptions<any> }[] = []
  server.addHook('onRoute', function (options) {
    // The implicit HEAD route of a GET route would be the same fault again.
    if ((options as { [kPlace]?: unknown })[kPlace] === undefined && options.method !== 'HEAD') added.push({ context: this, options })
  })
  return () =>
    added.flatMap(({ context, options: { method, url, schema } }) =>
      findReferences(schema).flatMap(({ schema: reference }) => {
        const Model = modelOf(reference)
        const ofModel: { readonly $id?: unknown } | undefined = Model && getSharedSchema(Model)
        if (typeof ofModel?.$id !== 'string' || '~standard' in ofModel) return []
        const seen: unknown = context.getSchema(ofModel.$id)
        // A context keeps copies of its schemas. Two schemas with one text write the same replies.
        if (seen === undefined || JSON.stringify(seen) === JSON.stringify(ofModel)) return []
        const use = { name: nameOf(Model), place: `${[method].flat().join(', ')} ${url}`, isListed: false }
        return fault('SCHEMA_ID_REPEATED', ofModel.$id, use, { name: 'another schema', place: 'its context', isListed: true })
      }),
    )
}
