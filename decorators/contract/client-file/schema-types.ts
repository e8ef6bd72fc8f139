/** Writes TypeScript types for JSON Schemas of draft 2020-12. */
import { acceptsNull } from '../openapi/messages.js'

type Schema = any

/**
 * `received`: a property with a default is always there, because the serializer fills it in. `sent`: it may be left out, because the
 * validator does.
 */
export type Direction = 'received' | 'sent'

/** The types of the schemas of one document. */
export class SchemaTypes {
  readonly #components: Readonly<Record<string, Schema>>
  readonly #names: ReadonlyMap<string, string>
  readonly #used = new Map<string, Set<Direction>>()
  readonly #differing = new Map<string, boolean>()
  readonly #hasDates: boolean
  /** The names of received properties that are dates, and of those that may be other texts. */
  readonly #dates = new Set<string>()
  readonly #texts = new Set<string>()

  /**
   * @param components schemas by name, to which `#/components/schemas/…` refers
   * @param reserved names that the types must not have
   * @param hasDates whether received properties of the format `date-time` are of the type `Date`
   */
  constructor(components: Readonly<Record<string, Schema>>, reserved: ReadonlySet<string>, hasDates = false) {
    this.#hasDates = hasDates
    this.#components = components
    this.#names = nameTypes(Object.keys(components), reserved)
  }

  /** The type of a schema: `{ readonly id: number }`, `User | null`. */
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

