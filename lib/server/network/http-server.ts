/** Makes Node's HTTP server from the options: for HTTP/1 and HTTP/2, with TLS or without. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { SecureServerOptions as SecureOptions, ServerHttp2Session, ServerOptions as Http2Options } from 'node:http2'
import type { Socket } from 'node:net'
import type { ErrorFormat } from '../../http/error-payload.js'
import { closeInStages, dropFurther, endBefore, isNoLongerServed, isPipelined } from '../../http/connection-states.js'
import { MAX_TIMEOUT_MS } from '../../http/deadline.js'
import { checkedHttp2Response, endWhenIdle, limitRequestTime, mayHaveHttp2Body } from '../../http/http2.js'
import { LazyIncomingMessage } from '../../http/incoming-message.js'
import { isHeadSent } from '../../http/response.js'
import { CheckedServerResponse, FastServerResponse } from '../../http/server-response.js'
import { verification } from '../../util/node-verification.js'
import { http, loadHttp2, loadHttps } from '../../util/node/modules.js'
import type { SettledOptions } from '../options.js'
import { writeRawError } from './client-errors.js'
import { guardUpgrades } from './upgrades.js'

/** The function that Node calls for each request. */
export type RequestListener = (request: any, response: any) => void

/** Whether the server runs in Deno, which fills its requests in another way and keeps its own classes. */
const isDeno = 'Deno' in globalThis
const messageClasses = isDeno
  ? {}
  : {
      ServerResponse: verification.response ? FastServerResponse : CheckedServerResponse,
      ...(verification.request && { IncomingMessage: LazyIncomingMessage }),
    }

/**
 * Options for Node's servers, which the application's options `http` and `https` may override: the classes of alcove, and no check of the
 * host by Node. alcove refuses a request without a host like all ambiguous requests; Node would answer such requests without the framework,
 * even any number of pipelined ones. The request timeout is set afterwards: Node's default would forbid a longer `headersTimeout` than 300 s.
 */
const ownOptions = { ...messageClasses, requireHostHeader: false, requestTimeout: MAX_TIMEOUT_MS }

/** Options of HTTP/1 that a server of HTTP/2 with `allowHTTP1` does not read before Node 24, although its connections of HTTP/1 use them. */
const optionsOfHttp1 = ['headersTimeout', 'insecureHTTPParser', 'joinDuplicateHeaders', 'maxHeaderSize'] as const

/**
 * Makes Node's HTTP server from the options, or calls the application's `serverFactory`.
 * @param errorFormat returns the format of errors in the root context, which is made later
 */
export function createHttpServer(options: SettledOptions, listener: RequestListener, errorFormat: () => ErrorFormat): HttpServer {
  if (options.serverFactory) return options.serverFactory(listener, options)
  const secure = options.https === true ? {} : options.https || undefined
  // The classes of Node's four kinds of servers have no common type that has all of these members.
  let server: any
  if (options.http2) {
    const settled = settleHttp2(options.http2, secure)
    const http2 = loadHttp2()
    server = secure ? http2.createSecureServer(settled, listener) : http2.createServer(settled, listener)
    server.on('unknownProtocol', (socket: Socket) => refuseProtocol(socket, errorFormat()))
    for (const name of optionsOfHttp1) if (secure?.[name] !== undefined) server[name] = secure[name]
    if (options.requestTimeout > 0) server.on('stream', limitRequestTime(options.requestTimeout, errorFormat))
    server.on('session', (session: ServerHttp2Session) => endWhenIdle(session, options.http2SessionTimeout))
  } else {
    server = secure
      ? loadHttps().createServer({ ...ownOptions, ...secure }, listener)
      : http.createServer({ ...ownOptions, ...options.http }, listener)
  }
  if (!options.http2 || secure?.allowHTTP1 === true) {
    server.keepAliveTimeout = options.keepAliveTimeout
    server.requestTimeout = options.requestTimeout
    // Node does the same with its own options: a request timeout below the timeout of the headers would have no effect.
    if (server.requestTimeout > 0) server.headersTimeout = Math.min(server.headersTimeout, server.requestTimeout)
    if (options.maxRequestsPerSocket) server.maxRequestsPerSocket = options.maxRequestsPerSocket
    // The bytes of the headers are bounded. With a maximum number, Node would drop the rest, whatever it means for the request.
    server.maxHeadersCount = 0
  }
  server.on('checkContinue', onCheckContinue)
  guardUpgrades(server)
  if (!options.http2) server.on('checkExpectation', onCheckExpectation)
  server.setTimeout(options.connectionTimeout)
  return server
}

