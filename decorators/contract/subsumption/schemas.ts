/**
 * Brings the schemas of two OpenAPI documents into a common form, in which equal schemas are the same object: annotations and the order of
 * keywords are left out, and a component that means the same in both documents has one name.
 */
import { canonicalText, holdingOf, isObject } from '../../../lib/internal.js'
import { componentOf, type ComponentSchemas } from '../openapi/component-references.js'

/** A schema of JSON Schema 2020-12. */
export type Schema = boolean | SchemaObject

export interface SchemaObject {
  readonly [keyword: string]: any
}

/** A list of schemas, all of which a value must fit. */
export type Conjunction = readonly Schema[]

/** The document that contains a schema: the old or the new one. */
export type Side = 'old' | 'new'

/** The keywords that decide which values are valid. All other keywords are texts for readers and tools. */
const asserting: ReadonlySet<string> = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format
  items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems
  properties patternProperties additionalProperties propertyNames required minProperties maxProperties
  dependentRequired dependentSchemas unevaluatedProperties allOf anyOf oneOf not if then else $ref $dynamicRef`.split(/\s+/),
)
/** The formats of OpenAPI that allow all values of their type. */
const anyValue: ReadonlySet<string> = new Set(['password', 'binary', 'float', 'double'])
const allTypes = ['array', 'boolean', 'null', 'number', 'object', 'string']

export class SchemaPool {
  readonly #given: Readonly<Record<Side, ComponentSchemas>>
  /** The names of the components that have the same meaning in both documents. */
  readonly #shared: ReadonlySet<string>
  readonly #byText = new Map<string, SchemaObject>()
  readonly #ids = new Map<SchemaObject, number>()
  readonly #components = new Map<string, Schema>()

  /** @param components the component schemas of both documents, by name */
  constructor(components: Readonly<Record<Side, ComponentSchemas>>) {
    this.#given = components
    this.#shared = equalComponents(components)
  }

  /** Converts a schema of a document to the common form. Schemas with the same meaning mostly become the same object. */
  read(given: unknown, side: Side): Schema {
    if (!isObject(given)) return given !== false
    const result: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(given))
      if (asserting.has(keyword) && value !== undefined) result[keyword] = this.#readKeyword(keyword, value, side)
    return this.make(result)
  }

  #readKeyword(keyword: string, value: any, side: Side): unknown {
    const read = (schema: unknown): Schema => this.read(schema, side)
    if (keyword === '$ref') return `#/components/schemas/${this.#rename(componentOf(String(value)), side)}`
    switch (holdingOf(keyword)) {
      case 'schema':
      case 'schema or list':
        return read(value)
      case 'list':
        return [value].flat().map(read)
      case 'map':
        return isObject(value) ? mapValues(value, read) : {}
      default:
        return value
    }
  }

  #rename(name: string, side: Side): string {
    return this.#shared.has(name) ? name : `${side}:${name}`
  }

  /** Returns the object that stands for all schemas equal to this one. Nested schemas must be in the common form already. */
  make(given: Readonly<Record<string, unknown>>): Schema {
    const schema = tidy(given)
    if (typeof schema === 'boolean') return schema
    const text = Object.keys(schema)
      .sort()
      .map((keyword) => `${keyword}:${this.#textOf(keyword, schema[keyword])}`)
      .join()
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    this.#byText.set(text, schema)
    this.#ids.set(schema, this.#ids.size + 2)
    return schema
  }

  #textOf(keyword: string, value: any): string {
    switch (holdingOf(keyword)) {
      case 'schema':
      case 'schema or list':
        return String(this.idOf(value))
      case 'list':
        return `[${value.map((each: Schema) => this.idOf(each)).join()}]`
      case 'map':
        return JSON.stringify(Object.entries(value).map(([name, each]) => [name, this.idOf(each as Schema)]))
      default:
        return canonicalText(value)
    }
  }

  /** Returns the number of a schema in the common form. Each different schema has a different number. */
  idOf(schema: Schema): number {
    return typeof schema === 'boolean' ? Number(schema) : this.#ids.get(schema)!
  }

  /** Returns a text that is equal for equal sets of schemas. */
  keyOf(conjunction: Conjunction): string {
    return [...new Set(conjunction.map((each) => this.idOf(each)))].sort((a, b) => a - b).join()
  }

  /** Returns the component to which a reference in the common form leads; `true`, which allows any value, if there is no such component. */
  component(reference: string): Schema {
    const name = componentOf(reference)
    const known = this.#components.get(name)
    if (known !== undefined) return known
    const [, side = 'old', own = name] = /^(old|new):(.*)$/.exec(name) ?? []
    const given = this.#given[side as Side]
    const schema = Object.hasOwn(given, own) ? this.read(given[own], side as Side) : true
    this.#components.set(name, schema)
    return schema
  }

  /** Returns the components that schemas refer to, directly or through other components, by name. */
  componentsOf(schemas: Conjunction): Record<string, Schema> {
    const found: Record<string, Schema> = {}
    const left = schemas.flatMap(referencesIn)
    for (let reference = left.pop(); reference !== undefined; reference = left.pop()) {
      const name = componentOf(reference)
      if (Object.hasOwn(found, name)) continue
      found[name] = this.component(reference)
      left.push(...referencesIn(found[name]))
    }
    return found
  }
}

