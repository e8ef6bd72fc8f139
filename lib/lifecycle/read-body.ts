/** Reads the body of a request: finds out whether there is one and which parser reads it, and collects its bytes up to their limit. */
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { BodyParser } from '../context/body-parsers.js'
import { errorCodes } from '../errors/codes.js'
import { HttpError } from '../errors/http-error.js'
import { isRepeated } from '../http/headers.js'
import { mayHaveHttp2Body, onBodyCut } from '../http/http2.js'
import { type BodySink, LazyIncomingMessage } from '../http/incoming-message.js'
import { readMediaType } from '../http/media-type.js'
import { WebRequest } from '../http/web/request.js'
import type { ContentTypeParser, Request } from '../types/request.js'
import { ChunkList } from '../util/chunk-list.js'
import { deleteProtoKey } from '../util/delete-proto-key.js'
import { ignoreIfPromise } from '../util/promises.js'
import { shorten } from '../util/shorten.js'
import { keepAsyncContext, runInContextOf } from './async-context.js'
import type { Exchange } from './exchange.js'
import { beginWork, endWork } from './ending/pending-work.js'
import { closeIfHalfRead } from './ending/unread-body.js'

/**
 * A function that is called with the parsed body or an error. It is called once more if a parser has taken the body as a stream and the
 * stream exceeds its limit later. `closesConnection` is `true` if the rest of the body was not read.
 */
type BodyEnd = (error: unknown, body: unknown, closesConnection?: boolean) => void

/**
 * A function that is called once with the bytes of a body, or with an error. `closesConnection` is `true` if the rest of the body was not
 * read.
 */
type BytesEnd = (error: unknown, bytes?: Buffer, closesConnection?: boolean) => void

/**
 * Whether the body of a request is to be parsed.
 * @returns `undefined` if only the first bytes of an HTTP/2 stream can tell whether there is a body (see {@link awaitBody})
 */
export function hasBodyToParse({ request: { method, raw }, route }: Exchange): boolean | undefined {
  const reading = route.body.readings[method]
  if (reading === undefined || reading === 'never') return false
  const { headers } = raw
  const isTyped = headers['content-type'] !== undefined
  if (reading === 'required' || (isTyped && reading === 'always')) return true
  if (!isTyped && reading === 'typed') return false
  const length = headers['content-length']
  if (headers['transfer-encoding'] !== undefined || (length !== undefined && (isTyped || length !== '0'))) return true
  return mayHaveHttp2Body(raw) ? undefined : false
}

/**
 * Waits for the first bytes of a body or for its end, then calls `end` with whether there is a body, in the async context of the request.
 * The bytes stay in the stream.
 */
export function awaitBody(exchange: Exchange, end: (error: unknown, isThere: boolean) => void): void {
  const { raw } = exchange.request
  keepAsyncContext(exchange)
  const onReadable = (): void => {
    raw.off('readable', onReadable).off('end', onReadable).off('close', onReadable)
    if (raw.readableLength > 0) return runInContextOf(exchange, end, null, true)
    // A stream that its client resets ends first and reports the reset afterwards.
    setImmediate(() => runInContextOf(exchange, end, raw.aborted ? new HttpError(400, 'aborted') : null, false))
  }
  // If the end of the body came first, no event `readable` follows.
  raw.on('readable', onReadable).on('end', onReadable).on('close', onReadable)
}

/**
 * Reads and parses the body of a request, then calls `end` in the async context of the request.
 *
 * The error is ALC_ERR_CTP_INVALID_MEDIA_TYPE if no parser may read the body, unless no route was found: then there is no body. Other
 * errors are ALC_ERR_ROUTE_MISSING_CONTENT_TYPE, ALC_ERR_CTP_UNSUPPORTED_ENCODING, ALC_ERR_CTP_BODY_TOO_LARGE,
 * ALC_ERR_CTP_INVALID_CONTENT_LENGTH, ALC_ERR_CTP_INVALID_UTF8, and the error of the parser.
 */
export function parseBody(exchange: Exchange, end: BodyEnd): void {
  const { request, route, payloadStream: stream } = exchange
  const parser = findParser(exchange)
  if (lacksMediaType(exchange)) return end(new errorCodes.ALC_ERR_ROUTE_MISSING_CONTENT_TYPE(request.method), undefined)
  if (parser === undefined) {
    if (request.is404) return end(null, request.body)
    return end(refuseMediaType(exchange), undefined)
  }
  const { raw } = request
  const coding = raw.headers['content-encoding']
  // Without a preParsing hook that decodes the body, the parser would get the encoded bytes.
  if (coding !== undefined && parser.parseAs !== undefined && stream === raw && !isIdentity(coding))
    return end(new errorCodes.ALC_ERR_CTP_UNSUPPORTED_ENCODING(coding), undefined)
  if (!isReadable(stream)) return end(new TypeError('a preParsing hook must return a stream'), undefined)
  if (route.runsBeforeBody || exchange.asyncContext === undefined) keepAsyncContext(exchange)
  readWith(parser, exchange, stream, end)
}

