/**
 * Makes short digests of schemas. Schemas with the same keywords have the same digest, whatever the order of their keys and whatever texts
 * for readers they contain.
 */
import { canonicalText, createHash, isObject, mapSchemas, ReferenceTargets, type Resource } from '../../lib/internal.js'
import type { JsonSchema } from '../../lib/index.js'

type Schema = any

/** The keywords for readers, which do not affect validation. */
const notes: ReadonlySet<string> = new Set('title description $comment example examples deprecated externalDocs xml'.split(' '))
/** The keywords whose lists have no significant order. (The order of the names in `type` decides how a reply writes a value.) */
const sets: ReadonlySet<string> = new Set(['required', 'enum'])

/** Makes digests of schemas that refer to the same shared schemas. */
export class Digests {
  readonly #targets: ReferenceTargets
  readonly #texts = new WeakMap<object, string>()

  /** @param shared the shared schemas by `$id` */
  constructor(shared: Readonly<Record<string, JsonSchema>>) {
    this.#targets = new ReferenceTargets(shared)
  }

  /** Returns one digest of several named schemas, including all schemas that they refer to. Texts for readers do not affect the digest. */
  of(schemas: Readonly<Record<string, JsonSchema>>): string {
    const texts = Object.keys(schemas)
      .toSorted()
      .map((name) => `${JSON.stringify(name)} ${this.#textWithReferences(schemas[name]!)}`)
    return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12)
  }

  #textWithReferences(root: Schema): string {
    const seen = new Set<Schema>()
    const texts: string[] = []
    const add = (schema: Schema, source: Resource): void => {
      if (seen.has(schema)) return
      seen.add(schema)
      texts.push(this.#textOf(schema))
      visit(schema, source)
    }
    const visit = (value: Schema, source: Resource): void => {
      if (value === null || typeof value !== 'object') return
      const own = source.document.resources.get(value) ?? source
      for (const key of Object.keys(value).toSorted()) {
        const target = key === '$ref' && typeof value[key] === 'string' ? this.#targets.resolve(value[key], own) : undefined
        if (target === undefined) visit(value[key], own)
        else add(target.schema, target.resource)
      }
    }
    if (isObject(root)) add(root, this.#targets.read(root))
    else texts.push(this.#textOf(root))
    return texts.join('\n')
  }

  #textOf(schema: Schema): string {
    if (!isObject(schema)) return canonicalText(schema)
    let text = this.#texts.get(schema)
    if (text === undefined) this.#texts.set(schema, (text = canonicalText(withoutNotes(schema))))
    return text
  }
}

function withoutNotes(schema: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const kept = Object.entries(schema)
    .filter(([keyword]) => !notes.has(keyword))
    .map(([keyword, value]) => [keyword, sets.has(keyword) && Array.isArray(value) ? inOrder(value) : value])
  return mapSchemas(Object.fromEntries(kept) as Record<string, Schema>, withoutNotes)
}

function inOrder(values: readonly unknown[]): unknown[] {
  const texts = new Map(values.map((value) => [value, canonicalText(value)]))
  return values.toSorted((one, other) => (texts.get(one)! < texts.get(other)! ? -1 : 1))
}
