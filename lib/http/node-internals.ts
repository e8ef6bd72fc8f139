/**
 * Fields of Node's own objects that its types do not declare, functions that read the fields of sockets, and an object that keeps Node's
 * ticks fast. All fields were seen in Node 20.20, 22.23, 24.21 and 26.10. Another runtime or a later Node may lack any of them: code that
 * reads one must work without it.
 *
 * In a Node that is verified (node-verification.ts), `parser`, `_httpMessage` and the `socket` of a response mean what this file says. In
 * another Node, the connections of servers are tracked by events that tell the same as these fields. Tracking costs a few steps for each
 * request, so it is done only there.
 */
import { executionAsyncResource } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { verification } from '../util/node-verification.js'

/**
 * A list that keeps one object which `process.nextTick` has made, so that ticks stay fast. `process.nextTick` makes such an object for each
 * call.
 *
 * V8 compiles Node's code for the hidden class of these objects. If a full garbage collection finds no such object, V8 drops the class, and
 * Node's code makes all later objects slowly: for the rest of the process a tick takes 0.3 to 0.5 µs instead of 0.07 (seen in Node 20, 22,
 * 24 and 26). A request over HTTP/2 has some ten ticks. The object that is kept prevents this.
 */
export const keptTicks: object[] = []
process.nextTick(() => keptTicks.push(executionAsyncResource()))

/** The parser that Node attaches to a socket of HTTP/1. */
interface HttpParser {
  /**
   * The latest request of the connection: its headers have arrived, its body may still be on its way. `null` once the request is answered.
   */
  readonly incoming?: IncomingMessage | null
}

/** A socket with the internal fields that Node's HTTP server gives it. */
export interface HttpSocket extends Socket {
  /**
   * The parser of HTTP/1. `null` or missing if the socket carries something else: TLS that is being set up, HTTP/2, an upgraded connection.
   */
  parser?: HttpParser | null
  /** The response that may write to the socket, because all earlier responses are complete. `null` between two responses. */
  _httpMessage?: ServerResponse | null
  /** Whether Node has stopped reading the socket, because too many bytes of replies wait to be sent. */
  _paused?: boolean
  /** The socket that a TLS socket was made on. */
  _parent?: Socket
  /**
   * The handle of libuv, Node's library for input and output; `null` once the socket is closed. `bytesWritten`: bytes that were given to
   * the handle. `writeQueueSize`: bytes of these that the operating system has not taken yet.
   */
  _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null
}

/**
 * Whether this Node is verified: the fields `parser` and `_httpMessage` of a socket, and `socket` of a response, have the meaning that
 * alcove relies on.
 */
export const areSocketFieldsKnown = verification.fields

/**
 * Whether a response that emits `close` has finished. Node takes the socket away from a response that finishes, and emits `close` in the
 * next tick.
 */
export function hasFinished({ socket, writableFinished }: ServerResponse): boolean {
  return socket === null && writableFinished
}

/** The facts about a connection that are known from the events of its server. */
interface TrackedConnection {
  /** The responses that have not closed, in the order of their requests. */
  readonly open: Set<ServerResponse>
  latest: IncomingMessage | undefined
  isUpgraded: boolean
}

const trackedConnections = new WeakMap<Socket, TrackedConnection>()
const trackedServers = new WeakSet<Server>()

function trackedConnection(socket: Socket): TrackedConnection {
  let tracked = trackedConnections.get(socket)
  if (tracked === undefined) trackedConnections.set(socket, (tracked = { open: new Set(), latest: undefined, isUpgraded: false }))
  return tracked
}

/**
 * Tracks the connections of a server by its events if this Node is not verified; otherwise does nothing, because the fields of sockets tell
 * the same.
 */
