/** The key `__proto__` in parsed queries and form bodies. */

/**
 * Deletes an own `__proto__` key; objects without a prototype, as parsers make them, can have one. Copying such an object would
 * otherwise change the prototype of the copy.
 * @returns the value itself
 */
export function deleteProtoKey(value: any): unknown {
  if (value !== null && typeof value === 'object' && Object.hasOwn(value, '__proto__')) delete value['__proto__']
  return value
}
