/**
 * Sending: from a payload (or an error) through preSerialization, the serializer and onSend to what is written.
 * Everything that a request answers goes through here.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { ErrorHandlerLink } from '../context/context.js'
import { Deadline, type Deadlines } from '../http/deadline.js'
import type { Reply as ReplyContract, TrailerFunction } from '../types/reply.js'
import type { Request as RequestContract } from '../types/request.js'
import type { ErrorHandler } from '../types/route.js'
import { errorCodes } from '../errors.js'
import { errorPayload, isError, isShown, prepareErrorReply } from './send-error.js'
import { Phase, runErrorHooks, runPayloadHooks } from '../context/hooks.js'
import { destroySource, destroyUnlessSent, isResponse, isStream, isWebStream, markAsSent } from '../http/payload.js'
import { abortRequest } from './request.js'
import { kDeadline, kNextErrorHandler, kPhase, kReplyHeaders, kRoute, kSerializer, kStartTime, kTrailers } from '../util/symbols.js'
import { cut, settleHttp2Headers, write } from './transmit.js'

/** A reply with the state that sending it works on. */
interface Reply extends ReplyContract {
  [kPhase]: Phase
  readonly [kRoute]: CompiledRoute
  [kReplyHeaders]: Record<string, any>
  [kSerializer]: ((payload: any) => string | Buffer) | null
  [kTrailers]: Map<string, TrailerFunction> | null
  [kNextErrorHandler]: ErrorHandlerLink | null | undefined
  [kDeadline]: Deadline | undefined
  readonly [kStartTime]: number | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const BINARY_TYPE = 'application/octet-stream'

/** Sends a payload. Never throws: what goes wrong on the way becomes an error reply. */
export function respond(given: ReplyContract, payload: unknown): void {
  const reply = given as Reply
  try {
    if (payload instanceof Error) respondError(reply, payload)
    else dispatch(reply, payload)
  } catch (error) {
    destroySource(payload)
    respondError(reply, error)
  }
}

function dispatch(reply: Reply, payload: any): void {
  if (payload === undefined) return runOnSend(reply, payload)
  if (payload !== null && typeof payload === 'object' && (isStream(payload) || isWebStream(payload) || isResponse(payload))) {
    markAsSent(payload)
    return runOnSend(reply, payload)
  }
  if (typeof payload?.then === 'function') return respondLater(reply, payload)
  const headers = reply[kReplyHeaders]
  const contentType: unknown = reply.getHeader('content-type')

  if (ArrayBuffer.isView(payload)) {
    if (contentType === undefined) headers['content-type'] = BINARY_TYPE
    return runOnSend(reply, Buffer.isBuffer(payload) ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength))
  }
  if (typeof payload === 'string') {
    if (contentType === undefined) headers['content-type'] = TEXT_TYPE
    else if (reply[kSerializer] !== null) return runOnSend(reply, reply[kSerializer](payload))
    else if (isJsonType(contentType)) headers['content-type'] = withCharset(contentType)
    return runOnSend(reply, payload)
  }
  if (reply[kSerializer] === null) {
    if (contentType === undefined) headers['content-type'] = JSON_TYPE
    else if (isJsonType(contentType)) headers['content-type'] = withCharset(contentType)
    else if (!isDeclared(reply, contentType)) return runOnSend(reply, payload)
  }
  const { preSerialization } = reply[kRoute]
  if (preSerialization === null || payload === null) return runOnSend(reply, serialize(reply, payload))
  runPayloadHooks(preSerialization, reply.request, reply, payload, serializeHooked)
}

/** What was sent without being waited for. */
function respondLater(reply: Reply, promise: PromiseLike<unknown>): void {
  // It waits for itself.
  if (promise === (reply as unknown)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('reply')
  promise.then(
    (payload) => respond(reply, payload),
    (error: unknown) => respondError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()),
  )
}

function serializeHooked(error: unknown, _request: RequestContract, given: ReplyContract, payload: unknown): void {
  const reply = given as Reply
  if (error != null) return respondError(reply, error)
  try {
    runOnSend(reply, serialize(reply, payload))
  } catch (failure) {
    respondError(reply, failure)
  }
}

function serialize(reply: Reply, payload: unknown): unknown {
  try {
    const text: unknown = reply.serialize(payload)
    // What JSON has no text for: a function, a symbol.
    if (text === undefined) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
    return text
  } catch (error) {
    // Tells error handlers that it was the reply, not the request, that failed. Not all that is thrown can be extended.
    if (error instanceof Error && Object.isExtensible(error)) (error as { serialization?: unknown }).serialization = reply[kRoute].config
    throw error
  }
}