/** A cache: the references that each schema contains. */
const references = new WeakMap<object, readonly string[]>()

/** Returns the references of a schema, at any depth. */
function referencesIn(schema: unknown): readonly string[] {
  if (schema === null || typeof schema !== 'object') return []
  const known = references.get(schema)
  if (known !== undefined) return known
  const found = new Set<string>()
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && typeof value === 'string') found.add(value)
    else if (key !== 'enum' || !Array.isArray(value)) for (const each of referencesIn(value)) found.add(each)
  }
  const list = [...found]
  references.set(schema, list)
  return list
}

/** Returns a schema in its shortest spelling. Its nested schemas must have their shortest spelling already. */
function tidy(given: Readonly<Record<string, any>>): Schema {
  const schema: Record<string, any> = {}
  for (const keyword of Object.keys(given).sort()) {
    const value = tidyKeyword(keyword, given[keyword])
    if (value !== undefined) schema[keyword] = value
  }
  const { const: only, if: condition, then, else: other } = schema
  if ('const' in schema) {
    delete schema['const']
    const listed: readonly unknown[] | undefined = schema['enum']
    schema['enum'] = listed?.every((each) => canonicalText(each) !== canonicalText(only)) === true ? [] : [only]
  }
  if (condition === undefined || (then === undefined && other === undefined)) for (const each of ['if', 'then', 'else']) delete schema[each]
  if (schema['not'] === true || schema['allOf']?.includes(false) || schema['enum']?.length === 0) return false
  return Object.keys(schema).length === 0 ? true : schema
}

/** Returns the value of a keyword in its shortest spelling; `undefined` if the keyword excludes no value. */
function tidyKeyword(keyword: string, value: any): unknown {
  switch (keyword) {
    case 'type':
      return tidyTypes([value].flat())
    case 'enum':
      return [...new Map(value.map((each: unknown) => [canonicalText(each), each])).entries()]
        .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
        .map(([, each]) => each)
    case 'required':
      return value.length === 0 ? undefined : [...new Set(value as string[])].sort()
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return value > 0 ? value : undefined
    case 'uniqueItems':
      return value === true ? true : undefined
    case 'items':
    case 'propertyNames':
    case 'unevaluatedItems':
    case 'then':
    case 'else':
      return value === true ? undefined : value
    case 'not':
      return value === false ? undefined : value
    case 'allOf': {
      const others = [...new Set(value as Schema[])].filter((each) => each !== true)
      return others.length === 0 ? undefined : others
    }
    case 'anyOf':
      return value.includes(true) ? undefined : [...new Set(value as Schema[])]
    case 'properties':
    case 'patternProperties':
    case 'dependentSchemas':
    case 'dependentRequired':
      return Object.keys(value).length === 0 ? undefined : sortedByName(value)
    case 'format':
      return anyValue.has(value) ? undefined : value
    default:
      return value
  }
}

function tidyTypes(given: readonly string[]): string[] | undefined {
  const types = [...new Set(given)].filter((type) => type !== 'integer' || !given.includes('number')).sort()
  return allTypes.every((type) => types.includes(type)) ? undefined : types
}

function sortedByName<T>(value: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function mapValues<T, R>(values: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

/** Returns the names of the components that are equal in two documents, including all components that they refer to. */
function equalComponents({ old, new: other }: Readonly<Record<Side, ComponentSchemas>>): Set<string> {
  const names = Object.keys(old).filter((name) => Object.hasOwn(other, name) && textOfRules(old[name]) === textOfRules(other[name]))
  const equal = new Set(names)
  const users = new Map<string, string[]>()
  for (const name of names)
    for (const target of new Set(referencesIn(old[name]).map(componentOf))) users.set(target, [...(users.get(target) ?? []), name])
  const left = [...users.keys()].filter((name) => !equal.has(name))
  for (let name = left.pop(); name !== undefined; name = left.pop())
    for (const user of users.get(name) ?? []) if (equal.delete(user)) left.push(user)
  return equal
}

/** Returns a text of those keywords of a schema that decide which values are valid. */
function textOfRules(schema: unknown): string {
  return canonicalText(rulesOf(schema))
}

function rulesOf(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => asserting.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]): [string, unknown] => {
      const holds = holdingOf(keyword)
      if (holds === 'map' && isObject(value)) return [keyword, mapValues(value, rulesOf)]
      if (holds === 'data' || holds === 'plain') return [keyword, value]
      return [keyword, Array.isArray(value) ? value.map(rulesOf) : rulesOf(value)]
    }),
  )
}
