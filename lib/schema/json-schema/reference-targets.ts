/** Finds the schemas that references lead to: within a document, in a shared schema, or in an inner schema that has an `$id`. */
import { nameOfStep } from '../../util/json-pointer.js'
import { isContainer, isObject } from '../../util/objects.js'
import { splitReference } from './references.js'
import { holdingOf, possibleSchemas } from './vocabulary.js'

type Schema = any

/** A schema with an `$id`, or the root of a document. Inside of a resource, the reference `#` leads to the resource. */
export interface Resource {
  readonly node: Schema
  readonly document: Document
  /** The `$id` by which the engines know the resource, without a trailing `#`; `undefined` for a root that has no `$id`. */
  readonly id: string | undefined
  /** The `$id` of the resource, resolved against the `$id` of the schema around it (RFC 3986 §5). */
  readonly uri: string
}

/** A whole schema, with all schemas inside of it that have an `$id`. */
export interface Document {
  readonly resources: Map<Schema, Resource>
  readonly byUri: Map<string, Resource>
}

/** The schema that a reference leads to. */
export interface Target {
  readonly schema: Schema
  readonly resource: Resource
  /** The place of the schema in its resource, as the fragment of a reference; `undefined` if no fragment leads there in both engines. */
  readonly fragment: string | undefined
}

/** Finds the schemas that references lead to, for all schemas that are compiled with the same shared schemas. */
export class ReferenceTargets {
  /** The shared schemas that are objects, by `$id` without a trailing `#`. */
  readonly roots: ReadonlyMap<string, Resource>
  readonly #shared: Record<string, Schema>
  #byUri: Map<string, Resource> | undefined

  /** Reads the shared schemas. @param shared the shared schemas by `$id` */
  constructor(shared: Record<string, Schema>) {
    this.#shared = shared
    const objects = Object.entries(shared).filter(([, schema]) => isObject(schema))
    this.roots = new Map(
      objects.map(([key, schema]) => {
        const id = this.idOf(ownId(schema) ?? key)
        return [id, readResource(schema, id)]
      }),
    )
  }

  /** Returns an id without its trailing `#`. If another shared schema has the id without the `#`, the id is returned unchanged. */
  idOf(id: string): string {
    return withoutHash(id, this.#shared)
  }

  /** Reads a schema that is not shared. @returns the root resource, from which references within the schema are resolved */
  read(schema: Record<string, Schema>): Resource {
    const id = ownId(schema)
    return readResource(schema, id === undefined ? undefined : withoutHash(id, {}))
  }

  /**
   * Finds the schema that a reference leads to.
   * @param source the resource that contains the reference
   * @returns `undefined` if the reference leads nowhere
   */
  resolve(reference: string, source: Resource): Target | undefined {
    const { id, fragment } = splitReference(reference)
    const resource = id === '' ? source : this.#findResource(id, source)
    return resource === undefined ? undefined : locateFragment(resource, fragment)
  }

  /** Returns the references of a schema that is not shared which lead nowhere. Meta-schemas of JSON Schema are known without a document. */
  findDangling(schema: Record<string, Schema>): string[] {
    const root = this.read(schema)
    const visit = (at: Record<string, Schema>, around: Resource): string[] => {
      const source = root.document.resources.get(at) ?? around
      const { $ref: reference } = at
      const leadsNowhere = typeof reference === 'string' && !isMetaSchema(reference) && this.resolve(reference, source) === undefined
      const within = possibleSchemas(at).flatMap((schema) => visit(schema, source))
      return leadsNowhere ? [reference, ...within] : within
    }
    return visit(schema, root)
  }

  /**
   * Finds the resource with an id. The plain `$id` of a shared schema is found from everywhere. Any other id is resolved against the `$id`
   * of the schema around the reference.
   */
  #findResource(id: string, source: Resource): Resource | undefined {
    const { byUri } = source.document
    const uri = resolveUri(id, source.uri)
    return [...byUri.values()].find((resource) => resource.id === id) ?? this.roots.get(id) ?? byUri.get(uri) ?? this.#sharedByUri.get(uri)
  }

