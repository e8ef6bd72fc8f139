/**
 * Describes the responses of a route: the route's own responses, the responses of the guards, error handlers and plugins that cover it, and
 * the framework's responses.
 */
import type { Context } from '../../context/context.js'
import { normalizeSchema, type ResponseSchema } from '../../schema/normalize.js'
import type { StreamResponse } from '../../schema/streams/stream.js'
import type { DeclaredReplies, JsonSchema, ResponseDescription } from '../../types/description.js'
import { isDeepStrictEqual } from '../../util/node/modules.js'
import { addDeclaredHeaders } from './declared-headers.js'
import { errorPayloadOf, type FrameworkResponse, frameworkResponses } from './framework-responses.js'
import { describedSchema } from './input.js'
import { contentByMediaType } from './media-types.js'
import { describeResponseDocs, linksOf } from './media-docs.js'
import { thrownResponses } from './thrown-responses.js'
import { allDeclaredReplies, type CoveringReplies, type RouteFacts } from './route-facts.js'

/**
 * A contradiction between a response that a guard, an error handler or a plugin declares and a response schema of the route. The reply
 * would have the form of the route's schema.
 */
export interface Contradiction {
  /** The path of the guard, error handler or plugin that declares the response. */
  readonly from: string
  readonly status: string
  readonly mediaType: string
  /** The key in the route's `response` whose schema differs from the declared response: `401`, `4xx` or `default`. */
  readonly own: string
}

interface Responses {
  readonly responses: Record<string, ResponseDescription>
  readonly contradictions: Contradiction[]
}

/** The description of a response while it is being made. */
type MutableResponse = { -readonly [K in keyof ResponseDescription]: ResponseDescription[K] }

export function describeResponses(facts: RouteFacts): Responses {
  const own = ownResponses(facts)
  const found: Record<string, MutableResponse> = Object.fromEntries([...own].map(([status, { response }]) => [status, response]))
  addErrorPayloads(facts, own, found)
  const contradictions: Contradiction[] = []
  for (const held of allDeclaredReplies(facts)) {
    for (const [status, response] of Object.entries(readDeclaredReplies(held, facts.context))) {
      const contents = Object.entries(response.content).filter(([mediaType, schema]) => {
        const ours = inForce(own, status, mediaType, facts.context)
        if (ours === undefined) return true
        if (!isSameSchema(ours.schema, schema, facts.context)) contradictions.push({ from: held.from, status, mediaType, own: ours.key })
        // The schema of the route serializes the reply, whichever function sends it.
        else if (ours.key !== status) return true
        return false
      })
      if (contents.length > 0 || Object.keys(response.content).length === 0)
        addBeside(own, found, status, { ...response, content: Object.fromEntries(contents) })
      else if (found[status] !== undefined && !isContradicted(contradictions, held.from, status)) addSource(found[status], held.from)
    }
  }
  for (const { status, ...response } of thrownResponses(facts)) addBeside(own, found, status, response)
  for (const response of frameworkResponses(facts)) addFrameworkResponse(response, own, found, facts.context)
  addDeclaredHeaders(found, allDeclaredReplies(facts))
  return { responses: found, contradictions }
}

function isContradicted(contradictions: readonly Contradiction[], from: string, status: string): boolean {
  return contradictions.some((entry) => entry.from === from && entry.status === status)
}

interface OwnResponse {
  readonly response: MutableResponse
  /** The schema for replies of every media type; `undefined` if each media type has its own schema. */
  readonly any: JsonSchema | undefined
}

function ownResponses(facts: RouteFacts): ReadonlyMap<string, OwnResponse> {
  const { context, normal } = facts
  const { response: declared = {}, produces } = (normal?.declared ?? {}) as { response?: object; produces?: readonly string[] }
  const own = readOwnResponses(normal?.responses ?? [], declared, 'route', produces, context)
  for (const [status, links] of Object.entries(linksOf(facts))) {
    const response = own.get(status.toLowerCase())?.response
    if (response !== undefined) response.links = { ...(links as object), ...response.links }
  }
  return own
}

/**
 * Makes descriptions of declared responses, by status.
 * @param declared the responses as they were declared, from which descriptions and headers are read
 * @param context the context whose shared schemas references lead to
 */
