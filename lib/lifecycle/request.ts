/** The class of the requests that hooks and handlers get, and the rules which forwarded headers (`X-Forwarded-…`) a request believes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { assertDeclared, readDecorator } from '../context/decorators.js'
import { errorCodes } from '../errors/codes.js'
import { isClientGone, wasSentWhole, whenOver } from '../http/connection.js'
import { isValidHost } from '../http/headers.js'
import { readMediaType } from '../http/media-type.js'
import { isStandardSchema } from '../schema/standard/standard-schema.js'
import type { ValidateFunction, ValidationError } from '../types/compilers.js'
import type { RequestDecorations } from '../types/decorations.js'
import type { Logger } from '../types/logger.js'
import type { TrustProxy } from '../types/options.js'
import type { HttpPart, Request as PublicRequest, RouteInfo } from '../types/request.js'
import type { Server } from '../types/server.js'
import { isIP } from '../util/node/modules.js'
import { assertNotPromise } from '../util/promises.js'
import { kExchange, kHeaders } from '../util/symbols.js'
import { keepAsyncContext, runInContextOf } from './async-context.js'
import type { Exchange } from './exchange.js'

/** The names of the properties that each request object itself has. No decorator may have one of these names. */
export const requestFields = ['id', 'params', 'raw', 'query', 'log', 'body'] as const

// The application adds these members by its decorators, so the compiler cannot see them here.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Request extends RequestDecorations {}

export class Request implements PublicRequest<any, any, any, any> {
  id: string
  params: unknown
  raw: IncomingMessage & { originalUrl?: string; aborted?: boolean }
  query: unknown
  log: Logger
  body: unknown = undefined
  declare validationError?: ValidationError
  readonly [kExchange]: Exchange;
  [kHeaders]: Record<string, any> | undefined = undefined

  constructor(id: string, params: any, raw: IncomingMessage, query: any, log: Logger, exchange: Exchange) {
    this.id = id
    this.params = params
    this.raw = raw
    this.query = query
    this.log = log
    this[kExchange] = exchange
  }

