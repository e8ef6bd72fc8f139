/**
 * Answers with an error: onError hooks, then the error handlers from the nearest context outwards, then, if all of these fail, a reply that
 * needs neither hooks nor handlers.
 */
import type { ServerResponse } from 'node:http'
import { errorCodes } from '../../errors/codes.js'
import { type ErrorFormat, statusText } from '../../http/error-payload.js'
import { abortResponse, isHeadSent, prepareHttp2Headers } from '../../http/response.js'
import { ignoreIfPromise } from '../../util/promises.js'
import { takeResult } from '../answer.js'
import { bodyHeaders, errorContentType, permissiveHeaders, prepareErrorReply, serializeError } from './error-reply.js'
import { type Exchange, meetDeadline, NO_STAGE, ReplyState, replyState } from '../exchange.js'
import { runErrorHooks } from '../run-hooks.js'

/**
 * Answers a request with an error: runs the onError hooks once, then the next error handler. Never throws.
 * @param thrown what code threw: `undefined` and `null`, which say nothing, become ALC_ERR_SEND_UNDEFINED_ERR
 */
export function sendError(exchange: Exchange, thrown: unknown): void {
  ignoreIfPromise(thrown)
  const { onError, conventions } = exchange.route
  const error = conventions.presentError(thrown ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  exchange.error = error
  if (!canBeAnswered(exchange, error)) return
  // The onError hooks observe an error once, not again for each handler that passes it on.
  if (onError === null || exchange.nextErrorHandler !== undefined) return callErrorHandler(exchange, error)
  exchange.state = ReplyState.RunningErrorHooks
  runErrorHooks(onError, exchange, error, (failure) => {
    if (failure != null) exchange.reply.log.error({ err: failure }, 'an onError hook failed')
    // A hook may have hijacked the response, or begun to write it.
    if (exchange.state !== ReplyState.Hijacked && canBeAnswered(exchange, error)) callErrorHandler(exchange, error)
  })
}

/** Whether an error can still be answered. If not, the error is logged, and a response that has begun is aborted. */
function canBeAnswered(exchange: Exchange, error: unknown): boolean {
  const { reply } = exchange
  if (replyState(exchange) >= ReplyState.Hijacked) {
    reply.log.error({ err: error }, 'an error occurred after the reply was sent')
    return false
  }
  if (!isHeadSent(reply.raw)) return true
  reply.log.error({ err: error }, 'an error occurred after the headers were sent')
  abortResponse(reply.raw)
  return false
}

/** Calls the nearest error handler that was not called yet for this request; if there is none, sends the default payload. */
function callErrorHandler(exchange: Exchange, error: unknown): void {
  const { route, reply, nextErrorHandler: next } = exchange
  const link = next === undefined ? route.errorHandler : next
  if (link === null) return sendLastResort(exchange, error)
  exchange.nextErrorHandler = link.next ?? null
  exchange.nextStage = NO_STAGE
  exchange.state = ReplyState.Open
  let result: unknown
  try {
    removeSuccessHeaders(exchange)
    result = link.handle.call(reply.server, error, exchange.request, reply)
  } catch (failure) {
    return sendError(exchange, failure)
  }
  takeResult(exchange, result, route, sendError)
}

/** Removes the serializer of a reply that has failed, the headers that describe its body, and those by which caches would keep it. */
function removeSuccessHeaders(exchange: Exchange): void {
  const { raw } = exchange.reply
  for (const name of [...bodyHeaders, ...permissiveHeaders(exchange)]) {
    delete exchange.headers[name]
    // Without this question, Node would note that the application wants no `transfer-encoding`, and send no chunks.
    if (raw.hasHeader(name)) raw.removeHeader(name)
  }
  raw.chunkedEncoding = false
  // HTTP/2 has no status message, and Node warns if it is read.
  if (exchange.request.raw.httpVersionMajor !== 2 && raw.statusMessage) raw.statusMessage = ''
  exchange.serializer = null
}

/** Sends the default payload of an error without any hook, because every error handler and hook has been called already. */
export function sendLastResort(exchange: Exchange, error: unknown): void {
  const { reply, route } = exchange
  exchange.error = error
  meetDeadline(exchange)
  try {
    removeSuccessHeaders(exchange)
    prepareErrorReply(error, exchange)
    exchange.trailers = null
    sendText(exchange, serializeError(error, exchange))
  } catch (failure) {
    // The error cannot be serialized.
    sendPlainFailure(reply.raw, route.errorFormat)
    route.logs.writeHeadError(failure, exchange.request, reply)
  }
}

/** Sends the payload of an error as a text with the headers of the reply; if these headers cannot be written, without them. */
function sendText({ request, reply, route, headers }: Exchange, text: string | Buffer): void {
  const { raw } = reply
  const status = raw.statusCode
  const type = errorContentType(route.errorFormat)
  try {
    if (request.raw.httpVersionMajor === 2) prepareHttp2Headers(headers)
    raw.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(text) })
    endWithText(raw, text)
  } catch (failure) {
    sendWithoutHeaders(raw, status, type, text)
    route.logs.writeHeadError(failure, request, reply)
  }
}

/** Answers with a 500 reply that needs neither hooks, handlers nor serializers. Never throws. A response that has begun is aborted. */
export function sendPlainFailure(response: ServerResponse, format: ErrorFormat): void {
  const payload = format.payload({ statusCode: 500, message: statusText(500) })
  sendWithoutHeaders(response, 500, errorContentType(format), JSON.stringify(payload))
}

function sendWithoutHeaders(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  if (isHeadSent(response) || response.writableEnded) return abortResponse(response)
  try {
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    // A header that was set before the invalid one may have switched chunks on.
    response.chunkedEncoding = false
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
    endWithText(response, text)
  } catch {
    // A plugin has replaced `writeHead`, `end` or the prototype of the response.
    abortResponse(response)
  }
}

// Node drops the body of a HEAD response, injected requests do not.
function endWithText(response: ServerResponse, text: string | Buffer): void {
  if (response.req.method === 'HEAD') response.end()
  else response.end(text)
}
