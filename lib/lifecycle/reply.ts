/** The class of the replies that hooks and handlers get. Sending itself is done by send.ts. */
import { type OutgoingHttpHeaders, type ServerResponse, validateHeaderName } from 'node:http'
import { finished } from 'node:stream'
import type { ErrorHandlerLink } from '../context/context.js'
import { readDecorator } from '../context/decorators.js'
import { errorCodes } from '../errors/codes.js'
import type { Deadline } from '../http/deadline.js'
import { readMediaType } from '../http/media-type.js'
import { isHeadSent, writeEarlyHints } from '../http/response.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { SerializeFunction } from '../types/compilers.js'
import type { Logger } from '../types/logger.js'
import type { TrailerFunction } from '../types/reply.js'
import type { Server } from '../types/server.js'
import { assertNotPromise, ignoreIfPromise } from '../util/promises.js'
import {
  kDeadline,
  kEndTime,
  kHasStatus,
  kNextErrorHandler,
  kReplyHeaders,
  kRoute,
  kSerializer,
  kStartTime,
  kState,
  kTrailers,
} from '../util/symbols.js'
import { expectReply, noteLateReply, noteReply } from './ending/running.js'
import { endUnlessSent } from './ending/sources.js'
import { dropUnreadBody } from './read-body.js'
import type { Request } from './request.js'
import { callNotFound } from './run-request.js'
import { sendPayload } from './send.js'
import { type InternalReply, ReplyState, replyState } from './state.js'

/** RFC 9110 §6.5.1: fields that are needed before the body, or that describe the connection. HTTP/2 does not send the latter at all. */
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

/** Headers by name. It inherits nothing, so that it has no header `constructor`. (An object made by `Object.create(null)` is slower.) */
const HeaderBag = function HeaderBag() {} as unknown as new () => Record<string, any> // A class could not have this prototype.
HeaderBag.prototype = Object.create(null)

/** The class lacks what decorators add to the public interface, so that the compiler cannot see that its instances implement it. */
const asInternal = (reply: Reply): InternalReply => reply as unknown as InternalReply

/** Properties that every reply has as its own. No decorator may have their names. */
export const replyFields = ['raw', 'request', 'log'] as const

export class Reply {
  raw: ServerResponse
  request: Request
  log: Logger;
  [kState]: ReplyState = ReplyState.Open;
  [kReplyHeaders]: Record<string, any> = new HeaderBag();
  [kHasStatus] = false;
  [kSerializer]: ((payload: any) => string | Buffer) | null = null;
  [kTrailers]: Map<string, TrailerFunction> | null = null;
  /** `undefined`: no error handler was called yet; `null`: all of them were. */
  [kNextErrorHandler]: ErrorHandlerLink | null | undefined = undefined;
  [kStartTime]: number | undefined = undefined;
  [kEndTime]: number | undefined = undefined;
  /** Set while the headers are due. */
  [kDeadline]: Deadline | undefined = undefined

  constructor(raw: ServerResponse, request: Request, log: Logger) {
    this.raw = raw
    this.request = request
    this.log = log
  }

  get [kRoute](): CompiledRoute {
    return this.request[kRoute]
  }
  get server(): Server {
    return this.request[kRoute].instance
  }
  get routeOptions(): CompiledRoute['info'] {
    return this.request[kRoute].info
  }
  get sent(): boolean {
    return replyState(asInternal(this)) >= ReplyState.Sending
  }
  get elapsedTime(): number {
    return (this[kEndTime] ?? performance.now()) - this[kStartTime]!
  }
  get statusCode(): number {
    return this.raw.statusCode
  }
  set statusCode(status: number) {
    this.code(status)
  }

