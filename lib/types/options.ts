/** The options of `createServer`. */
import type { IncomingMessage, Server as HttpServer, ServerOptions as HttpOptions, ServerResponse } from 'node:http'
import type { ServerOptions as Http2Options } from 'node:http2'
import type { ServerOptions as HttpsOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { BuildRecording } from '../build/build-recording.js'
import type { Prebuilt } from '../build/prebuilt.js'
import type { JsvOptions, SchemaController, SchemaErrorFormatter } from './compilers.js'
import type { ChildLoggerFactory, LogLines, Observer } from './logger.js'
import type { Reply } from './reply.js'
import type { Request } from './request.js'
import type { ConstraintStrategy } from './route.js'
import type { Server } from './server.js'

/**
 * The peers that are trusted to send `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`:
 * - `true`: all peers
 * - a number: that many hops, and only for `X-Forwarded-For`
 * - addresses, subnets and names (`loopback`, `linklocal`, `uniquelocal`), as an array or separated by commas
 * - a synchronous function of an address and its distance in hops; the peer has distance 0
 * ```ts
 * createServer({ trustProxy: 'loopback, 10.0.0.0/8' })
 * ```
 */
export type TrustProxy = boolean | number | string | readonly string[] | ((address: string, hop: number) => boolean)

/** Options of `createServer` that decide which route a path leads to. */
export interface RouterOptions {
  /** Whether `/users` and `/Users` are different paths. Parameters always keep their case. Default true. */
  caseSensitive?: boolean
  /** Whether `/users/` is the same path as `/users`. Default false. */
  ignoreTrailingSlash?: boolean
  /** Whether `//users` is the same path as `/users`. Default false. */
  ignoreDuplicateSlashes?: boolean
  /**
   * The most characters of a path parameter; a route does not match if a parameter is longer. Default 100. There is no limit for wildcards.
   */
  maxParamLength?: number
  /**
   * Whether a parameter may have a RegExp with a repetition inside a repetition, or with more than 25 repetitions, which can take exponential
   * time. If not, declaring such a route throws. Alternatives that overlap, such as `(a|aa)+`, are not noticed. Default false.
   */
  allowUnsafeRegex?: boolean
  /** Whether `;` begins the query string, like `?`. Default false: `;` is an ordinary character of the path (RFC 3986 §3.3). */
  useSemicolonDelimiter?: boolean
  /** Parses a query string without its `?`. Synchronous. A `__proto__` key is removed from the result, but not from objects
   * in it. Default: fast-querystring. */
  querystringParser?: (query: string) => Record<string, unknown>
  /** Constraint strategies in addition to `version` and `host`. Routes refer to them by their `name`, not by their key in this option. */
  constraints?: Record<string, ConstraintStrategy>
}

/** A route, as {@link GroupedRouterOptions.buildPrettyMeta} gets it. */
export interface PrintedRoute {
  readonly method: string
  /** The path with its prefix: `/users/:id`. */
  readonly path: string
  /** The facts of the route that `printRoutes` can print: `errorHandler`, `logLevel`, the names of hooks … They are known after `ready`. */
  readonly store: Readonly<Record<string, unknown>>
}

/**
 * The option `routerOptions`: the options of {@link RouterOptions}, and some that can only be given in `routerOptions`.
 *
 * `defaultRoute`, `onBadUrl` and `onMaxParamLength` get Node's request and response in place of a handler: no hook runs, nothing is logged,
 * and a request that they do not answer waits until its client leaves. They must be synchronous; if one throws, the reply is a 500.
 */
export interface GroupedRouterOptions extends RouterOptions {
  /** Whether the routes are compiled into one function at `ready`, instead of being looked up in a tree. Default false. */
  compile?: boolean
  /**
   * Answers requests without a route, unless `methodNotAllowed` or `answerOptions` answers them. The not-found handlers are then reached only
   * by `reply.callNotFound()`.
   */
  defaultRoute?: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Answers a request whose path cannot be decoded. Default: ALC_ERR_BAD_URL, which `frameworkErrors` or the error handler of the root
   * context answers.
   */
  onBadUrl?: (path: string, request: IncomingMessage, response: ServerResponse) => void
  /**
   * Answers a request that finds no route only because a parameter is longer than `maxParamLength`. Default: ALC_ERR_MAX_PARAM_LENGTH,
   * which `frameworkErrors` answers; without `frameworkErrors`, the not-found handler answers.
   */
  onMaxParamLength?: (path: string, request: IncomingMessage, response: ServerResponse) => void
  /** Returns the properties of a route that `printRoutes` prints with `includeMeta`. Default: the `store` of the route. */
  buildPrettyMeta?: (route: PrintedRoute) => Record<string | symbol, unknown>
}

/** Options of `createServer`. Each is checked, and an unknown option is an error (ALC_ERR_INIT_OPTS_INVALID). */
export interface ServerOptions extends RouterOptions {
  /** Name of the root context in paths and errors. Default `root`. */
  name?: string
  /** Options of the default validator, ajv. */
  jsv?: JsvOptions
  /** Makes the errors of failed validations. By default the message lists the reported errors: `body/age should be integer`. */
  schemaErrorFormatter?: SchemaErrorFormatter
  /**
   * The settings for shared schemas: their store, the factories of compilers, and the coercion of JSON bodies: `{ coerceBodies: false }`.
   */
  schemaController?: SchemaController
  /** Options of fast-json-stringify, the default serializer: `{ rounding: 'ceil' }`. */
  serializerOpts?: object
  /**
   * When the schemas that are certain to compile are compiled by the default engines: `lazy`, when they are first needed, or `boot`, at
   * `ready`. Every other schema is compiled at `ready`, so that a faulty schema fails the boot, never a request. Default `lazy`.
   */
  compileSchemas?: 'lazy' | 'boot'
  /**
   * The module that `alcove build` wrote (`await import('./alcove.build/index.mjs')`), or a recording that writes one. A module that was built
   * with other versions, or other options in `jsv` or `serializerOpts`, is ignored, with a warning.
   */
  prebuilt?: Prebuilt | BuildRecording
  /** Whether a schema without keywords such as `type` is read as a list of properties (shorthand). Default true. */
  jsonShorthand?: boolean
  /**
   * How the server treats a reply whose status or media type has no response schema, although the route has response schemas. Texts, bytes,
   * streams and the default payloads of errors are sent in any case.
   * - `send`: the reply is sent with all fields, also fields that the other schemas leave out. The default if `NODE_ENV` is `production`.
   * - `warn`: a warning is logged as well, once for each route, status and media type. The default otherwise.
   * - `refuse`: the reply is a 500 (ALC_ERR_REP_UNDECLARED); the log says which route and status.
   */
  undeclaredResponses?: 'send' | 'warn' | 'refuse'
  /**
   * How errors are written, unless a context says otherwise ({@link Server.setErrorFormat}).
   * - `default`: `{ statusCode, code?, error, message }`.
   * - `problem`: problem details, `application/problem+json` (RFC 9457): `{ type, title, status, detail?, instance?, code? }`, and for a failed
   *   validation `errors: [{ pointer, detail, part }]`.
   */
  errorFormat?: 'default' | 'problem'
  /**
   * Whether an OPTIONS request for a path without an OPTIONS route is answered from the routes of the path: 204, with their methods in the
   * header `Allow`. `OPTIONS *` is answered with the methods of all routes. Routes that `docs: { hide: true }` hides are left out, and for a
   * path those whose constraints the request does not meet. By default such a request is answered as an unknown path. Default false.
   */
  answerOptions?: boolean
  /**
   * Whether a request for a path that has routes for other methods only is refused with 405 and the header `Allow`. Routes that
   * `docs: { hide: true }` hides are left out, and those whose constraints the request does not meet. By default such a request is answered
   * as an unknown path. Default false.
   */
  methodNotAllowed?: boolean
  /**
   * Whether the default error handler sends the messages of errors with any status. Default false: of 5xx errors without `expose: true`, and
   * of errors with `expose: false`, it sends the status text.
   */
  exposeErrorMessages?: boolean
  /**
   * `true`, options of pino, or a logger with pino's methods. Default: no logging. In addition to pino's options, `stream` or `file` says
   * where log lines are written (default: stdout). The default level is `info`.
   * ```ts
   * createServer({ logger: { level: 'warn', file: '/var/log/app.log' } })
   * ```
   */
  logger?: boolean | object
  /** A logger with pino's methods, under the name of Fastify 5; the same as `logger`. */
  loggerInstance?: object
  /**
   * `true`: the lines about the begin and the end of a request (`incoming request`, `request completed`, `request errored` and `request
   * aborted`) are left out; other errors and missing routes are logged. A synchronous function decides for each request whether these
   * lines, and those about its error reply, a stream that fails or a missing route, are written; other warnings, such as that of a second
   * reply, are logged in any case. Default false.
   * ```ts
   * createServer({ logger: true, disableRequestLogging: (request) => request.url === '/health' })
   * ```
   */
  disableRequestLogging?: boolean | ((request: Request) => boolean)
  /** Writes the lines about the begin, the end and the errors of requests: an instance of `LogController`. */
  logController?: LogLines
  /**
   * The name of the header that contains the request id; `true`: `request-id`. The value is used if it has at most 128 characters of
   * printable ASCII. `false` or an empty text: no header is read, so that clients cannot write into the log. Default `false`.
   */
  requestIdHeader?: string | boolean
  /** The key of the request id in log lines. Default `reqId`. */
  requestIdLogLabel?: string
  /** Makes the id of a request if none is taken from its header. Synchronous. Default: `req-1`, `req-2` …, counted in base 36. */
  genReqId?: (raw: IncomingMessage) => string
  /** Makes `request.log`. Default: `logger.child(bindings, options)`. */
  childLoggerFactory?: ChildLoggerFactory
  /** The observer of requests and other work: `openTelemetry()` of `alcove/telemetry`. */
  telemetry?: Observer
  /**
   * bytes that a body may have, unless its parser takes the stream; a larger body gets a 413 (ALC_ERR_CTP_BODY_TOO_LARGE). Default 1 MiB
   */
  bodyLimit?: number
  /**
   * ms that a plugin may take to load, and that each onReady and preClose hook may take; the `onReady` methods of all instances count as one
   * hook. A plugin that another plugin registers or imports has the time that was left to the other one then. `listen` of a server of `bootstrap` waits as long for all onListen hooks. Default 10 000; 0: no limit
   */
  pluginTimeout?: number
  /** ms without traffic after which a connection of HTTP/1 is closed, even if a handler still works; default 0: never */
  connectionTimeout?: number
  /** ms that an idle keep-alive connection stays open, to which Node adds a second; default 72 000; 0: no limit */
  keepAliveTimeout?: number
  /**
   * ms from the arrival of a request until the headers of its reply must be written; after that, the request fails with 503
   * (ALC_ERR_HANDLER_TIMEOUT). A stream that was sent, and a hijacked response, may begin later. Default 60 000; 0: no limit
   */
  handlerTimeout?: number
  /**
   * ms within which a client must take some of a reply that waits for it; otherwise its connection is destroyed, or over HTTP/2 only the
   * stream, if the client takes other replies (at least 480 bytes of them). Checked every 15 s, or four times in a shorter limit. Default
   * 60 000; 0: no limit
   */
  sendTimeout?: number
  /**
   * ms within which a whole request must arrive. Over HTTP/1, Node checks this every 30 s (`connectionsCheckingInterval` in `http`), and the
   * headers must arrive within 60 s (`headersTimeout`). Default 300 000; 0: no limit
   */
  requestTimeout?: number
  /**
   * The most requests of an HTTP/1 connection that are served at a time. A client can send further ones before it has the replies
   * (pipelining): these wait, and nothing more is read. If several hundred wait, or if no reply is sent for 5 s, the connection closes after
   * the replies to these. Default 32
   */
  maxPipelinedRequests?: number
  /** The most requests that an HTTP/1 connection may carry; default 0: no limit */
  maxRequestsPerSocket?: number
  /** ms that idle connections stay open after `close()`, for requests that are already on their way; default 250 */
  closeIdleDelay?: number
  /**
   * The most ms that `close()` waits for open connections before it cuts them; default 30 000; 0: no limit. `request.signal` is aborted 1 s
   * before, and at once if the reply is `stream(…)`, server-sent events or a hijacked response. After the connections are cut, running
   * handlers and the work of `server.run` have 1 s more.
   */
  closeTimeout?: number
  /**
   * `true`: closing the server ends all connections at once. `false`: idle connections are ended after `closeIdleDelay`, other connections
   * when their requests are answered. `'idle'` is the same as `false`, but throws ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE if the
   * Node server has no `closeIdleConnections`. Default false.
   */
  forceCloseConnections?: boolean | 'idle'
  /** Whether requests on open connections get a 503 while the server closes, instead of being served. Default false. */
  return503OnClosing?: boolean
  /** The peers that are trusted to forward the address, host and protocol of a client. Default: none. */
  trustProxy?: TrustProxy
  /**
   * Returns the URL by which a request is routed. Synchronous. If the result is not a string, ALC_ERR_ROUTE_REWRITE_NOT_STR is logged and the
   * connection is closed; over HTTP/2 the stream is closed, `server.fetch` answers with 500, and `inject` rejects.
   */
  rewriteUrl?: (this: Server, raw: IncomingMessage) => string
  /**
   * The options that decide which route a path leads to, grouped as in Fastify 5, and some further options. If an option is given both
   * inside and outside of `routerOptions`, the two values must be equal.
   * ```ts
   * createServer({ routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 } })
   * ```
   */
  routerOptions?: GroupedRouterOptions
  /** Whether a GET route also gets a HEAD route, unless its option `exposeHeadRoute` says otherwise. Default true. */
  exposeHeadRoutes?: boolean
  /** How a `__proto__` key in a JSON body is treated: `error` (default) answers 400, `remove` removes it, `ignore` keeps it. */
  onProtoPoisoning?: 'error' | 'remove' | 'ignore'
  /**
   * How a `constructor` key whose value has a `prototype` is treated in a JSON body: `error` (default) answers 400, `remove` removes it,
   * `ignore` keeps it.
   */
  onConstructorPoisoning?: 'error' | 'remove' | 'ignore'
  /** Whether `setErrorHandler` may be called again in a context that has set an error handler. Default true. */
  allowErrorHandlerOverride?: boolean
  /**
   * Answers a request that is refused before a route is found, such as one with an invalid URL or host, a failed asynchronous constraint, or
   * a parameter that is too long. Default: the error handler of the root context; for such a parameter, the not-found handler.
   */
  frameworkErrors?: (error: Error, request: Request, reply: Reply) => void
  /**
   * Answers a client on the bare socket if its bytes are not a valid request. The connection is destroyed 1 s later, or after a reply that
   * is being sent. If the handler throws before it has written anything, the default handler answers with 400, 408, 431 or 505.
   */
  clientErrorHandler?: (this: Server, error: NodeJS.ErrnoException, socket: Socket) => void
  /**
   * Creates the Node server, which must call `handler` for each request. The options `http`, `https`, `http2`, `maxRequestsPerSocket`,
   * `requestTimeout`, `keepAliveTimeout`, `connectionTimeout` and `http2SessionTimeout` do not apply to it.
   * ```ts
   * createServer({ serverFactory: (handler) => http.createServer({ maxHeaderSize: 8192 }, handler) })
   * ```
   */
  serverFactory?: (handler: (request: any, response: any) => void, options: ServerOptions) => HttpServer
  /**
   * Options of `http.createServer`. They do not apply with `https` or `http2`. An option of the server, such as `keepAliveTimeout`, is refused
   * here, and so is a `headersTimeout` above `requestTimeout`; with `serverFactory`, anything is allowed.
   */
  http?: HttpOptions | null
  /**
   * Options of `https.createServer`, or with `http2` of `http2.createSecureServer`: `{ key, cert }`. With `http2`, `allowHTTP1`
   * allows HTTP/1 as well. What `http` refuses is refused here too. Default: no TLS.
   */
  https?: (HttpsOptions & { allowHTTP1?: boolean }) | boolean | null
  /**
   * Whether the server speaks HTTP/2: over TLS with `https`, otherwise in plain text. Default false. An object has options of
   * `http2.createServer`; `settings.maxConcurrentStreams` is 128 by default and `settings.maxHeaderListSize` 16,384 bytes,
   * also with `true`. What `http` refuses is refused here too.
   * ```ts
   * createServer({ http2: { settings: { maxConcurrentStreams: 32 } } })
   * ```
   */
  http2?: boolean | Http2Options
  /**
   * ms without traffic after which an HTTP/2 session is closed. If a handler still works then, the time begins again; default 72 000; 0: no
   * limit
   */
  http2SessionTimeout?: number
}
