/**
 * Logging (pino, loaded only when logging is on): the server's logger and the child that each request gets.
 */
import { createRequire } from 'node:module'
import type { Logger, ServerOptions } from './contract.js'
import { errorCodes } from './errors.js'

const methods = ['info', 'error', 'debug', 'fatal', 'warn', 'trace', 'child'] as const

const silent = (): void => {}
const silentLogger: Logger = {
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
    return (option as Logger).child({}, { serializers: safely({ ...standard, ...own }) })
  }
  const { stream, file, ...options } = (option === true ? {} : option) as any
  if (stream && file) throw new errorCodes.ALC_ERR_LOG_INVALID_DESTINATION()
  return pino(
    { ...options, level: options.level ?? 'info', serializers: safely({ ...standard, ...options.serializers }) },
    file ? pino.destination(file) : stream,
  )
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

/** @throws ALC_ERR_LOG_INVALID_LOGGER */
export function assertLogger(logger: unknown): void {
  const missing = missingMethods(logger)
  if (missing.length > 0) throw new errorCodes.ALC_ERR_LOG_INVALID_LOGGER(missing.join(','))
}
