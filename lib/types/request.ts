/** The request that hooks and handlers receive, the options of its route, and the parsers of its body. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ValidateFunction, ValidationError } from './compilers.js'
import type { RequestDecorations } from './decorations.js'
import type { Logger } from './logger.js'
import type { Narrowed } from './narrowed.js'
import type { RouteHandler } from './route.js'
import type { RouteSchema } from './route.js'
import type { RequestBodyType, RequestPartType } from './schema.js'
import type { Server } from './server.js'

/** The request parts that a schema can validate, by the names that compilers and error formatters get. */
export type HttpPart = 'body' | 'params' | 'querystring' | 'headers' | 'cookies'

/** The request parts that a schema can validate, by the names in `error.validationContext`. */
export type ValidationContext = 'body' | 'params' | 'query' | 'headers' | 'cookies'

/**
 * How a request has ended, as `onRequestEnd` of a request-scoped provider receives it.
 * ```ts
 * const outcome: RequestOutcome = { kind: 'completed', status: 201, error: undefined }
 * ```
 */
export interface RequestOutcome {
  /**
   * `completed`: answered with a status below 400. `failed`: answered with another status, or with an error, or its stream failed.
   * `aborted`: its client left before the reply was sent. `timed-out`: its handler took longer than `handlerTimeout`.
   */
  readonly kind: 'completed' | 'failed' | 'aborted' | 'timed-out'
  /** The status of the reply; `undefined` if there was no reply, or if the reply to an error is not known yet. */
  readonly status: number | undefined
  /** The error that the request was answered with; `undefined` if there was none. */
  readonly error: unknown
}

/** A request, as hooks and handlers receive it. */
export interface Request<
  Body = unknown,
  Params = Record<string, string>,
  Query = Record<string, string | string[] | undefined>,
  Headers = IncomingHttpHeaders,
> extends RequestDecorations {
  /** The request id, from the header `requestIdHeader` if its value is short and printable ASCII, otherwise from `genReqId`. */
  readonly id: string
  /** Node's request, or with `inject` and `server.fetch` an object in its place. */
  readonly raw: IncomingMessage
  /**
   * The parsed body; `undefined` before it is parsed, and if there is none. It is read for POST, PUT, PATCH, QUERY, TRACE, SEARCH, methods
   * with `hasBody`, and with a media type for DELETE and OPTIONS. Else it stays in `raw`.
   */
  body: Body
  /**
   * The decoded parameters of the path: `{ id: '7' }` for `/users/:id`. The text that a wildcard matches is under `*`. A segment that goes
   * on after a parameter (`/:from-:to`, `/:name.txt`) matches no line break: such a request is a 404.
   */
  params: Params
  /** The parsed query string. */
  query: Query
  /**
   * Headers by lower-case name: the object of `raw`. A header schema, and an object that is assigned here, replace it by a copy with other
   * values; the headers of `raw` then stay as they were.
   */
  headers: Headers
  /**
   * The media type of the body, without parameters and in lower case: `text/csv`. `undefined` if the client sent none, or if it is
   * malformed.
   */
  readonly mediaType: string | undefined
  /** A logger whose lines contain the request id. */
  log: Narrowed<'log', Logger>
  /** The instance of the context that the route was declared in. */
  readonly server: Server
  /** The method as it was sent: `GET`. */
  readonly method: string
  /** Path and query string, after `rewriteUrl`: `/users/7?full=1`. */
  readonly url: string
  /** The URL before `rewriteUrl`. */
  readonly originalUrl: string
  /** The connection. For a request of `inject` or `fetch` this is an object in its place, with `remoteAddress`. */
  readonly socket: Socket
  /**
   * The client's address. Behind trusted proxies (`trustProxy`) it is the address that they forward in `X-Forwarded-For`. `undefined` if the
   * connection has none (that of a Unix socket, or of `fetch` without `remoteAddress`). Read it before onRequestAbort hooks: a closed
   * connection may have none.
   */
  readonly ip: string
  /** All addresses from the nearest proxy to the client; {@link ip} is the last of them. `undefined` without the option `trustProxy`. */
  readonly ips: string[] | undefined
  /**
   * The host header with its port (over HTTP/2 `:authority` before it), or the last entry of `X-Forwarded-Host` if it is a valid host that a
   * trusted proxy sent, and `trustProxy` is not a number. Empty if the client sent none.
   */
  readonly host: string
  /** The host with its port, as in Fastify 4: the same value as {@link host}. */
  readonly hostname: string
  /** The port in {@link host}; `null` if there is none. */
  readonly port: number | null
  /**
   * `https` over TLS, and for the `https` URL of a `fetch` request, otherwise `http`; if a trusted proxy sent `X-Forwarded-Proto` and
   * `trustProxy` is not a number, the last entry of that header, which may be another scheme (RFC 3986 §3.1).
   */
  readonly protocol: Narrowed<'protocol', string>
  /**
   * True if no route was found, as in a not-found handler, after `reply.callNotFound()`, in `frameworkErrors`, for a 405, and if
   * `answerOptions` answers.
   */
  readonly is404: boolean
  /** Options of the route, set or by default: `method`, `url`, `config`, `schema`, `bodyLimit` and others. Its hooks are not among them. */
  readonly routeOptions: Narrowed<'routeOptions', RouteInfo>
  /** The error of a failed validation, if the route has `attachValidation: true`. */
  validationError?: ValidationError
  /**
   * A signal that is aborted when the client disconnects before the reply is complete, when the server closes (for a reply without an end at
   * once, else 1 s before `closeTimeout`), or when `handlerTimeout` has passed. In the last case its `reason` is the error
   * ALC_ERR_HANDLER_TIMEOUT.
   * ```ts
   * const weather = await fetch(url, { signal: request.signal })
   * ```
   */
  readonly signal: AbortSignal
  /**
   * Returns a member of this request by its name, a decoration or a built-in one. A function is bound to the request.
   * @throws ALC_ERR_DEC_UNDECLARED if requests of this context have no member of this name
   */
  getDecorator<T = unknown>(name: string | symbol): T
  /**
   * Sets a member of this request that `decorateRequest` added.
   * @throws ALC_ERR_DEC_UNDECLARED if requests of this context have no member of this name
   */
  setDecorator<T = unknown>(name: string | symbol, value: T): void
  /**
   * Returns a compiled validator, if there is one: for a request part, or for a schema object that was compiled before. For a body schema
   * with `content` it is the validator of the first media type.
   */
  getValidationFunction: Narrowed<'getValidationFunction', (httpPartOrSchema: HttpPart | 'query' | object) => ValidateFunction | undefined>
  /** Compiles a schema with the route's validator compiler, once for each schema object. */
  compileValidationSchema(schema: object, httpPart?: HttpPart | 'query'): ValidateFunction
  /**
   * Validates any value against the schema of a request part, or against a schema object; if `httpPart` is given, and the route has a schema
   * for it, against that one instead. Returns the validator's result: by default `true` or `false` for JSON Schema.
   * @throws ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION if there is no such schema
   */
  validateInput: Narrowed<'validateInput', (input: unknown, schemaOrPart: HttpPart | 'query' | object, httpPart?: HttpPart) => unknown>
}

