/** The server instance, as applications and plugins use it, and the options of `listen`. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { ListenOptions as NetListenOptions } from 'node:net'
import type { ReplySerializer, SchemaController, SchemaErrorFormatter, SerializerCompiler, ValidatorCompiler } from './compilers.js'
import type { ServerDecorations } from './decorations.js'
import type { Done, HookName, Hooks, LifecycleHookOptions } from './hooks.js'
import type { FetchOptions, InjectChain, InjectOptions, InjectResponse } from './inject.js'
import type { ChildLoggerFactory, Logger } from './logger.js'
import type { Narrowed } from './narrowed.js'
import type { ServerOptions } from './options.js'
import type { ForeignOptions, ForeignPlugin, OptionsOrFunction, Plugin, RegisterOptions, SafePromiseLike } from './plugin.js'
import type { ContentTypeParser, ContentTypeParserOptions } from './request.js'
import type {
  RouteSchema,
  AddedShorthands,
  ConstraintStrategy,
  ErrorHandler,
  ErrorMembers,
  PrintRoutesOptions,
  RouteHandler,
  RouteOptions,
  RouteShorthand,
} from './route.js'

/**
 * The address that {@link Server.listen} listens on: the options of Node's `server.listen`. The default of `host` is `localhost`, and of
 * `port` 0 (any free port). `path` is the path of a Unix socket or a named pipe, and is ignored if `port` is given. `signal`
 * closes the server when it is aborted; if the server does not listen yet, the returned address is `undefined`.
 */
export interface ListenOptions extends NetListenOptions {
  /** Returns the text to log for each address. Default: `Server listening at http://127.0.0.1:3000`. */
  listenTextResolver?: (address: string) => string
}

/**
 * A server instance: the root that `createServer` returns, or the child that a plugin receives. A parent instance is the prototype of its
 * child instances. Declarations on a child apply to the child's context and to the contexts below it.
 * @interface
 */
export type Server = ServerMembers & ServerDecorations & AddedShorthands

/** The built-in members of a {@link Server}. Exported only for the files beside this one. */
export interface ServerMembers extends ErrorMembers {
  /** The version of Fastify that plugins check: `4.26.2`, or one of Fastify 5 with `alcove/fastify`. It is not that of this package. */
  readonly version: string
  /** Prefix of the routes that are declared on this instance: `/users`. Empty at the root. */
  readonly prefix: string
  /** Names of the plugins in this context: `users -> cookies`. The root is called `fastify`, because plugins expect that name. */
  readonly pluginName: string
  /**
   * Most limits, times and flags that apply, set or by default; of `http2`, `https`, `forceCloseConnections` and `routerOptions` only set
   * ones. Frozen, without secrets, and without functions except those in `routerOptions`.
   */
  readonly initialConfig: Readonly<ServerOptions>
  /** Node's HTTP server. */
  readonly server: HttpServer
  /** The server's logger. It is silent without the option `logger` or `loggerInstance`. */
  log: Narrowed<'log', Logger>
  /** The address of the server: `http://127.0.0.1:3000` or the path of its socket. The text `null` while it does not listen. */
  readonly listeningOrigin: string
  /** The error handler of this context. */
  readonly errorHandler: ErrorHandler
  /** The validator compiler of this context. `undefined` if none was set and no route has needed one yet. */
  readonly validatorCompiler: ValidatorCompiler | undefined
  /** The serializer compiler of this context. `undefined` if none was set and no route has needed one yet. */
  readonly serializerCompiler: SerializerCompiler | undefined
  /** The factory of `request.log` in this context. */
  readonly childLoggerFactory: ChildLoggerFactory
  /** Returns the id of a request in this context: from the request's header, or a new id. */
  readonly genReqId: (raw: IncomingMessage) => string