export function trackUnlessKnown(server: Server): void {
  if (areSocketFieldsKnown || trackedServers.has(server)) return
  trackedServers.add(server)
  const { emit } = server
  // Not a listener: Node answers some requests itself if it finds none, and application code counts listeners.
  server.emit = function emitAndTrack(this: Server, event: string, ...args: any[]) {
    if (event === 'request' || event === 'checkContinue' || event === 'checkExpectation') trackExchange(args[0], args[1])
    else if (event === 'upgrade' || event === 'connect') trackedConnection(args[1]).isUpgraded = true
    return Reflect.apply(emit, this, [event, ...args])
  } as Server['emit']
}

function trackExchange(raw: IncomingMessage, response: ServerResponse): void {
  if ('stream' in raw) return
  const tracked = trackedConnection(raw.socket)
  tracked.latest = raw
  tracked.open.add(response)
  response.once('close', () => tracked.open.delete(response))
}

/**
 * Returns the response that may write to the socket of a connection, because all earlier responses are complete. `undefined` between two
 * responses.
 */
export function currentResponse(socket: HttpSocket): ServerResponse | undefined {
  if (areSocketFieldsKnown) return socket._httpMessage ?? undefined
  return trackedConnections.get(socket)?.open.values().next().value
}

/**
 * Returns the latest request of a connection: its headers have arrived, its body may still be on its way. `undefined` if no request has
 * come, and possibly once the request is answered.
 */
export function latestRequest(socket: HttpSocket | null): IncomingMessage | undefined {
  if (socket === null) return undefined
  return areSocketFieldsKnown ? (socket.parser?.incoming ?? undefined) : trackedConnections.get(socket)?.latest
}

/** Whether a connection that began with HTTP/1 now carries another protocol. */
export function isUpgraded(socket: HttpSocket): boolean {
  return areSocketFieldsKnown ? socket.parser == null : trackedConnections.get(socket)?.isUpgraded === true
}

/** Returns how many bytes of replies the client of a connection has not taken yet. */
export function unsentBytes(socket: HttpSocket): number {
  return socket._handle?.writeQueueSize ?? socket.writableLength
}

/** Returns the socket whose bytes go to the operating system: for a TLS socket, the socket below it. */
export function transportOf(socket: HttpSocket): HttpSocket {
  return socket._parent ?? socket
}

/** Finds the socket that a TLS socket was made on. @param candidates sockets to choose from */
export function socketBelow(secure: HttpSocket, candidates: Iterable<Socket>): Socket | undefined {
  if (secure._parent !== undefined) return secure._parent
  for (const each of candidates) if (each.remotePort === secure.remotePort && each.remoteAddress === secure.remoteAddress) return each
  return undefined
}

/**
 * A response with the internal fields that decide how Node writes its head (status line and headers), and that say whether the head is
 * written.
 */
export interface InternalServerResponse extends ServerResponse {
  /** The head (status line and headers) as a text; `null` until the head is made. */
  _header: string | null
  /** Whether the head was handed to the socket. If not, Node puts the head in front of the next bytes of the body. */
  _headerSent: boolean
  /** Whether the reply has a body: `false` for HEAD, whatever `req.method` says later. */
  _hasBody: boolean
  /** The chunks of the message that wait until this response may write to the socket. */
  outputData: readonly unknown[]
  /** Makes the text `_header` of status line and headers. `writeHead` calls it. */
  _storeHeader: unknown
  /** Whether the client waits for `100 Continue` before it sends its body. */
  _expect_continue: boolean
  /** Whether a `Connection` header was removed, so that Node sends none. */
  _removedConnection: boolean
  /** Whether Node decides itself if the connection is kept: `false` once a `Connection` header was set. */
  _defaultKeepAlive: boolean
  /** Milliseconds that the `Keep-Alive` header states: the server's `keepAliveTimeout`. */
  _keepAliveTimeout: number
  /** The server's `maxRequestsPerSocket`; 0 or `null` means that there is no limit. */
  _maxRequestsPerSocket: number | null | undefined
  /** Whether this response is the last that `maxRequestsPerSocket` allows on its connection. */
  maxRequestsOnConnectionReached: boolean
  /** Whether the client understands chunked bodies: it speaks HTTP/1.1. */
  useChunkedEncodingByDefault: boolean
}
