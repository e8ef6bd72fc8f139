/** Loggers, and the factory of the logger that each request gets. */
import type { IncomingMessage } from 'node:http'
import type { Reply } from './reply.js'
import type { Request } from './request.js'
import type { Server } from './server.js'

/** A logger of pino, or one with the same methods. */
export interface Logger {
  level?: string
  trace: LogFunction
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
  fatal: LogFunction
  silent?: LogFunction
  /** Returns a logger whose lines also contain `bindings`; `options` are `{ level, serializers }`. */
  child(bindings: object, options?: object): Logger
}

/**
 * Writes a line to the log: `log.info('text')` or `log.info({ key: value }, 'text')`. Further arguments replace `%s`, `%d` and `%o` in the
 * text.
 */
export interface LogFunction {
  (message: string, ...args: unknown[]): void
  (values: unknown, message?: string, ...args: unknown[]): void
}

/**
 * Makes `request.log` from the server's logger, the bindings (the request id under `requestIdLogLabel`) and the options of the
 * route (`level`, `serializers`). Synchronous. If the result lacks methods of pino, the reply is a 500, and
 * ALC_ERR_LOG_INVALID_LOGGER is logged.
 */
export type ChildLoggerFactory = (
  this: Server,
  logger: Logger,
  bindings: Record<string, unknown>,
  options: object,
  raw: IncomingMessage,
) => Logger

/** The methods that write the lines which the server itself logs about requests. {@link LogController} implements them. */
export interface LogLines {
  /** The key of the request id in log lines. */
  readonly requestIdLogLabel: string
  incomingRequest(request: Request, reply: Reply): void
  requestCompleted(error: unknown, request: Request, reply: Reply): void
  requestAborted(request: Request, reply: Reply): void
  defaultErrorLog(error: any, request: Request, reply: Reply): void
  streamError(error: any, request: Request, reply: Reply): void
  routeNotFound(request: Request, reply: Reply): void
  writeHeadError(error: any, request: Request, reply: Reply): void
  serializerError(error: any, request: Request, reply: Reply, metadata: { statusCode: number }): void
  serviceUnavailable(logger: Logger, server: Server): void
}
