/** Where the references (`$ref`) of a schema lead. */

type Schema = any

/** The schema that a reference leads to, and the document that contains it. */
export interface ReferenceTarget {
  readonly schema: Schema
  readonly document: Schema
}

/** Splits `id#fragment`; the fragment comes without its `#`. Either may be empty. */
export function splitReference(reference: string): { id: string; fragment: string } {
  const hash = reference.indexOf('#')
  return hash === -1 ? { id: reference, fragment: '' } : { id: reference.slice(0, hash), fragment: reference.slice(hash + 1) }
}

/** The values that a JSON pointer (RFC 6901) passes, the document first and its target last; `undefined` if it leads nowhere. */
export function followPointer(document: Schema, pointer: string): readonly Schema[] | undefined {
  const path = [document]
  let at = document
  for (const step of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    path.push((at = at[key]))
  }
  return path
}

/**
 * Resolves a reference as the engine does for common cases: within its document, or into a shared schema, by pointer or by `$id`.
 * @param shared the shared schemas by `$id`
 * @returns `undefined` if the reference leads to none of these
 */
export function resolveReference(reference: string, document: Schema, shared: Record<string, Schema>): ReferenceTarget | undefined {
  const { id, fragment } = splitReference(reference)
  const target = id === '' || id === document.$id ? document : (findShared(id, shared) ?? findShared(resolveRelative(id, document), shared))
  if (target === undefined) return undefined
  if (fragment === '') return { schema: target, document: target }
  const schema = fragment.startsWith('/') ? followPointer(target, fragment)?.at(-1) : findById(target, `#${fragment}`)
  return schema === undefined ? undefined : { schema, document: target }
}

function findShared(id: string | undefined, shared: Record<string, Schema>): Schema {
  if (id === undefined) return undefined
  return Object.hasOwn(shared, id) ? shared[id] : Object.hasOwn(shared, `${id}#`) ? shared[`${id}#`] : undefined
}

/** Stands in for the scheme and host of an `$id` that has none. */
const noHost = 'none://none/'

/** Resolves a relative id against the id of its document (RFC 3986 §5). @returns `undefined` if that changes nothing */
function resolveRelative(id: string, document: Schema): string | undefined {
  const base: unknown = document?.$id
  if (typeof base !== 'string' || !URL.canParse(base, noHost)) return undefined
  const absoluteBase = new URL(base, noHost).href
  if (!URL.canParse(id, absoluteBase)) return undefined
  const resolved = new URL(id, absoluteBase).href
  const found = resolved.startsWith(noHost) ? resolved.slice(noHost.length) : resolved
  return found === id ? undefined : found
}

function findById(schema: Schema, id: string): Schema {
  if (schema === null || typeof schema !== 'object') return undefined
  if (schema.$id === id) return schema
  for (const value of Object.values(schema)) {
    const found = findById(value, id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Copies a schema that is taken out of its document: local and relative references get the id that they lead to. */
export function makeReferencesAbsolute(schema: Schema, document: Schema): Schema {
  if (Array.isArray(schema)) return schema.map((entry) => makeReferencesAbsolute(entry, document))
  if (schema === null || typeof schema !== 'object') return schema
  const result: Record<string, Schema> = {}
  for (const [key, value] of Object.entries(schema)) {
    result[key] = key === '$ref' && typeof value === 'string' ? makeAbsolute(value, document) : makeReferencesAbsolute(value, document)
  }
  return result
}

function makeAbsolute(reference: string, document: Schema): string {
  if (reference.startsWith('#')) return String(document.$id).replace(/#$/, '') + reference
  const { id, fragment } = splitReference(reference)
  const resolved = resolveRelative(id, document)
  return resolved === undefined ? reference : `${resolved}#${fragment}`
}
