/** HTTP/2: the stream of a request or response, the streams of a session, and which of these streams wait for their clients. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { loadHttp2 } from '../util/node/modules.js'
import type { ErrorFormat } from './error-payload.js'
import { validateHeader, validateHeaders } from './headers.js'

/**
 * The error code `CANCEL`, with which a stream of HTTP/2 is cancelled (RFC 9113 §7). Node's module has this constant too, but is loaded
 * only if HTTP/2 is used.
 */
export const CANCEL = 8

/** The error code with which nghttp2 closes a stream whose headers are too large. */
const ENHANCE_YOUR_CALM = 11

/** The bytes that each header counts beside its name and value (RFC 9113 §6.5.2). */
const HEADER_OVERHEAD = 32

/**
 * A request of HTTP/1 or HTTP/2, as listeners of Node's servers get it. A request of HTTP/1 has no `stream`, even if its client wrote
 * `HTTP/2.0`.
 */
export type MaybeHttp2Request = IncomingMessage & { readonly stream?: Http2ServerRequest['stream'] }
/** A response of HTTP/1 or HTTP/2, as listeners of Node's servers get it. A response of HTTP/1 has no `stream`. */
export type MaybeHttp2Response = ServerResponse & { readonly stream?: ServerHttp2Stream }

/**
 * Whether a request came over HTTP/2 and may have a body that its headers do not announce. Over HTTP/2 a body needs no `content-length`:
 * only DATA frames show that there is a body, unless the stream ended with the headers.
 */
export function mayHaveHttp2Body(raw: MaybeHttp2Request): boolean {
  if (raw.httpVersionMajor !== 2) return false
  const { stream } = raw
  return stream !== undefined && !stream.endAfterHeaders
}

/**
 * Calls back if the client of a request over HTTP/2 leaves before it has sent the whole body. Node then ends the stream of the request as if
 * the body were complete. Does nothing for a request of HTTP/1.
 */
export function onBodyCut({ stream }: MaybeHttp2Request, call: () => void): void {
  // The event comes before Node ends the stream. No public property tells whether the body has ended by itself.
  stream?.once('aborted', () => {
    if ((stream as { readonly _readableState?: { readonly ended: boolean } })._readableState?.ended !== true) call()
  })
}

type ResponseClass = new (...parameters: any[]) => Http2ServerResponse
let checkedClass: ResponseClass | undefined

/** Returns Node's class of responses of HTTP/2, extended so that a line break in any header is refused, as in Node's class for HTTP/1. */
export function checkedHttp2Response(): ResponseClass {
  return (checkedClass ??= createCheckedClass())
}

function createCheckedClass(): ResponseClass {
  return class CheckedHttp2Response extends loadHttp2().Http2ServerResponse {
    override setHeader(name: string, value: any): void {
      validateHeader(name, value)
      super.setHeader(name, value)
    }
    override appendHeader(name: string, value: any): void {
      validateHeader(name, value)
      super.appendHeader(name, value)
    }
    /** Sets a trailer after its name and value were checked. `addTrailers` calls this method too. */
    setTrailer(name: string, value: any): void {
      validateHeader(name, value)
      // @ts-expect-error Node's types do not declare it.
      super.setTrailer(name, value)
    }
    override writeEarlyHints(hints: any): void {
      validateHeaders(hints ?? {})
      return super.writeEarlyHints(hints)
    }
    override writeHead(status: number, ...args: any[]): this {
      const headers: unknown = args.at(-1)
      if (Array.isArray(headers)) {
        const fields: unknown[] = headers.flat()
        for (let index = 0; index < fields.length; index += 2) validateHeader(fields[index] as string, fields[index + 1])
      } else if (typeof headers === 'object' && headers !== null) validateHeaders(headers)
      return super.writeHead(status, ...args)
    }
  }
}

