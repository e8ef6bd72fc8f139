/**
 * Fields of Node's own objects that its types do not declare. All of them were seen in Node 20.20, 22.23 and 24.21. Another runtime or
 * a later Node may lack any of them: code that reads one must work without it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The parser that Node attaches to a socket of HTTP/1. */
interface HttpParser {
  /** The latest request of the connection: its headers have arrived, its body may still be on its way. `null` once it is answered. */
  readonly incoming?: IncomingMessage | null
}

/** A socket as Node's HTTP server sees it. */
export interface HttpSocket extends Socket {
  /** `null` or missing unless the socket carries HTTP/1: TLS that is being set up, HTTP/2, an upgraded connection. */
  parser?: HttpParser | null
  /** The response whose turn it is: the one that may write to the socket. `null` between two responses. */
  _httpMessage?: ServerResponse | null
  /** Whether Node has stopped reading, because too many bytes of replies wait. */
  _paused?: boolean
  /** The socket below a TLS socket. */
  _parent?: Socket
  /**
   * libuv's handle, `null` once the socket is closed. `bytesWritten`: bytes that were given to it. `writeQueueSize`: those of them that the
   * operating system has not taken yet.
   */
  _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null
}

/** A response with the fields that decide how Node writes a head, and that say whether it has. */
export interface InternalServerResponse extends ServerResponse {
  /** The head as text; `null` until it is made. */
  _header: string | null
  /** Whether the head was handed to the socket. Otherwise Node puts it in front of the next bytes of the body. */
  _headerSent: boolean
  /** Bytes that wait until it is the turn of this response. */
  outputData: readonly unknown[]
  /** Makes `_header`. Called by `writeHead`. */
  _storeHeader: unknown
  /** Whether the client waits for `100 Continue` before it sends its body. */
  _expect_continue: boolean
  /** Whether a `Connection` header was removed, so that Node sends none. */
  _removedConnection: boolean
  /** `false` once a `Connection` header was set. */
  _defaultKeepAlive: boolean
  /** ms, as in the `Keep-Alive` header; the server's `keepAliveTimeout` */
  _keepAliveTimeout: number
  /** The server's `maxRequestsPerSocket`; 0 or `null`: no limit. */
  _maxRequestsPerSocket: number | null | undefined
  /** Whether this response is the last that `maxRequestsPerSocket` allows on its connection. */
  maxRequestsOnConnectionReached: boolean
  /** Whether the client understands chunks: HTTP/1.1. */
  useChunkedEncodingByDefault: boolean
}
