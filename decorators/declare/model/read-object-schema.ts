/** Reads the schema of an object so that another schema can be composed of it without losing any of its meaning. */
import { isOfStandard, isPlainObject, mapEntries, mapSchemas, suggestName } from '../../../lib/internal.js'
import { cureOfMissingSchema, getSharedSchema } from '../schema.js'
import { isReference } from './ref.js'

/** The JSON Schema of an object with properties. */
export interface ObjectKeywords {
  readonly [keyword: string]: unknown
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** Whether a JSON Schema describes an object with properties. */
export function isObjectSchema(schema: Readonly<Record<string, unknown>>): schema is ObjectKeywords {
  const { type = 'object', nullable = false, properties } = schema
  return type === 'object' && nullable === false && isPlainObject(properties)
}

/** The keywords that are true for any selection of the properties, so composed schemas keep them. */
const copiedKeywords = [
  'type',
  'nullable',
  'title',
  'description',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
  'additionalProperties',
  'patternProperties',
]
/**
 * The keywords that belong to the original document and that a composed schema does not get. References to definitions lead to the original
 * document.
 */
const ofDocument = ['$id', '$schema', 'definitions', '$defs']

/** A read schema of an object, of which properties can be selected. */
interface ObjectSchemaReader {
  /** The name of the class or schema in errors. */
  readonly label: string
  /** Returns the schema with only those properties for whose names `keeps` returns true. */
  readonly select: (keeps: (name: string) => boolean) => ObjectKeywords
}

/**
 * Reads the class or schema from which `operation` (`pick`, `omit` …) composes another schema. `names` are the properties that the schema
 * must have.
 * @throws TypeError if the schema cannot be composed or lacks a property
 */
export function readObjectSchema(operation: string, model: unknown, names?: readonly string[]): ObjectSchemaReader {
  const label = typeof model === 'function' ? model.name : 'the schema'
  const place = `${operation}(${typeof model === 'function' ? model.name : '…'})`
  const schema = readComposable(place, model)
  const known = Object.keys(schema.properties)
  for (const name of names ?? [])
    if (!known.includes(name)) throw new TypeError(`${place}: ${label} has no property '${name}'. ${cureOfName(name, known)}`)
  if (names?.length === 0) throw new TypeError(`${place}: no properties are named. Write ${operation}(${label}, '${known[0] ?? '…'}').`)
  const { properties, required, ...others } = schema
  const keywords: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(others)) {
    if (ofDocument.includes(keyword)) continue
    if (!copiedKeywords.includes(keyword) && !keyword.startsWith('x-')) {
      const rest = `const { ${keyword}, ...rest } = ${typeof model === 'function' ? `${label}.schema` : 'schema'}`
      throw new TypeError(
        `${place}: the keyword '${keyword}' of ${label} is about the whole object, so it cannot be carried over. To leave it out, write ${rest}; ${operation}(rest, …).`,
      )
    }
    keywords[keyword] =
      keyword === 'patternProperties'
        ? mapEntries(value as ObjectKeywords, (_, each) => detach(each, schema, place))
        : detach(value, schema, place)
  }
  return {
    label,
    select(keeps) {
      const kept = Object.entries(properties).filter(([name]) => keeps(name))
      const still = required?.filter(keeps) ?? []
      return {
        ...keywords,
        properties: Object.fromEntries(kept.map(([name, property]) => [name, detach(property, schema, place)])),
        ...(still.length > 0 && { required: still }),
      }
    },
  }
}

function cureOfName(name: string, known: readonly string[]): string {
  return suggestName(name, known, `Its properties are: ${known.join(', ')}.`)
}

function readComposable(place: string, model: unknown): ObjectKeywords {
  const schema: unknown = typeof model === 'function' && !isOfStandard(model) ? getSharedSchema(model) : model
  if (schema === undefined)
    throw new TypeError(
      `${place}: ${typeof model === 'function' ? `the class has no shared schema. ${cureOfMissingSchema(model)}` : 'it is undefined, often because of a circle of imports. Declare it first.'}`,
    )
  assertNotOfLibrary(place, schema)
  if (!isPlainObject(schema) || isReference(schema))
    throw new TypeError(`${place}: this is not a schema with properties. Pass the class itself, or the JSON Schema of an object.`)
  if (!isObjectSchema(schema))
    throw new TypeError(`${place}: the schema is not that of an object with properties. Write { type: 'object', properties: { … } }.`)
  return schema
}

/** @throws TypeError if the schema is that of a library, of which only the library itself can compose others */
export function assertNotOfLibrary(place: string, schema: unknown): void {
  if (isOfStandard(schema))
    throw new TypeError(`${place}: this is a schema of a library. Compose it with the library, or make a class of it with Model.`)
}

/** Returns a schema for use outside of its document: local references (`#/…`) are prefixed with the document's `$id`. */
function detach(schema: unknown, document: ObjectKeywords, place: string): unknown {
  // The target of a reference to a later class is not known yet. Such a reference is never local.
  if (Array.isArray(schema)) return mapEntries(schema, (_, entry) => detach(entry, document, place))
  if (!isPlainObject(schema) || isReference(schema)) return schema
  if (typeof schema['$id'] === 'string')
    throw new TypeError(
      `${place}: a schema in it has the $id '${schema['$id']}', which would stand in two documents. Make a shared schema of it, and refer to that.`,
    )
  const detachWithin = (within: unknown): unknown => detach(within, document, place)
  return mapSchemas(schema, detachWithin, (keyword, value) =>
    keyword === '$ref' && typeof value === 'string' && value.startsWith('#') ? absoluteReference(value, document, place) : value,
  )
}

function absoluteReference(reference: string, { $id }: ObjectKeywords, place: string): string {
  const id = typeof $id === 'string' ? $id.replace(/#$/, '') : undefined
  if (id === undefined || id.includes('#'))
    throw new TypeError(
      `${place}: the reference '${reference}' leads to the schema that is composed, which has no $id of its own. Give it one, and list it in schemas.`,
    )
  return `${id}${reference}`
}
