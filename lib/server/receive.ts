/**
 * From a request off the wire to the router: what is read in more than one way, or not spoken here, is refused before it is routed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { BootState } from './plugin-loader.js'
import { isNoLongerServed, stopServing } from '../http/connection.js'
import type { Logger } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import type { Server } from '../types/server.js'
import { errorCodes } from '../errors.js'
import { isRepeated, isValidHost } from '../http/headers.js'
import { writePlainFailure } from '../lifecycle/send.js'
import type { RouteTable } from './route-table.js'
import { assertNotPromise } from '../util/promises.js'

interface DispatchParts {
  readonly options: ServerOptions
  readonly state: BootState
  readonly routes: RouteTable
  readonly logger: Logger
  readonly root: () => Server
}

type RawRequest = IncomingMessage & { originalUrl?: string }

type RequestListener = (raw: IncomingMessage, response: ServerResponse) => void

/** Makes the listeners of requests: of those off the wire, and of injected ones. They throw nothing. */
export function createDispatch({ options, state, routes, logger, root }: DispatchParts): {
  handleRequest: RequestListener
  handleInjected: RequestListener
} {
  function dispatch(raw: RawRequest, response: ServerResponse): void {
    if (raw.httpVersionMajor === 2) closeUnread(raw as unknown as Http2ServerRequest)
    // RFC 9112 §9.6: nothing is processed behind a request that the connection closes with.
    else if (isNoLongerServed(raw.socket)) return
    const fault = findFault(raw)
    if (fault !== undefined) {
      // Whoever sent it, or passed it on, may see another request behind it than we do.
      response.shouldKeepAlive = false
      if (raw.httpVersionMajor !== 2) stopServing(raw.socket)
      return routes.serveFailure(fault, raw, response)
    }
    if (state.closing && options.return503OnClosing) {
      logger.info({ res: { statusCode: 503 } }, 'request aborted: the server is closing')
      return refuseClosing(raw, response)
    }
    if (options.rewriteUrl !== undefined && !rewrite(raw)) return
    routes.lookup(raw, response)
  }

  function rewrite(raw: RawRequest): boolean {
    raw.originalUrl = raw.url!
    const url: unknown = assertNotPromise(options.rewriteUrl!.call(root(), raw) as unknown, 'rewriteUrl')
    if (typeof url === 'string') {
      raw.url = url
      return true
    }
    const failure = new errorCodes.ALC_ERR_ROUTE_REWRITE_NOT_STR(raw.url!, typeof url)
    logger.error({ err: failure }, failure.message)
    raw.destroy(failure)
    return false
  }

  function handle(raw: RawRequest, response: ServerResponse, isInjected: boolean): void {
    try {
      // What is injected has the version of HTTP/1, whatever the server speaks.
      if (isInjected || isHttpVersionServed(raw, options)) dispatch(raw, response)
      else routes.serveFailure(new errorCodes.ALC_ERR_HTTP_VERSION_NOT_SUPPORTED(), raw, response)
    } catch (error) {
      // A function among the options failed before there was a request: genReqId, rewriteUrl, a constraint strategy.
      writePlainFailure(response)
      logger.error({ err: error }, 'a request could not be dispatched')
    }
  }

  return {
    handleRequest: (raw, response) => handle(raw, response, false),
    handleInjected: (raw, response) => handle(raw, response, true),
  }
}

/**
 * RFC 9113 §8.1: a stream of HTTP/2 whose reply is complete is closed, though its request is not. What nobody reads would keep it open
 * for ever, and with it the session.
 */
function closeUnread(raw: Http2ServerRequest): void {
  const { stream } = raw
  if (stream.endAfterHeaders) return
  const close = (): void => {
    if (raw.complete || raw.readableFlowing === true) return
    stream.close()
    // It is over when what came already has been taken.
    raw.resume()
  }
  // Trailers go out after what is called the finish.
  stream.once('finish', () => (stream.state.localClose === 1 ? close() : stream.once('wantTrailers', () => setImmediate(close))))
}

const SLASH = 47

/** What requests look like that two servers shall read differently. */
function findFault(raw: IncomingMessage): Error | undefined {
  if (!hasOneHost(raw)) return new errorCodes.ALC_ERR_BAD_HOST()
  const coding = raw.headers['transfer-encoding']
  // RFC 9112 §6.1: there is none in HTTP/1.0; Node takes off the last of several codings, and reads an empty one as none.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersionMinor === 0))
    return new errorCodes.ALC_ERR_BAD_TRANSFER_ENCODING()
  return raw.url!.charCodeAt(0) === SLASH ? undefined : readTarget(raw)
}

const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * RFC 9112 §3.2: a target that is no path. In absolute form it is the path of a host, and its host stands above the `Host` header, so
 * that everything that reads the request reads the same; `*` is for OPTIONS.
 * @returns what is wrong with any other
 */
function readTarget(raw: IncomingMessage): Error | undefined {
  const [, host, rest] = absoluteTarget.exec(raw.url!) ?? []
  if (host === undefined || host === '') {
    return raw.url === '*' && raw.method === 'OPTIONS' ? undefined : new errorCodes.ALC_ERR_BAD_URL(raw.url!)
  }
  raw.headers.host = host
  raw.url = rest!.startsWith('/') ? rest! : `/${rest}`
  return isValidHost(host) ? undefined : new errorCodes.ALC_ERR_BAD_HOST()
}

function isHttpVersionServed(raw: IncomingMessage, options: ServerOptions): boolean {
  if (options.serverFactory) return true
  if (raw.httpVersion === '1.1' || raw.httpVersion === '1.0') {
    return !options.http2 || (typeof options.https === 'object' && options.https?.allowHTTP1 === true)
  }
  // In HTTP/1 anybody can write `HTTP/2.0`.
  return raw.httpVersion === '2.0' && options.http2 === true && 'stream' in raw
}

/** RFC 9112 §3.2, RFC 9113 §8.3.1. (Node sees to it that there is one.) */
function hasOneHost({ headers, rawHeaders, httpVersionMajor }: IncomingMessage): boolean {
  let { host } = headers
  if (httpVersionMajor === 2) {
    const authority = headers[':authority'] as string | undefined
    if (host !== undefined && authority !== undefined && host !== authority) return false
    host ??= authority
  }
  return host === undefined || (isValidHost(host) && !isRepeated(rawHeaders, 'host'))
}

function refuseClosing(raw: IncomingMessage, response: ServerResponse): void {
  if (raw.httpVersionMajor !== 2) response.setHeader('connection', 'close')
  const body = '{"error":"Service Unavailable","message":"Service Unavailable","statusCode":503}'
  response.writeHead(503, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}