  get #sharedByUri(): Map<string, Resource> {
    this.#byUri ??= new Map([...this.roots.values()].flatMap(({ document }) => [...document.byUri]))
    return this.#byUri
  }
}

/** Returns the `$id` of a schema; `undefined` if it has none, or if the `$id` is only a name within the document, such as `#address`. */
export function ownId({ $id }: Record<string, Schema>): string | undefined {
  return typeof $id === 'string' && $id !== '' && !$id.startsWith('#') ? $id : undefined
}

function readResource(root: Schema, id: string | undefined): Resource {
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
    for (const child of possibleSchemas(schema)) {
      const id = ownId(child)
      if (id === undefined) findIn(child, around)
      else {
        const uri = resolveUri(id, around.uri)
        findIn(child, add(child, isAbsolute(uri) ? uri : withoutHash(id, {}), uri))
      }
    }
  }
}

/** Finds the schema that a fragment leads to: the whole resource, the target of a pointer, or a schema with this `$id`. */
function locateFragment(resource: Resource, fragment: string): Target | undefined {
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
    // Below this schema, `#` leads to it.
    const inner = resource.document.resources.get(at)
    if (inner !== undefined) [resource, path] = [inner, []]
  }
  if (!isObject(at) && typeof at !== 'boolean') return undefined
  return { schema: at, resource, fragment: path.every(isPlainStep) ? path.map((step) => `/${step}`).join('') : undefined }
}

function locateAnchor(resource: Resource, name: string): Target | undefined {
  const path = pathTo(resource.node)
  if (path === undefined) return undefined
  const target = follow(resource, path)!
  return target.schema.$id === `#${name}` ? { ...target, fragment: name } : target

  function pathTo(schema: Schema): string[] | undefined {
    if (!Array.isArray(schema) && (schema.$id === `#${name}` || schema.$anchor === name)) return []
    for (const [key, value] of Object.entries(schema)) {
      if (!isContainer(value) || holdingOf(key) === 'data' || resource.document.resources.has(value)) continue
      const below = pathTo(value)
      if (below !== undefined) return [key, ...below]
    }
    return undefined
  }
}

/** Whether both engines read a step of a JSON pointer as it is written, without escapes. */
function isPlainStep(step: string): boolean {
  return /^[\w\-.!*'()$&+,;=:@]+$/.test(step)
}

/** Decodes a step of a pointer in a URI fragment (RFC 6901 §6). */
function decodeStep(step: string): string {
  try {
    return nameOfStep(decodeURIComponent(step))
  } catch {
    return step
  }
}

/** The scheme and host that an `$id` without a host gets while it is being resolved. */
const noHost = 'none://none/'

/** Resolves an id against the id of the schema around it (RFC 3986 §5). @returns the id in its normal form, without a fragment */
export function resolveUri(id: string, around: string): string {
  const reference = id.replace(/#.*$/, '')
  const base = URL.canParse(around, noHost) ? new URL(around, noHost).href : noHost
  if (!URL.canParse(reference, base)) return reference
  const { href } = new URL(reference, base)
  return href.startsWith(noHost) ? href.slice(noHost.length) : href
}

function isAbsolute(uri: string): boolean {
  return URL.canParse(uri)
}

/** Whether a reference leads to a meta-schema of JSON Schema, which readers know without the document. */
export function isMetaSchema(reference: string): boolean {
  return /^https?:\/\/json-schema\.org\//.test(reference)
}

/** Returns an id without its trailing `#`. If another shared schema has the id without the `#`, the id is returned unchanged. */
function withoutHash(id: string, shared: Record<string, Schema>): string {
  const bare = id.replace(/#\/?$/, '')
  return bare !== id && Object.hasOwn(shared, bare) ? id : bare
}
