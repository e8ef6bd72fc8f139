/**
 * `sendRanges`: bytes of a known length as the reply to conditional requests (RFC 9110 §13) and to requests for a part of them (§14). Only
 * handlers that call this function use this file.
 */
import type { Readable } from 'node:stream'
import type { Reply } from '../../types/reply.js'
import type { Request } from '../../types/request.js'

/** A range of bytes. Both positions are counted from 0; `end` is the position of the last byte. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes of a known length, of which {@link sendRanges} sends all or one range. */
export interface RangeSource {
  /** The number of all bytes. */
  readonly size: number
  /** Media type of the bytes. Default: the `Content-Type` that the reply has, otherwise `application/octet-stream`. */
  readonly type?: string
  /**
   * The entity tag of this version of the bytes: `'"v1"'`, with its quotes. A weak tag, `W/"v1"`, may be shared by other versions, so it
   * does not count for `If-Range` and `If-Match`.
   */
  readonly etag?: string
  /** When the bytes were changed last. HTTP compares whole seconds. */
  readonly lastModified?: Date
  /**
   * Opens the bytes of a range, or all bytes. It is called only if bytes are sent, so not for HEAD, 304, 412 and 416. It must return
   * exactly `end - start + 1` bytes: a stream of another length makes the reply fail (ALC_ERR_REP_LENGTH_MISMATCH); if a part was already
   * sent, the connection is closed.
   */
  readonly read: (range: ByteRange) => Body | Promise<Body>
}
type Body = Readable | ReadableStream | Uint8Array

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const ENTITY_TAGS = /(?:W\/)?"[^"]*"/g

/**
 * Answers a request with bytes of a known length, such as an object of a storage or a column of a database, or with the range of them that
 * the request asks for.
 * ```ts
 * server.get('/hello', { schema: { response: rangeResponses('text/plain') } }, (_request, reply) => {
 *   const bytes = Buffer.from('Hello')
 *   const read = ({ start, end }: ByteRange) => bytes.subarray(start, end + 1) // or a stream of a storage that opens a part
 *   return sendRanges(reply, { size: bytes.length, etag: '"v1"', type: 'text/plain', read })
 * })
 * ```
 * - GET: 200 with all bytes; 206 with a part, for one range in `Range` whose `If-Range` names this version; 416 if the part does not exist.
 *   `Range` is ignored, as the RFC allows, if it is malformed, has another unit or asks for several ranges.
 * - HEAD: 200 with the length.
 * - Both: 304 by `If-None-Match` or `If-Modified-Since`, 412 by `If-Match` or `If-Unmodified-Since`.
 *
 * 304, 412 and 416 have no body; 412 and 416 have `Cache-Control: no-store`. The status and the headers of these rules replace those that
 * were set.
 * @returns a promise of the reply, for the handler to return
 * @throws TypeError if `size` is not a whole number of bytes, `etag` has no quotes, `lastModified` is not a date, or `read` returns an
 *   array of another length; whatever `read` throws
 */
export async function sendRanges<R extends Reply<any, any>>(reply: R, source: RangeSource): Promise<R> {
  const { size, type, etag, lastModified, read } = source
  assertSource(source)
  const { method, raw } = reply.request
  // The schema of the route may have removed them from the headers of the request.
  const { headers } = raw
  reply.header('accept-ranges', 'bytes')
  if (etag !== undefined) reply.header('etag', etag)
  if (lastModified !== undefined) reply.header('last-modified', lastModified.toUTCString())
  const refusal = judgeConditions(headers, source)
  if (refusal !== undefined) return end(reply, refusal)
  const range = method === 'GET' && meetsIfRange(headers, source) ? readRange(headers['range'], size) : undefined
  if (range === 'not satisfiable') return end(reply.header('content-range', `bytes */${size}`), 416)
  const { start, end: last } = range ?? { start: 0, end: size - 1 }
  // Opened before the reply says anything of the part, so that an error of `read` gets a reply of its own.
  const body = method === 'HEAD' || size === 0 ? new Uint8Array() : await read({ start, end: last })
  const length = last - start + 1
  if (ArrayBuffer.isView(body) && method !== 'HEAD' && body.byteLength !== length)
    throw new TypeError(`sendRanges: read returned ${body.byteLength} bytes instead of ${length}`)
  if (range !== undefined) reply.header('content-range', `bytes ${start}-${last}/${size}`)
  if (type !== undefined) reply.type(type)
  else if (reply.getHeader('content-type') === undefined) reply.type('application/octet-stream')
  reply.code(range === undefined ? 200 : 206).header('content-length', String(length))
  reply.send(body as never)
  return reply
}

