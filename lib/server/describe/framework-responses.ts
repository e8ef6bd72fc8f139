/** What the framework itself answers at a route: the statuses, each only where it can happen, and what decides their payloads. */
import type { Context, NotFoundLevel } from '../../context/context.js'
import { contractOf } from '../../context/contract.js'
import { parameterNames } from '../../route/path-parameters.js'
import type { Contract } from '../../types/description.js'
import { nameOf } from './names.js'
import { errorHandlersIn, handlerTimeoutOf, readsBody, type RouteFacts } from './route-facts.js'

/** A reply that the framework gives, or leaves to a function of the application. */
export interface FrameworkResponse {
  readonly status: number
  /** The functions of the application that may answer in the place of the framework, nearest first. */
  readonly answeredBy: readonly { readonly from: string; readonly contract: Contract | undefined }[]
}

export function frameworkResponses(facts: RouteFacts): FrameworkResponse[] {
  const { context, declared, errorHandlers, path } = facts
  const { url, options } = declared
  const ofRoute = errorHandlers.map(({ name, from, contract }) => ({ from: `${from === 'route' ? path : from} > ${name}`, contract }))
  const isRefused = isValidated(facts) && options.attachValidation !== true
  const statuses = [
    ...(isRefused || readsBody(facts) ? [400] : []),
    ...(readsBody(facts) ? [413, 415] : []),
    ...(handlerTimeoutOf(facts) > 0 ? [503] : []),
  ]
  const names = parameterNames(url)
  return [
    ...statuses.map((status) => ({ status, answeredBy: ofRoute })),
    // A path that cannot be decoded is refused before a route is found.
    ...(names.length > 0 ? [{ status: 400, answeredBy: beforeRouting(context) }] : []),
    ...(names.some((name) => name !== '*') ? [longParameter(context)] : []),
  ]
}

function isValidated({ normal }: RouteFacts): boolean {
  return normal !== undefined && (normal.bodyContent !== undefined || Object.keys(normal.parts).length > 0)
}

/** What may answer a request that fails before it is routed. */
function beforeRouting(context: Context): FrameworkResponse['answeredBy'] {
  const { frameworkErrors, routerOptions } = context.options
  if (routerOptions?.onBadUrl !== undefined) return [{ from: 'routerOptions.onBadUrl', contract: contractOf(routerOptions.onBadUrl) }]
  if (frameworkErrors !== undefined) return [{ from: 'frameworkErrors', contract: contractOf(frameworkErrors) }]
  return errorHandlersIn(rootOf(context)).map(({ name, from, contract }) => ({ from: `${from} > ${name}`, contract }))
}

/** A parameter that is longer than `maxParamLength`, or does not match its pattern: no route is found. */
function longParameter(context: Context): FrameworkResponse {
  const { routerOptions, conventions } = context.options
  const onLong = routerOptions?.onMaxParamLength
  if (onLong !== undefined) return { status: 414, answeredBy: [{ from: 'routerOptions.onMaxParamLength', contract: contractOf(onLong) }] }
  if (conventions.refusesLongParameters) return { status: 414, answeredBy: beforeRouting(context) }
  return { status: 404, answeredBy: notFoundHandlerOf(context) }
}

function notFoundHandlerOf({ notFound, options }: Context): FrameworkResponse['answeredBy'] {
  const { defaultRoute } = options.routerOptions ?? {}
  if (defaultRoute !== undefined) return [{ from: 'routerOptions.defaultRoute', contract: contractOf(defaultRoute) }]
  for (let at: NotFoundLevel | undefined = notFound; at !== undefined; at = at.parent) {
    if (at.own?.handler === undefined) continue
    const { context, handler } = at.own
    return [{ from: `${context.path} > ${nameOf(handler)}`, contract: contractOf(handler) }]
  }
  return []
}

function rootOf(context: Context): Context {
  return context.parent === undefined ? context : rootOf(context.parent)
}
