/**
 * The public types of the programmatic server: what `createServer` takes and gives, what plugins, routes, hooks and
 * handlers look like.
 */
import type { BuildRecording, Prebuilt } from './prebuilt.js'
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
import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ResponseBody, RouteSchema } from './schema-types.js'

/**
 * Members that decorators add to every request, reply or server. Augment them to type what a plugin decorates:
 * ```ts
 * declare module 'alcove' { interface RequestDecorations { user: User } }
 * ```
 * In decorated classes prefer {@link RouteRequest} with typed request decorators: it says *which* routes see them.
 */
export interface RequestDecorations {}
export interface ReplyDecorations {}
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
  /** The request id: from the header named by `requestIdHeader`, else from `genReqId`. */
  readonly id: string
  readonly raw: IncomingMessage
  body: Body
  params: Params
  query: Query
  headers: Headers
  /** Logger whose lines carry the request id. */
  log: Logger
  readonly server: Server
  readonly method: string
  readonly url: string
  /** The URL before `rewriteUrl`. */
  readonly originalUrl: string
  readonly socket: Socket
  /** The client's address; behind trusted proxies (`trustProxy`) the one they forward. */
  readonly ip: string
  /** All addresses from the nearest proxy to the client; only with `trustProxy`. */
  readonly ips: string[] | undefined
  /** The host header, or the forwarded one of a trusted proxy; `host` and `hostname` are the same, as in Fastify 4. */
  readonly host: string
  readonly hostname: string
  readonly protocol: 'http' | 'https'
  /** True in a not-found handler. */
  readonly is404: boolean
  /** What the route was declared with. */
  readonly routeOptions: RouteInfo
  /** The validation failure of a route with `attachValidation: true` (spec: Errors 3). */
  validationError?: ValidationError
  /** Aborted when the client goes away before the reply is complete. */
  readonly signal: AbortSignal
  /** The compiled validator of a request part or of a schema compiled before, if any. */
  getValidationFunction(httpPartOrSchema: HttpPart | 'query' | object): ValidateFunction | undefined
  /** Compiles a schema with the route's validator compiler; compiled once per schema object. */
  compileValidationSchema(schema: object, httpPart?: HttpPart): ValidateFunction
  /** Validates any value against a request part's schema or a schema object. @throws ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION */
  validateInput(input: unknown, schemaOrPart: HttpPart | 'query' | object, httpPart?: HttpPart): unknown
}

/** What `request.routeOptions` tells of the matched route. Frozen. */
export interface RouteInfo {
  readonly method: string | string[] | undefined
  readonly url: string | undefined
  /** bytes */
  readonly bodyLimit: number
  readonly attachValidation: boolean
  readonly logLevel: string
  readonly exposeHeadRoute: boolean
  readonly prefixTrailingSlash: 'slash' | 'no-slash' | 'both'
  readonly version: string | undefined
  readonly config: RouteConfig
  readonly schema: RouteSchema | undefined
  readonly handler: RouteHandler<any>
}

/** Application data of a route, readable in hooks as `request.routeOptions.config`. */
export interface RouteConfig {
  readonly url?: string
  readonly method?: string | string[]
  readonly [key: string]: unknown
}

/**
 * A reply. `S` is the route's schema: `send` and the value a handler returns must fit the response declared for the
 * status.
 */
