/** The bodies of requests and the responses of an operation. */
import type { MediaTypeDocs, ResponseDescription, RouteDescription } from '../../../lib/index.js'
import { isJsonType, STATUS_CODES } from '../../../lib/internal.js'
import { behindReference, componentOf } from './component-references.js'
import type { OpenApiRequestBody, OpenApiResponse, OpenApiSchema } from './document-types.js'

/**
 * Converts a schema of a route for an OpenAPI document. `part` names the place for warnings. `name` is the name of the component that is
 * made if the schema has no `$id` and refers to itself.
 */
type Convert = (schema: unknown, part: string, name: string) => OpenApiSchema

type Schemas = Readonly<Record<string, unknown>>

/** The facts about a route and its OpenAPI document that are needed to write request bodies and responses. */
export interface MessageContext {
  readonly convert: Convert
  /** The component schemas of the document, by name. */
  readonly schemas: Schemas
  /** Whether the document's version has `itemSchema`, the schema of each item of a stream (OpenAPI 3.2). */
  readonly hasItemSchemas: boolean
  /** Reports a body or response about which the application declares too little. */
  undescribed(text: string): void
  /** Reports a fact that the document leaves out because OpenAPI cannot express it. */
  lossy(text: string): void
}

/**
 * Describes the body of a request.
 * @param body the schemas of the body by media type
 * @param route what else the route says of its body
 * @param isAlwaysRequired whether the method demands a body, even if the schema allows an absent body
 */
export function requestBody(
  body: Readonly<Record<string, unknown>>,
  route: Pick<RouteDescription, 'bodyDocs' | 'acceptsNoBody'>,
  isAlwaysRequired: boolean,
  { convert, schemas }: MessageContext,
): OpenApiRequestBody {
  const { media = {}, ...docs } = route.bodyDocs ?? {}
  const entries = Object.entries(body).map(([type, schema]): [string, OpenApiSchema] => [type, convert(schema, 'body', 'Body')])
  return {
    ...docs,
    required: isAlwaysRequired || !mayLackBody(route, entries, (schema) => acceptsNull(schema, schemas)),
    content: Object.fromEntries(
      entries.map(([type, schema]) => [type, { schema: inMediaType(type, schema, schemas), ...mediaDocs(media[type]) }]),
    ),
  }
}

/**
 * Whether a request may lack a body, in each media type of the route. JSON Schema validates an absent body as `null`.
 * @param acceptsNull whether a schema accepts `null`
 */
export function mayLackBody<S>(
  { acceptsNoBody = {} }: Pick<RouteDescription, 'acceptsNoBody'>,
  body: readonly (readonly [mediaType: string, schema: S])[],
  acceptsNull: (schema: S) => boolean,
): boolean {
  return body.every(([mediaType, schema]) => acceptsNoBody[mediaType] ?? acceptsNull(schema))
}

/** Returns the documentation fields and examples of a media type. JSON Schema has a list of examples; OpenAPI has examples by name. */
function mediaDocs(docs: MediaTypeDocs = {}): object {
  const { examples } = docs
  if (!Array.isArray(examples)) return docs
  return { ...docs, examples: Object.fromEntries(examples.map((value: unknown, index) => [`example${index + 1}`, { value }])) }
}

/**
 * Whether a schema allows a request without a body, which the server validates as `null`. A schema without a type counts only if it allows
 * an empty object too.
 * @param isExact whether a schema without a type counts in any case, as in a condition
 */
export function acceptsNull(schema: any, schemas: Schemas, depth = 0, isExact = false): boolean {
  if (typeof schema === 'boolean') return schema
  if (typeof schema !== 'object' || schema === null || depth > 20) return false
  const { $ref, type, enum: values, const: value, anyOf, oneOf, allOf, not, required = [], minProperties = 0 } = schema
  const isAccepted = (each: unknown): boolean => acceptsNull(each, schemas, depth + 1, isExact)
  const isValid = (each: unknown): boolean => acceptsNull(each, schemas, depth + 1, true)
  if (typeof $ref === 'string' && !isAccepted(schemas[componentOf($ref)])) return false
  if (type === undefined ? !isExact && (required.length > 0 || minProperties > 0) : ![type].flat().includes('null')) return false
  if ((values !== undefined && !values.includes(null)) || (value !== undefined && value !== null)) return false
  if (allOf?.every(isAccepted) === false || anyOf?.some(isAccepted) === false) return false
  if (oneOf !== undefined && (oneOf.filter(isValid).length !== 1 || !oneOf.some(isAccepted))) return false
  if (schema.if !== undefined && !isValid((isValid(schema.if) ? schema.then : schema.else) ?? true)) return false
  return not === undefined || !isValid(not)
}

/** Returns the responses of an operation by status: `200`, `2XX` or `default`. */
export function responses(
  described: Readonly<Record<string, ResponseDescription>>,
  context: MessageContext,
): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(described).map(([status, response]) => [status.replace(/xx$/i, 'XX'), documentResponse(status, response, context)]),
  )
}

