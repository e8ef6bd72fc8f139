/**
 * One connection, from the point of view of a request or a response on it: whether the client is still there, and how the connection ends
 * with a response or after it. (How all connections end while the server closes: drain-connections.ts.)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { MaybeHttp2Response } from './http2.js'
import { areSocketFieldsKnown, hasFinished, type HttpSocket, latestRequest } from './node-internals.js'

/** Whether no further request of this connection waits for its reply, so that this reply may say that the connection closes. */
export function isLastOnConnection(raw: IncomingMessage): boolean {
  const latest = latestRequest(raw.socket)
  return latest === undefined || latest === raw
}

/**
 * Whether the client of a request went away before the request was complete, or before it was answered.
 * @param raw Node's request; an injected one lacks the field
 */
export function isAborted(raw: { readonly aborted?: boolean }): boolean {
  return raw.aborted === true
}

/** Whether a response has lost its client: its connection, or its stream of HTTP/2, has closed. */
export function isClientGone(response: MaybeHttp2Response): boolean {
  if (response.destroyed) return true
  const { stream } = response
  if (stream !== undefined) return stream.destroyed || stream.closed
  // A response without a socket waits until those before it on its connection are sent.
  return response.socket === null && (response.req.socket as MaybeSocket)?.destroyed === true
}

/** Gets whether the response was sent as a whole. If not, it was cut, or its client has left. */
type OverListener = (response: MaybeHttp2Response, isWhole: boolean) => void

/** response → what is called when it is over; once it is over, whether it was sent as a whole */
const kOverListeners = Symbol('alcove.over-listeners')

/** response → whether its class is served by Node's HTTP/1 server only, which emits `close` in the tick after `finish` */
export const kClosesAfterFinish = Symbol('alcove.closes-after-finish')

interface WatchedResponse extends MaybeHttp2Response {
  [kOverListeners]?: OverListener | readonly OverListener[] | boolean
  readonly [kClosesAfterFinish]?: true
}

/**
 * Calls each listener once, when a response is over; at once if it is over already.
 *
 * Node itself listens to `finish`, so that a second listener would make a list of two. Such lists are made in one place for all emitters,
 * and V8 makes them among its old objects once it has seen that those of connections live long (pretenuring). From there each would keep
 * its response, and all that belongs to the request, until the next full collection. So there is one listener of ours for an event, and
 * none for `finish` if `close` tells the same.
 */
export function whenOver(given: MaybeHttp2Response, listener: OverListener): void {
  const response: WatchedResponse = given
  const others = response[kOverListeners]
  if (typeof others === 'boolean') return listener(response, others)
  if (response.closed) return listener(response, wasSentWhole(response))
  if (others !== undefined) {
    response[kOverListeners] = [others, listener].flat()
    return
  }
  response[kOverListeners] = listener
  closeWithConnection(response.req.socket, response)
  response.on('close', onClose)
  if (!response[kClosesAfterFinish] || !areSocketFieldsKnown()) response.on('finish', onFinish)
}

function onFinish(this: WatchedResponse): void {
  callListeners(this, isFinishWhole(this))
}

function onClose(this: WatchedResponse): void {
  callListeners(this, this.stream === undefined && hasFinished(this))
}

function callListeners(response: WatchedResponse, isWhole: boolean): void {
  const listeners = response[kOverListeners]!
  if (typeof listeners === 'boolean') return
  response[kOverListeners] = isWhole
  if (typeof listeners === 'function') return listeners(response, isWhole)
  for (const listener of listeners) listener(response, isWhole)
}

/** Whether a response that has emitted `finish` was sent as a whole. Node emits it for a stream of HTTP/2 whatever has closed that. */
function isFinishWhole({ stream, writableEnded }: MaybeHttp2Response): boolean {
  return stream === undefined || (writableEnded && stream.rstCode === 0)
}

/** Whether a response that is over was sent as a whole. */
export function wasSentWhole(response: MaybeHttp2Response): boolean {
  return response.stream === undefined ? response.writableFinished && !isAborted(response.req) : isFinishWhole(response)
}

/** How long, in ms, a connection stays open for a client that has to read a reply while it still sends its request. */
const LINGER_MS = 1_000

/**
 * RFC 9112 §9.6: makes a connection that is to close after a reply close in stages. If it closed at once, bytes that the client still
 * sends would reset it, and the client would lose the reply. Instead they are read and dropped for a while.
 */
export function closeInStages(socket: ServedSocket): void {
  // Node calls this function after the last reply of a connection.
  socket.destroySoon = () => linger(socket, socket[kSwallowedCount] !== undefined)
}

/** @param isDropped whether the parser gets nothing more */
export function linger(socket: ServedSocket, isDropped: boolean): void {
  stopServing(socket)
  socket[kIsLingering] = true
  if (isDropped) readAndDrop(socket)
  socket.end()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('end', () => socket.destroy())
}

const kIsNoLongerServed = Symbol('alcove.is-no-longer-served')
const kIsLingering = Symbol('alcove.is-lingering')
const kSwallowedCount = Symbol('alcove.swallowed-count')

