/** Plans the route of an operation, which becomes a method of a controller. */
import type { Deprecation, RouteDocs } from '../../../lib/index.js'
import { isMediaTypeOrRange, isObject, toPointer } from '../../../lib/internal.js'
import type {
  Contract,
  ContractBody,
  ContractContent,
  ContractOperation,
  ContractParameter,
  ContractResponse,
} from '../../contract/document/contract-types.js'
import { combinedSchemas } from '../../contract/openapi/component-references.js'
import { acceptsNull, isJson } from '../../contract/openapi/messages.js'
import { readDeprecation } from '../../contract/document/deprecation.js'
import { templatesOf, withoutNames } from '../../contract/openapi/paths.js'
import type { Draft7 } from './draft7.js'
import type { Guard, Guards } from './guards.js'

type Schema = any

export interface PlannedAction {
  readonly operation: ContractOperation
  /** The HTTP method in capitals: `GET`. */
  readonly method: string
  /** The path of the route below the prefix of the controller, in the notation of the router: `/:petId`. */
  readonly path: string
  readonly member: string
  /** The name of the constant that contains the schema of the route. */
  readonly constant: string
  readonly status: number | undefined
  readonly hasHeadRoute: boolean
  readonly docs: RouteDocs
  readonly deprecated: boolean | Deprecation
  /** The schema of the route, with references to shared schemas as `{ $ref: 'Pet#' }`. */
  readonly schema: Readonly<Record<string, Schema>>
  readonly guards: readonly Guard[]
}

/**
 * The state of planning an application: the contract, and the guards, notes and validator options to which the planning of each route adds.
 */
export interface Planning {
  readonly contract: Contract
  readonly draft7: Draft7
  readonly guards: Guards
  note(pointer: string, reason: string): void
}

interface Names {
  readonly prefix: string
  readonly member: string
  readonly constant: string
  /** The tags of the controller, which its routes have too, unless their operation has other tags. */
  readonly tags: readonly string[]
}

/** Plans the route of an operation. Returns `undefined` if the operation cannot be a route, because the router has no such path. */
export function planAction(
  operation: ContractOperation,
  { prefix, member, constant, tags }: Names,
  planning: Planning,
): PlannedAction | undefined {
  const path = routePath(operation, prefix, planning)
  if (path === undefined) return undefined
  const { method, pointer, responses, summary, description, operationId, externalDocs } = operation
  const { deprecated, extensions } = readDeprecation(operation.deprecated === true, operation.extensions)
  const isSame = JSON.stringify(tags) === JSON.stringify(operation.tags)
  return {
    operation,
    method: method.toUpperCase(),
    path: path.text,
    member,
    constant,
    status: statusOf(responses),
    hasHeadRoute: method !== 'get' || !planning.contract.operations.some((each) => each.path === operation.path && each.method === 'head'),
    docs: {
      ...(operationId !== undefined && { operationId }),
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      ...(!isSame && { tags: operation.tags }),
      ...(externalDocs !== undefined && { externalDocs }),
      ...extensions,
    },
    deprecated,
    schema: {
      ...requestPartsOf(operation, path.names, planning),
      response: Object.fromEntries(
        Object.entries(responses).map(([status, each]) => [
          status === 'default' ? status : status.toLowerCase(),
          plannedResponse(status, each, `${pointer}/responses/${status}`, planning),
        ]),
      ),
      ...(operation.servers !== undefined && { servers: operation.servers }),
      ...(operation.callbacks !== undefined && { callbacks: operation.callbacks }),
    },
    guards: planning.guards.guardsOf(operation),
  }
}

/**
 * Returns the status of a route for its option `status`: the lowest declared status from 200 to 299. Returns `undefined` if this is the
 * default 200, or if no such status is declared.
 */
function statusOf(responses: ContractOperation['responses']): number | undefined {
  const [first] = Object.keys(responses)
    .filter((status) => /^2\d\d$/.test(status))
    .sort()
  return first === undefined || first === '200' ? undefined : Number(first)
}

/**
 * Converts a path of OpenAPI to the notation of the router, without the prefix of the controller: `/pets/{pet-id}` becomes `/:petId` below
 * `/pets`. Parameters with '-' or '.' are renamed, because these characters end a name in the router. Returns the path and the names of its
 * parameters; `undefined` if the router cannot have such a path.
 */
