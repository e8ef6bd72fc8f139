/** The reply to an error: its status, headers and payload, and how much of the error the client is shown. */
import { errorCodes } from '../../errors/codes.js'
import { HttpError, isErrorStatus } from '../../errors/http-error.js'
import { isClientGone } from '../../http/connection.js'
import { type ErrorFacts, type ErrorFormat, statusText } from '../../http/error-payload.js'
import { fitsNoAlternative, missingMember, nameUnserializable } from '../../schema/fast-json.js'
import { validationIssues } from '../../schema/issues/validation-issues.js'
import type { SerializeFunction } from '../../types/compilers.js'
import { types } from '../../util/node/modules.js'
import { ignoreRejection } from '../../util/promises.js'
import { type Exchange, routePlace } from '../exchange.js'

/** Reads a property of any thrown value. @returns `undefined` if the value is null, or if a getter throws */
export function readProperty(error: unknown, key: string): any {
  try {
    // Requests without an error ask too. A member of nothing would throw, which takes 9 µs.
    return (error as Record<string, unknown> | null | undefined)?.[key]
  } catch {
    return undefined
  }
}

/** Whether a thrown value is an Error. Errors of other realms (a `vm` context) count too. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown)
}

/**
 * Whether a client is shown an error. Errors with a status below 500 are shown unless they have `expose: false`; errors from 500 on only if
 * the error has `expose: true` or the server option `exposeErrorMessages` is set.
 */
export function isShown(error: unknown, { route, reply }: Exchange): boolean {
  const expose = readProperty(error, 'expose')
  return expose === true || route.exposesErrors || (reply.raw.statusCode < 500 && expose !== false)
}

function asErrorStatus(status: unknown): number | undefined {
  return isErrorStatus(status) ? status : undefined
}

/**
 * Returns the status of the reply to an error: the status that the error has, else a status from 400 on that was chosen with
 * `reply.code()`, else 500.
 */
export function errorStatus(error: unknown, { hasStatus, reply }: Exchange): number {
  const chosen = hasStatus ? asErrorStatus(reply.raw.statusCode) : undefined
  return asErrorStatus(readProperty(error, 'status')) ?? asErrorStatus(readProperty(error, 'statusCode')) ?? chosen ?? 500
}

/** The names of headers that describe one body. A reply to an error has another body, so it must not take over these headers. */
export const bodyHeaders: readonly string[] = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'content-disposition',
  'transfer-encoding',
  'trailer',
  'etag',
  'last-modified',
  // Digests: RFC 9530 and its predecessors.
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
  // draft-ietf-httpapi-idempotency-key-header: the body is the one of an earlier reply.
  'idempotency-replayed',
]

/** The names of headers that say how long caches may keep a reply (RFC 9111 §5.2, RFC 9213). */
const cachingHeaders = ['cache-control', 'cdn-cache-control', 'surrogate-control'] as const

/**
 * The names of the headers by which caches would keep a failed reply as long as the reply that the handler meant to send: a client that
 * provokes an error would let a cache send this error to others. Headers that forbid caches to use a reply again are not among them.
 */
export function permissiveHeaders({ reply }: Exchange): readonly string[] {
  const permissive: string[] = cachingHeaders.filter((name) => {
    const value = reply.getHeader(name)
    return value !== undefined && !/\b(?:no-store|no-cache|private)\b/i.test(String(value))
  })
  if (Date.parse(String(reply.getHeader('expires'))) > Date.now()) permissive.push('expires')
  return permissive
}

/** The names of headers that an error may set although it is not shown to the client: they tell the client what to do, not what failed. */
const harmlessHeaders = ['retry-after', 'www-authenticate', 'allow']

/**
 * Sets the headers of an error on its reply, except headers that describe a body. If the error is not shown to the client, only harmless
 * headers are set: the error may come from another service, with cookies and host names of that service.
 */
