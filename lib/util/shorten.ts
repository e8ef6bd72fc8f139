/** Shortens texts that a client chose, so that messages and logs can repeat them. */

const MAX_LENGTH = 200

/** Returns a text unchanged if it has at most `maxLength` characters, otherwise its beginning and its length: `abc… (15000 characters)`. */
export function shorten(value: unknown, maxLength = MAX_LENGTH): string {
  const text = String(value)
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`
}
