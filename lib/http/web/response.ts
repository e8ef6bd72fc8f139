/**
 * `WebResponse`: makes a web-standard `Response` of what is written to it, with the interface of Node's responses, for `server.fetch`.
 *
 * A reply that ends in the tick in which its first bytes are written becomes a `Response` with these bytes. Any other reply becomes a
 * `Response` with a stream, which gets bytes only when the client asks for them.
 *
 * Headers that describe the connection are left out, because the runtime writes them. A `Response` has no trailers: the trailers of a reply
 * are computed, and not sent.
 */
import { EventEmitter } from 'node:events'
import { errorCodes } from '../../errors/codes.js'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from '../../util/node/modules.js'
import { kClosesAfterFinish } from '../connection.js'
import { connectionHeaders } from '../response.js'
import type { WebRequest } from './request.js'
import type { ReplyParts, StandInSocket } from './socket.js'

type HeaderValue = string | number | readonly string[]
type Callback = (error?: Error | null) => void

/** Bytes of a reply that may wait for the client before `write` returns `false`; as for Node's responses. */
const HIGH_WATER_MARK = 16_384

/** The highest status that a `Response` can have. */
const MAX_STATUS = 599

const omitted: ReadonlySet<string> = new Set([...connectionHeaders, 'trailer'])

/** The status of a `Response` to a client that has left, as nginx logs it. No client sees it. */
const CLIENT_CLOSED_REQUEST = 499

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

export class WebResponse extends EventEmitter {
  readonly req: WebRequest
  socket: StandInSocket | null
  statusCode = 200
  statusMessage: string | undefined = undefined
  /** The head as a text, as in Node's class; `null` until the head can no longer change. */
  _header: string | null = null
  shouldKeepAlive = true
  chunkedEncoding = false
  useChunkedEncodingByDefault = true
  sendDate = true
  strictContentLength = false
  finished = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  closed = false
  errored: Error | null = null
  writableNeedDrain = false
  readonly writable = true
  readonly writableHighWaterMark = HIGH_WATER_MARK
  readonly writableObjectMode = false
  readonly writableCorked = 0
  /** The status of the `Response` if the reply is destroyed before its head is sent. */
  statusIfDestroyed = 500
  /** Called once when the response is over: it was handed over as a whole, or destroyed. */
  onOver: (() => void) | undefined = undefined
  readonly #deliver: (parts: ReplyParts) => void
  readonly #headers: Record<string, HeaderValue> = Object.create(null) as Record<string, HeaderValue>
  #head: Omit<ReplyParts, 'body'> | undefined = undefined
  /** Whether the status and the method allow a body. */
  #hasBody = true
  /** The chunks that the client has not asked for yet. */
  #chunks: (string | Uint8Array)[] = []
  writableLength = 0
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined
  /** Whether the client has asked for bytes that it has not got yet. */
  #isAwaited = false
  #isStartDue = false

  constructor(req: WebRequest, deliver: (parts: ReplyParts) => void) {
    super()
    this.req = req
    this.socket = req.socket
    this.#deliver = deliver
    req.socket.response = this
  }

  get [kClosesAfterFinish](): true {
    return true
  }
  get headersSent(): boolean {
    return this._header !== null
  }
  get connection(): StandInSocket | null {
    return this.socket
  }

