/** The default parser of JSON bodies, and the limits that it enforces. Only this file imports secure-json-parse. */
import { isAscii, isUtf8 } from 'node:buffer'
import secureJson from 'secure-json-parse'
import { errorCodes } from '../errors/codes.js'
import type { ContentTypeParser } from '../types/request.js'
import { type Conventions, ownConventions } from './conventions.js'

/**
 * How a key `__proto__`, or a `constructor` with a `prototype`, is treated in a JSON body: `error` answers 400, `remove` drops the key,
 * `ignore` keeps it.
 */
export type PoisoningAction = 'error' | 'remove' | 'ignore'

/**
 * The most levels of nesting that a JSON body may have: real data needs fewer, and validators and handlers overflow the stack only with
 * more.
 */
const MAX_JSON_DEPTH = 1000

/** The length in characters of the shortest JSON text that can be nested deeper than `MAX_JSON_DEPTH`. */
const MIN_DEEP_LENGTH = 2 * MAX_JSON_DEPTH + 1

/** Makes the default JSON parser with an action for each of the keys `__proto__` and `constructor.prototype`. */
export function createJsonParser(
  onProtoPoisoning: PoisoningAction,
  onConstructorPoisoning: PoisoningAction,
  { malformedJson }: Pick<Conventions, 'malformedJson'> = ownConventions,
): ContentTypeParser {
  const options = { protoAction: onProtoPoisoning, constructorAction: onConstructorPoisoning }
  return function parseJson(_request, body: string | Buffer, done) {
    if (body == null || body.length === 0) return done(new errorCodes.ALC_ERR_CTP_EMPTY_JSON_BODY())
    const text = typeof body === 'string' ? body : decode(body)
    if (text === undefined) return done(new errorCodes.ALC_ERR_CTP_INVALID_UTF8())
    let value: unknown
    try {
      value = mayPoison(text) ? secureJson.parse(text, undefined, options) : JSON.parse(text)
    } catch (error) {
      return done(malformedJson(error as Error))
    }
    const fault = text.length >= MIN_DEEP_LENGTH || mayOverflow(text) ? findExcess(value, MAX_JSON_DEPTH) : undefined
    if (fault === undefined) done(null, value)
    else if (fault === 'too deep') done(new errorCodes.ALC_ERR_CTP_BODY_TOO_DEEP(MAX_JSON_DEPTH))
    else done(new errorCodes.ALC_ERR_CTP_NUMBER_TOO_LARGE())
  }
}

/** Decodes bytes as UTF-8. @returns `undefined` if the bytes are not UTF-8 */
function decode(bytes: Buffer): string | undefined {
  // Decoding as latin1 takes half the time, and ASCII is the same in both.
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}

const BYTE_ORDER_MARK = 0xfeff

/**
 * Whether secure-json-parse has to look at a JSON text: it may contain `__proto__` or `constructor`, perhaps written with escapes, or
 * begins with a byte order mark, which secure-json-parse removes. The texts to search for are short and begin with rare characters, because
 * the JavaScript engine finds these fastest.
 */
function mayPoison(text: string): boolean {
  return text.includes('\\u') || text.includes('__"') || text.includes('uctor"') || text.charCodeAt(0) === BYTE_ORDER_MARK
}

const longExponent = /\d[eE]\+?\d{3}/
/**
 * The fewest digits of a JSON number that is too large for a double, if its exponent has at most two digits. A double has up to 309 digits
 * before its point.
 */
const MIN_OVERFLOWING_DIGITS = 209

/** Whether a JSON text may contain a number that is too large for a double: it contains a long exponent or very many digits. */
function mayOverflow(text: string): boolean {
  if (longExponent.test(text)) return true
  // A row of that many digits covers two positions that are half its length apart.
  const step = Math.floor(MIN_OVERFLOWING_DIGITS / 2)
  for (let at = step; at + step < text.length; at += step) if (isDigit(text, at) && isDigit(text, at + step)) return true
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

/**
 * Returns the fault of a parsed value: nested deeper than `levels`, or a number that is too large and became Infinity, such as `1e400`;
 * `undefined` if the value has no fault. The JavaScript engine parses JSON without recursion, and this recursion is bounded. A search for
 * deep nesting in the text would protect nothing: parsing 1 MiB of brackets takes just as long if the brackets are nested only as deeply as
 * allowed, over and over.
 */
function findExcess(value: unknown, levels: number): 'too deep' | 'too large' | undefined {
  if (value === null || typeof value !== 'object')
    return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? 'too large' : undefined
  if (levels === 0) return 'too deep'
  let fault: ReturnType<typeof findExcess>
  if (Array.isArray(value)) {
    for (const item of value) if (mayBeFault(item) && (fault = findExcess(item, levels - 1)) !== undefined) return fault
  } else {
    for (const key in value) {
      const item: unknown = (value as Record<string, unknown>)[key]
      if (mayBeFault(item) && (fault = findExcess(item, levels - 1)) !== undefined) return fault
    }
  }
  return undefined
}

/** Whether `findExcess` has to look at a value. It need not be called for texts, booleans and the like. */
function mayBeFault(value: unknown): boolean {
  return typeof value === 'object' || typeof value === 'number'
}