export interface Reply<S = unknown, Status = 200> extends ReplyDecorations {
  readonly raw: ServerResponse
  readonly request: Request
  readonly server: Server
  log: Logger
  /** True once a reply was sent or {@link hijack}ed: nothing more can be sent. */
  readonly sent: boolean
  statusCode: number
  /** ms since the request came; stops with the response. */
  readonly elapsedTime: number
  /** Chooses the status, 200 to 599. @throws ALC_ERR_BAD_STATUS_CODE */
  code<N extends number>(status: N): Reply<S, N>
  status<N extends number>(status: N): Reply<S, N>
  header(name: string, value?: unknown): this
  headers(values: object): this
  getHeader(name: string): number | string | string[] | undefined
  getHeaders(): OutgoingHttpHeaders
  hasHeader(name: string): boolean
  removeHeader(name: string): this
  type(contentType: string): this
  /** Redirects with `code` (default 302, or the status chosen before): `redirect(url, code?)` or `redirect(code, url)`. */
  redirect(url: string, code?: number): this
  redirect(code: number, url: string): this
  /** Adds a trailer, computed after the body. @throws ALC_ERR_BAD_TRAILER_NAME, ALC_ERR_BAD_TRAILER_VALUE */
  trailer(name: string, compute: TrailerFunction): this
  hasTrailer(name: string): boolean
  removeTrailer(name: string): this
  /** Sets the serializer of this one reply (spec: Declaring and organizing). */
  serializer(serialize: (payload: any) => string | Buffer): this
  /** Serializes a value as `send` would. */
  serialize(payload: unknown): string | Buffer
  getSerializationFunction(schemaOrStatus: object | string | number, contentType?: string): SerializeFunction | undefined
  compileSerializationSchema(schema: object, httpStatus?: string | null, contentType?: string | null): SerializeFunction
  serializeInput(input: unknown, schemaOrStatus: object | string | number, httpStatus?: string | null, contentType?: string | null): string
  /** Takes the response out of the framework's hands: nothing of it is sent or hooked any more. */
  hijack(): this
  /** Runs the not-found handler of the route's context. */
  callNotFound(): this
  /** Sends a string, Buffer, typed array, stream, web stream, `Response`, Error, or a value to be serialized. */
  send(payload?: SendBody<S, Status>): this
  then(onSent: (value: undefined) => void, onError: (error: Error) => void): void
}

type SendBody<S, Status> =
  unknown extends ResponseBody<S, Status> ? unknown : ResponseBody<S, Status> | Error | Readable | Buffer | ReadableStream | null

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
  onRequest: RequestHook
  preParsing: (this: Server, request: any, reply: any, payload: Readable, done: DonePayload<Readable>) => unknown
  preValidation: RequestHook
  preHandler: RequestHook
  preSerialization: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  onSend: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  onResponse: RequestHook
  onError: (this: Server, request: any, reply: any, error: any, done: () => void) => unknown
  onTimeout: RequestHook
  onRequestAbort: (this: Server, request: any, done: Done) => unknown
  onRoute: (this: Server, options: RouteOptions<any> & { routePath: string; path: string; prefix: string }) => void
  onRegister: (this: Server, instance: Server, options: any) => void
  onReady: (this: Server, done: Done) => unknown
  onListen: (this: Server, done: Done) => unknown
  preClose: (this: Server, done: Done) => unknown
  onClose: (instance: Server, done: Done) => unknown
}
export type HookName = keyof Hooks
/** The hooks that belong to a request; a route may carry them as options. */
export type LifecycleHookName = Exclude<HookName, 'onRoute' | 'onRegister' | 'onReady' | 'onListen' | 'preClose' | 'onClose'>

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
  schema?: S | undefined
  /** On a validation failure run the handler with `request.validationError` instead of replying 400 (spec: Errors 3). */
  attachValidation?: boolean | undefined
  validatorCompiler?: ValidatorCompiler | undefined
  serializerCompiler?: SerializerCompiler | undefined
  schemaErrorFormatter?: SchemaErrorFormatter | undefined
  errorHandler?: ErrorHandler | undefined
  handler?: RouteHandler<S> | undefined
  /** Application data, readable in hooks as `request.routeOptions.config`. */
  config?: object | undefined
  constraints?: Record<string, unknown> | undefined
  /** bytes; default: the server's `bodyLimit` */
  bodyLimit?: number | undefined
  /** ms; default: the server's `handlerTimeout` */
  handlerTimeout?: number | undefined
  logLevel?: string | undefined
  logSerializers?: Record<string, (value: any) => unknown> | undefined
  childLoggerFactory?: ChildLoggerFactory | undefined
  exposeHeadRoute?: boolean | undefined
  /** What a route `/` inside a prefix answers to: the prefix with a slash, without, or both (default). */
  prefixTrailingSlash?: 'slash' | 'no-slash' | 'both' | undefined
}

