/** Reads the parameters, the body and the responses of an operation of an agreed OpenAPI document. */
import { isObject, toPointer } from '../../../lib/internal.js'
import type { OpenApiSchema } from '../openapi/document-types.js'
import { inMediaType } from '../openapi/messages.js'
import type {
  ContractBody,
  ContractContent,
  ContractHeader,
  ContractMedia,
  ContractParameter,
  ContractResponse,
  Extensions,
} from './contract-types.js'
import type { ContractSchemas } from './schemas.js'
import { ContractError, type Source } from './source.js'

export interface Reading {
  readonly source: Source
  readonly schemas: ContractSchemas
}

/** The headers that are not read as parameters, because OpenAPI describes them by media types and security schemes. */
const describedElsewhere: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])
const statusKey = /^(?:[1-5][0-9]{2}|[1-5]XX|default)$/

/**
 * Reads the parameters of an operation.
 * @param parameters the parameters of the path, followed by the parameters of the operation, which replace parameters of the path with the
 * same name
 * @param path the path of the operation: `/pets/{petId}`
 * @param operation the JSON Pointer of the operation
 */
export function readParameters(parameters: readonly unknown[], path: string, operation: string, reading: Reading): ContractParameter[] {
  const found = new Map<string, ContractParameter>()
  for (const [index, each] of parameters.entries()) {
    const { value, pointer } = reading.source.follow(each, `${operation}/parameters/${index}`)
    if (!isParameter(value)) throw new ContractError(`${pointer}: a parameter has a name, and in: "path", "query", "header" or "cookie".`)
    if (value.in === 'header' && describedElsewhere.has(value.name.toLowerCase()))
      reading.source.note(`${operation}/parameters`, `The header ${value.name} is described by media types and security schemes alone.`)
    else found.set(`${value.in} ${value.name}`, readParameter(value, pointer, `${operation}/parameters`, reading))
  }
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  for (const name of names)
    found.set(`path ${name}`, found.get(`path ${name}`) ?? { name, in: 'path', required: true, schema: { type: 'string' } })
  const ofPath = names.map((name) => found.get(`path ${name}`)!)
  for (const { name } of [...found.values()].filter((each) => each.in === 'path' && !names.includes(each.name)))
    reading.source.note(`${operation}/parameters`, `The path has no parameter {${name}}.`)
  return [...ofPath, ...[...found.values()].filter((each) => each.in !== 'path')]
}

type DocumentParameter = Record<string, any> & Pick<ContractParameter, 'name' | 'in'>

function isParameter(value: unknown): value is DocumentParameter {
  return isObject(value) && typeof value['name'] === 'string' && ['path', 'query', 'header', 'cookie'].includes(value['in'] as string)
}

function readParameter(parameter: DocumentParameter, pointer: string, place: string, { source, schemas }: Reading): ContractParameter {
  const { name, in: kind, required, description, deprecated, schema, content, style, explode } = parameter
  const note = (text: string): void => source.note(place, `The ${kind} parameter '${name}': ${text}`)
  if (content !== undefined) note('A parameter arrives as text. Its handler reads what its media type means.')
  for (const key of ['allowReserved', 'allowEmptyValue'])
    if (parameter[key] === true) note(`${key} is not kept. The server reads such values anyway.`)
  const usual = kind === 'query' || kind === 'cookie' ? 'form' : 'simple'
  const converted = content === undefined ? schemas.convert(schema, `${pointer}/schema`) : { type: 'string' }
  const exploded = (style ?? usual) === 'form'
  return {
    name,
    in: kind,
    required: kind === 'path' || required === true,
    ...(deprecated === true && { deprecated: true as const }),
    ...describedBy(description, withExamples(converted, parameter, pointer, source)),
    ...(style !== undefined && style !== usual && { style: String(style) }),
    ...(explode !== undefined && explode !== exploded && { explode: explode === true }),
  }
}

/**
 * Moves the description and `deprecated` from the schema of a parameter or header to the parameter or header itself.
 * @param text the description of the parameter or header, which takes precedence
 */
