/** Contracts: the replies that guards, error handlers and plugins declare, and how a contract is kept with its function. */
import { errorCodes } from '../errors/codes.js'
import type { ContextDocs, Contract } from '../types/description.js'
import { containsStream } from '../schema/streams/stream.js'
import { kContext } from '../util/symbols.js'
import { suggestName } from '../util/nearest-name.js'
import { isPlainObject } from '../util/objects.js'

/** The key under which a hook, an error handler, a not-found handler, a plugin function or the options of a plugin keep their contract. */
const kContract = Symbol('alcove.contract')

/** A contract of a plugin: the replies that it may give, and texts for the documentation of its routes. */
export interface PluginContract extends Contract {
  readonly docs?: ContextDocs
}

/** A contract that a context has, and the path of the plugin that declares it. */
export interface ContextContract {
  readonly from: string
  readonly contract: PluginContract
}

/**
 * Declares the replies that a hook, an error handler, a not-found handler or a plugin function may give: `describe` and documents show it
 * at every route that the function covers. The contract of a plugin function holds for the routes of its context. Classes have `static
 * responses` and `static security` instead.
 * ```ts
 * server.addHook('onRequest', withContract(authenticate, {
 *   responses: { 401: problem },
 *   security: { bearer: { type: 'http', scheme: 'bearer' } },
 * }))
 * ```
 * @returns the same function
 * @throws ALC_ERR_SETTING_INVALID if the contract has other keys, an unknown status, or a security scheme that is not complete
 */
export function withContract<F extends (...args: any[]) => unknown>(given: F, contract: PluginContract): F {
  const { docs, ...own } = contract ?? {}
  const problems = [...findContractProblems(contract === undefined ? contract : own), ...findDocsProblems(docs, false)]
  if (problems.length > 0)
    throw new errorCodes.ALC_ERR_SETTING_INVALID(`withContract(${given.name || 'a function'}, …)`, textOfContractProblems(problems))
  setContract(given, contract)
  return given
}

/** Returns the contract that was set on a function or on the options of a plugin, if any. */
export function contractOf(given: unknown): PluginContract | undefined {
  return given == null ? undefined : (given as { [kContract]?: PluginContract })[kContract]
}

/** Sets the contract of a function, or of the options of a plugin. */
export function setContract(to: object, contract: PluginContract | undefined): void {
  if (contract !== undefined) Object.defineProperty(to, kContract, { value: contract, configurable: true, enumerable: true })
}

/** Adds a contract to the context of an instance. */
export function declareContract(instance: object, from: string, contract: PluginContract | undefined): void {
  if (contract === undefined || Object.values(contract).every((value) => value === undefined)) return
  const { contracts } = (instance as { readonly [kContext]: { readonly contracts: ContextContract[] } })[kContext]
  contracts.push({ from, contract })
}

const STATUS_KEY = /^[1-5](?:[0-9]{2}|xx)$|^default$/i
/** The keys that a scheme of each type must have (OpenAPI 3.1 §4.8.27). */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  http: ['scheme'],
  apiKey: ['name', 'in'],
  oauth2: ['flows'],
  openIdConnect: ['openIdConnectUrl'],
  mutualTLS: [],
}
const schemeKeys = ['type', 'description', 'scopes', 'bearerFormat', ...Object.values(neededKeys).flat()]

/**
 * A fault of a contract: what is wrong, `has no key 'respones'`, and what to write instead, `Did you mean 'responses'?`. Both texts have no
 * full stop.
 */
export interface ContractProblem {
  readonly problem: string
  readonly cure: string
}

/** Returns the problems of a contract as one text. */
export function textOfContractProblems(problems: readonly ContractProblem[]): string {
  return problems.map(({ problem, cure }) => `${problem}. ${cure}`).join('; ')
}

/** Finds what is wrong with a contract. */
export function findContractProblems(given: unknown): ContractProblem[] {
  if (!isPlainObject(given))
    return [{ problem: 'has a contract that is not an object', cure: 'Write { responses: { 401: … }, security: { … } }' }]
  const { responses, security, ...others } = given
  return [
    ...unknownKeys(others, ['responses', 'security'], 'the contract'),
    ...(responses === undefined ? [] : findResponseProblems(responses)),
    ...(security === undefined ? [] : findSecurityProblems(security)),
  ]
}

