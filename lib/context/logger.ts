/**
 * Logging (pino, loaded only when logging is on): the server's logger and the child that each request gets.
 */
import { createRequire } from 'node:module'
import type { Logger } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import { errorCodes } from '../errors.js'
import { ignoreRejection } from '../util/promises.js'

const methods = ['info', 'error', 'debug', 'fatal', 'warn', 'trace', 'child'] as const

/** In loggers whose methods do not fail. */
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

const require = createRequire(import.meta.url)

const serializers = {
  req: (request: any) => ({
    method: request.method,
    url: request.url,
    version: request.headers?.['accept-version'],
    hostname: request.hostname,
    remoteAddress: request.ip,
    remotePort: request.socket?.remotePort,
  }),
  res: (reply: any) => ({ statusCode: reply.statusCode }),
}

/** Whatever is logged, a serializer that fails on it (a getter that throws, a cause without end) costs its text, not the request. */
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
 * The server's logger: none, the application's own, or pino with the given options.
 * @throws ALC_ERR_LOG_INVALID_LOGGER, ALC_ERR_LOG_INVALID_DESTINATION
 */
export function createLogger(option: ServerOptions['logger']): Logger {
  if (!option) return silentLogger
  const pino = require('pino')
  const standard = { ...serializers, err: pino.stdSerializers.err }
  if (isLogger(option)) {
    const own = (option as any)[pino.symbols.serializersSym] ?? (option as any).serializers
    const logger = (option as any).child({}, { serializers: safely({ ...standard, ...own }) })
    const hooks = logger[pino.symbols.hooksSym]
    if (hooks === undefined) return guardLogger(logger)
    logger[pino.symbols.hooksSym] = { ...hooks, logMethod: guardCall(hooks.logMethod ?? writeLine) }
    // Setting the level makes the methods anew, with the hook.
    const { level } = logger
    logger.level = level
    return Object.defineProperty(logger, kGuarded, { value: true })
  }
  const { stream, file, ...options } = (option === true ? {} : option) as any
  if (stream && file) throw new errorCodes.ALC_ERR_LOG_INVALID_DESTINATION()
  const { logMethod = writeLine } = options.hooks ?? {}
  const destination = file ? openFile(pino, file) : stream
  const logger = pino(
    {
      ...options,
      level: options.level ?? 'info',
      serializers: safely({ ...standard, ...options.serializers }),
      hooks: { ...options.hooks, logMethod: guardCall(logMethod) },
    },
    destination,
  )
  return Object.defineProperty(logger, kGuarded, { value: true })
}

/** A disk that is full costs lines, not the process: neither its life nor its end, which the stream would put off until it has written. */
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

/** Lines are written in events where nobody would catch what fails: it costs the line, not the process. */
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

/** A logger of the application's own whose methods do not throw or reject. The rest of it stays within reach; its children are its own. */
export function guardLogger(logger: Logger): Logger {
  // Children of pino's loggers inherit it.
  if ((logger as { [kGuarded]?: true })[kGuarded]) return logger
  let guarded: any = guardedLoggers.get(logger)
  if (guarded === undefined) {
    guarded = Object.create(logger, { [kGuarded]: { value: true } })
    for (const level of levels) guarded[level] = guardCall((...args: unknown[]) => (logger as any)[level](...args))
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

function isLogger(option: unknown): boolean {
  const missing = missingMethods(option)
  if (missing.length === 0) return true
  // Options for pino have none of the methods; something in between is a logger that lacks some.
  if (missing.length === methods.length) return false
  throw new errorCodes.ALC_ERR_LOG_INVALID_LOGGER(missing.join(','))
}

/**
 * A logger that a function of the application gave.
 * @throws ALC_ERR_LOG_INVALID_LOGGER
 */
export function admitLogger(logger: unknown): Logger {
  const missing = missingMethods(logger)
  if (missing.length > 0) {
    ignoreRejection(logger)
    throw new errorCodes.ALC_ERR_LOG_INVALID_LOGGER(missing.join(','))
  }
  return guardLogger(logger as Logger)
}