/** The open streams of a session of HTTP/2, and how many bytes of acknowledgements the session has sent. */
interface SeenSession {
  readonly open: Set<ServerHttp2Stream>
  /** Bytes of the acknowledgements that the session has sent while it had streams. */
  acknowledged: number
  isCounting: boolean
}

/** The open streams and counts of each session for which {@link openStreams} was called. */
const seenSessions = new WeakMap<ServerHttp2Session, SeenSession>()

/**
 * Returns the open streams of a session. The first call must come before the session's first stream: from that call on, streams and the
 * bytes of acknowledgements are counted.
 */
export function openStreams(session: ServerHttp2Session): ReadonlySet<ServerHttp2Stream> {
  let seen = seenSessions.get(session)
  if (seen === undefined) {
    seenSessions.set(session, (seen = { open: new Set(), acknowledged: 0, isCounting: false }))
    const known = seen
    session.on('stream', (stream) => {
      known.open.add(stream)
      stream.once('close', () => known.open.delete(stream))
      if (known.isCounting) return
      known.isCounting = true
      session.on('ping', countPing).on('remoteSettings', countSettings)
    })
  }
  return seen.open
}

/**
 * Bytes of the frame that acknowledges a PING frame (RFC 9113 §6.7). The constant below: bytes of the frame that acknowledges a SETTINGS
 * frame (§6.5).
 */
const PING_LENGTH = 17
const SETTINGS_LENGTH = 9

function countPing(this: ServerHttp2Session): void {
  countAcknowledgement(this, PING_LENGTH)
}

function countSettings(this: ServerHttp2Session): void {
  countAcknowledgement(this, SETTINGS_LENGTH)
}

function countAcknowledgement(session: ServerHttp2Session, length: number): void {
  const seen = seenSessions.get(session)!
  seen.acknowledged += length
  // With a listener, Node takes each of these frames for activity: a session without streams would never be idle.
  if (seen.open.size > 0) return
  seen.isCounting = false
  session.off('ping', countPing).off('remoteSettings', countSettings)
}

/**
 * Returns how many bytes of acknowledgements a session has sent while it had streams. A client can cause any number of acknowledgements
 * without taking its replies.
 */
export function acknowledgedBytes(session: ServerHttp2Session): number {
  return seenSessions.get(session)?.acknowledged ?? 0
}

/**
 * Closes the stream of a request whose headers exceed the limit of its session, if the client has not acknowledged the settings of the
 * session yet. nghttp2 keeps to this setting only after the acknowledgement, which a client can omit.
 * @param findLimit returns the limit, in bytes
 * @returns whether the stream was closed
 */
export function refuseLongHeaders({ stream, rawHeaders }: MaybeHttp2Request, findLimit: () => number): boolean {
  if (stream?.session?.pendingSettingsAck !== true) return false
  let size = (rawHeaders.length / 2) * HEADER_OVERHEAD
  for (const text of rawHeaders) size += text.length
  if (size <= findLimit()) return false
  stream.close(ENHANCE_YOUR_CALM)
  return true
}

/**
 * Bytes of one piece of a reply over HTTP/2: one frame. A reply is written to its stream in such pieces, so that the server sees when a
 * client takes a part of the reply.
 */
export const PIECE_LENGTH = 16_384

/** The field of a stream that counts the pieces which were written to it. */
const kPieces = Symbol('alcove.pieces')

type PacedStream = ServerHttp2Stream & { [kPieces]?: number; _writev?: unknown }

/**
 * Writes a chunk of a reply to a stream of HTTP/2, in pieces of {@link PIECE_LENGTH} bytes.
 * @returns whether the stream has room for more
 */
export function writePieces(response: MaybeHttp2Response, chunk: string | Uint8Array): boolean {
  const stream: PacedStream = response.stream!
  // Node writes all that waits as one piece, if the stream can: nothing would be known to be taken before all of it is.
  if (stream[kPieces] === undefined) stream._writev = undefined
  stream[kPieces] = (stream[kPieces] ?? 0) + 1
  if (chunk.length <= PIECE_LENGTH) return response.write(chunk)
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  let hasRoom = false
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) hasRoom = response.write(bytes.subarray(at, at + PIECE_LENGTH))
  return hasRoom
}

