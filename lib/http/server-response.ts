/**
 * `FastServerResponse`: Node's response, with a faster way to send a reply whose body is one text. Its head is put together from lines that
 * most replies share. All other heads are written by Node's own `writeHead`.
 *
 * Node has no public way to be given a finished head, so two internal fields are set: `_header` and `_headerSent`. Servers use this class
 * only in a Node that is verified (node-verification.ts): there, the same response was written both ways, and the bytes were the same. In
 * another Node, and if `writeHead` was replaced, Node writes every head.
 *
 * The class relies on these facts. Each of them is followed by the place of its check:
 *
 * - the status is a whole number from 200 to 999 that allows a body: here, though transmit.ts checks it for both ways;
 * - names and values of headers are valid and mean nothing to Node: here, before a line is cached; other headers are left to `writeHead`;
 * - the phrases of `http.STATUS_CODES` are valid: when a line is cached. A phrase that is changed later is not seen;
 * - the request was not HEAD, came by HTTP/1.1, and its connection is kept: by the fields that Node's constructor sets from the request,
 *   because hooks may change the request itself;
 * - nothing was written, set or replaced on the response: here, method by method;
 * - the length is the length of the payload: the caller counts it.
 *
 * Cached for the process: a status line for each status that was sent (800 at most), the lines of up to 200 header names (each with the
 * value that was sent last), one `Date` line (for the rest of its second) and one pair of keep-alive lines (of the timeout that was used
 * last).
 */
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from '../util/node/modules.js'
import { kClosesAfterFinish } from './connection.js'
import { isDropping } from './connection-states.js'
import { startSharedTimer } from './deadline.js'
import { validateHeaders } from './headers.js'
import type { InternalServerResponse } from './node-internals.js'

const { write, writeHead } = ServerResponse.prototype
const { _storeHeader } = ServerResponse.prototype as InternalServerResponse

const kIgnoredResponse = Symbol('alcove.ignored-response')

/**
 * Node's response, which here also refuses line breaks in early hints. If a connection drops everything that its client sends, the
 * constructor returns one shared object for all responses that are never sent.
 */
export class CheckedServerResponse extends ServerResponse {
  constructor(request: IncomingMessage, options?: ServerOptions) {
    // @ts-expect-error Node's class takes options, which its types do not declare.
    super(request, options)
    const socket: (Socket & { [kIgnoredResponse]?: ServerResponse }) | undefined = request.socket
    if (!isDropping(socket)) return
    // Node keeps the responses of a connection as long as a handler works for it. One object serves for all responses that are never sent.
    this.on = () => this
    return (socket[kIgnoredResponse] ??= this) as this
  }

  get [kClosesAfterFinish](): true {
    return true
  }

  // Node writes line breaks in these headers as they are.
  override writeEarlyHints(hints: any, done?: () => void): void {
    validateHeaders(hints ?? {})
    super.writeEarlyHints(hints, done)
  }
}

export class FastServerResponse extends CheckedServerResponse {
  /**
   * Sends status line, headers and body at once, if nothing about the reply is unusual.
   * @param headers by lower-case name, without `content-length`
   * @param length of the payload, in bytes
   * @returns `false` if nothing was sent: the caller then uses `writeHead`
   */
  sendWhole(headers: Readonly<Record<string, unknown>>, payload: string, length: number): boolean {
    const internals = this as ServerResponse as InternalServerResponse
    if (this.writeHead !== writeHead || internals._storeHeader !== _storeHeader) return false
    if (
      !internals._hasBody ||
      internals._header !== null ||
      !internals.useChunkedEncodingByDefault ||
      !this.shouldKeepAlive ||
      !this.sendDate
    )
      return false
    if (internals._expect_continue || internals._removedConnection || internals._maxRequestsPerSocket) return false
    if (!internals._defaultKeepAlive || internals.maxRequestsOnConnectionReached || this.strictContentLength) return false
    // The application has set neither a status text nor headers on the raw response.
    if (this.statusMessage !== undefined || this.getHeaderNames().length > 0) return false
    const { statusCode } = this
    // Node cuts fractions off; numbers of more digits are refused before they reach it.
    if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 999) return false
    if (statusCode === 204 || statusCode === 205 || statusCode === 304) return false

