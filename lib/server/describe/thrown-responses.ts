/** The responses of the error classes that a route, or a context above it, lists in `throws`. */
import type { Context } from '../../context/context.js'
import { errorClassesOf } from '../../context/error-classes.js'
import type { HttpErrorClass } from '../../errors/http-error.js'
import { payloadSchema } from '../../schema/error-class.js'
import type { ResponseDescription } from '../../types/description.js'
import type { RouteFacts } from './route-facts.js'

export function thrownResponses({ context, declared }: RouteFacts): (ResponseDescription & { readonly status: string })[] {
  const { mediaType } = context.errorFormat
  const ofRoute = (declared.options.throws ?? []).map((Class) => ({ Class, from: 'route' }))
  return [...errorClassesOf(context), ...ofRoute].map(({ Class, from }) => ({
    status: String(Class.status),
    content: { [mediaType]: namedSchema(Class, context) },
    from: [from],
  }))
}

/** The name of the class tells the payloads of one status apart. */
function namedSchema(Class: HttpErrorClass, { errorFormat }: Context): { readonly [keyword: string]: unknown } {
  return { $id: Class.name, ...payloadSchema(Class, errorFormat) }
}
