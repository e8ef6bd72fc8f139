/** The handlers that answer if the application has set none: of errors, and of requests without a route. */
import { HttpError } from '../errors/http-error.js'
import { errorFormats } from '../http/error-payload.js'
import type { ErrorHandler, RouteHandler } from '../types/route.js'
import { shorten } from '../util/shorten.js'
import { kNextErrorHandler, kReplyHeaders, kRoute, kState } from '../util/symbols.js'
import { isError, isShown, pathOf, prepareErrorReply, reportUnlisted, serializeError } from './error-reply.js'
import { errorContentType, sendError } from './send-error.js'
import { sendSerialized, sendValue } from './send.js'
import { type InternalReply, type InternalRequest, ReplyState, replyState } from './state.js'

/** The last of every chain of error handlers, and `server.errorHandler` of a context for which none was set. */
export const defaultErrorHandler: ErrorHandler = function defaultErrorHandler(error, request, given) {
  const reply = given as InternalReply
  if (replyState(reply) >= ReplyState.Sending) return
  reply[kState] = ReplyState.Sending
  reply[kNextErrorHandler] = null
  try {
    prepareErrorReply(error, request as InternalRequest, reply)
    if (error instanceof HttpError) reportUnlisted(error, reply)
    // A thrown value that is not an Error is the payload itself.
    if (!isError(error) && isShown(error, reply)) return sendValue(reply, error)
    if (error instanceof HttpError && error.body !== undefined && isShown(error, reply)) return sendValue(reply, error.body)
    const payload = serializeError(error, reply)
    reply[kReplyHeaders]['content-type'] ??= errorContentType(reply[kRoute].errorFormat)
    sendSerialized(reply, payload)
  } catch (failure) {
    sendError(reply, failure)
  }
}

/** Answers 404. */
export const defaultNotFoundHandler: RouteHandler<any> = function defaultNotFoundHandler(request, given) {
  const reply = given as InternalReply
  const { errorFormat, logs } = reply[kRoute]
  const message = `Route ${request.raw.method}:${shorten(request.raw.url)} not found`
  logs.routeNotFound(request, reply)
  if (errorFormat !== errorFormats.default) reply.type(errorContentType(errorFormat))
  reply.code(404).send(errorFormat.notFound({ statusCode: 404, message, instance: () => pathOf(reply.request) }))
}
