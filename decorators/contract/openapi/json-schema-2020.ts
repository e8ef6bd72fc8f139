/**
 * Rewrites JSON Schema draft 7, as ajv 8 reads it, in draft 2020-12, which OpenAPI 3.1 and 3.2 use. The result accepts the same values.
 *
 * - A list of schemas in `items` becomes `prefixItems`, and `additionalItems` becomes `items`.
 * - `dependencies` is split into `dependentRequired` and `dependentSchemas`.
 * - `nullable`, a keyword of OpenAPI 3.0 that ajv and fast-json-stringify know, becomes the type `null`, and `null` in a list of values.
 * - Limits that exclude by a boolean, as draft 4 writes them, become `exclusiveMinimum` and `exclusiveMaximum`.
 * - `$id`, `definitions` and `$defs` are left out, because a {@link ConversionHost} makes a component of each schema that a reference leads to.
 * - `$ref` keeps the keywords beside it: draft 7 ignores them, but ajv 8 applies them, as draft 2020-12 does.
 * - Keywords of 2020-12 are kept. ajv refuses them at boot unless the application has defined them.
 * - Keywords that only the application knows, such as those of ajv-keywords, are left out and reported; `x-` fields are kept.
 */
import { holdingOf, type Holds, isObject, keywords, type Resource } from '../../../lib/internal.js'

type Schema = any

/** The callbacks of a conversion for references to other schemas, and for warnings. */
export interface ConversionHost {
  /** Returns the schema that replaces a reference in the converted schema: `{ $ref }`, or a boolean. */
  refer(reference: string, source: Resource): Schema
  /** Returns the schema that replaces a nested schema with an `$id` in the converted schema. */
  nested(resource: Resource): Schema
  /**
   * A function that is called for each keyword that is left out and may matter: OpenAPI has no keyword of this name (`unknown`), or its
   * value is a `$data` reference.
   */
  leftOut(keyword: string, reason: 'unknown' | '$data'): void
  /**
   * A function that is called for a nullable schema with a `const`: ajv refuses `null` in requests, but the serializer writes `null` in
   * replies.
   */
  nullBesideConst(): void
}

/** A schema to convert, with the place of the schema. */
interface ConversionPlace {
  readonly schema: Record<string, Schema>
  /** The schema with an `$id`, or the root of a schema document, to which the reference `#` leads from this schema. */
  readonly source: Resource
  readonly host: ConversionHost
}

/** Converts the value of a keyword of draft 7. @returns the keywords of draft 2020-12 that replace this keyword */
type Rewrite = (value: Schema, place: ConversionPlace) => Record<string, Schema>

const one: (keyword: string) => Rewrite = (keyword) => (value, place) => ({ [keyword]: convertWithin(value, place) })
const list: (keyword: string) => Rewrite = (keyword) => (value, place) =>
  Array.isArray(value) && value.length > 0 ? { [keyword]: value.map((entry) => convertWithin(entry, place)) } : {}
const map: (keyword: string) => Rewrite = (keyword) => (value, place) => (isObject(value) ? { [keyword]: mapValues(value, place) } : {})
const nothing: Rewrite = () => ({})

const copy: (keyword: string) => Rewrite = (keyword) => (value) => ({ [keyword]: value })
const byHolding: Readonly<Record<Holds, (keyword: string) => Rewrite>> = {
  schema: one,
  list,
  'schema or list': one,
  map,
  data: copy,
  plain: copy,
}

const rewrites: ReadonlyMap<string, Rewrite> = new Map<string, Rewrite>([
  ...[...keywords].map(([keyword, { holds }]): [string, Rewrite] => [keyword, byHolding[holds](keyword)]),
  ...['$id', '$schema', '$comment', '$anchor', 'definitions', '$defs'].map((keyword): [string, Rewrite] => [keyword, nothing]),
  ['$ref', rewriteReference],
  ['items', rewriteItems],
  // Without a list in `items`, `additionalItems` means nothing.
  ['additionalItems', nothing],
  ['dependencies', rewriteDependencies],
  ['minimum', rewriteLimit('minimum', 'exclusiveMinimum')],
  ['maximum', rewriteLimit('maximum', 'exclusiveMaximum')],
  ['exclusiveMinimum', rewriteExclusion('exclusiveMinimum', 'minimum')],
  ['exclusiveMaximum', rewriteExclusion('exclusiveMaximum', 'maximum')],
  // `withNull` reads it after all other keywords.
  ['nullable', nothing],
])

