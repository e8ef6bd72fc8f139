/**
 * The keywords of JSON Schema (draft 7, draft 2020-12 and OpenAPI): which form the value of each keyword has, and which types of values the
 * keyword applies to. All code that walks through a schema uses this table.
 */
import { isContainer, isObject } from '../../util/objects.js'

type Schema = any

/** The types of JSON Schema. */
export const typeNames = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const

/**
 * The form of a keyword's value: a schema, a list of schemas, a schema or a list of schemas, schemas by name, data (in which a `$ref` is an
 * ordinary text), or anything else, such as a limit or a text for readers.
 */
export type Holds = 'schema' | 'list' | 'schema or list' | 'map' | 'data' | 'plain'

interface Keyword {
  readonly holds: Holds
  /** The types of values that the keyword applies to; `undefined`: all types. */
  readonly types: readonly string[] | undefined
}

const text = ['string']
const numbers = ['number', 'integer']
const list = ['array']
const object = ['object']

const rows: readonly (readonly [Holds, types: readonly string[] | undefined, keywords: string])[] = [
  ['schema', undefined, 'not if then else'],
  ['schema', object, 'additionalProperties propertyNames unevaluatedProperties'],
  ['schema', list, 'additionalItems contains unevaluatedItems'],
  ['schema', text, 'contentSchema'],
  ['list', undefined, 'allOf anyOf oneOf'],
  ['list', list, 'prefixItems'],
  ['schema or list', list, 'items'],
  ['map', undefined, 'definitions $defs'],
  ['map', object, 'properties patternProperties dependencies dependentSchemas'],
  ['data', undefined, 'const enum default example examples'],
  ['plain', undefined, 'type nullable title description deprecated readOnly writeOnly discriminator xml externalDocs'],
  ['plain', undefined, '$id $schema $comment $anchor $ref $dynamicRef $dynamicAnchor'],
  ['plain', text, 'minLength maxLength pattern contentMediaType contentEncoding'],
  ['plain', [...text, ...numbers], 'format'],
  ['plain', numbers, 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'],
  ['plain', list, 'minItems maxItems uniqueItems minContains maxContains'],
  ['plain', object, 'required minProperties maxProperties dependentRequired'],
]

/** The known keywords of JSON Schema by name. */
export const keywords: ReadonlyMap<string, Keyword> = new Map(
  rows.flatMap(([holds, types, names]) => names.split(' ').map((name): [string, Keyword] => [name, { holds, types }])),
)

/** Returns the form of a keyword's value; `undefined` if the keyword is unknown, so that its value may contain schemas. */
export function holdingOf(keyword: string): Holds | undefined {
  return keywords.get(keyword)?.holds
}

/** Lists the schemas directly within a schema. Only values of known keywords are listed, because only these are certain to be schemas. */
export function subschemas(schema: Readonly<Record<string, Schema>>): Schema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Schema[] => {
    switch (holdingOf(keyword)) {
      case 'schema':
        return [value]
      case 'list':
        return Array.isArray(value) ? value : []
      case 'schema or list':
        return [value].flat()
      case 'map':
        return isContainer(value) ? Object.values(value) : []
      default:
        return []
    }
  })
}

/** Lists the objects directly within a schema that may be schemas: also values of unknown keywords, but no data. */
export function possibleSchemas(schema: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>>[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const holds = holdingOf(keyword)
    return holds === 'data' ? [] : objectsIn(holds === 'map' && isObject(value) ? Object.values(value) : value)
  })
}

function objectsIn(value: unknown): Readonly<Record<string, Schema>>[] {
  return Array.isArray(value) ? value.flatMap(objectsIn) : isObject(value) ? [value] : []
}

/**
 * Replaces the objects directly within a schema that may be schemas (see {@link possibleSchemas}).
 * @param map is called for each of these objects
 * @param mapValue is called for each keyword whose value is neither an object nor a list; `undefined` removes the keyword
 * @returns a copy; the schema itself if nothing changes
 */
export function mapSchemas<S extends Readonly<Record<string, Schema>>>(
  schema: S,
  map: (within: Record<string, Schema>) => Schema,
  mapValue: (keyword: string, value: Schema) => Schema = (_keyword, value) => value,
): S {
  const mapWithin = (value: Schema): Schema =>
    Array.isArray(value) ? mapEntries(value, (_, entry) => mapWithin(entry)) : isObject(value) ? map(value) : value
  return mapEntries<Record<string, Schema>>(schema, (keyword, value) => {
    if (!isContainer(value)) return mapValue(keyword, value)
    const holds = holdingOf(keyword)
    if (holds === 'data') return value
    return holds === 'map' && isObject(value) ? mapEntries(value, (_, entry) => mapWithin(entry)) : mapWithin(value)
  }) as S
}

/** The most levels of nested schemas that are searched; the schema compilers refuse deeper schemas. */
export const MAX_SCHEMA_DEPTH = 100

/**
 * Replaces the values of an object or a list; a value that becomes `undefined` is removed. The object or the list is copied only if a value
 * changes.
 */
export function mapEntries<T extends Record<string, Schema> | Schema[]>(entries: T, map: (key: string, value: Schema) => Schema): T {
  let result: any
  for (const [key, value] of Object.entries<Schema>(entries)) {
    const mapped = map(key, value)
    if (mapped === value) continue
    result ??= Array.isArray(entries) ? [...entries] : { ...entries }
    if (mapped === undefined) delete result[key]
    else result[key] = mapped
  }
  return result ?? entries
}
