/**
 * Writing: a payload that nothing will change any more, on the wire. Status line, headers, body and trailers; strings, bytes
 * and streams.
 */
import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import { finished, Readable } from 'node:stream'
import type { CompiledRoute } from '../route/compiled-route.js'
import { closeWithConnection, isClientGone, isLastOnConnection, stopServing } from '../http/connection.js'
import type { Reply as ReplyContract, TrailerFunction } from '../types/reply.js'
import { Deadline } from '../http/deadline.js'
import { errorCodes } from '../errors.js'
import { Phase } from '../context/hooks.js'
import { FastServerResponse } from '../http/server-response.js'
import { destroySource, destroyStream, isResponse, isStream, isWebStream } from '../http/payload.js'
import { kDeadline, kPhase, kReplyHeaders, kRoute, kTrailers } from '../util/symbols.js'
import { ignoreRejection } from '../util/promises.js'

/** A reply with the state that writing it works on. */
interface Reply extends ReplyContract {
  [kPhase]: Phase
  readonly [kRoute]: CompiledRoute
  [kReplyHeaders]: Record<string, any>
  [kTrailers]: Map<string, TrailerFunction> | null
  [kDeadline]: Deadline | undefined
}

/** What a reply's error becomes: another reply. It lies above writing. */
type Fail = (reply: ReplyContract, error: unknown) => void

const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'te']

/**
 * Over HTTP/2 nothing speaks of the connection (RFC 9113 §8.2.2), and no value holds a line break (§8.2.1), which Node would send: a
 * proxy that speaks HTTP/1 behind it would read another header.
 * @throws TypeError where a name or value is none
 */
export function settleHttp2Headers(headers: Record<string, any>): void {
  for (const name of connectionHeaders) delete headers[name]
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
}

/**
 * The last step: status line, headers and body.
 * @param fail answers in the place of a stream that failed before its first byte
 * @throws ALC_ERR_BAD_STATUS_CODE, ALC_ERR_REP_…
 */
export function write(given: ReplyContract, payload: any, fail: Fail): void {
  const reply = given as Reply
  const response = reply.raw
  // A hook may have hijacked the response, or a plugin ended it.
  if (reply[kPhase] === Phase.Hijacked || response.writableEnded) return destroySource(payload)
  const headers = reply[kReplyHeaders]
  const { draining } = reply[kRoute].state
  const isHead = reply.request.method === 'HEAD'
  if (typeof payload === 'string' && !draining && reply[kTrailers] === null && response instanceof FastServerResponse && !isHead) {
    if (response.sendWhole(headers, payload, Buffer.byteLength(payload))) return reply[kDeadline]?.cancel()
  }
  // Requests that came before the server closed keep no connection either.
  const { raw } = reply.request
  const isHttp2 = raw.httpVersionMajor === 2
  if (draining && !isHttp2 && isLastOnConnection(raw)) headers['connection'] = 'close'
  if (isResponse(payload)) {
    if (typeof payload.status === 'number') reply.code(payload.status)
    // RFC 9110 §7.6.1: what speaks of the connection that it came by is not handed on.
    for (const [name, value] of payload.headers) if (!connectionHeaders.includes(name)) reply.header(name, value)
    if (payload.bodyUsed) throw new errorCodes.ALC_ERR_REP_RESPONSE_BODY_CONSUMED()
    payload = payload.body
  }
  if (isHttp2) settleHttp2Headers(headers)
  const status = response.statusCode
  if (!(status >= 200 && status <= 999)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status)
  if (payload != null && (status === 204 || status === 205)) {
    delete headers['content-type']
    delete headers['content-length']
    destroySource(payload)
    payload = null
  }
  const isChunked = frame(reply, status)

  if (payload == null) {
    // RFC 9110 §8.6: no content-length where there can be no content; for HEAD it tells of what GET would send.
    const isKnownEmpty = !isHead || reply[kRoute].isHeadTwin
    if (status !== 204 && status !== 304 && isKnownEmpty && !isChunked) headers['content-length'] = '0'
    writeHead(reply, status)
    return end(reply, undefined)
  }
  if (isWebStream(payload)) payload = Readable.fromWeb(payload as any)
  if (isStream(payload)) return isHead || status === 304 ? writeHeadOnly(reply, status, payload) : writeStream(reply, payload, fail)
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
    ignoreRejection(payload)
    throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
  }

  if (!isChunked) {
    const length = Buffer.byteLength(payload)
    const declared = headers['content-length']
    if (!isHead || !declared) headers['content-length'] = String(length)
  }
  writeHead(reply, status)
  // Node drops the body of such a response, injected requests do not.
  end(reply, isHead || status === 304 ? undefined : payload)
}

