/** Describes the responses of the error classes that a route, or a context above it, lists in `throws`. */
import type { Context } from '../../context/context.js'
import { errorClassesOf } from '../../context/error-classes.js'
import type { HttpErrorClass } from '../../errors/http-error.js'
import { payloadSchema } from '../../schema/error-class.js'
import type { ResponseDescription } from '../../types/description.js'
import type { RouteFacts } from './route-facts.js'

export function thrownResponses({ context, declared }: RouteFacts): (ResponseDescription & { readonly status: string })[] {
  const { mediaType } = context.errorFormat
  const ofRoute = (declared.options.throws ?? []).map((Class) => ({ Class, from: 'route' }))
  const listed = [...errorClassesOf(context), ...ofRoute]
  const classes = listed.map(({ Class }) => Class)
  return listed.map(({ Class, from }) => ({
    status: String(Class.status),
    ...descriptionOf(Class.status, classes),
    content: { [mediaType]: namedSchema(Class, context) },
    from: [from],
  }))
}

/** Returns the description of a status: the descriptions of all listed error classes that have this status. */
function descriptionOf(status: number, classes: readonly HttpErrorClass[]): Pick<ResponseDescription, 'description'> {
  const texts = new Set(classes.flatMap((Class) => (Class.status === status && Class.description ? [Class.description] : [])))
  return texts.size > 0 ? { description: [...texts].join('; ') } : {}
}

/**
 * Returns the schema of the payload of an error class. The name of the class is its `$id`, so that several payloads with the same status
 * can be distinguished.
 */
function namedSchema(Class: HttpErrorClass, { errorFormat }: Context): { readonly [keyword: string]: unknown } {
  return { $id: Class.name, ...payloadSchema(Class, errorFormat) }
}
