/** Options that Fastify 5 names or groups in another way. They are read as the options that they stand for. */
import { assertLogger } from '../context/logger.js'
import { errorCodes } from '../errors.js'
import { LogController } from '../lifecycle/log-request.js'
import type { RouterOptions, ServerOptions } from '../types/options.js'
import { nearestName } from '../util/nearest-name.js'

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

/**
 * Replaces `routerOptions` and `loggerInstance` by the options that they stand for. If one of them is of the wrong kind, it is left as it is.
 * @param problems gets one sentence for each option that is unknown or given twice
 * @throws ALC_ERR_LOG_INVALID_LOGGER, ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED, ALC_ERR_LOG_INVALID_LOG_CONTROLLER
 */
export function readFastify5Options(given: ServerOptions, problems: string[]): ServerOptions {
  const { routerOptions, loggerInstance, ...options } = given
  if (loggerInstance !== undefined) {
    if (options.logger) throw new errorCodes.ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED()
    if (loggerInstance === null || typeof loggerInstance !== 'object') return given
    assertLogger(loggerInstance)
    options.logger = loggerInstance
  }
  readLogController(options, problems)
  if (routerOptions === undefined) return options
  if (routerOptions === null || typeof routerOptions !== 'object') return given
  for (const [name, value] of Object.entries(routerOptions)) {
    if (value === undefined) continue
    if (!Object.hasOwn(routerOptionNames, name)) {
      const nearest = nearestName(name, Object.keys(routerOptionNames))
      problems.push(`'routerOptions.${name}' is not an option${nearest === undefined ? '' : `. Did you mean '${nearest}'?`}`)
    } else if (Object.hasOwn(options, name)) problems.push(`'routerOptions.${name}' and '${name}' must not both be given`)
    else Object.assign(options, { [name]: value })
  }
  return options
}

/** Takes the settings of a log controller for the options that they replace. */
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
