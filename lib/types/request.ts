/** The request that hooks and handlers get. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ValidateFunction, ValidationError } from './compilers.js'
import type { RequestDecorations } from './decorations.js'
import type { Logger } from './logger.js'
import type { RouteHandler } from './route.js'
import type { BodyOf, HeadersOf, ParamsOf, QueryOf, RouteSchema } from './schema.js'
import type { Server } from './server.js'

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

/** The request that a route with the schema `S` hands to its handler. */
export type SchemaRequest<S> =
  IsAny<S> extends true ? Request<any, any, any, any> : Request<BodyOf<S>, ParamsOf<S>, QueryOf<S>, HeadersOf<S>>

type IsAny<T> = 0 extends 1 & T ? true : false
