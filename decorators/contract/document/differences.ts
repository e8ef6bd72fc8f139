/** Compares an agreed OpenAPI document with the OpenAPI document of an application. */
import type { SecurityRequirement } from '../../../lib/index.js'
import { isObject } from '../../../lib/internal.js'
import type { OpenApiDocument } from '../openapi/document-types.js'
import { withoutNames } from '../openapi/paths.js'
import type { Contract, ContractContent, ContractOperation, ContractResponse } from './contract-types.js'
import { differencesOf } from './json-differences.js'
import { readContract } from './read.js'

/**
 * Compares a contract, which is an OpenAPI document of version 3.0 or 3.1 that was written before the application, with the document of the
 * application. The result is empty if the application keeps the contract. Differences of form do not count: schemas of OpenAPI 3.0 are
 * converted to the form of 3.1, and references are followed. The application may reply with further statuses, as the framework does, and
 * may have further texts.
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * const contract = JSON.parse(await readFile('openapi.json', 'utf8'))
 * const lines = contractDifferences(contract, openapi(App, { info: { title: 'Shop', version: '1.0.0' } }))
 * ```
 * @param contract the agreed document, as `JSON.parse` returns it
 * @param document the document of the application
 * @returns a line for each difference: a line with `-`, such as `- /paths/~1pets/get: …`, is only in the contract, a line with `+` only in
 * the application
 * @throws TypeError if the contract cannot be read
 */
export function contractDifferences(contract: unknown, document: OpenApiDocument): string[] {
  const wanted = readContract(contract)
  const actual = readContract(JSON.parse(JSON.stringify(document)))
  // JSON has no members that are undefined, so they must not count as differences.
  const [one, other] = [comparableContract(wanted, wanted), comparableContract(actual, wanted)].map((each): unknown =>
    JSON.parse(JSON.stringify(each)),
  )
  return differencesOf(one, other)
}

/**
 * Converts a contract to an object for comparing, in which each value has the same pointer as in an OpenAPI document.
 * @param contract the contract to convert
 * @param wanted the agreed contract: texts, tags and components that this contract lacks are left out
 */
function comparableContract(contract: Contract, wanted: Contract): object {
  const { info, externalDocs, extensions, servers, tags, schemas, securitySchemes } = contract
  const known = new Map(wanted.operations.map((each) => [operationKey(each), each]))
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of contract.operations) {
    const other = known.get(operationKey(operation)) ?? operation
    paths[other.path] = { ...paths[other.path], [operation.method]: comparableOperation(operation, other) }
  }
  const names = new Set(wanted.tags.map(({ name }) => name))
  return {
    info,
    externalDocs,
    ...extensions,
    // A contract without servers means the server that the document comes from, so servers are not compared.
    servers: wanted.servers.length === 0 ? undefined : servers,
    tags: tags.filter(({ name }) => names.has(name)),
    paths,
    components: {
      schemas: onlyWanted(schemas, wanted.schemas, (schema) => sorted(schema)),
      securitySchemes: onlyWanted(securitySchemes, wanted.securitySchemes, (scheme) => scheme),
    },
  }
}

function operationKey({ method, path }: ContractOperation): string {
  return `${method} ${withoutNames(path)}`
}

function comparableOperation(operation: ContractOperation, wanted: ContractOperation): object {
  const { path, parameters, body, responses, security, callbacks, servers, externalDocs, extensions, deprecated } = operation
  const names = [...wanted.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  const own = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  return {
    ...onlyWantedTexts(operation, wanted, ['operationId', 'summary', 'description']),
    tags: wanted.tags.length === 0 ? undefined : operation.tags,
    deprecated,
    externalDocs,
    servers,
    callbacks,
    ...extensions,
    parameters: Object.fromEntries(
      parameters.map(({ name, in: kind, schema, description, ...others }) => {
        const key =
          kind === 'path' ? `path ${names[own.indexOf(name)] ?? name}` : `${kind} ${kind === 'header' ? name.toLowerCase() : name}`
        return [key, { description, ...others, schema: sorted(schema) }]
      }),
    ),
    requestBody: body && {
      ...onlyWantedTexts(body, wanted.body, ['description']),
      ...body.extensions,
      required: body.required,
      content: comparableContent(body.content, body.required ? (schema) => schema : withoutNull),
    },
    responses: onlyWanted(responses, wanted.responses, comparableResponse),
    security: securityAlternatives(security),
  }
}

function comparableResponse({ description, headers, content, links, extensions }: ContractResponse, wanted: ContractResponse): object {
  return {
    description: wanted.description === '' ? undefined : description,
    ...extensions,
    headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), sorted(header)])),
    content: comparableContent(content, (schema) => schema),
    links,
  }
}

function comparableContent(content: ContractContent, change: (schema: any) => unknown): object {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...others }]) => [type, { ...others, schema: sorted(change(schema)) }]),
  )
}

/**
 * Returns the alternatives of an operation's security requirements as texts for comparing. An alternative that demands everything that
 * another one demands is left out, because no further requests pass by it. An empty alternative beside others is kept, because it says that
 * a client need not authenticate.
 */
function securityAlternatives(security: readonly SecurityRequirement[]): string[] {
  const isWithin = (one: SecurityRequirement, other: SecurityRequirement): boolean =>
    Object.entries(one).every(([name, scopes]) => other[name] !== undefined && scopes.every((scope) => other[name]!.includes(scope)))
  const isEmpty = (requirement: SecurityRequirement): boolean => Object.keys(requirement).length === 0
  const kept = security.filter(
    (other, index) =>
      !security.some((one, at) => at !== index && !isEmpty(one) && isWithin(one, other) && (at < index || !isWithin(other, one))),
  )
  return kept
    .map((requirement) => Object.entries(requirement).map(([name, scopes]) => [name, ...scopes].join(' ')))
    .map((schemes) => schemes.sort().join(', ') || 'nothing')
    .filter((text, _, all) => all.length > 1 || text !== 'nothing')
    .sort()
}

/**
 * Returns the schema of an optional body without the alternative `null`, which alcove adds because an absent body is validated as `null`.
 */
export function withoutNull(schema: any): unknown {
  if (!isObject(schema)) return schema
  const { anyOf, type, ...others } = schema
  if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1]?.type === 'null' && type === undefined && Object.keys(others).length === 0)
    return anyOf[0]
  return schema
}

/**
 * Returns the texts of `value`, such as its description, for which `wanted`, the same object of the agreed contract, has a text too.
 * @param names the keys of the texts
 */
function onlyWantedTexts(value: object, wanted: object | undefined, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name) && wanted !== undefined && name in wanted))
}

/**
 * Returns the entries, such as responses by status, whose key the agreed contract has too.
 * @param map converts an entry; the second argument is the same entry of the agreed contract
 */
function onlyWanted<T>(
  entriesByName: Readonly<Record<string, T>>,
  wanted: Readonly<Record<string, T>>,
  map: (entry: T, wanted: T) => unknown,
): object {
  const entries = Object.entries(entriesByName).filter(([name]) => Object.hasOwn(wanted, name))
  return Object.fromEntries(entries.map(([name, entry]) => [name, map(entry, wanted[name]!)]))
}

/** Returns a schema in which the lists of `required` and `type` are sorted, because their order means nothing. */
function sorted(value: any): any {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const isUnordered = (key: string, entry: unknown): entry is string[] => (key === 'required' || key === 'type') && Array.isArray(entry)
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      isUnordered(key, entry) ? entry.toSorted((a, b) => (a < b ? -1 : 1)) : sorted(entry),
    ]),
  )
}
