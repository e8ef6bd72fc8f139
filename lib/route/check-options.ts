/** Checks of route options that are made when the route is declared. */
import type { Conventions } from '../context/conventions.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import { assertHook, lifecycleHookNames } from '../context/hooks.js'
import { errorCodes } from '../errors.js'
import { MAX_TIMEOUT_MS } from '../http/deadline.js'
import { bodyReading, bodySchemaMethods, httpMethods } from './methods.js'

/** @throws ALC_ERR_ROUTE_METHOD_INVALID, ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED */
export function normalizeMethod(method: unknown): string {
  if (typeof method !== 'string') throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID()
  const name = method.toUpperCase()
  if (!(httpMethods as readonly string[]).includes(name)) throw new errorCodes.ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED(name)
  return name
}

/** @throws ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT */
export function assertBodyLimit(limit: unknown): void {
  if (limit !== undefined && (!Number.isInteger(limit) || (limit as number) <= 0))
    throw new errorCodes.ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT(limit)
}

/** Checks everything but the hooks, which `onRoute` hooks may still change. @throws the ALC_ERR_ROUTE_… codes */
export function assertRouteOptions(
  { method, schema, handler, errorHandler, bodyLimit, handlerTimeout }: DeclaredOptions,
  path: string,
  { takesAllBodySchemas }: Pick<Conventions, 'takesAllBodySchemas'>,
): void {
  for (const name of [method].flat()) {
    const isTaken = takesAllBodySchemas ? bodyReading[name] !== 'never' : bodySchemaMethods.includes(name)
    if (schema?.body != null && !isTaken) throw new errorCodes.ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED(name, path)
  }
  if (typeof handler !== 'function') throw new errorCodes.ALC_ERR_ROUTE_MISSING_HANDLER(String(method), path)
  if (errorHandler !== undefined && typeof errorHandler !== 'function') {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_NOT_FN(String(method), path)
  }
  assertBodyLimit(bodyLimit)
  if (handlerTimeout !== undefined && !(Number.isInteger(handlerTimeout) && handlerTimeout >= 0 && handlerTimeout <= MAX_TIMEOUT_MS)) {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT(handlerTimeout)
  }
}

/** Checks the hooks among route options. @throws ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER */
export function assertRouteHooks(options: Pick<DeclaredOptions, (typeof lifecycleHookNames)[number]>): void {
  for (const name of lifecycleHookNames) {
    const given: unknown = options[name]
    if (given === undefined) continue
    if (!Array.isArray(given) && typeof given !== 'function')
      throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(given))
    for (const hook of [given].flat()) {
      if (typeof hook !== 'function') throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(hook))
      assertHook(name, hook)
    }
  }
}
