/** The default parser of JSON bodies (secure-json-parse, which only this file imports), and the limits that it enforces. */
import { isUtf8 } from 'node:buffer'
import secureJson from 'secure-json-parse'
import { errorCodes } from '../errors/codes.js'
import type { ContentTypeParser } from '../types/request.js'
import { type Conventions, ownConventions } from './conventions.js'

/** How to treat a `__proto__`, or a `constructor` with a `prototype`: answer 400, drop it, or keep it. */
export type PoisoningAction = 'error' | 'remove' | 'ignore'

/** The deepest nesting that is accepted: more than real data needs, less than makes validators and handlers overflow the stack. */
const MAX_JSON_DEPTH = 1000

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a text nests brackets deeper than {@link MAX_JSON_DEPTH}. A short text cannot, and is not looked through. */
function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_JSON_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      // Skips a string. A backslash in it escapes the next character.
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

/** Makes the default JSON parser, with these actions on `__proto__` and `constructor.prototype`. */
export function createJsonParser(
  onProtoPoisoning: PoisoningAction,
  onConstructorPoisoning: PoisoningAction,
  { malformedJson }: Pick<Conventions, 'malformedJson'> = ownConventions,
): ContentTypeParser {
  const options = { protoAction: onProtoPoisoning, constructorAction: onConstructorPoisoning }
  return function parseJson(_request, body: string | Buffer, done) {
    if (body == null || body.length === 0) return done(new errorCodes.ALC_ERR_CTP_EMPTY_JSON_BODY())
    if (typeof body !== 'string' && !isUtf8(body)) return done(new errorCodes.ALC_ERR_CTP_INVALID_UTF8())
    const text = body.toString()
    if (isTooDeep(text)) return done(new errorCodes.ALC_ERR_CTP_BODY_TOO_DEEP(MAX_JSON_DEPTH))
    let value: unknown
    try {
      value = secureJson.parse(text, undefined, options)
    } catch (error) {
      return done(malformedJson(error as Error))
    }
    if (mayOverflow(text) && hasInfinity(value)) return done(new errorCodes.ALC_ERR_CTP_NUMBER_TOO_LARGE())
    done(null, value)
  }
}

const longExponent = /\d[eE]\+?\d{3}/
/** A double has up to 309 digits before its point. A larger number whose exponent has at most two digits has at least this many. */
const MIN_OVERFLOWING_DIGITS = 209

/** Whether a text may contain a number that is too large for a double: one with a long exponent or very many digits. */
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

/** Whether a parsed value contains an Infinity, which JSON has no way to write: `1e400` became one. */
function hasInfinity(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  return Object.values(value).some(hasInfinity)
}
