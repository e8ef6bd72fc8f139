/**
 * What happens when something fails: the default error handler, the payload that a client gets, and the default answer
 * where nothing was found.
 */
import { STATUS_CODES } from 'node:http'
import { types } from 'node:util'
import type { Reply } from '../types/reply.js'
import type { Request } from '../types/request.js'
import type { RouteHandler } from '../types/route.js'
import { errorCodes } from '../errors.js'
import { kHasStatus, kRoute } from '../util/symbols.js'
import { ignoreRejection } from '../util/promises.js'
import type { CompiledRoute } from '../route/compiled-route.js'

/** Reads a property of whatever was thrown: of `null`, and where a getter throws, it reads as undefined. */
function read(error: unknown, key: string): any {
  try {
    return (error as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

/** Errors of other realms (a `vm` context) count too. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown)
}

/** Whether a client may see what failed: always its own faults, the server's only where error or server say so (design decision 7). */
export function isShown(error: unknown, reply: Reply): boolean {
  const route = (reply as unknown as { [kRoute]: CompiledRoute })[kRoute]
  const expose = read(error, 'expose')
  return expose === true || route.exposesErrors || (reply.raw.statusCode < 500 && expose !== false)
}

function asErrorStatus(status: unknown): number | undefined {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599 ? (status as number) : undefined
}

/** The status of an error's reply: the error's own, else one ≥ 400 chosen before, else 500. */
function errorStatus(error: unknown, reply: Reply): number {
  const chosen = (reply as unknown as { [kHasStatus]: boolean })[kHasStatus] ? asErrorStatus(reply.raw.statusCode) : undefined
  return asErrorStatus(read(error, 'status')) ?? asErrorStatus(read(error, 'statusCode')) ?? chosen ?? 500
}

/**
 * The handler at the end of every chain: sets status and headers from the error and logs it, server faults as errors.
 * The payload follows from {@link errorPayload}.
 */
export function prepareErrorReply(error: unknown, request: Request, reply: Reply): void {
  const headers: unknown = read(error, 'headers')
  if (headers !== null && typeof headers === 'object') reply.headers(headers)
  const status = errorStatus(error, reply)
  reply.code(status)
  const message = read(error, 'message')
  const text = typeof message === 'string' ? message : String(status)
  if (status < 500) reply.log.info({ res: reply, err: error }, text)
  else reply.log.error({ req: request, res: reply, err: error }, text)
}

/** What tells of the inside beside the message. */
const hidden = { stack: {}, cause: {}, errors: {} }

/**
 * The payload of an error's reply: `{ statusCode, code?, error, message }`, through the response schema of the status if
 * the route has one. A server fault shows only its status text, unless the error or the server says otherwise
 * (design decision 7); a validation error has no code (decision 3).
 */
export function errorPayload(error: unknown, reply: Reply): string | Buffer {
  const route = (reply as unknown as { [kRoute]: CompiledRoute })[kRoute]
  const statusCode = reply.raw.statusCode
  const phrase = STATUS_CODES[statusCode] ?? 'Error'
  const isVisible = isShown(error, reply)
  const message: unknown = isVisible ? read(error, 'message') : phrase
  const ownCode: unknown = read(error, 'code')
  const code = ownCode === 'ALC_ERR_VALIDATION' || (!isVisible && !String(ownCode).startsWith('ALC_ERR_')) ? undefined : ownCode
  try {
    const serialize = route.serializers?.find(statusCode, 'application/json')
    if (serialize === undefined) return JSON.stringify({ statusCode, code, error: phrase, message })
    const base = typeof error === 'object' ? error : null
    const values = Object.create(base, {
      error: { value: phrase, enumerable: true },
      message: { value: message, enumerable: true },
      statusCode: { value: statusCode, enumerable: true },
      // A schema may list them, and the error is what they are read from.
      ...(isVisible ? undefined : hidden),
    })
    const text: unknown = serialize(values)
    if (typeof text === 'string' || Buffer.isBuffer(text)) return text
    ignoreRejection(text)
    throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof text)
  } catch (reason) {
    reply.log.error({ err: reason, statusCode: reply.raw.statusCode }, 'The serializer for the given status code failed')
    reply.code(500)
    const failure =
      reason instanceof errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE
        ? reason
        : new errorCodes.ALC_ERR_FAILED_ERROR_SERIALIZATION(String(read(reason, 'message')), String(read(error, 'message')))
    return JSON.stringify({
      statusCode: 500,
      code: failure.code,
      error: STATUS_CODES[500],
      message: route.exposesErrors ? failure.message : STATUS_CODES[500],
    })
  }
}

/** The default not-found handler. */
export const replyNotFound: RouteHandler<any> = function replyNotFound(request, reply) {
  const message = `Route ${request.raw.method}:${request.raw.url} not found`
  request.log.info(message)
  reply.code(404).send({ message, error: 'Not Found', statusCode: 404 })
}
