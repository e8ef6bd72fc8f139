/**
 * `WebRequest`: a web-standard `Request` with the interface of Node's requests, for `server.fetch`. Its headers and its body are read from
 * the `Request` only when something asks for them. The body is requested from its source no faster than it is read.
 *
 * The URL of a `Request` is absolute and normalized, so the host is read from it, and a `Host` header must agree with it. A `Request` has
 * no framing: its property `body` says whether there is a body. For the rest of the server, a body without a `content-length` gets the
 * header `transfer-encoding: chunked`.
 */
import { Readable } from 'node:stream'
import { errorCodes } from '../../errors/codes.js'
import { isValidHost } from '../headers.js'
import type { BodySink } from '../incoming-message.js'
import { type RequestSource, StandInSocket } from './socket.js'

type Headers = Record<string, string | string[] | undefined>

/** Makes the error with which the stream of a body fails if the client has left, as in Node. */
function abortError(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}

/** The smallest index in a URL at which its path can begin: `http://a/`. */
const FIRST_PATH_INDEX = 8
/** The most bytes of a body that are read ahead of the reader, apart from one chunk; as for Node's requests. */
const STREAM_OPTIONS = { highWaterMark: 16_384 }

export class WebRequest extends Readable {
  readonly method: string
  url: string
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  readonly socket: StandInSocket
  /** Whether the body was read to its end. A request without a body is complete from the start. */
  complete: boolean
  /** Whether the client has left before the reply was complete. */
  aborted = false
  readonly statusCode = null
  readonly statusMessage = null
  readonly trailers = {}
  readonly rawTrailers: readonly string[] = []
  readonly #web: Request
  readonly #isFramed: boolean
  /** The host of the URL, with its port unless that is the default port of the scheme. */
  readonly #host: string
  readonly #source: ReadableStream<Uint8Array> | null
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined = undefined
  #headers: Headers | undefined = undefined
  #rawHeaders: string[] | undefined = undefined
  #sink: BodySink | undefined = undefined
  #hasSourceFailed = false
  /** Whether a sink has taken the whole body, so that the stream has to end without data once it is read. */
  #hasEndedSilently = false
  /** Whether the rest of the body was cancelled. The source then ends early, which must not look like the end of the body. */
  #isDropped = false

  constructor(web: Request, source: RequestSource<unknown>, info: unknown) {
    super(STREAM_OPTIONS)
    this.#web = web
    this.#isFramed = source.isFramed
    this.method = web.method
    const { url } = web
    const isSecure = url.startsWith('https://')
    const path = url.indexOf('/', FIRST_PATH_INDEX)
    const isHttp = (isSecure || url.startsWith('http://')) && path !== -1
    const hash = url.indexOf('#')
    // A URL of another scheme has no host, and is refused.
    this.#host = isHttp ? url.slice(isSecure ? 8 : 7, path) : ''
    this.url = isHttp ? url.slice(path, hash === -1 ? undefined : hash) : url
    this.socket = new StandInSocket(source, web, info, isSecure)
    this.#source = web.body as ReadableStream<Uint8Array> | null
    this.complete = this.#source === null
  }

  get connection(): StandInSocket {
    return this.socket
  }

