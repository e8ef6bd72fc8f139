/** Loggers. */
import type { IncomingMessage } from 'node:http'
import type { Server } from './server.js'

/** A logger: pino's, or one with the same methods. */
export interface Logger {
  level?: string
  trace: LogFunction
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
  fatal: LogFunction
  silent?: LogFunction
  /** A logger whose lines carry `bindings` as well; `options` are `{ level, serializers }`. */
  child(bindings: object, options?: object): Logger
}

/** `log.info('text')` or `log.info({ key: value }, 'text')`; further arguments fill in the text's `%s`, `%d` and `%o`. */
export interface LogFunction {
  (message: string, ...args: unknown[]): void
  (values: unknown, message?: string, ...args: unknown[]): void
}

/**
 * Makes `request.log` from the logger of the server, the bindings (the request id under `requestIdLogLabel`) and the options of the
 * route (`level`, `serializers`). Synchronous. For a logger without the methods of pino the request is answered 500
 * (ALC_ERR_LOG_INVALID_LOGGER, logged).
 */
export type ChildLoggerFactory = (
  this: Server,
  logger: Logger,
  bindings: Record<string, unknown>,
  options: object,
  raw: IncomingMessage,
) => Logger
