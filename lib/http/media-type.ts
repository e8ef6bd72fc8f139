/**
 * Reads media types (RFC 9110 §8.3.1), in one way for parsers, validators and serializers: the essence in lower case and the
 * parameters, or `undefined` if the header is malformed. Wraps fast-content-type-parse.
 *
 * Cached for the process: the results for the last 100 spellings, malformed ones included. Clients and replies send the same few
 * spellings over and over. The map is bounded because clients choose its keys.
 */
import { safeParse } from 'fast-content-type-parse'
import { BoundedMap } from '../util/bounded-map.js'

export interface MediaType {
  /** The type without its parameters, in lower case: `type/subtype`. */
  readonly essence: string
  readonly parameters: Readonly<Record<string, string>>
}

const MAX_CACHED_SPELLINGS = 100
/** The media type of each spelling that was parsed; `null` if the spelling is malformed. */
const parsed = new BoundedMap<MediaType | null>(MAX_CACHED_SPELLINGS)

/** Parses a `content-type` header. @returns `undefined` if the header is not a media type, or if its parameters are malformed */
export function parseMediaType(header: string): MediaType | undefined {
  let found = parsed.get(header)
  if (found === undefined) {
    const { type, parameters } = safeParse(header)
    found = type === '' ? null : { essence: type, parameters }
    parsed.set(header, found)
  }
  return found ?? undefined
}

/**
 * Returns the essence (`type/subtype`, lower case) of a value of a `content-type` header; `undefined` if the value is missing, malformed or
 * not a text.
 */
export function readMediaType(header: unknown): string | undefined {
  return typeof header === 'string' ? parseMediaType(header)?.essence : undefined
}

/** Whether a text is a media type, or a range of them: all of a type (as `text` with a `*` behind the slash), or any type. */
export function isMediaTypeOrRange(text: string): boolean {
  const essence = readMediaType(text)
  return essence !== undefined && (essence === '*/*' || !essence.replace(/\/\*$/, '').includes('*'))
}

/** Whether a media type is JSON: `application/json`, or a subtype with the suffix `+json` (RFC 6838 §4.2.8). */
export function isJsonType(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

/**
 * Values by the media type that they are declared for: a type, a type with parameters (`application/json; v=2`), or a range (all of `text`,
 * or any type). For a header, the value declared for its type with these parameters is found, else for its type, else for a range.
 */
export class MediaTypeMap<Value> {
  readonly #entries = new Map<string, { readonly type: MediaType; value: Value }[]>()

  /** Adds a value for a media type. @returns whether the media type was new; if not, nothing is changed */
  add(key: string, value: Value): boolean {
    const type = readKey(key)
    const entries = this.#entries.get(type.essence)
    if (entries === undefined) this.#entries.set(type.essence, [{ type, value }])
    else if (entries.some((entry) => isSameType(entry.type, type))) return false
    else {
      entries.push({ type, value })
      // Entries with more parameters come first: they are the more specific ones.
      entries.sort((a, b) => Object.keys(b.type.parameters).length - Object.keys(a.type.parameters).length)
    }
    return true
  }

  /** Replaces the value that was declared for exactly this media type; does nothing if there is none. */
  replace(key: string, value: Value): void {
    const type = readKey(key)
    const entry = this.#entries.get(type.essence)?.find((declared) => isSameType(declared.type, type))
    if (entry !== undefined) entry.value = value
  }

  /** Finds the value for a `content-type` header. For a header that is missing or malformed, returns the value declared for any type. */
  find(header: string | undefined): Value | undefined {
    const type = header === undefined ? undefined : parseMediaType(header)
    if (type === undefined) return this.#forAnyType?.value
    const entries = this.#entries.get(type.essence)
    if (entries !== undefined) {
      const match = entries.find((entry) => hasParameters(type, entry.type))
      // If the parameters differ from all declared ones, the type is still the same: the least specific entry matches.
      return (match ?? entries.at(-1)!).value
    }
    return (this.#entries.get(`${type.essence.slice(0, type.essence.indexOf('/'))}/*`)?.[0] ?? this.#forAnyType)?.value
  }

  get #forAnyType(): { readonly value: Value } | undefined {
    return this.#entries.get('*/*')?.[0]
  }

  /** Returns the value declared for exactly this media type. */
  get(key: string): Value | undefined {
    const type = readKey(key)
    return this.#entries.get(type.essence)?.find((entry) => isSameType(entry.type, type))?.value
  }

  /** Lists the values of all media types. */
  *values(): Iterable<Value> {
    for (const entries of this.#entries.values()) for (const { value } of entries) yield value
  }

  get first(): Value | undefined {
    return this.#entries.values().next().value?.[0]?.value
  }
}

function readKey(key: string): MediaType {
  return parseMediaType(key) ?? { essence: key.trim().toLowerCase(), parameters: {} }
}

function isSameType(a: MediaType, b: MediaType): boolean {
  return hasParameters(a, b) && hasParameters(b, a)
}

function hasParameters({ parameters }: MediaType, wanted: MediaType): boolean {
  return Object.entries(wanted.parameters).every(([name, value]) => parameters[name]?.toLowerCase() === value.toLowerCase())
}
