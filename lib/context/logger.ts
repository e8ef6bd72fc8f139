/**
 * The server's logger, and guards that keep loggers of the application from throwing. Only this file uses pino, which is loaded only if
 * logging is on.
 */
import { createRequire } from 'node:module'
import { errorCodes } from '../errors/codes.js'
import type { Logger } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import { ignoreRejection } from '../util/promises.js'
import { ownUrl } from '../util/own-url.js'
import type { Conventions } from './conventions.js'

const methods = ['info', 'error', 'debug', 'fatal', 'warn', 'trace', 'child'] as const

/** The key that marks a logger whose methods neither throw nor reject. */
const kGuarded = Symbol('alcove.guarded')

const silent = (): void => {}
const silentLogger: Logger & { [kGuarded]: true } = {
  [kGuarded]: true,
  level: 'silent',
  info: silent,
  error: silent,
  debug: silent,
  fatal: silent,
  warn: silent,
  trace: silent,
  silent,
  child: () => silentLogger,
}

const require = createRequire(ownUrl)

/** Makes the serializers of requests and replies. */
function createSerializers(hostInLog: Conventions['hostInLog']): Record<'req' | 'res', (value: any) => object> {
  return {
    req: (request) => ({
      method: request.method,
      url: request.url,
      version: request.headers?.['accept-version'],
      [hostInLog]: request[hostInLog],
      remoteAddress: request.ip,
      remotePort: request.socket?.remotePort,
    }),
    res: (reply) => ({ statusCode: reply.statusCode }),
  }
}

/**
 * Returns serializers that never throw. If a serializer fails (because of a getter that throws, or an endless chain of causes), only its
 * text is missing in the log line, and the request goes on.
 */
function safely<Serializers extends Record<string | symbol, any>>(serializers: Serializers): Serializers {
  const safe: Record<string | symbol, any> = {}
  for (const name of Reflect.ownKeys(serializers)) {
    const serialize: unknown = serializers[name]
    safe[name] =
      typeof serialize !== 'function'
        ? serialize
        : function serializeSafely(this: unknown, value: unknown) {
            try {
              return serialize.call(this, value)
            } catch {
              return 'could not be serialized'
            }
          }
  }
  return safe as Serializers
}

/**
 * Returns the server's logger: a silent one, the application's own, or pino with the options of the application.
 * @throws ALC_ERR_LOG_INVALID_LOGGER, ALC_ERR_LOG_INVALID_DESTINATION
 */
export function createLogger(option: ServerOptions['logger'], hostInLog: Conventions['hostInLog'] = 'hostname'): Logger {
  if (!option) return silentLogger
  const serializers = createSerializers(hostInLog)
  if (isLogger(option)) return adoptLogger(option, serializers)
  const pino = require('pino')
  return createPinoLogger(option === true ? {} : option, pino, { ...serializers, err: pino.stdSerializers.err })
}

/** Returns pino; `undefined` in a bundle without it, which an application with a logger of its own does not need. */
function findPino(): any {
  try {
    return require('pino')
  } catch {
    return undefined
  }
}

/** Returns a child of the application's logger that also has the framework's serializers. The logger's own serializers take precedence. */
function adoptLogger(applicationLogger: Logger & Record<string | symbol, any>, serializers: Record<string, any>): Logger {
  const pino = findPino()
  const standard = pino === undefined ? serializers : { ...serializers, err: pino.stdSerializers.err }
  const own = (pino && applicationLogger[pino.symbols.serializersSym]) ?? applicationLogger['serializers']
  const logger: Logger & Record<string | symbol, any> = applicationLogger.child({}, { serializers: safely({ ...standard, ...own }) })
  const hooks = pino && logger[pino.symbols.hooksSym]
  if (hooks === undefined) return guardLogger(logger)
  logger[pino.symbols.hooksSym] = { ...hooks, logMethod: guardCall(hooks.logMethod ?? writeLine) }
  // When the level is set, pino makes the methods again, now with the hook.
  const { level } = logger
  logger.level = level!
  return Object.defineProperty(logger, kGuarded, { value: true })
}