  /**
   * The names of all received properties that are dates. It is complete when all declarations are written.
   * @throws TypeError if one of them is another text elsewhere: a client tells dates by these names
   */
  dateNames(): string[] {
    for (const name of this.#dates)
      if (this.#texts.has(name))
        throw new TypeError(
          `The property '${name}' is a date-time in one reply and may be another text in others, so clients cannot tell when it is a Date. Rename one of them, or write the client without dates.`,
        )
    return [...this.#dates].toSorted((one, other) => (one < other ? -1 : 1))
  }

  #propertyType(name: string, schema: Schema, direction: Direction): string {
    const type = this.typeOf(schema, direction)
    if (!this.#hasDates || direction === 'sent') return type
    if (isDate(schema)) {
      this.#dates.add(name)
      return type.replace(/\bstring\b/, 'Date')
    }
    const target = typeof schema?.$ref === 'string' ? this.#components[componentOf(schema.$ref)] : undefined
    if (/\bstring\b|\bunknown\b|"/.test(type) || (target !== undefined && target?.type !== 'object')) this.#texts.add(name)
    return type
  }

  /** The declarations of all components that types refer to. */
  declarations(): string[] {
    const written = new Map<string, string>()
    // Writing one may use others.
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

  /** The properties of a schema, with those of what it refers to and of all that it combines. */
  propertiesOf(schema: Schema): (readonly [name: string, schema: Schema])[] {
    return this.#partsOf(schema).flatMap((part) => Object.entries<Schema>(part.properties ?? {}))
  }

  /** Whether a value must have at least one property, so that an object without any does not fit. */
  isNeeded(schema: Schema): boolean {
    const properties = Object.fromEntries(this.propertiesOf(schema))
    const required = this.#partsOf(schema).flatMap((part) => (part.required ?? []) as string[])
    return required.some((name) => properties[name]?.default === undefined)
  }

  /** Whether a request may lack the value: it is validated as `null` then. */
  acceptsNull(schema: Schema): boolean {
    return acceptsNull(schema, this.#components)
  }

  #partsOf(schema: Schema, seen = new Set<Schema>()): Schema[] {
    if (schema === null || typeof schema !== 'object' || seen.has(schema)) return []
    seen.add(schema)
    const target = typeof schema.$ref === 'string' ? this.#components[componentOf(schema.$ref)] : undefined
    return [schema, target, ...(schema.allOf ?? [])].flatMap((part) => (part === schema ? [schema] : this.#partsOf(part, seen)))
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
    const directions = this.#used.get(component) ?? new Set()
    this.#used.set(component, directions.add(direction))
    return this.#nameOf(component, direction)
  }

  /** The name of a component; if what is sent has another type than what is received, that one ends in `Input`. */
  #nameOf(component: string, direction: Direction): string {
    const name = this.#names.get(component)!
    return direction === 'sent' && this.#differs(component) ? `${name}Input` : name
  }

  #differs(component: string): boolean {
    const known = this.#differing.get(component)
    if (known !== undefined) return known
    // While it is looked at: a reference to itself changes nothing.
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

  /** What the keywords beside `$ref`, `allOf` and alternatives say. */
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
    const readonly = direction === 'sent' ? 'readonly ' : ''
    const list = `${parenthesize(this.typeOf(items, direction))}[]`
    if (!Array.isArray(prefixItems)) return readonly + list
    const first = prefixItems.map((each, index) => parenthesize(this.typeOf(each, direction)) + (index < minItems ? '' : '?'))
    return `${readonly}[${[...first, ...(items === false ? [] : [`...${list}`])].join(', ')}]`
  }

  #object({ properties, additionalProperties, required = [] }: Schema, direction: Direction): string {
    const unnamed = (required as string[]).filter((name) => !Object.hasOwn(properties ?? {}, name))
    const entries = [...Object.entries<Schema>(properties ?? {}), ...unnamed.map((name): [string, Schema] => [name, true])]
    if (entries.length === 0) return `{ [key: string]: ${this.typeOf(additionalProperties ?? true, direction)} }`
    const members = entries.map(([name, schema]) => {
      const hasDefault = schema?.default !== undefined
      const isGiven = direction === 'sent' ? required.includes(name) && !hasDefault : required.includes(name) || hasDefault
      return member(
        name,
        isGiven,
        this.#propertyType(name, schema, direction),
        docComment([schema?.description], schema?.deprecated === true),
      )
    })
    return block(members)
  }
}

/** The name of the component that a reference leads to. */
function componentOf(reference: string): string {
  return reference.replace('#/components/schemas/', '')
}

/** Whether a value is a text of the format `date-time`, or `null`. */
function isDate(schema: Schema): boolean {
  return schema?.format === 'date-time' && [schema.type].flat().every((type) => type === 'string' || type === 'null')
}

function isDefaultGiven(properties: Schema): boolean {
  return Object.values<Schema>(properties ?? {}).some((each) => each?.default !== undefined)
}

/** A member of an object type, with its comment. */
export function member(name: string, isGiven: boolean, type: string, comment = ''): string {
  return `${comment}${propertyName(name)}${isGiven ? '' : '?'}: ${type}`
}

/** Members between braces: on one line if they are short, otherwise a line each. */
export function block(members: readonly string[], separator = ''): string {
  const line = `{ ${members.join(`${separator || ';'} `)} }`
  if (members.length > 0 && line.length <= 80 && !line.includes('\n') && !line.includes('/**')) return line
  return `{\n${members.join(`${separator}\n`).replaceAll(/^(?=.)/gm, '  ')}\n}`
}

/** A name as a key of an object. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** The text of a doc comment with these paragraphs, or nothing. */
export function docComment(texts: readonly unknown[], isDeprecated = false): string {
  const given = [...texts.filter((text) => typeof text === 'string' && text.trim() !== ''), ...(isDeprecated ? ['@deprecated'] : [])]
  const lines = given.flatMap((text) =>
    String(text)
      .replaceAll('*/', '*\\/')
      .split(/\r\n|[\n\r\u2028\u2029]/),
  )
  if (lines.length === 0) return ''
  if (lines.length === 1) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** A value as TypeScript: JSON is part of it, but for two characters that end lines. */
export function literal(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${propertyName(key)}: ${literal(each)}`)
    .join(', ')} }`
}

/** `A | B`, each once. */
export function union(types: readonly string[]): string {
  const each = new Set(types)
  if (each.has('unknown')) return 'unknown'
  each.delete('never')
  return each.size === 0 ? 'never' : [...each].map((type) => (each.size > 1 ? parenthesize(type, / & /) : type)).join(' | ')
}

function intersection(types: readonly string[]): string {
  const each = [...new Set(types)].filter((type) => type !== 'unknown')
  return each.length === 0 ? 'unknown' : each.map((type) => (each.length > 1 ? parenthesize(type) : type)).join(' & ')
}

function parenthesize(type: string, operators = / [|&] |^readonly /): string {
  return operators.test(withoutNested(type)) ? `(${type})` : type
}

/** The type without what stands between brackets and quotes. */
function withoutNested(type: string): string {
  let text = type.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\/\*[^]*?\*\//g, '')
  for (let before = ''; before !== text;) {
    before = text
    text = text.replaceAll(/\{[^{}]*\}|\([^()]*\)|\[[^[\]]*\]|<[^<>]*>/g, '_')
  }
  return text
}

function isOneObject(type: string): boolean {
  return withoutNested(type) === '_'
}

/** A name in TypeScript for each component; names that would be equal are numbered. */
function nameTypes(components: readonly string[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const component of components) {
    const words = component.split(/[^\p{L}\p{N}_$]+/u).filter(Boolean)
    const wanted = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'Schema'
    const base = /^\d/.test(wanted) ? `_${wanted}` : wanted
    let name = base
    for (let number = 2; taken.has(name) || taken.has(`${name}Input`); number++) name = `${base}${number}`
    taken.add(name).add(`${name}Input`)
    names.set(component, name)
  }
  return names
}
