/** The handlers that answer errors, and requests without a route, if the application has set none. */
import { HttpError } from '../../errors/http-error.js'
import { errorFormats } from '../../http/error-payload.js'
import type { ErrorHandler, RouteHandler } from '../../types/route.js'
import { shorten } from '../../util/shorten.js'
import { errorContentType, isError, isShown, requestedPath, prepareErrorReply, reportUnlistedError, serializeError } from './error-reply.js'
import { exchangeOf, ReplyState, replyState } from '../exchange.js'
import { sendError } from './send-error.js'
import { sendSerialized, sendValue } from '../send.js'

/**
 * The error handler that is the last of every chain of error handlers. It is also `server.errorHandler` of a context for which no error
 * handler was set.
 */
export const defaultErrorHandler: ErrorHandler = function defaultErrorHandler(error, _request, reply) {
  const exchange = exchangeOf(reply)
  if (replyState(exchange) >= ReplyState.Sending) return
  exchange.state = ReplyState.Sending
  exchange.nextErrorHandler = null
  try {
    prepareErrorReply(error, exchange)
    if (error instanceof HttpError) reportUnlistedError(error, exchange)
    // A thrown value that is not an Error is the payload itself.
    if (!isError(error) && isShown(error, exchange)) return sendValue(exchange, error)
    if (error instanceof HttpError && error.body !== undefined && isShown(error, exchange)) return sendValue(exchange, error.body)
    const payload = serializeError(error, exchange)
    exchange.headers['content-type'] ??= errorContentType(exchange.route.errorFormat)
    sendSerialized(exchange, payload)
  } catch (failure) {
    sendError(exchange, failure)
  }
}

/** The not-found handler of contexts for which none was set: it answers 404. */
export const defaultNotFoundHandler: RouteHandler<any> = function defaultNotFoundHandler(request, reply) {
  const { errorFormat, logs } = exchangeOf(reply).route
  const message = `Route ${request.raw.method}:${shorten(request.raw.url)} not found`
  logs.routeNotFound(request, reply)
  if (errorFormat !== errorFormats.default) reply.type(errorContentType(errorFormat))
  reply.code(404).send(errorFormat.notFound({ statusCode: 404, message, instance: () => requestedPath(request) }))
}
