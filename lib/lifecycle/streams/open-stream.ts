/** Makes the body of a reply whose response schema is `stream(…)`. */
import { errorCodes } from '../../errors/codes.js'
import { whenOver } from '../../http/connection.js'
import { addVary } from '../../http/headers.js'
import { isObservable, isResponse, isStream, markAsSent } from '../../http/payload.js'
import type { StreamSerializer } from '../../schema/serialize-response.js'
import type { Reply } from '../../types/reply.js'
import { keepAsyncContext } from '../async-context.js'
import { describeRequest, type Exchange } from '../exchange.js'
import { chooseFormat, streamMediaTypes } from './formats.js'
import { StreamBody } from './stream-body.js'

/**
 * Makes the body of a reply, which sends the items of a payload one by one, in the format that the client prefers.
 * @throws ALC_ERR_REP_NOT_A_STREAM, ALC_ERR_REP_NOT_ACCEPTABLE
 */
export function openStream(exchange: Exchange, serializer: StreamSerializer, payload: unknown): StreamBody {
  const { request, reply } = exchange
  if (!isSource(payload))
    throw new errorCodes.ALC_ERR_REP_NOT_A_STREAM(describeRequest(exchange), reply.raw.statusCode, describePayload(payload))
  // Also if no format is acceptable: a cache must not keep that refusal for clients with another `Accept`.
  addVary(reply, 'Accept')
  const format = chooseFormat(request.raw.headers.accept)
  if (format === undefined) throw new errorCodes.ALC_ERR_REP_NOT_ACCEPTABLE(streamMediaTypes.join(', '))
  markAsSent(payload)
  setHeaders(reply, format.mediaType)
  // The items are made in the async context in which the handler has returned.
  keepAsyncContext(exchange)
  const body = new StreamBody(exchange, payload, serializer, format)
  // Once the body is sent, the reply listens to it. Until then, and if a hook sends another body, nothing else listens.
  body.on('error', () => {})
  whenOver(reply.raw, () => body.destroy())
  if (exchange.route.state.draining) body.shutDown()
  return body
}

/** Whether a payload is an iterable whose items can be requested one by one. */
function isSource(payload: unknown): payload is AsyncIterable<unknown> {
  if (payload === null || typeof payload !== 'object') return false
  if (isStream(payload) && !payload.readableObjectMode) return false
  return typeof (payload as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
}

/** Returns the name of a payload for a message, such as `a list`. */
function describePayload(payload: any): string {
  if (payload === undefined) return 'nothing'
  if (payload === null || typeof payload !== 'object') return payload === null ? 'null' : `a ${typeof payload}`
  if (isResponse(payload)) return 'a Response'
  if (isStream(payload)) return isObservable(payload) ? 'an Observable' : 'a stream of bytes'
  return Array.isArray(payload) ? 'a list' : ArrayBuffer.isView(payload) ? 'bytes' : 'an object'
}

function setHeaders(reply: Reply, mediaType: string): void {
  reply.header('content-type', mediaType)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  // nginx would collect a part of the response before it passes anything on.
  if (!reply.hasHeader('x-accel-buffering')) reply.header('x-accel-buffering', 'no')
}
