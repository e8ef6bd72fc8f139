/**
 * One connection, as a response knows it: whether it is still there, and how it ends with the response or after it. (How all of them end
 * while the server closes is the matter of connections.ts.)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

/** Whether no further request of this connection is waiting for its reply: the next may say that the connection closes. */
export function isLastOnConnection(raw: IncomingMessage): boolean {
  const latest = (raw.socket as (Socket & { parser?: { incoming?: IncomingMessage | null } | null }) | null)?.parser?.incoming
  return latest == null || latest === raw
}

/** Whether nobody waits for a response any more: its connection, or its stream of HTTP/2, has closed. */
export function isAbandoned(response: ServerResponse): boolean {
  if (response.destroyed) return true
  const { stream } = response as unknown as { stream?: ServerHttp2Stream }
  if (stream !== undefined) return stream.destroyed || stream.closed
  // It waits for its turn.
  return response.socket === null && (response.req.socket as AnySocket)?.destroyed === true
}

/** ms in which a client may take a reply that came before the end of its request */
const LINGER = 1_000

/**
 * RFC 9112 §9.6: lets a connection that is to close after a reply do so in stages. What the client still sends would reset it, and the
 * reply that is on its way would be lost: it is read and dropped for a while.
 */
export function closeInStages(socket: Socket): void {
  socket.destroySoon = () => {
    refuseFurther(socket)
    socket.end()
    setTimeout(() => socket.destroy(), LINGER).unref()
    socket.once('end', () => socket.destroy())
  }
}

const kIsOver = Symbol('alcove.is-over')

/** A request that a plugin routes on its own account (`injectWS` of `@fastify/websocket`) need not have one. */
type AnySocket = (Socket & { [kIsOver]?: boolean }) | undefined

/** Drops the requests of a connection that come behind the one that it closes with. */
export function refuseFurther(socket: AnySocket): void {
  if (socket !== undefined) socket[kIsOver] = true
}

export function isRefused(socket: AnySocket): boolean {
  return socket?.[kIsOver] === true
}

const kWaiting = Symbol('alcove.waiting')

/**
 * Closes a response that waits for its turn, if it does, when its connection closes. Node does that for the one whose turn it is; the others would
 * keep what serves them open for ever.
 */
export function closeWithConnection(given: Socket, response: ServerResponse): void {
  if (response.socket !== null) return
  const socket = given as Socket & { [kWaiting]?: Set<ServerResponse> }
  let waiting = socket[kWaiting]
  if (waiting === undefined) {
    const responses = (waiting = socket[kWaiting] = new Set())
    socket.once('close', () => {
      for (const each of responses) {
        each.destroyed = true
        each.emit('close')
      }
    })
  }
  const others = waiting
  others.add(response)
  response.once('socket', () => others.delete(response))
}
