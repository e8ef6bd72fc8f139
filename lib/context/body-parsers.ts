/**
 * Request bodies: the content-type parsers of a context, and how a body is read within its limit.
 */
import { isUtf8 } from 'node:buffer'
import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import secureJson from 'secure-json-parse'
import { BoundedMap } from '../util/bounded-map.js'
import type { ContentTypeParser, ContentTypeParserOptions } from '../types/content-type-parser.js'
import type { Request } from '../types/request.js'
import { errorCodes, HttpError } from '../errors.js'
import { type BodySink, LazyIncomingMessage } from '../http/incoming-message.js'
import { isJson, type MediaType, parseMediaType } from '../http/media-type.js'
import { deleteProtoKey } from '../util/proto-key.js'
import { kPayloadStream } from '../util/symbols.js'

interface Parser {
  readonly parseAs: 'string' | 'buffer' | undefined
  /** bytes */
  readonly bodyLimit: number
  readonly parse: ContentTypeParser
}

type PoisoningAction = 'error' | 'remove' | 'ignore'
/**
 * Takes the end of a body, once: the parsed body, or the error of a parser that could not parse or of a body that broke a rule.
 * `close`: the connection cannot be reused.
 */
export type BodyEnd = (error: unknown, body: unknown, close?: boolean) => void

/** How many spellings of content-type headers a context remembers. */
const REMEMBERED = 100

/** The content-type parsers of one context. A child starts with a copy of its parent's; later ones are handed down. */
export class BodyParsers {
  readonly #byType = new Map<string, Parser>()
  readonly #withParameters: { type: MediaType; parser: Parser; name: string }[] = []
  readonly #byPattern: { pattern: RegExp; parser: Parser }[] = []
  #catchAll: Parser | undefined
  readonly #children: BodyParsers[] = []
  /** After `removeAll` nothing is taken over from above. */
  #isCleared = false
  readonly #found = new BoundedMap<Parser | null>(REMEMBERED)
  readonly #defaults: ReadonlySet<ContentTypeParser>

  private constructor(defaults: ReadonlySet<ContentTypeParser>) {
    this.#defaults = defaults
  }

  /** Parsers of the root: JSON and plain text. */
  static root(bodyLimit: number, onProtoPoisoning: PoisoningAction, onConstructorPoisoning: PoisoningAction): BodyParsers {
    const json = createJsonParser(onProtoPoisoning, onConstructorPoisoning)
    const parsers = new BodyParsers(new Set([json, parseText]))
    parsers.#byType.set('application/json', { parseAs: 'string', bodyLimit, parse: json })
    parsers.#byType.set('text/plain', { parseAs: 'string', bodyLimit, parse: parseText })
    return parsers
  }

