/**
 * Checks of headers: of request headers that a server and a proxy in front of it may read differently, and of the headers of responses.
 *
 * Cached for the process: the last valid host, one string. Clients send the same host over and over, so it is rarely parsed twice.
 */
import { isIPv6, validateHeaderName, validateHeaderValue } from '../util/node/modules.js'

// RFC 3986 §3.2.2: an IP literal or a name, then a port.
const hostAndPort = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::(\d*))?$/i
let lastValidHost = ''

/** Whether the value of a `Host` header is valid: a name or an address, with or without a port. The empty value is valid too. */
export function isValidHost(host: string): boolean {
  if (host === lastValidHost || host === '') return true
  const [match, ip, port] = hostAndPort.exec(host) ?? []
  if (match === undefined || (ip !== undefined && !isIPv6(ip)) || Number(port ?? 0) > 65_535) return false
  lastValidHost = host
  return true
}

/**
 * Whether a request has sent a header more than once. Node keeps only the first value of some headers; a proxy that forwarded the request
 * may have read the last one.
 * @param rawHeaders the list that Node makes: names and values in turn
 * @param name lower case
 */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]!
    if (sent.length === name.length && sent.toLowerCase() === name && ++count > 1) return true
  }
  return false
}

/** The methods of a reply by which a header is read and set. */
interface HeaderAccess {
  getHeader(name: string): number | string | string[] | undefined
  header(name: string, value: string): unknown
}

/** Adds the name of a request header to the header `Vary` of a reply: a cache must not send the reply to a client with another value. */
export function addVary(reply: HeaderAccess, name: string): void {
  const names = [reply.getHeader('vary') ?? []].flat().flatMap((line) => String(line).split(','))
  const known = names.map((each) => each.trim()).filter((each) => each !== '')
  if (known.some((each) => each === '*' || each.toLowerCase() === name.toLowerCase())) return
  reply.header('vary', [...known, name].join(', '))
}

/**
 * Refuses headers with a line break. Node makes this check when a header of HTTP/1 is set, but not for headers of HTTP/2 and for early
 * hints. A proxy that forwards the response over HTTP/1 would read the rest of such a value as a further header.
 * @throws TypeError for an invalid name or value
 */
export function validateHeaders(headers: object): void {
  for (const [name, value] of Object.entries(headers)) validateHeader(name, value)
}

/** Refuses a header that is invalid or has a line break. @throws TypeError for an invalid name or value */
export function validateHeader(name: string, value: any): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
}
