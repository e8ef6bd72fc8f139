/** Writes a reply to the connection: status line, headers, a body of text, bytes or a stream, and trailers. No hook runs after this. */
import type { ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'
import { errorCodes } from '../errors/codes.js'
import { closeWithConnection, isAborted, isClientGone, isLastOnConnection } from '../http/connection.js'
import { stopServing } from '../http/connection-states.js'
import { Deadline } from '../http/deadline.js'
import { type MaybeHttp2Response, PIECE_LENGTH, writePieces } from '../http/http2.js'
import { destroyStream, isResponse, isStream, isWebStream } from '../http/payload.js'
import { abortResponse, connectionHeaders, isDecoded, isHeadSent, prepareHttp2Headers, readStatus } from '../http/response.js'
import { FastServerResponse } from '../http/server-response.js'
import type { Reply, TrailerFunction } from '../types/reply.js'
import { validateHeaderValue } from '../util/node/modules.js'
import { assertNotPromise, ignoreRejection, ignoreIfPromise } from '../util/promises.js'
import { runInContextOf } from './async-context.js'
import { beginWork } from './ending/pending-work.js'
import { awaitSource, endSource, endSourceWork } from './ending/sources.js'
import { type Exchange, meetDeadline, ReplyState, replyState } from './exchange.js'
import { sendError } from './failing/send-error.js'
import { dropUnreadBody } from './ending/unread-body.js'

/**
 * Writes the status line, the headers and the body of a reply.
 * @throws ALC_ERR_BAD_STATUS_CODE, the ALC_ERR_REP_… codes, TypeError for an invalid header
 */
export function transmit(exchange: Exchange, payload: any): void {
  const { request, reply, route, headers } = exchange
  const response = reply.raw
  // A hook may have hijacked the response, or a plugin may have ended it.
  if (replyState(exchange) >= ReplyState.Hijacked) return endSource(exchange, payload)
  settleStatus(response)
  const { draining } = route.state
  const isHead = request.method === 'HEAD'
  if (typeof payload === 'string' && !draining && exchange.trailers === null && response instanceof FastServerResponse && !isHead) {
    if (response.sendWhole(headers, payload, Buffer.byteLength(payload))) return meetDeadline(exchange)
  }
  // Requests that came before the server began to close keep no connection open either.
  const { raw } = request
  const isHttp2 = raw.httpVersionMajor === 2
  if (draining && !isHttp2 && isLastOnConnection(raw)) headers['connection'] = 'close'
  if (isResponse(payload)) payload = takeResponse(exchange, payload)
  if (isHttp2) prepareHttp2Headers(headers)
  const status = settleStatus(response)
  if (payload != null && (status === 204 || status === 205)) {
    delete headers['content-type']
    delete headers['content-length']
    endSource(exchange, payload)
    payload = null
  }
  // A hook that answers with 304 empties the payload. A `content-length` of 0 would say that the reply with 200 is empty (RFC 9110 §8.6).
  if (status === 304 && payload?.length === 0) payload = null
  const isChunked = prepareFraming(exchange, status)
  if (payload == null) transmitEmpty(exchange, status, isHead, isChunked)
  else transmitBody(exchange, status, payload, isHead, isChunked)
}

/**
 * Sets the status of a response to the number that Node would write, so that all later decisions depend on this number.
 * @throws ALC_ERR_BAD_STATUS_CODE
 */
export function settleStatus(response: ServerResponse): number {
  const value: unknown = response.statusCode
  const status = readStatus(value)
  if (status === undefined) {
    ignoreIfPromise(value)
    throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(value)
  }
  if (status !== value) response.statusCode = status
  return status
}

/** Takes status and headers of a reply from a `Response`. @returns the body of the `Response` @throws ALC_ERR_REP_RESPONSE_BODY_CONSUMED */
export function takeResponse({ reply }: Exchange, payload: Response): unknown {
  if (typeof payload.status === 'number') reply.code(payload.status)
  const isBodyDecoded = isDecoded(payload)
  for (const [name, value] of payload.headers) {
    if (!connectionHeaders.includes(name) && !(isBodyDecoded && headersOfCodedBody.has(name))) reply.header(name, value)
  }
  if (payload.bodyUsed) throw new errorCodes.ALC_ERR_REP_RESPONSE_BODY_CONSUMED()
  return payload.body
}

const headersOfCodedBody = new Set(['content-encoding', 'content-length'])
function transmitEmpty(exchange: Exchange, status: number, isHead: boolean, isChunked: boolean): void {
  // RFC 9110 §8.6: no content-length if the status allows no content. For HEAD the header states the length of the GET response.
  const isKnownEmpty = !isHead || exchange.route.isImplicitHead
  if (status !== 204 && status !== 304 && isKnownEmpty && !isChunked) exchange.headers['content-length'] = '0'
  writeHead(exchange, status)
  endResponse(exchange, undefined)
}

/**
 * The most bytes of a reply over HTTP/2 that are written at once. Node counts all bytes that a client has not taken yet, and from 10 MB on
 * refuses further requests of this client (`maxSessionMemory`).
 */
const MAX_HTTP2_WRITE = 1_048_576

function* piecesOf(payload: Buffer): Generator<Buffer> {
  for (let at = 0; at < payload.length; at += PIECE_LENGTH) yield payload.subarray(at, at + PIECE_LENGTH)
}

function transmitBody(exchange: Exchange, status: number, payload: any, isHead: boolean, isChunked: boolean): void {
  if (isWebStream(payload)) payload = readWebStream(payload)
  if (isStream(payload))
    return isHead || status === 304 ? transmitHeadOnly(exchange, status, payload) : transmitStream(exchange, status, payload)
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
    ignoreRejection(payload)
    throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
  }
  if (!isChunked) {
    const { headers } = exchange
    if (!isHead || !headers['content-length']) headers['content-length'] = String(Buffer.byteLength(payload))
  }
  const hasBody = !isHead && status !== 304
  if (hasBody && payload.length > MAX_HTTP2_WRITE && exchange.request.raw.httpVersionMajor === 2 && exchange.trailers === null)
    return transmitStream(
      exchange,
      status,
      Readable.from(piecesOf(typeof payload === 'string' ? Buffer.from(payload) : payload), { objectMode: false }),
    )
  writeHead(exchange, status)
  // Node drops the body of such a response, injected requests do not.
  endResponse(exchange, hasBody ? payload : undefined)
}

