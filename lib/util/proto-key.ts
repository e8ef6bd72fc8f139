/** Removes a `__proto__` key from parsed queries and form bodies. */

/**
 * Removes a `__proto__` that is a value among others, as it is in what inherits nothing: it would become the prototype of whatever
 * the values are copied to.
 */
export function withoutPrototype(value: any): unknown {
  if (value !== null && typeof value === 'object' && Object.hasOwn(value, '__proto__')) delete value['__proto__']
  return value
}
