/** Where the references (`$ref`) of a schema lead. */
import { nameOfStep } from '../../util/json-pointer.js'

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
    const key = nameOfStep(decodeURIComponent(step))
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    path.push((at = at[key]))
  }
  return path
}

/**
 * Resolves a canonical reference (./canonical-references.ts): within its document, or into a shared schema.
 * @param shared the shared schemas by `$id`
 * @returns `undefined` if the reference leads nowhere, or only the engine knows its target
 */
export function resolveReference(reference: string, document: Schema, shared: Record<string, Schema>): ReferenceTarget | undefined {
  const { id, fragment } = splitReference(reference)
  const target = id === '' || id === document.$id ? document : Object.hasOwn(shared, id) ? shared[id] : undefined
  if (target === undefined) return undefined
  if (fragment === '') return { schema: target, document: target }
  const schema = fragment.startsWith('/') ? followPointer(target, fragment)?.at(-1) : findById(target, `#${fragment}`)
  return schema === undefined ? undefined : { schema, document: target }
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

/** Takes a schema out of its document: local references get the id of the document. */
export function makeReferencesAbsolute(schema: Schema, document: Schema): Schema {
  if (schema === null || typeof schema !== 'object') return schema
  return mapEntries(schema, (key, value) => {
    const isLocal = key === '$ref' && typeof value === 'string' && value.startsWith('#')
    return isLocal ? `${document.$id}${value}` : makeReferencesAbsolute(value, document)
  })
}

/** Replaces the values of an object or list, or removes them if they become `undefined`. Copies it only if a value changes. */
export function mapEntries<T extends Record<string, Schema> | Schema[]>(given: T, map: (key: string, value: Schema) => Schema): T {
  let result: any
  for (const [key, value] of Object.entries<Schema>(given)) {
    const mapped = map(key, value)
    if (mapped === value) continue
    result ??= Array.isArray(given) ? [...given] : { ...given }
    if (mapped === undefined) delete result[key]
    else result[key] = mapped
  }
  return result ?? given
}
