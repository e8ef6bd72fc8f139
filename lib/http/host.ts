/** Checks that a host, as in `Host`, is valid: a name or an address, and perhaps a port. An empty one is. */
import { isIPv6 } from 'node:net'

// RFC 3986 §3.2.2: an IP literal or a name, then a port.
const hostAndPort = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::(\d*))?$/i
let knownHost = ''

/** Clients send the same host over and over, so that it is read once. */
export function isHost(host: string): boolean {
  if (host === knownHost || host === '') return true
  const [match, ip, port] = hostAndPort.exec(host) ?? []
  if (match === undefined || (ip !== undefined && !isIPv6(ip)) || Number(port ?? 0) > 65_535) return false
  knownHost = host
  return true
}
