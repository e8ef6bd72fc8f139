/** Reads the idempotency key of a request, and makes the digest by which requests are compared. */
import { errorCodes, type Request } from '../../lib/index.js'
import { createHash, exchangeOf, isBodyLeftUnread, isPlainObject } from '../../lib/internal.js'
import { IdempotencyKeyInvalid } from './errors.js'

/** The greatest length of a key, in characters. */
export const MAX_KEY_LENGTH = 255
/** The deepest nesting of a body. A deeper body is refused, because reading it could exhaust the stack. */
const MAX_DEPTH = 500

/**
 * The forms of a key: a quoted text of Structured Fields (RFC 9651 §3.3.3), or (`bare`) a bare word, which many clients send. A word must
 * not contain a comma, which separates two keys.
 */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/
const bare = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/

/**
 * Reads the header `Idempotency-Key`. `"abc"` and `abc` are the same key.
 * @returns `undefined` if the header is missing @throws IdempotencyKeyInvalid
 */
export function readKey(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : ''
  const key = quoted.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? (bare.test(text) ? text : '')
  if (key !== '' && key.length <= MAX_KEY_LENGTH) return key
  throw new IdempotencyKeyInvalid({}, `Idempotency-Key must be one text of 1 to ${MAX_KEY_LENGTH} visible ASCII characters`)
}

/** Returns the digest of a key and its caller. Two callers can use the same key independently, and a store sees neither text. */
export function digestOfKey(caller: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest('hex')
}

/**
 * Returns the digest of a request's method, route, params, query and body, by which requests with the same key are compared. @throws
 * ALC_ERR_IDEMPOTENCY for a body that cannot be compared
 */
export function fingerprintOf(request: Request, place: string): string {
  const { method, params, query, body, routeOptions } = request
  const exchange = exchangeOf(request)
  // Routes of one path may differ in these, for example in the host of a tenant.
  const { constraints } = exchange.route
  const hash = createHash('sha256')
  try {
    if (isBodyLeftUnread(exchange)) throw new Incomparable('the handler reads the body, whose content is not known before')
    for (const part of [method, routeOptions.url, constraints, params, query, body]) hash.update(textOf(part, new Set())).update('\n')
  } catch (error) {
    if (error instanceof Incomparable) throw new errorCodes.ALC_ERR_IDEMPOTENCY(place, `cannot compare the requests: ${error.message}`)
    throw error
  }
  return hash.digest('hex')
}

class Incomparable extends Error {}

/**
 * Returns a text that is equal for equal values, and different for different values.
 * @param outer the objects that the value is inside of
 */
function textOf(value: any, outer: Set<unknown>): string {
  if (value === undefined) return 'u'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol' || typeof value === 'function') throw new Incomparable(`a value is a ${typeof value}`)
  // JSON writes NaN and Infinity as null.
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (ArrayBuffer.isView(value)) return `b${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}`
  if (value instanceof Date) return `d${value.getTime()}`
  // No client can send such a value, but a parser can make one, such as the parts of a form that refer to each other.
  if (outer.has(value)) throw new Incomparable('an object of the body contains itself')
  if (outer.size >= MAX_DEPTH)
    throw new IdempotencyKeyInvalid({}, `With an Idempotency-Key, a body is nested at most ${MAX_DEPTH} levels deep`)
  outer.add(value)
  const text = textOfMembers(value, outer)
  outer.delete(value)
  return text
}

function textOfMembers(value: any, outer: Set<unknown>): string {
  const list = (values: Iterable<unknown>): string => Array.from(values, (each) => textOf(each, outer)).join(',')
  if (Array.isArray(value)) return `[${list(value)}]`
  if (value instanceof Map || value instanceof Set) return `m(${list(value)})`
  if (!isPlainObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value || value instanceof Blob))
    throw new Incomparable(`the body has a ${value.constructor?.name ?? 'stream'}, whose content is not known`)
  const entries = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(value[name], outer)}`)
  return `{${entries.join(',')}}`
}