/** Makes a Node stream from a web stream. @throws ALC_ERR_REP_READABLE_STREAM_LOCKED */
function readWebStream(payload: ReadableStream): Readable {
  if (payload.locked) throw new errorCodes.ALC_ERR_REP_READABLE_STREAM_LOCKED()
  // Nothing is read ahead, so that the source is asked for no more than the client takes. Node's type of web streams differs from the
  // global one.
  return Readable.fromWeb(payload as any, { highWaterMark: 0 })
}

/**
 * Sets the headers of a reply so that exactly one of them states, correctly, where the reply ends. If there were two such headers, or a
 * wrong one, a client would take the next reply on the connection for a part of this reply.
 * @returns whether the reply is sent in chunks because the application asked for it
 */
function prepareFraming(exchange: Exchange, status: number): boolean {
  const { headers } = exchange
  takeRawFraming(exchange, 'transfer-encoding')
  takeRawFraming(exchange, 'content-length')
  // RFC 9112 §6.1: HTTP/1.0 has no chunks. HTTP/2 has its own frames.
  const { httpVersion } = exchange.request.raw
  const hasContent = status !== 204 && status !== 205 && status !== 304
  if (!hasContent || httpVersion === '1.0') exchange.trailers = null
  const { trailers } = exchange
  if (trailers !== null && trailers.size > 0) {
    headers['transfer-encoding'] = 'chunked'
    headers['trailer'] = [...trailers.keys()].join(exchange.route.conventions.trailerSeparator)
  }
  // RFC 9110 §8.6, RFC 9112 §6.3. A length of 0 with 204 is left in: `@fastify/cors` sets it, and it contradicts nothing.
  const length = headers['content-length']
  if (length !== undefined && !(status === 204 ? /^0$/ : /^\d+$/).test(String(length))) delete headers['content-length']
  if (hasContent && httpVersion === '1.1' && /\bchunked$/i.test(String(headers['transfer-encoding']))) {
    delete headers['content-length']
    return true
  }
  delete headers['transfer-encoding']
  return false
}

/**
 * Moves a header that the application has set on the raw response to the headers of the reply, so that the length of the body is stated
 * only once.
 */
