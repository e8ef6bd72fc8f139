/**
 * The public types of the programmatic server: what `createServer` takes and gives, what plugins, routes, hooks and
 * handlers look like.
 */
import type { BuildRecording, Prebuilt } from '../schema/lazy/build.js'
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  Server as HttpServer,
  ServerOptions as HttpOptions,
  ServerResponse,
} from 'node:http'
import type { ServerOptions as HttpsOptions } from 'node:https'
import type { ListenOptions as NetListenOptions, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ResponseBody, RouteSchema } from './schema.js'

/**
 * Members that decorators add to every request, reply or server. Augment them to type what a plugin decorates:
 * ```ts
 * declare module 'alcove' { interface RequestDecorations { user: User } }
 * ```
 * In decorated classes prefer {@link RouteRequest} with typed request decorators: it says *which* routes see them.
 */
export interface RequestDecorations {}
/** Members that decorators add to every reply; see {@link RequestDecorations}. */
export interface ReplyDecorations {}
/** Members that `decorate` adds to every server instance; see {@link RequestDecorations}. */
export interface ServerDecorations {}

/**
 * Options that plugins of yours read from routes (in an `onRoute` hook): `websocket`, `compress`, `helmet` and the like.
 * Augment it to type them, for `server.route` and for route classes:
 * ```ts
 * declare module 'alcove' { interface PluginRouteOptions { websocket?: boolean } }
 * ```
 */
export interface PluginRouteOptions {}

/** The request parts that a schema can validate, as `httpPart` and `dataVar` name them (spec: Compilers and handlers). */
export type HttpPart = 'body' | 'params' | 'querystring' | 'headers'
/** The same parts as `error.validationContext` names them (spec: Validation error object). */
export type ValidationContext = 'body' | 'params' | 'query' | 'headers'

/** A request as hooks and handlers see it. */
export interface Request<
  Body = unknown,
  Params = Record<string, string>,
  Query = Record<string, string | string[] | undefined>,
  Headers = IncomingHttpHeaders,
> extends RequestDecorations {
  /** The request id: from the header named by `requestIdHeader` where it is printable ASCII, else from `genReqId`. */
  readonly id: string
  /** Node's own request. */
  readonly raw: IncomingMessage
  /**
   * The parsed body; `undefined` until it is parsed and where there is none. Of methods other than POST, PUT, PATCH, DELETE,
   * OPTIONS, TRACE and SEARCH it stays in `raw`.
   */
  body: Body
  /** Parameters of the path, decoded: `{ id: '7' }` for `/users/:id`, under `*` what a wildcard stands for. */
  params: Params
  /** The parsed query string. */
  query: Query
  /** Headers by lower-case name. What a header schema coerces, and what is set here, is merged over those of `raw`, which stay as sent. */
  headers: Headers
  /** Logger whose lines carry the request id. */
  log: Logger
  /** The instance of the context that the route was declared in. */
  readonly server: Server
  /** As sent: `GET`. */
  readonly method: string
  /** Path and query string, as `rewriteUrl` left them: `/users/7?full=1`. */
  readonly url: string
  /** The URL before `rewriteUrl`. */
  readonly originalUrl: string
  /** The connection; of an injected request a stand-in with hardly more than `remoteAddress`. */
  readonly socket: Socket
  /** The client's address; behind trusted proxies (`trustProxy`) the one they forward in `X-Forwarded-For`. */
  readonly ip: string
  /** All addresses from the nearest proxy to the client, {@link ip} being the last; only with `trustProxy`. */
  readonly ips: string[] | undefined
  /**
   * The host header with its port (over HTTP/2 `:authority`), or the last entry of `X-Forwarded-Host` of a trusted proxy, unless
   * `trustProxy` is a number; `host` and `hostname` are the same, as in Fastify 4.
   */
  readonly host: string
  /** The same as {@link host}, port included. */
  readonly hostname: string
  /**
   * `https` over TLS, else `http`; or the last entry of `X-Forwarded-Proto` of a trusted proxy, which may be another scheme (RFC 3986 §3.1),
   * unless `trustProxy` is a number.
   */
  readonly protocol: string
  /** True where no route was found: in a not-found handler, after `reply.callNotFound()`, in `frameworkErrors`. */
  readonly is404: boolean
  /** What the route was declared with. */
  readonly routeOptions: RouteInfo
  /** The validation failure of a route with `attachValidation: true` (spec: Errors 3). */
  validationError?: ValidationError
  /**
   * Aborted when the client goes away before the reply is complete, and when `handlerTimeout` is over.
   * ```ts
   * const weather = await fetch(url, { signal: request.signal })
   * ```
   */
  readonly signal: AbortSignal
  /** The compiled validator of a request part or of a schema compiled before, if any; with `body.content`, that of its first media type. */
  getValidationFunction(httpPartOrSchema: HttpPart | 'query' | object): ValidateFunction | undefined
  /** Compiles a schema with the route's validator compiler; compiled once per schema object. */
  compileValidationSchema(schema: object, httpPart?: HttpPart): ValidateFunction
  /**
   * Validates any value against a request part's schema or a schema object, and returns what the validator returns: by default
   * `true` or `false`.
   * @throws ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION where there is neither
   */
  validateInput(input: unknown, schemaOrPart: HttpPart | 'query' | object, httpPart?: HttpPart): unknown
}

/** What `request.routeOptions` tells of the matched route. Frozen. */
export interface RouteInfo {
  /** As declared; `undefined` where no route was found. */
  readonly method: string | string[] | undefined
  /** As declared, prefix included: `/users/:id`; `undefined` where no route was found. */
  readonly url: string | undefined
  /** bytes */
  readonly bodyLimit: number
  readonly attachValidation: boolean
  /** Level of `request.log`; empty: the server's. */
  readonly logLevel: string
  readonly exposeHeadRoute: boolean
  readonly prefixTrailingSlash: 'slash' | 'no-slash' | 'both'
  /** The `version` among its constraints. */
  readonly version: string | undefined
  /** Application data, with the route's `url` and `method`. */
  readonly config: RouteConfig
  /** Its schemas, shorthand written out. */
  readonly schema: RouteSchema | undefined
  readonly handler: RouteHandler<any>
}

