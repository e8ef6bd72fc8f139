/** Rules that hold for every response, whichever version of HTTP it is sent over. */
import { errorCodes } from '../errors/codes.js'
import { OutgoingMessage, ServerResponse } from '../util/node/modules.js'
import { validateHeader, validateHeaders } from './headers.js'
import type { MaybeHttp2Response } from './http2.js'
import { currentResponse, type HttpSocket, type InternalServerResponse, transportOf } from './node-internals.js'

/**
 * The names of headers that describe the connection, not the response. Such headers are not forwarded (RFC 9110 §7.6.1), and are forbidden
 * in HTTP/2.
 */
export const connectionHeaders: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'te',
]

/**
 * Prepares headers for HTTP/2: removes headers that describe the connection (RFC 9113 §8.2.2), and refuses values with a line break
 * (§8.2.1).
 * @throws TypeError for an invalid name or value
 */
export function prepareHttp2Headers(headers: Record<string, any>): void {
  for (const name of connectionHeaders) delete headers[name]
  validateHeaders(headers)
}

/**
 * Reads a status as Node does when it writes a head: texts and objects become numbers, fractions are cut off. `raw.statusCode` is public
 * and takes any value, so all code that depends on the status (schemas, framing, writing) must read it by this function.
 * @returns a whole number from 200 to 999; `undefined` if the value is not the status of a final response
 * @throws TypeError for a value that cannot become a number
 */
export function readStatus(value: unknown): number | undefined {
  const status = Number.isInteger(value) ? (value as number) : Math.trunc(Number(value))
  return status >= 200 && status <= 999 ? status : undefined
}

/**
 * The getter `headersSent` of Node's own classes. That of the base class reads a field which Bun leaves empty: Bun has another one in its class
 * of responses.
 */
const headersSentOfNode = [ServerResponse, OutgoingMessage]
  .map(({ prototype }) => Object.getOwnPropertyDescriptor(prototype, 'headersSent')?.get)
  .find((get) => get !== undefined) as ((this: OutgoingMessage) => boolean) | undefined

/**
 * Whether the head (status line and headers) of a response is sent. The answer comes from Node's own class, because `@fastify/express`
 * gives `headersSent` another meaning.
 */
export function isHeadSent(response: MaybeHttp2Response): boolean {
  if (response.stream !== undefined) return response.stream.headersSent
  return headersSentOfNode === undefined ? response.headersSent : headersSentOfNode.call(response)
}

/**
 * Sends a 103 response (RFC 8297) before the final response.
 * @param onSent also called if the client cannot get the hints: it has left, or speaks HTTP/1.0 (RFC 9110 §15.2)
 * @throws ALC_ERR_REP_EARLY_HINTS_INVALID, TypeError for an invalid name or value
 */
export function writeEarlyHints(response: MaybeHttp2Response, headers: object, onSent: () => void = () => {}): void {
  const hints = readHints(headers)
  if (response.destroyed || response.req.httpVersion === '1.0') return process.nextTick(onSent)
  if (response.stream === undefined) return response.writeEarlyHints(hints, onSent)
  // The compatibility layer of HTTP/2 takes no callback.
  response.writeEarlyHints(hints)
  process.nextTick(onSent)
}

function readHints(headers: object): Record<string, string | string[]> {
  const hints: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase()
    if (connectionHeaders.includes(key) || key === 'content-length')
      throw new errorCodes.ALC_ERR_REP_EARLY_HINTS_INVALID(`cannot send '${key}', which belongs to one message or connection`)
    for (const entry of [value].flat()) validateHeader(key, entry)
    hints[key] = Array.isArray(value) ? value : String(value)
  }
  if (hints['link'] === undefined)
    throw new errorCodes.ALC_ERR_REP_EARLY_HINTS_INVALID("needs a 'link', e.g. { link: '</style.css>; rel=preload; as=style' }")
  return hints
}

/** The error code `INTERNAL_ERROR` of HTTP/2 (RFC 9113 §7). */
const HTTP2_INTERNAL_ERROR = 2

/** Ends a response of which only a part was sent, in a way that tells the client that the response is incomplete. */
export function abortResponse(response: MaybeHttp2Response): void {
  const { stream } = response
  // Over HTTP/2, `destroy` would end the response as if it were complete.
  if (stream !== undefined) return stream.close(HTTP2_INTERNAL_ERROR)
  const { socket } = response
  if (socket != null && needsReset(response, socket)) resetConnection(socket)
  response.destroy()
}

/** Ends a connection of HTTP/1. If a part of a reply was sent, its client can tell that it is incomplete. */
export function cutConnection(socket: HttpSocket): void {
  const response = currentResponse(socket)
  if (response !== undefined && needsReset(response, socket)) resetConnection(socket)
  socket.destroy()
}

/**
 * Whether the client would take the part of a response that was sent for the whole. The head states neither a length nor chunks, as for
 * clients of HTTP/1.0, so the response lasts until the connection ends (RFC 9112 §6.3), and only a reset connection shows that it was cut.
 */
function needsReset(response: ServerResponse, socket: HttpSocket): boolean {
  const { _header: head, _hasBody: hasBody } = response as InternalServerResponse
  if (socket.destroyed || !head || !hasBody || /\r\n(?:content-length|transfer-encoding):/i.test(head)) return false
  return !response.writableEnded || socket.writableLength > 0
}

function resetConnection(socket: HttpSocket): void {
  try {
    transportOf(socket).resetAndDestroy()
  } catch {
    // Unix sockets, and the sockets of injected requests, cannot be reset.
  }
}

/** The content codings that `fetch` decodes. */
const decodedCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br'])

/**
 * Whether a `Response` comes from `fetch` and has a decoded body, while its headers still describe the coded body. A `Response` that the
 * application made has no URL.
 */
export function isDecoded({ url, body, headers }: globalThis.Response): boolean {
  if (!url || body === null) return false
  const codings = headers.get('content-encoding')?.split(',') ?? []
  return codings.length > 0 && codings.every((coding) => decodedCodings.has(coding.trim().toLowerCase()))
}