  code(status: number | string): this {
    const value = Math.trunc(Number(status))
    // RFC 9110 §15.2: a 1xx is not a final response.
    if (!(value >= 200 && value <= 599)) {
      ignoreIfPromise(status)
      throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status)
    }
    this.raw.statusCode = value
    this[kHasStatus] = true
    return this
  }
  declare status: (status: number | string) => this

  header(name: string, value: any = ''): this {
    const key = name.toLowerCase()
    const headers = this[kReplyHeaders]
    if (typeof value === 'object') assertNotPromise(value, `the header ${key}`)
    if (key === 'set-cookie') {
      // RFC 9110 §5.3: the one field whose values are not joined. The array is always a new one, not the caller's.
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
    return this[kReplyHeaders][key] ?? this.raw.getHeader(key)
  }

  getHeaders(): OutgoingHttpHeaders {
    return { ...this.raw.getHeaders(), ...this[kReplyHeaders] }
  }

  hasHeader(name: string): boolean {
    const key = name.toLowerCase()
    return this[kReplyHeaders][key] !== undefined || this.raw.hasHeader(key)
  }

  removeHeader(name: string): this {
    delete this[kReplyHeaders][name.toLowerCase()]
    return this
  }

  type(contentType: string): this {
    if (typeof contentType === 'object') assertNotPromise(contentType, 'the header content-type')
    this[kReplyHeaders]['content-type'] = contentType
    return this
  }

  get mediaType(): string | undefined {
    return readMediaType(this.getHeader('content-type'))
  }

  writeEarlyHints(hints: Record<string, string | string[]>, onSent?: () => void): this {
    if (isHeadSent(this.raw)) warnOfSecondReply(this)
    else writeEarlyHints(this.raw, hints, onSent)
    return this
  }

  redirect(target: string | number, other?: string | number): this {
    const [url, code] = typeof target === 'number' ? [other as string, target] : [target, other as number | undefined]
    return this.header('location', url)
      .code(code ?? (this[kHasStatus] ? this.raw.statusCode : 302))
      .send()
  }

  trailer(name: string, compute: TrailerFunction): this {
    const key = name.toLowerCase()
    if (FORBIDDEN_TRAILERS.has(key)) throw new errorCodes.ALC_ERR_BAD_TRAILER_NAME(key)
    validateHeaderName(key)
    if (typeof compute !== 'function') throw new errorCodes.ALC_ERR_BAD_TRAILER_VALUE(key, typeof compute)
    ;(this[kTrailers] ??= new Map()).set(key, compute)
    return this
  }
  hasTrailer(name: string): boolean {
    return this[kTrailers]?.has(name.toLowerCase()) ?? false
  }
  removeTrailer(name: string): this {
    this[kTrailers]?.delete(name.toLowerCase())
    return this
  }

  serializer(serialize: (payload: any) => string | Buffer): this {
    this[kSerializer] = serialize
    return this
  }

  serialize(payload: unknown): string | Buffer {
    const route = this[kRoute]
    if (this[kSerializer] !== null) return this[kSerializer](payload)
    if (route.replySerializer !== undefined) return route.replySerializer(payload, this.raw.statusCode)
    const serialize = route.serializers?.find(this.raw.statusCode, this[kReplyHeaders]['content-type'])
    if (serialize !== undefined) return serialize(payload)
    route.serializers?.checkUndeclared(this.raw.statusCode, this[kReplyHeaders]['content-type'])
    return JSON.stringify(payload)
  }

  getSerializationFunction(target: object | string | number, contentType?: string): SerializeFunction | undefined {
    const { serializers, compiledOutputs } = this[kRoute]
    if (typeof target === 'object') return compiledOutputs.get(target)
    return serializers?.declared(String(target), contentType)
  }

  compileSerializationSchema(schema: object, httpStatus: string | null = null, contentType: string | null = null): SerializeFunction {
    const { compiledOutputs, serializerCompiler } = this[kRoute]
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

  /** `serializeInput(value, schema, status?, contentType?)` or `serializeInput(value, status, contentType?)`. */
  serializeInput(input: unknown, target: object | string | number, status?: string | null, contentType?: string | null): string {
    if (typeof target === 'object') return this.compileSerializationSchema(target, status, contentType)(input)
    const type = status ?? undefined
    const serialize = this[kRoute].serializers?.declared(String(target), type)
    if (serialize !== undefined) return serialize(input)
    if (type) throw new errorCodes.ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN(String(target), type)
    throw new errorCodes.ALC_ERR_MISSING_SERIALIZATION_FN(String(target))
  }

  hijack(): this {
    this[kState] = ReplyState.Hijacked
    this[kDeadline]?.cancel()
    noteReply(asInternal(this).request)
    dropUnreadBody(asInternal(this))
    return this
  }

  callNotFound(): this {
    callNotFound(asInternal(this))
    return this
  }

  send(payload?: unknown): this {
    if (this[kState] === ReplyState.RunningErrorHooks) throw new errorCodes.ALC_ERR_SEND_INSIDE_ONERR()
    if (this.sent) {
      warnOfSecondReply(this)
      noteLateReply(asInternal(this).request)
      endUnlessSent(asInternal(this).request, payload)
      return this
    }
    this[kState] = ReplyState.Sending
    noteReply(asInternal(this).request)
    sendPayload(asInternal(this), payload)
    return this
  }

  getDecorator(name: string | symbol): any {
    return readDecorator(this, name, 'reply')
  }

  /** Makes `await reply` (and `return reply` in an async handler) wait until the response is out. */
  // Node passes only `onError` if a listener of an EventTarget returns the reply: `signal.addEventListener('abort', () => reply.send())`.
  then(onSent?: ((value: undefined) => void) | null, onError?: ((error: Error) => void) | null): void {
    if (this.raw.writableEnded) return onSent?.(undefined)
    // `return reply.code(204)` in a class: nothing else sends it.
    if (!this.sent && [204, 205, 304].includes(this.statusCode) && this[kRoute].endsReturnedReply) this.send()
    // A handler that returns the reply will send it later, also if the client leaves before.
    expectReply(asInternal(this).request)
    finished(this.raw, (error) => {
      // The client left. The handler can do nothing about it.
      if (error == null || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return onSent?.(undefined)
      if (onError) onError(error)
      else this.log.warn({ err: error }, 'the response ended with an error while it was awaited')
    })
  }
}

function warnOfSecondReply({ request, log, [kRoute]: { conventions } }: Reply): void {
  log.warn({ err: conventions.presentError(new errorCodes.ALC_ERR_REP_ALREADY_SENT(request.url, request.method)) })
}

Reply.prototype.status = Reply.prototype.code
