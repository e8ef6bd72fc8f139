/** Translates options that Fastify 5 names or groups in another way to the options of alcove that mean the same. */
import { assertLogger } from '../context/logger.js'
import { errorCodes } from '../errors/codes.js'
import { LogController } from '../lifecycle/log-request.js'
import type { GroupedRouterOptions, RouterOptions, ServerOptions } from '../types/options.js'
import { suggestName } from '../util/nearest-name.js'

const routerOptionNames: { readonly [K in keyof Required<RouterOptions>]: true } = {
  caseSensitive: true,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  maxParamLength: true,
  allowUnsafeRegex: true,
  useSemicolonDelimiter: true,
  querystringParser: true,
  constraints: true,
}

/** The names of the options that can be given in `routerOptions` only. */
export type OnlyGrouped = Exclude<keyof GroupedRouterOptions, keyof RouterOptions>

/**
 * Replaces `loggerInstance`, and the options in `routerOptions`, by the options that mean the same. Options that can be given only in
 * `routerOptions` remain there. If `loggerInstance` or `routerOptions` is of the wrong kind, both are left unchanged.
 * @param onlyGrouped the names of the options that can be given only in `routerOptions`
 * @param problems gets one sentence for each option that is unknown or given twice
 * @throws ALC_ERR_LOG_INVALID_LOGGER_INSTANCE, ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED, ALC_ERR_LOG_INVALID_LOG_CONTROLLER
 */
export function readFastify5Options(serverOptions: ServerOptions, onlyGrouped: readonly string[], problems: string[]): ServerOptions {
  const { routerOptions, loggerInstance, ...options } = serverOptions
  if (loggerInstance !== undefined) {
    if (options.logger) throw new errorCodes.ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED()
    if (loggerInstance === null || typeof loggerInstance !== 'object') return serverOptions
    assertLogger(loggerInstance, (missing) => new errorCodes.ALC_ERR_LOG_INVALID_LOGGER_INSTANCE(missing))
    options.logger = loggerInstance
  }
  readLogController(options, problems)
  if (routerOptions === undefined) return options
  if (routerOptions === null || typeof routerOptions !== 'object') return serverOptions
  const grouped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(routerOptions)) {
    if (value === undefined) continue
    if (onlyGrouped.includes(name)) grouped[name] = value
    else if (!Object.hasOwn(routerOptionNames, name))
      problems.push(`'routerOptions.${name}' ${problemOfName(name, [...Object.keys(routerOptionNames), ...onlyGrouped])}`)
    else if (Object.hasOwn(options, name) && !Object.is(options[name as keyof RouterOptions], value))
      problems.push(`'routerOptions.${name}' and '${name}' have different values: give one of them`)
    else Object.assign(options, { [name]: value })
  }
  return Object.keys(grouped).length === 0 ? options : { ...options, routerOptions: grouped }
}

/** Returns the fault of an unknown option's name: `is not an option. Did you mean 'bodyLimit'?` */
export function problemOfName(name: string, known: readonly string[]): string {
  return ['is not an option', suggestName(name, known)].filter(Boolean).join('. ')
}

/** Sets the options `disableRequestLogging` and `requestIdLogLabel` to the settings of the log controller, if there is one. */
function readLogController(options: ServerOptions, problems: string[]): void {
  const { logController } = options
  if (logController === undefined) return
  if (!(logController instanceof LogController)) {
    throw new errorCodes.ALC_ERR_LOG_INVALID_LOG_CONTROLLER(logController === null ? 'null' : typeof logController)
  }
  for (const name of ['disableRequestLogging', 'requestIdLogLabel'] as const) {
    if (options[name] !== undefined) problems.push(`'${name}' must not be given beside 'logController': pass it to the controller`)
    Object.assign(options, { [name]: logController[name] })
  }
}
