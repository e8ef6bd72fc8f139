/** Follows the references (`$ref`) of a schema. */
import { nameOfStep } from '../../util/json-pointer.js'
import { isContainer, isObject } from '../../util/objects.js'
import { mapSchemas } from './vocabulary.js'

type Schema = any

/** The schema that a reference leads to, and the document that contains it. */
export interface ReferenceTarget {
  readonly schema: Schema
  readonly document: Schema
}

/** Splits a reference `id#fragment` into its id and its fragment, without the `#`. Each of the two may be empty. */
export function splitReference(reference: string): { id: string; fragment: string } {
  const hash = reference.indexOf('#')
  return hash === -1 ? { id: reference, fragment: '' } : { id: reference.slice(0, hash), fragment: reference.slice(hash + 1) }
}

/**
 * Returns the values that a JSON pointer (RFC 6901) passes, the document first and the target last; `undefined` if the pointer leads
 * nowhere.
 */
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
 * Resolves a reference in its canonical form (see canonical-references.ts): within its document, or into a shared schema.
 * @param shared the shared schemas by `$id`
 * @returns `undefined` if the reference leads nowhere, or if only the engine can resolve it
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

/** Replaces the references of a schema. Only subschemas that change are copied. */
export function mapReferences(schema: Schema, map: (reference: string) => string): Schema {
  if (!isObject(schema)) return schema
  const mapWithin = (within: Schema): Schema => mapReferences(within, map)
  return mapSchemas(schema, mapWithin, (keyword, value) => (keyword === '$ref' && typeof value === 'string' ? map(value) : value))
}

/** Makes a schema independent of the document around it: references within the document get the id of the document. */
export function makeReferencesAbsolute(schema: Schema, document: Schema): Schema {
  return mapReferences(schema, (reference) => (reference.startsWith('#') ? `${document.$id}${reference}` : reference))
}

/** A reference in a value that contains schemas, and the schema that has this reference. */
export interface FoundReference {
  readonly reference: string
  readonly schema: object
}

/**
 * Finds the references in a value that contains schemas at any depth, such as the options of a route. Plain data in the value is searched
 * too.
 */
export function findReferences(value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  const seen = new Set<unknown>()
  const left = [value]
  while (left.length > 0) {
    const at = left.pop()
    // The objects of a schema library contain no references by $id, but may contain themselves many times over.
    if (!isContainer(at) || seen.has(at) || '~standard' in at) continue
    seen.add(at)
    const values: [string, unknown][] = Object.entries(at)
    for (const [key, each] of values) if (key === '$ref' && typeof each === 'string') found.push({ reference: each, schema: at })
    // The values that come first are taken first.
    left.push(...values.map(([, each]) => each).toReversed())
  }
  return found
}