/**
 * The settings of HTTP/2 sessions, which clients are told. Node limits neither the number of streams that a session may have open at a time,
 * nor the bytes of their headers; for HTTP/1 it has the same limit of bytes.
 */
const http2Settings = { maxConcurrentStreams: 128, maxHeaderListSize: 16_384 }

/** Returns how many bytes of headers a request over HTTP/2 may have. The options for TLS may have settings too. */
export function maxHttp2Headers({ http2, https }: SettledOptions): number {
  const { settings }: Http2Options = { ...(typeof http2 === 'object' && http2), ...(typeof https === 'object' && https) }
  return settings?.maxHeaderListSize ?? http2Settings.maxHeaderListSize
}

function settleHttp2(http2: true | Http2Options, secure: SecureOptions = {}): SecureOptions {
  // The type of the option is a class whose type parameter can be any class of requests.
  const classes: Http2Options = isDeno ? {} : { Http2ServerResponse: checkedHttp2Response() as any }
  const options: Http2Options & SecureOptions = { ...classes, ...(http2 === true ? {} : http2), ...secure }
  return { ...options, settings: { ...http2Settings, ...options.settings } }
}

/** Handles Node's event for a request with `Expect: 100-continue`. Node emits this event instead of `request`. */
function onCheckContinue(this: HttpServer, raw: IncomingMessage, response: ServerResponse): void {
  // An application that has added a listener answers such requests itself.
  if (this.listenerCount('checkContinue') > 1) return
  if (hasBody(raw)) continueWhenRead(raw, response)
  else response.writeContinue()
  this.emit('request', raw, response)
}

/**
 * Refuses a request with an expectation other than `100-continue` (RFC 9110 §10.1.1). If an earlier request of the connection is not
 * answered yet, the connection is closed: otherwise any number of such requests could be pipelined.
 */
function onCheckExpectation(this: HttpServer, raw: IncomingMessage, response: ServerResponse): void {
  if (this.listenerCount('checkExpectation') > 1) return
  if (isNoLongerServed(raw.socket)) dropFurther(raw.socket)
  else if (isPipelined(raw.socket, response)) endBefore(response)
  else response.writeHead(417).end()
}

function hasBody(raw: IncomingMessage): boolean {
  if (raw.httpVersionMajor === 2) return mayHaveHttp2Body(raw)
  return raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0
}

/**
 * Makes a request tell its waiting client to send the body when the body is first read (RFC 9110 §10.1.1). If a request is refused before
 * its body is read (by a guard, or for its length), the client does not send the body, and the connection is closed.
 */
function continueWhenRead(raw: IncomingMessage, response: ServerResponse): void {
  const { _read } = raw
  raw._read = function readAndContinue(size) {
    raw._read = _read
    // The rest of a body is also read after its reply was sent.
    if (!isHeadSent(response)) response.writeContinue()
    _read.call(raw, size)
  }
  // Node closes a connection whose client was never told to continue.
  if (raw.httpVersionMajor !== 2) closeInStages(raw.socket)
}

/** Refuses a TLS client that did not choose HTTP/2. Node would leave its connection open for ten seconds. */
function refuseProtocol(socket: Socket, format: ErrorFormat): void {
  writeRawError(socket, 505, 'This server speaks HTTP/2', format)
  socket.destroySoon()
}
