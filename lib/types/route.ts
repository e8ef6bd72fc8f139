/** The options of routes, the functions that answer their requests, and constraint strategies. */
import type { IncomingMessage } from 'node:http'
import type { HttpErrorClass } from '../errors/http-error.js'
import type { SchemaErrorFormatter, SerializerCompiler, ValidatorCompiler } from './compilers.js'
import type { AddedMethods, PluginRouteOptions } from './decorations.js'
import type { Deprecation, RouteDocs } from './description.js'
import type { LifecycleHookOptions } from './hooks.js'
import type { ChildLoggerFactory } from './logger.js'
import type { Narrowed } from './narrowed.js'
import type { Reply, SchemaReply } from './reply.js'
import type { Request, SchemaRequest } from './request.js'
import type { Server } from './server.js'

/**
 * The option `schema` of a route: schemas of the request parts and of the responses. Other keys, such as `tags`, are allowed, for plugins.
 */
export interface RouteSchema {
  /**
   * The schema of the body, or schemas by media type: `{ content: { 'text/csv': { schema } } }`. Only allowed for POST, PUT and
   * PATCH; with `alcove/fastify`, for every method whose body is read.
   */
  readonly body?: unknown
  /** The schema of the query string. */
  readonly querystring?: unknown
  /** Alias of `querystring`. Two different schemas for them are an error. */
  readonly query?: unknown
  /** The schema of the parameters of the path. */
  readonly params?: unknown
  /** The schema of the headers. Its names may be in upper or lower case. */
  readonly headers?: unknown
  /**
   * The schema of the cookies. Their names are case-sensitive. With `additionalProperties: false`, cookies that the schema does not name
   * are removed.
   */
  readonly cookies?: unknown
  /**
   * The schemas of replies, by status (`200`), range (`2xx`) or `default`. An entry may be `{ description, content: { [mediaType]: { schema
   * } } }`.
   */
  readonly response?: { readonly [status: string | number]: unknown }
  /**
   * Media types that `body` applies to, besides JSON, `text/plain` if its type is `string`, and each type for which the same context has a
   * parser of exactly this type.
   */
  readonly consumes?: readonly string[]
  // The names that Fastify's generics have: `post<{ Body: User }>` names types, not schemas.
  readonly Body?: never
  readonly Querystring?: never
  readonly Params?: never
  readonly Headers?: never
  readonly Reply?: never
  readonly [other: string]: unknown
}

/** Handles a request: returns the payload or a promise of it, or calls `reply.send`. `this` is the server instance. */
export type RouteHandler<S = unknown> = (this: Server, request: SchemaRequest<S>, reply: SchemaReply<S>) => unknown

/**
 * Answers an error: returns the payload or a promise of it, or calls `reply.send`. The error does not change the status of the reply, which
 * is 200 unless it was set: set the status here. If the error handler throws, the next outer error handler is called.
 */
export type ErrorHandler<E = any> = (this: Server, error: E, request: Request<any, any, any, any>, reply: Reply<any, any>) => unknown

/** The members of a server for answering errors. Exported only for the files beside this one. */
export interface ErrorMembers {
  /**
   * Sets how the errors of this context and below are written: `problem` for problem details (RFC 9457), `default` for `{ statusCode,
   * code?, error, message }`. If the context has a prefix, the format applies to unknown paths below that prefix too. Payloads that error
   * handlers send themselves are not changed.
   * ```ts
   * server.register(async (api) => void api.setErrorFormat('problem').get('/users/:id', find), { prefix: '/api' })
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_SETTING_INVALID
   */
  setErrorFormat(format: 'default' | 'problem'): Server
  /**
   * Sets the handler that answers the errors of this context and below, unless a handler of a nearer context answers. If the handler
   * throws, the handler that was in force before is called, and finally the framework's own. An asynchronous handler that returns nothing
   * sends an empty reply, unless it has replied.
   * ```ts
   * server.setErrorHandler((error, request, reply) => {
   *   if (!(error instanceof NoSuchUser)) throw error
   *   return reply.code(404).send({ message: error.message })
   * })
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_ERROR_HANDLER_NOT_FN, ALC_ERR_ERROR_HANDLER_ALREADY_SET
   */
  setErrorHandler(handler: ErrorHandler): Server
  /**
   * Lists a class of errors ({@link httpError}) that all routes of this context and below may answer with, as if each route listed the
   * class in `throws`.
   * ```ts
   * server.addErrorClass(Unauthorized).addHook('onRequest', requireUser)
   * ```
   * @throws ALC_ERR_INSTANCE_ALREADY_LISTENING, ALC_ERR_THROWS_INVALID
   */
  addErrorClass(Class: HttpErrorClass): Server
}

