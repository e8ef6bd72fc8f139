/**
 * The schemas of an OpenAPI document. Each schema that has an `$id` or that a reference leads to becomes a component; every other schema is
 * written where it is used. `$id`s are left out, because they would change the targets of the document's references.
 */
import { isMetaSchema, ReferenceTargets, type Resource } from '../../../lib/internal.js'
import { referTo } from './component-references.js'
import { convertTo2020, type ConversionHost } from './json-schema-2020.js'

type Schema = any

/** The place of an application where a schema is used. */
export interface SchemaUse {
  /** The shared schemas of the context at this place, by `$id`. */
  readonly shared: Readonly<Record<string, Schema>>
  /** The path of the context that uses the schema: `App > PublicPlugin`. */
  readonly context: string
  /** The route, and its body, response or parameters, for warnings: `GET /users, response 200`. */
  readonly place: string
  /** The component's name if the schema has none, for instance a schema without an `$id` that refers to itself: `GetUserResponse`. */
  readonly name: string
}

/** A component of the document: its name, and the path of the context that used the component first. */
interface Component {
  readonly name: string
  readonly context: string
}

/** The components of one OpenAPI document, which are collected while the document is made. */
export class Components {
  /** The converted schemas by the names of their components. */
  readonly schemas: Record<string, Schema> = {}
  readonly #warn: (text: string) => void
  readonly #targets = new WeakMap<object, ReferenceTargets>()
  /** The components by the text of their schema and of all schemas that it refers to, so that equal schemas become one component. */
  readonly #byContent = new Map<string, Component>()
  readonly #byNode = new WeakMap<ReferenceTargets, Map<object, string>>()
  readonly #reported = new Set<string>()

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  /** Converts a schema of draft 7 to 2020-12. @returns the schema, or a reference to the component that was made of the schema */
  convert(schema: Schema, use: SchemaUse): Schema {
    if (schema === null || typeof schema !== 'object') return schema
    const targets = this.#targetsOf(use.shared)
    const resource = targets.read(schema)
    const host = this.#hostFor(targets, use)
    if (resource.id !== undefined) return host.nested(resource)
    const converted = convertTo2020(schema, resource, host)
    // A schema that refers to itself has become a component.
    const name = this.#byNode.get(targets)?.get(schema)
    return name === undefined ? converted : referTo(name)
  }

