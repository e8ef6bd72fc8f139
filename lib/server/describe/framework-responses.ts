/** The replies that the framework itself gives at a route: which statuses can occur there, and what decides their payloads. */
import type { Context, NotFoundLevel } from '../../context/context.js'
import { declaredRepliesOf } from '../../context/declared-replies.js'
import { type PathParameter, splitPath } from '../../route/path-parameters.js'
import type { JsonSchema } from '../../types/description.js'
import { functionName } from './function-name.js'
import {
  type AnsweringHandler,
  answeringHandlers,
  errorHandlersIn,
  handlerTimeoutOf,
  readsBody,
  rootContext,
  type RouteFacts,
} from './route-facts.js'

/** A reply that the framework itself gives at a route, unless a function of the application answers instead. */
export interface FrameworkResponse {
  readonly status: number
  /** The context that decides the format of errors in which the reply is written. */
  readonly formatOf: Context
  /** The functions of the application that may answer instead of the framework, nearest first. */
  readonly answeredBy: readonly AnsweringHandler[]
}

/** Returns the media type and the schema of an error's payload in a context. */
export function errorPayloadOf({ errorFormat: { mediaType, schema } }: Context): {
  readonly mediaType: string
  readonly schema: Exclude<JsonSchema, boolean>
} {
  return { mediaType, schema: { ...schema } }
}

export function frameworkResponses(facts: RouteFacts): FrameworkResponse[] {
  const { context, declared } = facts
  const { url, options } = declared
  const ofRoute = answeringHandlers(facts)
  const isRefused = isValidated(facts) && options.attachValidation !== true
  const statuses = [
    ...(isRefused || readsBody(facts) ? [400] : []),
    // The client may accept none of the media types of a stream.
    ...(facts.normal?.responses.some(({ stream }) => stream !== undefined) === true ? [406] : []),
    ...(readsBody(facts) ? [413, 415] : []),
    ...(handlerTimeoutOf(facts) > 0 ? [503] : []),
  ]
  const { parameters } = splitPath(url)
  return [
    ...statuses.map((status) => ({ status, formatOf: context, answeredBy: ofRoute })),
    // A path that cannot be decoded is refused before a route is found.
    ...(parameters.length > 0 ? [refusedPath(context, 400, 'onBadUrl')] : []),
    ...unmatchedParameter(context, parameters),
    // A request that does not meet the constraints finds no route. In documents a host is a server.
    ...(Object.keys(options.constraints ?? {}).some((name) => name !== 'host') ? noRouteForConstraints(facts, ofRoute) : []),
  ]
}

function isValidated({ normal }: RouteFacts): boolean {
  return normal !== undefined && (normal.bodyContent !== undefined || Object.keys(normal.parts).length > 0)
}

/** Returns the reply to a path that is refused before it is routed, unless the function of the option `name` answers. */
function refusedPath(context: Context, status: number, name: 'onBadUrl' | 'onMaxParamLength'): FrameworkResponse {
  const own = context.options.routerOptions?.[name]
  const answeredBy =
    own === undefined ? answeringBeforeRouting(context) : [{ from: `routerOptions.${name}`, replies: declaredRepliesOf(own) }]
  return { status, formatOf: rootContext(context), answeredBy }
}

/** Returns the functions that may answer a request that fails before it is routed. */
function answeringBeforeRouting(context: Context): FrameworkResponse['answeredBy'] {
  const { frameworkErrors } = context.options
  if (frameworkErrors !== undefined) return [{ from: 'frameworkErrors', replies: declaredRepliesOf(frameworkErrors) }]
  return errorHandlersIn(rootContext(context)).map(({ name, from, replies }) => ({ from: `${from} > ${name}`, replies }))
}

/** Returns the replies to a path with a parameter that is longer than `maxParamLength`, or does not match its pattern. */
function unmatchedParameter(context: Context, parameters: readonly PathParameter[]): FrameworkResponse[] {
  const named = parameters.filter(({ name }) => name !== '*')
  if (named.length === 0) return []
  const { frameworkErrors, routerOptions, conventions } = context.options
  const isRefused = (routerOptions?.onMaxParamLength ?? frameworkErrors) !== undefined || conventions.refusesLongParameters
  if (!isRefused) return [noRoute(context)]
  const tooLong = refusedPath(context, 414, 'onMaxParamLength')
  return named.some(({ pattern }) => pattern !== undefined) ? [tooLong, noRoute(context)] : [tooLong]
}

/**
 * Returns the replies to a request that does not meet the constraints of a route: 404, and with the option `methodNotAllowed` also 405,
 * because the path may have routes for other methods.
 */
function noRouteForConstraints({ context }: RouteFacts, answeredBy: FrameworkResponse['answeredBy']): FrameworkResponse[] {
  const refused = { status: 405, formatOf: context, answeredBy }
  return context.options.methodNotAllowed === true ? [noRoute(context), refused] : [noRoute(context)]
}

function noRoute(context: Context): FrameworkResponse {
  return { status: 404, formatOf: prefixOwnerOf(context), answeredBy: answeringNotFoundHandler(context) }
}

/**
 * Returns the context whose format of errors applies to unknown paths below the prefix of a context: the context that set the not-found
 * handler of the prefix, otherwise the context that declares the prefix.
 */
function prefixOwnerOf(context: Context): Context {
  const { notFound, parent } = context
  if (notFound.own !== undefined) return notFound.own.context
  return parent === undefined || parent.notFound !== notFound ? context : prefixOwnerOf(parent)
}

function answeringNotFoundHandler({ notFound, options }: Context): FrameworkResponse['answeredBy'] {
  const { defaultRoute } = options.routerOptions ?? {}
  if (defaultRoute !== undefined) return [{ from: 'routerOptions.defaultRoute', replies: declaredRepliesOf(defaultRoute) }]
  for (let at: NotFoundLevel | undefined = notFound; at !== undefined; at = at.parent) {
    if (at.own?.handler === undefined) continue
    const { context, handler } = at.own
    return [{ from: `${context.path} > ${functionName(handler)}`, replies: declaredRepliesOf(handler) }]
  }
  return []
}
