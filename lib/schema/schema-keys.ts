/** The names that schemas hold. */

/** Whether a schema names a member that every object inherits: without a look at who owns it, `{}` has a `constructor`. */
export function namesInherited(schema: unknown): boolean {
  return holdsKey(schema, isInherited) || holdsText(schema, isInherited)
}

/** Whether something holds of a schema or, where that refers to others, of the shared ones. */
export function withShared(shared: Record<string, unknown>, holds: (schema: unknown) => boolean): (schema: unknown) => boolean {
  let isShared: boolean | undefined
  return (schema) => holds(schema) || (holdsKey(schema, (key) => key === '$ref') && (isShared ??= holds(shared)))
}

function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** Whether a schema holds a keyword, or a property, that matches. */
export function holdsKey(value: unknown, matches: (key: string) => boolean): boolean {
  if (value === null || typeof value !== 'object') return false
  if (Array.isArray(value)) return value.some((entry) => holdsKey(entry, matches))
  return Object.entries(value).some(([key, entry]) => matches(key) || holdsKey(entry, matches))
}

function holdsText(value: unknown, matches: (text: string) => boolean): boolean {
  if (typeof value === 'string') return matches(value)
  return value !== null && typeof value === 'object' && Object.values(value).some((entry) => holdsText(entry, matches))
}