/** Application data of a route, readable in hooks as `request.routeOptions.config`. */
export interface RouteConfig {
  /** Added by the framework, prefix included. */
  readonly url?: string
  /** Added by the framework. */
  readonly method?: string | string[]
  readonly [key: string]: unknown
}

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

/** The request that a route with the schema `S` hands to its handler. */
export type SchemaRequest<S> =
  IsAny<S> extends true ? Request<any, any, any, any> : Request<BodyOf<S>, ParamsOf<S>, QueryOf<S>, HeadersOf<S>>
type IsAny<T> = 0 extends 1 & T ? true : false

/** The reply that a route with the schema `S` hands to its handler: after `code(n)`, `send` takes the body declared for `n`. */
export type SchemaReply<S, Status = 200> = Reply<S, Status>

/** Handles a request: returns the payload (or a promise of it), or calls `reply.send`. `this` is the server instance. */
export type RouteHandler<S = unknown> = (this: Server, request: SchemaRequest<S>, reply: SchemaReply<S>) => unknown

type Done = (error?: Error | null) => void
type DonePayload<T = unknown> = (error?: Error | null, payload?: T) => void
type RequestHook = (this: Server, request: any, reply: any, done: Done) => unknown

/** The hooks of a request, in the order in which they run, and those of the application (docs/lifecycle.md). */
export interface Hooks {
  /** The route is found; nothing of the body is read. */
  onRequest: RequestHook
  /**
   * May give another stream to read the body from. One that decodes counts the bytes it took in `receivedEncodedLength`, which
   * `bodyLimit` and `content-length` are held against.
   */
  preParsing: (this: Server, request: any, reply: any, payload: Readable, done: DonePayload<Readable>) => unknown
  /** The body is parsed; nothing is validated. */
  preValidation: RequestHook
  /** The request is valid; the handler comes next. */
  preHandler: RequestHook
  /** May give another payload; not for strings, buffers, streams and `null`. */
  preSerialization: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** May give another payload: a string, a buffer, a stream, or none. */
  onSend: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** The response is out. */
  onResponse: RequestHook
  /** An error is about to be answered. It may be observed; `reply.send` throws here. */
  onError: (this: Server, request: any, reply: any, error: any, done: () => void) => unknown
  /** The socket was idle for `connectionTimeout`. */
  onTimeout: RequestHook
  /** The client went away while its request was served. */
  onRequestAbort: (this: Server, request: any, done: Done) => unknown
  /** A route was declared in this context or in one created below it later; its options may be changed. Not waited for. */
  onRoute: (this: Server, options: RouteOptions<any> & { routePath: string; path: string; prefix: string }) => void
  /** A child context was created. Not waited for. */
  onRegister: (this: Server, instance: Server, options: any) => void
  /** All plugins are loaded, all routes compiled. */
  onReady: (this: Server, done: Done) => unknown
  /** The port is open. What fails is logged. */
  onListen: (this: Server, done: Done) => unknown
  /** `close` was called; nothing is closed yet. */
  preClose: (this: Server, done: Done) => unknown
  /** Nothing is served any more. Children come before their parents, the last registered first. */
  onClose: (instance: Server, done: Done) => unknown
}
/** The name of a hook: of a request or of the application. */
export type HookName = keyof Hooks
/** The hooks that belong to a request; a route may carry them as options. */
export type LifecycleHookName = Exclude<HookName, 'onRoute' | 'onRegister' | 'onReady' | 'onListen' | 'preClose' | 'onClose'>

/** A method that routes can have, those of WebDAV included. */
export type HttpMethod =
  | 'DELETE'
  | 'GET'
  | 'HEAD'
  | 'PATCH'
  | 'POST'
  | 'PUT'
  | 'OPTIONS'
  | 'PROPFIND'
  | 'PROPPATCH'
  | 'MKCOL'
  | 'COPY'
  | 'MOVE'
  | 'LOCK'
  | 'UNLOCK'
  | 'TRACE'
  | 'SEARCH'

type LifecycleHookOptions = { [N in LifecycleHookName]?: Hooks[N] | Hooks[N][] | undefined }

/** Options of a route besides method, path and handler. */
export interface RouteShorthandOptions<S = RouteSchema> extends LifecycleHookOptions, PluginRouteOptions {
  /** Schemas of the request parts and of the responses; the handler's types follow from them. */
  schema?: S | undefined
  /** On a validation failure run the handler with `request.validationError` instead of replying 400 (spec: Errors 3). */
  attachValidation?: boolean | undefined
  /** Compiles the request schemas of this route, in place of the context's compiler. */
  validatorCompiler?: ValidatorCompiler | undefined
  /** Compiles the response schemas of this route, in place of the context's compiler. */
  serializerCompiler?: SerializerCompiler | undefined
  /** Makes the errors of failed validations of this route, in place of the context's formatter. */
  schemaErrorFormatter?: SchemaErrorFormatter | undefined
  /** Answers errors of this route; what it throws goes to the context's handler. */
  errorHandler?: ErrorHandler | undefined
  /** Here or as the last argument, not both. */
  handler?: RouteHandler<S> | undefined
  /** Application data, readable in hooks as `request.routeOptions.config`. */
  config?: object | undefined
  /**
   * What else a request must match: `{ version: '1.2.0' }` (for `Accept-Version`), `{ host: 'example.com' }` or `{ host: /…/ }`, or
   * the value for a {@link ConstraintStrategy} of the server.
   */
  constraints?: Record<string, unknown> | undefined
  /** bytes; default: the server's `bodyLimit` */
  bodyLimit?: number | undefined
  /** ms; default: the server's `handlerTimeout`; 0 turns it off */
  handlerTimeout?: number | undefined
  /** Level of `request.log`; default: the context's. */
  logLevel?: string | undefined
  /** Serializers of `request.log` by key, merged over those of the context. */
  logSerializers?: Record<string, (value: any) => unknown> | undefined
  /** Makes `request.log`, in place of the context's factory. */
  childLoggerFactory?: ChildLoggerFactory | undefined
  /** Register a HEAD route beside a GET route. Default: the server's `exposeHeadRoutes`. */
  exposeHeadRoute?: boolean | undefined
  /** What a route `/` inside a prefix answers to: the prefix with a slash, without, or both (default). */
  prefixTrailingSlash?: 'slash' | 'no-slash' | 'both' | undefined
}

