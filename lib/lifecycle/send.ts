/**
 * Sends a payload: runs the preSerialization hooks, the serializer and the onSend hooks, and writes the result. Every reply passes through
 * here.
 */
import { Readable } from 'node:stream'
import { errorCodes } from '../errors/codes.js'
import { isJsonType, readMediaType } from '../http/media-type.js'
import { findLostContents, isObservable, isResponse, isStream, isWebStream, markAsSent } from '../http/payload.js'
import { nameUnserializable } from '../schema/fast-json.js'
import { takeBeforeHead } from './ending/outcome.js'
import { beginWork, endWork } from './ending/pending-work.js'
import { awaitSource, endSource } from './ending/sources.js'
import { type Exchange, ReplyState, replyState, routePlace } from './exchange.js'
import { sendError } from './failing/send-error.js'
import { runPayloadHooks } from './run-hooks.js'
import { openStream } from './streams/open-stream.js'
import { settleStatus, takeResponse, transmit } from './transmit.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const BINARY_TYPE = 'application/octet-stream'

/** Sends a payload or an error. Never throws: any failure becomes an error reply. */
export function sendPayload(exchange: Exchange, payload: unknown): void {
  try {
    if (payload instanceof Error) sendError(exchange, payload)
    else sendValue(exchange, payload)
  } catch (error) {
    endSource(exchange, payload)
    sendError(exchange, error)
  }
}

/** Sends a payload that is not an Error. @throws any failure before the payload is serialized */
export function sendValue(exchange: Exchange, payload: any): void {
  const { reply, route, headers } = exchange
  const { streams } = route
  if (streams !== null && typeof payload?.then !== 'function') {
    const stream = streams.findStream(reply.raw.statusCode)
    if (stream !== undefined) return sendSerialized(exchange, openStream(exchange, stream, payload))
  }
  if (payload === undefined) return sendSerialized(exchange, payload)
  if (isSource(payload)) {
    if (isStream(payload) && isObservable(payload)) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('Observable', 'Await its values')
    markAsSent(payload)
    if (route.bytes !== null && reply.getHeader('content-type') === undefined) setTypeOfBytes(exchange)
    return sendSerialized(exchange, payload)
  }
  if (typeof payload?.then === 'function') return sendPromise(exchange, payload)
  const contentType: unknown = reply.getHeader('content-type')

  if (ArrayBuffer.isView(payload)) {
    if (contentType === undefined) headers['content-type'] = BINARY_TYPE
    return sendSerialized(
      exchange,
      Buffer.isBuffer(payload) ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength),
    )
  }
  if (typeof payload === 'string') {
    if (contentType === undefined) {
      headers['content-type'] = TEXT_TYPE
      if (route.bytes !== null) setTypeOfBytes(exchange)
    } else if (exchange.serializer !== null) return sendSerialized(exchange, exchange.serializer(payload))
    else if (isJsonContentType(contentType)) headers['content-type'] = withCharset(contentType)
    return sendSerialized(exchange, payload)
  }
  if (exchange.serializer === null) {
    if (contentType === undefined) headers['content-type'] = JSON_TYPE
    else if (isJsonContentType(contentType)) headers['content-type'] = withCharset(contentType)
    else if (!isDeclared(exchange, contentType)) return sendSerialized(exchange, payload)
  }
  const { preSerialization } = route
  if (preSerialization === null || payload === null) return sendSerialized(exchange, serializePayload(exchange, payload))
  runPayloadHooks(preSerialization, exchange, payload, onPreSerialized)
}

/** Sets the media type `application/octet-stream`, if the response schema for this status describes bytes. */
function setTypeOfBytes({ route, reply, headers }: Exchange): void {
  if (route.bytes!.isOfBytes(reply.raw.statusCode)) headers['content-type'] = BINARY_TYPE
}

/** Sends the value of a promise that the application passed to `send`. */
function sendPromise(exchange: Exchange, promise: PromiseLike<unknown>): void {
  // The reply is thenable: it would wait for itself.
  if ((promise as unknown) === exchange.reply) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE('reply')
  beginWork(exchange)
  promise.then(
    (payload) => {
      sendPayload(exchange, payload)
      endWork(exchange)
    },
    (error: unknown) => {
      sendError(exchange, error)
      endWork(exchange)
    },
  )
}

function onPreSerialized(error: unknown, exchange: Exchange, payload: unknown): void {
  if (error != null) return sendError(exchange, error)
  // An error fails the reply here too, as one that a handler returns. Its schema may have a `message`, which would reach the client.
  if (payload instanceof Error) return sendError(exchange, payload)
  try {
    sendSerialized(exchange, serializePayload(exchange, payload))
  } catch (failure) {
    sendError(exchange, failure)
  }
}

