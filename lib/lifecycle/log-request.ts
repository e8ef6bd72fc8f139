/** The log of a request: its logger, and the lines that say how it came and ended. */
import type { IncomingMessage } from 'node:http'
import { requireLogger } from '../context/logger.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { ChildLoggerFactory, Logger } from '../types/logger.js'
import { kRoute, kState } from '../util/symbols.js'
import { type InternalReply, type InternalRequest, ReplyState } from './state.js'

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

export function logCompleted(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (!request[kRoute].isLogging) return
  const responseTime = reply.elapsedTime
  if (error != null) reply.log.error({ res: reply, err: error, responseTime }, 'request errored')
  else reply.log.info({ res: reply, responseTime }, 'request completed')
}

/** Logs that a client has left. An application that has hijacked the response logs its end itself. */
export function logAborted(request: InternalRequest, reply: InternalReply): void {
  if (!request[kRoute].isLogging || reply[kState] === ReplyState.Hijacked) return
  reply.log.info({ responseTime: reply.elapsedTime }, 'request aborted')
}

/** Logs the failure of a hook that has no reply to change. */
export function logFailedHook(name: LifecycleHookName, error: unknown, reply: InternalReply): void {
  reply.log.error({ err: error }, `an ${name} hook failed`)
}
