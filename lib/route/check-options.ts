/** Reads and checks the options of routes when they are declared. */
import type { ContextMethods } from '../context/context-methods.js'
import { findDocsProblems } from '../context/declared-replies.js'
import { type DescriptionProblem, textOfProblems } from '../context/description-problems.js'
import type { Context } from '../context/context.js'
import type { Conventions } from '../context/conventions.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import { assertHook, lifecycleHookNames } from '../context/hooks.js'
import { errorCodes } from '../errors/codes.js'
import { MAX_TIMEOUT_MS } from '../http/deadline.js'
import { problemOfErrorClass } from '../schema/error-class.js'
import { addableMethods, type BodySchemaContext, takesBodySchema } from './methods.js'

/**
 * Returns the method of a route in capitals, if routes of the context can have it.
 * @throws ALC_ERR_ROUTE_METHOD_INVALID, ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED
 */
export function normalizeMethod(method: unknown, methods: ContextMethods): string {
  if (typeof method !== 'string') throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID()
  const name = method.toUpperCase()
  if (methods.find(name) !== undefined) return name
  throw new errorCodes.ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED(name, cureOfMethod(name))
}

function cureOfMethod(name: string): string {
  if (addableMethods.includes(name)) return ` Call server.addHttpMethod('${name}') first.`
  return name === 'QUERY' ? ` The HTTP parser of this Node (${process.version}) does not know it.` : ''
}

/** Throws if a route has a body schema and its method takes none. @throws ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED */
export function assertBodySchema(
  { method, schema }: Pick<DeclaredOptions, 'method' | 'schema'>,
  path: string,
  context: BodySchemaContext,
): void {
  if (schema?.body == null) return
  for (const name of [method].flat())
    if (!takesBodySchema(context, name))
      throw new errorCodes.ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED(name, path, cureOfBodySchema(name, context))
}

/** Returns what to write instead of a body schema on a method that takes none. Fastify's test suite compares the text for some methods. */
function cureOfBodySchema(name: string, { methods }: BodySchemaContext): string {
  if (/^(?:GET|HEAD|TRACE|PATCH|POST|PUT)$/.test(name)) return ''
  if (methods.find(name)?.body === 'never')
    return ` Its body is not read. Leave out the schema, or call server.addHttpMethod('${name}', { hasBody: true }) and validate the body in a preValidation hook.`
  return ' Validate the body in a preValidation hook, by request.validateInput(request.body, schema). In alcove/fastify it is supported.'
}

/** Throws if a body limit is not a whole number above 0. @throws ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT */
export function assertBodyLimit(limit: unknown): void {
  if (limit !== undefined && (!Number.isInteger(limit) || (limit as number) <= 0))
    throw new errorCodes.ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT(limit)
}

/**
 * Checks the options of a route except its hooks, which `onRoute` hooks may still change.
 * @throws the ALC_ERR_ROUTE_… codes, ALC_ERR_SETTING_INVALID
 */
export function assertRouteOptions(options: DeclaredOptions, path: string, context: Pick<Context, 'methods' | 'options' | 'logger'>): void {
  const { method, handler, errorHandler, bodyLimit, handlerTimeout } = options
  assertBodySchema(options, path, context)
  if (typeof handler !== 'function') throw new errorCodes.ALC_ERR_ROUTE_MISSING_HANDLER(String(method), path)
  if (errorHandler !== undefined && typeof errorHandler !== 'function') {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_NOT_FN(String(method), path)
  }
  const { levels } = context.logger as { levels?: { values?: object } }
  if (options.logLevel && levels?.values) context.options.conventions.assertLogLevel(options.logLevel, levels.values, String(method), path)
  assertBodyLimit(bodyLimit)
  if (options.throws !== undefined) assertErrorClasses(options.throws, `${String(method)} ${path}`)
  assertNoProblems(findDocsProblems(options, true), method, path)
  if (handlerTimeout !== undefined && !(Number.isInteger(handlerTimeout) && handlerTimeout >= 0 && handlerTimeout <= MAX_TIMEOUT_MS)) {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT(handlerTimeout)
  }
}

/** Throws if the documentation or the deprecation of a route has problems. @throws ALC_ERR_SETTING_INVALID */
export function assertNoProblems(problems: readonly DescriptionProblem[], method: string | string[], path: string): void {
  if (problems.length > 0) throw new errorCodes.ALC_ERR_SETTING_INVALID(`The route ${String(method)} ${path}`, textOfProblems(problems))
}

/** Throws if an entry in the list of error classes of a route or a context is not such a class. @throws ALC_ERR_THROWS_INVALID */
export function assertErrorClasses(listed: unknown, place: string): void {
  if (!Array.isArray(listed)) throw new errorCodes.ALC_ERR_THROWS_INVALID(place, String(listed), 'Write a list: throws: [NoSuchUser].')
  for (const entry of listed as unknown[]) {
    const problem = problemOfErrorClass(entry)
    if (problem === undefined) continue
    const name =
      typeof entry === 'function' && entry.name !== ''
        ? entry.name
        : entry === null || typeof entry !== 'object'
          ? String(entry)
          : 'an object'
    throw new errorCodes.ALC_ERR_THROWS_INVALID(place, name, problem)
  }
}

/** Checks the hooks among the options of a route. @throws ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER */
export function assertRouteHooks(options: Pick<DeclaredOptions, (typeof lifecycleHookNames)[number]>, conventions: Conventions): void {
  for (const name of lifecycleHookNames) {
    const hooks: unknown = options[name]
    if (hooks === undefined) continue
    if (!Array.isArray(hooks) && typeof hooks !== 'function')
      throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(hooks))
    for (const hook of [hooks].flat()) {
      if (typeof hook !== 'function') throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(hook))
      assertHook(name, hook, conventions)
    }
  }
}

/** Reads the arguments of `server.get` and similar methods as the options of a route. */
export function readShorthand(method: string | string[], path: unknown, options: any, handler: any): Record<string, any> {
  if (typeof path !== 'string') throw new errorCodes.ALC_ERR_INVALID_URL(typeof path)
  const name = String(method)
  if (handler === undefined && typeof options === 'function') return { method, url: path, path, handler: options }
  if (typeof handler === 'function') {
    if (Object.prototype.toString.call(options) !== '[object Object]') throw new errorCodes.ALC_ERR_ROUTE_OPTIONS_NOT_OBJ(name, path)
    if (options.handler !== undefined) {
      if (typeof options.handler === 'function') throw new errorCodes.ALC_ERR_ROUTE_DUPLICATED_HANDLER(name, path)
      throw new errorCodes.ALC_ERR_ROUTE_HANDLER_NOT_FN(name, path, 'Handler')
    }
  }
  return { ...options, method, url: path, path, handler: handler ?? options?.handler }
}