function serializePayload(exchange: Exchange, payload: unknown): unknown {
  try {
    const text: unknown = exchange.reply.serialize(payload)
    // JSON has no text for a function or a symbol.
    if (text === undefined) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof payload)
    const lost = mayLackContents(text) ? findLostContents(payload) : undefined
    if (lost !== undefined) throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(...lost)
    return text
  } catch (error) {
    // Tells error handlers that the reply failed, not the request. Not every thrown value can be extended.
    if (error instanceof Error && Object.isExtensible(error))
      (error as { serialization?: unknown }).serialization = exchange.route.info.config
    nameResponse(error, exchange, payload)
    // The status was chosen for the payload, which is not sent.
    if (exchange.route.conventions.holdsReplies) exchange.hasStatus = false
    throw error
  }
}

/** Whether a text may be that of a value which JSON does not know: `{}`, or `"[object Blob]"` by the schema of a string. */
function mayLackContents(text: unknown): boolean {
  return text === '{}' || (typeof text === 'string' && text.length < 40 && text.startsWith('"[object '))
}

function nameResponse(error: unknown, exchange: Exchange, payload: unknown): void {
  const { statusCode } = exchange.reply.raw
  const serialize = exchange.route.serializers?.find(statusCode, exchange.headers['content-type'])
  if (serialize !== undefined) nameUnserializable(error, serialize, payload, statusCode, routePlace(exchange))
}

function isJsonContentType(contentType: unknown): contentType is string {
  const type = readMediaType(contentType)
  return type !== undefined && isJsonType(type)
}

/** Whether the route's response for this status has a `content` map with a schema for a media type. */
function isDeclared({ reply, route }: Exchange, contentType: unknown): boolean {
  return route.serializers?.findInContent(reply.raw.statusCode, contentType as string) !== undefined
}

function withCharset(contentType: string): string {
  if (contentType.includes('charset')) return contentType
  const type = contentType.trim()
  return type.endsWith(';') ? `${type} charset=utf-8` : `${type}; charset=utf-8`
}

/** Sends a payload that is serialized, or needs no serializer: runs the onSend hooks and writes the payload. */
export function sendSerialized(exchange: Exchange, payload: unknown): void {
  const { onSend } = exchange.route
  if (onSend === null) return deliver(exchange, payload)
  // A hook may send another stream, which reads from the payload.
  if (payload instanceof Readable) awaitSource(exchange, payload)
  const end = isSource(payload) ? endReplacedSource(payload) : onSendHooksRun
  runPayloadHooks(onSend, exchange, payload, end)
}

/** Returns {@link onSendHooksRun} for a payload that is a source: it is destroyed if the hooks replace it by a payload that cannot read from it. */
function endReplacedSource(source: unknown): typeof onSendHooksRun {
  return (error, exchange, payload) => {
    if (payload !== source && (error != null || !isSource(payload))) endSource(exchange, source)
    onSendHooksRun(error, exchange, payload)
  }
}

function isSource(payload: any): boolean {
  return payload !== null && typeof payload === 'object' && (isStream(payload) || isWebStream(payload) || isResponse(payload))
}

function onSendHooksRun(error: unknown, exchange: Exchange, payload: unknown): void {
  try {
    if (error != null) throw error
    deliver(exchange, payload)
  } catch (failure) {
    endSource(exchange, payload)
    sendError(exchange, failure)
  }
}

/** Writes a payload, after the function of `setBeforeHead`, if there is one: the request scope ends before the client gets the reply. */
function deliver(exchange: Exchange, payload: unknown): void {
  if (exchange.beforeHead === undefined) return transmit(exchange, payload)
  // The status tells how the request ends, and a reply that cannot have its status has failed.
  if (replyState(exchange) < ReplyState.Hijacked) {
    if (isResponse(payload)) payload = takeResponse(exchange, payload)
    settleStatus(exchange.reply.raw)
  }
  const endFirst = takeBeforeHead(exchange)
  if (endFirst === undefined) return transmit(exchange, payload)
  if (payload instanceof Readable) awaitSource(exchange, payload)
  beginWork(exchange)
  const proceed = (error?: unknown): void => {
    onSendHooksRun(error, exchange, payload)
    endWork(exchange)
  }
  endFirst().then(
    () => proceed(),
    (error: unknown) => proceed(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()),
  )
}
