/** The server instance. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { ListenOptions as NetListenOptions } from 'node:net'
import type { ReplySerializer, SchemaController, SchemaErrorFormatter, SerializerCompiler, ValidatorCompiler } from './compilers.js'
import type { ContentTypeParser, ContentTypeParserOptions } from './content-type-parser.js'
import type { ServerDecorations } from './decorations.js'
import type { Done, HookName, Hooks, LifecycleHookOptions } from './hooks.js'
import type { InjectChain, InjectOptions, InjectResponse } from './inject.js'
import type { ChildLoggerFactory, Logger } from './logger.js'
import type { ServerOptions } from './options.js'
import type { AnyOptions, Plugin, RegisterOptions } from './plugin.js'
import type { ConstraintStrategy, ErrorHandler, PrintRoutesOptions, RouteHandler, RouteOptions, RouteShorthand } from './route.js'
import type { RouteSchema } from './schema.js'

/**
 * Where {@link Server.listen} listens: the options of Node's `server.listen`. `host` is `localhost` by default, `port` is 0 (any
 * that is free); `path` is that of a Unix socket or a named pipe. `signal` closes the server when it is aborted.
 */
export interface ListenOptions extends NetListenOptions {
  /** Called with each address listened at; what it returns is logged. Default: `Server listening at http://127.0.0.1:3000`. */
  listenTextResolver?: (address: string) => string
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
