/** Reads an OpenAPI document of version 3.0 or 3.1. */
import type { SecurityRequirement, SecurityScheme } from '../../../lib/index.js'
import { isObject, toPointer } from '../../../lib/internal.js'
import type { OpenApiInfo, OpenApiServer, OpenApiTag } from '../openapi/document-types.js'
import type { Contract, ContractOperation } from './contract-types.js'
import { extensionsOf, readRequestBody, readParameters, readResponses, type Reading } from './read-messages.js'
import { ContractSchemas } from './schemas.js'
import { ContractError, Source } from './source.js'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/**
 * Reads an OpenAPI document. References within the document are followed. `notes` lists the places that alcove cannot keep.
 * @param document the document, as parsed from JSON or YAML
 * @throws ContractError for another version than 3.0 and 3.1, a reference to another document, or a value that OpenAPI does not allow
 */
export function readContract(document: unknown): Contract {
  const source = new Source(document)
  const { info, servers, tags, externalDocs, paths, security, components, webhooks } = source.root
  const reading: Reading = { source, schemas: new ContractSchemas(source) }
  if (webhooks !== undefined) source.note('/webhooks', 'An application describes the requests that it takes, not those that it sends.')
  const operations = Object.entries<any>(objectAt(paths ?? {}, '/paths'))
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, item]) => readPath(path, item, security, reading))
  return {
    info: readInfo(info),
    servers: serversAt(servers) ?? [],
    tags: listAt<OpenApiTag>(tags, '/tags').filter(({ name }) => typeof name === 'string'),
    ...(externalDocs !== undefined && { externalDocs }),
    extensions: extensionsOf(source.root),
    schemas: reading.schemas.byName,
    operations,
    securitySchemes: readSchemes(components?.securitySchemes, source),
    notes: source.notes,
  }
}

function readInfo(info: unknown): OpenApiInfo {
  const { title, version, ...others } = objectAt(info ?? {}, '/info')
  return { title: String(title ?? 'API'), version: String(version ?? '0.0.0'), ...others }
}

function readPath(path: string, pathItem: unknown, security: unknown, reading: Reading): ContractOperation[] {
  const { source } = reading
  const pointer = toPointer(['paths', path])
  const item = source.follow(pathItem, pointer)
  const { summary, description, parameters, servers, ...others } = objectAt(item.value, item.pointer)
  for (const [key, value] of Object.entries({ summary, description }))
    if (value !== undefined) source.note(`${pointer}/${key}`, 'A path has no texts of its own. Write it at its operations.')
  return methods.flatMap((method): ContractOperation[] => {
    if (others[method] === undefined) return []
    const operation = objectAt(others[method], `${item.pointer}/${method}`)
    const place = { value: { security, servers, ...operation }, pointer: `${pointer}/${method}` }
    const shared = listAt(parameters, `${item.pointer}/parameters`)
    return [readOperation(method, path, place, shared, reading)]
  })
}

function readOperation(
  method: string,
  path: string,
  { value, pointer }: { readonly value: any; readonly pointer: string },
  shared: readonly unknown[],
  reading: Reading,
): ContractOperation {
  const { operationId, tags, summary, description, deprecated, externalDocs, servers, callbacks, requestBody, responses, security } = value
  const reason = 'A callback is kept only if it has no references. Write its schemas in it.'
  const kept = reading.source.withoutReferences(callbacks, `${pointer}/callbacks`, reason)
  const parameters = readParameters([...shared, ...listAt(value.parameters, `${pointer}/parameters`)], path, pointer, reading)
  return {
    pointer,
    method,
    path,
    ...(isText(operationId) && { operationId }),
    tags: listAt<unknown>(tags, `${pointer}/tags`).filter(isText),
    ...(isText(summary) && { summary }),
    ...(isText(description) && { description }),
    ...(deprecated === true && { deprecated }),
    ...(externalDocs !== undefined && { externalDocs }),
    ...(Array.isArray(servers) && servers.length > 0 && { servers: serversAt(servers)! }),
    ...(kept && { callbacks: kept }),
    parameters,
    ...(requestBody !== undefined && { body: readRequestBody(requestBody, `${pointer}/requestBody`, reading) }),
    responses: readResponses(objectAt(responses ?? {}, `${pointer}/responses`), `${pointer}/responses`, reading),
    security: listAt<SecurityRequirement>(security, `${pointer}/security`).map((each) => objectAt(each, `${pointer}/security`)),
    extensions: extensionsOf(value),
  }
}

function readSchemes(schemes: unknown, source: Source): Record<string, SecurityScheme> {
  return Object.fromEntries(
    Object.entries(objectAt(schemes ?? {}, '/components/securitySchemes')).map(([name, each]) => {
      const { value, pointer } = source.follow(each, toPointer(['components', 'securitySchemes', name]))
      return [name, objectAt(value, pointer) as SecurityScheme]
    }),
  )
}

function serversAt(servers: unknown): OpenApiServer[] | undefined {
  return Array.isArray(servers) ? servers.filter((each: any) => isText(each?.url)) : undefined
}

function objectAt(value: unknown, pointer: string): Record<string, any> {
  if (!isObject(value)) throw new ContractError(`${pointer}: this is not an object: ${JSON.stringify(value)?.slice(0, 80)}.`)
  return value
}

function listAt<T>(value: unknown, pointer: string): readonly T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new ContractError(`${pointer}: this is not a list: ${JSON.stringify(value)?.slice(0, 80)}.`)
  return value
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
