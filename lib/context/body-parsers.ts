/** The content-type parsers of a context, and the search for the parser that reads a body. */
import { errorCodes } from '../errors/codes.js'
import { isJsonType, type MediaType, parseMediaType } from '../http/media-type.js'
import type { ContentTypeParser, ContentTypeParserOptions } from '../types/request.js'
import { BoundedMap } from '../util/bounded-map.js'

/** A content-type parser, and the form in which the parser gets a body. */
export interface BodyParser {
  /** The form in which the parser gets a body; `undefined`: as a stream. */
  readonly parseAs: 'string' | 'buffer' | undefined
  /** The most bytes that a body may have; `Infinity` for a parser that takes the stream and states no limit */
  readonly bodyLimit: number
  readonly parse: ContentTypeParser
}

/** The built-in parser of `text/plain`. */
export const parseText: ContentTypeParser = function parseText(_request, body, done) {
  done(null, body)
}

/** Throws if the type of a parser is only a substring of a media type, such as `multipart`. @throws ALC_ERR_CTP_INVALID_TYPE */
export function assertWholeType(type: unknown): void {
  if (typeof type === 'string' && type.trim() !== '' && type !== '*' && parseMediaType(type) === undefined)
    throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
}

/** The number of different content-type headers for which a context remembers the parser. */
const REMEMBERED_HEADERS = 100

/**
 * The content-type parsers of one context. A child starts with a copy of its parent's. Parsers that are added to a context later are handed
 * down to its children.
 */
export class BodyParsers {
  readonly #byType = new Map<string, BodyParser>()
  readonly #withParameters: { type: MediaType; parser: BodyParser; name: string }[] = []
  readonly #byPattern: { pattern: RegExp; parser: BodyParser }[] = []
  /** Parsers by a substring of media types, such as `multipart`. */
  readonly #bySubstring = new Map<string, BodyParser>()
  #catchAll: BodyParser | undefined
  readonly #children: BodyParsers[] = []
  /** The parsers that were added in this context itself, for one media type each. */
  readonly #addedHere = new Set<BodyParser>()
  /** Whether `removeAll` was called. Parsers that an ancestor adds after that are not added here. */
  #isCleared = false
  readonly #found = new BoundedMap<BodyParser | null>(REMEMBERED_HEADERS)
  readonly #defaults: ReadonlySet<ContentTypeParser>

  private constructor(defaults: ReadonlySet<ContentTypeParser>) {
    this.#defaults = defaults
  }

  /** Makes the parsers of the root context: JSON and plain text. */
  static root(bodyLimit: number, json: ContentTypeParser): BodyParsers {
    const parsers = new BodyParsers(new Set([json, parseText]))
    parsers.#byType.set('application/json', { parseAs: 'string', bodyLimit, parse: json })
    parsers.#byType.set('text/plain', { parseAs: 'string', bodyLimit, parse: parseText })
    return parsers
  }