/**
 * The methods that every server knows, methods of WebDAV among them. Exported only for the files beside this one and the table of methods.
 */
export type KnownMethod =
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
  | 'QUERY'

/** A method that routes can have: a method that the server knows, methods of WebDAV among them, or one of {@link AddedMethods}. */
export type HttpMethod = KnownMethod | Extract<keyof AddedMethods, string>

/** Options of a route besides method, path and handler. */
export interface RouteShorthandOptions<S = RouteSchema> extends LifecycleHookOptions, PluginRouteOptions {
  /** Schemas of the request parts and of the responses. They determine the types in the handler. */
  schema?: S | undefined
  /**
   * Whether the handler is called for an invalid request too, with `request.validationError` set. If not, an invalid request gets a 400.
   * Default false.
   */
  attachValidation?: boolean | undefined
  /** Compiles the request schemas of this route. Default: the context's compiler. */
  validatorCompiler?: ValidatorCompiler | undefined
  /** Compiles the response schemas of this route. Default: the context's compiler. */
  serializerCompiler?: SerializerCompiler | undefined
  /** Makes the errors of failed validations of this route. Default: the context's formatter. */
  schemaErrorFormatter?: SchemaErrorFormatter | undefined
  /** Answers the errors of this route. If this handler throws, the context's error handler is called. */
  errorHandler?: ErrorHandler | undefined
  /**
   * The classes of errors ({@link httpError}) that the route may answer with, in addition to the classes that its context lists. Their
   * schemas serialize their payloads. If the default error handler answers with a class that is not listed, the log has a warning, once.
   */
  throws?: readonly HttpErrorClass[] | undefined
  /** The handler. It is given here or as the last argument of `server.get` and the like, not both. */
  handler?: RouteHandler<S> | undefined
  /** Application data, readable in hooks as `request.routeOptions.config`. */
  config?: Narrowed<'config', object> | undefined
  /**
   * Further conditions that a request must match: `{ version: '1.2.0' }` (for `Accept-Version`), `{ host: 'example.com' }`,
   * `{ host: /…/ }`, or the value for a {@link ConstraintStrategy} of the server.
   */
  constraints?: Record<string, unknown> | undefined
  /** Texts for the documentation of the route. They replace the texts that its contexts give. */
  docs?: RouteDocs | undefined
  /**
   * Says that clients should stop using the route: `{ since: '2026-06-30', sunset: '2026-12-31', link: '/changes' }`. Replies then have the
   * headers `Deprecation` and, if they are given, `Sunset` and `Link`, and documents show the deprecation too. `true`: only documents and
   * client files show it. `false`: the route is not deprecated, even if its context is.
   */
  deprecated?: boolean | Deprecation | undefined
  /** bytes that a body may have; default: the limit of the body's parser */
  bodyLimit?: number | undefined
  /** ms until the headers of the reply must be written, unless a stream was sent; default: the server's `handlerTimeout`; 0: no limit */
  handlerTimeout?: number | undefined
  /** Level of `request.log`. Default: the context's level. */
  logLevel?: string | undefined
  /** Serializers of `request.log` by key, merged over the context's serializers. */
  logSerializers?: Record<string, (value: any) => unknown> | undefined
  /** Makes `request.log`. Default: the context's factory. */
  childLoggerFactory?: ChildLoggerFactory | undefined
  /** Whether a GET route also gets a HEAD route. Default: the server's `exposeHeadRoutes`. */
  exposeHeadRoute?: boolean | undefined
  /**
   * Whether a route `/` inside the prefix of a plugin (in classes also a route without a path) matches the prefix with a slash, without
   * one, or both (default). A HEAD route of its own matches only the slash.
   */
  prefixTrailingSlash?: 'slash' | 'no-slash' | 'both' | undefined
}

