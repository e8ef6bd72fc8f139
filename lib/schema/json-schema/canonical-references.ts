/**
 * Writes references in the one form that both engines read alike.
 *
 * ajv resolves a reference as a URI, fast-json-stringify compares it as text. So neither engine gets a reference as the application wrote
 * it: the reference is resolved here, and written anew from the exact `$id` of its target and a pointer without escapes. If no such text
 * leads to a target, the target is copied into the `definitions` of the schema that refers to it. References that have this form already
 * stay as they are, and so does a reference that leads nowhere: the engine reports it.
 */
import { isObject } from '../../util/objects.js'
import { ownId, ReferenceTargets, type Resource, resolveUri, type Target } from './reference-targets.js'
import { containsKey } from './schema-keys.js'
import { mapSchemas } from './vocabulary.js'

type Schema = any

/**
 * The resource (a schema with an `$id`, or a whole document) whose references are being rewritten, and the schemas that are copied into its
 * `definitions`.
 */
interface Home {
  readonly resource: Resource
  readonly names: Map<Schema, string>
  readonly copies: Record<string, Schema>
}

/**
 * The references of all schemas that are compiled with the same shared schemas. The class rewrites them so that ajv and fast-json-stringify
 * read them alike.
 */
export class References {
  /** The shared schemas by `$id` without a trailing `#`. Their references are rewritten, so that both engines read them alike. */
  readonly shared: Record<string, Schema> = {}
  readonly #targets: ReferenceTargets

  constructor(shared: Record<string, Schema>) {
    this.#targets = new ReferenceTargets(shared)
    for (const [key, schema] of Object.entries(shared)) {
      if (!isObject(schema)) this.shared[key] = schema
      else this.shared[this.#targets.idOf(key)] = this.#rewriteResource(this.#targets.roots.get(this.#targets.idOf(ownId(schema) ?? key))!)
    }
  }

  /**
   * Returns a schema whose references have the form that both engines read alike; the same object if all references have this form already.
   */
  canonical(schema: Schema): Schema {
    if (!isObject(schema) || !containsKey(schema, (key) => key === '$ref')) return schema
    return this.#rewriteResource(this.#targets.read(schema))
  }

  #rewriteResource(resource: Resource): Schema {
    const home: Home = { resource, names: new Map(), copies: {} }
    const schema = this.#rewrite(resource.node, resource, home, false)
    return home.names.size === 0 ? schema : { ...schema, definitions: { ...schema.definitions, ...home.copies } }
  }

  /**
   * Rewrites the references of a schema.
   * @param isCopy whether the schema is copied from elsewhere: the copy has no `$id`s, as they would exist twice
   */
  #rewrite(schema: Schema, source: Resource, home: Home, isCopy: boolean): Schema {
    if (!isObject(schema)) return schema
    const own = source.document.resources.get(schema)
    if (own !== undefined && own !== source) return isCopy ? this.#rewrite(schema, own, home, true) : this.#rewriteResource(own)
    const rewriteWithin = (within: Schema): Schema => this.#rewrite(within, source, home, isCopy)
    return mapSchemas(schema, rewriteWithin, (keyword, value) => {
      if (keyword === '$ref' && typeof value === 'string') return this.#express(value, source, home, isCopy)
      if (keyword !== '$id') return value
      if (isCopy) return undefined
      return schema === source.node && ownId(schema) !== undefined ? source.id : value
    })
  }

  /** Returns the text of a reference by which both engines find the target. */
  #express(reference: string, source: Resource, home: Home, isCopy: boolean): string {
    const target = this.#targets.resolve(reference, source)
    if (target === undefined) return reference
    const { resource, fragment } = target
    if (fragment !== undefined) {
      const isOwn = resource === home.resource
      const absolute = resource.id !== undefined && reaches(home.resource, resource) ? `${resource.id}#${fragment}` : undefined
      const texts = [isOwn ? `#${fragment}` : undefined, absolute, fragment === '' ? absolute?.slice(0, -1) : undefined]
      const text = !isCopy && texts.includes(reference) ? reference : (texts[0] ?? absolute)
      if (text !== undefined) return text
    }
    return `#/definitions/${this.#copy(target, home)}`
  }

  /** Copies a schema into the definitions of the resource that is being rewritten. @returns the name of the definition */
  #copy({ schema, resource }: Target, home: Home): string {
    const known = home.names.get(schema)
    if (known !== undefined) return known
    let number = home.names.size + 1
    while (Object.hasOwn(home.resource.node.definitions ?? {}, `alcove-${number}`)) number++
    const name = `alcove-${number}`
    // Noted before the copy is made, because the schema may refer to itself.
    home.names.set(schema, name)
    // References to the definitions of a whole resource are rewritten one by one.
    const copied = schema === resource.node && isObject(schema) ? withoutDefinitions(schema) : schema
    home.copies[name] = this.#rewrite(copied, resource, home, true)
    return name
  }
}

/** Whether both engines find a resource (a schema with an `$id`) by its `$id` from inside another resource. */
function reaches(from: Resource, { id, uri, node, document }: Resource): boolean {
  if (id === undefined || resolveUri(id, from.uri) !== uri) return false
  // ajv finds a resource within a document only if the `$id` of the document is in its normal form: `http://example.com/`, with the slash.
  const [root] = document.resources.values()
  return root?.id === undefined || root.node === node || root.id === root.uri
}

function withoutDefinitions({ definitions: _definitions, $defs: _defs, ...rest }: Record<string, Schema>): Schema {
  return rest
}
