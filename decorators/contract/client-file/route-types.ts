/** Writes the TypeScript types of one route: of the argument of its function (params, query, headers, body) and of its replies. */
import type { ResponseDescription } from '../../../lib/index.js'
import { splitPath } from '../../../lib/internal.js'
import type { DocumentContext } from '../openapi/document-context.js'
import { isJson, mayLackBody } from '../openapi/messages.js'
import { capital } from '../openapi/operation-names.js'
import { converterFor } from '../openapi/operations.js'
import { isMultipart } from '../../client/route-entry.js'
import { entryOf, hasStream } from './entries.js'
import type { NamedRoute } from './client-names.js'
import type { DateFinder, Dates } from './dates.js'
import type { SchemaTypes } from './schema-types.js'
import { block, memberText, union } from './type-texts.js'

type Schema = any
type Contents = readonly (readonly [mediaType: string, schema: Schema])[]

interface DescribedReply {
  /** The status of the reply: `200`, `4xx` or `default`. */
  readonly status: string
  readonly contents: Contents
  /** The schema of an item of the stream. Present if the reply is a stream. */
  readonly item: Schema
  /** Whether the application declares nothing about the payload of the reply. */
  readonly isUnknown: boolean
  /**
   * Whether a serializer writes the reply by a schema, and fills in defaults. Replies of guards are only declared, so no schema serializes
   * them.
   */
  readonly isSerialized: boolean
}

/** The schemas of a route, converted for one client file. */
export interface RouteTypes {
  readonly named: NamedRoute
  readonly params: Schema
  readonly query: Schema
  readonly headers: Schema
  /** The schemas of the body by media type; absent if the route declares none. */
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
    replies: Object.entries(route.responses).map(([status, { content, itemSchema, from, isUnknown = false }]) => {
      const suffix = status.startsWith('2') ? 'Response' : `${capital(status)}Response`
      return {
        status: status.toLowerCase(),
        contents: contents(content, suffix),
        item: convert(itemSchema, `${suffix}Item`),
        isUnknown,
        isSerialized: from.includes('route'),
      }
    }),
  }
}

/** Returns the type of the argument of a route's function: an object with `params`, `query`, `headers` and `body`. */
export function partsType({ named, params, query, headers, body }: RouteTypes, types: SchemaTypes): string {
  const members: string[] = []
  const add = (name: string, isGiven: boolean, type: string): void => void members.push(memberText(name, isGiven, type))
  if (/^(?:GET|QUERY)$/.test(named.method) && hasStream(named.route)) add('reconnect', false, 'boolean')
  const { parameters } = splitPath(named.route.url)
  if (parameters.length > 0) {
    const own = params === undefined ? [] : types.propertiesOf(params)
    const pairs = parameters.map(({ name, isOptional: mayLack }) => {
      const found = own.find(([key]) => key === name)
      const type = found === undefined ? 'string | number' : types.typeOf(found[1], 'sent')
      return memberText(name, !mayLack, mayLack ? union([type, 'undefined']) : type)
    })
    add(
      'params',
      parameters.some((parameter) => !parameter.isOptional),
      block(pairs),
    )
  }
  if (query === undefined) add('query', false, 'QueryValues')
  else add('query', types.isNeeded(query), types.typeOf(query, 'values'))
  const described = headers === undefined ? 'HeaderValues' : `${types.typeOf(headers, 'values')} & HeaderValues`
  const headersMember = (isGiven: boolean, more = ''): string => memberText('headers', isGiven, described + more)
  const areNeeded = headers !== undefined && types.isNeeded(headers)
  if (body === undefined) {
    if (!/^(?:GET|HEAD)$/.test(named.method)) members.push(memberText('body', false, 'unknown'))
    return block([...members, headersMember(areNeeded)])
  }
  const isNeeded = !mayLackBody(named.route, body, (schema) => types.acceptsNull(schema))
  const { own, tied } = bodiesOf(named, body, types)
  const first = [headersMember(areNeeded), memberText('body', isNeeded, own)]
  if (tied.length === 0) return block([...members, ...first])
  const others = tied.map(([type, mediaTypes]) => [
    headersMember(true, ` & { 'content-type': ${union(mediaTypes.map(headerType))} }`),
    memberText('body', isNeeded, type),
  ])
  return [...(members.length === 0 ? [] : [block(members)]), `(${[first, ...others].map((each) => block(each)).join(' | ')})`].join(' & ')
}

/** Returns the type of a `content-type` header with this media type, with or without parameters. */
function headerType(mediaType: string): string {
  return mediaType.includes('*') ? 'string' : `\`${mediaType}\${string}\``
}

interface Bodies {
  /**
   * The type of the bodies for which a call needs no `content-type`: bodies in the default media type of the route, and values such as
   * `FormData` that name their media type.
   */
  readonly own: string
  /** The types of the bodies for which a call must pass `content-type`, each with the media types to choose from. */
  readonly tied: readonly (readonly [type: string, mediaTypes: readonly string[]])[]
}

