/** The class of the requests that hooks and handlers get, and what it believes of forwarded headers. */
import type { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { assertDeclared, readDecorator } from '../context/decorators.js'
import { errorCodes } from '../errors/codes.js'
import { isClientGone, wasSentWhole, whenOver } from '../http/connection.js'
import { isValidHost } from '../http/headers.js'
import { readMediaType } from '../http/media-type.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { isStandardSchema } from '../schema/standard/standard-schema.js'
import type { ValidateFunction, ValidationError } from '../types/compilers.js'
import type { Logger } from '../types/logger.js'
import type { TrustProxy } from '../types/options.js'
import type { HttpPart, RouteInfo } from '../types/request.js'
import type { Server } from '../types/server.js'
import { kNext, kPrevious, type ListEntry } from '../util/linked-list.js'
import { assertNotPromise } from '../util/promises.js'
import {
  kAsyncContext,
  kDueReply,
  kHasEnded,
  kHeaders,
  kOverListener,
  kPayloadStream,
  kReply,
  kRoute,
  kRuns,
  kWaiting,
} from '../util/symbols.js'
import { keepAsyncContext, runInContextOf } from './async-context.js'
import { DueReply, type InternalReply, type WaitingHooks } from './state.js'

const kSignal = Symbol('alcove.signal')

/** Properties that every request has as its own. No decorator may have their names. */
export const requestFields = ['id', 'params', 'raw', 'query', 'log', 'body'] as const

export class Request {
  id: string
  params: unknown
  raw: IncomingMessage & { originalUrl?: string; aborted?: boolean }
  query: unknown
  log: Logger
  body: unknown = undefined
  declare validationError?: ValidationError;
  [kRoute]: CompiledRoute;
  [kPayloadStream]: unknown = undefined;
  [kWaiting]: WaitingHooks | 'validation' | undefined = undefined;
  [kHeaders]: Record<string, any> | undefined = undefined
  declare [kSignal]?: AbortController;
  // Both are set right after construction.
  [kReply]: InternalReply | undefined = undefined;
  [kAsyncContext]: AsyncResource | undefined = undefined;
  [kRuns] = 0;
  [kHasEnded]: boolean | undefined = undefined;
  [kDueReply]: DueReply = DueReply.None;
  [kOverListener]: (() => void) | undefined = undefined;
  [kPrevious]: ListEntry | undefined = undefined;
  [kNext]: ListEntry | undefined = undefined

  constructor(id: string, params: unknown, raw: any, query: unknown, log: Logger, route: CompiledRoute) {
    this.id = id
    this.params = params
    this.raw = raw
    this.query = query
    this.log = log
    this[kRoute] = route
  }

  get server(): Server {
    return this[kRoute].instance
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
  /** Merges headers over those of the raw request. */
  set headers(headers: Record<string, any>) {
    this[kHeaders] = { ...this.raw.headers, ...headers }
  }
  get ip(): string | undefined {
    return this.raw.socket?.remoteAddress
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
  get protocol(): string | undefined {
    return this.raw.socket && ((this.raw.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http')
  }
  get is404(): boolean {
    return this[kRoute].url === undefined
  }
  get routeOptions(): RouteInfo {
    return this[kRoute].info
  }
  /** Created at the first read. */
  get signal(): AbortSignal {
    if (this[kSignal] === undefined) {
      const controller = (this[kSignal] = new AbortController())
      const { raw } = this[kReply]!
      // Its listeners see the stores of the code that reads it.
      keepAsyncContext(this)
      // The connection may serve further requests, so the response tells when the client left, not the socket.
      if (!isClientGone(raw)) this.#abortWithResponse(raw)
      else if (!wasSentWhole(raw)) controller.abort()
    }
    return this[kSignal].signal
  }

  #abortWithResponse(response: ServerResponse): void {
    const { withSignal } = this[kRoute].state
    withSignal.add(this)
    whenOver(response, (_response, isWhole) => {
      withSignal.delete(this)
      if (!isWhole) abortRequest(this)
    })
  }

  getDecorator(name: string | symbol): any {
    return readDecorator(this, name, 'request')
  }

  setDecorator(name: string | symbol, value: unknown): void {
    assertDeclared(this, name, 'request')
    ;(this as Record<string | symbol, unknown>)[name] = value
  }

  getValidationFunction(target: HttpPart | 'query' | object): ValidateFunction | undefined {
    if (typeof target !== 'string') return this[kRoute].compiledInputs.get(target)
    const part = target === 'query' ? 'querystring' : target
    return this[kRoute].validators?.find((validator) => validator.part === part)?.validate
  }

  compileValidationSchema(schema: object, httpPart: HttpPart | null = null): ValidateFunction {
    const { compiledInputs, validatorCompiler } = this[kRoute]
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

/** Schemas of ArkType are functions. */
function isSchema(target: unknown): target is object {
  return isStandardSchema(target) || (target !== null && typeof target === 'object' && !Array.isArray(target))
}

/** Aborts the request's signal, if it was ever read. @param reason default: an `AbortError` */
export function abortRequest(request: { [kAsyncContext]?: AsyncResource }, reason?: unknown): void {
  const controller = (request as Request)[kSignal]
  if (controller !== undefined) runInContextOf(request, () => controller.abort(reason))
}

/** Makes the request class of the root context. With `trustProxy` it believes the headers that trusted peers forward, and no others. */
export function createRequestClass(trustProxy: TrustProxy | undefined): typeof Request {
  if (!trustProxy) return Request
  const isTrusted = compileTrust(trustProxy)
  const isPeerKnown = typeof trustProxy !== 'number'
  class ProxiedRequest extends Request {
    override get ip(): string | undefined {
      return this.ips.at(-1)
    }
    /** From the peer on. An address is believed if the one before it is trusted. */
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
    override get protocol(): string | undefined {
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

/** Reads an entry of `X-Forwarded-For`, in which some proxies write quotes, brackets and ports. `undefined` if it is not an address. */
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
