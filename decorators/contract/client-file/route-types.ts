/** The types of the parts and replies of one route, as TypeScript. */
import type { ResponseDescription } from '../../../lib/index.js'
import { splitPath } from '../../../lib/internal.js'
import type { DocumentContext } from '../openapi/document-context.js'
import { isJson } from '../openapi/messages.js'
import { capital } from '../openapi/operation-names.js'
import { converterFor } from '../openapi/operations.js'
import type { NamedRoute } from './names.js'
import { block, member, type SchemaTypes, union } from './schema-types.js'

type Schema = any
type Contents = readonly (readonly [mediaType: string, schema: Schema])[]

interface DescribedReply {
  /** `200`, `4xx` or `default` */
  readonly status: string
  readonly contents: Contents
  /** Of an item, if the reply is a stream. */
  readonly item: Schema
  /** Whether nothing is known of its payload. */
  readonly isUnknown: boolean
}

/** The schemas of a route, converted for one file. */
export interface RouteTypes {
  readonly named: NamedRoute
  readonly params: Schema
  readonly query: Schema
  readonly headers: Schema
  /** Absent if nothing is declared. */
  readonly body: Contents | undefined
  readonly replies: readonly DescribedReply[]
}

export function readTypes(named: NamedRoute, context: Pick<DocumentContext, 'components' | 'description'>): RouteTypes {
  const { route, group, name } = named
  const converter = converterFor(route, group === undefined ? name : group + capital(name), context)
  const convert = (schema: Schema, part: string): Schema => (schema === undefined ? undefined : converter(schema, part, part))
  const contents = (content: ResponseDescription['content'], part: string): Contents =>
    Object.entries(content).map(([type, schema]) => [type, convert(schema, part)] as const)
  const { params, querystring, headers, body } = route.input
  return {
    named,
    params: convert(params, 'Params'),
    query: convert(querystring, 'Query'),
    headers: convert(headers, 'Headers'),
    body: body && contents(body, 'Body'),
    replies: Object.entries(route.responses).map(([status, { content, itemSchema, isUnknown = false }]) => {
      const part = status.startsWith('2') ? 'Response' : `${capital(status)}Response`
      return { status: status.toLowerCase(), contents: contents(content, part), item: convert(itemSchema, `${part}Item`), isUnknown }
    }),
  }
}

/** The type of the argument of a route's function. */
export function partsType({ named, params, query, headers, body }: RouteTypes, types: SchemaTypes): string {
  const members: string[] = []
  const add = (name: string, isGiven: boolean, type: string): void => void members.push(member(name, isGiven, type))
  const { parameters } = splitPath(named.route.url)
  if (parameters.length > 0) {
    const own = params === undefined ? [] : types.propertiesOf(params)
    const pairs = parameters.map(({ name, isOptional: mayLack }) => {
      const found = own.find(([key]) => key === name)
      return member(name, !mayLack, found === undefined ? 'string | number' : types.typeOf(found[1], 'sent'))
    })
    add(
      'params',
      parameters.some((parameter) => !parameter.isOptional),
      block(pairs),
    )
  }
  if (query === undefined) add('query', false, 'QueryValues')
  else add('query', types.isNeeded(query), types.typeOf(query, 'sent'))
  if (headers === undefined) add('headers', false, 'HeaderValues')
  else add('headers', types.isNeeded(headers), `${types.typeOf(headers, 'sent')} & HeaderValues`)
  if (body !== undefined)
    add('body', !body.every(([, schema]) => types.acceptsNull(schema)), union(body.map(([type, schema]) => sentBody(type, schema, types))))
  else if (!/^(?:GET|HEAD)$/.test(named.method)) add('body', false, 'unknown')
  return block(members)
}

function sentBody(mediaType: string, schema: Schema, types: SchemaTypes): string {
  if (isJson(mediaType)) return types.typeOf(schema, 'sent')
  if (/^multipart\//i.test(mediaType)) return 'FormData'
  if (/urlencoded$/i.test(mediaType)) return union(['URLSearchParams', types.typeOf(schema, 'sent')])
  return /^text\//i.test(mediaType) ? 'string' : 'Payload'
}

/** The union of a route's replies, by status. */
export function repliesType({ named, replies }: RouteTypes, types: SchemaTypes): string {
  const exact = replies.map(({ status }) => status).filter((status) => /^\d+$/.test(status))
  const ranges = replies.map(({ status }) => status).filter((status) => /^\dxx$/.test(status))
  const listed = [...exact, ...ranges.map((range) => `StatusOf<${range[0]}>`)]
  const byBody = new Map<string, string[]>()
  for (const reply of replies) {
    const body = named.method === 'HEAD' ? 'undefined' : bodyType(reply, types)
    byBody.set(body, [...(byBody.get(body) ?? []), reply.status])
  }
  const all = [...byBody].flatMap(([body, statuses]) => {
    const own = statuses.filter((status) => status !== 'default').map((status) => statusType(status, exact))
    const others = own.length < statuses.length ? [`OtherReply<${union(listed)}, ${body}>`] : []
    return [...(own.length > 0 ? [`HttpReply<${union(own)}, ${body}>`] : []), ...others]
  })
  return [...all, ...(replies.some(({ status }) => status === 'default') ? [] : [`OtherReply<${union(listed)}>`])].join(' | ')
}

/** `404`, or of a range what no exact status has. */
function statusType(status: string, exact: readonly string[]): string {
  if (exact.includes(status)) return status
  const within = exact.filter((each) => each[0] === status[0])
  return within.length === 0 ? `StatusOf<${status[0]}>` : `Exclude<StatusOf<${status[0]}>, ${union(within)}>`
}

function bodyType({ contents, item, isUnknown }: DescribedReply, types: SchemaTypes): string {
  if (isUnknown) return 'unknown'
  if (item !== undefined) return `EventStream<${types.typeOf(item, 'received')}>`
  if (contents.length === 0) return 'undefined'
  return union(
    contents.map(([mediaType, schema]) => {
      if (isJson(mediaType)) return types.typeOf(schema, 'received')
      if (/^text\/event-stream/i.test(mediaType)) return 'EventStream<unknown>'
      return /^text\/|[/+]xml$/i.test(mediaType) ? 'string' : mediaType.includes('*') ? 'unknown' : 'Blob'
    }),
  )
}