  /**
   * Declares a route in this context. By default a GET route also gets a HEAD route.
   * ```ts
   * server.route({ method: ['PUT', 'PATCH'], path: '/users/:id', schema: { body: user }, handler: (request) => save(request.body) })
   * ```
   * {@link ready} reports faults of the route's schemas.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_ROUTE_OPTIONS_NOT_OBJ, ALC_ERR_ROUTE_METHOD_INVALID,
   * ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED, ALC_ERR_INVALID_URL, ALC_ERR_ROUTE_MISSING_HANDLER, ALC_ERR_ROUTE_HANDLER_NOT_FN,
   * ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT,
   * ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT, ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER,
   * ALC_ERR_DUPLICATED_ROUTE; an Error of find-my-way if the path or the constraints are invalid
   */
  route<const S extends RouteSchema>(options: RouteOptions<S> & { schema: S; handler: RouteHandler<S> }): Server
  route(options: RouteOptions<unknown>): Server
  /**
   * Declares a GET route, which by default also gets a HEAD route. The methods for other HTTP methods (`post`, `put` …) are called in the same way:
   * ```ts
   * server.get('/users', (request) => list())
   * server.get('/users/:id', { schema: { params } }, (request) => find(request.params.id))
   * server.get('/users/:id', { schema: { params }, handler: (request) => find(request.params.id) })
   * ```
   * @throws the codes of {@link route}, ALC_ERR_ROUTE_DUPLICATED_HANDLER
   */
  get: RouteShorthand
  /** Declares a HEAD route. It replaces a HEAD route that was made for a GET route. */
  head: RouteShorthand
  /** Declares a POST route. */
  post: RouteShorthand
  /** Declares a PUT route. */
  put: RouteShorthand
  /** Declares a PATCH route. */
  patch: RouteShorthand
  /** Declares a DELETE route. */
  delete: RouteShorthand
  /** Declares an OPTIONS route. */
  options: RouteShorthand
  /** Declares a TRACE route. */
  trace: RouteShorthand
  /**
   * Declares a QUERY route: safe and idempotent as GET, with a body that says what is asked for (RFC 10008). A request without a media type
   * gets a 400 (ALC_ERR_ROUTE_MISSING_CONTENT_TYPE). The HTTP parser of Node must know the method (`http.METHODS`); otherwise declaring a
   * QUERY route throws.
   */
  query: RouteShorthand
  /** Declares a route for every method that this context knows. */
  all: RouteShorthand
  /** The methods, in capitals, that have a member such as `get`. {@link route} also takes methods of WebDAV. Returns a new list each time. */
  readonly supportedMethods: string[]
  /**
   * Adds an HTTP method to this context and below, for {@link route} and {@link all}, and adds a member with its name (`server.report`),
   * unless there is one already. The method must be one of Node's `http.METHODS`, except CONNECT.
   * ```ts
   * server.addHttpMethod('REPORT', { hasBody: true })
   * server.route({ method: 'REPORT', path: '/calendar', handler })
   * ```
   * For types, augment {@link AddedMethods}. A method that has a member already gets the new `hasBody`, also for routes that were declared
   * earlier; without `overrideExisting` a warning is logged.
   * @param options.hasBody whether the body is read by the content-type parsers, as for POST; default `false`
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_ROUTE_METHOD_INVALID, ALC_ERR_SETTING_INVALID
   */
  addHttpMethod(method: string, options?: { hasBody?: boolean; overrideExisting?: boolean }): Server
  /**
   * Returns whether a route would answer a method and a URL (as {@link findRoute} does), or whether a route was declared with exactly this
   * path: `/users/:id(^\\d+$)`.
   */
  hasRoute(options: { method: string; url: string; constraints?: object }): boolean
  /**
   * Finds the route that would answer a method and a URL: `/users/:id` for `/users/7`. Returns the router's
   * `{ handler, params, searchParams }`, or `null`. The `handler` in it is a function of the router, not of the application.
   */
  findRoute(options: { method: string; url: string; constraints?: object }): object | null
  /** Returns the routes as a tree for people to read. */
  printRoutes(options?: PrintRoutesOptions): string
  /** Returns the plugins as a tree for people to read, with the ms that each took to load. The tree is complete after `ready`. */
  printPlugins(): string