  setHeader(name: string, value: HeaderValue): this {
    this.#assertOpen('set')
    validateHeaderName(name)
    this.#headers[name.toLowerCase()] = validated(name, value)
    return this
  }
  setHeaders(headers: Iterable<[string, HeaderValue]>): this {
    for (const [name, value] of headers) {
      // The web's `Headers` has each cookie as an entry of its own.
      if (name.toLowerCase() === 'set-cookie') this.appendHeader(name, value)
      else this.setHeader(name, value)
    }
    return this
  }
  appendHeader(name: string, value: HeaderValue): this {
    const before = this.#headers[name.toLowerCase()]
    return this.setHeader(name, before === undefined ? value : ([before, value].flat() as string[]))
  }
  getHeader(name: string): HeaderValue | undefined {
    return this.#headers[name.toLowerCase()]
  }
  getHeaderNames(): string[] {
    return Object.keys(this.#headers)
  }
  getRawHeaderNames(): string[] {
    return Object.keys(this.#headers)
  }
  getHeaders(): Record<string, HeaderValue> {
    return Object.assign(Object.create(null) as Record<string, HeaderValue>, this.#headers)
  }
  hasHeader(name: string): boolean {
    return name.toLowerCase() in this.#headers
  }
  removeHeader(name: string): void {
    this.#assertOpen('remove')
    delete this.#headers[name.toLowerCase()]
  }

  /** Fixes the status and the headers of the reply. @throws ALC_ERR_BAD_STATUS_CODE, TypeError for an invalid header */
  writeHead(status: number, ...args: unknown[]): this {
    this.#assertOpen('write')
    if (!(status >= 200 && status <= MAX_STATUS)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status)
    if (typeof args[0] === 'string') this.statusMessage = args.shift() as string
    if (this.statusMessage !== undefined) validateHeaderValue('the status message', this.statusMessage)
    // Checked before anything is set, so that a reply with an invalid header can still be answered with an error.
    const entries = readPairs(args[0])
    for (const [name, value] of entries) validated(name, value)
    const own = new Set<string>()
    for (const [name, value] of entries) {
      const key = name.toLowerCase()
      if (own.has(key)) this.#headers[key] = [this.#headers[key]!, value].flat() as string[]
      else this.#headers[key] = value
      own.add(key)
    }
    this.statusCode = status
    const statusText = this.statusMessage
    this.statusMessage ??= STATUS_CODES[status] ?? 'unknown'
    this.#hasBody = this.req.method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304
    this._header = `HTTP/1.1 ${status} ${this.statusMessage}\r\n`
    this.#head = { status, headers: webHeaders(this.#headers), encodeBody: 'manual', ...(statusText && { statusText }) }
    return this
  }
  flushHeaders(): void {
    if (this._header === null) this.writeHead(this.statusCode)
    this.#startSoon()
  }
  addTrailers(): void {}
  writeContinue(done?: () => void): void {
    if (done) process.nextTick(done)
  }
  writeProcessing(done?: () => void): void {
    if (done) process.nextTick(done)
  }
  /** Sends nothing, because a `Response` has no interim responses, and calls `done`. */
  writeEarlyHints(_hints: object, done?: () => void): void {
    if (done) process.nextTick(done)
  }
  setTimeout(): this {
    return this
  }
  cork(): void {}
  uncork(): void {}
  pipe(): never {
    throw failure('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable')
  }

  /** Adds a chunk to the body. @returns whether there is room for more; if not, `drain` is emitted once there is */
  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.writableEnded || this.destroyed) return this.#refuse(done)
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw Object.assign(new TypeError('A chunk of a reply must be a string or bytes'), { code: 'ERR_INVALID_ARG_TYPE' })
    if (this._header === null) this.writeHead(this.statusCode)
    if (done !== undefined) process.nextTick(done, null)
    if (!this.#hasBody || chunk.length === 0) return true
    this.#take(isText(encoding) ? chunk : toBytes(chunk, encoding))
    if (this.#isAwaited) this.#hand()
    else this.#startSoon()
    this.writableNeedDrain = this.writableLength >= HIGH_WATER_MARK
    return !this.writableNeedDrain
  }

  end(chunk?: string | Uint8Array | Callback | null, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    if (typeof chunk === 'function') return this.end(null, undefined, chunk)
    if (typeof encoding === 'function') return this.end(chunk, undefined, encoding)
    if (this.writableEnded || this.destroyed) {
      if (callback !== undefined) process.nextTick(callback, this.writableFinished ? null : endedError())
      return this
    }
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding)
    if (this._header === null) this.writeHead(this.statusCode)
    if (callback !== undefined) this.once('finish', callback)
    this.writableEnded = this.finished = true
    if (this.#controller === undefined) this.#sendWhole()
    else if (this.writableLength === 0) this.#close()
    return this
  }

  /** Ends a reply that is not complete, so that its body fails. If nothing was sent yet, the `Response` has no body. */
  destroy(error?: Error): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error ?? null
    this.#chunks = []
    this.writableLength = 0
    if (this.#controller !== undefined) this.#controller.error(error ?? failure('ECONNRESET', 'The reply broke off'))
    else if (!this.writableFinished) this.#deliver({ status: this.statusIfDestroyed, headers: [], body: null })
    this.#controller = undefined
    this.#isStartDue = false
    this.#over()
    return this
  }

  /** Ends the request and its reply because the client has left. */
  abort(): void {
    if (this.writableFinished || this.destroyed) return
    this.statusIfDestroyed = CLIENT_CLOSED_REQUEST
    this.destroy()
    this.req.abort()
  }

  #assertOpen(action: string): void {
    if (this._header !== null) throw failure('ERR_HTTP_HEADERS_SENT', `Cannot ${action} headers after they are sent to the client`)
  }

  #refuse(done: Callback | undefined): false {
    const error = this.writableEnded ? endedError() : failure('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed')
    if (this.writableEnded && !this.destroyed) process.nextTick(() => this.emit('error', error))
    if (done !== undefined) process.nextTick(done, error)
    return false
  }

  #take(chunk: string | Uint8Array): void {
    this.#chunks.push(chunk)
    this.writableLength += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
  }