/**
 * Returns a text that changes whenever the client takes more of a reply that {@link writePieces} writes; `undefined` if no bytes of the
 * reply wait, or if the application writes the reply itself.
 */
export function progressOf(stream: PacedStream): string | undefined {
  return stream[kPieces] !== undefined && hasUnsentData(stream) ? `${stream[kPieces]} ${stream.bufferSize}` : undefined
}

/** Whether bytes of a reply over HTTP/2 still wait for the client to take them. */
export function hasUnsentData(stream: ServerHttp2Stream): boolean {
  return stream.writableLength > 0 || (stream.writableEnded && !stream.writableFinished)
}

/**
 * Whether the server waits for more of the body of a request over HTTP/2. If nothing has started to read the body, the server does not
 * wait.
 */
export function isStreamReading(stream: ServerHttp2Stream): boolean {
  return stream.state.remoteClose === 0 && stream.readableFlowing !== null && stream.readableLength < stream.readableHighWaterMark
}

/** Whether a stream of HTTP/2 can only go on if its client sends more of the request body, or takes more of the reply. */
export function isStreamWaiting(stream: ServerHttp2Stream): boolean {
  return isStreamReading(stream) || stream.writableEnded || stream.writableNeedDrain
}

/**
 * Ends a session in which nothing was sent or received for some time, unless a handler still works on one of its streams: then the time
 * begins again.
 * @param timeout ms
 */
export function endWhenIdle(session: ServerHttp2Session, timeout: number): void {
  const streams = openStreams(session)
  session.setTimeout(timeout)
  session.on('timeout', () => {
    if (![...streams].every(isStreamWaiting)) return void session.setTimeout(timeout)
    session.close()
    if (!session.destroyed) session.destroy()
  })
}

/**
 * Makes a listener that ends each stream whose request has not arrived as a whole within a time: with status 408, or by cancelling the
 * stream if its reply has begun. Node limits this time for HTTP/1 only.
 * @param timeout ms
 */
export function limitRequestTime(timeout: number, errorFormat: () => ErrorFormat): (stream: ServerHttp2Stream) => void {
  return (stream) => {
    if (stream.endAfterHeaders) return
    const timer = setTimeout(() => {
      if (stream.destroyed || stream.state.remoteClose === 1) return
      if (stream.headersSent) return stream.close(CANCEL)
      const { payload, mediaType } = errorFormat()
      stream.respond({ ':status': 408, 'content-type': mediaType })
      stream.end(JSON.stringify(payload({ statusCode: 408, message: 'Client Timeout' })))
      stream.once('finish', () => stream.close(CANCEL))
    }, timeout).unref()
    stream.once('close', () => clearTimeout(timer))
  }
}

/** The first version of nghttp2, Node's implementation of HTTP/2, that has no CVE-2026-27135. Node 20 has an older version. */
const SAFE_NGHTTP2 = [1, 68, 1] as const

/**
 * Returns the reason why HTTP/2 is unsafe in this Node (certain frames of a client end the process, before any of our code sees them), or
 * `undefined` if HTTP/2 is safe.
 * @param version the version of nghttp2, Node's implementation of HTTP/2
 */
export function findHttp2Fault(version: string | undefined = process.versions['nghttp2']): string | undefined {
  if (version === undefined) return undefined
  const numbers = version.split('.').map(Number)
  const differing = SAFE_NGHTTP2.findIndex((number, index) => number !== numbers[index])
  if (differing === -1 || numbers[differing]! > SAFE_NGHTTP2[differing]!) return undefined
  return `HTTP/2 of this Node (nghttp2 ${version}) has CVE-2026-27135: a client can end the process. Use a Node with nghttp2 1.68.1 or later, such as 22.23.`
}