export interface RouteOptions<S = RouteSchema> extends RouteShorthandOptions<S> {
  method: HttpMethod | Lowercase<HttpMethod> | readonly (HttpMethod | Lowercase<HttpMethod>)[]
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

export interface RegisterOptions {
  prefix?: string
  logLevel?: string
  logSerializers?: Record<string, (value: any) => unknown>
}

/** `fn(errors, dataVar)`; synchronous; must return an Error (spec: Compilers and handlers). `this` is the server. */
export type SchemaErrorFormatter = (this: Server, errors: SchemaErrorDetail[], dataVar: HttpPart) => Error
export type ErrorHandler<E = any> = (this: Server, error: E, request: Request<any, any, any, any>, reply: Reply<any, any>) => unknown
/** `fn({ schema, method, url, httpPart })` returns `data => result`. */
export type ValidatorCompiler<S = any> = (route: { schema: S; method: string; url: string; httpPart: HttpPart }) => ValidateFunction
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
export type SerializeFunction = (data: any) => string
export type ReplySerializer = (payload: any, statusCode: number) => string | Buffer

/** One error of the default validator (ajv's own object, untouched). */
export interface SchemaErrorDetail {
  keyword: string
  instancePath: string
  schemaPath: string
  params: Record<string, any>
  message?: string
}

/** The error of a failed validation (spec: Validation error object). */
export interface ValidationError extends Error {
  statusCode: number
  code: string
  validation: any
  validationContext: ValidationContext
}

export interface Logger {
  level?: string
  trace: LogFunction
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
  fatal: LogFunction
  silent?: LogFunction
  child(bindings: object, options?: object): Logger
}
export interface LogFunction {
  (message: string, ...args: unknown[]): void
  (values: unknown, message?: string, ...args: unknown[]): void
}
export type ChildLoggerFactory = (
  this: Server,
  logger: Logger,
  bindings: Record<string, unknown>,
  options: object,
  raw: IncomingMessage,
) => Logger

/** A content-type parser: with `parseAs` it gets the whole body, else the stream. */
export type ContentTypeParser = (this: void, request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown

export interface ContentTypeParserOptions {
  parseAs?: 'string' | 'buffer' | undefined
  /** bytes; default: the server's `bodyLimit` */
  bodyLimit?: number | undefined
}

/** A shared schema; `$id` is how it is referred to (spec: Shared schema). */
export interface SharedSchema {
  $id?: string
  [keyword: string]: unknown
}

/** Builds the compilers of a context from its shared schemas. */
export interface SchemaController {
  bucket?: (parentSchemas?: Record<string, any>) => SchemaBucket
  compilersFactory?: {
    buildValidator?: (externalSchemas: Record<string, any>, options: JsvOptions) => ValidatorCompiler
    buildSerializer?: (externalSchemas: Record<string, any>, options: object | undefined) => SerializerCompiler
  }
}
export interface SchemaBucket {
  add(schema: any): unknown
  getSchema(id: string): any
  getSchemas(): Record<string, any>
}

/** Options of the default validator (spec: Validation behavior 3 and 4). */
export interface JsvOptions {
  /** Validator plugins: functions, or `[function, options]`. */
  plugins?: unknown[]
  /** Merged over the baseline options. */
  customOptions?: Record<string, any>
  /** Called with every validator instance that is made. */
  onCreate?: (jsv: any) => void
}

export interface ConstraintStrategy {
  name: string
  mustMatchWhenDerived?: boolean
  storage(): { get(value: any): any; set(value: any, handler: any): void; del?(value: any): void; empty?(): void }
  validate?(value: unknown): void
  deriveConstraint(request: IncomingMessage, context?: unknown, done?: (error: Error | null, value?: unknown) => void): unknown
}

export type TrustProxy = boolean | number | string | readonly string[] | ((address: string, hop: number) => boolean)

/** What `createServer` takes. Every option is checked; an unknown one is an error (ALC_ERR_INIT_OPTS_INVALID). */
export interface ServerOptions {
  /** Name of the root context in paths and errors. Default `root`. */
  name?: string
  /** Validator engine options (spec: Construction options). */
  jsv?: JsvOptions
  schemaErrorFormatter?: SchemaErrorFormatter
  schemaController?: SchemaController
  /** Options of fast-json-stringify. */
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
  /** `true`, pino options, or a logger with pino's methods. Default: no logging. */
  logger?: boolean | object
  disableRequestLogging?: boolean
  requestIdHeader?: string | false
  requestIdLogLabel?: string
  genReqId?: (raw: IncomingMessage) => string
  childLoggerFactory?: ChildLoggerFactory
  /** bytes; default 1 MiB */
  bodyLimit?: number
  /** ms a plugin may take to load; default 10 000, 0 turns it off */
  pluginTimeout?: number
  /** ms without traffic after which a socket is closed; default 0 (off) */
  connectionTimeout?: number
  /** ms an idle keep-alive connection stays open; default 72 000 */
  keepAliveTimeout?: number
  /** ms from the request's arrival until its reply's headers are written; then 503. Default 60 000, 0 turns it off */
  handlerTimeout?: number
  /** ms in which a whole request must have come; default 300 000 */
  requestTimeout?: number
  /** default 0: no limit */
  maxRequestsPerSocket?: number
  /** ms that idle connections stay open after `close()`, for requests that are on their way; default 250 */
  closeIdleDelay?: number
  /** On close: `true` ends all connections at once, else (default) the idle ones after `closeIdleDelay`. */
  forceCloseConnections?: boolean | 'idle'
  /** Answer 503 to requests that come on open connections while the server closes, instead of serving them. Default false. */
  return503OnClosing?: boolean
  trustProxy?: TrustProxy
  rewriteUrl?: (this: Server, raw: IncomingMessage) => string
  caseSensitive?: boolean
  ignoreTrailingSlash?: boolean
  ignoreDuplicateSlashes?: boolean
  maxParamLength?: number
  allowUnsafeRegex?: boolean
  useSemicolonDelimiter?: boolean
  querystringParser?: (query: string) => Record<string, unknown>
  constraints?: Record<string, ConstraintStrategy>
  /** Register a HEAD route beside each GET route. Default true. */
  exposeHeadRoutes?: boolean
  onProtoPoisoning?: 'error' | 'remove' | 'ignore'
  onConstructorPoisoning?: 'error' | 'remove' | 'ignore'
  /** Answers for errors that happen before a route is found. */
  frameworkErrors?: (error: Error, request: Request, reply: Reply) => void
  clientErrorHandler?: (this: Server, error: NodeJS.ErrnoException, socket: Socket) => void
  serverFactory?: (handler: (request: any, response: any) => void, options: ServerOptions) => HttpServer
  http?: HttpOptions | null
  /** `allowHTTP1`: beside HTTP/2, where `http2` is on. */
  https?: (HttpsOptions & { allowHTTP1?: boolean }) | boolean | null
  http2?: boolean
  /** ms; default 72 000 */
  http2SessionTimeout?: number
}

export interface ListenOptions extends NetListenOptions {
  /** Called with each address listened at; what it returns is logged. */
  listenTextResolver?: (address: string) => string
}

export interface InjectOptions {
  method?: string
  url?: string | object
  path?: string | object
  headers?: Record<string, any>
  query?: string | Record<string, any>
  cookies?: Record<string, string>
  payload?: any
  body?: any
  authority?: string
  remoteAddress?: string
  signal?: AbortSignal
  [other: string]: unknown
}

/** The response to an {@link Server.inject}ed request. */
export interface InjectResponse {
  raw: { req: IncomingMessage; res: ServerResponse }
  headers: OutgoingHttpHeaders
  trailers: Record<string, string>
  statusCode: number
  statusMessage: string
  payload: string
  body: string
  rawPayload: Buffer
  cookies: unknown[]
  json<T = any>(): T
  stream(): Readable
}

export interface InjectChain extends Promise<InjectResponse> {
  [method: string]: any
}

export interface PrintRoutesOptions {
  method?: HttpMethod
  includeMeta?: boolean | (string | symbol)[]
  commonPrefix?: boolean
  includeHooks?: boolean
}

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
  readonly version: string
  readonly prefix: string
  readonly pluginName: string
  readonly initialConfig: Readonly<ServerOptions>
  /** Node's own HTTP server. */
  readonly server: HttpServer
  log: Logger
  readonly listeningOrigin: string
  readonly errorHandler: ErrorHandler
  readonly validatorCompiler: ValidatorCompiler | undefined
  readonly serializerCompiler: SerializerCompiler | undefined
  readonly childLoggerFactory: ChildLoggerFactory
  readonly genReqId: (raw: IncomingMessage) => string

  route<const S extends RouteSchema>(options: RouteOptions<S> & { schema: S; handler: RouteHandler<S> }): Server
  route(options: RouteOptions<unknown>): Server
  get: RouteShorthand
  head: RouteShorthand
  post: RouteShorthand
  put: RouteShorthand
  patch: RouteShorthand
  delete: RouteShorthand
  options: RouteShorthand
  /** A route for every supported method. */
  all: RouteShorthand
  hasRoute(options: { method: string; url: string; constraints?: object }): boolean
  findRoute(options: { method: string; url: string; constraints?: object }): object | null
  printRoutes(options?: PrintRoutesOptions): string
  printPlugins(): string

  /** Creates a child encapsulation context for the plugin (spec: Declaring and organizing). */
  register<Options>(
    plugin: Plugin<Options> | Promise<unknown> | { default: unknown },
    options?: (Options & RegisterOptions) | AnyOptions<NoInfer<Options>> | ((parent: Server) => Options),
  ): Server & PromiseLike<undefined>
  after(): PromiseLike<undefined> & Server
  after(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  ready(): Promise<Server>
  ready(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  close(): Promise<undefined>
  close(callback: (...args: any[]) => unknown): Server
  onClose(hook: (instance: Server, done: Done) => unknown): Server
  hasPlugin(name: string): boolean
  listen(options?: ListenOptions): Promise<string>
  listen(options: ListenOptions, callback: (error: Error | null, address: string) => void): void
  addresses(): ReturnType<HttpServer['address']>[]
  inject(options: InjectOptions | string): InjectChain
  inject(): InjectChain
  inject(options: InjectOptions | string, callback: (error: Error | undefined, response: InjectResponse) => void): void
  /** Serves a request that another Node server received. */
  routing(request: IncomingMessage, response: ServerResponse): void

  decorate(name: string | symbol, value: unknown, dependencies?: (string | symbol)[]): Server
  decorateRequest(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  decorateReply(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  hasDecorator(name: string | symbol): boolean
  hasRequestDecorator(name: string | symbol): boolean
  hasReplyDecorator(name: string | symbol): boolean

  addHook<N extends HookName>(name: N, hook: Hooks[N]): Server
  addSchema(schema: object): Server
  getSchema(id: string): any
  getSchemas(): Record<string, any>
  setValidatorCompiler(compiler: ValidatorCompiler | null): Server
  setSerializerCompiler(compiler: SerializerCompiler | null): Server
  setSchemaController(controller: SchemaController): Server
  setReplySerializer(serializer: ReplySerializer): Server
  setSchemaErrorFormatter(formatter: SchemaErrorFormatter): Server
  setErrorHandler(handler: ErrorHandler): Server
  setNotFoundHandler(handler?: RouteHandler<any>): Server
  setNotFoundHandler(options: LifecycleHookOptions, handler: RouteHandler<any>): Server
  setChildLoggerFactory(factory: ChildLoggerFactory): Server
  setGenReqId(generate: (raw: IncomingMessage) => string): Server
  withTypeProvider<_Provider = unknown>(): Server

  addContentTypeParser(type: string | RegExp | (string | RegExp)[], parser: ContentTypeParser): Server
  addContentTypeParser(type: string | RegExp | (string | RegExp)[], options: ContentTypeParserOptions, parser: ContentTypeParser): Server
  hasContentTypeParser(type: string | RegExp): boolean
  removeContentTypeParser(type: string | RegExp | (string | RegExp)[]): void
  removeAllContentTypeParsers(): void
  getDefaultJsonParser(onProtoPoisoning: string, onConstructorPoisoning: string): ContentTypeParser
  readonly defaultTextParser: ContentTypeParser
  addConstraintStrategy(strategy: ConstraintStrategy): void
  hasConstraintStrategy(name: string): boolean

  [Symbol.asyncDispose](): Promise<void>
}
