/** Entity tags (RFC 9110 §8.8.3), as the headers `If-Match` and `If-None-Match` list them. */

export interface EntityTag {
  readonly isWeak: boolean
  /** The characters between the quotes. */
  readonly opaque: string
}

/** One element of a list, with the comma or the end that follows it. An element may be empty (RFC 9110 §5.6.1.2). */
const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y

/**
 * Reads a list of entity tags.
 * @returns the tags; `'*'` if the text is that; `undefined` if it is neither
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

/** Returns an opaque text for a version: all characters that an entity tag cannot have, and `%`, are percent-encoded. */
export function opaqueOf(version: number | string): string {
  return String(version).replaceAll(/[^\x21\x23\x24\x26-\x7e]+/g, encodeURIComponent)
}

/** Reads the version of an opaque text; `undefined` if {@link opaqueOf} makes it of no version. */
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