  get headers(): Headers {
    return (this.#headers ??= readHeaders(this.#web.headers, this.#host, this.#source !== null))
  }

  get rawHeaders(): string[] {
    return (this.#rawHeaders ??= flatten(this.headers))
  }

  get headersDistinct(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [value ?? []].flat()]))
  }

  get trailersDistinct(): Record<string, string[]> {
    return {}
  }

  /**
   * Returns the fault of a request that two servers could read differently, or that a server would have refused if it had come over a
   * connection.
   */
  findFault(): Error | undefined {
    const { headers, body } = this.#web
    if (this.#host === '') return new errorCodes.ALC_ERR_BAD_URL(this.url)
    const host = headers.get('host')
    if ((host !== null && !isSameHost(host, this.#host, this.socket.encrypted)) || !isValidHost(this.#host))
      return new errorCodes.ALC_ERR_BAD_HOST()
    if (body === null && (this.method === 'GET' || this.method === 'HEAD')) return undefined
    const coding = headers.get('transfer-encoding')
    const length = headers.get('content-length')
    // RFC 9112 §6.1, §6.3: a message with both headers may have been read differently by a proxy.
    if (coding !== null && (coding.toLowerCase() !== 'chunked' || length !== null)) return new errorCodes.ALC_ERR_BAD_TRANSFER_ENCODING()
    return length === null || /^\d+$/.test(length) ? undefined : new errorCodes.ALC_ERR_CTP_INVALID_CONTENT_LENGTH()
  }

  setTimeout(): this {
    return this
  }

  /** Hands the body to a sink, without a stream in between. @returns `false` if the body is already being read as a stream */
  sinkInto(sink: BodySink): boolean {
    if (this.#reader !== undefined || this.readableFlowing !== null || this.destroyed || this.readableEnded || this._read !== _read)
      return false
    if (this.#source === null) return false
    this.#sink = sink
    // The length was compared with the limit before.
    if (this.#isFramed && this.headers['content-length'] !== undefined) void this.#sinkWhole(sink)
    else void this.#sinkAll(this.#open(this.#source), sink)
    return true
  }

  async #sinkWhole(sink: BodySink): Promise<void> {
    try {
      const bytes = await this.#web.arrayBuffer()
      if (this.#sink === undefined) return
      if (bytes.byteLength > 0) sink.onData(Buffer.from(bytes))
    } catch (error) {
      this.#noteBreak()
      return this.#failSink(error)
    }
    this.#endSink(sink)
  }

  #endSink(sink: BodySink): void {
    this.#sink = undefined
    this.complete = this.#hasEndedSilently = true
    if (this.listenerCount('end') > 0 || this.listenerCount('close') > 0) this.resume()
    sink.onEnd()
  }

  async #sinkAll(reader: ReadableStreamDefaultReader<Uint8Array>, sink: BodySink): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (this.#sink === undefined) return
        if (done) break
        sink.onData(toBuffer(value))
        // A body that is over its limit is not read on.
        if (sink.isOver) return void (this.#sink = undefined)
      }
    } catch (error) {
      this.#noteBreak()
      return this.#failSink(error)
    }
    this.#endSink(sink)
  }

  #failSink(error: unknown): void {
    const sink = this.#sink
    if (sink === undefined) return
    this.#sink = undefined
    sink.onError(error ?? abortError())
  }

  /** Adds a listener. If a sink has taken the whole body, a listener for the end starts the stream, so that the stream emits its end. */
  override on(event: string | symbol, listener: (...args: any[]) => void): this {
    super.on(event, listener)
    if (this.#hasEndedSilently && (event === 'end' || event === 'close')) this.resume()
    return this
  }
  override addListener(event: string | symbol, listener: (...args: any[]) => void): this {
    return this.on(event, listener)
  }

  #open(source: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<Uint8Array> {
    return (this.#reader = source.getReader())
  }

  override _read(): void {
    if (this.#source === null || this.#hasEndedSilently) return void this.push(null)
    if (this.#sink !== undefined) return
    if (this.#isDropped) return void this.destroy(abortError())
    try {
      void this.#pull(this.#reader ?? this.#open(this.#source))
    } catch (error) {
      // The application has begun to read the body of the `Request` itself.
      this.destroy(error as Error)
    }
  }

  async #pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      const { done, value } = await reader.read()
      if (this.destroyed || this.#isDropped) return void this.destroy(abortError())
      if (!done) return void this.push(toBuffer(value))
      this.complete = true
      this.push(null)
    } catch (error) {
      this.#noteBreak()
      this.#hasSourceFailed = true
      this.destroy(error as Error)
    }
  }

  /** Ends the request if its body broke off because the client has left. The runtime may report the leaving only later. */
  #noteBreak(): void {
    if (this.#web.signal?.aborted) this.socket.response?.abort()
  }

  /** Notes that the client has left. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.emit('aborted')
    this.destroy(abortError())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isDestroyedEarly = !this.readableEnded && !this.#hasEndedSilently && !this.#hasSourceFailed
    this.#failSink(error)
    this.#drop()
    // As in Node: an error that nobody listens to does not end the process.
    done(error !== null && this.listenerCount('error') > 0 ? error : null)
    // Over a connection, the reply could not be sent either. If the body breaks off, whoever reads it may still answer.
    if (isDestroyedEarly) this.socket.response?.destroy(error ?? undefined)
  }

  /** Notes that the reply is over: a body that nothing has begun to read is cancelled. */
  endUnread(): void {
    if (this.#isUnread()) this.#drop()
  }

  /** Emits `close` after the reply is over, unless the stream of the body was read and so emits `close` itself. */
  closeUnread(): void {
    if (this.listenerCount('close') > 0 && this.#isUnread()) this.destroy()
  }

  #isUnread(): boolean {
    return this.readableFlowing === null && this.listenerCount('readable') === 0
  }

  /** Cancels the rest of the body, so that its source does not stay open. */
  #drop(): void {
    if (this.complete || this.#isDropped) return
    this.#isDropped = true
    this.#failSink(undefined)
    // Node 24 and 26 end the process with ERR_INVALID_STATE if the body of a request is cancelled that was made of a form.
    if (/^multipart\/form-data/i.test(String(this.headers['content-type']))) return
    if (this.#reader === undefined) cancelUnlocked(this.#source)
    else this.#reader.cancel().catch(() => {})
  }
}

function cancelUnlocked(source: ReadableStream | null): void {
  if (source?.locked === false) source.cancel().catch(() => {})
}

const { _read } = WebRequest.prototype

/** Returns the bytes of a chunk as a Buffer. @throws TypeError for a chunk that is not bytes */
function toBuffer(chunk: unknown): Buffer {
  if (!(chunk instanceof Uint8Array)) throw new TypeError(`The body of the request has a chunk of type ${typeof chunk}, not bytes`)
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/**
 * Whether a `Host` header states the host of the URL, in which all letters are lower case and the default port of the scheme is left out.
 */
function isSameHost(header: string, host: string, isSecure: boolean): boolean {
  if (header === host) return true
  const name = header.toLowerCase()
  return name === host || name === `${host}:${isSecure ? 443 : 80}`
}

/** Returns headers as Node's `rawHeaders` has them: names and values in turn. */
function flatten(headers: Headers): string[] {
  const flat: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (Array.isArray(value)) for (const each of value) flat.push(name, each)
    else flat.push(name, value!)
  }
  return flat
}

function readHeaders(headers: globalThis.Headers, host: string, hasBody: boolean): Headers {
  const read: Headers = {}
  headers.forEach((value, name) => {
    const key = name.toLowerCase()
    // The values of this field, and of no other, cannot be joined (RFC 9110 §5.3).
    if (key === 'set-cookie') read[key] = [...((read[key] as string[] | undefined) ?? []), value]
    else read[key] = value
  })
  read['host'] = host
  if (hasBody && read['content-length'] === undefined) read['transfer-encoding'] = 'chunked'
  else delete read['transfer-encoding']
  return read
}