/**
 * Whether a parser has left the body of a request to hooks and the handler, which read it as a stream: `request.body` says nothing of its
 * content.
 */
export function isBodyLeftUnread(exchange: Exchange): boolean {
  if (exchange.request.body !== undefined || hasBodyToParse(exchange) === false) return false
  const parser = findParser(exchange)
  return parser !== undefined && parser.parseAs === undefined
}

/**
 * Whether a request lacks the media type that its method requires: a QUERY without a media type must fail (RFC 10008 §2), even if there is
 * a parser for `*`. A request for an unknown path never fails here, so that it gets a 404.
 */
function lacksMediaType({ request, route }: Exchange): boolean {
  const { headers } = request.raw
  return headers['content-type'] === undefined && route.body.readings[request.method] === 'required' && !request.is404
}

function findParser({ request: { raw }, route }: Exchange): BodyParser | undefined {
  const contentType = raw.headers['content-type']
  const { parsers, covers } = route.body
  // A repeated Content-Type is treated as invalid.
  if (contentType !== undefined && isRepeated(raw.rawHeaders, 'content-type')) return undefined
  const parser = parsers.find(contentType)
  if (covers === undefined || parser === undefined) return parser
  // A media type that the body schema does not cover is refused before the body is read. If the schema were skipped because of a header,
  // any body would get through (CVE-2025-32442).
  return covers(readMediaType(contentType), parser) ? parser : undefined
}

/**
 * Makes the error for a body that no parser may read. If a parser exists, but the body schema does not cover the media type, the error has
 * a `cure` for the log: a sentence that tells how to make the schema cover it.
 */
function refuseMediaType({ request, route }: Exchange): Error {
  const contentType = request.raw.headers['content-type']
  const error = new errorCodes.ALC_ERR_CTP_INVALID_MEDIA_TYPE(contentType)
  const essence = readMediaType(contentType)
  if (essence === undefined || route.body.parsers.find(contentType) === undefined) return error
  const type = shorten(essence)
  const cure = `The body schema of the route is not for ${type}. To validate such bodies by it, write consumes: ['${type}'] in the schema.`
  return Object.assign(error, { cure })
}

/** Whether a value is a stream. A preParsing hook may pass on any value as the stream. */
export function isReadable(value: unknown): value is Readable {
  return typeof (value as Readable | undefined)?.on === 'function'
}

function isIdentity(coding: string): boolean {
  return coding === '' || coding.toLowerCase() === 'identity'
}

function readWith(parser: BodyParser, exchange: Exchange, stream: Readable, end: BodyEnd): void {
  const { request, route } = exchange
  let hasEnded = false
  let isCut = false
  const isHttp2 = request.raw.httpVersionMajor === 2
  if (isHttp2) onBodyCut(request.raw, () => (isCut = true))
  const finish: BodyEnd = (error, body, closesConnection) => {
    if (hasEnded) return
    hasEnded = true
    if (isCut) runInContextOf(exchange, end, new HttpError(400, 'aborted'), undefined, closesConnection)
    else runInContextOf(exchange, end, error, body, closesConnection)
  }
  // The client left while a hook was running. The stream will emit no further event; over HTTP/2 it ends as if the body were complete.
  if (stream.destroyed || (isHttp2 && request.raw.aborted))
    return finish(asClientError(stream.errored ?? new HttpError(400, 'aborted')), undefined)
  const limit = route.body.limit ?? parser.bodyLimit
  // The client is about to send bytes that will not be read, so its connection cannot serve another request.
  if ((declaredLength(request) ?? 0) > limit) return finish(new errorCodes.ALC_ERR_CTP_BODY_TOO_LARGE(), undefined, true)
  if (parser.parseAs === undefined) {
    if (limit !== Infinity) limitStream(stream, request, limit, (error) => runInContextOf(exchange, end, error, undefined, true))
    closeIfHalfRead(exchange)
    return runParser(parser.parse, exchange, stream, finish)
  }
  readBytes(stream, request, limit, (error, bytes, closesConnection) => {
    if (error != null) return finish(error, undefined, closesConnection)
    const isText = parser.parseAs === 'string'
    if (isText && !isUtf8(bytes!)) return finish(new errorCodes.ALC_ERR_CTP_INVALID_UTF8(), undefined)
    runInContextOf(exchange, runParser, parser.parse, exchange, isText ? bytes!.toString('utf8') : bytes, finish)
  })
}

