/**
 * The states of a connection of HTTP/1: which of the requests that its client sends are served, and what happens to the bytes that are not
 * served.
 *
 *                too many requests wait for replies
 *      Serving ──────────────────────────────────────▶ Holding
 *         │    ◀──────────────────────────────────────   │
 *         │        all that were held are served         │ one read brings far too many,
 *         │                                              │ or no reply is sent for 5 s
 *         │ a reply that closes the connection           │
 *         ▼ a further request, or bytes that are no HTTP ▼
 *       Ending ──────────────────────────────────────▶ Dropping
 *
 * Serving: requests are served as they come. Holding: as many requests are being served as the limit allows. Further requests of the same
 * read are held: they wait, not served yet. The connection is not read until they are served. In this state alone the server does not
 * notice a client that leaves, so the state lasts 5 s at most without a reply. Ending: the last request that will be served has come.
 * Dropping: all further bytes are read and dropped unparsed, so that the server sees the end of the connection. When the last reply is out,
 * the connection ends as {@link linger} says.
 *
 * A request that a plugin routes itself (`injectWS` of `@fastify/websocket`) may lack a socket; undici takes the socket of a request away.
 */
import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Deadline, Deadlines } from './deadline.js'
import type { HttpSocket } from './node-internals.js'

/**
 * The state of a connection of HTTP/1. The order of the values counts: a connection in `Ending` or a later state never returns to an
 * earlier state.
 */
const enum State {
  Serving,
  Holding,
  Ending,
  Dropping,
}

const kState = Symbol('alcove.connection-state')
const kPipeline = Symbol('alcove.pipeline')

type Serve = (raw: IncomingMessage, response: ServerResponse) => void

/** The requests of a connection whose client sends further requests before it has the replies to earlier ones (pipelining). */
interface Pipeline {
  /** The number of requests that are being served and are not answered yet, including the request whose reply is due next. */
  served: number
  /** The most requests of the connection that may be served at a time. */
  readonly max: number
  readonly serve: Serve
  /** The responses to the requests that wait because `max` requests are being served already, in the order of the requests. */
  readonly held: ServerResponse[]
  /**
   * The async context in which a request that had to wait is served. This begins in an event of another request, whose AsyncLocalStorage it
   * must not see.
   */
  readonly resource: AsyncResource
  /**
   * The deadline of a connection that is not read because requests wait. When it falls due, the connection closes after the replies to the
   * requests that were read.
   */
  readonly deadline: Deadline<ServedSocket>
}

interface ServedSocket extends HttpSocket {
  /** The state of the connection; absent if the state has always been `Serving`. */
  [kState]?: State
  [kPipeline]?: Pipeline
}

type MaybeSocket = ServedSocket | null | undefined

/**
 * Makes the server ignore further requests of a connection, because the connection closes after a request that has come. Requests that wait
 * to be served came later and are ignored too.
 */
export function stopServing(socket: MaybeSocket): void {
  if (socket == null || isNoLongerServed(socket)) return
  if (socket[kState] !== State.Holding) return void (socket[kState] = State.Ending)
  socket[kPipeline]!.held.length = 0
  dropFurther(socket)
}

/** Whether no further request of a connection is served, because {@link stopServing} or {@link dropFurther} was called for it. */
export function isNoLongerServed(socket: MaybeSocket): boolean {
  return (socket?.[kState] ?? State.Serving) >= State.Ending
}

/**
 * Drops everything that a connection has received and not parsed, and everything that it receives from now on. Requests that were parsed
 * are answered, then the connection closes in stages; it closes at once if its client leaves.
 */
export function dropFurther(socket: ServedSocket): void {
  if (socket[kState] === State.Dropping) return
  socket[kState] = State.Dropping
  // The error of the client was that it ended the connection in the middle of a request.
  if (socket.readableEnded) return void socket.destroy()
  socket[kPipeline]?.deadline.cancel()
  closeInStages(socket)
  socket.removeAllListeners('data')
  // Until there is a listener for `data`, Node passes the bytes to its parser without making a buffer of them.
  socket.on('data', ignore)
  delete (socket as Partial<Socket>).resume
  socket.resume()
  // If Node had stopped reading by its parser, the stream still waits for a read. An empty chunk ends that wait.
  socket.push('')
  // Node's own listener would report an error of the client: its parser may be in the middle of a request.
  socket.prependOnceListener('end', () => socket.destroy())
}

/**
 * Closes a connection when a response becomes due, without sending that response. Until then, everything that the client sends is dropped.
 */
export function endBefore(response: ServerResponse): void {
  response.once('socket', linger)
  dropFurther(response.req.socket)
}

/**
 * Whether everything that a connection receives is dropped, because {@link dropFurther} was called for it. Bytes that were read together with the request that led to the call are still parsed.
 */
export function isDropping(socket: MaybeSocket): boolean {
  return socket?.[kState] === State.Dropping
}

