/** Objects: the kind of object that a value is, classes, and a text that is the same for equal values. */

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

/** Whether a value is a class, as `class` declares it, and not another function. */
export function isClass(value: unknown): value is new (...args: any[]) => any {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

/** Returns the JSON text of a value with the members of its objects in order: equal values have one text. `undefined` has a text too. */
export function canonicalText(value: unknown): string {
  const ordered = (_key: string, each: unknown): unknown =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each
  return JSON.stringify(value, ordered) ?? 'undefined'
}
