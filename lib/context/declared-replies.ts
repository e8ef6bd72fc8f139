/**
 * The replies that guards, error handlers and plugins declare, with security and documentation: how these declarations are checked, stored
 * on a function and read.
 */
import { errorCodes } from '../errors/codes.js'
import type { ContextDocs, DeclaredReplies, Deprecation } from '../types/description.js'
import { containsStream } from '../schema/streams/stream.js'
import { kContext } from '../util/symbols.js'
import { isPlainObject } from '../util/objects.js'
import { findDeprecationProblems } from './deprecation.js'
import { type DescriptionProblem, textOfProblems, unknownKeys } from './description-problems.js'

/**
 * The key under which a hook, an error handler, a not-found handler, a plugin function or the options of a plugin have declared replies.
 */
const kDeclaredReplies = Symbol('alcove.declaredReplies')

/** The replies that a plugin declares for its routes, with texts for the documentation of these routes and their deprecation. */
export interface PluginReplies extends DeclaredReplies {
  readonly docs?: ContextDocs
  /** Says that clients should stop using the routes: `{ since: '2026-06-30', sunset: '2026-12-31' }`. All their replies then have headers that say so. */
  readonly deprecated?: boolean | Deprecation
}

/** The replies that a plugin declares for the routes of a context, and the path of the plugin. */
export interface ContextReplies {
  readonly from: string
  readonly replies: PluginReplies
}

/**
 * Declares the replies that a hook, an error handler, a not-found handler or a plugin function may give. `describe` and OpenAPI documents
 * show these replies at every route that the function covers. The replies of a plugin function hold for the routes of its context, and so
 * do its `docs` and its `deprecated`. Classes have `static responses` and `static security` instead.
 * ```ts
 * server.addHook('onRequest', declareReplies(authenticate, {
 *   responses: { 401: problem },
 *   security: { bearer: { type: 'http', scheme: 'bearer' } },
 * }))
 * ```
 * @returns the same function
 * @throws ALC_ERR_SETTING_INVALID if the object has other keys, an unknown status, or a security scheme that is not complete
 */
export function declareReplies<F extends (...args: any[]) => unknown>(declaring: F, replies: PluginReplies): F {
  const { docs, deprecated, ...own } = replies ?? {}
  const problems = [...findReplyProblems(replies === undefined ? replies : own), ...findDocsProblems({ docs, deprecated }, false)]
  if (problems.length > 0)
    throw new errorCodes.ALC_ERR_SETTING_INVALID(`declareReplies(${declaring.name || 'a function'}, …)`, textOfProblems(problems))
  setDeclaredReplies(declaring, replies)
  return declaring
}

/** Returns the replies that a function or the options of a plugin declare, if any. */
export function declaredRepliesOf(declaring: unknown): PluginReplies | undefined {
  return declaring == null ? undefined : (declaring as { [kDeclaredReplies]?: PluginReplies })[kDeclaredReplies]
}

/** Sets the declared replies of a function, or of the options of a plugin. */
export function setDeclaredReplies(declaring: object, replies: PluginReplies | undefined): void {
  if (replies !== undefined) Object.defineProperty(declaring, kDeclaredReplies, { value: replies, configurable: true, enumerable: true })
}

/** Adds the replies that a plugin declares to the context of a server instance. The parameter `from` is the path of the plugin. */
export function addDeclaredReplies(instance: object, from: string, replies: PluginReplies | undefined): void {
  if (replies === undefined || Object.values(replies).every((value) => value === undefined)) return
  const { declaredReplies } = (instance as { readonly [kContext]: { readonly declaredReplies: ContextReplies[] } })[kContext]
  declaredReplies.push({ from, replies })
}

const STATUS_KEY = /^[1-5](?:[0-9]{2}|xx)$|^default$/i
/** The keys that a security scheme must have, by the type of the scheme (OpenAPI 3.1 §4.8.27). */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  http: ['scheme'],
  apiKey: ['name', 'in'],
  oauth2: ['flows'],
  openIdConnect: ['openIdConnectUrl'],
  mutualTLS: [],
}
const schemeKeys = ['type', 'description', 'scopes', 'bearerFormat', ...Object.values(neededKeys).flat()]

