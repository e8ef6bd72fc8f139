/** Compares two JSON values. */
import { toPointer } from '../../../lib/internal.js'

/** Returns a line for each difference of two values, with its JSON Pointer (RFC 6901). The order of members does not matter. */
export function differencesOf(expected: unknown, actual: unknown, pointer = ''): string[] {
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...keys].flatMap((key) => {
      const below = pointer + toPointer([key])
      if (!Object.hasOwn(actual, key)) return [`- ${below}: ${shortJson(expected[key])}`]
      if (!Object.hasOwn(expected, key)) return [`+ ${below}: ${shortJson(actual[key])}`]
      return differencesOf(expected[key], actual[key], below)
    })
  }
  if (Object.is(expected, actual)) return []
  return [`- ${pointer}: ${shortJson(expected)}`, `+ ${pointer}: ${shortJson(actual)}`]
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