function setErrorHeaders(error: unknown, exchange: Exchange): void {
  const { reply } = exchange
  const headers: unknown = readProperty(error, 'headers')
  if (headers === null || typeof headers !== 'object') return
  const isTrusted = error instanceof HttpError || isShown(error, exchange)
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    // RFC 9110 §15.5.17: in a 416, `content-range` states the length of what was asked for.
    const isOfBody = bodyHeaders.includes(key) && !(key === 'content-range' && reply.raw.statusCode === 416)
    if (!isOfBody && (isTrusted || harmlessHeaders.includes(key))) reply.header(key, value)
  }
}

/** Sets the status and the headers of a reply according to an error, and logs the error. */
export function prepareErrorReply(error: unknown, exchange: Exchange): void {
  const { request, reply, route } = exchange
  reply.code(errorStatus(error, exchange))
  // The status belongs to this error. If an onSend hook throws later, its error has a status of its own.
  if (route.conventions.holdsReplies) exchange.hasStatus = false
  setErrorHeaders(error, exchange)
  // The log has a line for the client that has left.
  if (!isAbortOfClient(error, exchange)) route.logs.defaultErrorLog(error, request, reply)
}

/** Whether an error only says that the client has left: code that got `request.signal` has stopped. */
export function isAbortOfClient(error: unknown, { abortController, reply }: Exchange): boolean {
  return abortController?.signal.aborted === true && isClientGone(reply.raw) && readProperty(error, 'name') === 'AbortError'
}

/** Returns the `Content-Type` of error replies in this format. */
export function errorContentType({ mediaType }: ErrorFormat): string {
  return `${mediaType}; charset=utf-8`
}

/**
 * Serializes the payload of the reply to an error, in the format of the route's context: with the schema of the error's class if the route
 * lists the class, else with the response schema of the status if the route has one for this format.
 */
export function serializeError(error: unknown, exchange: Exchange): string | Buffer {
  const { errorFormat, serializers, thrownErrors } = exchange.route
  const isVisible = isShown(error, exchange)
  try {
    const facts = readErrorFacts(error, exchange, isVisible)
    const listed = isVisible && error instanceof HttpError ? thrownErrors.serializerOf(error) : undefined
    if (listed !== undefined) return writeErrorPayload(listed, errorFormat.payload(facts), exchange)
    const serialize = errorFormat.takesAnySchema
      ? serializers?.find(facts.statusCode, errorFormat.mediaType)
      : serializers?.findInContent(facts.statusCode, errorFormat.mediaType)
    if (serialize === undefined) return JSON.stringify(errorFormat.payload(facts))
    // A schema that lists `path`, `detail` or `cause` would otherwise show these members of an error that is not shown.
    const plain = errorFormat.payload(facts)
    const payload = isVisible ? inheriting(error, errorFormat.members(facts)) : plain
    return writeOrReport(serialize, payload, plain, exchange) ?? JSON.stringify(plain)
  } catch (reason) {
    return serializeFailure(reason, error, exchange)
  }
}

/**
 * Reads the facts of an error that a client gets. An error that is not shown to the client has the status text as its message, and a code
 * only if the code is one of the framework. A validation error has no code, unless the conventions of the server give it another one.
 */
function readErrorFacts(error: unknown, { request, reply, route }: Exchange, isVisible: boolean): ErrorFacts {
  const statusCode = reply.raw.statusCode
  const message: unknown = isVisible ? readProperty(error, 'message') : statusText(statusCode)
  const ownCode: unknown = readProperty(error, 'code')
  const code = ownCode === 'ALC_ERR_VALIDATION' || (!isVisible && !String(ownCode).startsWith('ALC_ERR_')) ? undefined : ownCode
  const facts = { statusCode, message, code, instance: () => requestedPath(request) }
  if (!isVisible) return facts
  if (error instanceof HttpError) return { ...facts, type: error.type, title: error.title, extensions: error.extensions }
  return { ...facts, issues: validationIssues(error, route.conventions.describeDetail) }
}

/**
 * Returns the path that was requested, as a URI reference (RFC 3986 §4.1). The query string is left out: it may hold values that must not
 * be kept in the logs of a client.
 */
