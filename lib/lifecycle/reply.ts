/** The class of the replies that hooks and handlers get. Sending itself is done by send.ts. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { type AnyRequest, readDecorator } from '../context/decorators.js'
import { errorCodes } from '../errors/codes.js'
import { readMediaType } from '../http/media-type.js'
import { isHeadSent, writeEarlyHints } from '../http/response.js'
import type { SerializeFunction } from '../types/compilers.js'
import type { Logger } from '../types/logger.js'
import type { ReplyDecorations } from '../types/decorations.js'
import type { ReplyMembers, TrailerFunction } from '../types/reply.js'
import type { RouteInfo } from '../types/request.js'
import type { Server } from '../types/server.js'
import { validateHeaderName } from '../util/node/modules.js'
import { assertNotPromise, ignoreIfPromise, isPromiseLike } from '../util/promises.js'
import { kExchange } from '../util/symbols.js'
import { expectReply, noteLateReply, noteReply } from './ending/pending-work.js'
import { endUnlessSent } from './ending/sources.js'
import { type Exchange, meetDeadline, ReplyState, replyState } from './exchange.js'
import { dropUnreadBody } from './ending/unread-body.js'
import { callNotFound } from './run-request.js'
import { sendPayload } from './send.js'

/**
 * Names that no trailer may have (RFC 9110 §6.5.1): fields that are needed before the body, and fields that describe the connection (HTTP/2
 * never sends the latter).
 */
const FORBIDDEN_TRAILERS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'http2-settings',
  'transfer-encoding',
  'content-length',
  'host',
  'cache-control',
  'max-forwards',
  'te',
  'authorization',
  'set-cookie',
  'content-encoding',
  'content-type',
  'content-range',
  'trailer',
])

/** The names of the properties that each reply object itself has. No decorator may have one of these names. */
export const replyFields = ['raw', 'request', 'log'] as const

// The application adds these members by its decorators, so the compiler cannot see them here.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Reply extends ReplyDecorations {}

export class Reply implements ReplyMembers<any, any> {
  raw: ServerResponse
  request: AnyRequest
  log: Logger
  readonly [kExchange]: Exchange

  constructor(raw: ServerResponse, request: AnyRequest, log: Logger, exchange: Exchange) {
    this.raw = raw
    this.request = request
    this.log = log
    this[kExchange] = exchange
  }

  get server(): Server {
    return this[kExchange].route.instance
  }
  get routeOptions(): RouteInfo {
    return this[kExchange].route.info
  }
  get sent(): boolean {
    return replyState(this[kExchange]) >= ReplyState.Sending
  }
  get elapsedTime(): number {
    const { startTime, endTime } = this[kExchange]
    return (endTime ?? performance.now()) - startTime
  }
  get statusCode(): number {
    return this.raw.statusCode
  }
  set statusCode(status: number) {
    this.code(status)
  }

