/** How errors name values. */

/** How errors name a value: a function by its name, an object by its class. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'an anonymous function'
  if (value === undefined) return 'undefined (a class used before its declaration, or a circle of imports)'
  if (value !== null && typeof value === 'object') return value.constructor?.name ?? 'an object'
  return JSON.stringify(value) ?? typeof value
}

/** The same for a value in the place of a function or class: an instance is told from its class. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  const name = nameOf(value)
  return value !== null && typeof value === 'object' && name !== 'Object' && name !== 'an object' ? `an instance of ${name}` : name
}
