/** Tells which form of object a value is, and writes equal values as equal texts. */

/** Whether a value is an object as `{}` or `JSON.parse` makes it, and so neither a list nor an instance of a class. */
export function isPlainObject(value: unknown): value is Record<PropertyKey, any> {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value is an object but not a list. The object may be an instance of a class. */
export function isObject(value: unknown): value is Record<string, any> {
  return isContainer(value) && !Array.isArray(value)
}

/** Whether a value is an object or a list. */
export function isContainer(value: unknown): value is Record<string, any> | any[] {
  return value !== null && typeof value === 'object'
}

/**
 * Returns the JSON text of a value with the members of each object sorted, so that equal values have the same text. `undefined` has a text
 * too.
 */
export function canonicalText(value: unknown): string {
  const ordered = (_key: string, each: unknown): unknown =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each
  return JSON.stringify(value, ordered) ?? 'undefined'
}
