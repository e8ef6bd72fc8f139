/** The keywords and names that a schema contains, at any depth. */
import { BoundedMap } from '../../util/bounded-map.js'
import { nearestName } from '../../util/nearest-name.js'
import { resolveReference } from './references.js'
import { keywords, subschemas } from './vocabulary.js'

/**
 * Whether a schema names a member that every object inherits, such as `constructor`. An engine that also looks at inherited properties
 * finds such a member even in `{}`.
 */
export function namesInheritedMember(schema: unknown): boolean {
  return containsKey(schema, isInherited) || containsText(schema, isInherited)
}

/** Whether a schema describes bytes: a text of the format `binary`. */
export function isOfBytes(schema: any): boolean {
  return schema?.format === 'binary' && [schema.type].flat().includes('string')
}

/**
 * Returns a predicate on schemas: whether `applies` is true for a schema or, if the schema contains a `$ref`, for any of the shared
 * schemas.
 */
export function extendToShared(shared: Record<string, unknown>, applies: (schema: unknown) => boolean): (schema: unknown) => boolean {
  let appliesToShared: boolean | undefined
  return (schema) => applies(schema) || (containsKey(schema, (key) => key === '$ref') && (appliesToShared ??= applies(shared)))
}

/**
 * Whether a pattern of `patternProperties` in a response schema matches the name of a property. The serializer reads these patterns without
 * the flag `u`, and reports an invalid one itself.
 */
export function matchesName(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern).test(name)
  } catch {
    return false
  }
}

function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** Whether a schema contains a key (a keyword or the name of a property) for which `matches` returns `true`. */
export function containsKey(value: unknown, matches: (key: string) => boolean): boolean {
  if (value === null || typeof value !== 'object') return false
  if (Array.isArray(value)) return value.some((entry) => containsKey(entry, matches))
  return Object.entries(value).some(([key, entry]) => matches(key) || containsKey(entry, matches))
}

function containsText(value: unknown, matches: (text: string) => boolean): boolean {
  if (typeof value === 'string') return matches(value)
  return value !== null && typeof value === 'object' && Object.values(value).some((entry) => containsText(entry, matches))
}

/**
 * Whether lists within lists, at any depth, may have to be unique: the schema or a shared schema has `uniqueItems`, and a reference is
 * circular (it leads to a schema that contains the reference).
 */
export function hasNestedUniqueness(schema: unknown, shared: Record<string, unknown>): boolean {
  const isUnique = containsKey(schema, (key) => key === 'uniqueItems')
  const refers = containsKey(schema, (key) => key === '$ref')
  if (!refers || (!isUnique && !containsKey(shared, (key) => key === 'uniqueItems'))) return false
  const path = new Set<unknown>()
  const done = new Set<unknown>()
  return leadsToItself(schema, schema)

  function leadsToItself(value: any, document: any): boolean {
    if (value === null || typeof value !== 'object' || done.has(value)) return false
    if (path.has(value)) return true
    path.add(value)
    const isCircle = Object.entries(value).some(([key, entry]) =>
      key === '$ref' && typeof entry === 'string' ? referenceLeadsToItself(entry, document) : leadsToItself(entry, document),
    )
    path.delete(value)
    done.add(value)
    return isCircle
  }

  // A reference that only the engine can resolve may lead anywhere.
  function referenceLeadsToItself(reference: string, document: any): boolean {
    const target = resolveReference(reference, document, shared)
    return target === undefined || leadsToItself(target.schema, target.document)
  }
}

/** The keywords that decide what a serializer writes. Other keywords may belong to documentation, and are many. */
const decisive = ['properties', 'patternProperties', 'additionalProperties', 'items', 'required', 'nullable', 'allOf', 'anyOf', 'oneOf']

/**
 * Finds a misspelt keyword that decides what a serializer writes, and the keyword that is probably meant. The serializer ignores unknown
 * keywords: it would leave out properties, or write properties that are not meant for clients.
 */
export function findMisspeltKeyword(schema: any, seen = new Set<unknown>()): { readonly key: string; readonly meant: string } | undefined {
  // An object that contains itself is refused by the engine.
  if (schema === null || typeof schema !== 'object' || seen.has(schema)) return undefined
  seen.add(schema)
  for (const key of Object.keys(schema)) {
    const meant = keywordMeantBy(key)
    if (meant !== undefined) return { key, meant }
  }
  for (const each of subschemas(schema)) {
    const found = findMisspeltKeyword(each, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The keyword that each unknown keyword misspells, or `null`. The results are kept, because schemas repeat the same few keywords, and the
 * comparison takes long.
 */
const meantBy = new BoundedMap<string | null>(200)

function keywordMeantBy(key: string): string | undefined {
  if (keywords.has(key) || key.startsWith('$') || key.startsWith('x-')) return undefined
  let meant = meantBy.get(key)
  if (meant === undefined) {
    meant = nearestName(key, decisive, Math.min(2, Math.floor(key.length / 4))) ?? null
    meantBy.set(key, meant)
  }
  return meant ?? undefined
}