function routePath(
  { path, pointer }: ContractOperation,
  prefix: string,
  { note }: Planning,
): { readonly text: string; readonly names: ReadonlyMap<string, string> } | undefined {
  const names = new Map<string, string>()
  for (const [, name] of path.matchAll(/\{([^}]*)\}/g)) {
    const base = name!.replaceAll(/[^\w]+(\w?)/g, (_, letter: string) => letter.toUpperCase()).replace(/^(?=\d)|^$/, 'p')
    let own = base
    for (let number = 2; [...names.values()].includes(own) || own === '__proto__'; number++) own = `${base}${number}`
    names.set(name!, own)
    if (own !== name) note(pointer, `The parameter {${name}} of the path is called ${own} in the application: clients do not see its name.`)
  }
  const segments = path.slice(prefix.length).split(/(\{[^}]*\})/)
  const text = segments
    .map((segment, index) => {
      if (!segment.startsWith('{')) return segment.replaceAll(':', '::')
      // The router would read other text behind the name as a part of the name.
      const isEnded = /^(?:$|[/.-])/.test(segments.slice(index + 1).join(''))
      if (!isEnded)
        note(`${pointer}/parameters/path ${segment.slice(1, -1)}`, 'The router needs a pattern to tell where the parameter ends.')
      return `:${names.get(segment.slice(1, -1))!}${isEnded ? '' : '([^/]+)'}`
    })
    .join('')
  const isRouted =
    path.startsWith('/') && !/[*?#()\s\\]/.test(path) && withoutNames(templatesOf(prefix + text)[0]!.template) === withoutNames(path)
  if (!isRouted) note(pointer, `The router has no such path: ${path}. It has no route.`)
  return isRouted ? { text, names } : undefined
}

function requestPartsOf(operation: ContractOperation, names: ReadonlyMap<string, string>, planning: Planning): Record<string, Schema> {
  const { parameters, pointer, body, method } = operation
  const of = (kind: ContractParameter['in']): ContractParameter[] => parameters.filter((each) => each.in === kind)
  const part = (kind: ContractParameter['in'], nameOf = (name: string) => name): Schema => {
    const own = of(kind)
    const required = own.filter((each) => each.required).map(({ name }) => nameOf(name))
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(own.map((each) => [nameOf(each.name), parameterProperty(each, pointer, planning)])),
    }
  }
  return {
    ...(of('path').length > 0 && { params: part('path', (name) => names.get(name)!) }),
    ...(of('query').length > 0 && { querystring: part('query') }),
    ...(of('header').length > 0 && { headers: part('header') }),
    ...(of('cookie').length > 0 && { cookies: part('cookie') }),
    ...(body !== undefined && bodyOf(body, method, `${pointer}/requestBody`, planning)),
  }
}

function parameterProperty(
  { in: kind, name, schema, description, deprecated, style, explode }: ContractParameter,
  pointer: string,
  planning: Planning,
) {
  // The differences name headers in lower case too.
  const at = `${pointer}/parameters${toPointer([`${kind} ${kind === 'header' ? name.toLowerCase() : name}`])}`
  if (style !== undefined || explode !== undefined)
    planning.note(at, 'The server reads lists as tag=a&tag=b. For another style, give it a querystringParser.')
  const converted: Schema = planning.draft7.convert(schema, `${at}/schema`, true)
  const own = converted === true ? {} : converted
  if (kind !== 'query' && own['type'] === 'array')
    planning.note(at, 'The server reads one value of such a list, because only the query string can contain several.')
  if (kind === 'query' && own['type'] === 'object')
    planning.note(
      at,
      'The server reads an object in the query string only if it has a querystringParser. The document assumes name[key]=value.',
    )
  return { ...own, ...(description !== undefined && { description }), ...(deprecated === true && { deprecated }) }
}

const bodied: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

