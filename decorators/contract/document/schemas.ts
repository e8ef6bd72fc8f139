/**
 * The schemas of a given document: of both versions in JSON Schema 2020-12, as documents of alcove have them. Each schema that a reference leads to has
 * a name, also one that stands within another part of the document.
 */
import { isObject, mapSchemas, type Resource, toPointer } from '../../../lib/internal.js'
import type { OpenApiSchema } from '../openapi/document-types.js'
import { referTo } from '../openapi/component-references.js'
import { convertTo2020, type Host } from '../openapi/json-schema-2020.js'
import { ContractError, type Source, stepsOf } from './source.js'

type Schema = any

/** References are resolved by the {@link Host}, so nothing of it is read. */
const noResource: Resource = { node: {}, document: { resources: new Map(), byUri: new Map() }, id: undefined, uri: '' }

export class ContractSchemas {
  /** The converted schemas by name, in the order of the document; then those that only a reference names. */
  readonly byName: Record<string, OpenApiSchema> = {}
  readonly #source: Source
  /** pointer of a schema → its name */
  readonly #names = new Map<string, string>()

  constructor(source: Source) {
    this.#source = source
    const given = source.root.components?.schemas
    if (!isObject(given)) return
    const pointers = Object.keys(given).map((name) => ({ name, pointer: toPointer(['components', 'schemas', name]) }))
    for (const { name, pointer } of pointers) this.#name(pointer, name)
    for (const { name, pointer } of pointers) this.byName[this.#names.get(pointer)!] = this.convert(given[name], pointer)
  }

  /** @param pointer where the schema stands */
  convert(schema: unknown, pointer: string): OpenApiSchema {
    if (schema === undefined || schema === true) return {}
    if (schema === false) return { not: {} }
    if (!isObject(schema)) throw new ContractError(`${pointer}: this is not a schema: ${JSON.stringify(schema)}.`)
    const host: Host = {
      nested: () => ({}),
      refer: (reference) => referTo(this.#nameOf(reference, pointer)),
      leftOut: (keyword) => this.#source.note(pointer, `The keyword '${keyword}' is not one of JSON Schema. Name it x-${keyword}.`),
      nullBesideConst: () => {},
    }
    return tidy(convertTo2020(withExamples(schema), noResource, host))
  }

  #nameOf(reference: string, from: string): string {
    if (stepsOf(reference) === undefined) this.#source.resolve(reference, from)
    const { value, pointer } = this.#source.resolve(reference, from)
    const known = this.#names.get(pointer)
    if (known !== undefined) return known
    if (isObject(value) && typeof value['$ref'] === 'string' && Object.keys(value).length === 1) return this.#nameOf(value['$ref'], pointer)
    const name = this.#name(
      pointer,
      stepsOf(reference)!
        .filter((step) => !/^(?:components|schemas|properties|paths)$/.test(step))
        .join('_'),
    )
    // Before it is converted: it may refer to itself.
    this.byName[name] = {}
    this.byName[name] = this.convert(value, pointer)
    return name
  }

  /** A name that documents and `$id`s may have, and no other schema has. */
  #name(pointer: string, wanted: string): string {
    const base =
      wanted
        .replaceAll(/[^\w.-]+/g, '_')
        .replace(/[.]json$/, '_json')
        .replaceAll(/^[.-]+|-+$/g, '') || 'Schema'
    const taken = new Set(this.#names.values())
    let name = base
    for (let number = 2; taken.has(name) || name in Object.prototype; number++) name = `${base}${number}`
    this.#names.set(pointer, name)
    if (name !== wanted && pointer.startsWith('/components/schemas/') && !pointer.slice(20).includes('/'))
      this.#source.note(
        pointer,
        `Names of schemas consist of letters, digits, '.', '-' and '_', and no object inherits them. This one is ${name}.`,
      )
    return name
  }
}

/** `example`, which JSON Schema does not have, as the only one of `examples`. */
function withExamples(schema: Record<string, Schema>): Record<string, Schema> {
  const mapped = mapSchemas(schema, withExamples)
  if (!('example' in mapped)) return mapped
  const { example, ...others } = mapped
  return others['examples'] === undefined ? { ...others, examples: [example] } : others
}

/** The same schema in one spelling: a list of one type is that type, `true` is `{}`. */
function tidy(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const { type, ...others } = mapSchemas(schema, tidy)
  return type === undefined ? others : { type: Array.isArray(type) && type.length === 1 ? (type[0] as unknown) : type, ...others }
}
