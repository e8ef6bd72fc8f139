/** Whether a value is an object as `{}` or `JSON.parse` makes it: neither a list nor an instance of a class. */
export function isPlainObject(value: unknown): value is Record<PropertyKey, any> {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
