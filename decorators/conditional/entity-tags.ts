/** Reads and writes entity tags (RFC 9110 §8.8.3), which the headers `ETag`, `If-Match` and `If-None-Match` contain. */

export interface EntityTag {
  readonly isWeak: boolean
  /** The characters between the quotes of the tag. */
  readonly opaque: string
}

/**
 * Matches one element of a list of entity tags, with the comma or the end of the text that follows. An element may be empty (RFC 9110
 * §5.6.1.2).
 */
const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y

/**
 * Reads a list of entity tags from a header.
 * @returns the tags; `'*'` if the text is `*`; `undefined` if the text is not valid
 */
export function readEntityTags(text: string): readonly EntityTag[] | '*' | undefined {
  if (/^[ \t]*\*[ \t]*$/.test(text)) return '*'
  const tags: EntityTag[] = []
  element.lastIndex = 0
  do {
    const found = element.exec(text)
    if (found === null) return undefined
    if (found[2] !== undefined) tags.push({ isWeak: found[1] !== undefined, opaque: found[2] })
  } while (element.lastIndex < text.length)
  return tags.length === 0 ? undefined : tags
}

/** Returns the characters of an entity tag for a version. Characters that a tag cannot contain, and `%`, are percent-encoded. */
export function opaqueOf(version: number | string): string {
  return String(version).replaceAll(/[^\x21\x23\x24\x26-\x7e]+/g, encodeURIComponent)
}

/**
 * Returns the version from the characters of an entity tag; `undefined` if {@link opaqueOf} does not return these characters for any
 * version.
 */
export function versionOf(opaque: string, type: 'integer' | 'string'): number | string | undefined {
  if (type === 'integer') {
    const version = Number(opaque)
    return /^(?:0|-?[1-9]\d{0,15})$/.test(opaque) && Number.isSafeInteger(version) ? version : undefined
  }
  try {
    const version = decodeURIComponent(opaque)
    return opaqueOf(version) === opaque ? version : undefined
  } catch {
    return undefined
  }
}
