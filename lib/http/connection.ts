/**
 * One connection, from the point of view of a request or a response on it: whether the client is still there, and when the response is
 * over. (Which requests of a connection are served: connection-states.ts. How all connections end while the server closes:
 * drain-connections.ts.)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { MaybeHttp2Response } from './http2.js'
import { areSocketFieldsKnown, hasFinished, latestRequest } from './node-internals.js'

/** Whether a request is the latest that has come on its connection. If it is, its reply may announce that the connection closes. */
export function isLastOnConnection(raw: IncomingMessage): boolean {
  const latest = latestRequest(raw.socket)
  return latest === undefined || latest === raw
}

/**
 * Whether the client of a request went away before the request was complete, or before it was answered.
 * @param raw Node's request; an injected request lacks the field
 */
export function isAborted(raw: { readonly aborted?: boolean }): boolean {
  return raw.aborted === true
}

/** Whether a response has lost its client: its connection, or its stream of HTTP/2, has closed. */
export function isClientGone(response: MaybeHttp2Response): boolean {
  if (response.destroyed) return true
  const { stream } = response
  if (stream !== undefined) return stream.destroyed || stream.closed
  // A response without a socket waits until the earlier responses of its connection are sent.
  return response.socket === null && (response.req.socket as MaybeSocket)?.destroyed === true
}

/** A function that is called when a response is over. `isWhole` is `false` if the response was cut short, or its client has left. */
type OverListener = (response: MaybeHttp2Response, isWhole: boolean) => void

/**
 * The field of a response that holds the functions to call when the response is over. Once the response is over, the field says whether it
 * was sent as a whole.
 */
const kOverListeners = Symbol('alcove.over-listeners')

/** The field of a response that marks the class of Node's HTTP/1 server. Such a response emits `close` in the tick after `finish`. */
export const kClosesAfterFinish = Symbol('alcove.closes-after-finish')

interface WatchedResponse extends MaybeHttp2Response {
  [kOverListeners]?: OverListener | readonly OverListener[] | boolean
  readonly [kClosesAfterFinish]?: true
}

/**
 * Calls a listener once when a response is over, or at once if it is over already.
 *
 * Node already listens to `finish`. With a second listener, `EventEmitter` stores both in an array. V8 allocates these arrays in the old
 * generation, because the arrays of connections live long (pretenuring), and such an array keeps the whole request in memory until the next
 * full collection. So this function adds a single listener for each event, and none for `finish` if `close` is enough.
 */
export function whenOver(overResponse: MaybeHttp2Response, listener: OverListener): void {
  const response: WatchedResponse = overResponse
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
  if (!response[kClosesAfterFinish] || !areSocketFieldsKnown) response.on('finish', onFinish)
}

function onFinish(this: WatchedResponse): void {
  callListeners(this, isFinishWhole(this))
}

function onClose(this: WatchedResponse): void {
  callListeners(this, this.stream === undefined && hasFinished(this) && !isBroken(this.req.socket))
}

/** Whether a connection has ended already. Node lets a response finish even if its last write has failed because the connection broke. */
function isBroken(socket: MaybeSocket): boolean {
  return socket?.destroyed === true
}

function callListeners(response: WatchedResponse, isWhole: boolean): void {
  const listeners = response[kOverListeners]!
  if (typeof listeners === 'boolean') return
  response[kOverListeners] = isWhole
  if (typeof listeners === 'function') return listeners(response, isWhole)
  for (const listener of listeners) listener(response, isWhole)
}

/**
 * Whether a response that has emitted `finish` was sent as a whole. For a stream of HTTP/2, Node emits `finish` also if the stream was cut.
 */
function isFinishWhole({ stream, writableEnded, req }: MaybeHttp2Response): boolean {
  return stream === undefined ? !isBroken(req.socket) : writableEnded && stream.rstCode === 0
}

/** Whether a response that is over was sent as a whole. */
export function wasSentWhole(response: MaybeHttp2Response): boolean {
  return response.stream === undefined ? response.writableFinished && !isAborted(response.req) : isFinishWhole(response)
}

/** Whether a response that {@link whenOver} watches was sent as a whole; `undefined` while it is not over. */
export function isOverWhole(response: WatchedResponse): boolean | undefined {
  const noted = response[kOverListeners]
  return typeof noted === 'boolean' ? noted : undefined
}

/**
 * The socket of a request, which may be missing: a request that a plugin routes itself (`injectWS` of `@fastify/websocket`) may lack one,
 * and undici takes the socket of a request away.
 */
type MaybeSocket = Socket | null | undefined

const kWaitingResponses = Symbol('alcove.waiting-responses')

/**
 * Emits `close` on a response when its connection closes while the response still waits for earlier ones. Before version 24, Node emits
 * `close` only for the response that may write to the connection; a stream or a signal that depends on another response would stay open for
 * ever.
 */
export function closeWithConnection(connection: MaybeSocket, response: ServerResponse): void {
  // A response that has the socket has its turn.
  if (response.socket !== null || connection == null) return
  const socket = connection as Socket & { [kWaitingResponses]?: Set<ServerResponse> }
  let waiting = socket[kWaitingResponses]
  if (waiting === undefined) {
    const responses = (waiting = socket[kWaitingResponses] = new Set())
    socket.once('close', () => {
      // Later versions of Node emit `close` in the next tick too.
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