/**
 * Leaves one statement of where the reply ends, and none that is wrong: a client that reads two of them, or reads one to its end, takes
 * the next reply of its connection for a part of this one.
 * @returns whether the reply is sent in chunks that the application asked for
 */
function frame(reply: Reply, status: number): boolean {
  const headers = reply[kReplyHeaders]
  // RFC 9112 §6.1: HTTP/1.0 knows no chunks, and HTTP/2 has frames of its own.
  const { httpVersion } = reply.request.raw
  const hasContent = status !== 204 && status !== 205 && status !== 304
  if (!hasContent || httpVersion === '1.0') reply[kTrailers] = null
  const trailers = reply[kTrailers]
  if (trailers !== null && trailers.size > 0) {
    headers['transfer-encoding'] = 'chunked'
    headers['trailer'] = [...trailers.keys()].join(' ')
  }
  // RFC 9110 §8.6, RFC 9112 §6.3; a 0 with 204 is one statement all the same, and `@fastify/cors` makes it.
  const length = headers['content-length']
  if (length !== undefined && !(status === 204 ? /^0$/ : /^\d+$/).test(String(length))) delete headers['content-length']
  if (headers['transfer-encoding'] === undefined) return false
  if (hasContent && httpVersion === '1.1' && /\bchunked$/i.test(String(headers['transfer-encoding']))) {
    delete headers['content-length']
    return true
  }
  delete headers['transfer-encoding']
  return false
}

function writeHead(reply: Reply, status: number): void {
  const response = reply.raw
  if (response.headersSent) throw new errorCodes.ALC_ERR_REP_ALREADY_SENT(reply.request.url, reply.request.method)
  const headers = reply[kReplyHeaders]
  response.writeHead(status, headers)
  reply[kDeadline]?.cancel()
  const { raw } = reply.request
  if (raw.httpVersionMajor === 2) return
  if (!response.shouldKeepAlive || /^close$/i.test(headers['connection'])) stopServing(raw.socket)
}

/** `INTERNAL_ERROR` of HTTP/2 */
const INTERNAL_ERROR = 2