function bodiesOf({ route, method }: NamedRoute, body: Contents, types: SchemaTypes): Bodies {
  const written = entryOf(route, method).body ?? 'application/json'
  const first = body.find(([mediaType]) => mediaType === written) ?? body[0]!
  const others = body.filter((each) => each !== first)
  const tied = new Map<string, string[]>()
  for (const [mediaType, schema] of others) {
    const type = sentBody(mediaType, schema, types)
    if (type !== 'FormData') tied.set(type, [...(tied.get(type) ?? []), mediaType])
  }
  const ownType = sentBody(...first, types)
  tied.delete(ownType)
  return { own: union([ownType, ...others.flatMap(([mediaType]) => selfDescribing(mediaType))]), tied: [...tied] }
}

/** Returns the class of values that bring this media type with them, such as `FormData`; an empty list if there is no such class. */
function selfDescribing(mediaType: string): string[] {
  if (isMultipart(mediaType)) return ['FormData']
  if (/urlencoded$/i.test(mediaType)) return ['URLSearchParams']
  return isJson(mediaType) || /^text\//i.test(mediaType) ? [] : ['Blob']
}

function sentBody(mediaType: string, schema: Schema, types: SchemaTypes): string {
  if (isJson(mediaType)) return types.typeOf(schema, 'sent')
  if (isMultipart(mediaType))
    return types.propertiesOf(schema).length === 0 ? 'FormData' : union(['FormData', types.typeOf(schema, 'form')])
  if (/urlencoded$/i.test(mediaType)) return union(['URLSearchParams', types.typeOf(schema, 'sent')])
  return /^text\//i.test(mediaType) ? 'string' : 'Payload'
}

/** Returns the type of a route's replies: a union of objects that are told apart by `status`. */
export function repliesType({ named, replies }: RouteTypes, types: SchemaTypes): string {
  const exact = replies.map(({ status }) => status).filter((status) => /^\d+$/.test(status))
  const ranges = replies.map(({ status }) => status).filter((status) => /^\dxx$/.test(status))
  const classes = ranges.map((range) => range[0]!)
  const byBody = new Map<string, string[]>()
  for (const reply of replies) {
    const body = named.method === 'HEAD' ? 'undefined' : bodyType(reply, types)
    byBody.set(body, [...(byBody.get(body) ?? []), reply.status])
  }
  const all = [...byBody].flatMap(([body, statuses]) => {
    const own = statuses.filter((status) => exact.includes(status))
    return [
      ...(own.length > 0 ? [`HttpReply<${union(own)}, ${body}>`] : []),
      ...statuses.filter((status) => ranges.includes(status)).map((range) => rangeReply(range, exact, body)),
      ...(statuses.includes('default') ? [otherReply(exact, classes, body)] : []),
    ]
  })
  return [...all, ...(replies.some(({ status }) => status === 'default') ? [] : [otherReply(exact, classes, 'unknown')])].join(' | ')
}

/** Returns the type of a reply whose status is in a range (`4xx`). Statuses with an entry of their own are excluded. */
function rangeReply(range: string, exact: readonly string[], body: string): string {
  return `RangeReply<${range[0]}, ${union(exact.filter((status) => status[0] === range[0]))}, ${body}>`
}

function otherReply(exact: readonly string[], classes: readonly string[], body: string): string {
  const typeArguments = [
    union(exact),
    ...(body === 'unknown' && classes.length === 0 ? [] : [body]),
    ...(classes.length === 0 ? [] : [union(classes)]),
  ]
  return `OtherReply<${typeArguments.join(', ')}>`
}

/** Returns the places of dates in the replies of a route, by status; `undefined` if there are none. */
export function replyDates({ named, replies }: RouteTypes, finder: DateFinder): Readonly<Record<string, Dates | 0>> | undefined {
  if (named.method === 'HEAD') return undefined
  const found = replies.map(({ status, contents, item }): [string, Dates | 0] => {
    const schemas = item === undefined ? contents.flatMap(([type, schema]) => (isJson(type) ? [schema] : [])) : [item]
    return [status, finder.find(schemas) ?? 0]
  })
  return found.some(([, dates]) => dates !== 0) ? Object.fromEntries(found) : undefined
}

function bodyType({ contents, item, isUnknown, isSerialized }: DescribedReply, types: SchemaTypes): string {
  if (isUnknown) return 'unknown'
  if (item !== undefined) return `EventStream<${types.typeOf(item, 'received')}>`
  if (contents.length === 0) return 'undefined'
  return union(
    contents.map(([mediaType, schema]) => {
      if (isJson(mediaType)) return types.typeOf(schema, isSerialized ? 'received' : 'declared')
      if (/^text\/event-stream/i.test(mediaType)) return 'EventStream<unknown>'
      return /^text\/|[/+]xml$/i.test(mediaType) ? 'string' : mediaType.includes('*') ? 'unknown' : 'Blob'
    }),
  )
}
