/** The normal form of a route's schemas, from which the compilers work. */
import { errorCodes } from '../errors/codes.js'
import { parseMediaType } from '../http/media-type.js'
import type { HttpPart } from '../types/request.js'
import type { RouteSchema } from '../types/route.js'
import { isObject } from '../util/objects.js'
import { keywords } from './json-schema/vocabulary.js'
import { PartFailure } from './part-failure.js'
import { assertNoRefinement } from './refinements.js'
import { unwrapFluent } from './schema-store.js'
import { createShorthand } from './standard/shorthand.js'
import { StreamResponse } from './streams/stream.js'
import { partOrder } from './validate-request.js'
import { documentPart, isOfStandard, isStandardSchema, originalOf, libraryJsonSchema } from './standard/standard-schema.js'

/** A route's schemas in their normal form. */
export interface NormalSchema {
  /** The schemas as the route declares them, with aliases resolved and shorthand written out. */
  readonly declared: RouteSchema
  readonly parts: { readonly [P in HttpPart]?: any }
  /** Body schemas by media type (`type/subtype`), if the route declares them in `body.content`. */
  readonly bodyContent: ReadonlyMap<string, any> | undefined
  /** Media types besides JSON that the body schema applies to. */
  readonly consumes: readonly string[]
  readonly responses: readonly ResponseSchema[]
}

export interface ResponseSchema {
  /** The status that the response is for: `200`, `2xx` or `default`, in lower case. */
  readonly status: string
  /** The media type that the response is for, in lower case; `undefined`: any media type. */
  readonly contentType: string | undefined
  readonly schema: any
  /** The stream of items, if the response is one; `schema` is then the schema of an item. */
  readonly stream?: StreamResponse
}

/** The settings that decide how a route's schemas are read. */
export interface SchemaReading {
  readonly hasShorthand: boolean
  /** Whether cookies are validated, and not only described. */
  readonly validatesCookies: boolean
  /**
   * Whether the default engine compiles the schemas of request parts. Other engines get the schema objects as the application wrote them.
   */
  readonly usesDefaultValidator: boolean
  /** Whether the default engine compiles the schemas of responses. Other engines get the schema objects as the application wrote them. */
  readonly usesDefaultSerializer: boolean
}

const STATUS_KEY = /^[1-5][0-9]{2}$|^[1-5]xx$|^default$/

/**
 * Brings a route's schemas into their normal form: resolves the alias `query`, completes shorthand, takes `content` maps apart and lowers
 * the case of status keys. The object itself is not changed, because routes may share it.
 * @throws ALC_ERR_SCH_DUPLICATE, ALC_ERR_SCH_CONTENT_MISSING_SCHEMA, ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX
 */
export function normalizeSchema(schema: RouteSchema & Record<string, any>, reading: SchemaReading): NormalSchema {
  const target = copyShallow(schema) as Record<string, any>
  if (target['query'] != null && target['querystring'] != null && target['query'] !== target['querystring']) {
    throw new errorCodes.ALC_ERR_SCH_DUPLICATE('querystring')
  }
  const complete = (schema: any, part: HttpPart): any => {
    const original = originalOf(schema)
    return reading.usesDefaultValidator
      ? naming(part, () => completeInput(original, reading.hasShorthand))
      : completeSchema(unwrapFluent(original), reading.hasShorthand)
  }
  const parts: { [P in HttpPart]?: any } = {}
  let bodyContent: Map<string, any> | undefined
  for (const part of partOrder) {
    if (part === 'cookies' && !reading.validatesCookies) continue
    const partSchema = target[part] ?? (part === 'querystring' ? target['query'] : undefined)
    // Not `!partSchema`: `false` is a schema too, which no value satisfies.
    if (partSchema == null) continue
    if (part === 'body' && isContentMap(partSchema)) {
      bodyContent = new Map()
      const documented: Record<string, any> = {}
      for (const [type, entry] of Object.entries<any>(partSchema.content)) {
        if (!entry?.schema) throw new errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA(type)
        const essence = mediaTypeEssence(type)
        if (bodyContent.has(essence)) throw new errorCodes.ALC_ERR_SCH_DUPLICATE(`body ${essence}`)
        const schema = complete(entry.schema, part)
        bodyContent.set(essence, schema)
        if (reading.usesDefaultValidator && isStandardSchema(schema)) documented[type] = { ...entry, schema: documentPart(schema, part) }
      }
      if (Object.keys(documented).length > 0) target[part] = { ...partSchema, content: { ...partSchema.content, ...documented } }
      continue
    }
    parts[part] = complete(partSchema, part)
    target[part] = reading.usesDefaultValidator ? documentPart(parts[part], part) : parts[part]
    // One declaration may serve two paths and so be normalized twice. The alias must then still be the same schema.
    if (part === 'querystring' && target['query']) target['query'] = target[part]
  }
  return {
    declared: target,
    parts,
    bodyContent,
    consumes: (schema.consumes ?? []).map(mediaTypeEssence),
    responses: normalizeResponses(target, (schema, part, isItem = false) =>
      reading.usesDefaultSerializer
        ? naming(part, () => completeOutput(isItem ? assertComplete(schema) : schema, reading.hasShorthand))
        : completeSchema(unwrapFluent(schema), reading.hasShorthand),
    ),
  }
}

