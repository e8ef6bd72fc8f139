/**
 * The one reading of a media type (RFC 9110 §8.3.1), shared by parsers, validators and serializers: lower-case essence
 * and parameters, or nothing when the header is malformed. Wraps fast-content-type-parse.
 */
import { safeParse } from 'fast-content-type-parse'
import { BoundedMap } from '../util/bounded-map.js'

export interface MediaType {
  /** `type/subtype`, lower case */
  readonly essence: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Spellings read before, `null` for those that are none: clients and replies send the same few over and over. */
const known = new BoundedMap<MediaType | null>(100)

/** Reads a content-type header; `undefined` when it is not a media type, malformed parameters included. */
export function parseMediaType(header: string): MediaType | undefined {
  let found = known.get(header)
  if (found === undefined) {
    const { type, parameters } = safeParse(header)
    found = type === '' ? null : { essence: type, parameters }
    known.set(header, found)
  }
  return found ?? undefined
}

// RFC 6838 §4.2.8: a subtype with the suffix +json is JSON.
export function isJson(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

/**
 * Values by the media type that they are declared for: a type, a type with parameters (`application/json; v=2`), a range
 * (all of `text`, or any type). A header finds the value declared for its parameters, then for its type, then for a range.
 */
export class MediaTypeMap<Value> {
  readonly #entries = new Map<string, { readonly type: MediaType; value: Value }[]>()

  /** @returns whether the key was new */
  add(key: string, value: Value): boolean {
    const type = readKey(key)
    const entries = this.#entries.get(type.essence)
    if (entries === undefined) this.#entries.set(type.essence, [{ type, value }])
    else if (entries.some((entry) => isSame(entry.type, type))) return false
    else {
      entries.push({ type, value })
      // The most demanding first.
      entries.sort((a, b) => Object.keys(b.type.parameters).length - Object.keys(a.type.parameters).length)
    }
    return true
  }

  /** Puts another value in the place of that which was declared under exactly this key. */
  replace(key: string, value: Value): void {
    const type = readKey(key)
    const entry = this.#entries.get(type.essence)?.find((declared) => isSame(declared.type, type))
    if (entry !== undefined) entry.value = value
  }

  /** The value for a content-type header; one that is missing or malformed finds what is declared for any type. */
  find(header: string | undefined): Value | undefined {
    const type = header === undefined ? undefined : parseMediaType(header)
    if (type === undefined) return this.#anything?.value
    const entries = this.#entries.get(type.essence)
    if (entries !== undefined) {
      const match = entries.find((entry) => hasParameters(type, entry.type))
      // Other parameters than those declared are still the same kind of content.
      return (match ?? entries.at(-1)!).value
    }
    return (this.#entries.get(`${type.essence.slice(0, type.essence.indexOf('/'))}/*`)?.[0] ?? this.#anything)?.value
  }

  get #anything(): { readonly value: Value } | undefined {
    return this.#entries.get('*/*')?.[0]
  }

  /** The value declared under exactly this key. */
  get(key: string): Value | undefined {
    const type = readKey(key)
    return this.#entries.get(type.essence)?.find((entry) => isSame(entry.type, type))?.value
  }

  get first(): Value | undefined {
    return this.#entries.values().next().value?.[0]?.value
  }
}

function readKey(key: string): MediaType {
  return parseMediaType(key) ?? { essence: key.trim().toLowerCase(), parameters: {} }
}

function isSame(a: MediaType, b: MediaType): boolean {
  return hasParameters(a, b) && hasParameters(b, a)
}

function hasParameters({ parameters }: MediaType, wanted: MediaType): boolean {
  return Object.entries(wanted.parameters).every(([name, value]) => parameters[name]?.toLowerCase() === value.toLowerCase())
}