/**
 * Options of {@link Server.route}, which needs a `method`, a `path` (or `url`) and a `handler`:
 * ```ts
 * server.route({ method: 'GET', path: '/users/:id', handler: (request) => find(request.params.id) })
 * ```
 */
export interface RouteOptions<S = RouteSchema> extends RouteShorthandOptions<S> {
  /** The method of the route, or several methods, in upper or lower case. */
  method: HttpMethod | Lowercase<HttpMethod> | readonly (HttpMethod | Lowercase<HttpMethod>)[]
  /** The path after the context's prefix, in find-my-way's notation: `/users/:id`, `/files/*`, `/at/:hour(^\d+$)h`. */
  path?: string | undefined
  /** The path of the route, another name of `path`. */
  url?: string | undefined
}

/**
 * Declares a route with a path and a handler. Options are passed between the path and the handler, or contain the handler. Exported only
 * for the files beside this one.
 */
export interface RouteShorthand {
  (path: string, handler: RouteHandler): Server
  // Also for options without a schema: TypeScript keeps the parameter types of a handler from the first overload that it tries.
  <const S extends RouteSchema = {}>(
    path: string,
    options: Narrowed<'shorthand', RouteShorthandOptions<S>>,
    handler: RouteHandler<S>,
  ): Server
  <const S extends RouteSchema>(
    path: string,
    options: Narrowed<'shorthand', RouteShorthandOptions<S>> & { schema: S; handler: RouteHandler<S> },
  ): Server
  (path: string, options: Narrowed<'shorthand', RouteShorthandOptions<unknown>>, handler?: RouteHandler): Server
}

/** The members that declare routes of added methods: `server.rebind`. Exported only for the files beside this one. */
export type AddedShorthands = { [Method in Extract<keyof AddedMethods, string> as Lowercase<Method>]: RouteShorthand }

/**
 * A custom constraint strategy of find-my-way. It distinguishes routes of the same method and path by a value that the strategy derives
 * from the request.
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
  /** Whether a request with a derived value matches only routes with this constraint. Default false. */
  mustMatchWhenDerived?: boolean
  /** Makes a store that holds the routes of one path by their values. */
  storage(): { get(value: any): any; set(value: any, handler: any): void; del?(value: any): void; empty?(): void }
  /** Checks the value that a route declares for this constraint. Throws if the value is invalid. */
  validate?(value: unknown): void
  /**
   * Returns the value that a request has for this constraint, or `undefined` if it has none. A function with three parameters passes the
   * value to `done` instead, within `handlerTimeout`; a failure is then answered with a 500 (ALC_ERR_ASYNC_CONSTRAINT). `context` is always
   * `undefined`.
   */
  deriveConstraint(request: IncomingMessage, context?: unknown, done?: (error: Error | null, value?: unknown) => void): unknown
}

/** Options of {@link Server.printRoutes}. */
export interface PrintRoutesOptions {
  /** The method whose routes are printed. Default: all routes. */
  method?: HttpMethod
  /**
   * Further properties that are printed for each route: `true` for all, or names such as `['errorHandler']`. They are known only after
   * `ready`.
   */
  includeMeta?: boolean | (string | symbol)[]
  /** Whether a branch is printed for each prefix that paths have in common. Default true. */
  commonPrefix?: boolean
  /** Whether the hooks of each route are printed. They are known only after `ready`. */
  includeHooks?: boolean
}