  get server(): Server {
    return this[kExchange].route.instance
  }
  get method(): string {
    return this.raw.method!
  }
  get url(): string {
    return this.raw.url!
  }
  get originalUrl(): string {
    return this.raw.originalUrl || this.raw.url!
  }
  get socket(): IncomingMessage['socket'] {
    return this.raw.socket
  }
  get headers(): Record<string, any> {
    return this[kHeaders] ?? this.raw.headers
  }
  /** Merges headers over the headers of the raw request: the new values take precedence. */
  set headers(headers: Record<string, any>) {
    this[kHeaders] = { ...this.raw.headers, ...headers }
  }
  // As the public types say: only a connection that has closed has no address, and a request that a plugin made may have no connection.
  get ip(): string {
    return this.raw.socket?.remoteAddress as string
  }
  get ips(): string[] | undefined {
    return undefined
  }
  get mediaType(): string | undefined {
    return readMediaType(this.headers['content-type'])
  }
  // HTTP/1.0 requires no host, and a plugin may make a request without one.
  get host(): string {
    return this.raw.headers.host ?? (this.raw.headers[':authority'] as string | undefined) ?? ''
  }
  get hostname(): string {
    return this.host
  }
  get port(): number | null {
    const port = /:(\d+)$/.exec(this.host)?.[1]
    return port === undefined ? null : Number(port)
  }
  get protocol(): string {
    return this.raw.socket && ((this.raw.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http')
  }
  get is404(): boolean {
    return this[kExchange].route.url === undefined
  }
  get routeOptions(): RouteInfo {
    return this[kExchange].route.info
  }
  /** The signal that is aborted when the client leaves before the reply is complete. It is created when it is first read. */
  get signal(): AbortSignal {
    const exchange = this[kExchange]
    return (exchange.abortController ?? makeAbortController(exchange)).signal
  }

  getDecorator(name: string | symbol): any {
    return readDecorator(this, name, 'request')
  }

  setDecorator(name: string | symbol, value: unknown): void {
    assertDeclared(this, name, 'request')
    ;(this as Record<string | symbol, unknown>)[name] = value
  }

  getValidationFunction(target: HttpPart | 'query' | object): ValidateFunction | undefined {
    if (typeof target !== 'string') return this[kExchange].route.compiledInputs.get(target)
    const part = partNamed(target)
    return this[kExchange].route.validators?.find((validator) => validator.part === part)?.validate
  }

  compileValidationSchema(schema: object, part: HttpPart | 'query' | null = null): ValidateFunction {
    const { compiledInputs, validatorCompiler } = this[kExchange].route
    const httpPart = part && partNamed(part)
    let validate = compiledInputs.get(schema)
    if (validate === undefined) {
      validate = validatorCompiler()({ schema, method: this.method, url: this.url, httpPart: httpPart! })
      compiledInputs.set(schema, validate)
    }
    return validate
  }

  validateInput(input: unknown, target: HttpPart | 'query' | object, httpPart?: HttpPart): unknown {
    const part = typeof target === 'string' ? target : httpPart
    const declared = part === undefined ? undefined : this.getValidationFunction(part)
    if (declared !== undefined) return declared(input)
    if (!isSchema(target)) {
      throw new errorCodes.ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION(String(part))
    }
    return this.compileValidationSchema(target, httpPart)(input)
  }
}

/** Returns the request part with this name: `query` is another name of `querystring`. */
function partNamed(name: HttpPart | 'query'): HttpPart {
  return name === 'query' ? 'querystring' : name
}

/** Whether a value is a schema. A schema of ArkType is a function, every other schema is an object. */
function isSchema(target: unknown): target is object {
  return isStandardSchema(target) || (target !== null && typeof target === 'object' && !Array.isArray(target))
}

/** Makes the controller of `request.signal`. It aborts the signal when the client leaves before the reply is complete. */
function makeAbortController(exchange: Exchange): AbortController {
  const controller = (exchange.abortController = new AbortController())
  const { raw } = exchange.reply
  // Listeners of the signal see the stores of the code that reads the signal.
  keepAsyncContext(exchange)
  // The connection may serve further requests, so the response tells when the client left, not the socket.
  if (!isClientGone(raw)) abortWithResponse(raw, exchange)
  else if (!wasSentWhole(raw)) controller.abort()
  return controller
}

function abortWithResponse(response: ServerResponse, exchange: Exchange): void {
  const { withSignal } = exchange.route.state
  withSignal.add(exchange)
  whenOver(response, (_response, isWhole) => {
    withSignal.delete(exchange)
    if (!isWhole) abortRequest(exchange)
  })
}

/** Aborts `request.signal`, if it was ever read. @param reason default: an `AbortError` */
export function abortRequest(exchange: Exchange, reason?: unknown): void {
  const { abortController } = exchange
  if (abortController !== undefined) runInContextOf(exchange, () => abortController.abort(reason))
}

/**
 * Makes the request class of the root context. With `trustProxy`, requests of this class believe forwarded headers (`X-Forwarded-…`) that
 * come from trusted peers, and no others.
 */
export function createRequestClass(trustProxy: TrustProxy | undefined): typeof Request {
  if (!trustProxy) return Request
  const isTrusted = compileTrust(trustProxy)
  const isPeerKnown = typeof trustProxy !== 'number'
  class ProxiedRequest extends Request {
    override get ip(): string {
      return this.ips.at(-1)!
    }
    /**
     * The addresses on the way of the request, from the peer to the client. An address is believed if the address before it in the list is
     * trusted.
     */
    override get ips(): string[] {
      const addresses = [this.raw.socket?.remoteAddress as string]
      const forwarded = this.raw.headers['x-forwarded-for']
      if (typeof forwarded !== 'string') return addresses
      for (const entry of forwarded.split(',').reverse()) {
        const address = readAddress(entry)
        if (address === undefined || !isTrusted(addresses.at(-1) ?? '', addresses.length - 1)) break
        addresses.push(address)
      }
      return addresses
    }
    override get host(): string {
      const host = this.#forwarded('x-forwarded-host')
      return host !== undefined && isValidHost(host) ? host : super.host
    }
    override get protocol(): string {
      const protocol = this.#forwarded('x-forwarded-proto')?.toLowerCase()
      return protocol !== undefined && scheme.test(protocol) ? protocol : super.protocol
    }
    // A number of hops does not identify the peer, so it vouches for addresses only. The nearest proxy added the last entry (RFC 7239 §4
    // has the same order).
    #forwarded(name: string): string | undefined {
      const value = this.raw.headers[name]
      if (typeof value !== 'string' || !isPeerKnown || !isTrusted(this.raw.socket?.remoteAddress ?? '', 0)) return undefined
      return value.slice(value.lastIndexOf(',') + 1).trim() || undefined
    }
  }
  return ProxiedRequest
}

// RFC 3986 §3.1
const scheme = /^[a-z][a-z\d+.-]*$/i

/**
 * Reads the address in an entry of `X-Forwarded-For`, in which some proxies write quotes, brackets and ports.
 * @returns `undefined` if the entry is not an address
 */
function readAddress(entry: string): string | undefined {
  const text = entry.trim()
  if (isIP(text) !== 0) return text
  const [, bracketed, plain] = /^"?(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?"?$/.exec(text) ?? []
  const address = bracketed ?? plain
  return address !== undefined && isIP(address) !== 0 ? address : undefined
}

function compileTrust(trustProxy: TrustProxy): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'function') return (address, hop) => assertNotPromise(trustProxy(address, hop), 'trustProxy')
  if (trustProxy === true) return () => true
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  if (typeof trustProxy === 'string') return proxyAddr.compile(trustProxy.split(',').map((entry) => entry.trim()))
  return proxyAddr.compile(trustProxy as string[])
}
