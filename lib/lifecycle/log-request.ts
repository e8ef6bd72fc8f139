/** The log of a request: its logger, and the lines about its arrival and its end. */
import type { IncomingMessage } from 'node:http'
import { requireLogger } from '../context/logger.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { ChildLoggerFactory, Logger, LogLines } from '../types/logger.js'
import type { Reply } from '../types/reply.js'
import type { Request } from '../types/request.js'
import type { Server } from '../types/server.js'
import { assertNotPromise, ignoreIfPromise } from '../util/promises.js'
import { shorten } from '../util/shorten.js'
import { readProperty } from './failing/error-reply.js'

export interface LogSettings {
  /** The logger of the server. */
  readonly logger: Logger
  /** Whether the application asked for logging. */
  readonly hasLogger: boolean
  readonly defaultChildLoggerFactory: ChildLoggerFactory
}

/** Makes the logger of a request, `request.log`. @throws ALC_ERR_LOG_INVALID_LOGGER */
export function createRequestLogger(settings: LogSettings, route: CompiledRoute, id: string, raw: IncomingMessage): Logger {
  const { childLoggerFactory } = route
  const isDefault = childLoggerFactory === settings.defaultChildLoggerFactory
  // A logger that writes nothing needs no children.
  if (isDefault && !settings.hasLogger) return settings.logger
  const log = childLoggerFactory.call(route.instance, settings.logger, { [route.logs.requestIdLogLabel]: id }, route.loggerOptions, raw)
  return isDefault ? log : requireLogger(log)
}

/** The options of {@link LogController}. */
export interface LogControllerOptions {
  /**
   * Whether the lines about a request and its reply are left out, errors and failed streams included; other warnings, and errors of handlers
   * after the reply, are logged. A synchronous function decides for each request. Default false.
   */
  disableRequestLogging?: boolean | ((request: Request) => boolean)
  /** The key of the request id in log lines. Default `reqId`. */
  requestIdLogLabel?: string
}

/**
 * The class that writes the lines that the server itself logs about requests. Extend it to change some of the lines, and pass an instance
 * as the option `logController`:
 * ```ts
 * class QuietLog extends LogController {
 *   override incomingRequest(request: Request): void {
 *     request.log.debug({ req: request }, 'incoming request')
 *   }
 * }
 * createServer({ logger: true, logController: new QuietLog({ disableRequestLogging: (request) => request.url === '/health' }) })
 * ```
 * A method that you override has to call `isLogDisabled` itself if it shall respect that setting. An error that a method throws is logged;
 * the request goes on.
 */
export class LogController implements LogLines {
  disableRequestLogging: boolean | ((request: Request) => boolean)
  requestIdLogLabel: string

  constructor({ disableRequestLogging = false, requestIdLogLabel = 'reqId' }: LogControllerOptions = {}) {
    this.disableRequestLogging = disableRequestLogging
    this.requestIdLogLabel = requestIdLogLabel
  }

  /** Whether nothing is logged about a request. */
  isLogDisabled(request: Request): boolean {
    const { disableRequestLogging } = this
    if (typeof disableRequestLogging !== 'function') return disableRequestLogging
    return assertNotPromise(disableRequestLogging(request), 'disableRequestLogging')
  }
  /** Logs that a request has arrived. */
  incomingRequest(request: Request, _reply: Reply): void {
    if (!this.isLogDisabled(request)) request.log.info({ req: request }, 'incoming request')
  }
  /** Logs that a reply was sent, or has broken off with an error. */
  requestCompleted(error: unknown, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    const responseTime = reply.elapsedTime
    if (error != null) reply.log.error({ res: reply, err: error, responseTime }, 'request errored')
    else reply.log.info({ res: reply, responseTime }, 'request completed')
  }
  /** Logs that the client has left before the reply was complete. */
  requestAborted(request: Request, reply: Reply): void {
    if (!this.isLogDisabled(request)) reply.log.info({ responseTime: reply.elapsedTime }, 'request aborted')
  }
  /** Logs an error that the default error handler answers. `reply` has the status of the error already. */
  defaultErrorLog(error: any, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    const message: unknown = readProperty(error, 'message')
    const text = typeof message === 'string' ? message : String(reply.statusCode)
    if (reply.statusCode < 500) reply.log.info({ res: reply, err: error }, text)
    else reply.log.error({ req: request, res: reply, err: error }, text)
  }
  /** Logs that a stream has failed when the headers of its reply were already sent. */
  streamError(error: any, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') reply.log.info({ res: reply }, 'stream closed prematurely')
    else reply.log.warn({ err: error }, 'response terminated with an error with headers already sent')
  }
  /** Logs that no route was found and that the default not-found handler answers. */
  routeNotFound(request: Request, _reply: Reply): void {
    if (!this.isLogDisabled(request)) request.log.info(`Route ${request.raw.method}:${shorten(request.raw.url)} not found`)
  }
  /** Logs that the reply to an error could not be written. */
  writeHeadError(error: any, request: Request, reply: Reply): void {
    if (!this.isLogDisabled(request)) reply.log.error({ err: error }, 'the error reply could not be written')
  }
  /** Logs that the response schema of an error's status could not serialize the error. */
  serializerError(error: any, request: Request, reply: Reply, { statusCode }: { statusCode: number }): void {
    if (!this.isLogDisabled(request)) reply.log.error({ err: error, statusCode }, 'The serializer for the given status code failed')
  }
  /** Logs that a request is refused because the server closes. Such a request has no request object. */
  serviceUnavailable(logger: Logger, _server: Server): void {
    logger.info({ res: { statusCode: 503 } }, 'request aborted: the server is closing')
  }
}

/**
 * The class of the option `disableRequestLogging: true`, which logs as Fastify 4 does: errors and missing routes, but not that requests
 * arrive and are answered.
 */
export class FailureLog extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override requestAborted(): void {}
  override streamError(error: any, request: Request, reply: Reply): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') super.streamError(error, request, reply)
  }
}

const lineNames = [
  'incomingRequest',
  'requestCompleted',
  'requestAborted',
  'defaultErrorLog',
  'streamError',
  'routeNotFound',
  'writeHeadError',
  'serializerError',
  'serviceUnavailable',
] as const satisfies readonly Exclude<keyof LogLines, 'requestIdLogLabel'>[]

/**
 * Wraps the methods of a log controller, so that an error which one of them throws is only logged. Some lines are written in event
 * listeners, where an error would crash the process.
 */
export function guardLogController(controller: LogController, logger: Logger): LogLines {
  const lines: Record<string, unknown> = { requestIdLogLabel: controller.requestIdLogLabel }
  for (const name of lineNames) {
    lines[name] = (...args: [any, any, any, any]): void => {
      try {
        ignoreIfPromise(controller[name](...args))
      } catch (error) {
        logger.error({ err: error }, `${name} of the log controller failed`)
      }
    }
  }
  return lines as unknown as LogLines // The loop sets each of them.
}

/** Logs the error of a hook whose failure changes no reply. */
export function logFailedHook(name: LifecycleHookName, error: unknown, reply: Reply): void {
  reply.log.error({ err: error }, `an ${name} hook failed`)
}