function end<R extends Reply<any, any>>(reply: R, status: number): R {
  // A cache must not keep a refusal for clients with other conditions, however long it may keep the bytes.
  if (status !== 304) reply.header('cache-control', 'no-store')
  reply.code(status).send()
  return reply
}

function assertSource({ size, etag, lastModified }: RangeSource): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new TypeError(`sendRanges: size must be a whole number of bytes, got ${size}`)
  if (etag !== undefined && !ENTITY_TAG.test(etag)) throw new TypeError(`sendRanges: etag must be a text in quotes, '"v1"', got ${etag}`)
  if (lastModified !== undefined && Number.isNaN(lastModified.getTime())) throw new TypeError('sendRanges: lastModified is not a date')
}

type Headers = Request['headers']

/**
 * Checks the conditions of a request in the order of RFC 9110 §13.2.2. Returns the status with which the request ends; `undefined` if the
 * bytes may be sent.
 */
function judgeConditions(headers: Headers, source: RangeSource): 304 | 412 | undefined {
  const changed = source.lastModified === undefined ? undefined : secondsOf(source.lastModified)
  const match = headers['if-match']
  if (match !== undefined) {
    if (!names(match, source.etag, true)) return 412
  } else if (changed !== undefined && changed > dateOf(headers['if-unmodified-since'], Infinity)) return 412
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) return names(noneMatch, source.etag, false) ? 304 : undefined
  return changed !== undefined && changed <= dateOf(headers['if-modified-since'], -Infinity) ? 304 : undefined
}

/**
 * Whether a list of entity tags contains the tag of this version. `*` stands for every tag. With `isStrong`, weak tags never match
 * (§8.8.3.2).
 */
function names(list: string, etag: string | undefined, isStrong: boolean): boolean {
  if (list.trim() === '*') return true
  if (etag === undefined || (isStrong && etag.startsWith('W/'))) return false
  const wanted = isStrong ? etag : withoutWeakness(etag)
  return (list.match(ENTITY_TAGS) ?? []).some((tag) => (isStrong ? tag : withoutWeakness(tag)) === wanted)
}

function withoutWeakness(etag: string): string {
  return etag.replace(/^W\//, '')
}

/**
 * Whether a request may get a range instead of all bytes: without `If-Range` always, otherwise if that header names exactly this version
 * (§13.1.5).
 */
function meetsIfRange({ 'if-range': condition }: Headers, { etag, lastModified }: RangeSource): boolean {
  if (condition === undefined) return true
  const text = String(condition).trim()
  if (/^(?:W\/)?"/.test(text)) return names(text, etag, true)
  return lastModified !== undefined && dateOf(text, Number.NaN) === secondsOf(lastModified)
}

function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/** Returns an HTTP date in seconds; `otherwise` if there is no date or the date is not valid. */
function dateOf(text: string | undefined, otherwise: number): number {
  const time = text === undefined || !text.endsWith(' GMT') ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? otherwise : Math.floor(time / 1000)
}

/** Reads a header `Range` with one range of bytes. Returns `undefined` if the header is to be ignored. */
function readRange(header: string | undefined, size: number): ByteRange | 'not satisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'not satisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'not satisfiable' : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** The responses of a route that answers by {@link sendRanges}. `T` is the media type of the bytes. */
export type RangeResponses<T extends string> = {
  readonly [S in 200 | 206]: {
    readonly description: string
    readonly content: { readonly [M in T]: { readonly schema: { readonly type: 'string'; readonly format: 'binary' } } }
  }
} & { readonly [S in 304 | 412 | 416]: { readonly type: 'null'; readonly description: string } }

/** Describes the responses of a route that answers by {@link sendRanges}, for documents and clients: `{ response: rangeResponses('video/mp4') }`. */
export function rangeResponses<T extends string>(type: T): RangeResponses<T> {
  const content = { [type]: { schema: { type: 'string', format: 'binary' } } } as RangeResponses<T>[200]['content']
  const nothing = (description: string): RangeResponses<T>[304] => ({ type: 'null', description })
  return {
    200: { description: 'All bytes', content },
    206: { description: 'The part of the bytes that Range asks for', content },
    304: nothing('The client has this version'),
    412: nothing('The client has asked for another version'),
    416: nothing('There is no such part'),
  }
}
