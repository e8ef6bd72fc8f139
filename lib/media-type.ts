/**
 * The one reading of a media type (RFC 9110 §8.3.1), shared by parsers, validators and serializers: lower-case essence
 * and parameters, or nothing when the header is malformed. Wraps fast-content-type-parse.
 */
import { safeParse } from 'fast-content-type-parse'

export interface MediaType {
  /** `type/subtype`, lower case */
  readonly essence: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Reads a content-type header; `undefined` when it is not a media type, malformed parameters included. */
export function parseMediaType(header: string): MediaType | undefined {
  const { type, parameters } = safeParse(header)
  return type === '' ? undefined : { essence: type, parameters }
}

// RFC 6838 §4.2.8: a subtype with the suffix +json is JSON.
export function isJson(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}
