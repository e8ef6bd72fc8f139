/**
 * References in the one form that both engines read alike.
 *
 * ajv resolves a reference as a URI, fast-json-stringify compares it as text. So neither gets a reference as the application wrote it:
 * it is resolved here, and written again with the very `$id` of the schema that it leads to and a pointer without escapes. A schema that
 * no such text leads to is copied into the `definitions` of the schema that refers to it. References that have this form already stay as
 * they are, and so does a reference that leads nowhere: the engine reports it.
 */
import { mapEntries, splitReference } from './references.js'
import { containsKey } from './schema-keys.js'

type Schema = any

/** A schema with an `$id`, or the root of a document: what `#` means inside of it. */
interface Resource {
  readonly node: Schema
  readonly document: Document
  /** Its `$id` for the engines, without a trailing `#`; `undefined` for a root that has none. */
  readonly id: string | undefined
  /** Its `$id`, resolved against the `$id` around it (RFC 3986 §5). */
  readonly uri: string
}

/** A schema with all schemas in it that have an `$id` of their own. */
interface Document {
  readonly resources: Map<Schema, Resource>
  readonly byUri: Map<string, Resource>
}

/** The schema that a reference leads to. */
interface Target {
  readonly schema: Schema
  readonly resource: Resource
  /** Where it is in its resource; `undefined` if no text says so to both engines. */
  readonly fragment: string | undefined
}

/** The resource that is being rewritten, and the schemas that are copied into its definitions. */
interface Home {
  readonly resource: Resource
  readonly names: Map<Schema, string>
  readonly copies: Record<string, Schema>
}

/** Keywords whose values are schemas by name. */
const schemaMaps = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'])
/** Keywords whose values are data: a `$ref` in them is a text like any other. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'example'])

/** The references of all schemas that are compiled beside the same shared schemas. */
export class References {
  /** The shared schemas with canonical references, by `$id` without a trailing `#`. */
  readonly shared: Record<string, Schema> = {}
  readonly #roots = new Map<string, Resource>()
  #byUri: Map<string, Resource> | undefined

  constructor(shared: Record<string, Schema>) {
    const roots = Object.entries(shared).map(([key, schema]): [string, Schema, Resource | undefined] => {
      if (!isObject(schema)) return [key, schema, undefined]
      const id = withoutHash(ownId(schema) ?? key, shared)
      const root = readDocument(schema, id)
      this.#roots.set(id, root)
      return [withoutHash(key, shared), schema, root]
    })
    // After all of them are known: they refer to each other.
    for (const [key, schema, root] of roots) this.shared[key] = root === undefined ? schema : this.#rewriteResource(root)
  }

  /** Returns the schema with canonical references; the schema itself if it has no others. */
  canonical(schema: Schema): Schema {
    if (!isObject(schema) || !containsKey(schema, (key) => key === '$ref')) return schema
    const id = ownId(schema)
    return this.#rewriteResource(readDocument(schema, id === undefined ? undefined : withoutHash(id, {})))
  }

  #rewriteResource(resource: Resource): Schema {
    const home: Home = { resource, names: new Map(), copies: {} }
    const schema = this.#rewrite(resource.node, resource, home, false)
    return home.names.size === 0 ? schema : { ...schema, definitions: { ...schema.definitions, ...home.copies } }
  }

  /** @param isCopy whether the schema is copied from elsewhere: it then loses its `$id`s, which would exist twice */
  #rewrite(schema: Schema, source: Resource, home: Home, isCopy: boolean): Schema {
    if (Array.isArray(schema)) return mapEntries(schema, (_, entry) => this.#rewrite(entry, source, home, isCopy))
    if (!isObject(schema)) return schema
    const own = source.document.resources.get(schema)
    if (own !== undefined && own !== source) return isCopy ? this.#rewrite(schema, own, home, true) : this.#rewriteResource(own)
    return mapEntries(schema, (key, value) => {
      if (key === '$ref') return typeof value === 'string' ? this.#express(value, source, home, isCopy) : value
      if (key === '$id' && isCopy) return undefined
      if (key === '$id') return schema === source.node && ownId(schema) !== undefined ? source.id : value
      if (dataKeywords.has(key)) return value
      const isMap = schemaMaps.has(key) && isObject(value)
      return isMap
        ? mapEntries(value, (_, entry) => this.#rewrite(entry, source, home, isCopy))
        : this.#rewrite(value, source, home, isCopy)
    })
  }

  /** The text of a reference for the engines. */
  #express(reference: string, source: Resource, home: Home, isCopy: boolean): string {
    const target = this.#resolve(reference, source)
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

  /** Copies a schema into the definitions of a resource. @returns the name of the definition */
  #copy({ schema, resource }: Target, home: Home): string {
    const known = home.names.get(schema)
    if (known !== undefined) return known
    let number = home.names.size + 1
    while (Object.hasOwn(home.resource.node.definitions ?? {}, `alcove-${number}`)) number++
    const name = `alcove-${number}`
    // Before the copy is made: the schema may refer to itself.
    home.names.set(schema, name)
    // References to the definitions of a whole resource are rewritten one by one.
    const copied = schema === resource.node && isObject(schema) ? withoutDefinitions(schema) : schema
    home.copies[name] = this.#rewrite(copied, resource, home, true)
    return name
  }

  #resolve(reference: string, source: Resource): Target | undefined {
    const { id, fragment } = splitReference(reference)
    const resource = id === '' ? source : this.#findResource(id, source)
    return resource === undefined ? undefined : locate(resource, fragment)
  }

  /** A plain `$id` of a shared schema leads there from everywhere. Any other id is relative to the `$id` around it. */
  #findResource(id: string, source: Resource): Resource | undefined {
    const { byUri } = source.document
    const uri = resolveUri(id, source.uri)
    return [...byUri.values()].find((resource) => resource.id === id) ?? this.#roots.get(id) ?? byUri.get(uri) ?? this.#sharedByUri.get(uri)
  }

  get #sharedByUri(): Map<string, Resource> {
    this.#byUri ??= new Map([...this.#roots.values()].flatMap(({ document }) => [...document.byUri]))
    return this.#byUri
  }
}

