/** Requests without a socket. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** A request for {@link Server.inject}. Further options are those of light-my-request. */
export interface InjectOptions {
  /** Default `GET`. */
  method?: string
  /** A path with or without a query string, or `{ pathname, query, protocol, hostname, port }`. */
  url?: string | object
  /** The same as `url`. */
  path?: string | object
  headers?: Record<string, any>
  /** Merged over the query string of `url`; an array is sent as one name with several values. */
  query?: string | Record<string, any>
  /** Added to the header `cookie`, by name. */
  cookies?: Record<string, string>
  /** A string, Buffer, stream or `FormData`; anything else is sent as JSON. */
  payload?: any
  /** The same as `payload`. */
  body?: any
  /** The header `host`, where `headers` has none. Default: that of `url`, `localhost:80`. */
  authority?: string
  /** Address of the client. Default `127.0.0.1`. */
  remoteAddress?: string
  /** Aborts the request. */
  signal?: AbortSignal
  [other: string]: unknown
}

/** The response to an {@link Server.inject}ed request. */
export interface InjectResponse {
  /** Node's request and response, or what stands in for them. */
  raw: { req: IncomingMessage; res: ServerResponse }
  headers: OutgoingHttpHeaders
  trailers: Record<string, string>
  statusCode: number
  statusMessage: string
  /** The body as text. */
  payload: string
  /** The same as `payload`. */
  body: string
  /** The body as bytes. */
  rawPayload: Buffer
  /** The `set-cookie` headers, parsed: `{ name, value, path, … }`. */
  cookies: unknown[]
  /** The body, parsed as JSON. @throws SyntaxError where it is none */
  json<T = any>(): T
  /** The body as a stream. */
  stream(): Readable
}

/**
 * A promise of the response; until it is sent, by `end()`, by being waited for, or in the next tick, calls put the request
 * together:
 * ```ts
 * const response = await server.inject().post('/users').headers({ 'x-caller': 'ada' }).body({ name: 'Ada' })
 * ```
 */
export interface InjectChain extends Promise<InjectResponse> {
  [method: string]: any
}
