/** How routes are declared, and the functions that answer their requests. */
import type { IncomingMessage } from 'node:http'
import type { SchemaErrorFormatter, SerializerCompiler, ValidatorCompiler } from './compilers.js'
import type { PluginRouteOptions } from './decorations.js'
import type { LifecycleHookOptions } from './hooks.js'
import type { ChildLoggerFactory } from './logger.js'
import type { Reply, SchemaReply } from './reply.js'
import type { Request, SchemaRequest } from './request.js'
import type { RouteSchema } from './schema.js'
import type { Server } from './server.js'

/** Handles a request: returns the payload (or a promise of it), or calls `reply.send`. `this` is the server instance. */
export type RouteHandler<S = unknown> = (this: Server, request: SchemaRequest<S>, reply: SchemaReply<S>) => unknown

/**
 * Answers an error: returns the payload (or a promise of it), or calls `reply.send`. The status is as the handler left it, 200
 * unless it chose another: choose one. What it throws goes to the next outer error handler.
 */
export type ErrorHandler<E = any> = (this: Server, error: E, request: Request<any, any, any, any>, reply: Reply<any, any>) => unknown

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

/** Declares a route by path and handler, with options between them or with the handler among them. */
export interface RouteShorthand {
  (path: string, handler: RouteHandler): Server
  <const S extends RouteSchema>(path: string, options: RouteShorthandOptions<S> & { schema: S }, handler: RouteHandler<S>): Server
  <const S extends RouteSchema>(path: string, options: RouteShorthandOptions<S> & { schema: S; handler: RouteHandler<S> }): Server
  (path: string, options: RouteShorthandOptions<unknown>, handler?: RouteHandler): Server
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
