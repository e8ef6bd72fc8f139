/** The reply that hooks and handlers receive. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { SerializeFunction } from './compilers.js'
import type { ReplyDecorations } from './decorations.js'
import type { Logger } from './logger.js'
import type { Narrowed } from './narrowed.js'
import type { Request, RouteInfo } from './request.js'
import type { Converted, SchemasOf, SendableBody, UndeclaredStatus } from './schema.js'
import type { Server } from './server.js'

declare const replySchema: unique symbol

/**
 * A reply, as hooks and handlers receive it. `S` is the route's schema, or the type of a route decorator that contains the schema: the
 * payload of `send`, and in decorated classes the result of the handler, must fit the response that the schema declares for the status.
 * @interface
 */
export type Reply<S = unknown, Status = 200> = ReplyMembers<SchemasOf<S>, Status> & ReplyDecorations

/** The built-in members of a {@link Reply}. Exported only for the files beside this one. */
export interface ReplyMembers<S, Status> {
  /** A mark that makes replies with different schemas different types. It does not exist at run time. */
  readonly [replySchema]?: S
  /** Node's response, or with `server.fetch` an object in its place. Call {@link hijack} before you write to it. */
  readonly raw: ServerResponse
  /** The request that this reply answers. */
  readonly request: Request
  /** The instance of the context that the route was declared in. */
  readonly server: Server
  /** Options of the route, as `request.routeOptions`. */
  readonly routeOptions: RouteInfo
  /** A logger whose lines contain the request id, as `request.log`. */
  log: Narrowed<'log', Logger>
  /** True if nothing more can be sent: after `send`, after {@link hijack}, or when `raw` has ended. */
  readonly sent: boolean
  /** The status, 200 by default. Setting it is the same as calling {@link code}. */
  statusCode: number
  /**
   * ms since the request arrived. If the server logs, or the route has onResponse hooks, the time stops at the end of the response.
   * Otherwise it may go on.
   */
  readonly elapsedTime: number
  /** Sets the status, 200 to 599. @throws ALC_ERR_BAD_STATUS_CODE */
  code<N extends number>(status: N): ReplyMembers<S, N> & ReplyDecorations
  /** Sets the status, as {@link code} does. */
  status<N extends number>(status: N): ReplyMembers<S, N> & ReplyDecorations
  /** Sets a header and replaces an earlier value. Values of `set-cookie` are added to those that were set here (RFC 9110 §5.3). */
  header(name: string, value?: unknown): this
  /** Sets several headers by name, each like {@link header}. */
  headers(values: object): this
  /** Returns a header that was set on this reply or on `raw`. The name may be in upper or lower case. */
  getHeader(name: string): number | string | string[] | undefined
  /** Returns all headers that were set on this reply or on `raw`, by lower-case name. */
  getHeaders(): OutgoingHttpHeaders
  /** Whether a header was set on this reply or on `raw`. */
  hasHeader(name: string): boolean
  /** Removes a header that was set on this reply. A header that was set on `raw` stays. */
  removeHeader(name: string): this
  /**
   * Sets `content-type`. A JSON type without a charset gets `charset=utf-8`, unless the payload is bytes, a stream, a `Response` or none, or
   * `serializer` was called.
   */
  type(contentType: string): this
  /**
   * The media type that was set for the reply so far, without parameters and in lower case. `undefined` if none was set, or if it is
   * malformed.
   */
  readonly mediaType: string | undefined
  /**
   * Sends headers before the reply is ready, so that the client can load what they link to (103 Early Hints, RFC 8297). The headers must
   * include `link`. A client of HTTP/1.0 or of `fetch` gets nothing. `onSent` is called afterwards.
   * ```ts
   * reply.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
   * ```
   * @throws ALC_ERR_REP_EARLY_HINTS_INVALID, TypeError for an invalid header
   */
  writeEarlyHints(hints: Record<string, string | string[]>, onSent?: () => void): this
  /**
   * Redirects the client, and sends the reply: `redirect(url, code?)` or `redirect(code, url)`. The default of `code` is the status that
   * `reply.code`, or an option `status` from 300 on, has set, otherwise 302.
   * @throws ALC_ERR_BAD_STATUS_CODE
   */
  redirect(url: string, code?: number): this
  redirect(code: number, url: string): this
  /**
   * Adds a trailer field (RFC 9110 §6.5), whose value is computed after the body. A trailer that fails or takes longer than
   * `handlerTimeout` is left out. None is sent for HEAD, 204, 205, 304, HTTP/1.0 and `fetch`.
   * ```ts
   * reply.trailer('server-timing', () => `app;dur=${reply.elapsedTime}`)
   * ```
   * @throws ALC_ERR_BAD_TRAILER_NAME for a field that must not be a trailer (RFC 9110 §6.5.1), ALC_ERR_BAD_TRAILER_VALUE if `compute` is
   * not a function, TypeError if `name` is not a valid field name
   */
  trailer(name: string, compute: TrailerFunction): this
  /** Whether a trailer of this name was added. */
  hasTrailer(name: string): boolean
  /** Removes a trailer that was added. */
  removeTrailer(name: string): this
  /**
   * Sets the serializer of this reply only, for values, and for strings with a `content-type`. It sets no `content-type`. An error removes
   * it.
   */
  serializer(serialize: (payload: any) => string | Buffer): this
  /**
   * Returns the text of a value, by the first of these that exists: {@link serializer}, the context's reply serializer, the response schema
   * of the status, JSON.
   */
  serialize(payload: unknown): string | Buffer
  /**
   * Returns a compiled serializer, if there is one: for a response key (`200`, `'2xx'`) and a media type in its `content`, or for a schema
   * object that was compiled before.
   */
  getSerializationFunction(schemaOrStatus: object | string | number, contentType?: string): SerializeFunction | undefined
  /** Compiles a schema with the route's serializer compiler, once for each schema object. */
  compileSerializationSchema(schema: object, httpStatus?: string | null, contentType?: string | null): SerializeFunction
  /**
   * Serializes any value with the schema of a response key, `serializeInput(value, 200)`, of a media type in its `content`,
   * `serializeInput(value, 200, 'application/json')`, or with a schema object, `serializeInput(value, schema)`.
   * @throws ALC_ERR_MISSING_SERIALIZATION_FN, ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN if the response has no such schema
   */
  serializeInput(input: unknown, schemaOrStatus: object | string | number, httpStatus?: string | null, contentType?: string | null): string
  /**
   * Takes the response over from the framework, which then ignores the handler's result, sends nothing, runs no onSend hooks and does not
   * apply `handlerTimeout`. End `raw` yourself. The onResponse hooks run when `raw` has ended.
   * ```ts
   * reply.hijack()
   * reply.raw.end('by hand')
   * ```
   */
  hijack(): this
  /**
   * Runs the not-found handler for unknown paths of the route's context, after the preHandler hooks of that handler. Inside a not-found
   * handler it sends a plain 404. In a preHandler hook of a context, throw a 404 instead: that handler would run the hook again.
   */
  callNotFound(): this
  /**
   * Sends a string, Buffer, typed array, stream, web stream, `Response`, Error, a value to be serialized, or a promise of one of these; for
   * a response that is `stream(…)`, an async iterable. Without a payload the reply has no body. If the payload cannot be sent, the request
   * gets a 500. A second `send` is ignored, and ALC_ERR_REP_ALREADY_SENT is logged.
   * @throws ALC_ERR_SEND_INSIDE_ONERR in an onError hook
   */
  send(payload?: SendBody<S, Status>): this
  /**
   * Returns a member of this reply by its name, a decoration or a built-in one. A function is bound to the reply.
   * @throws ALC_ERR_DEC_UNDECLARED if replies of this context have no member of this name
   */
  getDecorator<T = unknown>(name: string | symbol): T
  /** Lets `await reply`, and `return reply` in an async handler, wait until the response is sent or its client has left. */
  then(onSent: (value: undefined) => void, onError: (error: Error) => void): void
}

type SendBody<S, Status> =
  SendableBody<S, Status, Converted> extends infer Body
    ? unknown extends Body
      ? unknown
      : Body extends UndeclaredStatus<Status>
        ? Body | Error | null
        : Body | Error | Readable | Buffer | ReadableStream | null
    : never

/**
 * A function that computes the value of a trailer, and returns it or a promise of it, or passes it to `done`. `payload` is the body as it was
 * sent; `null` after a stream.
 */
export type TrailerFunction = (
  reply: Reply,
  payload: unknown,
  done: (error: Error | null, value?: string) => void,
) => void | string | Promise<string>

/** The reply in the handler of a route with the schema `S`. After `code(n)`, `send` takes the body that is declared for `n`. */
export type SchemaReply<S, Status = 200> = Reply<S, Status>