function findResponseProblems(responses: unknown): ContractProblem[] {
  if (!isPlainObject(responses)) return [{ problem: 'has responses that are not an object by status', cure: 'Write responses: { 401: … }' }]
  return Object.entries(responses).flatMap(([status, schema]) => {
    if (!STATUS_KEY.test(status))
      return { problem: `has '${status}' in responses, which is not a status`, cure: "Write 401, '4xx' or 'default'" }
    if (containsStream(schema))
      return { problem: `has stream(…) as the response ${status}, which only the schema of a route can have`, cure: 'Write it there' }
    if (schema != null) return []
    return { problem: `has ${String(schema)} as the response ${status}, often because of a circle of imports`, cure: 'Write its schema' }
  })
}

function findSecurityProblems(security: unknown): ContractProblem[] {
  const cure = "Write security: { bearer: { type: 'http', scheme: 'bearer' } }"
  if (!isPlainObject(security)) return [{ problem: 'has a security that is not an object of schemes by name', cure }]
  return Object.entries(security).flatMap(([name, scheme]) => {
    if (!isPlainObject(scheme)) return { problem: `has the security scheme '${name}', which is not an object`, cure }
    const needed = Object.hasOwn(neededKeys, String(scheme['type'])) ? neededKeys[String(scheme['type'])] : undefined
    if (needed === undefined)
      return {
        problem: `has the security scheme '${name}' of the type '${String(scheme['type'])}'`,
        cure: `Types are: ${Object.keys(neededKeys).join(', ')}`,
      }
    const missing = needed.filter((key) => scheme[key] === undefined)
    return [
      ...missing.map((key) => ({
        problem: `has the security scheme '${name}' without '${key}', which the type ${String(scheme['type'])} needs`,
        cure: 'Write it',
      })),
      ...unknownKeys(scheme, schemeKeys, `the security scheme '${name}'`),
    ]
  })
}

const docsKinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  tags: (value) => Array.isArray(value) && value.every((tag) => typeof tag === 'string'),
  deprecated: (value) => typeof value === 'boolean',
  hide: (value) => typeof value === 'boolean',
  externalDocs: (value) => isPlainObject(value) && typeof value['url'] === 'string',
}
const isText = (value: unknown): boolean => typeof value === 'string'
const routeDocsKinds = { ...docsKinds, summary: isText, description: isText, operationId: isText }

/** Finds what is wrong with the option `docs` of a route (`isOfRoute`) or of a context. */
export function findDocsProblems(docs: unknown, isOfRoute: boolean): ContractProblem[] {
  if (docs === undefined) return []
  if (!isPlainObject(docs)) return [{ problem: 'has docs that are not an object', cure: "Write docs: { tags: ['users'] }" }]
  const kinds: typeof docsKinds = isOfRoute ? routeDocsKinds : docsKinds
  const wrong = Object.entries(docs).filter(([key, value]) => value !== undefined && Object.hasOwn(kinds, key) && !kinds[key]!(value))
  const ofRoute = Object.keys(docs).filter((key) => !isOfRoute && Object.hasOwn(routeDocsKinds, key) && !Object.hasOwn(docsKinds, key))
  return [
    ...wrong.map(([key]) => ({
      problem: `has '${key}' of the wrong kind in docs`,
      cure: 'tags is a list of texts, deprecated and hide are true or false, externalDocs is { url }',
    })),
    ...ofRoute.map((key) => ({ problem: `has '${key}' in docs, which is for one route`, cure: 'Write it in docs of the route' })),
    ...unknownKeys(Object.fromEntries(Object.entries(docs).filter(([key]) => !ofRoute.includes(key))), Object.keys(kinds), 'docs'),
  ]
}

function unknownKeys(given: object, known: readonly string[], place: string): ContractProblem[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key) && !key.startsWith('x-'))
    .map((key) => ({
      problem: `has '${key}' in ${place}, which has no such key`,
      cure: suggestName(key, known, `Keys are: ${known.join(', ')}`),
    }))
}
