/** Writes TypeScript types for JSON Schemas of draft 2020-12. */
import { isObject } from '../../../lib/internal.js'
import { componentOf, combinedSchemas } from '../openapi/component-references.js'
import { acceptsNull } from '../openapi/messages.js'
import { block, docComment, intersection, isOneObject, literal, memberText, parenthesize, union } from './type-texts.js'

type Schema = any

/**
 * The direction in which a value travels between client and server. The direction decides whether a property with a default may be absent.
 *
 * - `received`: the property is always there, because the serializer fills it in.
 * - `declared`: the property is there if it is required, because no schema serializes the reply.
 * - `sent`: the property may be left out, because the validator fills it in.
 * - `values`: like `sent`, and each property that may be left out may also be `undefined`.
 * - `form`: like `values`, and a property that consists of bytes is a file.
 */
export type Direction = 'received' | 'declared' | 'sent' | 'values' | 'form'

/**
 * The suffixes of a component's type names, by direction. A suffix is used if the component has different types in different directions.
 */
const suffixes: { readonly [D in Direction]: string } = {
  received: '',
  declared: 'WithoutDefaults',
  sent: 'Input',
  values: 'Input',
  form: 'Input',
}

/** Writes TypeScript types for the schemas of one OpenAPI document. */
export class SchemaTypes {
  readonly #components: Readonly<Record<string, Schema>>
  readonly #names: ReadonlyMap<string, string>
  readonly #used = new Map<string, Set<Direction>>()
  readonly #differing = new Map<string, boolean>()
  readonly #hasDates: boolean
  readonly #inlined = new Set<string>()

  /**
   * Creates a writer of types for these schemas.
   * @param components the schemas by name, to which references such as `#/components/schemas/User` lead
   * @param reserved names that the types must not have
   * @param hasDates whether received properties of the format `date-time` are of the type `Date`
   */
  constructor(components: Readonly<Record<string, Schema>>, reserved: ReadonlySet<string>, hasDates = false) {
    this.#hasDates = hasDates
    this.#components = components
    this.#names = nameTypes(Object.keys(components), reserved)
  }

  /** Returns the type of a schema: `{ readonly id: number }`, `User | null`. */
  typeOf(schema: Schema, direction: Direction): string {
    if (typeof schema === 'boolean' || schema === undefined) return schema === false ? 'never' : 'unknown'
    const alternatives = ['anyOf', 'oneOf'].flatMap((keyword) => {
      const list: readonly Schema[] | undefined = schema[keyword]
      return list === undefined ? [] : [union(list.map((each) => this.typeOf(each, direction)))]
    })
    const all: readonly Schema[] = schema.allOf ?? []
    const types = [
      ...(schema.$ref === undefined ? [] : [this.#refer(schema.$ref as string, direction)]),
      this.#ownType(schema, direction),
      ...alternatives,
      ...all.map((each) => this.typeOf(each, direction)),
    ]
    return intersection(types)
  }

  #propertyType(schema: Schema, direction: Direction): string {
    if (direction === 'form') return this.#fieldType(schema)
    const type = this.typeOf(schema, direction)
    return this.#hasDates && direction !== 'sent' && isDate(schema) ? type.replace(/\bstring\b/, 'Date') : type
  }

  /** Returns the type of a field in a form. */
  #fieldType(schema: Schema): string {
    const target = typeof schema?.$ref === 'string' ? this.#components[componentOf(schema.$ref)] : schema
    if (isBytes(target)) return 'FormFile'
    return isBytes(target?.items) && target.type === 'array' ? 'readonly FormFile[]' : this.typeOf(schema, 'sent')
  }