function isJsonType(contentType: unknown): contentType is string {
  return typeof contentType === 'string' && contentType.toLowerCase().includes('json')
}

/** Whether the route's `content` says how this media type is written. */
function isDeclared(reply: Reply, contentType: unknown): boolean {
  return reply[kRoute].serializers?.hasMediaType(reply.raw.statusCode, contentType as string) ?? false
}

function withCharset(contentType: string): string {
  if (contentType.includes('charset')) return contentType
  const type = contentType.trim()
  return type.endsWith(';') ? `${type} charset=utf-8` : `${type}; charset=utf-8`
}

function runOnSend(reply: Reply, payload: unknown): void {
  const { onSend } = reply[kRoute]
  if (onSend === null) return write(reply, payload, respondError)
  runPayloadHooks(onSend, reply.request, reply, payload, writeHooked)
}

function writeHooked(error: unknown, _request: RequestContract, given: ReplyContract, payload: unknown): void {
  const reply = given as Reply
  try {
    if (error != null) throw error
    write(reply, payload, respondError)
  } catch (failure) {
    destroySource(payload)
    respondError(reply, failure)
  }
}

/** Starts the time that a reply has for its headers. */
export function startDeadline(given: ReplyContract, deadlines: Deadlines): void {
  const reply = given as Reply
  deadlines.add((reply[kDeadline] = new Deadline(reply, expire)), reply[kStartTime])
}

/** ms that error handlers have to answer a request that was out of time */
const GRACE = 1000

function expire(reply: Reply): void {
  if (isAnswered(reply)) return
  const route = reply[kRoute]
  const error = new errorCodes.ALC_ERR_HANDLER_TIMEOUT(route.handlerTimeout, `${reply.request.method} ${route.url ?? reply.request.url}`)
  abortRequest(reply.request)
  // A hook that never ends would hold up the error reply as well.
  if (reply[kPhase] !== Phase.Open) return abandon(reply, error)
  respondError(reply, error)
  if (!isAnswered(reply)) setTimeout(() => isAnswered(reply) || abandon(reply, error), GRACE).unref()
}

function isAnswered(reply: Reply): boolean {
  return reply[kPhase] === Phase.Hijacked || reply.raw.headersSent || reply.raw.writableEnded || reply.raw.destroyed
}

function abandon(reply: Reply, error: unknown): void {
  reply[kPhase] = Phase.Sending
  writeLastResort(reply, error)
}

/** Answers with an error: onError hooks, then the nearest error handler that has not had its turn. */
export function respondError(given: ReplyContract, error: unknown): void {
  const reply = given as Reply
  if (reply[kPhase] === Phase.Hijacked || reply.raw.writableEnded) {
    reply.log.error({ err: error }, 'an error came after the reply was sent')
    return
  }
  if (reply.raw.headersSent) {
    reply.log.error({ err: error }, 'an error came after the headers were sent')
    cut(reply.raw)
    return
  }
  const { onError } = reply[kRoute]
  // The hooks observe an error once, not again for each handler that passes it on.
  if (onError === null || reply[kNextErrorHandler] !== undefined) return handleError(reply, error)
  reply[kPhase] = Phase.Failing
  runErrorHooks(onError, reply.request, reply, error, (failure, _request, _reply) => {
    if (failure != null) reply.log.error({ err: failure }, 'an onError hook failed')
    // The hook may have taken the response.
    if (reply[kPhase] === Phase.Hijacked) return
    handleError(reply, error)
  })
}

