/** The log of a request: its logger, and the lines that say how it came and ended. */
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

/** Makes `request.log`. @throws ALC_ERR_LOG_INVALID_LOGGER */
export function createRequestLogger(settings: LogSettings, route: CompiledRoute, id: string, raw: IncomingMessage): Logger {
  const { childLoggerFactory } = route
  const isDefault = childLoggerFactory === settings.defaultChildLoggerFactory
  // A logger that writes nothing needs no children.
  if (isDefault && !settings.hasLogger) return settings.logger
  const log = childLoggerFactory.call(route.instance, settings.logger, { [route.logs.requestIdLogLabel]: id }, route.loggerOptions, raw)
  return isDefault ? log : requireLogger(log)
}

/** Options of {@link LogController}. */
export interface LogControllerOptions {
  /** Whether no line is logged about a request and its reply, errors included; a synchronous function decides for each request. Default false. */
  disableRequestLogging?: boolean | ((request: Request) => boolean)
  /** The key of the request id in log lines. Default `reqId`. */
  requestIdLogLabel?: string
}

/**
 * Writes the lines that the server itself logs about requests. Extend it to change some of them, and pass an instance as the option
 * `logController`:
 * ```ts
 * class QuietLog extends LogController {
 *   override incomingRequest(request: Request): void {
 *     request.log.debug({ req: request }, 'incoming request')
 *   }
 * }
 * createServer({ logger: true, logController: new QuietLog({ disableRequestLogging: (request) => request.url === '/health' }) })
 * ```
 * A method that is overridden decides itself whether it asks `isLogDisabled`. An error that it throws is logged; the request goes on.
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
  /** A request has arrived. */
  incomingRequest(request: Request, _reply: Reply): void {
    if (!this.isLogDisabled(request)) request.log.info({ req: request }, 'incoming request')
  }
  /** A reply was sent, or has broken off. */
  requestCompleted(error: unknown, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    const responseTime = reply.elapsedTime
    if (error != null) reply.log.error({ res: reply, err: error, responseTime }, 'request errored')
    else reply.log.info({ res: reply, responseTime }, 'request completed')
  }
  /** The client has left before the reply was complete. */
  requestAborted(request: Request, reply: Reply): void {
    if (!this.isLogDisabled(request)) reply.log.info({ responseTime: reply.elapsedTime }, 'request aborted')
  }
  /** The default error handler answers with an error; `reply` has its status. */
  defaultErrorLog(error: any, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    const message: unknown = readProperty(error, 'message')
    const text = typeof message === 'string' ? message : String(reply.statusCode)
    if (reply.statusCode < 500) reply.log.info({ res: reply, err: error }, text)
    else reply.log.error({ req: request, res: reply, err: error }, text)
  }
  /** A stream has failed after the headers were sent. */
  streamError(error: any, request: Request, reply: Reply): void {
    if (this.isLogDisabled(request)) return
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') reply.log.info({ res: reply }, 'stream closed prematurely')
    else reply.log.warn({ err: error }, 'response terminated with an error with headers already sent')
  }
  /** No route was found, and the default handler answers. */
  routeNotFound(request: Request, _reply: Reply): void {
    if (!this.isLogDisabled(request)) request.log.info(`Route ${request.raw.method}:${shorten(request.raw.url)} not found`)
  }
  /** The reply to an error could not be written. */
  writeHeadError(error: any, request: Request, reply: Reply): void {
    if (!this.isLogDisabled(request)) reply.log.error({ err: error }, 'the error reply could not be written')
  }
  /** The response schema of an error's status could not serialize it. */
  serializerError(error: any, request: Request, reply: Reply, { statusCode }: { statusCode: number }): void {
    if (!this.isLogDisabled(request)) reply.log.error({ err: error, statusCode }, 'The serializer for the given status code failed')
  }
  /** A request is refused because the server closes. It has no request object. */
  serviceUnavailable(logger: Logger, _server: Server): void {
    logger.info({ res: { statusCode: 503 } }, 'request aborted: the server is closing')
  }
}

/** Writes the lines with `disableRequestLogging: true`: as in Fastify 4, errors and missing routes are logged, requests as such are not. */
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

/** Guards functions of the application: some lines are written in events, where an error would crash the process. Here it is logged. */
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

/** Logs the failure of a hook that has no reply to change. */
export function logFailedHook(name: LifecycleHookName, error: unknown, reply: Reply): void {
  reply.log.error({ err: error }, `an ${name} hook failed`)
}
