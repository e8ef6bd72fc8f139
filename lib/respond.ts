/**
 * Sending: from a payload (or an error) through preSerialization, the serializer and onSend to the bytes on the wire.
 * Everything that a request answers goes through here.
 */
import { type ServerResponse, STATUS_CODES, validateHeaderValue } from 'node:http'
import { finished, Readable } from 'node:stream'
import type { CompiledRoute } from './compiled-route.js'
import { isLastOnConnection } from './connections.js'
import type { ErrorHandlerLink } from './context.js'
import type { Deadlines, Timed } from './deadline.js'
import type { ErrorHandler, Reply as ReplyContract, Request as RequestContract, TrailerFunction } from './contract.js'
import { errorCodes } from './errors.js'
import { errorPayload, isError, isShown, prepareErrorReply } from './failure.js'
import { Phase, runPayloadHooks } from './hooks.js'
import { abortRequest } from './request.js'
import { kDeadline, kNextErrorHandler, kPhase, kReplyHeaders, kRoute, kSerializer, kTrailers } from './symbols.js'

/** A reply with the state that sending it works on. */
interface Reply extends ReplyContract {
  [kPhase]: Phase
  readonly [kRoute]: CompiledRoute
  [kReplyHeaders]: Record<string, any>
  [kSerializer]: ((payload: any) => string | Buffer) | null
  [kTrailers]: Map<string, TrailerFunction> | null
  [kNextErrorHandler]: ErrorHandlerLink | null | undefined
  [kDeadline]: Timed | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const BINARY_TYPE = 'application/octet-stream'

const isResponse = (payload: unknown): payload is Response => Object.prototype.toString.call(payload) === '[object Response]'
const isStream = (payload: any): payload is Readable => typeof payload.pipe === 'function'
const isWebStream = (payload: any): payload is ReadableStream => typeof payload.getReader === 'function'

/** Sends a payload. Never throws: what goes wrong on the way becomes an error reply. */
export function respond(given: ReplyContract, payload: unknown): void {
  const reply = given as Reply
  try {
    if (payload instanceof Error) respondError(reply, payload)
    else dispatch(reply, payload)
  } catch (error) {
    respondError(reply, error)
  }
}

function dispatch(reply: Reply, payload: any): void {
  if (payload === undefined) return runOnSend(reply, payload)
  if (payload !== null && (isStream(payload) || isWebStream(payload) || isResponse(payload))) return runOnSend(reply, payload)
  const headers = reply[kReplyHeaders]
  const contentType: unknown = reply.getHeader('content-type')

  if (payload?.buffer instanceof ArrayBuffer || payload?.buffer instanceof SharedArrayBuffer) {
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
    if (text === undefined && payload !== undefined) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
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
  if (onSend === null) return write(reply, payload)
  runPayloadHooks(onSend, reply.request, reply, payload, writeHooked)
}

function writeHooked(error: unknown, _request: RequestContract, given: ReplyContract, payload: unknown): void {
  const reply = given as Reply
  if (error != null) return respondError(reply, error)
  try {
    write(reply, payload)
  } catch (failure) {
    respondError(reply, failure)
  }
}

/** The time that a reply has for its headers. */
class ReplyDeadline implements Timed {
  due = 0
  before: Timed | undefined = undefined
  after: Timed | undefined = undefined
  queue: Deadlines | undefined = undefined
  readonly #reply: Reply

  constructor(reply: Reply) {
    this.#reply = reply
  }
  onDue(): void {
    expire(this.#reply)
  }
}

/** Starts the time that a reply has for its headers. */
export function startDeadline(given: ReplyContract, deadlines: Deadlines): void {
  const reply = given as Reply
  deadlines.add((reply[kDeadline] = new ReplyDeadline(reply)))
}

function endDeadline(reply: Reply): void {
  const deadline = reply[kDeadline]
  if (deadline !== undefined) deadline.queue?.remove(deadline)
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

/** The last step: status line, headers and body. */
function write(reply: Reply, payload: any): void {
  const response = reply.raw
  // A hook may have hijacked the response, or a plugin ended it.
  if (reply[kPhase] === Phase.Hijacked || response.writableEnded) return
  const headers = reply[kReplyHeaders]
  const trailers = reply[kTrailers]
  // Requests that came before the server closed keep no connection either.
  const { raw } = reply.request
  if (reply[kRoute].state.draining && raw.httpVersionMajor !== 2 && isLastOnConnection(raw)) headers['connection'] = 'close'
  if (trailers !== null && trailers.size > 0) {
    // RFC 9112 §7.1.2: only a chunked body can have trailers.
    reply.header('transfer-encoding', 'chunked')
    reply.header('trailer', [...trailers.keys()].join(' '))
    delete headers['content-length']
  }
  if (isResponse(payload)) {
    if (typeof payload.status === 'number') reply.code(payload.status)
    for (const [name, value] of payload.headers) reply.header(name, value)
    if (payload.bodyUsed) throw new errorCodes.ALC_ERR_REP_RESPONSE_BODY_CONSUMED()
    payload = payload.body
  }
  const status = response.statusCode
  assertStatusLine(response)
  const isHead = reply.request.method === 'HEAD'

  if (payload == null) {
    // RFC 9110 §8.6: no content-length where there can be no content; for HEAD it tells of what GET would send.
    const isKnownEmpty = !isHead || reply[kRoute].isHeadTwin
    if (status >= 200 && status !== 204 && status !== 304 && isKnownEmpty && trailers === null) headers['content-length'] = '0'
    writeHead(reply, status)
    return end(reply, undefined)
  }
  if (status < 200 || status === 204) {
    delete headers['content-type']
    delete headers['content-length']
    discard(payload)
    writeHead(reply, status)
    return end(reply, undefined)
  }
  if (isWebStream(payload)) payload = Readable.fromWeb(payload as any)
  if (isStream(payload)) return isHead || status === 304 ? writeHeadOnly(reply, status, payload) : writeStream(reply, payload)
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)

  if (trailers === null) {
    const length = Buffer.byteLength(payload)
    const declared = headers['content-length']
    if (!declared || (!isHead && Number(declared) !== length)) headers['content-length'] = String(length)
  }
  writeHead(reply, status)
  // Node drops the body of a HEAD response, injected requests do not.
  end(reply, isHead ? undefined : payload)
}

// A stream's status line is written with its first chunk, where nobody would catch what Node thinks of it.
function assertStatusLine({ statusCode, statusMessage }: ServerResponse): void {
  if (!(statusCode >= 100 && statusCode <= 999)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(statusCode)
  if (statusMessage) validateHeaderValue('status', statusMessage)
}

function writeHead(reply: Reply, status: number): void {
  const response = reply.raw
  if (response.headersSent) {
    reply.log.warn(
      `Reply was already sent, did you forget to "return reply" in the "${reply.request.raw.url}" (${reply.request.raw.method}) route?`,
    )
    throw new errorCodes.ALC_ERR_REP_ALREADY_SENT(reply.request.url, reply.request.method)
  }
  response.writeHead(status, reply[kReplyHeaders])
  endDeadline(reply)
}

function end(reply: Reply, payload: string | Buffer | undefined): void {
  const trailers = reply[kTrailers]
  // Written first: `end(payload)` would hand the socket a second, empty chunk, and that costs a vectored write.
  if (payload !== undefined) reply.raw.write(payload)
  if (trailers === null || trailers.size === 0) {
    reply.raw.end()
    return
  }
  sendTrailers(reply, trailers, payload)
}

/** Computes the trailers side by side and ends the response with those that did not fail. */
function sendTrailers(reply: Reply, trailers: Map<string, TrailerFunction>, payload: unknown): void {
  const values: Record<string, string> = {}
  let pending = trailers.size
  for (const [name, compute] of trailers) {
    let isOver = false
    const done = (error: Error | null, value?: string): void => {
      if (isOver) return
      isOver = true
      if (error) reply.log.debug(error)
      else values[name] = value as string
      pending--
      if (pending > 0) return
      try {
        reply.raw.addTrailers(values)
      } catch (failure) {
        reply.log.error({ err: failure }, 'the trailers could not be sent')
      }
      reply.raw.end()
    }
    let result: any
    try {
      result = compute(reply, payload, done)
    } catch (error) {
      done(error as Error)
      continue
    }
    if (result != null && typeof result.then === 'function') result.then((value: string) => done(null, value), done)
  }
}

// The source of a body that is not sent would otherwise stay open for ever.
function discard(payload: any): void {
  if (isWebStream(payload)) return void payload.cancel().catch(() => {})
  if (payload == null || !isStream(payload)) return
  payload.on('error', () => {})
  close(payload)
}

function close(stream: any): boolean {
  if (typeof stream.destroy === 'function') stream.destroy()
  else if (typeof stream.close === 'function') stream.close(() => {})
  else if (typeof stream.abort === 'function') stream.abort()
  else return false
  return true
}

function writeHeadOnly(reply: Reply, status: number, payload: Readable): void {
  payload.on('error', (error) => reply.log.error({ err: error }, 'Error on Stream found for HEAD route'))
  close(payload)
  writeHead(reply, status)
  reply.raw.end()
}

function writeStream(reply: Reply, payload: Readable): void {
  const response: ServerResponse = reply.raw
  const trailers = reply[kTrailers]
  let isSourceOpen = true
  let isLogged = false
  const log = (error: NodeJS.ErrnoException): void => {
    if (isLogged) return
    isLogged = true
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      reply.log.warn({ err: error }, 'response terminated with an error with headers already sent')
    else if (reply[kRoute].isLogging) reply.log.info({ res: reply }, 'stream closed prematurely')
  }

  finished(payload, { readable: true, writable: false }, (error) => {
    isSourceOpen = false
    if (error == null) {
      if (trailers !== null) sendTrailers(reply, trailers, null)
      return
    }
    // With the headers out there is no other way to tell the client that the body is incomplete.
    if (response.headersSent || response.destroyed || (reply.request.raw as { aborted?: boolean }).aborted === true) {
      log(error)
      response.destroy()
    } else respondError(reply, error)
  })

  finished(response, (error) => {
    endDeadline(reply)
    if (!isSourceOpen) return
    if (error != null && response.headersSent) log(error)
    if (!close(payload)) reply.log.warn('stream payload does not end properly')
  })

  // Not writeHead: a stream may still fail before its first byte, and then an error reply is due.
  if (response.headersSent) reply.log.warn("response will send, but you shouldn't use res.writeHead in stream mode")
  else {
    const headers = reply[kReplyHeaders]
    for (const name of Object.keys(headers)) response.setHeader(name, headers[name])
  }
  pump(payload, response, trailers === null)
}

/** `pipe`, but for what it does with a chunk that is no bytes: the response throws, in an event that nobody can catch. */
function pump(source: Readable, response: ServerResponse, ends: boolean): void {
  if (typeof source.pause !== 'function' || typeof source.resume !== 'function') return void source.pipe(response, { end: ends })
  response.on('drain', () => source.resume())
  source.on('data', (chunk) => {
    if (response.destroyed) return
    try {
      if (!response.write(chunk)) source.pause()
    } catch (error) {
      source.destroy(error as Error)
    }
  })
  if (ends) source.on('end', () => response.end())
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
    reply.raw.destroy()
    return
  }
  const { onError } = reply[kRoute]
  // The hooks observe an error once, not again for each handler that passes it on.
  if (onError === null || reply[kNextErrorHandler] !== undefined) return handleError(reply, error)
  reply[kPhase] = Phase.Failing
  runPayloadHooks(onError, reply.request, reply, error, (failure, _request, _reply) => {
    if (failure != null) reply.log.error({ err: failure }, 'an onError hook failed')
    handleError(reply, error)
  })
}

function handleError(reply: Reply, error: unknown): void {
  const next = reply[kNextErrorHandler]
  const link = next === undefined ? reply[kRoute].errorHandler : next
  // What the failed attempt had set for its own body does not describe the error's.
  delete reply[kReplyHeaders]['content-type']
  delete reply[kReplyHeaders]['content-length']
  delete reply[kReplyHeaders]['transfer-encoding']
  reply.raw.chunkedEncoding = false
  reply[kSerializer] = null
  if (link === null) return writeLastResort(reply, error)
  reply[kNextErrorHandler] = link.next ?? null
  reply[kPhase] = Phase.Open
  let result: any
  try {
    result = link.handle.call(reply.server, error, reply.request, reply)
  } catch (failure) {
    return respondError(reply, failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
  settle(reply, result)
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
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
    runOnSend(reply, payload)
  } catch (failure) {
    respondError(reply, failure)
  }
}

/** Every handler and hook had its chance and failed: the plain payload, past all hooks. */
function writeLastResort(reply: Reply, error: unknown): void {
  endDeadline(reply)
  try {
    prepareErrorReply(error, reply.request, reply)
    reply[kTrailers] = null
    const payload = errorPayload(error, reply)
    const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
    reply.raw.writeHead(reply.raw.statusCode, {
      ...reply[kReplyHeaders],
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(text),
    })
    reply.raw.end(text)
  } catch (failure) {
    // A header that cannot be written, an error that cannot be serialized.
    writePlainFailure(reply.raw)
    reply.log.error({ err: failure }, 'the error reply could not be written')
  }
}

/** Answers with a 500 that depends on nothing; a response that has begun is cut off. */
export function writePlainFailure(response: ServerResponse): void {
  if (response.headersSent || response.writableEnded) return void response.destroy()
  const text = '{"statusCode":500,"error":"Internal Server Error","message":"Internal Server Error"}'
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  // What a header that came before the bad one has switched on.
  response.chunkedEncoding = false
  response.writeHead(500, STATUS_CODES[500], { 'content-type': JSON_TYPE, 'content-length': text.length })
  response.end(text)
}

/**
 * Takes what a handler or an error handler returned: `undefined` says that it replies (or replied) itself, anything else
 * is the payload; a promise is waited for.
 */
export function settle(given: ReplyContract, result: any): void {
  const reply = given as Reply
  if (result === undefined || result === reply) return
  try {
    if (result === null || typeof result.then !== 'function') reply.send(result)
    else settlePromise(reply, result)
  } catch (error) {
    // Even asking for `then` may fail: a getter that throws, a revoked proxy.
    respondError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
}

function settlePromise(reply: Reply, result: PromiseLike<unknown>): void {
  const route = reply[kRoute]
  result.then(
    (payload: unknown) => {
      // After `callNotFound` another handler answers.
      if (payload === reply || reply[kRoute] !== route) return
      const isOver =
        reply.sent || reply.raw.headersSent || reply.raw.destroyed || (reply.request.raw as { aborted?: boolean }).aborted === true
      // A promise of nothing is a reply without a body, unless the reply was or is being given elsewhere.
      if (payload !== undefined ? reply[kPhase] !== Phase.Hijacked : !isOver) reply.send(payload)
    },
    (error: unknown) => {
      if (reply.sent) return reply.log.error({ err: error }, 'Promise errored, but reply.sent = true was set')
      respondError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
    },
  )
}
