/**
 * `compression`: an onSend hook that sends replies in the content coding that the client prefers (RFC 9110 §8.4, §12.5.3). Contexts without the
 * hook pay nothing for it.
 */
import type { Transform } from 'node:stream'
import { pipeline, Readable } from 'node:stream'
import { errorCodes } from '../../errors/codes.js'
import { addVary } from '../../http/headers.js'
import { isResponse, isStream, isWebStream } from '../../http/payload.js'
import type { Reply } from '../../types/reply.js'
import type { Request } from '../../types/request.js'
import { assertKnownOptions } from '../../util/nearest-name.js'
import { loadZlib } from '../../util/node/modules.js'

/** A content coding that {@link compression} can use. `zstd` needs Node 22.15 or newer. */
export type Coding = 'br' | 'gzip' | 'zstd'

/** The options of {@link compression}. */
export interface CompressionOptions {
  /** The fewest bytes that a reply must have to be compressed. A stream is compressed whatever its length. Default 1024. */
  readonly threshold?: number
  /**
   * The codings that may be used. If a client prefers several equally, the first of them in this list is used. Default `['br', 'gzip']`.
   */
  readonly codings?: readonly Coding[]
  /**
   * The pattern of the media types that are compressed. It is matched against the type in lower case and without parameters. Default: text,
   * JSON, JSON Lines, XML, JavaScript, SVG …
   */
  readonly types?: RegExp
}

const COMPRESSIBLE =
  /^(?:text\/.+|application\/(?:json|jsonl|x-ndjson|xml|javascript|wasm|.+\+json|.+\+xml)|image\/svg\+xml|font\/(?:ttf|otf)|.+\+text)$/

interface Compressor {
  /** Compresses bytes in a thread of Node's pool. */
  readonly whole: (bytes: Buffer, done: (error: Error | null, result: Buffer) => void) => void
  readonly stream: () => Transform & { flush(kind: number): void }
  /** The kind of flush after which a client can decode everything that it has received. */
  readonly flushKind: number
}

/**
 * Makes an onSend hook that compresses replies. It belongs last among the onSend hooks of its context.
 * ```ts
 * @Plugin({ hooks: { onSend: compression() } }) // this context and below; compression({ threshold: 4096 })
 * class App {}
 * server.addHook('onSend', compression()) // the same without classes
 * ```
 * The hook chooses the coding by the weights in `Accept-Encoding`, and sets `Vary`, also for a 304. A strong `ETag` becomes a weak one, because the bytes
 * are no longer the same. Streams are compressed piece by piece: as soon as the source of a stream pauses, the client gets everything up to
 * there.
 *
 * Not compressed are replies that are encoded already, have `Cache-Control: no-transform`, are a range of bytes or may be requested by
 * range (`Content-Range`, `Accept-Ranges`), are shorter than the threshold, or have another media type; and a payload that is a `Response`.
 * @throws TypeError for an unknown option, a value that is not valid, and a coding that this Node does not have
 */
export function compression(options: CompressionOptions = {}): CompressionHook {
  const { threshold = 1024, codings = ['br', 'gzip'], types = COMPRESSIBLE } = options
  assertOptions(options)
  const compressors = new Map(codings.map((coding) => [coding, createCompressor(coding)]))
  return function compress(request, reply, payload, done) {
    // A 304 must have the `Vary` of the reply with 200 (RFC 9110 §15.4.5). The media type of that reply is no longer known.
    if (reply.raw.statusCode === 304 && mayBeCoded(reply)) {
      addVary(reply, 'Accept-Encoding')
      keepWeakness(request, reply)
    }
    if (!isCompressible(reply, payload, threshold, types)) return done(null, payload)
    // Also if the reply is not compressed for this client.
    addVary(reply, 'Accept-Encoding')
    const coding = chooseCoding(request.raw.headers['accept-encoding'], codings)
    if (coding === undefined) return done(null, payload)
    const compressor = compressors.get(coding)!
    if (typeof payload === 'string' || ArrayBuffer.isView(payload)) {
      compressor.whole(bytesOf(payload), (error, result) => {
        if (error !== null) return done(error)
        setHeaders(reply, coding)
        done(null, result)
      })
      return
    }
    const length = readLength(reply)
    setHeaders(reply, coding)
    done(
      null,
      compressStream(isWebStream(payload) ? Readable.fromWeb(payload as never, { highWaterMark: 0 }) : payload, compressor, length),
    )
  }
}

/** The hook that {@link compression} makes. */
export type CompressionHook = (
  request: Request,
  reply: Reply<any, any>,
  payload: any,
  done: (error: Error | null, payload?: unknown) => void,
) => void

function assertOptions(options: CompressionOptions): void {
  assertKnownOptions('compression(…)', options, ['threshold', 'codings', 'types'])
  const { threshold, codings, types } = options
  if (threshold !== undefined && !(Number.isInteger(threshold) && threshold >= 0))
    throw new TypeError(`compression(…): threshold must be a whole number of bytes, got ${String(threshold)}`)
  if (types !== undefined && !(types instanceof RegExp)) throw new TypeError('compression(…): types must be a regular expression')
  if (codings !== undefined && !(Array.isArray(codings) && codings.length > 0))
    throw new TypeError("compression(…): codings must be a list, such as ['br', 'gzip']")
}