/**
 * Options of {@link Server.route}, which needs a `method`, a `path` (or `url`) and a `handler`:
 * ```ts
 * server.route({ method: 'GET', path: '/users/:id', handler: (request) => find(request.params.id) })
 * ```
 */
export interface RouteOptions<S = RouteSchema> extends RouteShorthandOptions<S> {
  /** One or several, in capitals or not. */
  method: HttpMethod | Lowercase<HttpMethod> | readonly (HttpMethod | Lowercase<HttpMethod>)[]
  /** Below the prefix of the context, in find-my-way's notation: `/users/:id`, `/files/*`, `/at/:hour(^\d+$)h`. */
  path?: string | undefined
  /** The same as `path`. */
  url?: string | undefined
}

/**
 * A plugin: receives its own child instance (spec: Context / plugin), and is loaded when it calls `done` or when the promise
 * that it returns is fulfilled. One signature for both, so that parameters of functions written in place are typed.
 */
export type Plugin<Options = any> = (instance: Server, options: Options, done: Done) => unknown

/** For a plugin of which nothing is known, such as one whose types need those of a library that is not installed. */
type AnyOptions<Options> = unknown extends Options ? Record<string, unknown> : never

/**
 * Options of a plugin that `register` itself reads; the plugin gets them too. They do not apply to a plugin without a context of
 * its own (fastify-plugin).
 */
export interface RegisterOptions {
  /** Prefix of the plugin's routes, below that of its parent: `/users`. */
  prefix?: string
  /** Level of `request.log` in the plugin's routes; default: the parent's. */
  logLevel?: string
  /** Serializers of `request.log` by key, merged over the parent's. */
  logSerializers?: Record<string, (value: any) => unknown>
}

/** `fn(errors, dataVar)`; synchronous; must return an Error (spec: Compilers and handlers). `this` is the server. */
export type SchemaErrorFormatter = (this: Server, errors: SchemaErrorDetail[], dataVar: HttpPart) => Error
/**
 * Answers an error: returns the payload (or a promise of it), or calls `reply.send`. The status is as the handler left it, 200
 * unless it chose another: choose one. What it throws goes to the next outer error handler.
 */
export type ErrorHandler<E = any> = (this: Server, error: E, request: Request<any, any, any, any>, reply: Reply<any, any>) => unknown
/** `fn({ schema, method, url, httpPart })` returns `data => result`. */
export type ValidatorCompiler<S = any> = (route: { schema: S; method: string; url: string; httpPart: HttpPart }) => ValidateFunction
/**
 * Validates a value. Returns `false`, with the reasons in `errors`, or `{ error }` for an invalid one; `{ value }` to replace it;
 * anything else for a valid one; or a promise of one of these. A rejection is a validation error, a throw is a failure of the
 * server.
 */
export interface ValidateFunction {
  (data: any): boolean | { value?: unknown; error?: unknown } | Promise<unknown> | void | any
  errors?: SchemaErrorDetail[] | null | undefined
}
/** `fn({ schema, method, url, httpStatus, contentType })` returns `data => string`. */
export type SerializerCompiler<S = any> = (route: {
  schema: S
  method: string
  url: string
  httpStatus: string
  contentType?: string | undefined
}) => SerializeFunction
/** Returns the text of a value. Synchronous. */
export type SerializeFunction = (data: any) => string
/** Serializes the payloads of a context in place of its response schemas; see {@link Server.setReplySerializer}. Synchronous. */
export type ReplySerializer = (payload: any, statusCode: number) => string | Buffer

/** One error of the default validator (ajv's own object, untouched). */
export interface SchemaErrorDetail {
  keyword: string
  /** Where the value is in its part, as a JSON pointer: `/address/street`. */
  instancePath: string
  /** Where the keyword is in the schema: `#/properties/address/required`. */
  schemaPath: string
  /** What the keyword says of it: `{ missingProperty: 'street' }`. */
  params: Record<string, any>
  message?: string
}

/** The error of a failed validation (spec: Validation error object). */
export interface ValidationError extends Error {
  /** 400, unless the formatter's error has another. */
  statusCode: number
  /** `ALC_ERR_VALIDATION`, unless the formatter's error has another. */
  code: string
  /** What the validator reported: by default {@link SchemaErrorDetail}s. */
  validation: any
  validationContext: ValidationContext
}

/** A logger: pino's, or one with the same methods. */
export interface Logger {
  level?: string
  trace: LogFunction
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
  fatal: LogFunction
  silent?: LogFunction
  /** A logger whose lines carry `bindings` as well; `options` are `{ level, serializers }`. */
  child(bindings: object, options?: object): Logger
}
/** `log.info('text')` or `log.info({ key: value }, 'text')`; further arguments fill in the text's `%s`, `%d` and `%o`. */
export interface LogFunction {
  (message: string, ...args: unknown[]): void
  (values: unknown, message?: string, ...args: unknown[]): void
}
/**
 * Makes `request.log` from the logger of the server, the bindings (the request id under `requestIdLogLabel`) and the options of the
 * route (`level`, `serializers`). Synchronous. For a logger without the methods of pino the request is answered 500
 * (ALC_ERR_LOG_INVALID_LOGGER, logged).
 */
export type ChildLoggerFactory = (
  this: Server,
  logger: Logger,
  bindings: Record<string, unknown>,
  options: object,
  raw: IncomingMessage,
) => Logger

/**
 * A content-type parser: with `parseAs` it gets the whole body, else the stream. What it passes to `done`, or returns a promise of,
 * becomes `request.body`.
 */
