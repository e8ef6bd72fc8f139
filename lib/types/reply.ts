/** The reply that hooks and handlers get. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { SerializeFunction } from './compilers.js'
import type { ReplyDecorations } from './decorations.js'
import type { Logger } from './logger.js'
import type { Request } from './request.js'
import type { ResponseBody } from './schema.js'
import type { Server } from './server.js'

/**
 * A reply. `S` is the route's schema: `send` and the value a handler returns must fit the response declared for the
 * status.
 */
export interface Reply<S = unknown, Status = 200> extends ReplyDecorations {
  /** Node's own response. Call {@link hijack} before writing to it. */
  readonly raw: ServerResponse
  /** The request being answered. */
  readonly request: Request
  /** The instance of the context that the route was declared in. */
  readonly server: Server
  /** The same as `request.log`. */
  log: Logger
  /** True once a reply was sent or {@link hijack}ed, or `raw` has ended: nothing more can be sent. */
  readonly sent: boolean
  /** 200 until another is chosen; setting it is the same as {@link code}. */
  statusCode: number
  /**
   * ms since the request came. It stops with the response only where the server logs or the route has onResponse hooks; elsewhere
   * it keeps counting.
   */
  readonly elapsedTime: number
  /** Chooses the status, 200 to 599. @throws ALC_ERR_BAD_STATUS_CODE */
  code<N extends number>(status: N): Reply<S, N>
  /** The same as {@link code}. */
  status<N extends number>(status: N): Reply<S, N>
  /** Sets a header, replacing an earlier value; the values of `set-cookie` add up (RFC 9110 §5.3). */
  header(name: string, value?: unknown): this
  /** Sets headers by name, each as {@link header} does. */
  headers(values: object): this
  /** A header that was set here or on `raw`; its name in any case. */
  getHeader(name: string): number | string | string[] | undefined
  /** All headers that were set so far, here or on `raw`, by lower-case name. */
  getHeaders(): OutgoingHttpHeaders
  /** Whether a header was set here or on `raw`. */
  hasHeader(name: string): boolean
  /** Removes a header that was set here; one that was set on `raw` stays. */
  removeHeader(name: string): this
  /** Sets `content-type`. Text of a JSON type without a charset is sent with `charset=utf-8`. */
  type(contentType: string): this
  /**
   * Redirects with `code` (default 302, or the status chosen before): `redirect(url, code?)` or `redirect(code, url)`. Sends the
   * reply.
   * @throws ALC_ERR_BAD_STATUS_CODE
   */
  redirect(url: string, code?: number): this
  redirect(code: number, url: string): this
  /**
   * Adds a trailer field (RFC 9110 §6.5), computed after the body. One that fails, or takes longer than `handlerTimeout`, is left
   * out; there are none with 204, 205 and 304, and none over HTTP/1.0.
   * ```ts
   * reply.trailer('server-timing', async () => `app;dur=${reply.elapsedTime}`)
   * ```
   * @throws ALC_ERR_BAD_TRAILER_NAME for a field that must not be a trailer (RFC 9110 §6.5.1), ALC_ERR_BAD_TRAILER_VALUE where
   * `compute` is no function, TypeError for what is no field name
   */
  trailer(name: string, compute: TrailerFunction): this
  /** Whether a trailer of this name was added. */
  hasTrailer(name: string): boolean
  /** Removes a trailer that was added. */
  removeTrailer(name: string): this
  /**
   * Sets the serializer of this one reply (spec: Declaring and organizing). Strings without a `content-type`, bytes and streams are
   * sent as they are.
   */
  serializer(serialize: (payload: any) => string | Buffer): this
  /**
   * Serializes a value as `send` would: by {@link serializer}, else by the context's reply serializer, else by the response schema
   * of the status, else as JSON.
   */
  serialize(payload: unknown): string | Buffer
  /**
   * The compiled serializer of a response, if any, by its key (`200`, `'2xx'`) and a media type of its `content`; or of a schema
   * that was compiled before.
   */
  getSerializationFunction(schemaOrStatus: object | string | number, contentType?: string): SerializeFunction | undefined
  /** Compiles a schema with the route's serializer compiler; compiled once per schema object. */
  compileSerializationSchema(schema: object, httpStatus?: string | null, contentType?: string | null): SerializeFunction
  /**
   * Serializes any value by the schema of a response, `serializeInput(value, 200)`, by that of a media type in its `content`,
   * `serializeInput(value, 200, 'application/json')`, or by a schema object, `serializeInput(value, schema)`.
   * @throws ALC_ERR_MISSING_SERIALIZATION_FN, ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN where the response has no such schema
   */
  serializeInput(input: unknown, schemaOrStatus: object | string | number, httpStatus?: string | null, contentType?: string | null): string
  /**
   * Takes the response out of the framework's hands: whatever the handler returns, nothing is sent, no onSend hook runs and
   * `handlerTimeout` is over. End `raw` yourself; onResponse hooks run then.
   * ```ts
   * reply.hijack()
   * reply.raw.end('by hand')
   * ```
   */
  hijack(): this
  /** Hands over to the not-found handler of the route's context: its preHandler hooks, then itself. Called there, it sends a plain 404. */
  callNotFound(): this
  /**
   * Sends a string, Buffer, typed array, stream, web stream, `Response`, Error, a value to be serialized, or a promise of one of
   * these; without a payload a reply has no body. A payload that cannot be sent is answered 500. A second `send` is logged
   * (ALC_ERR_REP_ALREADY_SENT) and ignored.
   * @throws ALC_ERR_SEND_INSIDE_ONERR in an onError hook
   */
  send(payload?: SendBody<S, Status>): this
  /** Makes `await reply`, and `return reply` in an async handler, wait until the response is out. */
  then(onSent: (value: undefined) => void, onError: (error: Error) => void): void
}

type SendBody<S, Status> =
  unknown extends ResponseBody<S, Status> ? unknown : ResponseBody<S, Status> | Error | Readable | Buffer | ReadableStream | null

/**
 * Computes a trailer: passes its value to `done` or returns a promise of it. `payload` is the body as it was sent; `null` after a
 * stream.
 */
export type TrailerFunction = (
  reply: Reply,
  payload: unknown,
  done: (error: Error | null, value?: string) => void,
) => void | Promise<string>

/** The reply that a route with the schema `S` hands to its handler: after `code(n)`, `send` takes the body declared for `n`. */
export type SchemaReply<S, Status = 200> = Reply<S, Status>