  #sendWhole(): void {
    const head = this.#head!
    this.#deliver({ ...head, body: wholeBody(this.#chunks, head.headers) })
    this.#chunks = []
    this.writableLength = 0
    this.#finish()
  }

  /** Begins to send the body as a stream in the next tick, unless the reply has ended by then. */
  #startSoon(): void {
    if (this.#controller !== undefined || this.#isStartDue) return
    this.#isStartDue = true
    process.nextTick(() => {
      if (this.#isStartDue && !this.writableEnded) this.#start()
    })
  }

  #start(): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => {
          this.#isAwaited = true
          if (this.writableLength > 0) this.#hand()
        },
        cancel: () => this.abort(),
      },
      { highWaterMark: 0 },
    )
    if (!this.#hasBody) this.#controller = undefined
    this.#deliver({ ...this.#head!, body: this.#hasBody ? body : null })
  }

  /** Hands all waiting bytes to the client. */
  #hand(): void {
    this.#isAwaited = false
    const bytes = joined(this.#chunks)
    this.#chunks = []
    this.writableLength = 0
    this.#controller!.enqueue(bytes)
    if (this.writableEnded) return this.#close()
    if (!this.writableNeedDrain) return
    this.writableNeedDrain = false
    process.nextTick(() => !this.destroyed && this.emit('drain'))
  }

  #close(): void {
    this.#controller!.close()
    this.#controller = undefined
    this.#finish()
  }

  #finish(): void {
    this.writableFinished = true
    this.socket = null
    this.#over()
  }

  #over(): void {
    this.req.endUnread()
    const { onOver } = this
    this.onOver = undefined
    onOver?.()
    process.nextTick(emitEnd, this)
  }
}

function emitEnd(response: WebResponse): void {
  if (response.writableFinished && !response.closed) response.emit('finish')
  response.destroyed = response.closed = true
  response.emit('close')
  const { req } = response
  req.closeUnread()
  const { socket } = req
  socket.destroyed = true
  socket.emit('close', response.errored !== null)
}

function endedError(): Error {
  return failure('ERR_STREAM_WRITE_AFTER_END', 'write after end')
}

function isText(encoding: unknown): boolean {
  return typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)
}

function toBytes(chunk: string | Uint8Array, encoding: unknown): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding as BufferEncoding) : chunk
}

/** Returns a header after it was checked. @throws TypeError for an invalid name or value */
function validated(name: string, value: HeaderValue): HeaderValue {
  validateHeaderName(name)
  if (Array.isArray(value)) for (const each of value as string[]) validateHeaderValue(name, each)
  else validateHeaderValue(name, value as string)
  return value
}

/** Reads the forms of headers that `writeHead` takes: an object, a list of pairs, or a list of names and values in turn. */
function readPairs(headers: unknown): [string, HeaderValue][] {
  if (!Array.isArray(headers)) return Object.entries((headers ?? {}) as Record<string, HeaderValue>)
  if (Array.isArray(headers[0])) return headers as [string, HeaderValue][]
  return Array.from({ length: headers.length / 2 }, (_, index) => [headers[2 * index], headers[2 * index + 1]] as [string, HeaderValue])
}

/** Returns headers as pairs for a `Response`, without the headers that describe the connection. */
function webHeaders(headers: Readonly<Record<string, HeaderValue>>): [string, string][] {
  const pairs: [string, string][] = []
  for (const name in headers) {
    if (omitted.has(name)) continue
    const value = headers[name]!
    if (Array.isArray(value)) for (const each of value as string[]) pairs.push([name, String(each)])
    else pairs.push([name, String(value)])
  }
  return pairs
}

function joined(chunks: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
  return bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes)
}

/**
 * Returns the body of a `Response`. A text without a `content-type` is passed as bytes, because a `Response` would add a media type to a
 * text.
 */
function wholeBody(
  chunks: readonly (string | Uint8Array)[],
  headers: readonly [string, string][],
): string | Uint8Array<ArrayBuffer> | null {
  if (chunks.length === 0) return null
  const [first] = chunks
  if (chunks.length === 1 && typeof first === 'string' && headers.some(([name]) => name === 'content-type')) return first
  return joined(chunks) as Uint8Array<ArrayBuffer>
}