  child(): BodyParsers {
    const copy = new BodyParsers(this.#defaults)
    for (const [type, parser] of this.#byType) copy.#byType.set(type, parser)
    copy.#withParameters.push(...this.#withParameters)
    copy.#byPattern.push(...this.#byPattern)
    copy.#catchAll = this.#catchAll
    this.#children.push(copy)
    return copy
  }

  /**
   * Adds a parser for a media type (`text/csv`, `text/csv; header=present`), a RegExp on the media type, or `*` for
   * whatever has no other.
   * @throws ALC_ERR_CTP_INVALID_TYPE, ALC_ERR_CTP_EMPTY_TYPE, ALC_ERR_CTP_INVALID_HANDLER, ALC_ERR_CTP_INVALID_PARSE_TYPE,
   * ALC_ERR_CTP_ALREADY_PRESENT
   */
  add(type: string | RegExp, { parseAs, bodyLimit }: ContentTypeParserOptions & { bodyLimit: number }, parse: ContentTypeParser): void {
    if (typeof type !== 'string' && !(type instanceof RegExp)) throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
    const name = typeof type === 'string' ? type.trim().toLowerCase() : type.toString()
    if (name === '') throw new errorCodes.ALC_ERR_CTP_EMPTY_TYPE()
    if (typeof parse !== 'function') throw new errorCodes.ALC_ERR_CTP_INVALID_HANDLER()
    if (this.#own(type) !== undefined && !this.#defaults.has(this.#own(type)!.parse)) {
      throw new errorCodes.ALC_ERR_CTP_ALREADY_PRESENT(String(type))
    }
    if (parseAs !== undefined && parseAs !== 'string' && parseAs !== 'buffer') {
      throw new errorCodes.ALC_ERR_CTP_INVALID_PARSE_TYPE(String(parseAs))
    }
    this.#set(type, name, { parseAs, bodyLimit, parse })
  }

  #set(type: string | RegExp, name: string, parser: Parser): void {
    const replaced = this.#own(type)
    this.#found.clear()
    for (const child of this.#children) if (!child.#isCleared && child.#own(type) === replaced) child.#set(type, name, parser)
    if (type instanceof RegExp) this.#byPattern.unshift({ pattern: type, parser })
    else if (name === '*') this.#catchAll = parser
    else {
      const mediaType = parseMediaType(name)
      if (mediaType !== undefined && Object.keys(mediaType.parameters).length > 0) {
        this.#withParameters.unshift({ type: mediaType, parser, name })
      } else this.#byType.set(name, parser)
    }
  }

  has(type: string | RegExp): boolean {
    return this.#own(type) !== undefined
  }

  /** @throws ALC_ERR_CTP_INVALID_TYPE */
  remove(type: string | RegExp): void {
    if (typeof type !== 'string' && !(type instanceof RegExp)) throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
    const parser = this.#own(type)
    if (parser === undefined) return
    this.#found.clear()
    if (type instanceof RegExp) removeParser(this.#byPattern, parser)
    else if (parser === this.#catchAll) this.#catchAll = undefined
    else if (!this.#byType.delete(type.trim().toLowerCase())) removeParser(this.#withParameters, parser)
  }

  removeAll(): void {
    this.#isCleared = true
    this.#byType.clear()
    this.#withParameters.length = 0
    this.#byPattern.length = 0
    this.#catchAll = undefined
    this.#found.clear()
  }

  #own(type: string | RegExp): Parser | undefined {
    if (type instanceof RegExp) return this.#byPattern.find((entry) => String(entry.pattern) === String(type))?.parser
    if (typeof type !== 'string') return undefined
    const name = type.trim().toLowerCase()
    if (name === '*' || name === '') return this.#catchAll
    return this.#byType.get(name) ?? this.#withParameters.find((entry) => entry.name === name)?.parser
  }

  /** The parser for a content-type header (`undefined`: none was sent), or `undefined` when nothing here may read it. */
  find(header: string | undefined): Parser | undefined {
    if (header === undefined) return this.#catchAll
    const known = this.#found.get(header)
    if (known !== undefined) return known ?? undefined
    const mediaType = parseMediaType(header)
    const parser = mediaType === undefined ? undefined : this.#search(header, mediaType)
    this.#found.set(header, parser ?? null)
    return parser
  }

  #search(header: string, { essence, parameters }: MediaType): Parser | undefined {
    for (const { type, parser } of this.#withParameters) {
      if (type.essence === essence && Object.keys(type.parameters).every((key) => parameters[key]?.toLowerCase() === type.parameters[key]))
        return parser
    }
    const exact = this.#byType.get(essence)
    if (exact !== undefined) return exact
    for (const { pattern, parser } of this.#byPattern) {
      // A pattern that speaks of parameters is held against the whole header.
      pattern.lastIndex = 0
      if (pattern.test(pattern.source.includes(';') ? header : essence)) return parser
    }
    return (isJson(essence) ? this.#byType.get('application/json') : undefined) ?? this.#catchAll
  }
}

function removeParser(list: { parser: Parser }[], parser: Parser): void {
  list.splice(
    list.findIndex((entry) => entry.parser === parser),
    1,
  )
}

/**
 * Reads and parses the body of a request. `end` is called once, in the async context of the caller.
 *
 * @param limit bytes; the route's, else the parser's own
 */
export function parseBody(parser: Parser, request: Request, limit: number | undefined, end: BodyEnd): void {
  // Data events belong to the connection: without this, an AsyncLocalStorage entered in a hook would be lost.
  const resource = new AsyncResource('alcove.body')
  let isOver = false
  const finish: BodyEnd = (error, body, close) => {
    if (isOver) return
    isOver = true
    resource.runInAsyncScope(end, undefined, error, body, close)
    resource.emitDestroy()
  }
  const stream = (request as unknown as { [kPayloadStream]: Readable })[kPayloadStream]
  // The client left while a hook was at work: nothing comes of it any more, not even an event.
  if (stream.destroyed) return finish(asClientError(stream.errored ?? new HttpError(400, 'aborted')), undefined)
  if (parser.parseAs === undefined) return runParser(parser.parse, request, stream, finish)
  readBody(stream, request, limit ?? parser.bodyLimit, (error, bytes, close) => {
    if (error != null) return finish(error, undefined, close)
    if (parser.parseAs === 'buffer') return runParser(parser.parse, request, bytes, finish)
    if (!isUtf8(bytes!)) return finish(new errorCodes.ALC_ERR_CTP_INVALID_UTF8(), undefined)
    runParser(parser.parse, request, bytes!.toString('utf8'), finish)
  })
}

/** Tells whether a request has a body once its first bytes are there, or its end without any. They stay in the stream. */
export function awaitBody(raw: IncomingMessage, end: (error: unknown, isThere: boolean) => void): void {
  const settle = (): void => {
    raw.off('readable', settle).off('close', settle)
    if (raw.readableLength > 0) return end(null, true)
    // A stream that its client resets ends first, and says why afterwards.
    setImmediate(() => end(raw.aborted ? new HttpError(400, 'aborted') : null, false))
  }
  raw.on('readable', settle).on('close', settle)
}

function runParser(parse: ContentTypeParser, request: Request, payload: unknown, finish: BodyEnd): void {
  // JSON inherits from Object, and was looked through by its own parser. Form fields inherit nothing.
  const done = (error?: unknown, body?: unknown): void => finish(error, body instanceof Object ? body : deleteProtoKey(body))
  const fail = (error: unknown): void => finish(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR(), undefined)
  let result: any
  try {
    result = parse(request, payload, done)
  } catch (error) {
    return fail(error)
  }
  if (result != null && typeof result.then === 'function') result.then((body: unknown) => done(null, body), fail)
}

function readBody(
  stream: Readable & { receivedEncodedLength?: number },
  request: Request,
  limit: number,
  end: (error: unknown, bytes?: Buffer, close?: boolean) => void,
): void {
  const declared = request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length'])
  // The client is about to send what nobody will read, so its connection cannot serve another request.
  if (declared !== undefined && declared > limit) return end(new errorCodes.ALC_ERR_CTP_BODY_TOO_LARGE(), undefined, true)
  const body = new WholeBody(stream, declared, limit, end)
  if (stream instanceof LazyIncomingMessage && stream.sinkInto(body)) return
  const onData = (data: Buffer | string): void => {
    body.onData(typeof data === 'string' ? Buffer.from(data) : data)
    // Whatever makes more of it (a decompressing hook, a client of HTTP/2) need not go on.
    if (body.isOver) stream.off('data', onData).pause()
  }
  stream.on('data', onData)
  stream.on('end', () => body.onEnd())
  // Stays when the body is over: an error that nobody listens to would be uncaught.
  stream.on('error', (error) => body.onError(error))
  stream.resume()
}

/** Collects a body within its limit. */
class WholeBody implements BodySink {
  private readonly stream: { receivedEncodedLength?: number }
  private readonly declared: number | undefined
  private readonly limit: number
  private readonly end: (error: unknown, bytes?: Buffer, close?: boolean) => void
  private readonly chunks: Buffer[] = []
  private received = 0
  isOver = false

  /** @param declared bytes by `content-length` @param limit bytes */
  constructor(
    stream: { receivedEncodedLength?: number },
    declared: number | undefined,
    limit: number,
    end: (error: unknown, bytes?: Buffer, close?: boolean) => void,
  ) {
    this.stream = stream
    this.declared = declared
    this.limit = limit
    this.end = end
  }

  onData(chunk: Buffer): void {
    if (this.isOver) return
    this.received += chunk.length
    // A decompressing preParsing hook must bound both sides: what came in, and what it became.
    if (this.received > this.limit || (this.stream.receivedEncodedLength ?? 0) > this.limit) {
      this.isOver = true
      return this.end(new errorCodes.ALC_ERR_CTP_BODY_TOO_LARGE(), undefined, true)
    }
    this.chunks.push(chunk)
  }

  onEnd(): void {
    if (this.isOver) return
    this.isOver = true
    if (this.declared !== undefined && (this.stream.receivedEncodedLength || this.received) !== this.declared) {
      return this.end(new errorCodes.ALC_ERR_CTP_INVALID_CONTENT_LENGTH(), undefined, true)
    }
    this.end(null, this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.received))
  }

  onError(error: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.end(error == null ? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR() : asClientError(error))
  }
}

/** What broke while a body was read is the client's fault, unless the error says otherwise. */
function asClientError(error: any): unknown {
  try {
    if (!(typeof error.statusCode === 'number' && error.statusCode >= 400)) error.statusCode = 400
    return error
  } catch {
    // A string, a frozen error.
    return new HttpError(400, undefined, { cause: error })
  }
}

/** How deep JSON may be nested: far more than data is, far less than what validators and handlers can recurse into. */
const MAX_DEPTH = 1000

/** Whether brackets open more than {@link MAX_DEPTH} times inside each other. Short texts have no room for that and cost nothing. */
function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      // To the end of the string, past what is escaped.
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The default JSON parser (secure-json-parse): refuses `__proto__` and `constructor.prototype` as told. */
export function createJsonParser(onProtoPoisoning: PoisoningAction, onConstructorPoisoning: PoisoningAction): ContentTypeParser {
  const options = { protoAction: onProtoPoisoning, constructorAction: onConstructorPoisoning }
  return function parseJson(_request, body: string | Buffer, done) {
    if (body == null || body.length === 0) return done(new errorCodes.ALC_ERR_CTP_EMPTY_JSON_BODY())
    if (typeof body !== 'string' && !isUtf8(body)) return done(new errorCodes.ALC_ERR_CTP_INVALID_UTF8())
    const text = body.toString()
    if (isTooDeep(text)) return done(new errorCodes.ALC_ERR_CTP_BODY_TOO_DEEP(MAX_DEPTH))
    let value: unknown
    try {
      value = secureJson.parse(text, undefined, options)
    } catch (error) {
      return done(Object.assign(error as Error, { statusCode: 400 }))
    }
    if (mayOverflow(text) && hasInfinity(value)) return done(new errorCodes.ALC_ERR_CTP_NUMBER_TOO_LARGE())
    done(null, value)
  }
}

const longExponent = /\d[eE]\+?\d{3}/
/** digits that a number needs that is too large with a shorter exponent: doubles have up to 309 */
const MANY_DIGITS = 209

/** Whether a text may hold a number that no double can: a long exponent, or very many digits. */
function mayOverflow(text: string): boolean {
  if (longExponent.test(text)) return true
  // So many digits in a row are met at two steps of half their length.
  const step = Math.floor(MANY_DIGITS / 2)
  for (let at = step; at + step < text.length; at += step) if (isDigit(text, at) && isDigit(text, at + step)) return true
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

/** Whether a number in a parsed text was too large for a double: `1e400` is nobody's Infinity. */
function hasInfinity(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  return Object.values(value).some(hasInfinity)
}

export const parseText: ContentTypeParser = function parseText(_request, body, done) {
  done(null, body)
}
