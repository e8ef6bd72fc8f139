/** Passes each request from Node to the router. Ambiguous requests and unsupported HTTP versions are refused before routing. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes } from '../../errors/codes.js'
import { dropFurther, isNoLongerServed, isPipelined, servePipelined, stopServing } from '../../http/connection-states.js'
import type { ErrorFormat } from '../../http/error-payload.js'
import { isRepeated, isValidHost } from '../../http/headers.js'
import { type MaybeHttp2Request, refuseLongHeaders } from '../../http/http2.js'
import { collectUnread } from '../../http/unread-chunks.js'
import { abortResponse } from '../../http/response.js'
import type { WebRequest } from '../../http/web/request.js'
import type { WebResponse } from '../../http/web/response.js'
import { sendPlainFailure } from '../../lifecycle/failing/send-error.js'
import type { Logger, LogLines } from '../../types/logger.js'
import type { Server } from '../../types/server.js'
import { assertNotPromise } from '../../util/promises.js'
import type { SettledOptions } from '../options.js'
import { maxHttp2Headers } from './http-server.js'
import type { RouteTable } from '../route-table.js'
import type { ServerState } from '../server-state.js'
import { closeAfterReply } from './upgrades.js'

interface ReceiveDependencies {
  readonly options: SettledOptions
  readonly state: ServerState
  readonly routes: RouteTable
  readonly logger: Logger
  readonly logs: LogLines
  readonly root: () => Server
  /** Returns the format of errors in the root context. */
  readonly errorFormat: () => ErrorFormat
}

type RawRequest = IncomingMessage & { originalUrl?: string }

type RequestListener = (raw: IncomingMessage, response: ServerResponse) => void

/**
 * A function that returns an error if a request must be refused before it is routed. Requests from the network, injected requests and
 * requests of `fetch` have different functions.
 */
type FindFault = (raw: RawRequest) => Error | undefined

/** Makes the listeners for requests from the network, for injected requests and for requests of `fetch`. The listeners never throw. */
export function createRequestListeners({ options, state, routes, logger, logs, root, errorFormat }: ReceiveDependencies): {
  handleRequest: RequestListener
  handleInjected: RequestListener
  handleFetched: (web: WebRequest, response: WebResponse) => void
} {
  const findFault = faultFinders(options)

  function receive(raw: RawRequest, response: ServerResponse, find: FindFault): void {
    if (isHttp2(raw) && !acceptStream(raw, options)) return
    const fault = find(raw)
    if (fault !== undefined) {
      // The client or a proxy may disagree with us about where the next request begins, so the connection must not be reused.
      response.shouldKeepAlive = false
      if (!isHttp2(raw)) stopServing(raw.socket)
      return routes.serveFailure(fault, raw, response)
    }
    if (state.closing && options.return503OnClosing) return refuse(raw, response)
    if (options.rewriteUrl !== undefined && !rewrite(raw, response, options.rewriteUrl, root(), logger)) return
    routes.lookup(raw, response)
  }

  function refuse(raw: RawRequest, response: ServerResponse): void {
    logs.serviceUnavailable(logger, root())
    refuseClosing(raw, response, errorFormat())
  }

  function handle(raw: RawRequest, response: ServerResponse, find: FindFault): void {
    try {
      receive(raw, response, find)
    } catch (error) {
      // A function of the application failed before the request was set up: genReqId, rewriteUrl or a constraint strategy.
      sendPlainFailure(response, errorFormat())
      logger.error({ err: error }, 'a request could not be dispatched')
    }
  }

  const serve: RequestListener = (raw, response) => handle(raw, response, findFault.ofSocket)

  return {
    handleRequest(raw, response) {
      // RFC 9112 §9.6: after a reply that closes the connection, further requests on it are not processed.
      if (!isHttp2(raw) && isNoLongerServed(raw.socket)) return dropFurther(raw.socket)
      if ((raw as RawRequest & { upgrade?: boolean }).upgrade === true) closeAfterReply(raw, response)
      if (!isPipelined(raw.socket, response)) serve(raw, response)
      else if (!servePipelined(raw, response, options.maxPipelinedRequests, serve))
        logger.info({ remoteAddress: raw.socket.remoteAddress }, TOO_MANY)
    },
    handleInjected: (raw, response) => handle(raw, response, findFault.ofInjected),
    handleFetched(web, webResponse) {
      // They have what the framework and plugins use of Node's classes.
      const [raw, response] = [web, webResponse] as object as [RawRequest, ServerResponse]
      // No port closes that would keep such requests away.
      if (state.draining || state.closed) refuse(raw, response)
      else handle(raw, response, () => findFaultOfFetch(web, root()))
    },
  }
}

