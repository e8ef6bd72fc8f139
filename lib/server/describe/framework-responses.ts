/** The replies that the framework itself gives at a route: which statuses can occur there, and what decides their payloads. */
import type { Context, NotFoundLevel } from '../../context/context.js'
import { declaredRepliesOf } from '../../context/declared-replies.js'
import { parameterNames } from '../../route/path-parameters.js'
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
  const names = parameterNames(url)
  return [
    ...statuses.map((status) => ({ status, formatOf: context, answeredBy: ofRoute })),
    // A path that cannot be decoded is refused before a route is found.
    ...(names.length > 0 ? [{ status: 400, ...beforeRouting(context) }] : []),
    ...(names.some((name) => name !== '*') ? [longParameter(context)] : []),
    // A request that does not meet the constraints finds no route. In documents a host is a server.
    ...(Object.keys(options.constraints ?? {}).some((name) => name !== 'host') ? noRouteForConstraints(facts, ofRoute) : []),
  ]
}

function isValidated({ normal }: RouteFacts): boolean {
  return normal !== undefined && (normal.bodyContent !== undefined || Object.keys(normal.parts).length > 0)
}

/** Returns the context of the format, and the functions that may answer, for a request that fails before a route is found. */
function beforeRouting(context: Context): Omit<FrameworkResponse, 'status'> {
  return { formatOf: rootContext(context), answeredBy: answeringBeforeRouting(context) }
}

function answeringBeforeRouting(context: Context): FrameworkResponse['answeredBy'] {
  const { frameworkErrors, routerOptions } = context.options
  if (routerOptions?.onBadUrl !== undefined) return [{ from: 'routerOptions.onBadUrl', replies: declaredRepliesOf(routerOptions.onBadUrl) }]
  if (frameworkErrors !== undefined) return [{ from: 'frameworkErrors', replies: declaredRepliesOf(frameworkErrors) }]
  return errorHandlersIn(rootContext(context)).map(({ name, from, replies }) => ({ from: `${from} > ${name}`, replies }))
}

/**
 * Returns the reply to a request that finds no route because a parameter is longer than `maxParamLength`, or does not match its pattern.
 */
function longParameter(context: Context): FrameworkResponse {
  const { routerOptions, conventions } = context.options
  const onLong = routerOptions?.onMaxParamLength
  const formatOf = rootContext(context)
  if (onLong !== undefined)
    return { status: 414, formatOf, answeredBy: [{ from: 'routerOptions.onMaxParamLength', replies: declaredRepliesOf(onLong) }] }
  if (conventions.refusesLongParameters) return { status: 414, ...beforeRouting(context) }
  return noRoute(context)
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
