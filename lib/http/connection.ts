/**
 * One connection, from the point of view of a request or a response on it: whether the client is still there, and how the connection ends
 * with a response or after it. (How all connections end while the server closes: drain-connections.ts.)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { MaybeHttp2Response } from './http2.js'
import { latestRequest } from './node-internals.js'

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

/** How long, in ms, a connection stays open for a client that has to read a reply while it still sends its request. */
const LINGER_MS = 1_000

/**
 * RFC 9112 §9.6: makes a connection that is to close after a reply close in stages. If it closed at once, bytes that the client still
 * sends would reset it, and the client would lose the reply. Instead they are read and dropped for a while.
 */
export function closeInStages(socket: Socket): void {
  // Node calls this function after the last reply of a connection.
  socket.destroySoon = () => {
    stopServing(socket)
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('end', () => socket.destroy())
  }
}

const kIsNoLongerServed = Symbol('alcove.is-no-longer-served')

/** A request that a plugin routes itself (`injectWS` of `@fastify/websocket`) may lack a socket. */
type MaybeSocket = (Socket & { [kIsNoLongerServed]?: boolean }) | undefined

/** Makes the server ignore requests that come on a connection after the one that it closes with. */
export function stopServing(socket: MaybeSocket): void {
  if (socket !== undefined) socket[kIsNoLongerServed] = true
}

/** Whether {@link stopServing} was called for this connection. */
export function isNoLongerServed(socket: MaybeSocket): boolean {
  return socket?.[kIsNoLongerServed] === true
}

const kWaitingResponses = Symbol('alcove.waiting-responses')

/**
 * Emits `close` on a response when its connection closes while the response still waits for those before it. Before 24, Node emits it
 * only for the response whose turn it is; what the others depend on (a stream, a signal) would stay open for ever.
 */
export function closeWithConnection(given: Socket, response: ServerResponse): void {
  // Its turn has come: it has the socket.
  if (response.socket !== null) return
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