const TOO_MANY = 'too many pipelined requests: the connection closes after those that came first'

/** Replaces the URL of a request by what the application makes of it. @returns whether the request goes on */
function rewrite(
  raw: RawRequest,
  response: ServerResponse,
  rewriteUrl: NonNullable<SettledOptions['rewriteUrl']>,
  root: Server,
  logger: Logger,
): boolean {
  raw.originalUrl = raw.url!
  const url: unknown = assertNotPromise(rewriteUrl.call(root, raw) as unknown, 'rewriteUrl')
  if (typeof url === 'string') {
    raw.url = url
    return true
  }
  const failure = new errorCodes.ALC_ERR_ROUTE_REWRITE_NOT_STR(raw.url!, typeof url)
  logger.error({ err: failure }, failure.message)
  // A request of HTTP/2 would emit the error, and its stream would stay open.
  if (isHttp2(raw)) abortResponse(response)
  else raw.destroy(failure)
  return false
}

function faultFinders(options: SettledOptions): Record<'ofSocket' | 'ofInjected', FindFault> {
  const httpOptions = typeof options.https === 'object' && options.https !== null ? options.https : options.http
  const requiresHost = httpOptions?.requireHostHeader !== false
  return {
    ofSocket: (raw) => findVersionFault(raw, options) ?? findRequestFault(raw, requiresHost),
    // Injected requests have an HTTP/1 version, even if the server speaks HTTP/2.
    ofInjected: (raw) => findRequestFault(raw, requiresHost),
  }
}

function findFaultOfFetch(raw: WebRequest, { server }: Server): Error | undefined {
  const fault = raw.findFault()
  // Over a connection, a listener would have taken the upgrade, before any route.
  if (fault !== undefined || server.listenerCount('upgrade') === 0 || raw.headers['upgrade'] === undefined) return fault
  return new errorCodes.ALC_ERR_FETCH_UPGRADE()
}

/** Prepares the stream of a request over HTTP/2. @returns `false` if its headers are too large and it was closed */
function acceptStream(raw: MaybeHttp2Request, options: SettledOptions): boolean {
  // A server of the application has settings of its own.
  if (options.serverFactory === undefined && refuseLongHeaders(raw, () => maxHttp2Headers(options))) return false
  prepareBody(raw)
  return true
}

/**
 * Limits the memory that the body of an HTTP/2 request takes if nothing reads it: merges the chunks that arrive, and closes the stream when
 * the reply is complete, even if the request is not (RFC 9113 §8.1). A request body that is not read would otherwise keep the stream, and
 * with it the session, open forever.
 */
function prepareBody(raw: MaybeHttp2Request): void {
  const { stream } = raw
  if (stream === undefined || stream.endAfterHeaders) return
  collectUnread(stream)
  collectUnread(raw)
  const close = (): void => {
    if (raw.complete || raw.readableFlowing === true) return
    stream.close()
    // The stream ends only after the data that has arrived is consumed.
    raw.resume()
  }
  // Trailers are sent after the event `finish`.
  stream.once('finish', () => (stream.state.localClose === 1 ? close() : stream.once('wantTrailers', () => setImmediate(close))))
}

const SLASH = 47

