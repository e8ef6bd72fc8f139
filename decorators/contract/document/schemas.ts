/**
 * Reads the schemas of an agreed OpenAPI document of version 3.0 or 3.1. The schemas are converted to JSON Schema 2020-12, which documents
 * of alcove use. Each schema that a reference leads to gets a name, even outside of `components`.
 */
import { isObject, mapSchemas, type Resource, toPointer } from '../../../lib/internal.js'
import type { OpenApiSchema } from '../openapi/document-types.js'
import { referTo } from '../openapi/component-references.js'
import { convertTo2020, type ConversionHost } from '../openapi/json-schema-2020.js'
import { ContractError, type Source, stepsOf } from './source.js'

type Schema = any

/**
 * An empty resource (a schema document with an address) that `convertTo2020` demands. The resource is not used, because the
 * {@link ConversionHost} resolves references.
 */
const noResource: Resource = { node: {}, document: { resources: new Map(), byUri: new Map() }, id: undefined, uri: '' }

export class ContractSchemas {
  /**
   * The converted schemas by name: first the schemas of `components` in their order, then schemas at other places that a reference leads
   * to.
   */
  readonly byName: Record<string, OpenApiSchema> = {}
  readonly #source: Source
  /** The names of the schemas by JSON Pointer. */
  readonly #names = new Map<string, string>()

  constructor(source: Source) {
    this.#source = source
    const componentSchemas = source.root.components?.schemas
    if (!isObject(componentSchemas)) return
    const pointers = Object.keys(componentSchemas).map((name) => ({ name, pointer: toPointer(['components', 'schemas', name]) }))
    for (const { name, pointer } of pointers) this.#name(pointer, name)
    for (const { name, pointer } of pointers) this.byName[this.#names.get(pointer)!] = this.convert(componentSchemas[name], pointer)
  }

  /**
   * Converts a schema to JSON Schema 2020-12.
   * @param pointer the place of the schema in the document
   * @throws ContractError if the value is not a schema, or if a reference of the schema leads to another document or nowhere
   */
  convert(schema: unknown, pointer: string): OpenApiSchema {
    if (schema === undefined || schema === true) return {}
    if (schema === false) return { not: {} }
    if (!isObject(schema)) throw new ContractError(`${pointer}: this is not a schema: ${JSON.stringify(schema)}.`)
    const host: ConversionHost = {
      nested: () => ({}),
      refer: (reference) => referTo(this.#nameOf(reference, pointer)),
      leftOut: (keyword) => this.#source.note(pointer, `The keyword '${keyword}' is not one of JSON Schema. Name it x-${keyword}.`),
      nullBesideConst: () => {},
    }
    return tidy(convertTo2020(withExamples(schema), noResource, host))
  }

  #nameOf(reference: string, from: string): string {
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
    // The name is taken before the schema is converted, because the schema may refer to itself.
    this.byName[name] = {}
    this.byName[name] = this.convert(value, pointer)
    return name
  }

  /**
   * Gives the schema at a pointer a unique name that is valid in documents and as an `$id`. Returns the name.
   * @param wanted the preferred name, which is changed only as far as needed
   */
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

/** Returns a schema with its `example` in the list `examples`, because JSON Schema has no keyword `example`. */
function withExamples(schema: Record<string, Schema>): Record<string, Schema> {
  const mapped = mapSchemas(schema, withExamples)
  if (!('example' in mapped)) return mapped
  const { example, ...others } = mapped
  return others['examples'] === undefined ? { ...others, examples: [example] } : others
}

/**
 * Returns a schema with each `type` in one spelling, so that equal schemas are written alike: `type: ['string']` becomes `type: 'string'`.
 */
function tidy(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const { type, ...others } = mapSchemas(schema, tidy)
  return type === undefined ? others : { type: Array.isArray(type) && type.length === 1 ? (type[0] as unknown) : type, ...others }
}
