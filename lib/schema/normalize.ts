/** The normal form of a route's schemas, which the compilers read. */
import { errorCodes } from '../errors.js'
import { parseMediaType } from '../http/media-type.js'
import type { HttpPart } from '../types/request.js'
import type { RouteSchema } from '../types/schema.js'
import { unwrapFluent } from './schema-store.js'

/** A route's schemas in their normal form. */
export interface NormalSchema {
  /** The schemas as the route declares them, each part in its complete form. */
  readonly declared: RouteSchema
  readonly parts: { readonly [P in HttpPart]?: any }
  /** Body schemas by media type (`type/subtype`), if the route declares them in `body.content`. */
  readonly bodyContent: ReadonlyMap<string, any> | undefined
  /** Media types besides JSON that the body schema is applied to. */
  readonly consumes: readonly string[]
  readonly responses: readonly ResponseSchema[]
}

export interface ResponseSchema {
  /** `200`, `2xx` or `default`, lower case */
  readonly status: string
  /** lower case; `undefined`: for replies of every media type */
  readonly contentType: string | undefined
  readonly schema: any
}

/** How to read a route's schemas. */
export interface SchemaReading {
  readonly hasShorthand: boolean
  /** Whether the default engine compiles the request parts. Another engine gets its schema objects as they were written. */
  readonly usesDefaultValidator: boolean
  /** The same for responses. */
  readonly usesDefaultSerializer: boolean
}

const STATUS_KEY = /^[1-5][0-9]{2}$|^[1-5]xx$|^default$/

/**
 * Brings a route's schemas into their normal form: resolves the alias `query`, completes shorthand, takes `content` maps apart and lowers
 * the case of status keys. Does not change the given object, because routes may share it.
 * @throws ALC_ERR_SCH_DUPLICATE, ALC_ERR_SCH_CONTENT_MISSING_SCHEMA, ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX
 */
export function normalizeSchema(schema: RouteSchema & Record<string, any>, reading: SchemaReading): NormalSchema {
  const target = copyShallow(schema) as Record<string, any>
  if (target['query'] && target['querystring'] && target['query'] !== target['querystring']) {
    throw new errorCodes.ALC_ERR_SCH_DUPLICATE('querystring')
  }
  const complete = (part: any): any => completeSchema(part, reading.hasShorthand, reading.usesDefaultValidator)
  const parts: { [P in HttpPart]?: any } = {}
  let bodyContent: Map<string, any> | undefined
  for (const part of ['params', 'body', 'querystring', 'headers'] as const) {
    const given = target[part] ?? (part === 'querystring' ? target['query'] : undefined)
    // Not `!given`: `false` is a schema too, which no value satisfies.
    if (given == null) continue
    if (part === 'body' && isContentMap(given)) {
      bodyContent = new Map()
      for (const [type, entry] of Object.entries<any>(given.content)) {
        if (!entry?.schema) throw new errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA(type)
        const essence = mediaTypeEssence(type)
        if (bodyContent.has(essence)) throw new errorCodes.ALC_ERR_SCH_DUPLICATE(`body ${essence}`)
        bodyContent.set(essence, complete(entry.schema))
      }
      continue
    }
    target[part] = parts[part] = complete(given)
    // One declaration may serve two paths and so be normalized twice. The alias must then still be the same schema.
    if (part === 'querystring' && target['query']) target['query'] = parts[part]
  }
  return {
    declared: target,
    parts,
    bodyContent,
    consumes: (schema.consumes ?? []).map(mediaTypeEssence),
    responses: normalizeResponses(target, (part) => completeSchema(part, reading.hasShorthand, reading.usesDefaultSerializer)),
  }
}

function normalizeResponses(target: Record<string, any>, complete: (schema: any) => any): ResponseSchema[] {
  const responses: ResponseSchema[] = []
  if (target['response']) target['response'] = copyShallow(target['response'])
  for (const [key, entry] of Object.entries<any>(target['response'] ?? {})) {
    const status = key.toLowerCase()
    if (!STATUS_KEY.test(status)) throw new errorCodes.ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX()
    if (isContentMap(entry)) {
      for (const [type, value] of Object.entries<any>(entry.content)) {
        if (!value?.schema) throw new errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA(type)
        responses.push({ status, contentType: type.trim().toLowerCase(), schema: complete(value.schema) })
      }
      continue
    }
    const schema = complete(entry)
    target['response'][key] = schema
    responses.push({ status, contentType: undefined, schema })
  }
  return responses
}

// True for `{ description?, content: { 'application/json': { schema } } }`; false for a shorthand with a property named content.
function isContentMap(entry: any): boolean {
  const content = entry?.content
  if (content === null || typeof content !== 'object' || 'type' in entry || 'properties' in entry || '$ref' in entry) return false
  const types = Object.keys(content)
  return types.some((type) => type.includes('/')) && Object.getPrototypeOf(entry) === Object.prototype
}

const COMPLETE_KEYWORDS = ['type', 'properties', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'const', 'enum']

/** Whether a part is shorthand: it lists its parameters at the top level, as `{ id: { type: 'integer' } }`. */
function isShorthand(schema: any): boolean {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return false
  // Objects of other engines (Joi, Zod, TypeBox classes …) are never shorthand.
  const prototype = Object.getPrototypeOf(schema)
  if (prototype !== Object.prototype && prototype !== null) return false
  if (COMPLETE_KEYWORDS.some((keyword) => keyword in schema)) return false
  return Object.entries(schema).every(
    ([key, value]) => !key.startsWith('$') && value !== null && typeof value === 'object' && !Array.isArray(value),
  )
}

function completeSchema(given: any, hasShorthand: boolean, isForDefaultEngine: boolean): any {
  const schema = isForDefaultEngine ? fromStandard(unwrapFluent(given)) : unwrapFluent(given)
  if (!hasShorthand || !isShorthand(schema)) return schema
  const properties = isForDefaultEngine
    ? Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, fromStandard(value)]))
    : schema
  return { type: 'object', properties }
}

/**
 * Returns the JSON Schema of a schema that follows Standard Schema and can be converted (Zod 4 and others); any other schema as it is.
 * The result describes the input of the schema. Its own transformations are not run.
 */
function fromStandard(schema: any): any {
  const toJsonSchema: unknown = schema?.['~standard']?.jsonSchema?.input
  if (typeof toJsonSchema !== 'function') return schema
  const { $schema: _dialect, ...converted } = toJsonSchema({ target: 'draft-07' }) as Record<string, unknown>
  return converted
}

function copyShallow<T extends object>(object: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(object)), object)
}

function mediaTypeEssence(type: string): string {
  return parseMediaType(type)?.essence ?? type.trim().toLowerCase()
}