    let head = statusLine(statusCode)
    for (const name in headers) {
      const line = headerLine(name, headers[name])
      if (line === undefined) return false
      head += line
    }
    internals._header = `${head}content-length: ${length}\r\n${dateLine()}${keepAliveLines(internals._keepAliveTimeout)}`
    this.statusMessage = STATUS_CODES[statusCode] ?? 'unknown'
    const { socket } = this
    // If it is this reply's turn on the connection, head and body go out in one piece; `write` and `end` of Node would make two.
    if (socket !== null && socket.writable && this.write === write && internals.outputData.length === 0) {
      internals._headerSent = true
      socket.write(internals._header + payload)
    } else this.write(payload)
    this.end()
    return true
  }
}

/** The status lines that were sent so far, by status, a number of three digits. */
const statusLines: string[] = []

function statusLine(status: number): string {
  return (statusLines[status] ??= makeStatusLine(status, STATUS_CODES[status] ?? 'unknown'))
}

/** Makes the first line of a reply. @throws the error of Node for a phrase that is not valid in a status line */
function makeStatusLine(status: number, phrase: string): string {
  validateHeaderValue('status text', phrase)
  return `HTTP/1.1 ${status} ${phrase}\r\n`
}

/**
 * The names of headers that Node itself reads when it writes a head. The empty name is among them, because Node leaves a header with this
 * name out if headers were once set on the raw response.
 */
const headersReadByNode: ReadonlySet<string> = new Set([
  '',
  'connection',
  'content-disposition',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'transfer-encoding',
])

const MAX_CACHED_HEADER_NAMES = 200
/** The finished line of each header by name, with the value that was sent last: most headers are the same in every reply. */
const headerLines = new Map<string, { value: string; line: string }>()

/**
 * Returns the finished line of a header, or `undefined` for a header that Node itself has to write.
 * @throws the error of Node for a name or a value that cannot be sent
 */
function headerLine(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const cached = headerLines.get(name)
  if (cached !== undefined && cached.value === value) return cached.line
  if (headersReadByNode.has(name)) return undefined
  validateHeaderName(name)
  validateHeaderValue(name, value)
  const line = `${name}: ${value}\r\n`
  if (cached !== undefined) {
    cached.value = value
    cached.line = line
  } else if (headerLines.size < MAX_CACHED_HEADER_NAMES) headerLines.set(name, { value, line })
  return line
}

/** The finished `Date` header; `undefined` once the second that the header states is over. */
let cachedDateLine: string | undefined

/**
 * Returns the `Date` header (RFC 9110 §6.6.1), to the second. As in Node, a timer drops the text at the end of the second, because asking
 * for the time takes 2 % of a small request.
 */
function dateLine(): string {
  return (cachedDateLine ??= makeDateLine(Date.now()))
}

function makeDateLine(now: number): string {
  startSharedTimer(() => (cachedDateLine = undefined), 1000 - (now % 1000)).unref()
  return `Date: ${new Date(now).toUTCString()}\r\n`
}

let cachedKeepAliveLines = ''
/** The timeout, in ms, that the cached keep-alive lines state. */
let cachedKeepAliveTimeout = -1

function keepAliveLines(timeout: number): string {
  if (timeout !== cachedKeepAliveTimeout) {
    cachedKeepAliveTimeout = timeout
    cachedKeepAliveLines = `Connection: keep-alive\r\n${timeout ? `Keep-Alive: timeout=${Math.floor(timeout / 1000)}\r\n` : ''}\r\n`
  }
  return cachedKeepAliveLines
}