function describedBy(text: unknown, described: OpenApiSchema): { description?: string; deprecated?: true; schema: OpenApiSchema } {
  if (typeof described === 'boolean') return { schema: described }
  const { description: own, deprecated, ...others } = described
  const description: unknown = text ?? own
  return {
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    schema: own === undefined || own === description ? others : { ...others, description: own },
  }
}

export function readRequestBody(body: unknown, place: string, reading: Reading): ContractBody {
  const { value, pointer } = reading.source.follow(body, place)
  if (!isObject(value)) throw new ContractError(`${pointer}: this is not a request body.`)
  const { description, required, content } = value
  return {
    ...(typeof description === 'string' && { description }),
    required: required === true,
    content: readContent(content, pointer, reading),
    extensions: extensionsOf(value),
  }
}

export function readResponses(responses: Record<string, unknown>, place: string, reading: Reading): Record<string, ContractResponse> {
  const found: Record<string, ContractResponse> = {}
  for (const [key, each] of Object.entries(responses)) {
    if (key.startsWith('x-')) continue
    const status = key.replace(/xx$/i, 'XX')
    if (!statusKey.test(status)) reading.source.note(`${place}/${key}`, 'This is not a status of HTTP.')
    else found[status] = readResponse(each, `${place}/${key}`, reading)
  }
  return found
}

function readResponse(response: unknown, place: string, reading: Reading): ContractResponse {
  const { value, pointer } = reading.source.follow(response, place)
  if (!isObject(value)) throw new ContractError(`${pointer}: this is not a response.`)
  const { description, headers = {}, content = {}, links } = value
  const named = Object.entries(headers as object).filter(([name]) => name.toLowerCase() !== 'content-type')
  const kept = reading.source.withoutReferences(links, `${place}/links`, 'A link is kept only if it has no references.')
  return {
    description: String(description ?? ''),
    headers: Object.fromEntries(
      named.map(([name, each]) => [name, readHeader(each, `${pointer}${toPointer(['headers', name])}`, reading)]),
    ),
    content: readContent(content, pointer, reading),
    ...(kept && { links: kept }),
    extensions: extensionsOf(value),
  }
}

function readHeader(header: unknown, place: string, { source, schemas }: Reading): ContractHeader {
  const { value, pointer } = source.follow(header, place)
  const { description, deprecated, schema, required, ...others } = (value ?? {}) as Record<string, unknown>
  if (required === true) source.note(place, 'Headers of replies may be absent: no schema demands them.')
  const converted = schemas.convert(schema, `${pointer}/schema`)
  return { ...(deprecated === true && { deprecated }), ...describedBy(description, withExamples(converted, others, pointer, source)) }
}

/** Adds the examples of a parameter or header to its schema, unless the schema has examples of its own. */
function withExamples(
  schema: OpenApiSchema,
  { example, examples }: Readonly<Record<string, any>>,
  pointer: string,
  source: Reading['source'],
): OpenApiSchema {
  const values = example === undefined ? Object.values(examples ?? {}).map((each) => source.follow(each, pointer).value?.value) : [example]
  return values.length === 0 || typeof schema === 'boolean' ? schema : { ...schema, examples: schema['examples'] ?? values }
}

function readContent(byMediaType: unknown, owner: string, reading: Reading): ContractContent {
  if (!isObject(byMediaType)) throw new ContractError(`${owner}/content: this is not an object by media type.`)
  return Object.fromEntries(
    Object.entries(byMediaType).map(([type, each]): [string, ContractMedia] => [
      type.trim().toLowerCase(),
      readMedia(type, each, `${owner}${toPointer(['content', type])}`, reading),
    ]),
  )
}

function readMedia(type: string, media: unknown, pointer: string, { source, schemas }: Reading): ContractMedia {
  const { schema, example, examples, encoding, ...others } = isObject(media) ? media : {}
  const converted = schemas.convert(schema, `${pointer}/schema`)
  const named = Object.entries(examples ?? {}).map(([name, each]) => [name, source.follow(each, pointer).value])
  return {
    schema: inMediaType(type, converted, schemas.byName),
    ...(example !== undefined && { example }),
    ...(named.length > 0 && { examples: Object.fromEntries(named) }),
    ...(isObject(encoding) && { encoding }),
    ...extensionsOf(others),
  }
}

export function extensionsOf(value: object): Extensions {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key.startsWith('x-')))
}