function takeRawFraming({ reply: { raw }, headers }: Exchange, name: string): void {
  if (!raw.hasHeader(name)) return
  headers[name] ??= raw.getHeader(name)
  raw.removeHeader(name)
}

function writeHead(exchange: Exchange, status: number): void {
  const { request, reply, headers } = exchange
  const response = reply.raw
  if (isHeadSent(response)) throw new errorCodes.ALC_ERR_REP_ALREADY_SENT(request.url, request.method)
  response.writeHead(status, headers)
  meetDeadline(exchange)
  const { raw } = request
  if (raw.httpVersionMajor === 2) return
  const connection: unknown = headers['connection'] ?? response.getHeader('connection')
  if (!response.shouldKeepAlive || CLOSE.test(String(connection))) stopServing(raw.socket)
}

/**
 * The pattern of the `connection` headers with which Node closes a connection (`RE_CONN_CLOSE` in `_http_outgoing.js`), such as `close`
 * alone or in a list.
 */
const CLOSE = /(?:^|\W)close(?:$|\W)/i

function endResponse(exchange: Exchange, payload: string | Buffer | undefined): void {
  const { reply, trailers } = exchange
  // The payload is written first: `end(payload)` would hand the socket a second, empty chunk, which costs a vectored write.
  if (payload !== undefined) writeChunk(reply.raw, payload)
  if (trailers === null) reply.raw.end()
  else transmitTrailers(exchange, trailers, payload)
}

/** Writes a chunk of a reply. @returns whether the response has room for more */
function writeChunk(response: MaybeHttp2Response, chunk: string | Uint8Array): boolean {
  return response.stream === undefined ? response.write(chunk) : writePieces(response, chunk)
}

/** Computes the trailers of a reply concurrently, and ends the response with the trailers that were computed in time. */
function transmitTrailers({ reply, route }: Exchange, trailers: Map<string, TrailerFunction>, payload: unknown): void {
  // The application may remove trailers while a stream is sent.
  if (trailers.size === 0) return void reply.raw.end()
  const values: Record<string, string> = {}
  let pending = trailers.size
  const finish = (): void => {
    deadline.cancel()
    reply.raw.addTrailers(values)
    reply.raw.end()
  }
  // Once the headers are sent, the trailers get as much time as the headers had.
  const deadline = new Deadline(reply, () => {
    pending = 0
    reply.log.error({ res: reply }, `trailers were not computed within ${route.handlerTimeout} ms: the reply ends without them`)
    finish()
  })
  route.deadlines?.add(deadline)
  for (const [name, compute] of trailers) {
    let isDone = false
    const done = (error: unknown, value?: string): void => {
      if (isDone || pending === 0) return
      isDone = true
      try {
        if (error) throw error
        validateHeaderValue(name, assertNotPromise(value as string, `the trailer ${name}`))
        values[name] = value as string
      } catch (failure) {
        reply.log.debug({ err: failure }, `the trailer ${name} could not be computed`)
      }
      pending--
      if (pending === 0) finish()
    }
    computeTrailer(reply, compute, payload, done)
  }
}