  #targetsOf(shared: Readonly<Record<string, Schema>>): ReferenceTargets {
    let targets = this.#targets.get(shared)
    if (targets === undefined) this.#targets.set(shared, (targets = new ReferenceTargets(shared)))
    return targets
  }

  #hostFor(targets: ReferenceTargets, use: SchemaUse): ConversionHost {
    const add = (node: Schema, resource: Resource, wanted: string): Schema => referTo(this.#add(node, resource, wanted, targets, use, host))
    const host: ConversionHost = {
      nested: (resource) => add(resource.node, resource, resource.id!),
      refer: (reference, source) => {
        const target = targets.resolve(reference, source)
        if (target === undefined) {
          if (!isMetaSchema(reference)) this.#warnOnce(`${use.place}: the reference '${reference}' leads nowhere.`)
          return { $ref: reference }
        }
        if (typeof target.schema === 'boolean') return target.schema
        const { resource } = target
        if (target.schema === resource.node) return add(target.schema, resource, resource.id ?? use.name)
        const step = reference.split(/[/#]/).at(-1)!
        if (isNumbered(step)) return add(target.schema, resource, schemaTitle(target.schema) ?? use.name)
        return add(target.schema, resource, /^\d*$/.test(step) ? `${resource.id ?? use.name}.${step}` : decodeURIComponent(step))
      },
      leftOut: (keyword, reason) =>
        this.#warnOnce(
          `${use.place}: the keyword '${keyword}' is left out, because ` +
            (reason === 'unknown'
              ? `JSON Schema has none of this name. Describe what it demands in a description, or name it x-${keyword}.`
              : `it takes its value from the data ($data). Describe what it demands in a description.`),
        ),
      nullBesideConst: () =>
        this.#warnOnce(
          `${use.place}: a nullable schema has a const. Replies may be null, as the document says, but requests may not. Write enum with the value instead.`,
        ),
    }
    return host
  }

  #add(node: Schema, resource: Resource, wanted: string, targets: ReferenceTargets, use: SchemaUse, host: ConversionHost): string {
    let known = this.#byNode.get(targets)
    if (known === undefined) this.#byNode.set(targets, (known = new Map()))
    const name = known.get(node)
    if (name !== undefined) return name
    const content = `${wanted}\n${comparableText(node, resource, targets)}`
    const equal = this.#byContent.get(content)
    const component = equal ?? { name: this.#nameFor(wanted, use), context: use.context }
    // The name is known before the schema is converted, because the schema may refer to itself.
    known.set(node, component.name)
    if (equal === undefined) {
      this.#byContent.set(content, component)
      this.schemas[component.name] = {}
      this.schemas[component.name] = convertTo2020(node, resource, host)
    }
    return component.name
  }

  #nameFor(wanted: string, { context, place, name: ownName }: SchemaUse): string {
    const name = componentName(wanted)
    if (!Object.hasOwn(this.schemas, name)) return name
    // Two schemas without names are used at one place.
    if (wanted === ownName) return this.#free(name)
    const other = [...this.#byContent.values()].find((component) => component.name === name)!
    const free = this.#free(`${componentName(context.split(' > ').at(-1)!)}.${name}`)
    this.#warnOnce(
      `${place}: the schema '${wanted}' of ${context} differs from the one of ${other.context}; it is the component '${free}', the other '${name}'. Give one of them another $id or title.`,
    )
    return free
  }

  #free(name: string): string {
    let free = name
    for (let number = 2; Object.hasOwn(this.schemas, free); number++) free = `${name}${number}`
    return free
  }

  #warnOnce(text: string): void {
    if (this.#reported.has(text)) return
    this.#reported.add(text)
    this.#warn(text)
  }
}

/**
 * Returns a text for comparing schemas: the schema and all schemas that it refers to. Two schemas with equal texts allow the same values.
 */
function comparableText(node: Schema, resource: Resource, targets: ReferenceTargets): string {
  const seen = new Set<Schema>()
  const texts: string[] = []
  add(node, resource)
  return texts.join('\n')

  function add(schema: Schema, source: Resource): void {
    if (schema === null || typeof schema !== 'object' || seen.has(schema)) return
    seen.add(schema)
    texts.push(JSON.stringify(schema))
    visit(schema, source)
  }
  function visit(schema: Schema, source: Resource): void {
    if (schema === null || typeof schema !== 'object') return
    const own = source.document.resources.get(schema) ?? source
    for (const [key, value] of Object.entries<Schema>(schema)) {
      const target = key === '$ref' && typeof value === 'string' ? targets.resolve(value, own) : undefined
      if (target === undefined) visit(value, own)
      else add(target.schema, target.resource)
    }
  }
}

/**
 * Whether the name of a definition is a number that Zod generated. Such a number does not describe the schema, and depends on the other
 * definitions.
 */
function isNumbered(definition: string): boolean {
  return /^__schema\d+$/.test(definition)
}

function schemaTitle(schema: Schema): string | undefined {
  return typeof schema.title === 'string' && schema.title !== '' ? schema.title : undefined
}

/**
 * Returns the name of a component for an `$id`, with the characters that OpenAPI allows. For a URL, the name is the last segment of its
 * path.
 */
function componentName(id: string): string {
  const last = /^[a-z][a-z\d+.-]*:/i.test(id) ? (id.split(/[/#:]/).findLast(Boolean) ?? id) : id
  return (
    last
      .replace(/[.]json$/, '')
      .replaceAll(/[^\w.-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'Schema'
  )
}
