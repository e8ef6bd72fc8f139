/**
 * Answers with an error: onError hooks, then the error handlers from the nearest context outwards, then a reply that depends on
 * nothing. Also takes what handlers return, since error handlers are handlers too.
 */
import type { ServerResponse } from 'node:http'
import type { ErrorHandlerLink } from '../context/context.js'
import { errorCodes } from '../errors/codes.js'
import { isAborted } from '../http/connection.js'
import { Deadline, type Deadlines } from '../http/deadline.js'
import { type ErrorFormat, statusText } from '../http/error-payload.js'
import { abortResponse, isHeadSent, prepareHttp2Headers } from '../http/response.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { ignoreIfPromise } from '../util/promises.js'
import { kDeadline, kNextErrorHandler, kReplyHeaders, kRoute, kSerializer, kStartTime, kState, kTrailers } from '../util/symbols.js'
import { runInContextOf } from './async-context.js'
import { bodyHeaders, prepareErrorReply, serializeError } from './error-reply.js'
import { describeWaiting } from './ending/waiting.js'
import { abortRequest } from './request.js'
import { runErrorHooks } from './run-hooks.js'
import { beginRun, endRun, expectReply, noteOverdue } from './ending/running.js'
import { endUnlessSent } from './ending/sources.js'
import { describeRequest, hasBegun, type InternalReply, ReplyState, replyState } from './state.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The `Content-Type` of error replies of a format. */
export function errorContentType({ mediaType }: ErrorFormat): string {
  return `${mediaType}; charset=utf-8`
}

/** Answers with an error. Never throws. */
export function sendError(reply: InternalReply, thrown: unknown): void {
  ignoreIfPromise(thrown)
  const error = reply[kRoute].conventions.presentError(thrown)
  if (!canBeAnswered(reply, error)) return
  const { onError } = reply[kRoute]
  // The hooks observe an error once, not again for each handler that passes it on.
  if (onError === null || reply[kNextErrorHandler] !== undefined) return callErrorHandler(reply, error)
  reply[kState] = ReplyState.RunningErrorHooks
  runErrorHooks(onError, reply.request, reply, error, (failure) => {
    if (failure != null) reply.log.error({ err: failure }, 'an onError hook failed')
    // A hook may have hijacked the response, or begun to write it.
    if (reply[kState] !== ReplyState.Hijacked && canBeAnswered(reply, error)) callErrorHandler(reply, error)
  })
}

/** Whether an error can still be answered. If not, it is logged, and a response that has begun is aborted. */
function canBeAnswered(reply: InternalReply, error: unknown): boolean {
  if (replyState(reply) >= ReplyState.Hijacked) {
    reply.log.error({ err: error }, 'an error occurred after the reply was sent')
    return false
  }
  if (!isHeadSent(reply.raw)) return true
  reply.log.error({ err: error }, 'an error occurred after the headers were sent')
  abortResponse(reply.raw)
  return false
}

/** Calls the nearest error handler that was not called yet. */
function callErrorHandler(reply: InternalReply, error: unknown): void {
  const next = reply[kNextErrorHandler]
  const link = next === undefined ? reply[kRoute].errorHandler : next
  removeBodyHeaders(reply)
  if (link === null) return sendLastResort(reply, error)
  reply[kNextErrorHandler] = link.next ?? null
  reply[kState] = ReplyState.Open
  const route = reply[kRoute]
  let result: unknown
  try {
    result = link.handle.call(reply.server, error, reply.request, reply)
  } catch (failure) {
    return sendError(reply, failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
  handleResult(reply, result, route)
}

/** Removes headers that describe the body of the failed reply, and its serializer. */
function removeBodyHeaders(reply: InternalReply): void {
  const { raw } = reply
  for (const name of bodyHeaders) {
    delete reply[kReplyHeaders][name]
    // Without the question, Node would note that the application wants no `transfer-encoding`, and send no chunks.
    if (raw.hasHeader(name)) raw.removeHeader(name)
  }
  raw.chunkedEncoding = false
  // HTTP/2 has no status message, and Node warns if it is read.
  if (reply.request.raw.httpVersionMajor !== 2 && raw.statusMessage) raw.statusMessage = ''
  reply[kSerializer] = null
}

/** Sends the default payload past all hooks. Every handler and hook has had its chance. */
function sendLastResort(reply: InternalReply, error: unknown): void {
  reply[kDeadline]?.cancel()
  try {
    removeBodyHeaders(reply)
    prepareErrorReply(error, reply.request, reply)
    reply[kTrailers] = null
    sendText(reply, serializeError(error, reply))
  } catch (failure) {
    // An error that cannot be serialized.
    sendPlainFailure(reply.raw, reply[kRoute].errorFormat)
    reply[kRoute].logs.writeHeadError(failure, reply.request, reply)
  }
}

/** Sends the payload of an error with the headers of the reply, or without them if they cannot be written. */
function sendText(reply: InternalReply, text: string | Buffer): void {
  const { raw, request, [kReplyHeaders]: headers } = reply
  const status = raw.statusCode
  const type = errorContentType(reply[kRoute].errorFormat)
  try {
    if (request.raw.httpVersionMajor === 2) prepareHttp2Headers(headers)
    raw.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(text) })
    endWith(raw, text)
  } catch (failure) {
    sendWithoutHeaders(raw, status, type, text)
    reply[kRoute].logs.writeHeadError(failure, request, reply)
  }
}

