/** The ids of requests. */
import type { IncomingMessage } from 'node:http'
import { assertNotPromise } from '../util/promises.js'

// An id goes into every log line of its request, and often into headers of replies and of further requests. So it must be printable and
// short.
const isBelievable = /^[\x20-\x7e]{1,128}$/

/**
 * Makes the function that returns the id of a request: the value of a header if it is at most 128 characters of printable ASCII, otherwise
 * a new id.
 * @param header the name of the header in lower case; `false`: no header is read
 * @param generate makes a new id; default: `req-1`, `req-2`, …, counted in base 36
 */
export function createIdGenerator(
  header: string | false | undefined,
  generate: ((raw: IncomingMessage) => string) | undefined,
): (raw: IncomingMessage) => string {
  let last = 0
  const next = generate
    ? (raw: IncomingMessage) => assertNotPromise(generate(raw), 'genReqId')
    : () => `req-${(last = (last + 1) & 0x7fffffff).toString(36)}`
  if (!header) return next
  return (raw) => {
    const sentId = raw.headers[header]
    return typeof sentId === 'string' && isBelievable.test(sentId) ? sentId : next(raw)
  }
}