  code(status: number | string): this {
    const value = Math.trunc(Number(status))
    // RFC 9110 §15.2: a 1xx is not the status of a final response.
    if (!(value >= 200 && value <= 599)) {
      ignoreIfPromise(status)
      throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status)
    }
    this.raw.statusCode = value
    this[kExchange].hasStatus = true
    return this
  }
  declare status: (status: number | string) => this

  header(name: string, value: any = ''): this {
    const key = name.toLowerCase()
    const headers = this[kExchange].headers
    if (typeof value === 'object') assertNotPromise(value, `the header ${key}`)
    if (key === 'set-cookie') {
      // RFC 9110 §5.3: `set-cookie` is the one field whose values are not joined. The array is always a new one, not the caller's.
      headers[key] = headers[key] === undefined ? (Array.isArray(value) ? [...value] : value) : [headers[key], value].flat()
    } else headers[key] = value
    return this
  }

  headers(values: object): this {
    for (const [name, value] of Object.entries(values)) this.header(name, value)
    return this
  }

  getHeader(name: string): any {
    const key = name.toLowerCase()
    return this[kExchange].headers[key] ?? this.raw.getHeader(key)
  }

  getHeaders(): OutgoingHttpHeaders {
    return { ...this.raw.getHeaders(), ...this[kExchange].headers }
  }

  hasHeader(name: string): boolean {
    const key = name.toLowerCase()
    return this[kExchange].headers[key] !== undefined || this.raw.hasHeader(key)
  }

  removeHeader(name: string): this {
    delete this[kExchange].headers[name.toLowerCase()]
    return this
  }

  type(contentType: string): this {
    if (typeof contentType === 'object') assertNotPromise(contentType, 'the header content-type')
    this[kExchange].headers['content-type'] = contentType
    return this
  }

  get mediaType(): string | undefined {
    return readMediaType(this.getHeader('content-type'))
  }

  writeEarlyHints(hints: Record<string, string | string[]>, onSent?: () => void): this {
    if (isHeadSent(this.raw)) warnOfSecondReply(this)
    else writeEarlyHints(this.raw, hints, onSent && (() => callWhenSent(onSent, this.log)))
    return this
  }

  redirect(target: string | number, other?: string | number): this {
    const [url, code] = typeof target === 'number' ? [other as string, target] : [target, other as number | undefined]
    return this.header('location', url)
      .code(code ?? (this[kExchange].hasStatus ? this.raw.statusCode : 302))
      .send()
  }

  trailer(name: string, compute: TrailerFunction): this {
    const key = name.toLowerCase()
    if (FORBIDDEN_TRAILERS.has(key)) throw new errorCodes.ALC_ERR_BAD_TRAILER_NAME(key)
    validateHeaderName(key)
    if (typeof compute !== 'function') throw new errorCodes.ALC_ERR_BAD_TRAILER_VALUE(key, typeof compute)
    const exchange = this[kExchange]
    ;(exchange.trailers ??= new Map()).set(key, compute)
    return this
  }
  hasTrailer(name: string): boolean {
    return this[kExchange].trailers?.has(name.toLowerCase()) ?? false
  }
  removeTrailer(name: string): this {
    this[kExchange].trailers?.delete(name.toLowerCase())
    return this
  }

  serializer(serialize: (payload: any) => string | Buffer): this {
    this[kExchange].serializer = serialize
    return this
  }

  serialize(payload: unknown): string | Buffer {
    const { serializer, route, headers } = this[kExchange]
    if (serializer !== null) return serializer(payload)
    if (route.replySerializer !== undefined) return route.replySerializer(payload, this.raw.statusCode)
    const serialize = route.serializers?.find(this.raw.statusCode, headers['content-type'])
    if (serialize !== undefined) return serialize(payload)
    route.serializers?.checkUndeclared(this.raw.statusCode, headers['content-type'])
    return JSON.stringify(payload)
  }

  getSerializationFunction(target: object | string | number, contentType?: string): SerializeFunction | undefined {
    const { serializers, compiledOutputs } = this[kExchange].route
    if (typeof target === 'object') return compiledOutputs.get(target)
    return serializers?.declared(String(target), contentType)
  }

  compileSerializationSchema(schema: object, httpStatus: string | null = null, contentType: string | null = null): SerializeFunction {
    const { compiledOutputs, serializerCompiler } = this[kExchange].route
    let serialize = compiledOutputs.get(schema)
    if (serialize === undefined) {
      serialize = serializerCompiler()({
        schema,
        method: this.request.method,
        url: this.request.url,
        httpStatus: httpStatus!,
        contentType: contentType!,
      })
      compiledOutputs.set(schema, serialize)
    }
    return serialize
  }

  /** Serializes a value: `serializeInput(value, schema, status?, contentType?)` or `serializeInput(value, status, contentType?)`. */
  serializeInput(input: unknown, target: object | string | number, status?: string | null, contentType?: string | null): string {
    if (typeof target === 'object') return this.compileSerializationSchema(target, status, contentType)(input)
    const type = status ?? undefined
    const serialize = this[kExchange].route.serializers?.declared(String(target), type)
    if (serialize !== undefined) return serialize(input)
    if (type) throw new errorCodes.ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN(String(target), type)
    throw new errorCodes.ALC_ERR_MISSING_SERIALIZATION_FN(String(target))
  }

  hijack(): this {
    const exchange = this[kExchange]
    exchange.state = ReplyState.Hijacked
    meetDeadline(exchange)
    noteReply(exchange)
    dropUnreadBody(exchange)
    return this
  }

  callNotFound(): this {
    callNotFound(this[kExchange])
    return this
  }

  send(payload?: unknown): this {
    const exchange = this[kExchange]
    if (exchange.state === ReplyState.RunningErrorHooks) throw new errorCodes.ALC_ERR_SEND_INSIDE_ONERR()
    if (replyState(exchange) >= ReplyState.Sending) {
      warnOfSecondReply(this)
      noteLateReply(exchange)
      endUnlessSent(exchange, payload)
      return this
    }
    exchange.state = ReplyState.Sending
    noteReply(exchange)
    sendPayload(exchange, payload)
    return this
  }

  getDecorator(name: string | symbol): any {
    return readDecorator(this, name, 'reply')
  }

  /** Lets `await reply` (and `return reply` in an async handler) wait until the response is sent. */
  // Node passes only `onError` if a listener of an EventTarget returns the reply: `signal.addEventListener('abort', () => reply.send())`.
  then(onSent?: ((value: undefined) => void) | null, onError?: ((error: Error) => void) | null): void {
    if (this.raw.writableEnded) return onSent?.(undefined)
    // `return reply.code(204)` in a class: nothing else sends the reply.
    if (!this.sent && [204, 205, 304].includes(this.statusCode) && this[kExchange].route.endsReturnedReply) this.send()
    // A handler that returns the reply will send it later, even if the client leaves first.
    expectReply(this[kExchange])
    finished(this.raw, (error) => {
      // The client left. The handler can do nothing about it.
      if (error == null || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return onSent?.(undefined)
      if (onError) onError(error)
      else this.log.warn({ err: error }, 'the response ended with an error while it was awaited')
    })
  }
}

/** Calls the callback of `writeEarlyHints`. This happens in an event of Node, where an error would end the process. */
function callWhenSent(onSent: () => unknown, log: Logger): void {
  const logFailure = (error: unknown): void => log.error({ err: error }, 'the callback of writeEarlyHints failed')
  try {
    const result = onSent()
    if (isPromiseLike(result)) result.then(undefined, logFailure)
  } catch (error) {
    logFailure(error)
  }
}

function warnOfSecondReply({ request, log, [kExchange]: { route } }: Reply): void {
  const handlerOfClass = route.endsReturnedReply ? route.thrownErrors.place : undefined
  const error = new errorCodes.ALC_ERR_REP_ALREADY_SENT(request.url, request.method, handlerOfClass)
  log.warn({ err: route.conventions.presentError(error) })
}

Reply.prototype.status = Reply.prototype.code
