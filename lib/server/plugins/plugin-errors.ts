/**
 * Errors of plugins and hooks: any failure becomes an Error that says where it comes from, and errors of the plugin loader (avvio) get
 * codes of alcove.
 */
import { errorCodes } from '../../errors/codes.js'
import { isError } from '../../lifecycle/failing/error-reply.js'
import { inspect } from '../../util/node/modules.js'

/** The codes of alcove for errors of the plugin loader, by avvio's code. */
const avvioCodes = {
  AVV_ERR_CALLBACK_NOT_FN: 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN',
  AVV_ERR_PLUGIN_NOT_VALID: 'ALC_ERR_PLUGIN_NOT_VALID',
  AVV_ERR_ROOT_PLG_BOOTED: 'ALC_ERR_ROOT_PLG_BOOTED',
  AVV_ERR_PARENT_PLG_LOADED: 'ALC_ERR_PARENT_PLUGIN_BOOTED',
  AVV_ERR_READY_TIMEOUT: 'ALC_ERR_PLUGIN_TIMEOUT',
  AVV_ERR_PLUGIN_EXEC_TIMEOUT: 'ALC_ERR_PLUGIN_TIMEOUT',
} as const

/**
 * Returns the failure of a plugin or a hook as an Error. avvio would treat a falsy value as success, and a value that is not an Error does
 * not say where it comes from.
 * @param who the plugin or hook that failed: `The plugin 'database'`
 */
export function asError(failure: unknown, who: string): Error {
  try {
    if (isError(failure)) return failure
  } catch {
    // A revoked proxy.
  }
  const error = new errorCodes.ALC_ERR_PLUGIN_REJECTED_EMPTY(who, inspectFailure(failure))
  error.cause = failure
  return error
}

function inspectFailure(value: unknown): string {
  try {
    return inspect(value, { depth: 1, customInspect: false })
  } catch {
    return `a value of type ${typeof value}`
  }
}

/**
 * The path of the context in which a plugin was registered, by the plugin function. Only plugins that were called already are in the map.
 */
export const contextPaths = new WeakMap<object, string>()

/** Adds the path of a context to an error that happened there, unless the error has a path. */
export function addContextPath(error: Error, path: string | undefined): Error {
  if (path !== undefined && Object.isExtensible(error) && !('context' in error)) Object.assign(error, { context: path })
  return error
}

/** Whether an error of the plugin loader says that the onReady or preClose hooks took longer than `pluginTimeout`. */
export function isReadyTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'AVV_ERR_READY_TIMEOUT'
}

/** Returns an error of the plugin loader with alcove's code. Other errors are returned unchanged. */
export function translateLoaderError(error: unknown): unknown {
  const { code = '', message, fn } = (error ?? {}) as { code?: string; message?: string; fn?: object }
  if (!Object.hasOwn(avvioCodes, code)) return error
  const translated = new errorCodes[avvioCodes[code as keyof typeof avvioCodes]](message!)
  translated.cause = error
  addContextPath(translated, fn && contextPaths.get(fn))
  return translated
}

/** Throws unless the callback of a method is a function, or absent. @throws ALC_ERR_PLUGIN_CALLBACK_NOT_FN */
export function assertCallback(method: string, callback: unknown): void {
  if (callback == null || typeof callback === 'function') return
  throw new errorCodes.ALC_ERR_PLUGIN_CALLBACK_NOT_FN(`${method} expects a function, got '${typeof callback}'`)
}
