/** Requests without a socket, as `server.inject` takes them, and their responses. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** A request for `server.inject`. It may have further options of light-my-request. */
export interface InjectOptions {
  /** The HTTP method. Default `GET`. */
  method?: string
  /** A path with or without a query string, or `{ pathname, query, protocol, hostname, port }`. */
  url?: string | object
  /** The URL of the request, another name of `url`. */
  path?: string | object
  /** The headers, by name. */
  headers?: Record<string, any>
  /**
   * The query parameters by name, or a query string, merged over the query string of `url`. For an array, the name is sent once for each
   * value.
   */
  query?: string | Record<string, any>
  /** The cookies by name, which are added to the header `cookie`. */
  cookies?: Record<string, string>
  /** The body: a string, Buffer, stream or `FormData`; anything else that is not falsy is sent as JSON. */
  payload?: any
  /** The body of the request, another name of `payload`. */
  body?: any
  /** The header `host`, if `headers` has none. Default: host and port of `url`, or `localhost:80`. */
  authority?: string
  /** The client's address. Default `127.0.0.1`. */
  remoteAddress?: string
  /** A signal that aborts the request. */
  signal?: AbortSignal
  [other: string]: unknown
}

/** The response to a request that was sent with `server.inject`. */
export interface InjectResponse {
  /** The objects that the server got in place of Node's request and response. */
  raw: { req: IncomingMessage; res: ServerResponse }
  /** The headers, by lower-case name. */
  headers: OutgoingHttpHeaders
  /** The trailer fields, by lower-case name. */
  trailers: Record<string, string>
  /** The status: `200`. */
  statusCode: number
  /** The text of the status: `OK`. */
  statusMessage: string
  /** The body as text. */
  payload: string
  /** The body as text, another name of `payload`. */
  body: string
  /** The body as bytes. */
  rawPayload: Buffer
  /** The `set-cookie` headers, parsed: `{ name, value, path, … }`. */
  cookies: unknown[]
  /** Returns the body, parsed as JSON. @throws SyntaxError if it is not JSON */
  json<T = any>(): T
  /** Returns the body as a stream. */
  stream(): Readable
}

/**
 * A promise of the response, with methods that build the request. The request is sent by `end()`, when the promise is awaited, or
 * in the next tick.
 * ```ts
 * const response = await server.inject().post('/users').headers({ 'x-caller': 'ada' }).body({ name: 'Ada' })
 * ```
 */
export interface InjectChain extends Promise<InjectResponse> {
  [method: string]: any
}

/** The facts about a request that a runtime passes to `server.fetch`. */
export interface FetchOptions {
  /**
   * The address of the connection that the request pretends to come by. It is `request.ip`, unless the option `trustProxy` trusts it and the
   * request has `X-Forwarded-For`. Default: none.
   */
  remoteAddress?: string
}