/** Returns an error for a request that two servers could read differently (request smuggling); `undefined` for any other request. */
function findRequestFault(raw: IncomingMessage, requiresHost: boolean): Error | undefined {
  if (!hasOneHost(raw, requiresHost)) return new errorCodes.ALC_ERR_BAD_HOST()
  const coding = raw.headers['transfer-encoding']
  // RFC 9112 §6.1: HTTP/1.0 has no transfer codings. Node decodes only the last of several, and treats an empty one as absent.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersionMinor === 0))
    return new errorCodes.ALC_ERR_BAD_TRANSFER_ENCODING()
  return raw.url!.charCodeAt(0) === SLASH ? undefined : readTarget(raw)
}

const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * Reads a request target that is not a path (RFC 9112 §3.2). A target in absolute form is replaced by its path, and the host in it replaces
 * the `Host` header, so that all code reads the same host. `*` is valid for OPTIONS. HTTP/2 has no absolute form: its requests state the
 * host in `:authority` (RFC 9113 §8.3.1), and nghttp2 checks the path for the schemes `http` and `https` only.
 * @returns the error if the target is not valid
 */
function readTarget(raw: IncomingMessage): Error | undefined {
  const [, host, rest] = (!isHttp2(raw) && absoluteTarget.exec(raw.url!)) || []
  if (host === undefined || host === '') {
    return raw.url === '*' && raw.method === 'OPTIONS' ? undefined : new errorCodes.ALC_ERR_BAD_URL(raw.url!)
  }
  raw.headers.host = host
  raw.url = rest!.startsWith('/') ? rest! : `/${rest}`
  return isValidHost(host) ? undefined : new errorCodes.ALC_ERR_BAD_HOST()
}

/** Returns an error for a request in an HTTP version that the server does not serve; `undefined` for any other request. */
function findVersionFault(raw: IncomingMessage, options: SettledOptions): Error | undefined {
  if (options.serverFactory) return undefined
  const { httpVersion } = raw
  if (httpVersion === '1.1' || httpVersion === '1.0') {
    if (!options.http2 || (typeof options.https === 'object' && options.https?.allowHTTP1 === true)) return undefined
  } else if (options.http2 && isHttp2(raw)) return undefined
  // Node reads a request line without a version as HTTP/0.9, which is the version that none of its clients writes.
  if (raw.httpVersionMajor === 0) return new errorCodes.ALC_ERR_BAD_HTTP_VERSION()
  return new errorCodes.ALC_ERR_HTTP_VERSION_NOT_SUPPORTED()
}

/** Whether a request came over HTTP/2. An HTTP/1 client may write `HTTP/2.0` in its request line, but then the request has no stream. */
function isHttp2(raw: MaybeHttp2Request): boolean {
  return raw.httpVersionMajor === 2 && 'stream' in raw
}

/**
 * Whether the host of a request is unambiguous and valid (RFC 9112 §3.2, RFC 9113 §8.3.1). HTTP/1.1 requires a host, unless the application
 * has set Node's `requireHostHeader` to false.
 */
function hasOneHost({ headers, rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage, requiresHost: boolean): boolean {
  let { host } = headers
  if (httpVersionMajor === 2) {
    const authority = headers[':authority'] as string | undefined
    if (host !== undefined && authority !== undefined && host !== authority) return false
    host ??= authority
  }
  // A request that a plugin makes without a socket (`injectWS` of `@fastify/websocket`) states no version.
  if (host === undefined) return !(requiresHost && httpVersionMajor === 1 && httpVersionMinor >= 1)
  return isValidHost(host) && !isRepeated(rawHeaders, 'host')
}

function refuseClosing(raw: IncomingMessage, response: ServerResponse, { payload, mediaType }: ErrorFormat): void {
  if (raw.httpVersionMajor !== 2) response.setHeader('connection', 'close')
  const body = JSON.stringify(payload({ statusCode: 503, message: 'Service Unavailable' }))
  response.writeHead(503, { 'content-type': mediaType, 'content-length': body.length })
  response.end(body)
}
