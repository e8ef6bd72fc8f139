/**
 * Schemas before they are compiled: the shared ones of a context, and the normal form of a route's.
 */
import type { SchemaBucket } from '../types/compilers.js'
import type { HttpPart } from '../types/request.js'
import { errorCodes } from '../errors.js'
import { parseMediaType } from '../http/media-type.js'
import type { RouteSchema } from '../types/schema.js'

const kFluent = Symbol.for('fluent-schema-object')

/** The shared schemas of one context: its parent's at the time of its creation, later ones as they come, and its own. */
export class SchemaStore implements SchemaBucket {
  readonly #schemas: Record<string, any>

  constructor(inherited: Record<string, any> = {}) {
    this.#schemas = { ...inherited }
  }

  /** @throws ALC_ERR_SCH_MISSING_ID, ALC_ERR_SCH_ALREADY_PRESENT */
  add(input: any): void {
    const schema = copySchema(unwrapFluent(input))
    const id = schema?.$id
    if (!id) throw new errorCodes.ALC_ERR_SCH_MISSING_ID()
    if (Object.hasOwn(this.#schemas, id)) throw new errorCodes.ALC_ERR_SCH_ALREADY_PRESENT(id)
    this.#schemas[id] = schema
  }

  getSchema(id: string): any {
    return Object.hasOwn(this.#schemas, id) ? this.#schemas[id] : undefined
  }

  getSchemas(): Record<string, any> {
    return { ...this.#schemas }
  }
}

/** A copy of the plain objects and arrays of a schema; anything else (functions, engine objects) is kept as it is. */
function copySchema(value: any): any {
  if (Array.isArray(value)) return value.map(copySchema)
  if (value === null || typeof value !== 'object') return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: any = {}
  for (const key of Reflect.ownKeys(value)) copy[key] = copySchema(value[key])
  return copy
}

function unwrapFluent(schema: any): any {
  return schema?.isFluentSchema || schema?.isFluentJSONSchema || schema?.[kFluent] ? schema.valueOf() : schema
}

/** A route's schemas in the one form that the compilers read. */
export interface NormalSchema {
  /** The schemas as the route declares them, each part in its complete form. */
  readonly declared: RouteSchema
  readonly parts: { readonly [P in HttpPart]?: any }
  /** Body schemas by media type (`type/subtype`), where `body.content` gives each its own. */
  readonly bodyContent: ReadonlyMap<string, any> | undefined
  /** Media types besides JSON that the body schema is applied to. */
  readonly consumes: readonly string[]
  readonly responses: readonly ResponseSchema[]
}

export interface ResponseSchema {
  /** `200`, `2xx` or `default`, lower case */
  readonly status: string
  /** lower case; `undefined`: whatever the reply's media type */
  readonly contentType: string | undefined
  readonly schema: any
}

/** How a route's schemas are to be read. */
export interface SchemaReading {
  readonly hasShorthand: boolean
  /** Whether the default engine reads them: another engine gets its own schema objects as they were written. */
  readonly isInputOurs: boolean
  readonly isOutputOurs: boolean
}

const STATUS_KEY = /^[1-5][0-9]{2}$|^[1-5]xx$|^default$/

/**
 * Brings a route's schemas into their normal form: alias `query`, shorthand, `content` maps, lower-case status keys.
 *
 * The given object stays as it is: routes may share it.
 * @throws ALC_ERR_SCH_DUPLICATE, ALC_ERR_SCH_CONTENT_MISSING_SCHEMA, ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX
 */
export function normalizeSchema(schema: RouteSchema & Record<string, any>, reading: SchemaReading): NormalSchema {
  const target = copyShallow(schema) as Record<string, any>
  if (target['query'] && target['querystring'] && target['query'] !== target['querystring']) {
    throw new errorCodes.ALC_ERR_SCH_DUPLICATE('querystring')
  }
  const complete = (part: any): any => completeSchema(part, reading.hasShorthand, reading.isInputOurs)
  const parts: { [P in HttpPart]?: any } = {}
  let bodyContent: Map<string, any> | undefined
  for (const part of ['params', 'body', 'querystring', 'headers'] as const) {
    const given = target[part] ?? (part === 'querystring' ? target['query'] : undefined)
    // `false` is a schema too: the one that nothing satisfies.
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
    // Normalized once more (one declaration, two paths), the alias must still be the same schema.
    if (part === 'querystring' && target['query']) target['query'] = parts[part]
  }
  return {
    declared: target,
    parts,
    bodyContent,
    consumes: (schema.consumes ?? []).map(mediaTypeEssence),
    responses: normalizeResponses(target, (part) => completeSchema(part, reading.hasShorthand, reading.isOutputOurs)),
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

// `{ description?, content: { 'application/json': { schema } } }`, as opposed to a shorthand with a property named content.
function isContentMap(entry: any): boolean {
  const content = entry?.content
  if (content === null || typeof content !== 'object' || 'type' in entry || 'properties' in entry || '$ref' in entry) return false
  const types = Object.keys(content)
  return types.some((type) => type.includes('/')) && Object.getPrototypeOf(entry) === Object.prototype
}

const COMPLETE_KEYWORDS = ['type', 'properties', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'const', 'enum']

/** Whether a part lists its parameters at the top level (spec: Route schema object 1; design decision 12). */
function isShorthand(schema: any): boolean {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return false
  // Engine objects (Joi, Zod, TypeBox classes …) are never shorthand.
  const prototype = Object.getPrototypeOf(schema)
  if (prototype !== Object.prototype && prototype !== null) return false
  if (COMPLETE_KEYWORDS.some((keyword) => keyword in schema)) return false
  return Object.entries(schema).every(
    ([key, value]) => !key.startsWith('$') && value !== null && typeof value === 'object' && !Array.isArray(value),
  )
}

function completeSchema(given: any, hasShorthand: boolean, isOurs: boolean): any {
  const schema = isOurs ? fromStandard(unwrapFluent(given)) : unwrapFluent(given)
  if (!hasShorthand || !isShorthand(schema)) return schema
  const properties = isOurs ? Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, fromStandard(value)])) : schema
  return { type: 'object', properties }
}

/**
 * The JSON Schema of a schema that follows Standard Schema and can give one (Zod 4 and others); anything else as it is. What it
 * gives is what comes in: the engine's own transformations are not run.
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