function documentResponse(status: string, response: ResponseDescription, context: MessageContext): OpenApiResponse {
  const { convert, schemas, undescribed } = context
  const { description, headers = {}, isUnknown, from, links, media = {}, content: _content, itemSchema: _item, ...extensions } = response
  if (isUnknown === true)
    undescribed(
      `what ${from.join(', ')} answers with status ${status} is not known. Declare it there: static responses = { ${status}: … }, or declareReplies for a function.`,
    )
  // For a reply of the framework, the text of its status is enough.
  else if (description === undefined && from.some((each) => each !== 'alcove'))
    undescribed(
      `the response ${status} has no description, so it has the text of its status. Write { ${status}: { description: '…', … } }.`,
    )
  const items = itemsOf(status, response, context)
  const content = Object.entries(response.content).map(([type, schema]) => {
    if (items[type] !== undefined) return [type, { itemSchema: items[type], ...mediaDocs(media[type]) }]
    const converted = convert(schema, `response ${status}`, `${isSuccess(status) ? '' : status}Response`)
    return [type, { schema: inMediaType(type, converted, schemas), ...mediaDocs(media[type]) }]
  })
  const described = Object.entries(headers).map(([name, schema]) => [name, describeHeader(convert(schema, `header ${name}`, 'Header'))])
  return {
    description: description ?? statusDescription(status),
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
    // Nothing is known of the payload, not even its media type.
    ...(isUnknown === true && content.length === 0 && { content: { '*/*': {} } }),
    ...(links !== undefined && { links }),
    ...extensions,
  }
}

/** Returns the schemas of a stream's items by media type (https://spec.openapis.org/oas/v3.2.0#sequential-media-types). */
function itemsOf(
  status: string,
  { itemSchema }: ResponseDescription,
  { convert, hasItemSchemas, lossy }: MessageContext,
): Readonly<Record<string, OpenApiSchema>> {
  if (itemSchema === undefined) return {}
  if (!hasItemSchemas) {
    lossy(
      `OpenAPI 3.1 has no schema for the items of a stream, so the response ${status} is a text. Write the document with version: '3.2'.`,
    )
    return {}
  }
  const item = convert(itemSchema, `response ${status}`, 'Item')
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: item }
  const fields = { data, event: { type: 'string' }, id: { type: 'string' }, retry: { type: 'integer', minimum: 0 } }
  return {
    'application/jsonl': item,
    'application/x-ndjson': item,
    'text/event-stream': { type: 'object', required: ['data'], properties: fields },
  }
}

function describeHeader(schema: OpenApiSchema): { readonly description?: string; readonly schema: OpenApiSchema } {
  if (typeof schema === 'boolean' || typeof schema['description'] !== 'string') return { schema }
  const { description, ...rest } = schema
  return { description, schema: rest }
}

function isSuccess(status: string): boolean {
  return status.startsWith('2')
}

/** Returns the text of a status (RFC 9110 §15), of a range (`4XX`) or of `default`. */
export function statusDescription(status: string): string {
  const classes: Readonly<Record<string, string>> = {
    1: 'Informational',
    2: 'Successful',
    3: 'Redirection',
    4: 'Client Error',
    5: 'Server Error',
  }
  return STATUS_CODES[status] ?? classes[status.slice(0, 1)] ?? 'Any other reply'
}

/**
 * Returns a schema as it is written at a media type of OpenAPI. For bytes (a text of the format `binary`), type and format are left out
 * unless the media type is JSON, because OpenAPI 3.1 marks bytes only by the media type, or by `contentMediaType` in a form.
 */
export function inMediaType(type: string, schema: OpenApiSchema, schemas: Schemas): OpenApiSchema {
  if (typeof schema === 'boolean' || isJson(type)) return schema
  const target = behindReference(schema, schemas)
  if (isBinary(target)) return withoutType(target)
  return /^multipart\//i.test(type) ? inForm(schema, schemas) : schema
}

/**
 * Returns the schema of a form in which file fields are bytes. A component with files is copied into the form, because files are texts
 * where JSON uses the component.
 */
function inForm(schema: any, schemas: Schemas, depth = 0): any {
  const { properties, allOf, ...others } = behindReference(schema, schemas) ?? {}
  if ((properties === undefined && allOf === undefined) || depth > 20) return schema
  const fields = Object.entries<any>(properties ?? {}).map(([name, own]): [string, any] => [name, binaryField(own, schemas)])
  const all: any[] = (allOf ?? []).map((each: any) => inForm(each, schemas, depth + 1))
  if (fields.every(([name, field]) => field === properties[name]) && all.every((each, index) => each === allOf[index])) return schema
  return { ...others, ...(properties && { properties: Object.fromEntries(fields) }), ...(allOf && { allOf: all }) }
}

function binaryField(schema: any, schemas: Schemas): any {
  const target = behindReference(schema, schemas)
  if (isBinary(target)) return { ...withoutType(target), contentMediaType: 'application/octet-stream' }
  return isBinary(behindReference(target?.items, schemas)) ? { ...target, items: binaryField(target.items, schemas) } : schema
}

/** Whether a media type is JSON, whatever its parameters: `application/problem+json; charset=utf-8`. */
export function isJson(type: string): boolean {
  return isJsonType(bareType(type))
}

/** Returns a media type without its parameters, in lower case: `application/json` for `application/json; charset=utf-8`. */
export function bareType(type: string): string {
  return type.split(';')[0]!.trim().toLowerCase()
}

function isBinary(schema: any): schema is { readonly [keyword: string]: unknown } {
  return schema?.type === 'string' && schema.format === 'binary'
}

function withoutType({ type: _type, format: _format, ...rest }: { readonly [keyword: string]: unknown }): { [keyword: string]: unknown } {
  return rest
}