/** Finds the faults in declared replies. */
export function findReplyProblems(replies: unknown): DescriptionProblem[] {
  if (!isPlainObject(replies))
    return [{ problem: 'has declared replies that are not an object', cure: 'Write { responses: { 401: … }, security: { … } }' }]
  const { responses, security, requestHeaders, responseHeaders, ...others } = replies
  return [
    ...unknownKeys(others, declaredKeys, 'the object of declared replies'),
    ...(responses === undefined ? [] : findResponseProblems(responses)),
    ...(security === undefined ? [] : findSecurityProblems(security)),
    ...(requestHeaders === undefined ? [] : findRequestHeaderProblems(requestHeaders)),
    ...(responseHeaders === undefined ? [] : findResponseHeaderProblems(responseHeaders)),
  ]
}

/** The keys that an object of declared replies may have. */
export const declaredKeys = ['responses', 'security', 'requestHeaders', 'responseHeaders'] as const

function findRequestHeaderProblems(headers: unknown): DescriptionProblem[] {
  if (isPlainObject(headers) && headers['type'] === 'object' && isPlainObject(headers['properties'])) return []
  return [
    {
      problem: 'has requestHeaders that are not an object schema',
      cure: "Write requestHeaders: { type: 'object', properties: { 'x-tenant': { type: 'string' } } }",
    },
  ]
}

function findResponseHeaderProblems(headers: unknown): DescriptionProblem[] {
  const cure = "Write responseHeaders: { '2xx': { 'x-cache': { type: 'string' } } }"
  if (!isPlainObject(headers)) return [{ problem: 'has responseHeaders that are not an object by status', cure }]
  return Object.entries(headers).flatMap(([status, byName]) => {
    if (!STATUS_KEY.test(status)) return { problem: `has '${status}' in responseHeaders, which is not a status`, cure }
    if (!isPlainObject(byName)) return { problem: `has responseHeaders of ${status} that are not an object by name`, cure }
    return []
  })
}

function findResponseProblems(responses: unknown): DescriptionProblem[] {
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

function findSecurityProblems(security: unknown): DescriptionProblem[] {
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
  hide: (value) => typeof value === 'boolean',
  externalDocs: (value) => isPlainObject(value) && typeof value['url'] === 'string',
}
const isText = (value: unknown): boolean => typeof value === 'string'
const routeDocsKinds = { ...docsKinds, summary: isText, description: isText, operationId: isText }

/** Finds the faults in the options `docs` and `deprecated` of a route (`isOfRoute`) or of a context. */
export function findDocsProblems(
  { docs, deprecated }: { readonly docs?: unknown; readonly deprecated?: unknown },
  isOfRoute: boolean,
): DescriptionProblem[] {
  return [...findTextProblems(docs, isOfRoute), ...findDeprecationProblems(deprecated)]
}

function findTextProblems(docs: unknown, isOfRoute: boolean): DescriptionProblem[] {
  if (docs === undefined) return []
  if (!isPlainObject(docs)) return [{ problem: 'has docs that are not an object', cure: "Write docs: { tags: ['users'] }" }]
  const kinds: typeof docsKinds = isOfRoute ? routeDocsKinds : docsKinds
  const wrong = Object.entries(docs).filter(([key, value]) => value !== undefined && Object.hasOwn(kinds, key) && !kinds[key]!(value))
  const isMoved = 'deprecated' in docs
  const ofRoute = Object.keys(docs).filter((key) => !isOfRoute && Object.hasOwn(routeDocsKinds, key) && !Object.hasOwn(docsKinds, key))
  return [
    ...wrong.map(([key]) => ({
      problem: `has '${key}' of the wrong kind in docs`,
      cure: 'tags is a list of texts, hide is true or false, externalDocs is { url }',
    })),
    ...ofRoute.map((key) => ({ problem: `has '${key}' in docs, which is for one route`, cure: 'Write it in docs of the route' })),
    ...(isMoved ? [{ problem: "has 'deprecated' in docs", cure: 'Write it beside docs, not in it' }] : []),
    ...unknownKeys(
      Object.fromEntries(Object.entries(docs).filter(([key]) => key !== 'deprecated' && !ofRoute.includes(key))),
      Object.keys(kinds),
      'docs',
    ),
  ]
}
