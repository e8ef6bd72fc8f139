/** The log of a request: its logger, and the lines "incoming request" and "request completed". */
import type { IncomingMessage } from 'node:http'
import { requireLogger } from '../context/logger.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { ChildLoggerFactory, Logger } from '../types/logger.js'
import { kEndTime, kRoute } from '../util/symbols.js'
import { runResponseHooks } from './run-hooks.js'
import type { InternalReply, InternalRequest } from './state.js'

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
  const log = childLoggerFactory.call(route.instance, settings.logger, { [route.requestIdLogLabel]: id }, route.loggerOptions, raw)
  return isDefault ? log : requireLogger(log)
}

export function logIncoming(request: InternalRequest): void {
  if (request[kRoute].isLogging) request.log.info({ req: request }, 'incoming request')
}

/** Runs the onResponse hooks and logs the request when the response has been sent. */
export function watchResponse(request: InternalRequest, reply: InternalReply): void {
  const { raw } = reply
  const onFinished = (error?: Error): void => {
    raw.removeListener('finish', onFinished)
    raw.removeListener('error', onFinished)
    reply[kEndTime] = performance.now()
    const { onResponse } = request[kRoute]
    if (onResponse === null) logCompleted(error, request, reply)
    else runResponseHooks(onResponse, request, reply, logCompleted)
  }
  raw.on('finish', onFinished)
  raw.on('error', onFinished)
}

function logCompleted(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (!request[kRoute].isLogging) return
  const responseTime = reply.elapsedTime
  if (error != null) reply.log.error({ res: reply, err: error, responseTime }, 'request errored')
  else reply.log.info({ res: reply, responseTime }, 'request completed')
}