function createPinoLogger(loggerOptions: Record<string, any>, pino: any, standard: Record<string, any>): Logger {
  const { stream, file, ...options } = loggerOptions
  if (stream && file) throw new errorCodes.ALC_ERR_LOG_INVALID_DESTINATION()
  const { hooks = {}, level = 'info' } = options
  const { logMethod = writeLine } = hooks
  const destination = file ? openFile(pino, file) : stream
  const logger = pino(
    {
      ...options,
      level,
      serializers: safely({ ...standard, ...options['serializers'] }),
      hooks: { ...hooks, logMethod: guardCall(logMethod) },
    },
    destination,
  )
  return Object.defineProperty(logger, kGuarded, { value: true })
}

/** Opens a log file. A full disk loses log lines, but neither crashes the process nor blocks its exit. */
function openFile(pino: any, file: string): any {
  const destination = pino.destination(file)
  const { flushSync } = destination
  let isFailing = false
  destination.on('error', () => (isFailing = true))
  destination.on('write', () => (isFailing = false))
  destination.flushSync = () => {
    if (!isFailing) flushSync.call(destination)
  }
  return destination
}

function writeLine(this: unknown, args: unknown[], write: (...args: unknown[]) => void): void {
  write.apply(this, args)
}

/**
 * Returns a log method that never throws. Some lines are written in event listeners, where an error would crash the process. With this
 * function an error costs only the line.
 */
function guardCall<This, Args extends unknown[]>(call: (this: This, ...args: Args) => unknown): (this: This, ...args: Args) => void {
  return function guarded(this: This, ...args: Args): void {
    try {
      const result: any = call.apply(this, args)
      if (typeof result?.then === 'function') result.then(undefined, silent)
    } catch {}
  }
}

const levels = ['info', 'error', 'debug', 'fatal', 'warn', 'trace'] as const
const guardedLoggers = new WeakMap<object, Logger>()

/**
 * Wraps a logger of the application, so that its methods neither throw nor reject. Other members of the logger stay available, and loggers
 * that its `child` returns are not wrapped.
 */
export function guardLogger(logger: Logger): Logger {
  // Children of pino's loggers inherit the mark.
  if ((logger as { [kGuarded]?: true })[kGuarded]) return logger
  let guarded: any = guardedLoggers.get(logger)
  if (guarded === undefined) {
    guarded = Object.create(logger, { [kGuarded]: { value: true } })
    for (const level of levels) guarded[level] = guardCall((...args: [string]) => logger[level](...args))
    Object.defineProperty(guarded, 'level', {
      get: () => logger.level,
      set(level) {
        logger.level = level
      },
    })
    guarded.child = (...args: Parameters<Logger['child']>) => logger.child(...args)
    guardedLoggers.set(logger, guarded)
  }
  return guarded
}

function missingMethods(logger: any): readonly string[] {
  return methods.filter((method) => typeof logger?.[method] !== 'function')
}

function isLogger(option: boolean | object): option is Logger {
  const missing = missingMethods(option)
  if (missing.length === 0) return true
  // Options of pino have none of the methods. An object with only some of them is an incomplete logger.
  if (missing.length === methods.length) return false
  throw new errorCodes.ALC_ERR_LOG_INVALID_LOGGER(missing.join(','))
}

/**
 * Checks and wraps the logger that a `childLoggerFactory` of the application returned.
 * @throws ALC_ERR_LOG_INVALID_LOGGER
 */
export function requireLogger(logger: unknown): Logger {
  assertLogger(logger)
  return guardLogger(logger)
}

/**
 * Throws unless a value has all methods of a logger.
 * @param failure makes the error to throw, from the names of the missing methods
 */
export function assertLogger(
  logger: unknown,
  failure = (missing: string): Error => new errorCodes.ALC_ERR_LOG_INVALID_LOGGER(missing),
): asserts logger is Logger {
  const missing = missingMethods(logger)
  if (missing.length === 0) return
  ignoreRejection(logger)
  throw failure(missing.join(','))
}
