/** Sends a payload: preSerialization hooks, the serializer, onSend hooks, the wire. Every reply passes through here. */
import { Readable } from 'node:stream'
import { errorCodes } from '../errors/codes.js'
import { isGenerator, isObservable, isResponse, isStream, isWebStream, markAsSent } from '../http/payload.js'
import { nameUnserializable } from '../schema/fast-json.js'
import { kReplyHeaders, kRoute, kSerializer } from '../util/symbols.js'
import { runPayloadHooks } from './run-hooks.js'
import { beginRun, endRun } from './ending/running.js'
import { awaitSource, endSource } from './ending/sources.js'
import { JSON_TYPE, sendError } from './send-error.js'
import { type InternalReply, type InternalRequest, placeOf } from './state.js'
import { openStream } from './streams/open-stream.js'
import { transmit } from './transmit.js'

const TEXT_TYPE = 'text/plain; charset=utf-8'
const BINARY_TYPE = 'application/octet-stream'

/** Sends a payload or an error. Never throws: any failure becomes an error reply. */
export function sendPayload(reply: InternalReply, payload: unknown): void {
  try {
    if (payload instanceof Error) sendError(reply, payload)
    else sendValue(reply, payload)
  } catch (error) {
    endSource(reply.request, payload)
    sendError(reply, error)
  }
}

/** Sends a payload that is not an Error. @throws any failure before the payload is serialized */
export function sendValue(reply: InternalReply, payload: any): void {
  const { streams } = reply[kRoute]
  if (streams !== null && typeof payload?.then !== 'function') {
    const stream = streams.findStream(reply.raw.statusCode)
    if (stream !== undefined) return sendSerialized(reply, openStream(reply, stream, payload))
  }
  if (payload === undefined) return sendSerialized(reply, payload)
  if (payload !== null && typeof payload === 'object' && (isStream(payload) || isWebStream(payload) || isResponse(payload))) {
    if (isStream(payload) && isObservable(payload)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('Observable', 'Await its values')
    markAsSent(payload)
    return sendSerialized(reply, payload)
  }
  if (typeof payload?.then === 'function') return sendPromise(reply, payload)
  const headers = reply[kReplyHeaders]
  const contentType: unknown = reply.getHeader('content-type')

  if (ArrayBuffer.isView(payload)) {
    if (contentType === undefined) headers['content-type'] = BINARY_TYPE
    return sendSerialized(reply, Buffer.isBuffer(payload) ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength))
  }
  if (typeof payload === 'string') {
    if (contentType === undefined) headers['content-type'] = TEXT_TYPE
    else if (reply[kSerializer] !== null) return sendSerialized(reply, reply[kSerializer](payload))
    else if (isJsonType(contentType)) headers['content-type'] = withCharset(contentType)
    return sendSerialized(reply, payload)
  }
  if (reply[kSerializer] === null) {
    if (contentType === undefined) headers['content-type'] = JSON_TYPE
    else if (isJsonType(contentType)) headers['content-type'] = withCharset(contentType)
    else if (!isDeclared(reply, contentType)) return sendSerialized(reply, payload)
  }
  const { preSerialization } = reply[kRoute]
  if (preSerialization === null || payload === null) return sendSerialized(reply, serialize(reply, payload))
  runPayloadHooks(preSerialization, reply.request, reply, payload, onPreSerialized)
}

/** Sends the value of a promise that the application passed to `send`. */
function sendPromise(reply: InternalReply, promise: PromiseLike<unknown>): void {
  // The reply is thenable: it would wait for itself.
  if ((promise as unknown) === reply) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('reply')
  const { request } = reply
  beginRun(request)
  promise.then(
    (payload) => {
      sendPayload(reply, payload)
      endRun(request)
    },
    (error: unknown) => {
      sendError(reply, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
      endRun(request)
    },
  )
}

function onPreSerialized(error: unknown, _request: InternalRequest, reply: InternalReply, payload: unknown): void {
  if (error != null) return sendError(reply, error)
  try {
    sendSerialized(reply, serialize(reply, payload))
  } catch (failure) {
    sendError(reply, failure)
  }
}

function serialize(reply: InternalReply, payload: unknown): unknown {
  try {
    const text: unknown = reply.serialize(payload)
    // JSON has no text for a function or a symbol.
    if (text === undefined) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
    // A generator has no properties, so it would be sent as an empty object.
    if (text === '{}' && isGenerator(payload))
      throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('generator', 'Send Readable.from(generator), or a list of its values')
    return text
  } catch (error) {
    // Tells error handlers that the reply failed, not the request. Not every thrown value can be extended.
    if (error instanceof Error && Object.isExtensible(error)) (error as { serialization?: unknown }).serialization = reply[kRoute].config
    nameResponse(error, reply, payload)
    throw error
  }
}

function nameResponse(error: unknown, reply: InternalReply, payload: unknown): void {
  const { statusCode } = reply.raw
  const serialize = reply[kRoute].serializers?.find(statusCode, reply[kReplyHeaders]['content-type'])
  if (serialize !== undefined) nameUnserializable(error, serialize, payload, statusCode, placeOf(reply.request))
}

function isJsonType(contentType: unknown): contentType is string {
  return typeof contentType === 'string' && contentType.toLowerCase().includes('json')
}

/** Whether a `content` map of the route's response has a schema for this media type. */
function isDeclared(reply: InternalReply, contentType: unknown): boolean {
  return reply[kRoute].serializers?.hasMediaType(reply.raw.statusCode, contentType as string) ?? false
}

function withCharset(contentType: string): string {
  if (contentType.includes('charset')) return contentType
  const type = contentType.trim()
  return type.endsWith(';') ? `${type} charset=utf-8` : `${type}; charset=utf-8`
}

/** Sends a payload that needs no serializer any more: runs the onSend hooks and writes it. */
export function sendSerialized(reply: InternalReply, payload: unknown): void {
  const { onSend } = reply[kRoute]
  if (onSend === null) return transmit(reply, payload)
  // A hook may send another stream, which reads from this one.
  if (payload instanceof Readable) awaitSource(reply.request, payload)
  runPayloadHooks(onSend, reply.request, reply, payload, onSendHooksRun)
}

function onSendHooksRun(error: unknown, _request: InternalRequest, reply: InternalReply, payload: unknown): void {
  try {
    if (error != null) throw error
    transmit(reply, payload)
  } catch (failure) {
    endSource(reply.request, payload)
    sendError(reply, failure)
  }
}
