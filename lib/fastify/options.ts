/** The options of Fastify 5, as options of `createServer`, and its checks of what applications declare. */
import { LogController } from '../lifecycle/log-request.js'
import { listErrors } from '../schema/validate-request.js'
import { optionNames } from '../server/options.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { suggestName } from '../util/nearest-name.js'
import { isAsyncFunction } from '../util/promises.js'
import { errorCodes } from './errors.js'

/** The messages of ajv: `body must have required property 'name', body/age must be integer`. */
export function describeDetail({ message = 'is invalid' }: SchemaErrorDetail): string {
  return message
}

/** Defaults of Fastify 5 that applications rely on. The other defaults are those of `createServer`. */
const defaults: ServerOptions = {
  exposeErrorMessages: true,
  handlerTimeout: 0,
  return503OnClosing: true,
  undeclaredResponses: 'send',
  schemaErrorFormatter: (errors, dataVar) => listErrors(errors, dataVar, describeDetail),
}

type GivenOptions = Readonly<Record<string, unknown>> &
  Pick<ServerOptions, 'logController' | 'disableRequestLogging' | 'requestIdLogLabel' | 'logger' | 'trustProxy'>

/**
 * Reads the options of an application for Fastify 5. Such applications pass options of their own along with them, so an unknown option
 * is left out. One that looks like a misspelt option of the server is reported by a warning of the process.
 * @throws FST_ERR_LOG_INVALID_LOGGER_CONFIG
 */
export function readOptions({ ajv, logController, disableRequestLogging, requestIdLogLabel, ...given }: GivenOptions): ServerOptions {
  const options: Record<string, unknown> = { ...defaults, ...(ajv !== undefined && { jsv: ajv }) }
  // With a controller, `disableRequestLogging: true` concerns errors and missing routes too, as in Fastify 5.
  options['logController'] =
    logController ??
    new LogController({
      ...(disableRequestLogging !== undefined && { disableRequestLogging }),
      ...(requestIdLogLabel !== undefined && { requestIdLogLabel }),
    })
  for (const [name, value] of Object.entries(given)) {
    if (optionNames.includes(name)) options[name] = value
    else warnOfMisspelling(name)
  }
  if (typeof (given.logger as { child?: unknown } | undefined)?.child === 'function')
    throw new errorCodes.FST_ERR_LOG_INVALID_LOGGER_CONFIG()
  if (typeof given.trustProxy === 'number') options['trustProxy'] = trustNone(given.trustProxy)
  // Fastify reads these names at both places, and here first.
  for (const name of Object.keys(given['routerOptions'] ?? {})) delete options[name]
  return options
}

/** A number of hops does not say who the proxies are: any client could write as many addresses. Fastify 5 trusts none of them. */
function trustNone(hops: number): () => boolean {
  const cure = "Write the addresses of the proxies, such as trustProxy: '10.0.0.0/8'."
  process.emitWarning(`trustProxy: ${hops} trusts no proxy, because a number of hops does not name one. ${cure}`, 'AlcoveWarning')
  return () => false
}

/** @throws FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER if the function has two ways to say that it is over */
export function assertPlugin(plugin: (...args: any[]) => unknown, nameOf: () => string): void {
  if (isAsyncFunction(plugin) && plugin.length === 3) throw new errorCodes.FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER(nameOf())
}

/** How many parameters an async function must have. For other hooks Fastify refuses only one that takes `done`, as `createServer` does. */
const asyncLengths: Readonly<Record<string, number>> = { onReady: 0, onListen: 0, onRequestAbort: 1 }

/** @throws FST_ERR_HOOK_INVALID_ASYNC_HANDLER also for an async onRequestAbort hook that does not take the request */
export function assertHook(name: string, hook: (...args: any[]) => unknown): void {
  if (name in asyncLengths && isAsyncFunction(hook) && hook.length !== asyncLengths[name])
    throw new errorCodes.FST_ERR_HOOK_INVALID_ASYNC_HANDLER()
}

/** @throws FST_ERR_ROUTE_LOG_LEVEL_INVALID */
export function assertLogLevel(level: unknown, levels: object, method: string, path: string): void {
  if (level !== 'silent' && !Object.hasOwn(levels, String(level)))
    throw new errorCodes.FST_ERR_ROUTE_LOG_LEVEL_INVALID(method, path, String(level))
}

/** As Fastify 5 does, with its name and code: process warnings are filtered by these. */
export function warnOfKnownMethod(name: string): void {
  const text = `Calling addHttpMethod for existing method "${name}" without { overrideExisting: true } is deprecated. In Fastify v6, this will throw an error.`
  process.emitWarning(text, 'FastifyDeprecation', 'FSTDEP025')
}

function warnOfMisspelling(name: string): void {
  const suggestion = suggestName(name, [...optionNames, 'ajv'])
  if (suggestion !== '') process.emitWarning(`'${name}' is not an option of the server. ${suggestion}`, 'AlcoveWarning')
}