  child(): BodyParsers {
    const copy = new BodyParsers(this.#defaults)
    for (const [type, parser] of this.#byType) copy.#byType.set(type, parser)
    for (const [substring, parser] of this.#bySubstring) copy.#bySubstring.set(substring, parser)
    copy.#withParameters.push(...this.#withParameters)
    copy.#byPattern.push(...this.#byPattern)
    copy.#catchAll = this.#catchAll
    this.#children.push(copy)
    return copy
  }

  /**
   * Adds a parser for a media type (`text/csv`, `text/csv; header=present`), for a RegExp on the media type, for a substring of a media type
   * (`multipart`, as plugins for Fastify 4 write it), or for `*`: all types without another parser.
   * @throws ALC_ERR_CTP_INVALID_TYPE, ALC_ERR_CTP_EMPTY_TYPE, ALC_ERR_CTP_INVALID_HANDLER, ALC_ERR_CTP_INVALID_PARSE_TYPE,
   * ALC_ERR_CTP_ALREADY_PRESENT
   */
  add(type: string | RegExp, { parseAs, bodyLimit }: ContentTypeParserOptions & { bodyLimit: number }, parse: ContentTypeParser): void {
    if (typeof type !== 'string' && !(type instanceof RegExp)) throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
    const name = typeof type === 'string' ? type.trim().toLowerCase() : type.toString()
    if (name === '') throw new errorCodes.ALC_ERR_CTP_EMPTY_TYPE()
    if (typeof parse !== 'function') throw new errorCodes.ALC_ERR_CTP_INVALID_HANDLER()
    if (this.#own(type) !== undefined && !this.#defaults.has(this.#own(type)!.parse)) {
      throw new errorCodes.ALC_ERR_CTP_ALREADY_PRESENT(name)
    }
    if (parseAs !== undefined && parseAs !== 'string' && parseAs !== 'buffer') {
      throw new errorCodes.ALC_ERR_CTP_INVALID_PARSE_TYPE(String(parseAs))
    }
    const parser = { parseAs, bodyLimit, parse }
    this.#set(type, name, parser)
    if (typeof type === 'string' && name.includes('/')) this.#addedHere.add(parser)
  }

  /**
   * Whether a parser was added in this context itself, for one media type. A parser of a plugin that shares this context (fastify-plugin)
   * counts too.
   */
  wasAddedHere(parser: BodyParser): boolean {
    return this.#addedHere.has(parser)
  }

  #set(type: string | RegExp, name: string, parser: BodyParser): void {
    const replaced = this.#own(type)
    this.#found.clear()
    for (const child of this.#children) if (!child.#isCleared && child.#own(type) === replaced) child.#set(type, name, parser)
    if (type instanceof RegExp) this.#byPattern.unshift({ pattern: type, parser })
    else if (name === '*') this.#catchAll = parser
    else if (!name.includes('/')) this.#bySubstring.set(name, parser)
    else {
      const mediaType = parseMediaType(name)
      if (mediaType !== undefined && Object.keys(mediaType.parameters).length > 0) {
        this.#withParameters.unshift({ type: mediaType, parser, name })
      } else this.#byType.set(name, parser)
    }
  }

  /** Returns the parsers that the application added, here or in an ancestor, with the types that they were added for. */
  list(): { readonly type: string; readonly parser: BodyParser }[] {
    return [
      ...[...this.#byType].map(([type, parser]) => ({ type, parser })),
      ...this.#withParameters.map(({ name, parser }) => ({ type: name, parser })),
      ...this.#byPattern.map(({ pattern, parser }) => ({ type: String(pattern), parser })),
      ...[...this.#bySubstring].map(([type, parser]) => ({ type, parser })),
      ...(this.#catchAll === undefined ? [] : [{ type: '*', parser: this.#catchAll }]),
    ].filter(({ parser }) => !this.#defaults.has(parser.parse))
  }

  /** Whether a parser was added for exactly this type, here or in an ancestor. @throws ALC_ERR_CTP_INVALID_TYPE */
  has(type: string | RegExp): boolean {
    if (typeof type !== 'string' && !(type instanceof RegExp)) throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
    return this.#own(type) !== undefined
  }

  /** Removes the parser of exactly this type, if there is one. @throws ALC_ERR_CTP_INVALID_TYPE */
  remove(type: string | RegExp): void {
    if (typeof type !== 'string' && !(type instanceof RegExp)) throw new errorCodes.ALC_ERR_CTP_INVALID_TYPE()
    const parser = this.#own(type)
    if (parser === undefined) return
    this.#found.clear()
    if (type instanceof RegExp) removeParser(this.#byPattern, parser)
    else if (parser === this.#catchAll) this.#catchAll = undefined
    else {
      const name = type.trim().toLowerCase()
      if (!this.#byType.delete(name) && !this.#bySubstring.delete(name)) removeParser(this.#withParameters, parser)
    }
  }

  removeAll(): void {
    this.#isCleared = true
    this.#byType.clear()
    this.#bySubstring.clear()
    this.#withParameters.length = 0
    this.#byPattern.length = 0
    this.#catchAll = undefined
    this.#found.clear()
  }

  #own(type: string | RegExp): BodyParser | undefined {
    if (type instanceof RegExp) return this.#byPattern.find((entry) => String(entry.pattern) === String(type))?.parser
    if (typeof type !== 'string') return undefined
    const name = type.trim().toLowerCase()
    if (name === '*' || name === '') return this.#catchAll
    return this.#byType.get(name) ?? this.#bySubstring.get(name) ?? this.#withParameters.find((entry) => entry.name === name)?.parser
  }

  /**
   * Returns the parser for a content-type header (`undefined`: the client sent none); `undefined` if no parser of this context may read the
   * body.
   */
  find(header: string | undefined): BodyParser | undefined {
    if (header === undefined) return this.#catchAll
    const known = this.#found.get(header)
    if (known !== undefined) return known ?? undefined
    const mediaType = parseMediaType(header)
    const parser = mediaType === undefined ? undefined : this.#search(header, mediaType)
    this.#found.set(header, parser ?? null)
    return parser
  }

  #search(header: string, { essence, parameters }: MediaType): BodyParser | undefined {
    for (const { type, parser } of this.#withParameters) {
      if (type.essence === essence && Object.keys(type.parameters).every((key) => parameters[key]?.toLowerCase() === type.parameters[key]))
        return parser
    }
    const exact = this.#byType.get(essence)
    if (exact !== undefined) return exact
    for (const { pattern, parser } of this.#byPattern) {
      // A pattern with a semicolon is about parameters, so it is compared with the whole header, as it came and in the one form that
      // patterns for Fastify 5 are written for. A substring with a semicolon is compared with the whole header too, below.
      const isMatch = pattern.source.includes(';')
        ? matches(pattern, header) || matches(pattern, inOneForm(essence, parameters))
        : matches(pattern, essence)
      if (isMatch) return parser
    }
    const json = isJsonType(essence) ? this.#byType.get('application/json') : undefined
    if (json !== undefined) return json
    for (const [substring, parser] of this.#bySubstring)
      if ((substring.includes(';') ? header.toLowerCase() : essence).includes(substring)) return parser
    return this.#catchAll
  }
}

function matches(pattern: RegExp, text: string): boolean {
  // A pattern with the flag `g` would go on where it has last matched.
  pattern.lastIndex = 0
  return pattern.test(text)
}

/** Writes a media type with its parameters as one text, the same for all spellings of the header: `application/json; charset="utf-8"` */
function inOneForm(essence: string, parameters: MediaType['parameters']): string {
  return [essence, ...Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)].join('; ')
}

function removeParser(list: { parser: BodyParser }[], parser: BodyParser): void {
  list.splice(
    list.findIndex((entry) => entry.parser === parser),
    1,
  )
}
