/**
 * Node's response, whose head is put together from parts that most replies share, where the body is known as a whole. Everything
 * else is written by Node's own `writeHead`.
 *
 * Node has no public way to hand it a head, so that two internal fields are set, `_header` and `_headerSent`. Whether this Node does with it what we
 * expect is tried once, when this module is loaded: the same response is written both ways. If they differ in a byte, or
 * somebody has put a function of his own in the place of Node's, all heads are Node's own.
 */
import { type IncomingMessage, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import { Duplex } from 'node:stream'

/** What this file knows of Node's class beyond its public face. */
interface Internals {
  _header: string | null
  _headerSent: boolean
  outputData: readonly unknown[]
  _storeHeader: unknown
  _expect_continue: boolean
  _sent100: boolean
  _removedConnection: boolean
  _defaultKeepAlive: boolean
  _keepAliveTimeout: number
  _maxRequestsPerSocket: number | null | undefined
  maxRequestsOnConnectionReached: boolean
  useChunkedEncodingByDefault: boolean
}

const { write, writeHead } = ServerResponse.prototype
const { _storeHeader } = ServerResponse.prototype as unknown as Internals

export class Outgoing extends ServerResponse {
  /**
   * Sends status line, headers and body. `false` where that is left to `writeHead`: nothing was sent then.
   * @param headers by lower-case name; with a `content-length` among them it is left to `writeHead`
   * @param length bytes
   */
  sendWhole(headers: Readonly<Record<string, unknown>>, payload: string, length: number): boolean {
    const internals = this as unknown as Internals
    if (!isTrusted || this.writeHead !== writeHead || internals._storeHeader !== _storeHeader) return false
    if (internals._header !== null || !internals.useChunkedEncodingByDefault || !this.shouldKeepAlive || !this.sendDate) return false
    if (internals._expect_continue || internals._removedConnection || internals._maxRequestsPerSocket) return false
    if (!internals._defaultKeepAlive || internals.maxRequestsOnConnectionReached || this.strictContentLength) return false
    // Neither a phrase of the application's own nor headers that were set on the raw response.
    if (this.statusMessage !== undefined || this.getHeaderNames().length > 0) return false
    const { statusCode } = this
    if (statusCode < 200 || statusCode === 204 || statusCode === 205 || statusCode === 304) return false

    let head = statusLine(statusCode)
    for (const name in headers) {
      const line = headerLine(name, headers[name])
      if (line === undefined) return false
      head += line
    }
    internals._header = `${head}content-length: ${length}\r\n${dateLine()}${keepAliveLines(internals._keepAliveTimeout)}`
    this.statusMessage = STATUS_CODES[statusCode] ?? 'unknown'
    const { socket } = this
    // A reply whose turn has come goes out in one piece; Node's `write` and `end` would make two of it.
    if (socket !== null && socket.writable && this.write === write && internals.outputData.length === 0) {
      internals._headerSent = true
      socket.write(internals._header + payload)
    } else this.write(payload)
    this.end()
    return true
  }
}

const statusLines: string[] = []

function statusLine(status: number): string {
  return (statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`)
}

/** Names that mean something to Node while it writes a head. */
const special: ReadonlySet<string> = new Set([
  'connection',
  'content-disposition',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'transfer-encoding',
])

/** name → the value that was sent last, and its line: most headers are the same in every reply */
const lines = new Map<string, { value: string; line: string }>()
/** How many names are remembered. */
const REMEMBERED = 200

/** `undefined` where the line is left to Node. @throws what Node throws for a name or a value that cannot be sent */
function headerLine(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const known = lines.get(name)
  if (known !== undefined && known.value === value) return known.line
  if (special.has(name)) return undefined
  validateHeaderName(name)
  validateHeaderValue(name, value)
  const line = `${name}: ${value}\r\n`
  if (known !== undefined) {
    known.value = value
    known.line = line
  } else if (lines.size < REMEMBERED) lines.set(name, { value, line })
  return line
}

let date = ''
/** ms */
let dateEnds = 0

/** RFC 9110 §6.6.1, to the second. */
function dateLine(): string {
  const now = Date.now()
  if (now >= dateEnds || now < dateEnds - 1000) {
    date = `Date: ${new Date(now).toUTCString()}\r\n`
    dateEnds = now - (now % 1000) + 1000
  }
  return date
}

let keepAlive = ''
/** ms */
let keepAliveTimeout = -1

function keepAliveLines(timeout: number): string {
  if (timeout !== keepAliveTimeout) {
    keepAliveTimeout = timeout
    keepAlive = `Connection: keep-alive\r\n${timeout ? `Keep-Alive: timeout=${Math.floor(timeout / 1000)}\r\n` : ''}\r\n`
  }
  return keepAlive
}

let isTrusted = true
isTrusted = isNodeAsKnown()

function isNodeAsKnown(): boolean {
  const isNodes = (fn: unknown): boolean => typeof fn === 'function' && /ERR_HTTP_HEADERS_SENT|_keepAliveTimeout/.test(String(fn))
  if (!isNodes(writeHead) || !isNodes(_storeHeader)) return false
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-one': '1' }
  const text = 'tëxt'
  const length = Buffer.byteLength(text)
  const whole = tryOut((response) => response.sendWhole(headers, text, length))
  const own = tryOut((response) => {
    response.writeHead(response.statusCode, { ...headers, 'content-length': String(length) })
    response.write(text)
    response.end()
  })
  return whole !== undefined && whole === own
}

/** What came of a response, without its date. */
function tryOut(send: (response: Outgoing) => void): string | undefined {
  let bytes = ''
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      bytes += Buffer.from(chunk).toString('latin1')
      done()
    },
  })
  try {
    const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} }
    const response = new Outgoing(request as unknown as IncomingMessage)
    ;(response as unknown as Internals)._keepAliveTimeout = 5000
    response.statusCode = 201
    response.assignSocket(socket as never)
    send(response)
    const { headersSent, writableEnded, writableFinished, statusMessage, chunkedEncoding, shouldKeepAlive } = response
    return JSON.stringify([
      bytes.replace(/^Date: .*\r\n/m, ''),
      headersSent,
      writableEnded,
      writableFinished,
      statusMessage,
      chunkedEncoding,
      shouldKeepAlive,
    ])
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}