  /**
   * Registers a plugin, which gets its own child context; a plugin that is wrapped by fastify-plugin uses this context instead. `await`
   * loads the plugins that were registered so far, {@link ready} all of them, one after the other.
   * ```ts
   * server.register(async (users: Server) => void users.get('/:id', find), { prefix: '/users' })
   * server.register(import('@fastify/bearer-auth'), { keys: ['abc123'] })
   * ```
   * Options may be a function of the parent instance, which is called when the plugin is about to be loaded.
   * @throws ALC_ERR_PLUGIN_NOT_VALID, ALC_ERR_ROOT_PLG_BOOTED, ALC_ERR_PARENT_PLUGIN_BOOTED. The boot fails with an error that a plugin
   * throws, ALC_ERR_PLUGIN_TIMEOUT, ALC_ERR_PLUGIN_REJECTED_EMPTY, ALC_ERR_PLUGIN_VERSION_MISMATCH, ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE
   * or ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED
   */
  register(plugin: Plugin<{}>): Server & SafePromiseLike<undefined>
  // For a function that is written in the call: `instance` is a Server there, and `options` have the type of the options in the call.
  register<Options>(plugin: Plugin<Options>, options: OptionsOrFunction<Options & RegisterOptions>): Server & SafePromiseLike<undefined>
  register<P extends ForeignPlugin>(plugin: P, ...rest: ForeignOptions<P>): Server & SafePromiseLike<undefined>
  /**
   * Waits for the plugins that were registered so far. A callback with a parameter `error` receives the failure of a plugin, which then counts
   * as handled. A callback with a second parameter, `done`, must call it. Without a callback the promise is rejected with the failure, and the
   * boot fails too.
   * ```ts
   * server.register(database).after((error) => error && server.log.warn(error, 'without a database'))
   * ```
   */
  after(): Server & SafePromiseLike<undefined>
  after(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  /**
   * Loads all plugins, compiles the routes and runs the onReady hooks. `listen`, `inject` and `fetch` call it. A second call returns the
   * same result. Afterwards nothing more can be declared, except by {@link onClose}.
   * @throws the error of a plugin or a hook, ALC_ERR_HOOK_TIMEOUT, the ALC_ERR_SCH_… codes; ALC_ERR_BOOT_FAULTS if several routes
   * have faults with different codes
   */
  ready(): Promise<Server>
  ready(callback: (error: Error | null, ...rest: any[]) => unknown): Server
  /**
   * Closes the server: preClose hooks run, the port is closed, requests in flight have `closeTimeout` to complete, and onClose hooks run. It
   * may be called at any time and more than once, but a handler must not await it: it waits for the handler. A closed server cannot be used
   * again. A callback with two parameters, `(error, done)`, must call `done`.
   */
  close(): Promise<undefined>
  close(callback: (...args: any[]) => unknown): Server
  /** Adds an onClose hook. This method may be called after `ready` as well. */
  onClose(hook: (instance: Server, done: Done) => unknown): Server
  /**
   * Returns whether a plugin is registered here or in an ancestor, by the name that was given to fastify-plugin. The names in
   * {@link pluginName} count too.
   */
  hasPlugin(name: string): boolean
  /**
   * Boots the server if necessary, opens the port and runs the onListen hooks. With `localhost`, the default host, it listens on all
   * addresses of that name, unless `serverFactory` made the server.
   * ```ts
   * await server.listen({ port: 3000, host: '0.0.0.0' }) // http://0.0.0.0:3000
   * ```
   * @returns the address, `http://127.0.0.1:3000`, or the path of the socket; a callback is called with `(error, address)`. If
   * `closeOnSignals` closes the server meanwhile, the promise never settles: the process ends
   * @throws ALC_ERR_LISTEN_OPTIONS_INVALID, ALC_ERR_REOPENED_SERVER, ALC_ERR_REOPENED_CLOSE_SERVER, the errors of {@link ready}, and errors
   * of the system (EADDRINUSE …), with a hint how to solve them
   */
  listen(options: ListenOptions & { signal: AbortSignal }): Promise<string | undefined>
  listen(options?: ListenOptions): Promise<string>
  listen(options: ListenOptions, callback: (error: Error | null, address: string) => void): void
  /** Returns all addresses that the server listens on, in the form of Node's `server.address()`. */
  addresses(): ReturnType<HttpServer['address']>[]
  /**
   * Sends a request without a socket, for tests and scripts. Boots the server if necessary. Without options it returns a chain of
   * methods that build the request.
   * ```ts
   * const { statusCode, body } = await server.inject({ method: 'POST', url: '/users', payload: { name: 'Ada' } })
   * ```
   * @throws ALC_ERR_REOPENED_CLOSE_SERVER after `close`, the errors of {@link ready}
   */
  inject(options: InjectOptions | string): InjectChain
  inject(): InjectChain
  inject(options: InjectOptions | string, callback: (error: Error | undefined, response: InjectResponse) => void): void
  /**
   * Serves a web-standard `Request` without a socket: on runtimes that call `fetch`, and in scripts. Boots the server if necessary. The
   * function needs no `this`, so `export default server` and `{ fetch: server.fetch }` work.
   * ```ts
   * const response = await server.fetch(new Request('http://localhost/users'))
   * ```
   * The promise resolves for every request, also for a request that is refused or whose client leaves; once the server closes, it resolves
   * with status 503.
   * @param options facts about the client that the runtime knows; if a runtime passes an object of its own here, it is ignored
   * @throws ALC_ERR_FETCH_REQUEST_INVALID, the errors of {@link ready}
   */
  readonly fetch: (request: globalThis.Request, options?: FetchOptions) => Promise<globalThis.Response>
  /** Serves a request that another Node server received. It must not be called before `ready`. */
  routing(request: IncomingMessage, response: ServerResponse): void

  /**
   * Adds a member to the instances of this context and below. A value `{ getter, setter }` makes it an accessor. `dependencies` are
   * names of members that must exist.
   * ```ts
   * server.decorate('db', connect(url))
   * ```
   * @throws ALC_ERR_DEC_AFTER_START, ALC_ERR_DEC_ALREADY_PRESENT, ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE,
   * ALC_ERR_DEC_MISSING_DEPENDENCY
   */
  decorate(name: string | symbol, value: unknown, dependencies?: (string | symbol)[]): Server
  /**
   * Adds a member to the requests of this context and below: a value that each request starts with, a method, or an accessor
   * `{ getter, setter }`, whose `this` is the request. Objects and arrays are refused, because all requests would share them: use
   * `null` and set the value in a hook.
   * ```ts
   * server.decorateRequest('user', null)
   * server.addHook('onRequest', async (request) => void (request.user = await authenticate(request)))
   * ```
   * @throws ALC_ERR_DEC_REFERENCE_TYPE for an object or array, ALC_ERR_DEC_AFTER_START, ALC_ERR_DEC_ALREADY_PRESENT (the name is taken
   * in this context, by a value of an ancestor, or by a built-in member), ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE,
   * ALC_ERR_DEC_MISSING_DEPENDENCY
   */
  decorateRequest(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  /** Adds a member to the replies of this context and below, with the same rules and errors as {@link decorateRequest}. */
  decorateReply(name: string | symbol, value?: unknown, dependencies?: (string | symbol)[]): Server
  /** Returns whether instances of this context have a member of this name, including inherited and built-in members. */
  hasDecorator(name: string | symbol): boolean
  /** Returns whether requests of this context have a member of this name. */
  hasRequestDecorator(name: string | symbol): boolean
  /** Returns whether replies of this context have a member of this name. */
  hasReplyDecorator(name: string | symbol): boolean
  /**
   * Returns a member of this instance, inherited and built-in members included. A function is bound to the instance.
   * ```ts
   * const db = server.getDecorator<Database>('db')
   * ```
   * @throws ALC_ERR_DEC_UNDECLARED if there is no member of this name
   */
  getDecorator<T = unknown>(name: string | symbol): T

  /**
   * Adds a hook to this context. Hooks of a request run for all routes here and below, even if a route was declared earlier. onRoute and
   * onRegister hooks run for routes and contexts that are declared later. The other hooks run once. {@link Hooks} lists all hooks.
   * ```ts
   * server.addHook('onRequest', async (request, reply) => {
   *   if (request.headers.authorization === undefined) return reply.code(401).send()
   * })
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_HOOK_INVALID_TYPE, ALC_ERR_HOOK_NOT_SUPPORTED, ALC_ERR_HOOK_INVALID_HANDLER,
   * ALC_ERR_HOOK_INVALID_ASYNC_HANDLER (an async function that also takes `done`)
   */
  addHook<N extends HookName>(name: N, hook: Hooks[N]): Server
  /**
   * Adds a copy of a shared schema to this context and the contexts below.
   * ```ts
   * server.addSchema({ $id: 'user', type: 'object', properties: { name: { type: 'string' } } }) // { $ref: 'user#' }
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SCH_MISSING_ID, ALC_ERR_SCH_ALREADY_PRESENT
   */
  addSchema(schema: object): Server
  /** Returns the shared schema with this `$id`, if it is visible here. */
  getSchema(id: string): any
  /** Returns all shared schemas that are visible here, by `$id`. */
  getSchemas(): Record<string, any>
  /**
   * Sets the compiler for the request schemas of this context and below. `null` restores the default compiler.
   * ```ts
   * server.setValidatorCompiler(({ schema }) => (data) => schema.validate(data)) // Joi
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setValidatorCompiler(compiler: ValidatorCompiler | null): Server
  /**
   * Sets the compiler for the response schemas of this context and below. `null` restores the default compiler.
   * ```ts
   * server.setSerializerCompiler(() => (data) => JSON.stringify(data))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setSerializerCompiler(compiler: SerializerCompiler | null): Server
  /**
   * Sets how the shared schemas of this context and below are stored, how compilers are made from them, and whether the default validator
   * coerces JSON bodies. Settings that are omitted stay as they are.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SETTING_INVALID
   */
  setSchemaController(controller: SchemaController): Server
  /**
   * Sets the serializer of this context and below for payloads that are not strings, bytes, streams, a `Response` or the default payload of a
   * thrown error. It is used in place of response schemas, but `reply.serializer` takes precedence over it.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setReplySerializer(serializer: ReplySerializer): Server
  /**
   * Sets the function that makes the errors of failed validations in this context and below.
   * ```ts
   * server.setSchemaErrorFormatter((errors, part) => new Error(`${part}: ${errors[0]?.message}`))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN (also for an async function)
   */
  setSchemaErrorFormatter(formatter: SchemaErrorFormatter): Server
  /**
   * Sets the handler for requests below the prefix of this context that match no route. The request hooks of the context run for them, and
   * those in `options`, in each stage after those of the context. Without a handler the default handler answers.
   * ```ts
   * server.setNotFoundHandler((request, reply) => reply.code(404).send({ nothingAt: request.url }))
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_NOT_FOUND_HANDLER_PRESENT if the prefix has a handler already
   */
  setNotFoundHandler(handler?: RouteHandler<any>): Server
  setNotFoundHandler(options: LifecycleHookOptions, handler: RouteHandler<any>): Server
  /** Sets the factory of `request.log` in this context and below. @throws ALC_ERR_INSTANCE_ALREADY_LISTENING */
  setChildLoggerFactory(factory: ChildLoggerFactory): Server
  /**
   * Sets the function that makes the ids of requests in this context and below, if the request has no id in its header. Synchronous.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING
   */
  setGenReqId(generate: (raw: IncomingMessage) => string): Server
  /**
   * Does nothing, because types come from the schemas. The method exists for code that was written for Fastify. With `alcove/fastify-types`
   * the types come from the provider.
   */
  withTypeProvider: Narrowed<'withTypeProvider', <_Provider = unknown>() => Server>

  /**
   * Adds a body parser to this context and below. `type` is a media type or a part of one, a RegExp on it, `*` for all other bodies, or a list
   * of these. A parser of `application/json` takes all `+json` types as well. The built-in parsers (JSON, `text/plain`) may be replaced.
   * ```ts
   * server.addContentTypeParser('text/csv', { parseAs: 'string' }, (request, text, done) => done(null, text.split('\n')))
   * server.addContentTypeParser(/^image\//, async (request, stream) => store(stream))
   * ```
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED, ALC_ERR_CTP_INVALID_TYPE, ALC_ERR_CTP_EMPTY_TYPE, ALC_ERR_CTP_INVALID_HANDLER,
   * ALC_ERR_CTP_INVALID_PARSE_TYPE, ALC_ERR_CTP_ALREADY_PRESENT, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT
   */
  addContentTypeParser(type: string | RegExp | (string | RegExp)[], parser: ContentTypeParser): Server
  addContentTypeParser(type: string | RegExp | (string | RegExp)[], options: ContentTypeParserOptions, parser: ContentTypeParser): Server
  /** Returns whether there is a parser for exactly this type or RegExp, here or from an ancestor. @throws ALC_ERR_CTP_INVALID_TYPE */
  hasContentTypeParser(type: string | RegExp): boolean
  /**
   * Removes parsers from this context. Contexts below that exist already keep their parsers.
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED, ALC_ERR_CTP_INVALID_TYPE
   */
  removeContentTypeParser(type: string | RegExp | (string | RegExp)[]): void
  /**
   * Removes all parsers from this context, including the built-in ones. Parsers that an ancestor adds later are not added to this context.
   * @throws ALC_ERR_CTP_INSTANCE_ALREADY_STARTED
   */
  removeAllContentTypeParsers(): void
  /** Makes a parser like the built-in JSON parser. Each action is `error`, `remove` or `ignore`, as for the options of these names. */
  getDefaultJsonParser(onProtoPoisoning: string, onConstructorPoisoning: string): ContentTypeParser
  /** The built-in parser of `text/plain`. The body is the text. */
  readonly defaultTextParser: ContentTypeParser
  /**
   * Adds a constraint strategy for routes that are declared later, in all contexts.
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, TypeError for an async `deriveConstraint` without `done`, an Error of find-my-way
   * if the strategy is incomplete or its name is taken
   */
  addConstraintStrategy(strategy: ConstraintStrategy): void
  /** Returns whether a strategy of this name exists; for the built-in `version` and `host`, whether a route uses the strategy. */
  hasConstraintStrategy(name: string): boolean

  /** Closes the server at the end of the block in which it is declared: `await using server = createServer()`. */
  [Symbol.asyncDispose](): Promise<void>
}
