/** Deletes the key `__proto__` from parsed queries and form bodies. */

/**
 * Deletes an own `__proto__` key of an object. Objects without a prototype, as parsers make them, can have such a key, and copying the
 * object would change the prototype of the copy.
 * @returns the value itself
 */
export function deleteProtoKey(value: any): unknown {
  if (value !== null && typeof value === 'object' && Object.hasOwn(value, '__proto__')) delete value['__proto__']
  return value
}