function bodyOf(body: ContractBody, method: string, pointer: string, planning: Planning): Record<string, Schema> {
  if (!bodied.has(method)) {
    planning.note(pointer, `The body of ${method.toUpperCase()} has no meaning (RFC 9110 §9.3), so it is not validated.`)
    return {}
  }
  const types = Object.keys(body.content)
  const kept = Object.fromEntries(Object.entries(body.content).filter(([type]) => !type.includes('*')))
  for (const type of types.filter((each) => each.includes('*')))
    planning.note(`${pointer}/content${toPointer([type])}`, 'A body has one of the media types that are listed. Write each of them.')
  if (Object.keys(kept).length === 0) return {}
  for (const type of Object.keys(kept).filter((each) => !isJson(each) && each !== 'text/plain'))
    planning.note(`${pointer}/content${toPointer([type])}`, `A parser for ${type} is left to add; until then such a body is refused (415).`)
  noteReadOnly(kept, pointer, planning)
  const entries = plannedContent(kept, pointer, planning, (schema) => {
    const isOptional = !body.required && !acceptsNull(schema, planning.contract.schemas)
    return isOptional ? { anyOf: [schema, { type: 'null' }] } : schema
  })
  const [[type, entry]] = Object.entries(entries) as [[string, { schema: Schema }]]
  const isPlain =
    Object.keys(entries).length === 1 && type === 'application/json' && Object.keys(entry).length === 1 && entry.schema !== true
  if (isPlain && body.description === undefined && Object.keys(body.extensions).length === 0) return { body: entry.schema }
  return { body: { ...(body.description !== undefined && { description: body.description }), ...body.extensions, content: entries } }
}

/** Notes the members that requests need although they are readOnly: OpenAPI demands such members of replies only. */
function noteReadOnly(content: ContractContent, pointer: string, { contract, note }: Planning): void {
  for (const [type, { schema }] of Object.entries(content)) {
    const together = combinedSchemas(schema, contract.schemas, ['allOf', 'anyOf', 'oneOf']).filter(isObject)
    const required = new Set(together.flatMap((each) => (each['required'] as string[] | undefined) ?? []))
    const properties = together.flatMap((each) => Object.entries<Schema>((each['properties'] as object | undefined) ?? {}))
    const names = new Set(properties.filter(([name, own]) => own?.readOnly === true && required.has(name)).map(([name]) => name))
    for (const name of names)
      note(
        `${pointer}/content${toPointer([type])}/schema`,
        `Requests need the member '${name}' too, although it is readOnly. Give the body a schema that does not require it.`,
      )
  }
}

function plannedResponse(
  status: string,
  { description, headers, content, links, extensions }: ContractResponse,
  pointer: string,
  planning: Planning,
): Schema {
  const described = Object.entries(headers).map(([name, { schema, ...others }]) => {
    const converted: Schema = planning.draft7.convert(schema, `${pointer}/headers${toPointer([name])}`)
    return [name, { ...converted, ...others }]
  })
  const docs = {
    ...(description !== '' && { description }),
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(links !== undefined && { links }),
  }
  const kept = Object.fromEntries(Object.entries(content).filter(([type]) => isMediaTypeOrRange(type)))
  for (const type of Object.keys(content).filter((each) => !isMediaTypeOrRange(each)))
    planning.note(`${pointer}/content${toPointer([type])}`, `${type} is no media type. Write the media type of the reply.`)
  if (Object.keys(kept).length > 0) return { ...docs, ...extensions, content: plannedContent(kept, pointer, planning, (schema) => schema) }
  if (Object.keys(extensions).length > 0) planning.note(pointer, `A response without content has no fields for tools: ${status}.`)
  return { ...docs, type: 'null' }
}

function plannedContent(
  content: ContractContent,
  pointer: string,
  { draft7 }: Planning,
  change: (schema: any) => any,
): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...docs }]) => {
      const at = `${pointer}/content${toPointer([type])}`
      return [type, { schema: draft7.convertRequestPart(withBinaryFormat(type, change(schema)), `${at}/schema`), ...docs }]
    }),
  )
}

/**
 * Adds the format `binary` to the schemas of bytes in a body, by which alcove recognizes bytes. In OpenAPI 3.1, bytes are marked by the
 * media type of the body, and in forms by `contentMediaType`.
 */
function withBinaryFormat(type: string, schema: any): any {
  if (isJson(type) || typeof schema !== 'object') return schema
  if (type.startsWith('multipart/')) return withFiles(schema)
  const isOfText = /^text\/|[/+](?:xml|yaml|x-www-form-urlencoded)$/.test(type)
  return Object.keys(schema).length === 0 && !isOfText && type !== '*/*' ? { type: 'string', format: 'binary' } : schema
}

function withFiles(schema: any): any {
  const { properties, items, allOf, contentMediaType, type, ...others } = schema ?? {}
  if (contentMediaType === 'application/octet-stream' && type === undefined) return { ...others, type: 'string', format: 'binary' }
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, withFiles(own)])) }),
    ...(items && typeof items === 'object' && { items: withFiles(items) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(withFiles) }),
  }
}