export function requestedPath({ originalUrl }: { readonly originalUrl: string }): string {
  const path = originalUrl.replace(/[?#].*/s, '')
  // Node accepts any byte above 32, and has one character for each.
  const encoded = path.replaceAll(
    /[^\w.~!$&'()*+,;=:@/%-]/g,
    (byte) => `%${(byte.charCodeAt(0) & 255).toString(16).padStart(2, '0').toUpperCase()}`,
  )
  // `//name` would be the name of a host.
  return encoded.startsWith('//') ? `/.${encoded}` : encoded
}

/**
 * Makes an object that has some members and inherits the others from an error, so that a schema can list any property of the error. The
 * error must be one that is shown to the client.
 */
function inheriting(error: unknown, members: object): object {
  return Object.create(typeof error === 'object' ? error : null, Object.getOwnPropertyDescriptors(members))
}

/**
 * Reports an error whose class the route does not list in `throws`, although it is a class for `throws`: to the log once, to a test each
 * time.
 */
export function reportUnlistedError(error: HttpError, { reply, route }: Exchange): void {
  const { thrownErrors, state } = route
  const Class = thrownErrors.unlistedClassOf(error)
  if (Class === undefined) return
  const fault = new errorCodes.ALC_ERR_ERROR_UNLISTED(thrownErrors.place!, Class.name, Class.status)
  if (thrownErrors.noteFirst(Class)) reply.log.warn(fault.message)
  state.replyWatcher?.noteFault(reply.raw, fault)
}

/**
 * Serializes an error by the response schema of its status. If the error lacks a member that the schema requires, or fits no alternative of
 * the schema, reports this and returns `undefined`: the reply then keeps its status, which tells the client more than a 500 would.
 * @param plain the payload that the error has without a schema
 */
function writeOrReport(serialize: SerializeFunction, payload: object, plain: object, exchange: Exchange): string | Buffer | undefined {
  try {
    return writeErrorPayload(serialize, payload, exchange)
  } catch (reason) {
    const { route, reply } = exchange
    const { thrownErrors, state, conventions } = route
    const member = missingMember(reason)
    const isKept = member !== undefined || fitsNoAlternative(reason)
    if (!isKept || !conventions.holdsReplies || route.serializers!.refusesUndeclared) throw reason
    // An alternative may forbid the further members that are read of the error.
    if (member === undefined && payload !== plain) return writeOrReport(serialize, plain, plain, exchange)
    const status = reply.raw.statusCode
    const fault = new errorCodes.ALC_ERR_ERROR_LACKS_MEMBER(routePlace(exchange), status, member)
    if (thrownErrors.noteFirst(`${status} ${member ?? ''}`)) reply.log.warn(fault.message)
    state.replyWatcher?.noteFault(reply.raw, fault)
    return undefined
  }
}

function writeErrorPayload(serialize: SerializeFunction, payload: object, exchange: Exchange): string | Buffer {
  try {
    return asPayload(serialize(payload))
  } catch (reason) {
    nameUnserializable(reason, serialize, payload, exchange.reply.raw.statusCode, routePlace(exchange))
    throw reason
  }
}

/** Returns the result of a serializer, if it is text or bytes. @throws ALC_ERR_REP_INVALID_PAYLOAD_TYPE if it is anything else */
function asPayload(text: unknown): string | Buffer {
  if (typeof text === 'string' || Buffer.isBuffer(text)) return text
  ignoreRejection(text)
  throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof text)
}

/** Makes the payload of a 500 reply for an error whose serializer has failed. Sets the status and logs the failure. */
function serializeFailure(reason: unknown, error: unknown, { request, reply, route }: Exchange): string {
  route.logs.serializerError(reason, request, reply, { statusCode: reply.raw.statusCode })
  reply.code(500)
  const failure =
    reason instanceof errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE
      ? reason
      : new errorCodes.ALC_ERR_FAILED_ERROR_SERIALIZATION(String(readProperty(reason, 'message')), String(readProperty(error, 'message')))
  const { conventions, errorFormat, exposesErrors } = route
  const code: unknown = readProperty(conventions.presentError(failure), 'code')
  const message = exposesErrors ? failure.message : statusText(500)
  return JSON.stringify(errorFormat.payload({ statusCode: 500, message, code, instance: () => requestedPath(request) }))
}