  /** Returns the declarations of all components that the written types refer to. */
  declarations(): string[] {
    const written = new Map<string, string>()
    // A declaration may refer to further components.
    for (let isComplete = false; !isComplete;) {
      isComplete = true
      for (const [component, directions] of this.#used)
        for (const direction of directions) {
          const name = this.#nameOf(component, direction)
          if (written.has(name)) continue
          written.set(name, this.#declare(name, this.#components[component], direction))
          isComplete = false
        }
    }
    return [...written].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)
  }

  /** Returns the properties of a schema, and of the schemas that it refers to or combines. */
  propertiesOf(schema: Schema): (readonly [name: string, schema: Schema])[] {
    return this.#combinedSchemas(schema).flatMap((combined) => Object.entries<Schema>(combined.properties ?? {}))
  }

  /** Whether an object must have at least one property to fit a schema, so that an empty object does not fit. */
  isNeeded(schema: Schema): boolean {
    const properties = Object.fromEntries(this.propertiesOf(schema))
    const required = this.#combinedSchemas(schema).flatMap((combined) => (combined.required ?? []) as string[])
    return required.some((name) => properties[name]?.default === undefined)
  }

  /** Whether a schema accepts `null`, so that a request may lack the value: an absent value is validated as `null`. */
  acceptsNull(schema: Schema): boolean {
    return acceptsNull(schema, this.#components)
  }

  #combinedSchemas(schema: Schema): Schema[] {
    return combinedSchemas(schema, this.#components, ['allOf']).filter(isObject)
  }

  #declare(name: string, schema: Schema, direction: Direction): string {
    const type = this.typeOf(schema, direction)
    const comment = docComment([schema?.description])
    return type.startsWith('{') && type.endsWith('}') && isOneObject(type)
      ? `${comment}export interface ${name} ${type}`
      : `${comment}export type ${name} = ${type}`
  }

  #refer(reference: string, direction: Direction): string {
    const component = componentOf(reference)
    if (!Object.hasOwn(this.#components, component)) return 'unknown'
    if (hasOptionalValues(direction)) return this.#inline(component, direction)
    const directions = this.#used.get(component) ?? new Set()
    this.#used.set(component, directions.add(direction))
    return this.#nameOf(component, direction)
  }

  #inline(component: string, direction: Direction): string {
    // A type that contains itself would have no end.
    if (this.#inlined.has(component)) return 'unknown'
    this.#inlined.add(component)
    const type = this.typeOf(this.#components[component], direction)
    this.#inlined.delete(component)
    return type
  }

  /**
   * Returns the name of a component's type. If sent values have another type than received values, the name for sent values ends in
   * `Input`.
   */
  #nameOf(component: string, direction: Direction): string {
    const name = this.#names.get(component)!
    return this.#differs(component) ? name + suffixes[direction] : name
  }

  #differs(component: string): boolean {
    const known = this.#differing.get(component)
    if (known !== undefined) return known
    // The component is known before it is searched: a reference to itself changes nothing.
    this.#differing.set(component, false)
    const differs = this.#hasDefault(this.#components[component])
    this.#differing.set(component, differs)
    return differs
  }

  #hasDefault(schema: Schema): boolean {
    if (schema === null || typeof schema !== 'object') return false
    if (typeof schema.$ref === 'string' && this.#differs(componentOf(schema.$ref))) return true
    if (this.#hasDates && Object.values<Schema>(schema.properties ?? {}).some(isDate)) return true
    return isDefaultGiven(schema.properties) || Object.values<Schema>(schema).some((value) => this.#hasDefault(value))
  }

  /** Returns the type for the keywords of a schema other than `$ref`, `allOf`, `anyOf` and `oneOf`. */
  #ownType(schema: Schema, direction: Direction): string {
    if (schema.const !== undefined) return literal(schema.const)
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
    const types = [schema.type ?? (schema.properties === undefined ? [] : 'object')].flat() as string[]
    return types.length === 0 ? 'unknown' : union(types.map((type) => this.#typed(type, schema, direction)))
  }

  #typed(type: string, schema: Schema, direction: Direction): string {
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'array') return this.#array(schema, direction)
    if (type === 'object') return this.#object(schema, direction)
    return type
  }

  #array({ items, prefixItems, minItems = 0 }: Schema, direction: Direction): string {
    const readonly = isSent(direction) ? 'readonly ' : ''
    const list = `${parenthesize(this.typeOf(items, direction))}[]`
    if (!Array.isArray(prefixItems)) return readonly + list
    const first = prefixItems.map((each, index) => parenthesize(this.typeOf(each, direction)) + (index < minItems ? '' : '?'))
    return `${readonly}[${[...first, ...(items === false ? [] : [`...${list}`])].join(', ')}]`
  }

  #object({ properties, additionalProperties, patternProperties, required = [] }: Schema, direction: Direction): string {
    const unnamed = (required as string[]).filter((name) => !Object.hasOwn(properties ?? {}, name))
    const entries = [
      ...Object.entries<Schema>(properties ?? {}),
      ...unnamed.map((name): [string, Schema] => [name, typeof additionalProperties === 'object' ? additionalProperties : true]),
    ]
    // The type of an object that lists its properties has no others, unless the schema describes them.
    const others = [
      ...Object.values<Schema>(patternProperties ?? {}),
      ...(additionalProperties === false || (additionalProperties === undefined && (patternProperties ?? entries[0]) !== undefined)
        ? []
        : [additionalProperties ?? true]),
    ]
    const nested = hasOptionalValues(direction) ? 'sent' : direction
    const members = entries.map(([name, schema]): TypeMember => {
      const isGiven = isCertain(schema, required.includes(name), direction)
      const type = this.#propertyType(schema, direction === 'form' ? direction : nested)
      return { name, schema, isGiven, type: isGiven || !hasOptionalValues(direction) ? type : union([type, 'undefined']) }
    })
    const texts = members.map(({ name, schema, isGiven, type }) =>
      memberText(name, isGiven, type, docComment([schema?.description], schema?.deprecated === true)),
    )
    if (others.length === 0) return texts.length === 0 ? '{ [key: string]: never }' : block(texts)
    // An index signature includes the members beside it.
    const all = [...others.map((schema) => this.typeOf(schema, nested)), ...members.map(({ type }) => type)]
    return block([...texts, `[key: string]: ${union(members.every(({ isGiven }) => isGiven) ? all : [...all, 'undefined'])}`])
  }
}