function readOwnResponses(
  schemas: readonly ResponseSchema[],
  declared: object,
  from: string,
  produces: readonly string[] | undefined,
  context?: Context,
): ReadonlyMap<string, OwnResponse> {
  const entries = new Map(Object.entries(declared).map(([status, entry]) => [status.toLowerCase(), entry as Record<string, unknown>]))
  return new Map(
    [...entries].map(([status, entry]): [string, OwnResponse] => {
      const own = schemas.filter((schema) => schema.status === status)
      const single = own.find(({ contentType }) => contentType === undefined)
      if (single?.stream !== undefined) return [status, { any: undefined, response: describeStream(single.stream, from) }]
      const converted = single && describedSchema(single.schema)
      const any = converted && withoutDocs(converted)
      const content =
        any === undefined
          ? Object.fromEntries(own.map(({ contentType, schema }) => [contentType!, describedSchema(schema)]))
          : contentByMediaType(status, any, produces, context)
      const described = typeof converted === 'object' ? converted : entry
      const docs = describeResponseDocs(described, single === undefined)
      return [status, { any, response: { ...descriptionAndHeaders(described), ...docs, content, from: [from] } }]
    }),
  )
}

/** Returns a schema without the keys `headers` and `links`, which describe the response and are not keywords of JSON Schema. */
function withoutDocs(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || !('headers' in schema || 'links' in schema)) return schema
  const { headers: _headers, links: _links, ...rest } = schema
  return rest
}

function describeStream({ description, content, item }: StreamResponse, from: string): MutableResponse {
  return {
    ...(description !== undefined && { description }),
    content: Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema])),
    itemSchema: describedSchema(item),
    from: [from],
  }
}

function descriptionAndHeaders({ description, headers }: Record<string, unknown>): Pick<ResponseDescription, 'description' | 'headers'> {
  return {
    ...(typeof description === 'string' && { description }),
    ...(headers !== null && typeof headers === 'object' && { headers: headers as Record<string, JsonSchema> }),
  }
}

const readings = new WeakMap<DeclaredReplies, Record<string, ResponseDescription>>()

/**
 * Describes the replies that a guard, an error handler or a plugin declares, by status. A shared schema that the context sees becomes a
 * reference.
 */
export function readDeclaredReplies({ from, replies }: CoveringReplies, context: Context): Record<string, ResponseDescription> {
  let read = readings.get(replies)
  if (read === undefined) {
    const settings = {
      hasShorthand: context.options.jsonShorthand !== false,
      validatesCookies: false,
      usesDefaultValidator: true,
      usesDefaultSerializer: true,
    }
    const { declared, responses } = normalizeSchema({ response: replies.responses ?? {} }, settings)
    const entries = [...readOwnResponses(responses, declared.response ?? {}, from, undefined)]
    readings.set(replies, (read = Object.fromEntries(entries.map(([status, { response }]) => [status, response]))))
  }
  return Object.fromEntries(
    Object.entries(read).map(([status, { content, ...response }]) => {
      const seen = Object.entries(content).map(([type, schema]) => [type, asReference(schema, context)])
      return [status, { ...response, content: Object.fromEntries(seen), from: [from] }]
    }),
  )
}

/**
 * Returns a reference (`$ref`) in place of a shared schema that the context sees, because the schemas of the route also have references.
 * Other schemas are returned unchanged.
 */
function asReference(schema: JsonSchema, context: Context): JsonSchema {
  const { $id: id } = schema as { $id?: unknown }
  if (typeof id !== 'string' || !isDeepStrictEqual(context.schemas.getSchema(id), schema)) return schema
  return { $ref: id.includes('#') ? id : `${id}#` }
}

/**
 * Returns the route's schema that serializes replies of a status and media type, and the key of that schema in `response`; `undefined` if
 * no schema does.
 */
function inForce(
  own: ReadonlyMap<string, OwnResponse>,
  status: string,
  mediaType: string,
  { errorFormat }: Context,
): { readonly key: string; readonly schema: JsonSchema } | undefined {
  const key = keyInForce(own, status)
  if (key === undefined) return undefined
  const { any, response } = own.get(key)!
  if (any !== undefined && mediaType === errorFormat.mediaType && !errorFormat.takesAnySchema) return undefined
  const schema = any ?? response.content[mediaType] ?? response.content['*/*']
  return schema === undefined ? undefined : { key, schema }
}

function keyInForce(own: ReadonlyMap<string, unknown>, status: string): string | undefined {
  return responseKeyOf(status, (key) => own.has(key))
}

/**
 * Returns the key of the response that applies to a status: the status itself, else its range (`4xx`), else `default`; `undefined` if there
 * is none of these.
 */
export function responseKeyOf(status: string, isThere: (key: string) => boolean): string | undefined {
  return [status, `${status[0]}xx`, 'default'].find(isThere)
}