/**
 * Splits the responses of a route into one entry for each status and media type.
 * @param complete completes a schema; `isItem` is `true` if the schema describes an item of a stream
 */
function normalizeResponses(target: Record<string, any>, complete: (schema: any, part: string, isItem?: boolean) => any): ResponseSchema[] {
  const responses: ResponseSchema[] = []
  if (target['response']) target['response'] = copyShallow(target['response'])
  for (const [key, entry] of Object.entries<any>(target['response'] ?? {})) {
    const status = key.toLowerCase()
    if (!STATUS_KEY.test(status)) throw new errorCodes.ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX(key)
    if (entry instanceof StreamResponse) {
      const stream = entry.with(complete(entry.item, `response ${status}`, true))
      target['response'][key] = stream
      responses.push({ status, contentType: undefined, schema: stream.item, stream })
      continue
    }
    if (isContentMap(entry)) {
      for (const [type, value] of Object.entries<any>(entry.content)) {
        if (!value?.schema) throw new errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA(type)
        responses.push({ status, contentType: type.trim().toLowerCase(), schema: complete(value.schema, `response ${status} ${type}`) })
      }
      continue
    }
    const schema = complete(entry, `response ${status}`)
    target['response'][key] = schema
    responses.push({ status, contentType: undefined, schema })
  }
  return responses
}

/** Throws if the schema of a stream's items is shorthand. */
function assertComplete(item: unknown): unknown {
  if (!isShorthand(item)) return item
  throw new Error("stream(…) has a schema in shorthand. Write { type: 'object', properties: { … } }")
}

/**
 * Whether a body or a response is declared by media type: `{ description?, content: { 'application/json': { schema } } }`. A shorthand with a
 * property named `content` is not.
 */
export function isContentMap(entry: any): boolean {
  const content = entry?.content
  if (content === null || typeof content !== 'object' || 'type' in entry || 'properties' in entry || '$ref' in entry) return false
  const types = Object.keys(content)
  return types.some((type) => type.includes('/')) && Object.getPrototypeOf(entry) === Object.prototype
}

const COMPLETE_KEYWORDS = ['type', 'properties', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'const', 'enum']

/** Whether a schema is shorthand: it lists its properties at the top level, as `{ id: { type: 'integer' } }`. */
function isShorthand(schema: any, isParameter: (value: unknown) => boolean = isObject): boolean {
  if (!isObject(schema)) return false
  // Objects of other engines (Joi, Zod, TypeBox classes …) are never shorthand.
  const prototype = Object.getPrototypeOf(schema)
  if (prototype !== Object.prototype && prototype !== null) return false
  if (COMPLETE_KEYWORDS.some((keyword) => keyword in schema)) return false
  const entries = Object.entries(schema)
  // `{}` is the schema of any value, and the form of Type.Unknown() and Type.Any() of TypeBox.
  return entries.length > 0 && entries.every(([key, value]) => !key.startsWith('$') && isParameter(value))
}

