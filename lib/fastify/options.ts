/** Translates the options of Fastify 5 to options of `createServer`, and makes Fastify's checks of plugins, hooks and log levels. */
import { LogController } from '../lifecycle/log-request.js'
import { listErrors } from '../schema/validate-request.js'
import { optionNames } from '../server/options.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { suggestName } from '../util/nearest-name.js'
import { isAsyncFunction } from '../util/promises.js'
import { errorCodes } from './errors.js'

/** Returns ajv's message for one error that validation reports: `must be integer`. */
export function describeDetail({ message = 'is invalid' }: SchemaErrorDetail): string {
  return message
}

/** Defaults of Fastify 5 that applications rely on. The other defaults are the same as in `createServer`. */
const defaults: ServerOptions = {
  exposeErrorMessages: true,
  handlerTimeout: 0,
  return503OnClosing: true,
  undeclaredResponses: 'send',
  schemaErrorFormatter: (errors, dataVar) => listErrors(errors, dataVar, describeDetail),
}

type FastifyOptions = Readonly<Record<string, unknown>> &
  Pick<ServerOptions, 'logController' | 'disableRequestLogging' | 'requestIdLogLabel' | 'logger' | 'trustProxy'>

/**
 * Reads the options of an application for Fastify 5. Such applications pass further options along, so an unknown option is left out. An
 * option that looks like a misspelt option of the server is reported by a warning of the process.
 * @throws FST_ERR_LOG_INVALID_LOGGER_CONFIG
 */
export function readOptions({ ajv, logController, disableRequestLogging, requestIdLogLabel, ...others }: FastifyOptions): ServerOptions {
  const options: Record<string, unknown> = { ...defaults, ...(ajv !== undefined && { jsv: ajv }) }
  // With a controller, `disableRequestLogging: true` concerns errors and missing routes too, as in Fastify 5.
  options['logController'] =
    logController ??
    new LogController({
      ...(disableRequestLogging !== undefined && { disableRequestLogging }),
      ...(requestIdLogLabel !== undefined && { requestIdLogLabel }),
    })
  for (const [name, value] of Object.entries(others)) {
    if (optionNames.includes(name)) options[name] = value
    else warnOfMisspelling(name)
  }
  if (typeof (others.logger as { child?: unknown } | undefined)?.child === 'function')
    throw new errorCodes.FST_ERR_LOG_INVALID_LOGGER_CONFIG()
  if (typeof others.trustProxy === 'number') options['trustProxy'] = trustNone(others.trustProxy)
  // Fastify reads these names in `routerOptions` and beside it, and `routerOptions` takes precedence.
  for (const name of Object.keys(others['routerOptions'] ?? {})) delete options[name]
  return options
}

/**
 * Returns a `trustProxy` that trusts no proxy, for a number of hops, and warns. A number of hops does not say which peers are proxies, and
 * any client could send that many forged addresses. Fastify 5 trusts none of these addresses.
 */
function trustNone(hops: number): () => boolean {
  const cure = "Write the addresses of the proxies, such as trustProxy: '10.0.0.0/8'."
  process.emitWarning(`trustProxy: ${hops} trusts no proxy, because a number of hops does not name one. ${cure}`, 'AlcoveWarning')
  return () => false
}

/** Throws for a plugin function that is async and also takes `done`. @throws FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER */
export function assertPlugin(plugin: (...args: any[]) => unknown, nameOf: () => string): void {
  if (isAsyncFunction(plugin) && plugin.length === 3) throw new errorCodes.FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER(nameOf())
}

/**
 * The number of parameters that an async hook must have, by the name of the hook. Among the hooks that are not listed, Fastify refuses only
 * async functions that take `done`, as `createServer` does.
 */
const asyncLengths: Readonly<Record<string, number>> = { onReady: 0, onListen: 0, onRequestAbort: 1 }

/**
 * Throws for an async hook with another number of parameters than Fastify allows, such as an onRequestAbort hook that does not take the
 * request.
 * @throws FST_ERR_HOOK_INVALID_ASYNC_HANDLER
 */
export function assertHook(name: string, hook: (...args: any[]) => unknown): void {
  if (name in asyncLengths && isAsyncFunction(hook) && hook.length !== asyncLengths[name])
    throw new errorCodes.FST_ERR_HOOK_INVALID_ASYNC_HANDLER()
}

/** Throws if the log level of a route is none of the logger's levels. @throws FST_ERR_ROUTE_LOG_LEVEL_INVALID */
export function assertLogLevel(level: unknown, levels: object, method: string, path: string): void {
  if (level !== 'silent' && !Object.hasOwn(levels, String(level)))
    throw new errorCodes.FST_ERR_ROUTE_LOG_LEVEL_INVALID(method, path, String(level))
}

/**
 * Emits the warning of Fastify 5 that `addHttpMethod` was called for a known method. It has Fastify's name and code, because process
 * warnings are filtered by these.
 */
export function warnOfKnownMethod(name: string): void {
  const text = `Calling addHttpMethod for existing method "${name}" without { overrideExisting: true } is deprecated. In Fastify v6, this will throw an error.`
  process.emitWarning(text, 'FastifyDeprecation', 'FSTDEP025')
}

function warnOfMisspelling(name: string): void {
  const suggestion = suggestName(name, [...optionNames, 'ajv'])
  if (suggestion !== '') process.emitWarning(`'${name}' is not an option of the server. ${suggestion}`, 'AlcoveWarning')
}