/** Whether both engines find a resource by its `$id` from within another one. */
function reaches(from: Resource, { id, uri }: Resource): boolean {
  return id !== undefined && resolveUri(id, from.uri) === uri
}

/** The `$id` of a schema, unless it is a name within its document, such as `#address`. */
function ownId({ $id }: Record<string, Schema>): string | undefined {
  return typeof $id === 'string' && $id !== '' && !$id.startsWith('#') ? $id : undefined
}

function readDocument(root: Schema, id: string | undefined): Resource {
  const document: Document = { resources: new Map(), byUri: new Map() }
  const resource = add(root, id, resolveUri(id ?? '', ''))
  findIn(root, resource)
  return resource

  function add(node: Schema, idForEngines: string | undefined, uri: string): Resource {
    const added: Resource = { node, document, id: idForEngines, uri }
    document.resources.set(node, added)
    if (idForEngines !== undefined && !document.byUri.has(uri)) document.byUri.set(uri, added)
    return added
  }
  function findIn(schema: Schema, around: Resource): void {
    for (const child of childrenOf(schema)) {
      const given = Array.isArray(child) ? undefined : ownId(child)
      if (given === undefined) findIn(child, around)
      else {
        const uri = resolveUri(given, around.uri)
        findIn(child, add(child, isAbsolute(uri) ? uri : withoutHash(given, {}), uri))
      }
    }
  }
}

/** The objects and lists directly below a schema that may be schemas or contain them. */
function childrenOf(schema: Schema): Schema[] {
  if (Array.isArray(schema)) return schema.filter(isContainer)
  return Object.entries<any>(schema).flatMap(([key, value]) => {
    if (dataKeywords.has(key) || !isContainer(value)) return []
    return schemaMaps.has(key) && isObject(value) ? Object.values(value).filter(isContainer) : [value]
  })
}

/** Finds the schema that a fragment leads to: the whole resource, the target of a pointer, or a schema with this `$id`. */
function locate(resource: Resource, fragment: string): Target | undefined {
  if (fragment === '' || fragment === '/') return { schema: resource.node, resource, fragment: '' }
  if (!fragment.startsWith('/')) return locateAnchor(resource, fragment)
  const steps = fragment.slice(1).split('/')
  return follow(resource, steps.map(decodeStep)) ?? follow(resource, steps)
}

function follow(from: Resource, steps: readonly string[]): Target | undefined {
  let resource = from
  let path: string[] = []
  let at = from.node
  for (const step of steps) {
    if (!isContainer(at) || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, Schema>)[step]
    path.push(step)
    // Below it, `#` means this schema.
    const inner = resource.document.resources.get(at)
    if (inner !== undefined) [resource, path] = [inner, []]
  }
  if (!isObject(at) && typeof at !== 'boolean') return undefined
  return { schema: at, resource, fragment: path.every(isPlain) ? path.map((step) => `/${step}`).join('') : undefined }
}

function locateAnchor(resource: Resource, name: string): Target | undefined {
  const path = pathTo(resource.node)
  if (path === undefined) return undefined
  const target = follow(resource, path)!
  return target.schema.$id === `#${name}` ? { ...target, fragment: name } : target

  function pathTo(schema: Schema): string[] | undefined {
    if (!Array.isArray(schema) && (schema.$id === `#${name}` || schema.$anchor === name)) return []
    for (const [key, value] of Object.entries(schema)) {
      if (!isContainer(value) || dataKeywords.has(key) || resource.document.resources.has(value)) continue
      const below = pathTo(value)
      if (below !== undefined) return [key, ...below]
    }
    return undefined
  }
}

/** Whether both engines read a step of a pointer as it is written. */
function isPlain(step: string): boolean {
  return /^[\w\-.!*'()$&+,;=:@]+$/.test(step)
}

/** Decodes a step of a pointer in a URI fragment (RFC 6901 §6). */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

/** Stands in for the scheme and host of an `$id` that has none. */
const noHost = 'none://none/'

/** Resolves an id against the id around it (RFC 3986 §5), in its normal form and without a fragment. */
function resolveUri(id: string, around: string): string {
  const given = id.replace(/#.*$/, '')
  const base = URL.canParse(around, noHost) ? new URL(around, noHost).href : noHost
  if (!URL.canParse(given, base)) return given
  const { href } = new URL(given, base)
  return href.startsWith(noHost) ? href.slice(noHost.length) : href
}

function isAbsolute(uri: string): boolean {
  return URL.canParse(uri)
}

/** An id without its trailing `#`, unless another shared schema has that id. */
function withoutHash(id: string, shared: Record<string, Schema>): string {
  const bare = id.replace(/#\/?$/, '')
  return bare !== id && Object.hasOwn(shared, bare) ? id : bare
}

function withoutDefinitions({ definitions: _definitions, $defs: _defs, ...rest }: Record<string, Schema>): Schema {
  return rest
}

function isContainer(value: unknown): value is Record<string, Schema> | Schema[] {
  return value !== null && typeof value === 'object'
}

function isObject(value: unknown): value is Record<string, Schema> {
  return isContainer(value) && !Array.isArray(value)
}