export type ContentTypeParser = (this: void, request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown

/** How a {@link ContentTypeParser} gets a body. */
export interface ContentTypeParserOptions {
  /** `string` (400 where it is not valid UTF-8) or `buffer`. Default: the stream, to which no limit applies. */
  parseAs?: 'string' | 'buffer' | undefined
  /** bytes; default: the server's `bodyLimit`; a route's own limit takes precedence */
  bodyLimit?: number | undefined
}

/** A shared schema; `$id` is how it is referred to (spec: Shared schema). */
export interface SharedSchema {
  $id?: string
  [keyword: string]: unknown
}

/** Builds the compilers of a context from its shared schemas. */
export interface SchemaController {
  /** Makes the store of a context's shared schemas from those of its parent. */
  bucket?: (parentSchemas?: Record<string, any>) => SchemaBucket
  /** Makes the compilers of a context from its shared schemas, by `$id`. */
  compilersFactory?: {
    /** `options` are `jsv` of the server. `buildValidatorCompiler` makes the default one. */
    buildValidator?: (externalSchemas: Record<string, any>, options: JsvOptions) => ValidatorCompiler
    /** `options` are `serializerOpts` of the server. */
    buildSerializer?: (externalSchemas: Record<string, any>, options: object | undefined) => SerializerCompiler
  }
}
/** A store of shared schemas, by `$id`. */
export interface SchemaBucket {
  add(schema: any): unknown
  getSchema(id: string): any
  getSchemas(): Record<string, any>
}

/**
 * Options of the default validator (spec: Validation behavior 3 and 4): ajv 8 with the formats of ajv-formats. The baseline is
 * ```ts
 * { coerceTypes: 'array', useDefaults: true, removeAdditional: true, allErrors: false, addUsedSchema: false,
 *   uriResolver: fastUri, code: { optimize: false } }
 * ```
 */
export interface JsvOptions {
  /**
   * Validator plugins: functions, or `[function, options]`, called with each ajv instance. ajv-formats among them takes the place
   * of the built-in formats.
   */
  plugins?: unknown[]
  /** Options of ajv, merged over the baseline. */
  customOptions?: Record<string, any>
  /** Called with every ajv instance that is made, after the plugins. */
  onCreate?: (jsv: any) => void
}

/**
 * Tells routes of the same method and path apart by something else about the request (a custom constraint strategy of find-my-way).
 * ```ts
 * const tenant: ConstraintStrategy = {
 *   name: 'tenant',
 *   storage() {
 *     const routes = new Map()
 *     return { get: (value) => routes.get(value) ?? null, set: (value, route) => void routes.set(value, route) }
 *   },
 *   deriveConstraint: (request) => request.headers['x-tenant'],
 * }
 * const server = createServer({ constraints: { tenant } })
 * server.get('/', { constraints: { tenant: 'a' } }, () => 'for tenant a')
 * ```
 */
export interface ConstraintStrategy {
  /** The key in the `constraints` of a route. */
  name: string
  /** Whether a request with a value matches only routes that have this constraint. Default false. */
  mustMatchWhenDerived?: boolean
  /** Makes a store of the routes of one path by their values. */
  storage(): { get(value: any): any; set(value: any, handler: any): void; del?(value: any): void; empty?(): void }
  /** Throws for a value that a route must not have, when the route is declared. */
  validate?(value: unknown): void
  /**
   * Returns the value of a request, `undefined` for none; with three parameters, passes it to `done`, within `handlerTimeout`. A
   * failure there is answered 500 (ALC_ERR_ASYNC_CONSTRAINT). `context` is always `undefined`.
   */
  deriveConstraint(request: IncomingMessage, context?: unknown, done?: (error: Error | null, value?: unknown) => void): unknown
}

/**
 * Which peers are trusted to send `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`: `true`, all of them; a number,
 * that many hops, for addresses only; addresses, subnets and names (`loopback`, `linklocal`, `uniquelocal`), as an array or
 * separated by commas; or a synchronous function of an address and its distance in hops, 0 being the peer.
 * ```ts
 * createServer({ trustProxy: 'loopback, 10.0.0.0/8' })
 * ```
 */
export type TrustProxy = boolean | number | string | readonly string[] | ((address: string, hop: number) => boolean)

/** What `createServer` takes. Every option is checked; an unknown one is an error (ALC_ERR_INIT_OPTS_INVALID). */
export interface ServerOptions {
  /** Name of the root context in paths and errors. Default `root`. */
  name?: string
  /** Validator engine options (spec: Construction options). */
  jsv?: JsvOptions
  /** Makes the errors of failed validations. Default: what the validator reported, as in `body/age should be integer`. */
  schemaErrorFormatter?: SchemaErrorFormatter
  /** How shared schemas are kept, and compilers made of them. */
  schemaController?: SchemaController
  /** Options of fast-json-stringify, the default serializer: `{ rounding: 'ceil' }`. */
  serializerOpts?: object
  /**
   * When the default engines compile a schema that is sure to compile: `late`, when it is first needed, or at `boot`. Whatever
   * else is compiled at `ready` in either case, and nothing that is wrong with a schema waits for a request. Default `late`.
   */
  compile?: 'late' | 'boot'
  /**
   * What was compiled ahead of time: the module that `alcove build` wrote (`await import('./alcove.build/index.mjs')`), or a recording
   * that shall write one. What the module lacks, or all of it where it was made of something else, is compiled, and a warning
   * says so.
   */
  prebuilt?: Prebuilt | BuildRecording
  /** Read a part without `type` and `properties` as a list of parameters. Default true. */
  jsonShorthand?: boolean
  /** Show the messages of 5xx errors to clients. Default false: they get the status text. */
  exposeErrorMessages?: boolean
  /**
   * `true`, pino options, or a logger with pino's methods. Default: no logging. Beside pino's options: `stream` or `file`, where
   * lines go (default stdout); the default level is `info`.
   * ```ts
   * createServer({ logger: { level: 'warn', file: '/var/log/app.log' } })
   * ```
   */
  logger?: boolean | object
  /** Leave out the framework's own lines of each request, `incoming request` and `request completed`. Default false. */
  disableRequestLogging?: boolean
  /** Header that a request id is taken from, where it is printable ASCII; `false`: none. Default `request-id`. */
  requestIdHeader?: string | false
  /** Key of the request id in log lines. Default `reqId`. */
  requestIdLogLabel?: string
  /** Makes the id of a request that brings none. Synchronous. Default: `req-1`, `req-2` …, counted in base 36. */
  genReqId?: (raw: IncomingMessage) => string
  /** Makes `request.log`. Default: `logger.child(bindings, options)`. */
  childLoggerFactory?: ChildLoggerFactory
  /** bytes that a body may have; larger ones are answered 413 (ALC_ERR_CTP_BODY_TOO_LARGE). Default 1 MiB */
  bodyLimit?: number
  /** ms a plugin may take to load, and the onReady and preClose hooks to run; default 10 000, 0 turns it off */
  pluginTimeout?: number
  /** ms without traffic after which a socket is closed; default 0 (off) */
  connectionTimeout?: number
  /** ms an idle keep-alive connection stays open; default 72 000 */
  keepAliveTimeout?: number
  /** ms from the request's arrival until its reply's headers are written; then 503. Default 60 000, 0 turns it off */
  handlerTimeout?: number
  /** ms in which a whole request must have come; default 300 000 */
  requestTimeout?: number
  /** requests that a connection of HTTP/1 may carry; default 0: no limit */
  maxRequestsPerSocket?: number
  /** ms that idle connections stay open after `close()`, for requests that are on their way; default 250 */
  closeIdleDelay?: number
  /**
   * On close: `true` ends all connections at once, else (default) the idle ones after `closeIdleDelay`. `'idle'` is the default,
   * but refuses a server that has no `closeIdleConnections` (ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE).
   */
  forceCloseConnections?: boolean | 'idle'
  /** Answer 503 to requests that come on open connections while the server closes, instead of serving them. Default false. */
  return503OnClosing?: boolean
  /** Which peers are trusted to forward address, host and protocol of a client. Default: none. */
  trustProxy?: TrustProxy
  /**
   * Returns the URL that a request is routed by. Synchronous. If it returns anything but a string, the connection is closed
   * (ALC_ERR_ROUTE_REWRITE_NOT_STR, logged).
   */
  rewriteUrl?: (this: Server, raw: IncomingMessage) => string
  /** Whether `/users` and `/Users` are two paths; parameters keep their case either way. Default true. */
  caseSensitive?: boolean
  /** Whether `/users/` is the same path as `/users`. Default false. */
  ignoreTrailingSlash?: boolean
  /** Whether `//users` is the same path as `/users`. Default false. */
  ignoreDuplicateSlashes?: boolean
  /** characters that a path parameter may have; its route does not match longer ones. Default 100; wildcards have no limit. */
  maxParamLength?: number
  /** Whether parameters may have a RegExp that may take exponential time; if not, declaring such a route throws. Default false. */
  allowUnsafeRegex?: boolean
  /** Whether `;` begins the query string, as `?` does. Default false: it is part of the path (RFC 3986 §3.3). */
  useSemicolonDelimiter?: boolean
  /** Parses a query string, given without its `?`. Synchronous. Default: fast-querystring. A `__proto__` in what it gives is dropped. */
  querystringParser?: (query: string) => Record<string, unknown>
  /** Strategies that routes can be constrained by, beside `version` and `host`. Their names count, not their keys here. */
  constraints?: Record<string, ConstraintStrategy>
  /** Register a HEAD route beside each GET route. Default true. */
  exposeHeadRoutes?: boolean
  /** What to do about a `__proto__` in a JSON body: `error` (default) answers 400, `remove` drops it, `ignore` keeps it. */
  onProtoPoisoning?: 'error' | 'remove' | 'ignore'
  /** The same about a `constructor` with a `prototype`. */
  onConstructorPoisoning?: 'error' | 'remove' | 'ignore'
  /**
   * Answers errors that happen before a route is found: a bad URL, host, transfer encoding or HTTP version, an asynchronous
   * constraint that failed. Default: the error handler of the root context.
   */
  frameworkErrors?: (error: Error, request: Request, reply: Reply) => void
  /**
   * Answers, on the bare socket, a client whose bytes were no request. The connection is cut off after 1 s; where the handler
   * throws before it wrote anything, the default one answers: 400, 408 or 431. `this` is the root instance.
   */
  clientErrorHandler?: (this: Server, error: NodeJS.ErrnoException, socket: Socket) => void
  /**
   * Creates the Node server to use, which calls `handler` for each request. `http`, `https`, `http2` and the timeouts of
   * connections do not apply to it.
   * ```ts
   * createServer({ serverFactory: (handler) => http.createServer({ maxHeaderSize: 8192 }, handler) })
   * ```
   */
  serverFactory?: (handler: (request: any, response: any) => void, options: ServerOptions) => HttpServer
  /** Options of `http.createServer`; not for `https` and `http2`. */
  http?: HttpOptions | null
  /**
   * Options of `https.createServer`, or with `http2` of `http2.createSecureServer`: `{ key, cert }`. `allowHTTP1`: beside HTTP/2,
   * where `http2` is on. Default: no TLS.
   */
  https?: (HttpsOptions & { allowHTTP1?: boolean }) | boolean | null
  /** Speak HTTP/2, over TLS with `https`, else in plain text. Default false. */
  http2?: boolean
  /** ms without traffic after which an HTTP/2 session is closed; default 72 000 */
  http2SessionTimeout?: number
}

/**
 * Where {@link Server.listen} listens: the options of Node's `server.listen`. `host` is `localhost` by default, `port` is 0 (any
 * that is free); `path` is that of a Unix socket or a named pipe. `signal` closes the server when it is aborted.
 */
export interface ListenOptions extends NetListenOptions {
  /** Called with each address listened at; what it returns is logged. Default: `Server listening at http://127.0.0.1:3000`. */
  listenTextResolver?: (address: string) => string
}

/** A request for {@link Server.inject}. Further options are those of light-my-request. */
export interface InjectOptions {
  /** Default `GET`. */
  method?: string
  /** A path with or without a query string, or `{ pathname, query, protocol, hostname, port }`. */
  url?: string | object
  /** The same as `url`. */
  path?: string | object
  headers?: Record<string, any>
  /** Merged over the query string of `url`; an array is sent as one name with several values. */
  query?: string | Record<string, any>
  /** Added to the header `cookie`, by name. */
  cookies?: Record<string, string>
  /** A string, Buffer, stream or `FormData`; anything else is sent as JSON. */
  payload?: any
  /** The same as `payload`. */
  body?: any
  /** The header `host`, where `headers` has none. Default: that of `url`, `localhost:80`. */
  authority?: string
  /** Address of the client. Default `127.0.0.1`. */
  remoteAddress?: string
  /** Aborts the request. */
  signal?: AbortSignal
  [other: string]: unknown
}

/** The response to an {@link Server.inject}ed request. */
export interface InjectResponse {
  /** Node's request and response, or what stands in for them. */
  raw: { req: IncomingMessage; res: ServerResponse }
  headers: OutgoingHttpHeaders
  trailers: Record<string, string>
  statusCode: number
  statusMessage: string
  /** The body as text. */
  payload: string
  /** The same as `payload`. */
  body: string
  /** The body as bytes. */
  rawPayload: Buffer
  /** The `set-cookie` headers, parsed: `{ name, value, path, … }`. */
  cookies: unknown[]
  /** The body, parsed as JSON. @throws SyntaxError where it is none */
  json<T = any>(): T
  /** The body as a stream. */
  stream(): Readable
}

/**
 * A promise of the response; until it is sent, by `end()`, by being waited for, or in the next tick, calls put the request
 * together:
 * ```ts
 * const response = await server.inject().post('/users').headers({ 'x-caller': 'ada' }).body({ name: 'Ada' })
 * ```
 */
export interface InjectChain extends Promise<InjectResponse> {
  [method: string]: any
}

/** Options of {@link Server.printRoutes}. */
export interface PrintRoutesOptions {
  /** Only the routes of this method. Default: all. */
  method?: HttpMethod
  /** What else to show of each route: `true` for everything, or names such as `['errorHandler']`. It is known after `ready`. */
  includeMeta?: boolean | (string | symbol)[]
  /** Draw a branch for each prefix that paths have in common. Default true. */
  commonPrefix?: boolean
  /** Show the hooks of each route. They are known after `ready`. */
  includeHooks?: boolean
}

/** Declares a route by path and handler, with options between them or with the handler among them. */
interface RouteShorthand {
  (path: string, handler: RouteHandler): Server
  <const S extends RouteSchema>(path: string, options: RouteShorthandOptions<S> & { schema: S }, handler: RouteHandler<S>): Server
  <const S extends RouteSchema>(path: string, options: RouteShorthandOptions<S> & { schema: S; handler: RouteHandler<S> }): Server
  (path: string, options: RouteShorthandOptions<unknown>, handler?: RouteHandler): Server
}

/**
 * A server instance: the root that `createServer` gives, or the child that a plugin receives. A child inherits from
 * its parent by prototype and adds what is registered in its own context.
 */
export interface Server extends ServerDecorations {
  /** The version of the plugin interface, which plugins check: `4.26.2`. Not that of this package. */
  readonly version: string
  /** Prefix of the routes declared here: `/users`; empty at the root. */
  readonly prefix: string
  /** Names of the plugins that live in this context, as in `users -> cookies`; the root is called `fastify`, as plugins know it. */
  readonly pluginName: string
  /** The plain settings among the options, defaults filled in. Frozen; without functions and secrets. */
  readonly initialConfig: Readonly<ServerOptions>
  /** Node's own HTTP server. */
  readonly server: HttpServer
  /** The server's logger; silent without the option `logger`. */
  log: Logger
  /** Where the server listens: `http://127.0.0.1:3000`, or the path of its socket; the text `null` while it does not listen. */
  readonly listeningOrigin: string
  /** The error handler in force in this context. */
  readonly errorHandler: ErrorHandler
  /** The validator compiler in force in this context; the default one is there once a route has needed it. */
  readonly validatorCompiler: ValidatorCompiler | undefined
  /** The serializer compiler in force in this context; the default one is there once a route has needed it. */
  readonly serializerCompiler: SerializerCompiler | undefined
  /** What makes `request.log` in this context. */
  readonly childLoggerFactory: ChildLoggerFactory
  /** Returns the id of a request of this context: that of its header, or a new one. */
  readonly genReqId: (raw: IncomingMessage) => string

  /**
   * Declares a route in this context; a GET route has a HEAD route beside it unless `exposeHeadRoute` says otherwise.
   * ```ts
   * server.route({ method: ['PUT', 'PATCH'], path: '/users/:id', schema: { body: user }, handler: (request) => save(request.body) })
   * ```
   * Faults of its schemas are reported by {@link ready}.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_ROUTE_OPTIONS_NOT_OBJ, ALC_ERR_ROUTE_METHOD_INVALID,
   * ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED, ALC_ERR_INVALID_URL, ALC_ERR_ROUTE_MISSING_HANDLER, ALC_ERR_ROUTE_HANDLER_NOT_FN,
   * ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT,
   * ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT, ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER,
   * ALC_ERR_DUPLICATED_ROUTE; an Error of find-my-way for a path or constraints that it refuses
   */
  route<const S extends RouteSchema>(options: RouteOptions<S> & { schema: S; handler: RouteHandler<S> }): Server
  route(options: RouteOptions<unknown>): Server
  /**
   * A GET route, with a HEAD route beside it. The others below are used alike:
   * ```ts
   * server.get('/users', (request) => list())
   * server.get('/users/:id', { schema: { params } }, (request) => find(request.params.id))
   * server.get('/users/:id', { schema: { params }, handler: (request) => find(request.params.id) })
   * ```
   * @throws the codes of {@link route}, ALC_ERR_ROUTE_DUPLICATED_HANDLER
   */
  get: RouteShorthand
  /** A HEAD route, in place of one that a GET route brought along. */
  head: RouteShorthand
  /** A POST route. */
  post: RouteShorthand
  /** A PUT route. */
  put: RouteShorthand
  /** A PATCH route. */
  patch: RouteShorthand
  /** A DELETE route. */
  delete: RouteShorthand
  /** An OPTIONS route. */
  options: RouteShorthand
  /** A route for every supported method. */
  all: RouteShorthand
  /** Whether a route would answer a method and a URL; see {@link findRoute}. */
  hasRoute(options: { method: string; url: string; constraints?: object }): boolean
  /**
   * Finds the route that would answer a method (in capitals) and a URL: `/users/:id` for `/users/7`. Returns the router's
   * `{ handler, params, searchParams }`, whose handler is not the application's, or `null`.
   */
  findRoute(options: { method: string; url: string; constraints?: object }): object | null
  /** The routes as a tree, for people to read. */
  printRoutes(options?: PrintRoutesOptions): string
  /** The plugins as a tree with the ms that each took to load, for people to read; complete after `ready`. */
  printPlugins(): string

  /**
   * Creates a child encapsulation context for the plugin (spec: Declaring and organizing); a plugin that is wrapped by
   * fastify-plugin declares in this one. Plugins are loaded one after the other, beginning with {@link ready}; `await` loads what
   * was registered so far.
   * ```ts
   * server.register(async (users: Server) => void users.get('/:id', find), { prefix: '/users' })
   * server.register(import('@fastify/cors'), { origin: true })
   * ```
   * Options may be a function of the parent instance, called when the turn of the plugin has come.
   * @throws ALC_ERR_PLUGIN_NOT_VALID, ALC_ERR_ROOT_PLG_BOOTED, ALC_ERR_PARENT_PLUGIN_BOOTED. The boot fails with what a plugin
   * throws, ALC_ERR_PLUGIN_TIMEOUT, ALC_ERR_PLUGIN_REJECTED_EMPTY, ALC_ERR_PLUGIN_VERSION_MISMATCH,
   * ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE or ALC_ERR_PLUGIN_DEPENDENCY_MISSING
   */
  register<Options>(
    plugin: Plugin<Options> | Promise<unknown> | { default: unknown },
    options?: (Options & RegisterOptions) | AnyOptions<NoInfer<Options>> | ((parent: Server) => Options),
  ): Server & PromiseLike<undefined>
  /**
   * Waits for the plugins registered so far. A callback that takes `error` has dealt with a failure of theirs, and the boot goes
   * on; one with a second parameter, `done`, has to call it. A promise is rejected with the failure, which fails the boot all the
   * same.
   * ```ts
   * server.register(database).after((error) => error && server.log.warn(error, 'without a database'))
   * ```
   */
  after(): PromiseLike<undefined> & Server
  after(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  /**
   * Loads all plugins, compiles the routes and runs the onReady hooks; `listen` and `inject` do so by themselves. Called again, it
   * returns the same result. Nothing can be declared afterwards.
   * @throws what a plugin or a hook failed with, ALC_ERR_HOOK_TIMEOUT, the ALC_ERR_SCH_… codes; ALC_ERR_BOOT_FAULTS where several
   * routes have faults of different codes
   */
  ready(): Promise<Server>
  ready(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  /**
   * Closes the server: preClose hooks run, the port is closed, requests in flight are answered, idle connections end after
   * `closeIdleDelay`, onClose hooks run. May be called at any time, and again. A server that was closed cannot be used again.
   * A callback with two parameters, `(error, done)`, has to call `done`.
   */
  close(): Promise<undefined>
  close(callback: (...args: any[]) => unknown): Server
  /** Adds an onClose hook, also after `ready`. */
  onClose(hook: (instance: Server, done: Done) => unknown): Server
  /** Whether a plugin of this name, as fastify-plugin was told it, is registered here or in an ancestor. */
  hasPlugin(name: string): boolean
  /**
   * Boots the server if need be, opens the port and runs the onListen hooks. On `localhost`, the default host, it listens on all
   * addresses of that name.
   * ```ts
   * await server.listen({ port: 3000, host: '0.0.0.0' }) // http://0.0.0.0:3000
   * ```
   * @returns the address, `http://127.0.0.1:3000`, or the path of the socket; with a callback, it is called with `(error, address)`
   * @throws ALC_ERR_LISTEN_OPTIONS_INVALID, ALC_ERR_REOPENED_SERVER, ALC_ERR_REOPENED_CLOSE_SERVER, what {@link ready} throws, and
   * errors of the system (EADDRINUSE …) with what to do about them
   */
  listen(options?: ListenOptions): Promise<string>
  listen(options: ListenOptions, callback: (error: Error | null, address: string) => void): void
  /** All addresses that the server listens on, as Node's `server.address()` returns them. */
  addresses(): ReturnType<HttpServer['address']>[]
  /**
   * Sends a request without a socket, for tests and scripts. Boots the server if need be. Without options, a chain of calls makes
   * the request.
   * ```ts
   * const { statusCode, body } = await server.inject({ method: 'POST', url: '/users', payload: { name: 'Ada' } })
   * ```
   * @throws ALC_ERR_REOPENED_CLOSE_SERVER after `close`, what {@link ready} throws
   */
  inject(options: InjectOptions | string): InjectChain
  inject(): InjectChain
  inject(options: InjectOptions | string, callback: (error: Error | undefined, response: InjectResponse) => void): void
  /** Serves a request that another Node server received. Not before `ready`. */
  routing(request: IncomingMessage, response: ServerResponse): void

  /**
   * Adds a member to the instances of this context and below; `{ getter, setter }` makes it an accessor. `dependencies` are names
   * of members that must be there.
   * ```ts
   * server.decorate('db', connect(url))
   * ```
   * @throws ALC_ERR_DEC_AFTER_START, ALC_ERR_DEC_ALREADY_PRESENT, ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE,
   * ALC_ERR_DEC_MISSING_DEPENDENCY
   */
  decorate(name: string | symbol, value: unknown, dependencies?: (string | symbol)[]): Server
  /**
   * Adds a member to the requests of this context and below: a value that each request starts with, a method, or an accessor
   * `{ getter, setter }`, `this` being the request. An object or array would be shared by all requests: decorate with `null` and
   * set it in a hook.
   * ```ts
   * server.decorateRequest('user', null)
   * server.addHook('onRequest', async (request) => void (request.user = await authenticate(request)))
   * ```
   * @throws ALC_ERR_DEC_REFERENCE_TYPE for an object or array, ALC_ERR_DEC_AFTER_START, ALC_ERR_DEC_ALREADY_PRESENT (here, as a
   * value of an ancestor, or built in), ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE, ALC_ERR_DEC_MISSING_DEPENDENCY
   */
  decorateRequest(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  /** Adds a member to the replies of this context and below, under the rules and with the codes of {@link decorateRequest}. */
  decorateReply(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  /** Whether instances of this context have a member of this name, inherited or built in included. */
  hasDecorator(name: string | symbol): boolean
  /** Whether requests of this context have a member of this name. */
  hasRequestDecorator(name: string | symbol): boolean
  /** Whether replies of this context have a member of this name. */
  hasReplyDecorator(name: string | symbol): boolean

  /**
   * Adds a hook to this context. Hooks of a request run for all routes here and below, whether declared before or after; onRoute
   * and onRegister hooks for what comes after them; the others once. {@link Hooks} lists them all.
   * ```ts
   * server.addHook('onRequest', async (request, reply) => {
   *   if (request.headers.authorization === undefined) return reply.code(401).send()
   * })
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_HOOK_INVALID_TYPE, ALC_ERR_HOOK_NOT_SUPPORTED,
   * ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER (an async function that also takes `done`)
   */
  addHook<N extends HookName>(name: N, hook: Hooks[N]): Server
  /**
   * Adds a copy of a shared schema, for this context and those below.
   * ```ts
   * server.addSchema({ $id: 'user', type: 'object', properties: { name: { type: 'string' } } }) // { $ref: 'user#' }
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SCH_MISSING_ID, ALC_ERR_SCH_ALREADY_PRESENT
   */
  addSchema(schema: object): Server
  /** The shared schema of an `$id`, if it is visible here. */
  getSchema(id: string): any
  /** All shared schemas that are visible here, by `$id`. */
  getSchemas(): Record<string, any>
  /**
   * Sets what compiles the request schemas of this context and below; `null`: the default compiler again.
   * ```ts
   * server.setValidatorCompiler(({ schema }) => (data) => schema.validate(data)) // Joi
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setValidatorCompiler(compiler: ValidatorCompiler | null): Server
  /**
   * Sets what compiles the response schemas of this context and below; `null`: the default compiler again.
   * ```ts
   * server.setSerializerCompiler(() => (data) => JSON.stringify(data))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setSerializerCompiler(compiler: SerializerCompiler | null): Server
  /**
   * Sets how shared schemas of this context and below are kept and compilers made of them; what is left out stays as it is.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setSchemaController(controller: SchemaController): Server
  /**
   * Sets what serializes the payloads of this context and below that are neither string, bytes nor stream. It takes precedence over
   * response schemas, and `reply.serializer` over it.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setReplySerializer(serializer: ReplySerializer): Server
  /**
   * Sets what makes the errors of failed validations, in this context and below.
   * ```ts
   * server.setSchemaErrorFormatter((errors, part) => new Error(`${part}: ${errors[0]?.message}`))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN (an async function is none)
   */
  setSchemaErrorFormatter(formatter: SchemaErrorFormatter): Server
  /**
   * Sets what answers the errors of this context and below. What it throws goes to the handler that was in force before, at last to
   * the framework's own.
   * ```ts
   * server.setErrorHandler((error, request, reply) => {
   *   if (!(error instanceof NoSuchUser)) throw error
   *   return reply.code(404).send({ message: error.message })
   * })
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_ERROR_HANDLER_NOT_FN
   */
  setErrorHandler(handler: ErrorHandler): Server
  /**
   * Sets what answers, below the prefix of this context, where there is no route. The request hooks of the context run before it,
   * and then those among `options`; without a handler the default one answers.
   * ```ts
   * server.setNotFoundHandler((request, reply) => reply.code(404).send({ nothingAt: request.url }))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_NOT_FOUND_HANDLER_PRESENT where the prefix has one
   */
  setNotFoundHandler(handler?: RouteHandler<any>): Server
  setNotFoundHandler(options: LifecycleHookOptions, handler: RouteHandler<any>): Server
  /** Sets what makes `request.log` in this context and below. @throws ALC_ERR_INSTANCE_ALREADY_LISTENING */
  setChildLoggerFactory(factory: ChildLoggerFactory): Server
  /**
   * Sets what makes the ids of requests, in this context and below, that bring none. Synchronous.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setGenReqId(generate: (raw: IncomingMessage) => string): Server
  /** Does nothing: types come from the schemas. For code that was written for Fastify. */
  withTypeProvider<_Provider = unknown>(): Server

  /**
   * Adds a parser of bodies to this context and those below, for media types, RegExps on them, or `*`, whatever has no other.
   * `application/json` is for all `+json` types as well. The built-in parsers of `application/json` and `text/plain` may be
   * replaced.
   * ```ts
   * server.addContentTypeParser('text/csv', { parseAs: 'string' }, (request, text, done) => done(null, text.split('\n')))
   * server.addContentTypeParser(/^image\//, async (request, stream) => store(stream))
   * ```
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED, ALC_ERR_CTP_INVALID_TYPE, ALC_ERR_CTP_EMPTY_TYPE, ALC_ERR_CTP_INVALID_HANDLER,
   * ALC_ERR_CTP_INVALID_PARSE_TYPE, ALC_ERR_CTP_ALREADY_PRESENT, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT
   */
  addContentTypeParser(type: string | RegExp | (string | RegExp)[], parser: ContentTypeParser): Server
  addContentTypeParser(type: string | RegExp | (string | RegExp)[], options: ContentTypeParserOptions, parser: ContentTypeParser): Server
  /** Whether a parser was added for exactly this type or RegExp, here or in an ancestor. */
  hasContentTypeParser(type: string | RegExp): boolean
  /**
   * Removes parsers from this context; those below that exist already keep theirs.
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED, ALC_ERR_CTP_INVALID_TYPE
   */
  removeContentTypeParser(type: string | RegExp | (string | RegExp)[]): void
  /**
   * Removes all parsers from this context, the built-in ones too; what an ancestor adds later does not come here.
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED
   */
  removeAllContentTypeParsers(): void
  /** Makes a parser like the built-in JSON one, with these actions: `error`, `remove` or `ignore`. */
  getDefaultJsonParser(onProtoPoisoning: string, onConstructorPoisoning: string): ContentTypeParser
  /** The built-in parser of `text/plain`, which passes on the text as it is. */
  readonly defaultTextParser: ContentTypeParser
  /**
   * Adds a strategy that routes declared from now on can be constrained by, in all contexts.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, TypeError for an async `deriveConstraint` without `done`, an Error of find-my-way
   * for a strategy that lacks something or whose name is taken
   */
  addConstraintStrategy(strategy: ConstraintStrategy): void
  /** Whether there is a strategy of this name; `version` and `host` count once a route has used them. */
  hasConstraintStrategy(name: string): boolean

  /** `await using server = createServer()` closes it. */
  [Symbol.asyncDispose](): Promise<void>
}