function handleError(reply: Reply, error: unknown): void {
  const next = reply[kNextErrorHandler]
  const link = next === undefined ? reply[kRoute].errorHandler : next
  forgetBody(reply)
  if (link === null) return writeLastResort(reply, error)
  reply[kNextErrorHandler] = link.next ?? null
  reply[kPhase] = Phase.Open
  const route = reply[kRoute]
  let result: any
  try {
    result = link.handle.call(reply.server, error, reply.request, reply)
  } catch (failure) {
    return respondError(reply, failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
  settle(reply, result, route)
}

/** Headers that speak of one body. */
const bodyHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'content-disposition',
  'transfer-encoding',
  'trailer',
  'etag',
  'last-modified',
]

/** What the failed attempt had set for its own body does not describe the error's. */
function forgetBody(reply: Reply): void {
  const { raw } = reply
  for (const name of bodyHeaders) {
    delete reply[kReplyHeaders][name]
    if (raw.hasHeader(name)) raw.removeHeader(name)
  }
  raw.chunkedEncoding = false
  // HTTP/2 has none, and Node warns whoever asks for it.
  if (reply.request.raw.httpVersionMajor !== 2 && raw.statusMessage) raw.statusMessage = ''
  reply[kSerializer] = null
}

/** The end of every chain, and what `instance.errorHandler` is where nobody set another: the framework's own payload. */
export const defaultErrorHandler: ErrorHandler = function defaultErrorHandler(error, request, given) {
  const reply = given as Reply
  if (reply.sent) return
  reply[kPhase] = Phase.Sending
  reply[kNextErrorHandler] = null
  try {
    prepareErrorReply(error, request as RequestContract, reply)
    // What was thrown and is no Error was meant as the payload.
    if (!isError(error) && isShown(error, reply)) return dispatch(reply, error)
    const payload = errorPayload(error, reply)
    reply[kReplyHeaders]['content-type'] ??= JSON_TYPE
    runOnSend(reply, payload)
  } catch (failure) {
    respondError(reply, failure)
  }
}

/** Every handler and hook had its chance and failed: the plain payload, past all hooks. */
function writeLastResort(reply: Reply, error: unknown): void {
  reply[kDeadline]?.cancel()
  try {
    forgetBody(reply)
    prepareErrorReply(error, reply.request, reply)
    reply[kTrailers] = null
    delete reply[kReplyHeaders]['transfer-encoding']
    const text = errorPayload(error, reply)
    if (reply.request.raw.httpVersionMajor === 2) settleHttp2Headers(reply[kReplyHeaders])
    reply.raw.writeHead(reply.raw.statusCode, {
      ...reply[kReplyHeaders],
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(text),
    })
    endWith(reply.raw, text)
  } catch (failure) {
    // A header that cannot be written, an error that cannot be serialized.
    writePlainFailure(reply.raw)
    reply.log.error({ err: failure }, 'the error reply could not be written')
  }
}

/** Answers with a 500 that depends on nothing; a response that has begun is cut off. */
export function writePlainFailure(response: ServerResponse): void {
  if (response.headersSent || response.writableEnded) return cut(response)
  const text = '{"statusCode":500,"error":"Internal Server Error","message":"Internal Server Error"}'
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  // What a header that came before the bad one has switched on.
  response.chunkedEncoding = false
  // It may be what could not be written. HTTP/2 has none, and warns.
  if (response.req.httpVersionMajor !== 2) response.statusMessage = STATUS_CODES[500]!
  response.writeHead(500, { 'content-type': JSON_TYPE, 'content-length': text.length })
  endWith(response, text)
}

// Node drops the body of a HEAD response, injected requests do not.
function endWith(response: ServerResponse, text: string | Buffer): void {
  if (response.req.method === 'HEAD') response.end()
  else response.end(text)
}

/**
 * Takes what a handler or an error handler returned: `undefined` says that it replies (or replied) itself, anything else
 * is the payload; a promise is waited for.
 * @param route the one that was called: after `callNotFound` another answers
 */
export function settle(given: ReplyContract, result: any, route: CompiledRoute): void {
  const reply = given as Reply
  if (result === undefined || result === reply) return
  try {
    if (result !== null && typeof result.then === 'function') settlePromise(reply, result, route)
    else if (reply[kRoute] === route) reply.send(result)
  } catch (error) {
    // Even asking for `then` may fail: a getter that throws, a revoked proxy.
    respondError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
}

function settlePromise(reply: Reply, result: PromiseLike<unknown>, route: CompiledRoute): void {
  result.then(
    (payload: unknown) => {
      if (payload === reply) return
      // After `callNotFound` another handler answers.
      if (reply[kRoute] !== route) return destroyUnlessSent(payload)
      const isOver =
        reply.sent || reply.raw.headersSent || reply.raw.destroyed || (reply.request.raw as { aborted?: boolean }).aborted === true
      // A promise of nothing is a reply without a body, unless the reply was or is being given elsewhere.
      if (payload !== undefined ? reply[kPhase] !== Phase.Hijacked : !isOver) reply.send(payload)
      else destroyUnlessSent(payload)
    },
    (error: unknown) => {
      if (reply.sent) return reply.log.error({ err: error }, 'the promise of a handler was rejected after its reply was sent')
      respondError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
    },
  )
}
