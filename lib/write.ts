/**
 * Writing: a payload that nothing will change any more, on the wire. Status line, headers, body and trailers; strings, bytes
 * and streams.
 */
import { type ServerResponse, validateHeaderValue } from 'node:http'
import { finished, Readable } from 'node:stream'
import type { CompiledRoute } from './compiled-route.js'
import { isLastOnConnection } from './connections.js'
import type { Reply as ReplyContract, TrailerFunction } from './contract.js'
import { Deadline } from './deadline.js'
import { errorCodes } from './errors.js'
import { Phase } from './hooks.js'
import { Outgoing } from './outgoing.js'
import { kDeadline, kPhase, kReplyHeaders, kRoute, kTrailers } from './symbols.js'

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

export const isResponse = (payload: any): payload is Response => payload?.[Symbol.toStringTag] === 'Response'
export const isStream = (payload: any): payload is Readable => typeof payload.pipe === 'function'
export const isWebStream = (payload: any): payload is ReadableStream => typeof payload.getReader === 'function'

/**
 * The last step: status line, headers and body.
 * @param fail answers in the place of a stream that failed before its first byte
 * @throws ALC_ERR_BAD_STATUS_CODE, ALC_ERR_REP_…
 */
export function write(given: ReplyContract, payload: any, fail: Fail): void {
  const reply = given as Reply
  const response = reply.raw
  // A hook may have hijacked the response, or a plugin ended it.
  if (reply[kPhase] === Phase.Hijacked || response.writableEnded) return
  const headers = reply[kReplyHeaders]
  const trailers = reply[kTrailers]
  const { draining } = reply[kRoute].state
  const isHead = reply.request.method === 'HEAD'
  if (typeof payload === 'string' && !draining && trailers === null && response instanceof Outgoing && !isHead) {
    if (response.sendWhole(headers, payload, Buffer.byteLength(payload))) return reply[kDeadline]?.end()
  }
  // Requests that came before the server closed keep no connection either.
  const { raw } = reply.request
  if (draining && raw.httpVersionMajor !== 2 && isLastOnConnection(raw)) headers['connection'] = 'close'
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

  if (payload == null) {
    // RFC 9110 §8.6: no content-length where there can be no content; for HEAD it tells of what GET would send.
    const isKnownEmpty = !isHead || reply[kRoute].isHeadTwin
    if (status !== 204 && status !== 304 && isKnownEmpty && trailers === null) headers['content-length'] = '0'
    writeHead(reply, status)
    return end(reply, undefined)
  }
  if (status === 204) {
    delete headers['content-type']
    delete headers['content-length']
    discard(payload)
    writeHead(reply, status)
    return end(reply, undefined)
  }
  if (isWebStream(payload)) payload = Readable.fromWeb(payload as any)
  if (isStream(payload)) return isHead || status === 304 ? writeHeadOnly(reply, status, payload) : writeStream(reply, payload, fail)
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)

  if (trailers === null) {
    const length = Buffer.byteLength(payload)
    const declared = headers['content-length']
    if (!isHead || !declared) headers['content-length'] = String(length)
  }
  writeHead(reply, status)
  // Node drops the body of a HEAD response, injected requests do not.
  end(reply, isHead ? undefined : payload)
}

// A stream's status line is written with its first chunk, where nobody would catch what Node thinks of it.
function assertStatusLine({ statusCode, statusMessage }: ServerResponse): void {
  if (!(statusCode >= 200 && statusCode <= 999)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(statusCode)
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
  reply[kDeadline]?.end()
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
    deadline.end()
    try {
      reply.raw.addTrailers(values)
    } catch (failure) {
      reply.log.error({ err: failure }, 'the trailers could not be sent')
    }
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
    const done = (error: Error | null, value?: string): void => {
      if (isOver || pending === 0) return
      isOver = true
      if (error) reply.log.debug(error)
      else values[name] = value as string
      pending--
      if (pending === 0) finish()
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
  if (!isStream(payload)) return
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

function writeStream(reply: Reply, payload: Readable, fail: Fail): void {
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
    } else fail(reply, error)
  })

  finished(response, (error) => {
    reply[kDeadline]?.end()
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
    // A chunk that failed leaves a hole: nothing follows it.
    if (response.destroyed || source.destroyed) return
    try {
      if (!response.write(chunk)) source.pause()
    } catch (error) {
      source.destroy(error as Error)
    }
  })
  if (ends) source.on('end', () => response.end())
}
