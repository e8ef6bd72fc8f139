/** The options of `createServer`. */
import type { IncomingMessage, Server as HttpServer, ServerOptions as HttpOptions } from 'node:http'
import type { ServerOptions as HttpsOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { BuildRecording } from '../build/build-recording.js'
import type { Prebuilt } from '../build/prebuilt.js'
import type { JsvOptions, SchemaController, SchemaErrorFormatter } from './compilers.js'
import type { ChildLoggerFactory } from './logger.js'
import type { Reply } from './reply.js'
import type { Request } from './request.js'
import type { ConstraintStrategy } from './route.js'
import type { Server } from './server.js'

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
   * When the default engines compile a schema that is certain to compile: `lazy`, when it is first needed, or `boot`, at `ready`. Every
   * other schema is compiled at `ready` in both cases, so a faulty schema always fails the boot and never a request. Default `lazy`.
   */
  compile?: 'lazy' | 'boot'
  /**
   * The module that `alcove build` wrote (`await import('./alcove.build/index.mjs')`), with schemas compiled ahead of time; or a
   * recording that is going to write such a module. Schemas that the module lacks are compiled, and a warning names the first. A module
   * that was built with other versions or options is ignored, with a warning.
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
