/**
 * From a request off the wire to the router: what is read in more than one way, or not spoken here, is refused before it is routed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BootState } from './boot.js'
import type { Logger, Server, ServerOptions } from './contract.js'
import { errorCodes } from './errors.js'
import { isRepeated } from './raw-headers.js'
import { writePlainFailure } from './respond.js'
import type { RouteTable } from './route-table.js'

interface DispatchParts {
  readonly options: ServerOptions
  readonly state: BootState
  readonly routes: RouteTable
  readonly logger: Logger
  readonly root: () => Server
}

type Incoming = IncomingMessage & { originalUrl?: string }

/** Makes the listener of requests. It throws nothing. */
export function createDispatch({ options, state, routes, logger, root }: DispatchParts): (raw: Incoming, response: ServerResponse) => void {
  function dispatch(raw: Incoming, response: ServerResponse): void {
    if (!isHttpVersionServed(raw, options)) return routes.serveFailure(new errorCodes.ALC_ERR_HTTP_VERSION_NOT_SUPPORTED(), raw, response)
    if (raw.url!.charCodeAt(0) !== SLASH) readAbsoluteTarget(raw)
    if (!hasOneHost(raw)) return routes.serveFailure(new errorCodes.ALC_ERR_BAD_HOST(), raw, response)
    if (state.closing && options.return503OnClosing) {
      logger.info({ res: { statusCode: 503 } }, 'request aborted: the server is closing')
      return refuseClosing(raw, response)
    }
    if (options.rewriteUrl !== undefined && !rewrite(raw)) return
    routes.lookup(raw, response)
  }

  function rewrite(raw: Incoming): boolean {
    raw.originalUrl = raw.url!
    const url: unknown = options.rewriteUrl!.call(root(), raw)
    if (typeof url === 'string') {
      raw.url = url
      return true
    }
    const failure = new errorCodes.ALC_ERR_ROUTE_REWRITE_NOT_STR(raw.url!, typeof url)
    logger.error({ err: failure }, failure.message)
    raw.destroy(failure)
    return false
  }

  return (raw, response) => {
    try {
      dispatch(raw, response)
    } catch (error) {
      // A function among the options failed before there was a request: genReqId, rewriteUrl, a constraint strategy.
      writePlainFailure(response)
      logger.error({ err: error }, 'a request could not be dispatched')
    }
  }
}

const SLASH = 47
const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * RFC 9112 §3.2.2: a target in absolute form is the path of a host, and its host stands above the `Host` header, so that
 * everything that reads the request reads the same. What is neither that nor a path is left to the router.
 */
function readAbsoluteTarget(raw: IncomingMessage): void {
  const [, host, rest] = absoluteTarget.exec(raw.url!) ?? []
  if (host === undefined || host === '') return
  raw.headers.host = host
  raw.url = rest!.startsWith('/') ? rest! : `/${rest}`
}

function isHttpVersionServed(raw: IncomingMessage, options: ServerOptions): boolean {
  if (options.serverFactory) return true
  if (raw.httpVersion === '1.1' || raw.httpVersion === '1.0') {
    return !options.http2 || (typeof options.https === 'object' && options.https?.allowHTTP1 === true)
  }
  return raw.httpVersion === '2.0' && options.http2 === true
}

// RFC 3986 §3.2.2: an IP literal or a name, then a port.
const validHost = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
let knownHost = ''

/**
 * RFC 9112 §3.2: two Host headers, or one that is none, are what requests look like that two servers shall read differently.
 * (Node sees to it that there is one.) Clients send the same host over and over, so that it is read once.
 */
function hasOneHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers
  if (host === undefined) return true
  if (host !== knownHost) {
    if (!validHost.test(host)) return false
    knownHost = host
  }
  return !isRepeated(rawHeaders, 'host')
}

function refuseClosing(raw: IncomingMessage, response: ServerResponse): void {
  if (raw.httpVersionMajor !== 2) response.setHeader('connection', 'close')
  const body = '{"error":"Service Unavailable","message":"Service Unavailable","statusCode":503}'
  response.writeHead(503, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}