function ignore(): void {}

/** Milliseconds that a connection stays open for a client that has to read a reply while it still sends its request. */
const LINGER_MS = 1_000

/**
 * Makes a connection close in stages after its last reply (RFC 9112 §9.6). If the connection closed at once, bytes that the client still
 * sends would reset the connection, and the client would lose the reply. Instead these bytes are read and dropped for a while.
 */
export function closeInStages(socket: Socket): void {
  // Node calls this function after the last reply of a connection.
  socket.destroySoon = () => linger(socket)
}

/** Ends a connection whose last reply is out. The connection is destroyed when the client ends its side too, or after a second. */
export function linger(socket: Socket): void {
  stopServing(socket)
  socket.end()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('end', () => socket.destroy())
}

/** The most requests of one read that may wait to be served. Node keeps up to 2 kB for each, and one read may bring some 2,600 requests. */
const MAX_HELD = 480
/**
 * The most requests of one read that may wait to be served when one more comes, with a body. Node keeps up to 2.3 kB for each request
 * with a body.
 */
const MAX_HELD_BODIES = 400

/**
 * The queue of the connections that are not read because requests wait to be served. A connection is closed after 5 s in the queue. Each
 * reply starts the time anew.
 */
const heldTooLong = new Deadlines(5_000)

/**
 * Whether a request has to wait until earlier requests of its connection are answered. Injected requests and requests over HTTP/2 never
 * wait.
 */
export function isPipelined(socket: HttpSocket | undefined, response: ServerResponse): boolean {
  return response.socket === null && socket?._httpMessage != null
}

/**
 * Serves a request that may have to wait until earlier requests of its connection are answered.
 * @param max the most requests of a connection that are served at a time
 * @param serve called at once, or later if the request has to wait
 * @returns `false` if the request will not be served, because its client has sent far too many requests
 */
export function servePipelined(raw: IncomingMessage, response: ServerResponse, max: number, serve: Serve): boolean {
  const socket: ServedSocket = raw.socket
  const pipeline = (socket[kPipeline] ??= {
    served: 1,
    max,
    serve,
    held: [],
    resource: new AsyncResource('alcove.held-requests'),
    deadline: new Deadline(socket, closeAfterHeld),
  })
  const { held } = pipeline
  if (held.length >= MAX_HELD_BODIES && (held.length >= MAX_HELD || announcesBody(raw))) {
    held.at(-1)!.shouldKeepAlive = false
    endBefore(response)
    return false
  }
  // A request that is held behind another held one gets its listener when that one is served: a listener takes memory.
  if (held.length === 0) response.once('socket', onTurn)
  if (held.length === 0 && pipeline.served < max) {
    pipeline.served++
    serve(raw, response)
    return true
  }
  held.push(response)
  if (socket[kState] !== State.Holding) hold(socket, pipeline)
  return true
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

function stayPaused(this: Socket): Socket {
  return this
}

function hold(socket: ServedSocket, { deadline }: Pipeline): void {
  socket[kState] = State.Holding
  heldTooLong.add(deadline)
  socket.pause()
  // Node resumes the socket when a reply, or a body, has been taken.
  socket.resume = stayPaused
}

function release(socket: ServedSocket, { deadline }: Pipeline): void {
  if (socket[kState] !== State.Holding) return
  socket[kState] = State.Serving
  deadline.cancel()
  delete (socket as Partial<Socket>).resume
  // Node resumes the socket itself when fewer replies wait.
  if (!socket._paused) socket.resume()
}

/** Closes a connection whose client has sent too many requests and got no reply for 5 s. The requests that wait are still answered. */
function closeAfterHeld(socket: ServedSocket): void {
  socket[kPipeline]!.held.at(-1)!.shouldKeepAlive = false
  dropFurther(socket)
}

/**
 * Counts a reply as sent, and serves requests that wait. It is called when a response gets the socket because the previous response is
 * sent.
 */
function onTurn(this: ServerResponse, socket: ServedSocket): void {
  const pipeline = socket[kPipeline]!
  pipeline.served--
  if (pipeline.held.length === 0) return
  if (socket[kState] === State.Holding) {
    pipeline.deadline.cancel()
    heldTooLong.add(pipeline.deadline)
  }
  // Node is about to write what this response has buffered. A handler must not reply in between.
  process.nextTick(serveHeld, socket, pipeline)
}

function serveHeld(socket: ServedSocket, pipeline: Pipeline): void {
  const { held, resource } = pipeline
  if (socket.destroyed) held.length = 0
  while (held.length > 0 && pipeline.served < pipeline.max) {
    pipeline.served++
    const response = held.shift()!
    held[0]?.once('socket', onTurn)
    resource.runInAsyncScope(pipeline.serve, undefined, response.req, response)
  }
  if (held.length === 0) release(socket, pipeline)
}