const kIsCutOff = Symbol('alcove.is-cut-off')

interface ServedSocket extends Socket {
  [kIsNoLongerServed]?: boolean
  /** Whether the last reply is out. */
  [kIsLingering]?: boolean
  /** Requests that came after the one that the connection closes with. */
  [kSwallowedCount]?: number
  [kIsCutOff]?: boolean
}

/** A request that a plugin routes itself (`injectWS` of `@fastify/websocket`) may lack a socket; undici takes that of a request away. */
type MaybeSocket = ServedSocket | null | undefined

/** Makes the server ignore requests that come on a connection after the one that it closes with. */
export function stopServing(socket: MaybeSocket): void {
  if (socket != null) socket[kIsNoLongerServed] = true
}

/** Whether {@link stopServing} was called for this connection. */
export function isNoLongerServed(socket: MaybeSocket): boolean {
  return socket?.[kIsNoLongerServed] === true
}

/** Requests of one read that may wait, or be ignored. Node keeps 1.6 kB for each. */
export const MAX_UNSERVED = 256

/** Ignores a request that came after the one that its connection closes with. Nothing more is read, but to be dropped. */
export function swallow(socket: ServedSocket): void {
  const count = (socket[kSwallowedCount] ?? 0) + 1
  socket[kSwallowedCount] = count
  if (count > MAX_UNSERVED) cutOff(socket)
  if (count > 1) return
  if (socket[kIsLingering]) return readAndDrop(socket)
  stopReading(socket)
  // The replies before are still to be read, by a client whose bytes are not.
  closeInStages(socket)
}

/** Destroys a connection. The rest of the read is still parsed; its requests are all given one response, see {@link isCutOff}. */
export function cutOff(socket: ServedSocket): void {
  socket[kIsCutOff] = true
  socket.destroy()
}

/** Whether {@link cutOff} was called for this connection. */
export function isCutOff(socket: MaybeSocket): boolean {
  return socket?.[kIsCutOff] === true
}

function stayPaused(this: Socket): Socket {
  return this
}

/** Stops reading a connection until {@link resumeReading}. Without this, Node reads on when a reply, or a body, has been taken. */
export function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = stayPaused
}

/** Whether {@link stopReading} was called for this connection. */
export function isStopped(socket: Socket): boolean {
  return Object.hasOwn(socket, 'resume')
}

export function resumeReading(socket: HttpSocket): void {
  if (!isStopped(socket)) return
  delete (socket as Partial<Socket>).resume
  // Node resumes it itself when the replies that wait have become fewer.
  if (!socket._paused) socket.resume()
}

/** Drops what a connection has received and still receives: no parser sees it. */
function readAndDrop(socket: Socket): void {
  socket.removeAllListeners('data')
  takeFromParser(socket)
  delete (socket as Partial<Socket>).resume
  socket.resume()
}

function ignore(): void {}

/** Makes the bytes of a connection `data` events. Until there is a listener for these, Node passes the bytes to its parser directly. */
function takeFromParser(socket: Socket): void {
  socket.on('data', ignore)
}

/** bytes; 40 requests at most */
const SLICE_LENGTH = 1_024

/** Makes Node's parser get the bytes of a connection in small pieces, so that a pause takes effect after a few requests. */
export function readInSlices(socket: Socket): void {
  if (Object.hasOwn(socket, 'push')) return
  takeFromParser(socket)
  socket.removeListener('data', ignore)
  const { push } = socket
  socket.push = function pushSlices(given: Uint8Array | string | null, encoding) {
    // The connection may be a `Duplex` of the application, which may push texts.
    const chunk = typeof given === 'string' ? Buffer.from(given, encoding) : given
    if (!(chunk instanceof Uint8Array) || chunk.length <= SLICE_LENGTH) return push.call(this, chunk, encoding)
    let hasRoom = false
    for (let start = 0; start < chunk.length; start += SLICE_LENGTH) hasRoom = push.call(this, chunk.subarray(start, start + SLICE_LENGTH))
    return hasRoom
  }
}

const kWaitingResponses = Symbol('alcove.waiting-responses')

/**
 * Emits `close` on a response when its connection closes while the response still waits for those before it. Before 24, Node emits it
 * only for the response whose turn it is; what the others depend on (a stream, a signal) would stay open for ever.
 */
export function closeWithConnection(given: MaybeSocket, response: ServerResponse): void {
  // Its turn has come: it has the socket.
  if (response.socket !== null || given == null) return
  const socket = given as Socket & { [kWaitingResponses]?: Set<ServerResponse> }
  let waiting = socket[kWaitingResponses]
  if (waiting === undefined) {
    const responses = (waiting = socket[kWaitingResponses] = new Set())
    socket.once('close', () => {
      // Later versions of Node do so in the next tick.
      process.nextTick(() => {
        for (const each of responses) {
          if (each.closed) continue
          each.destroyed = true
          each.emit('close')
        }
      })
    })
  }
  const others = waiting
  others.add(response)
  response.once('socket', () => others.delete(response))
}