function runParser(parse: ContentTypeParser, exchange: Exchange, payload: unknown, finish: BodyEnd): void {
  // The JSON parser has looked for `__proto__` itself, and its objects inherit from Object. Parsed form fields inherit from nothing.
  const done = (error?: unknown, body?: unknown): void => {
    noteParsed(exchange)
    if (ignoreIfPromise(body))
      finish(new TypeError('a content type parser must not pass a promise to done: return the promise instead'), undefined)
    else finish(error, body instanceof Object ? body : deleteProtoKey(body))
  }
  const fail = (error: unknown): void => {
    noteParsed(exchange)
    finish(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR(), undefined)
  }
  exchange.waitsFor = 'parser'
  let result: any
  try {
    result = parse(exchange.request, payload, done)
  } catch (error) {
    return fail(error)
  }
  if (result == null || typeof result.then !== 'function') return
  beginWork(exchange)
  result.then(
    (body: unknown) => {
      done(null, body)
      endWork(exchange)
    },
    (error: unknown) => {
      fail(error)
      endWork(exchange)
    },
  )
}

/** Notes that the request no longer waits for its body parser. */
function noteParsed(exchange: Exchange): void {
  if (exchange.waitsFor === 'parser') exchange.waitsFor = undefined
}

function declaredLength({ headers }: Request): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/**
 * Makes a stream fail when more bytes arrive than its limit. The bytes are counted where the source adds them to the stream, because any
 * code may read the stream: the parser, or much later a handler, which may also read `request.raw`.
 */
function limitStream(stream: Readable, { raw }: Request, limit: number, onOver: (error: unknown) => void): void {
  let received = stream.readableLength
  let isOver = false
  const { push } = stream
  const check = (): boolean => {
    if (received <= limit || isOver) return isOver
    isOver = true
    const error = new errorCodes.ALC_ERR_CTP_BODY_TOO_LARGE()
    // Node would destroy the connection together with the request, and with it the reply.
    if (stream === raw) stream._destroy = (failure, done) => done(failure)
    stream.on('error', () => {})
    stream.destroy(error)
    onOver(error)
    return true
  }
  stream.push = (chunk, encoding) => {
    if (chunk != null) received += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length
    // The rest is dropped until the connection closes. Over HTTP/2 the client may not send it.
    return check() ? raw.httpVersionMajor !== 2 : push.call(stream, chunk, encoding)
  }
  if (received > limit) process.nextTick(check)
}

function readBytes(
  stream: Readable & { receivedEncodedLength?: number },
  request: Request,
  /** The most bytes that the body may have. */
  limit: number,
  end: BytesEnd,
): void {
  const body = new WholeBody(stream, declaredLength(request), limit, end)
  if ((stream instanceof LazyIncomingMessage || stream instanceof WebRequest) && stream.sinkInto(body)) return
  const onData = (data: Buffer | string): void => {
    body.onData(typeof data === 'string' ? Buffer.from(data, stream.readableEncoding ?? undefined) : data)
    // Stops the source of further bytes: a hook that decompresses, or a client of HTTP/2.
    if (body.isOver) stream.off('data', onData).pause()
  }
  stream.on('data', onData)
  stream.on('end', () => body.onEnd())
  // This listener stays after the end of the body: an error without a listener would end the process.
  stream.on('error', (error) => body.onError(error))
  stream.resume()
}

/** A sink that collects the bytes of a body, up to its limit. */
class WholeBody implements BodySink {
  private readonly stream: { receivedEncodedLength?: number }
  private readonly declared: number | undefined
  private readonly limit: number
  private readonly end: BytesEnd
  private readonly bytes = new ChunkList()
  isOver = false

  /** Makes an empty collector. @param declared bytes that `content-length` states @param limit the most bytes that the body may have */
  constructor(stream: { receivedEncodedLength?: number }, declared: number | undefined, limit: number, end: BytesEnd) {
    this.stream = stream
    this.declared = declared
    this.limit = limit
    this.end = end
  }

  onData(chunk: Buffer): void {
    if (this.isOver) return
    // If a preParsing hook decompresses, the limit applies to the bytes before and after decompression.
    if (this.bytes.length + chunk.length > this.limit || (this.stream.receivedEncodedLength ?? 0) > this.limit) {
      this.isOver = true
      return this.end(new errorCodes.ALC_ERR_CTP_BODY_TOO_LARGE(), undefined, true)
    }
    this.bytes.add(chunk)
  }

  onEnd(): void {
    if (this.isOver) return
    this.isOver = true
    if (this.declared !== undefined && (this.stream.receivedEncodedLength || this.bytes.length) !== this.declared) {
      return this.end(new errorCodes.ALC_ERR_CTP_INVALID_CONTENT_LENGTH(), undefined, true)
    }
    this.end(null, this.bytes.toBuffer())
  }

  onError(error: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.end(error == null ? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR() : asClientError(error))
  }
}

/**
 * Gives an error that occurred while a body was read the status 400, unless the error has a status of 400 or above.
 * @returns the error, or a new one if it cannot be changed
 */
function asClientError(error: any): unknown {
  try {
    if (!(typeof error.statusCode === 'number' && error.statusCode >= 400)) error.statusCode = 400
    return error
  } catch {
    // A string, or a frozen error.
    return new HttpError(400, undefined, { cause: error })
  }
}