/**
 * Converts a schema of draft 7 to draft 2020-12.
 * @param schema a schema, or `true` or `false`
 * @param source the resource that contains the schema, from which references are resolved
 */
export function convertTo2020(schema: Schema, source: Resource, host: ConversionHost): Schema {
  if (!isObject(schema)) return schema
  const place: ConversionPlace = { schema, source, host }
  const result: Record<string, Schema> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue
    const rewrite = rewrites.get(keyword)
    if (keyword.startsWith('x-')) result[keyword] = value
    else if (rewrite === undefined) host.leftOut(keyword, 'unknown')
    else if (!mayHaveNames(keyword) && isDataReference(value)) host.leftOut(keyword, '$data')
    else addKeywords(result, rewrite(value, place))
  }
  return schema['nullable'] === true ? nullableSchema(result, host) : result
}

function convertWithin(schema: Schema, { source, host }: ConversionPlace): Schema {
  const own = isObject(schema) ? source.document.resources.get(schema) : undefined
  return own === undefined || own === source ? convertTo2020(schema, source, host) : host.nested(own)
}

function mapValues(schemas: Record<string, Schema>, place: ConversionPlace): Record<string, Schema> {
  // A property may be named `__proto__`, so the entries are not assigned one by one.
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convertWithin(schema, place)]))
}

/**
 * Adds converted keywords to a result. Values of one keyword are merged, because `dependencies` and `dependentSchemas` may both become
 * `dependentSchemas`.
 */
function addKeywords(result: Record<string, Schema>, keywords: Record<string, Schema>): void {
  for (const [keyword, value] of Object.entries(keywords)) {
    const isMerged = (keyword === 'dependentSchemas' || keyword === 'dependentRequired') && isObject(result[keyword])
    result[keyword] = isMerged ? { ...result[keyword], ...value } : value
  }
}

function rewriteReference(reference: Schema, { source, host }: ConversionPlace): Record<string, Schema> {
  const referred: Schema = typeof reference === 'string' ? host.refer(reference, source) : { $ref: reference }
  if (referred === true) return {}
  return referred === false ? { not: {} } : referred
}

function rewriteItems(items: Schema, place: ConversionPlace): Record<string, Schema> {
  if (!Array.isArray(items)) return { items: convertWithin(items, place) }
  const { additionalItems } = place.schema
  return {
    ...(items.length > 0 && { prefixItems: items.map((entry) => convertWithin(entry, place)) }),
    ...(additionalItems !== undefined && { items: convertWithin(additionalItems, place) }),
  }
}

function rewriteDependencies(dependencies: Schema, place: ConversionPlace): Record<string, Schema> {
  const entries = Object.entries<Schema>(dependencies)
  const names = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))
  return {
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: mapValues(Object.fromEntries(schemas), place) }),
  }
}

function rewriteLimit(limit: string, exclusion: string): Rewrite {
  return (value, { schema }) => (schema[exclusion] === true ? {} : { [limit]: value })
}

function rewriteExclusion(exclusion: string, limit: string): Rewrite {
  return (value, { schema }) => {
    if (typeof value !== 'boolean') return { [exclusion]: value }
    return value && schema[limit] !== undefined ? { [exclusion]: schema[limit] } : {}
  }
}

/**
 * Adds `null` to the types and to the listed values of a schema. A nullable schema without a type is converted too, because
 * fast-json-stringify writes `null` for it.
 */
function nullableSchema({ const: only, ...schema }: Record<string, Schema>, host: ConversionHost): Record<string, Schema> {
  const constant = only === undefined ? {} : { const: only }
  if (schema['type'] === undefined) return { anyOf: [{ ...schema, ...constant }, { type: 'null' }] }
  const listed: Schema[] | undefined = only === undefined ? schema['enum'] : [only]
  const isUnlisted = Array.isArray(listed) && !listed.includes(null)
  if (isUnlisted && only !== undefined) host.nullBesideConst()
  return { ...schema, type: [...new Set([schema['type'], 'null'].flat())], ...(isUnlisted ? { enum: [...listed, null] } : constant) }
}

/** Whether the value of a keyword has names that the application chooses, so that a member `$data` need not be a reference of ajv. */
function mayHaveNames(keyword: string): boolean {
  return ['map', 'data'].includes(holdingOf(keyword)!)
}

/**
 * Whether a value is a `$data` reference, an extension of ajv: the validated data contain the value of the keyword. No draft has such
 * references.
 */
function isDataReference(value: Schema): boolean {
  return isObject(value) && typeof value['$data'] === 'string' && Object.keys(value).length === 1
}