function computeTrailer(reply: Reply, compute: TrailerFunction, payload: unknown, done: (error: unknown, value?: string) => void): void {
  const fail = (error: unknown): void => done(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  try {
    const result: any = compute(reply, payload, done)
    if (typeof result === 'string') done(null, result)
    else if (result != null && typeof result.then === 'function') result.then((value: string) => done(null, value), fail)
  } catch (error) {
    fail(error)
  }
}

function transmitHeadOnly(exchange: Exchange, status: number, payload: Readable): void {
  const { reply } = exchange
  payload.on('error', (error: any) => {
    // A stream that is destroyed before its end may report this as an error, as the bodies of undici do.
    if (error?.name !== 'AbortError') reply.log.error({ err: error }, 'Error on Stream found for HEAD route')
  })
  awaitSource(exchange, payload)
  destroyStream(payload)
  writeHead(exchange, status)
  reply.raw.end()
}

function transmitStream(exchange: Exchange, status: number, source: Readable): void {
  const { request, reply, trailers } = exchange
  // A stream that has ended emits no further event.
  if (source.readableEnded) throw new errorCodes.ALC_ERR_REP_RESPONSE_BODY_CONSUMED()
  const response: ServerResponse = reply.raw
  // A response without its client emits no further event.
  if (isClientGone(response)) {
    meetDeadline(exchange)
    return endSource(exchange, source)
  }
  // The handler has replied. How long its source is quiet is a matter of that source: a stream of events may wait long for its first event.
  meetDeadline(exchange)
  const logOnce = createStreamLog(exchange)
  dropUnreadBody(exchange)
  let isSourceOpen = true
  beginWork(exchange)
  finished(source, { readable: true, writable: false }, (error) => {
    isSourceOpen = false
    endSourceWork(exchange, source)
    if (error == null) return
    // Once the headers are sent, only an aborted response tells the client that the body is incomplete.
    if (isHeadSent(response) || response.destroyed || isAborted(request.raw)) {
      logOnce(error)
      abortResponse(response)
    } else failInContext(exchange, error)
  })

  closeWithConnection(request.raw.socket, response)
  finished(response, (error) => {
    if (!isSourceOpen) return
    if (error != null && isHeadSent(response)) logOnce(error)
    runInContextOf(exchange, () => {
      if (!destroyStream(source)) reply.log.warn('stream payload does not end properly')
    })
  })

  const length = reply.getHeader('content-length')
  pump(source, response, {
    // The response may be written in an event of an earlier request of the connection.
    resume: () => runInContextOf(exchange, () => source.resume()),
    length: length === undefined ? undefined : Number(length),
    begin() {
      if (isHeadSent(response)) reply.log.warn("response will send, but you shouldn't use res.writeHead in stream mode")
      else writeHead(exchange, status)
    },
    end() {
      if (trailers === null) response.end()
      else transmitTrailers(exchange, trailers, null)
    },
    fail(error) {
      if (!isHeadSent(response)) return failInContext(exchange, error)
      logOnce(error)
      abortResponse(response)
    },
  })
}

/** Answers a request with an error of the stream that it sends. The error may have come in an event of another request. */
function failInContext(exchange: Exchange, error: unknown): void {
  runInContextOf(exchange, sendError, exchange, error)
}

/** Makes a function that logs the first error of a stream and its response, and ignores later ones. */
function createStreamLog(exchange: Exchange): (error: NodeJS.ErrnoException) => void {
  const { request, reply, route } = exchange
  let isLogged = false
  return (error) => {
    if (isLogged) return
    isLogged = true
    // If the client has left, the stream ends with an error too.
    if (!isClientGone(reply.raw)) exchange.error = error
    route.logs.streamError(error, request, reply)
  }
}

interface PumpOptions {
  /** Lets the source continue, once the response has room again. */
  readonly resume: () => void
  /** The length of the body in bytes, if the application stated it. */
  readonly length: number | undefined
  /** Is called before the first byte is written. Until then an error of the source can be answered with an error reply. */
  readonly begin: () => void
  /** Is called after the last byte was written. */
  readonly end: () => void
  readonly fail: (error: Error) => void
}

/**
 * Sends a stream as the body of a response, as `pipe` does, and handles two cases that `pipe` does not: a chunk that is neither text nor
 * bytes (the response would throw in an event, where no one can catch it), and a body whose length is not the stated one (the body would
 * run into the next reply, or keep the client waiting for the rest).
 */
function pump(source: Readable, response: ServerResponse, { resume, length, begin, end, fail }: PumpOptions): void {
  if (typeof source.pause !== 'function' || typeof source.resume !== 'function') {
    begin()
    source.pipe(response, { end: false })
    source.on('end', end)
    return
  }
  let sent = 0
  let hasBegun = false
  response.on('drain', () => {
    if (!response.destroyed) resume()
  })
  source.on('data', (chunk) => {
    // After a chunk that failed, the next ones are dropped: the body would have a hole.
    if (response.destroyed || source.destroyed) return
    try {
      if (length !== undefined) {
        sent += Buffer.byteLength(chunk)
        if (sent > length) throw new errorCodes.ALC_ERR_REP_LENGTH_MISMATCH(length, sent)
      }
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof chunk)
      if (!hasBegun) begin()
      hasBegun = true
      if (!writeChunk(response, chunk)) source.pause()
    } catch (error) {
      source.destroy(error as Error)
    }
  })
  source.on('end', () => {
    try {
      if (length !== undefined && sent < length) throw new errorCodes.ALC_ERR_REP_LENGTH_MISMATCH(length, sent)
      if (!hasBegun) begin()
      end()
    } catch (error) {
      fail(error as Error)
    }
  })
}