function completeSchema(schema: any, hasShorthand: boolean): any {
  return hasShorthand && isShorthand(schema) ? { type: 'object', properties: schema } : schema
}

/**
 * Throws if a class or a function is given as a schema. Otherwise it would be read as a schema without keywords, or lead to an error
 * message that does not name it.
 */
function assertNoFunction(schema: unknown): void {
  if (typeof schema !== 'function') return
  const name = schema.name || 'it'
  throw new Error(
    `${name} is a function or a class, not a schema. Write JSON Schema or a schema of a library, or for a class with a shared schema ref(${name})`,
  )
}

/**
 * Writes out the shorthand of an input's schema, such as the schema of a request part, for the default engine, which compiles JSON Schema
 * and Standard Schemas.
 */
export function completeInput(original: any, hasShorthand: boolean): any {
  const schema = unwrapFluent(original)
  if (isStandardSchema(schema)) return schema
  if (isOfStandard(schema)) return libraryJsonSchema(schema)
  assertNoFunction(schema)
  assertNoRefinement(schema)
  if (!hasShorthand || !isShorthand(schema, (value) => isObject(value) || isStandardSchema(value))) return schema
  const values: unknown[] = Object.values(schema)
  if (!values.some(isOfStandard)) return { type: 'object', properties: schema }
  if (values.every(isStandardSchema)) return createShorthand(schema)
  throw new Error('shorthand mixes schemas of a library with JSON Schema. Write all properties in one of them')
}

/** Writes out the shorthand of a response's schema for the default engine, and converts it to JSON Schema, which that engine needs. */
function completeOutput(original: any, hasShorthand: boolean): any {
  const schema = unwrapFluent(original)
  if (isOfStandard(schema)) return libraryJsonSchema(schema)
  assertNoFunction(schema)
  if (!hasShorthand || !isShorthand(schema)) return hasShorthand ? assertNoLooseProperty(schema) : schema
  const entries = Object.entries(schema).map(([name, value]) => [name, isOfStandard(value) ? libraryJsonSchema(value) : value])
  return { type: 'object', properties: Object.fromEntries(entries) }
}

/**
 * Throws for a schema that has properties at the top level as shorthand has, but beside a keyword such as `description`: it would describe
 * no properties, and the reply would be sent with all of them.
 */
function assertNoLooseProperty(schema: any): unknown {
  const isComplete = (value: any): boolean => COMPLETE_KEYWORDS.some((keyword) => keyword in value) || '$ref' in value
  if (!isObject(schema) || isComplete(schema)) return schema
  const names = Object.keys(schema)
  const loose = names.find(
    (name) => !keywords.has(name) && !/^x-|^headers$|^links$/.test(name) && isObject(schema[name]) && isComplete(schema[name]),
  )
  if (loose === undefined) return schema
  const beside = names.filter((name) => keywords.has(name)).map((name) => `'${name}'`)
  throw new Error(
    `the property '${loose}' is listed beside ${beside.join(', ')}, which shorthand does not allow. Write { type: 'object', properties: { ${loose}: … }, … }`,
  )
}

/**
 * Writes out the schema of an error's payload like the schema of a response. Shorthand is always allowed here, because this schema is not a
 * part of a route's schema.
 */
export function completeResponse(schema: unknown): unknown {
  return completeOutput(schema, true)
}

/** Runs a step. If the step throws, the error is rethrown with the name of the route's part. */
function naming<T>(part: string, complete: () => T): T {
  try {
    return complete()
  } catch (error) {
    throw new PartFailure(part, true, error)
  }
}

function copyShallow<T extends object>(object: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(object)), object)
}

/** Returns the essence of a media type: `text/csv` of `text/csv; charset=utf-8`. */
export function mediaTypeEssence(type: string): string {
  return parseMediaType(type)?.essence ?? type.trim().toLowerCase()
}