interface TypeMember {
  readonly name: string
  readonly schema: Schema
  readonly isGiven: boolean
  readonly type: string
}

function isSent(direction: Direction): boolean {
  return direction === 'sent' || hasOptionalValues(direction)
}

/** Whether the type of an optional property also allows `undefined` in this direction. */
function hasOptionalValues(direction: Direction): boolean {
  return direction === 'values' || direction === 'form'
}

/** Whether a schema describes bytes: a text of the format `binary`, which may also be `null`. */
function isBytes(schema: Schema): boolean {
  return schema?.format === 'binary' && [schema.type].flat().includes('string')
}

/** Whether a property is never absent in the type: because every received value has the property, or because a sent value must have it. */
function isCertain(schema: Schema, isRequired: boolean, direction: Direction): boolean {
  const hasDefault = schema?.default !== undefined
  if (isSent(direction)) return isRequired && !hasDefault
  return isRequired || (hasDefault && direction === 'received')
}

/** Whether a schema describes a text of the format `date-time`, which may also be `null`. */
export function isDate(schema: Schema): boolean {
  // Libraries write a nullable text as alternatives.
  const alternatives: readonly Schema[] = schema?.anyOf ?? schema?.oneOf ?? [schema]
  const isText = (each: Schema): boolean =>
    each?.format === 'date-time' && [each.type].flat().every((type) => type === 'string' || type === 'null')
  return alternatives.some(isText) && alternatives.every((each) => isText(each) || each?.type === 'null')
}

function isDefaultGiven(properties: Schema): boolean {
  return Object.values<Schema>(properties ?? {}).some((each) => each?.default !== undefined)
}

/** Returns a TypeScript name for each component. Equal names are numbered. */
function nameTypes(components: readonly string[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const component of components) {
    const words = component.split(/[^\p{L}\p{N}_$]+/u).filter(Boolean)
    const wanted = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'Schema'
    const base = /^\d/.test(wanted) ? `_${wanted}` : wanted
    let name = base
    const isTaken = (wanted: string): boolean => Object.values(suffixes).some((suffix) => taken.has(wanted + suffix))
    for (let number = 2; isTaken(name); number++) name = `${base}${number}`
    for (const suffix of Object.values(suffixes)) taken.add(name + suffix)
    names.set(component, name)
  }
  return names
}
