/**
 * Opens parts of response schemas, so that the serializer filters what it writes by the schemas of all parts.
 *
 * The serializer merges the parts of a schema: the entries of `allOf`, the target of a `$ref`, and the keywords beside them. By JSON Schema,
 * a part with `additionalProperties: false` allows no property that only another part lists. fast-json-stringify takes `false` for the
 * schema of such a property then, and writes its value as a whole. It never writes properties that no part lists, so the keyword can be
 * left out.
 */
import { isObject } from '../../util/objects.js'
import { makeReferencesAbsolute, resolveReference } from './references.js'
import { matchesName } from './schema-keys.js'
import { mapSchemas } from './vocabulary.js'

type Schema = any

/** A part of a schema, without its own `$ref` and `allOf`, and the document in which it is. */
interface Part {
  readonly schema: Record<string, Schema>
  readonly document: Schema
}

const alternativeNames = ['anyOf', 'oneOf'] as const
const branchNames = ['then', 'else'] as const

/** Opens the closed parts of the response schemas that are compiled with the same shared schemas. */
export class ClosedParts {
  /** Copies of parts of shared schemas that are open, by their `$id`. Schemas that {@link open} returns refer to them. */
  readonly twins: Record<string, Schema> = {}
  readonly #twinIds = new Map<Schema, string>()
  readonly #shared: Record<string, Schema>
  /** The targets of references within a schema that is not shared, while they are copied: one that is met again contains itself. */
  readonly #copied = new Set<Schema>()

  /** @param shared the shared schemas by `$id`, their references in canonical form */
  constructor(shared: Record<string, Schema>) {
    this.#shared = shared
  }

  /**
   * Returns a schema in which no part closes another one, at any depth. Only schemas that change are copied.
   * @param document the document in which local references (`#/…`) are resolved
   * @throws Error if a schema that is not shared contains itself as a part that would have to be opened
   */
  open(schema: Schema, document: Schema): Schema {
    if (!isObject(schema)) return schema
    return this.#closesItself(schema, document)
      ? this.#openParts(schema, document)
      : mapSchemas(schema, (within) => this.open(within, document))
  }

  #closesItself(schema: Record<string, Schema>, document: Schema): boolean {
    const hasParts =
      schema['$ref'] === undefined
        ? ['allOf', ...alternativeNames, ...branchNames].some((name) => schema[name] !== undefined)
        : Object.keys(schema).length > 1
    const parts = hasParts ? this.#partsOf(schema, document) : undefined
    if (parts === undefined) return false
    const branches = parts.flatMap((part) => branchNames.flatMap((name) => this.#partsOf(part.schema[name], part.document) ?? []))
    const closed = [...parts, ...branches].filter((part) => part.schema['additionalProperties'] === false)
    if (closed.length === 0) return false
    const names = this.#namesOf(parts, new Set())
    return closed.some((part) => names.some((name) => !lists(part.schema, name)))
  }

  #openParts(schema: Schema, document: Schema): Schema {
    if (!isObject(schema)) return schema
    const { additionalProperties: _, $ref, allOf, then: ifTrue, else: ifFalse, ...own } = schema
    const parts = (Array.isArray(allOf) ? allOf : []).map((entry: Schema) => this.#openParts(entry, document))
    if (typeof $ref === 'string') parts.push(this.#openTarget($ref, document))
    const opened = {
      ...mapSchemas(own, (within) => this.open(within, document)),
      ...(ifTrue !== undefined && { then: this.#openParts(ifTrue, document) }),
      ...(ifFalse !== undefined && { else: this.#openParts(ifFalse, document) }),
    }
    // The serializer would merge a single part without end if it contains itself.
    const kept = parts.filter((part) => !isObject(part) || Object.keys(part).length > 0)
    if (kept.length === 1 && Object.keys(opened).length === 0) return kept[0]
    return { ...opened, ...(kept.length > 0 && { allOf: kept }) }
  }

  #openTarget(reference: string, document: Schema): Schema {
    const target = resolveReference(reference, document, this.#shared)!
    const { $id, definitions: _definitions, $defs: _defs, ...own } = target.schema
    const home: unknown = target.document.$id
    if (home === undefined) {
      if (this.#copied.has(target.schema))
        throw new Error(
          `the schema behind ${reference} contains itself, and additionalProperties: false of one part of it excludes properties of another part. Remove it there`,
        )
      this.#copied.add(target.schema)
      const copy = this.#openParts(own, target.document)
      this.#copied.delete(target.schema)
      return copy
    }
    let id = this.#twinIds.get(target.schema)
    if (id === undefined) {
      this.#twinIds.set(target.schema, (id = `open-${this.#twinIds.size}-of-${String($id ?? home)}`))
      this.twins[id] = { ...makeReferencesAbsolute(this.#openParts(own, target.document), target.document), $id: id }
    }
    return { $ref: `${id}#` }
  }

  /** Lists the parts of a schema, its own keywords first; `undefined` if only the engine can resolve one of its references. */
  #partsOf(schema: Schema, document: Schema, seen = new Set<Schema>()): Part[] | undefined {
    if (!isObject(schema) || seen.has(schema)) return []
    seen.add(schema)
    const { $ref, allOf, ...own } = schema
    const parts: Part[] = [{ schema: own, document }]
    const target = typeof $ref === 'string' ? resolveReference($ref, document, this.#shared) : { schema: undefined, document }
    if (target === undefined) return undefined
    for (const entry of [target, ...(Array.isArray(allOf) ? allOf : []).map((each: Schema) => ({ schema: each, document }))]) {
      const found = this.#partsOf(entry.schema, entry.document, seen)
      if (found === undefined) return undefined
      parts.push(...found)
    }
    return parts
  }

  /** Lists the names of the properties of parts, of their alternatives and of their branches. */
  #namesOf(parts: readonly Part[], seen: Set<Schema>): string[] {
    return parts.flatMap(({ schema, document }) => {
      const optional = [...alternativeNames.flatMap((name) => schema[name] ?? []), ...branchNames.map((name) => schema[name])]
      const further = optional.flatMap((entry: Schema) => {
        if (seen.has(entry)) return []
        seen.add(entry)
        return this.#partsOf(entry, document) ?? []
      })
      return [...Object.keys(schema['properties'] ?? {}), ...this.#namesOf(further, seen)]
    })
  }
}

/** Whether a schema lists a property, by its name or by a pattern. */
function lists({ properties, patternProperties }: Record<string, Schema>, name: string): boolean {
  if (isObject(properties) && Object.hasOwn(properties, name)) return true
  return Object.keys(patternProperties ?? {}).some((pattern) => matchesName(pattern, name))
}