/** Answers with a 500 that depends on nothing. Never throws. A response that has begun is aborted. */
export function sendPlainFailure(response: ServerResponse, format: ErrorFormat): void {
  const payload = format.payload({ statusCode: 500, message: statusText(500) })
  sendWithoutHeaders(response, 500, errorContentType(format), JSON.stringify(payload))
}

function sendWithoutHeaders(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  if (isHeadSent(response) || response.writableEnded) return abortResponse(response)
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  // A header that was set before the bad one may have switched it on.
  response.chunkedEncoding = false
  try {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
    endWith(response, text)
  } catch {
    // A plugin has replaced `writeHead`, or `end`.
    abortResponse(response)
  }
}

// Node drops the body of a HEAD response, injected requests do not.
function endWith(response: ServerResponse, text: string | Buffer): void {
  if (response.req.method === 'HEAD') response.end()
  else response.end(text)
}

/** Starts the time in which the headers of a reply must be sent. */
export function startDeadline(reply: InternalReply, deadlines: Deadlines): void {
  deadlines.add((reply[kDeadline] = new Deadline(reply, expireInContext)), reply[kStartTime])
}

/** ms that error handlers have to answer a request whose time is over */
const ERROR_HANDLER_GRACE_MS = 1000

function expireInContext(reply: InternalReply): void {
  runInContextOf(reply.request, expire, reply)
}

function expire(reply: InternalReply): void {
  if (isTooLate(reply)) return
  const route = reply[kRoute]
  const error = new errorCodes.ALC_ERR_HANDLER_TIMEOUT(route.handlerTimeout, describeRequest(reply.request), describeWaiting(reply))
  const isOpen = reply[kState] === ReplyState.Open
  noteOverdue(reply.request)
  abortRequest(reply.request, error)
  if (isTooLate(reply)) return
  // A hook that never completes would hold up the error reply as well.
  if (!isOpen) return giveUp(reply, error)
  // A listener of the signal may have replied.
  if (!reply.sent) sendError(reply, error)
  setTimeout(() => isTooLate(reply) || giveUp(reply, error), ERROR_HANDLER_GRACE_MS).unref()
}

/** Whether a 503 can no longer be sent, or is not needed any more. */
function isTooLate(reply: InternalReply): boolean {
  return replyState(reply) >= ReplyState.Hijacked || hasBegun(reply.raw)
}

function giveUp(reply: InternalReply, error: unknown): void {
  reply[kState] = ReplyState.Sending
  sendLastResort(reply, error)
}

/**
 * Takes what a handler or an error handler returned. `undefined`: it replies, or has replied, itself. Anything else is the payload. A
 * promise is waited for.
 * @param route the route whose handler was called: after `callNotFound` another one answers
 */
export function handleResult(reply: InternalReply, result: any, route: CompiledRoute): void {
  if (result === undefined || result === reply) return expectReply(reply.request)
  try {
    if (result !== null && typeof result.then === 'function') handlePromise(reply, result, route)
    else if (reply[kRoute] === route) reply.send(result)
  } catch (error) {
    // Even reading `then` may fail: a getter that throws, a revoked proxy.
    sendError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
}

function handlePromise(reply: InternalReply, result: PromiseLike<unknown>, route: CompiledRoute): void {
  const { request, [kNextErrorHandler]: stage } = reply
  beginRun(request)
  result.then(
    (payload: unknown) => {
      if (hasFailedSince(stage, reply)) endUnlessSent(reply.request, payload)
      else takeValue(reply, payload, route)
      endRun(request)
    },
    (error: unknown) => {
      if (reply.sent) reply.log.error({ err: error }, 'Promise errored, but reply.sent = true was set')
      else if (hasFailedSince(stage, reply))
        reply.log.error({ err: error }, 'the promise of a handler was rejected after its request had failed')
      else sendError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
      endRun(request)
    },
  )
}

/** Whether an error is being answered that was not there when a handler was called: the time of the handler is over. */
function hasFailedSince(stage: ErrorHandlerLink | null | undefined, reply: InternalReply): boolean {
  return reply[kNextErrorHandler] !== stage || reply[kState] === ReplyState.RunningErrorHooks
}

function takeValue(reply: InternalReply, payload: unknown, route: CompiledRoute): void {
  if (payload === reply) return
  // After `callNotFound` another handler answers.
  if (reply[kRoute] !== route) return endUnlessSent(reply.request, payload)
  // A promise of nothing is a reply without a body, unless the reply was or is being sent elsewhere.
  const isWanted = payload === undefined ? isUnanswered(reply) : reply[kState] !== ReplyState.Hijacked
  if (isWanted) reply.send(payload)
  else endUnlessSent(reply.request, payload)
}

function isUnanswered(reply: InternalReply): boolean {
  return replyState(reply) < ReplyState.Sending && !hasBegun(reply.raw) && !isAborted(reply.request.raw)
}