function createCompressor(coding: Coding): Compressor {
  const zlib = loadZlib()
  const { constants } = zlib
  // The best quality of Brotli (11, the default) takes a hundred times as long as this one, for files that are compressed once.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  if (coding === 'br')
    return {
      whole: (bytes, done) => zlib.brotliCompress(bytes, brotli, done),
      stream: () => zlib.createBrotliCompress(brotli),
      flushKind: constants.BROTLI_OPERATION_FLUSH,
    }
  if (coding === 'gzip')
    return {
      whole: (bytes, done) => zlib.gzip(bytes, done),
      stream: () => zlib.createGzip(),
      flushKind: constants.Z_SYNC_FLUSH,
    }
  if (coding !== 'zstd') throw new TypeError(`compression(…) has no coding '${String(coding)}'. Its codings are: br, gzip, zstd.`)
  // Older lines of Node lack it, and their types too.
  const create: (() => ReturnType<Compressor['stream']>) | undefined = Reflect.get(zlib, 'createZstdCompress')
  const compress: Compressor['whole'] = Reflect.get(zlib, 'zstdCompress')
  if (create === undefined) throw new TypeError(`compression(…): zstd needs Node 22.15 or newer, this is ${process.version}.`)
  return {
    whole: compress,
    stream: create,
    flushKind: Reflect.get(constants, 'ZSTD_e_flush') as number,
  }
}

function isCompressible(reply: Reply<any, any>, payload: any, threshold: number, types: RegExp): boolean {
  if (payload == null || isResponse(payload) || reply.raw.statusCode === 206) return false
  if (typeof payload === 'string' || ArrayBuffer.isView(payload)) {
    if ((typeof payload === 'string' ? Buffer.byteLength(payload) : payload.byteLength) < threshold) return false
  } else if (!isStream(payload) && !isWebStream(payload)) return false
  if (!mayBeCoded(reply)) return false
  const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';')
  return types.test(type.trim().toLowerCase())
}

/** Whether the headers of a reply allow a content coding. */
function mayBeCoded(reply: Reply<any, any>): boolean {
  for (const name of ['content-encoding', 'content-range', 'accept-ranges']) if (reply.getHeader(name) !== undefined) return false
  return !/\bno-transform\b/i.test(String(reply.getHeader('cache-control')))
}

function bytesOf(payload: string | ArrayBufferView): Buffer {
  return typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}

function setHeaders(reply: Reply<any, any>, coding: Coding): void {
  reply.header('content-encoding', coding).removeHeader('content-length')
  const etag = reply.getHeader('etag')
  if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`)
}

/** Returns the length that the application states for a stream, in bytes; `undefined` if it states none. */
function readLength(reply: Reply<any, any>): number | undefined {
  const length = String(reply.getHeader('content-length') ?? '')
  return /^\d+$/.test(length) ? Number(length) : undefined
}

/**
 * Makes the tag of a 304 weak if the client has the bytes under the weak tag, which it got with a compressed reply. A cache finds the bytes
 * that a 304 stands for by the same tag (RFC 9111 §4.3.4).
 */
function keepWeakness(request: Request, reply: Reply<any, any>): void {
  const etag: unknown = reply.getHeader('etag')
  if (typeof etag === 'string' && etag.startsWith('"') && request.raw.headers['if-none-match']?.includes(`W/${etag}`))
    reply.header('etag', `W/${etag}`)
}

/**
 * Returns the coding to which a client gives the highest weight; of several equal ones, the first in `codings`. `undefined`: the reply is
 * not compressed.
 */
function chooseCoding(header: string | string[] | undefined, codings: readonly Coding[]): Coding | undefined {
  if (header === undefined) return undefined
  const weights = new Map<string, number>()
  for (const entry of String(header).toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (weight === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight))
      weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 1))
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  let best: Coding | undefined
  // A client that prefers the bytes as they are gets them.
  let most = weights.get('identity') ?? 0
  for (const coding of codings) {
    const weight = weightOf(coding)
    if (weight > most || (weight === most && weight > 0 && best === undefined)) {
      best = coding
      most = weight
    }
  }
  return best
}

/**
 * Compresses a stream. If the source of the stream pauses, the bytes so far are flushed, so that a client need not wait until the
 * compressor has a full block. The reply fails if the stream has another length than the application states: the client gets another
 * length, and could not tell half a file from the whole.
 */
function compressStream(source: Readable, { stream, flushKind }: Compressor, length: number | undefined): Transform {
  const compressor = stream()
  if (length !== undefined) assertLength(source, compressor, length)
  // The reply reports the errors of the compressor, which has those of the source too.
  pipeline(source, compressor, () => {})
  let isFlushDue = false
  source.on('data', () => {
    if (isFlushDue) return
    isFlushDue = true
    setImmediate(() => {
      isFlushDue = false
      if (!compressor.writableEnded && !compressor.destroyed) compressor.flush(flushKind)
    })
  })
  return compressor
}

function assertLength(source: Readable, compressor: Transform, length: number): void {
  let sent = 0
  const fail = (): void => void compressor.destroy(new errorCodes.ALC_ERR_REP_LENGTH_MISMATCH(length, sent))
  source.on('data', (chunk: unknown) => {
    // The compressor refuses other chunks.
    if (typeof chunk === 'string' || ArrayBuffer.isView(chunk)) sent += Buffer.byteLength(chunk as Uint8Array)
    if (sent > length) fail()
  })
  source.on('end', () => {
    if (sent < length) fail()
  })
}