/** The options of the route that was found, as `request.routeOptions`. Frozen. */
export interface RouteInfo {
  /** The method or methods as declared; `undefined` if no route was found. */
  readonly method: string | string[] | undefined
  /** The path as declared, with the prefix: `/users/:id`; `undefined` if no route was found. */
  readonly url: string | undefined
  /** The most bytes that a body may have. */
  readonly bodyLimit: number
  /** ms until the headers of the reply must be written; 0: no limit */
  readonly handlerTimeout: number
  readonly attachValidation: boolean
  /** Level of `request.log`. Empty: the level of the server's logger. */
  readonly logLevel: string
  readonly exposeHeadRoute: boolean
  readonly prefixTrailingSlash: 'slash' | 'no-slash' | 'both'
  /** The route's constraint `version`. */
  readonly version: string | undefined
  /** Application data, with the route's `url` and `method`. */
  readonly config: RouteConfig
  /** The route's schemas. Shorthand is written out. */
  readonly schema: RouteSchema | undefined
  readonly handler: RouteHandler<any>
}

/** Application data of a route, readable in hooks as `request.routeOptions.config`. */
export interface RouteConfig {
  /** The path of the route with its prefix, added by the framework. */
  readonly url?: string
  /** The method or methods of the route, added by the framework. */
  readonly method?: string | string[]
  readonly [key: string]: unknown
}

/** The request in the handler of a route with the schema `S`. */
export type SchemaRequest<S> = 0 extends 1 & S
  ? Request<any, any, any, any>
  : 'cookies' extends keyof S
    ? WithCookies<Request<BodyOf<S>, ParamsOf<S>, QueryOf<S>, HeadersOf<S>>, S>
    : Request<BodyOf<S>, ParamsOf<S>, QueryOf<S>, HeadersOf<S>>

type BodyOf<S> = S extends { readonly body: infer B } ? RequestBodyType<B> : unknown
type ParamsOf<S> = S extends { readonly params: infer P } ? RequestPartType<P> : Record<string, string>
type QueryOf<S> = S extends { readonly querystring: infer Q } | { readonly query: infer Q }
  ? RequestPartType<Q>
  : Record<string, string | string[] | undefined>
type HeadersOf<S> = S extends { readonly headers: infer H } ? WithOtherHeaders<LowerCaseKeys<RequestPartType<H>>> : IncomingHttpHeaders
type LowerCaseKeys<T> = T extends object ? { [K in keyof T as K extends string ? Lowercase<K> : K]: T[K] } : T
// A standard header has the type of its schema only. `Omit` would leave nothing but the index signature of the other headers.
type WithOtherHeaders<T> = T & { [K in keyof IncomingHttpHeaders as K extends NamedKeys<T> ? never : K]: IncomingHttpHeaders[K] }
type NamedKeys<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }

// The types of a plugin may have declared the member for all requests, with texts as its values.
type WithCookies<R, S> = S extends { readonly cookies: infer C }
  ? ('cookies' extends keyof RequestDecorations ? Omit<R, 'cookies'> : R) & {
      /** The cookies by name, validated. A request has this member only if its route has a schema of cookies. */
      cookies: RequestPartType<C>
    }
  : R

/**
 * Parses the body of a request. With `parseAs` the function receives the whole body, otherwise the stream of the body. The value that the
 * function passes to `done`, or that its promise resolves to, becomes `request.body`.
 */
export type ContentTypeParser = (this: void, request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown

/** The form in which a {@link ContentTypeParser} receives a body, and the most bytes of a body. */
export interface ContentTypeParserOptions {
  /**
   * The form in which the parser receives a body: `string` (a body that is not valid UTF-8 gets a 400) or `buffer`. Default: the
   * stream of the body.
   */
  parseAs?: 'string' | 'buffer' | undefined
  /**
   * The most bytes that a body may have. Default, and 0: the server's `bodyLimit`; for a parser that takes the stream, no limit. A route's
   * own limit takes precedence.
   */
  bodyLimit?: number | undefined
}