/** Adds the framework's error payload to each error status for which the route has schemas, but none for the media type of that payload. */
function addErrorPayloads(facts: RouteFacts, own: ReadonlyMap<string, OwnResponse>, found: Record<string, MutableResponse>): void {
  const { mediaType, schema } = errorPayloadOf(facts.context)
  if (facts.context.errorFormat.takesAnySchema || facts.errorHandlers.length > 0) return
  for (const status of own.keys())
    if (/^[45]|^default$/.test(status) && inForce(own, status, mediaType, facts.context) === undefined)
      add(found, status, { content: { [mediaType]: schema }, from: ['alcove'] })
}

/**
 * Adds a response for one status to the described responses of a route. In a document, the entry of a status hides the entries of its range
 * and of `default`, so the route's responses under these keys are added to the entry too.
 */
function addBeside(
  own: ReadonlyMap<string, OwnResponse>,
  found: Record<string, MutableResponse>,
  status: string,
  response: ResponseDescription,
): void {
  const key = keyInForce(own, status)
  const { description } = response
  if (found[status] === undefined && key !== undefined)
    found[status] = { ...found[key]!, ...(description !== undefined && { description }) }
  add(found, status, response)
}

function isSameSchema(one: JsonSchema, other: JsonSchema, context: Context): boolean {
  return isDeepStrictEqual(comparableKeywords(one, context), comparableKeywords(other, context))
}

/**
 * Returns the keywords of a schema that count when schemas are compared: without its `$id` and its texts for readers. A reference to a
 * shared schema is replaced by that schema.
 */
function comparableKeywords(schema: JsonSchema, context: Context): unknown {
  if (typeof schema === 'boolean') return schema
  const { $ref: reference } = schema as { $ref?: unknown }
  const shared: unknown = typeof reference === 'string' ? context.schemas.getSchema(reference.replace(/#$/, '')) : undefined
  const { $id: _id, description: _description, headers: _headers, ...rest } = (shared ?? schema) as Record<string, unknown>
  return rest
}

function add(found: Record<string, MutableResponse>, status: string, { from, content, ...texts }: ResponseDescription): void {
  const present = found[status]
  if (present === undefined) {
    found[status] = { ...texts, content, from }
    return
  }
  found[status] = { ...texts, ...present, content: joinContents(present.content, content), from: present.from }
  for (const source of from) addSource(found[status], source)
}

function addSource(response: MutableResponse, from: string): void {
  if (!response.from.includes(from)) response.from = [...response.from, from]
}

/**
 * Joins the schemas of two functions, either of which may answer, by media type. If the schemas of a media type differ, they become
 * alternatives (`anyOf`).
 */
function joinContents(one: ResponseDescription['content'], other: ResponseDescription['content']): ResponseDescription['content'] {
  const joined = { ...one }
  for (const [type, schema] of Object.entries(other)) {
    const present = joined[type]
    if (present === undefined) joined[type] = schema
    else if (!alternatives(present).some((each) => isDeepStrictEqual(each, schema)))
      joined[type] = { anyOf: [...alternatives(present), schema] }
  }
  return joined
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, ...others } = schema as { anyOf?: readonly JsonSchema[] }
  return anyOf === undefined || Object.keys(others).length > 0 ? [schema] : anyOf
}

/**
 * Adds a response of the framework, unless the route has a schema for it. If a function of the application may answer instead, adds the
 * response that this function declares.
 */
function addFrameworkResponse(
  { status, formatOf, answeredBy }: FrameworkResponse,
  own: ReadonlyMap<string, OwnResponse>,
  found: Record<string, MutableResponse>,
  context: Context,
): void {
  const key = String(status)
  const { mediaType, schema } = errorPayloadOf(formatOf)
  if (inForce(own, key, mediaType, formatOf) !== undefined) return
  const [nearest] = answeredBy
  if (nearest === undefined) return addBeside(own, found, key, { content: { [mediaType]: schema }, from: ['alcove'] })
  const declaring = answeredBy.find(({ replies }) => keyCovering(replies, key) !== undefined)
  if (declaring?.replies === undefined) return add(found, key, { content: {}, from: [nearest.from], isUnknown: true })
  const { from, replies } = declaring
  const covering = keyCovering(replies, key)!
  // The responses of the route's error handlers are there already.
  if (found[covering]?.from.includes(from) !== true) add(found, key, readDeclaredReplies({ from, replies }, context)[covering]!)
}

/**
 * Returns the key of the declared response that applies to a status: the status itself, else its range (`4xx`), else `default`; `undefined`
 * if there is none of these.
 */
function keyCovering(replies: DeclaredReplies | undefined, status: string): string | undefined {
  const keys = Object.keys(replies?.responses ?? {}).map((key) => key.toLowerCase())
  return responseKeyOf(status, (key) => keys.includes(key))
}