/** Ends a response of which something was sent, so that the client can tell that it is not whole. */
export function cut(response: ServerResponse): void {
  const { stream } = response as unknown as { stream?: { close(code: number): void } }
  // Over HTTP/2, `destroy` ends it as if it were complete.
  if (stream === undefined) response.destroy()
  else stream.close(INTERNAL_ERROR)
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

/** Computes the trailers side by side and ends the response with those that did not fail, and were there in time. */
function sendTrailers(reply: Reply, trailers: Map<string, TrailerFunction>, payload: unknown): void {
  const values: Record<string, string> = {}
  let pending = trailers.size
  const finish = (): void => {
    deadline.cancel()
    reply.raw.addTrailers(values)
    reply.raw.end()
  }
  // The time that trailers have, once the headers are out.
  const deadline = new Deadline(reply, () => {
    pending = 0
    reply.log.error({ res: reply }, `trailers were not computed within ${reply[kRoute].handlerTimeout} ms: the reply ends without them`)
    finish()
  })
  reply[kRoute].deadlines?.add(deadline)
  for (const [name, compute] of trailers) {
    let isOver = false
    const done = (error: unknown, value?: string): void => {
      if (isOver || pending === 0) return
      isOver = true
      try {
        if (error) throw error
        validateHeaderValue(name, value as string)
        values[name] = value as string
      } catch (failure) {
        reply.log.debug({ err: failure }, `the trailer ${name} could not be computed`)
      }
      pending--
      if (pending === 0) finish()
    }
    try {
      const result: any = compute(reply, payload, done)
      if (result != null && typeof result.then === 'function') result.then((value: string) => done(null, value), fail)
    } catch (error) {
      fail(error)
    }
    function fail(error: unknown): void {
      done(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
    }
  }
}

function writeHeadOnly(reply: Reply, status: number, payload: Readable): void {
  payload.on('error', (error) => reply.log.error({ err: error }, 'Error on Stream found for HEAD route'))
  destroyStream(payload)
  writeHead(reply, status)
  reply.raw.end()
}

function writeStream(reply: Reply, payload: Readable, fail: Fail): void {
  // It has no more events to wait for.
  if (payload.readableEnded) throw new errorCodes.ALC_ERR_REP_RESPONSE_BODY_CONSUMED()
  const response: ServerResponse = reply.raw
  // It will tell of its end no more.
  if (isClientGone(response)) {
    reply[kDeadline]?.cancel()
    return destroySource(payload)
  }
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
    if (error == null) return
    // With the headers out there is no other way to tell the client that the body is incomplete.
    if (response.headersSent || response.destroyed || (reply.request.raw as { aborted?: boolean }).aborted === true) {
      log(error)
      cut(response)
    } else fail(reply, error)
  })

  closeWithConnection(reply.request.raw.socket, response)
  finished(response, (error) => {
    reply[kDeadline]?.cancel()
    if (!isSourceOpen) return
    if (error != null && response.headersSent) log(error)
    if (!destroyStream(payload)) reply.log.warn('stream payload does not end properly')
  })

  const length = reply.getHeader('content-length')
  pump(payload, response, {
    length: length === undefined ? undefined : Number(length),
    begin() {
      if (response.headersSent) reply.log.warn("response will send, but you shouldn't use res.writeHead in stream mode")
      else writeHead(reply, response.statusCode)
    },
    end() {
      if (trailers === null) response.end()
      else sendTrailers(reply, trailers, null)
    },
    fail(error) {
      if (!response.headersSent) return fail(reply, error)
      log(error)
      cut(response)
    },
  })
}

interface Pumping {
  /** bytes, where they were stated */
  readonly length: number | undefined
  /** Called before the first byte: until then a failure can be answered. */
  readonly begin: () => void
  /** Called after the last byte. */
  readonly end: () => void
  readonly fail: (error: Error) => void
}

/**
 * `pipe`, but for what it does with a chunk that is no bytes (the response throws, in an event that nobody can catch), and with a body
 * of another length than was stated: it would run into the next reply, or keep the client waiting for the rest.
 */
function pump(source: Readable, response: ServerResponse, { length, begin, end, fail }: Pumping): void {
  if (typeof source.pause !== 'function' || typeof source.resume !== 'function') {
    begin()
    source.pipe(response, { end: false })
    source.on('end', end)
    return
  }
  let sent = 0
  let hasBegun = false
  response.on('drain', () => source.resume())
  source.on('data', (chunk) => {
    // A chunk that failed leaves a hole: nothing follows it.
    if (response.destroyed || source.destroyed) return
    try {
      if (length !== undefined) {
        sent += Buffer.byteLength(chunk)
        if (sent > length) throw new errorCodes.ALC_ERR_REP_LENGTH_MISMATCH(length, sent)
      }
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof chunk)
      if (!hasBegun) begin()
      hasBegun = true
      if (!response.write(chunk)) source.pause()
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
