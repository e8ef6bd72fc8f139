/**
 * Bodies of HTTP/1 that are not read to their end. Node reads nothing more from a connection while such a body waits: neither a further
 * request nor the end of the connection. A body that nothing has begun to read is dropped. If a body was read only in part, its connection
 * is closed.
 */
import { isLastOnConnection } from '../../http/connection.js'
import { linger } from '../../http/connection-states.js'
import { Deadline, Deadlines } from '../../http/deadline.js'
import { isHeadSent } from '../../http/response.js'
import { type Exchange, ReplyState } from '../exchange.js'

/**
 * The queue of requests whose body has not arrived as a whole. Each request is checked after 5 s, and again every 5 s as long as needed.
 */
const stillComing = new Deadlines(5_000)

/**
 * Drops the body of a request of HTTP/1 if nothing has begun to read it 5 s after its reply has begun. Otherwise a client that leaves would
 * not be noticed as long as the reply goes on.
 * @param exchange the exchange of a request whose reply is a stream, or is written by the application itself
 */
export function dropUnreadBody(exchange: Exchange): void {
  const { raw } = exchange.request
  // A request of `inject` has no `complete`, and no connection that waits for its body.
  if (raw.httpVersionMajor !== 2 && (raw as { complete?: boolean }).complete === false)
    stillComing.add(new Deadline(exchange, dropIfUnread))
}

function dropIfUnread(exchange: Exchange): void {
  const { request, reply, state } = exchange
  const { raw } = request
  if (raw.complete || raw.destroyed || raw.readableFlowing !== null) return
  // An application that has hijacked the reply, to pass the request on elsewhere, may still read the body.
  if (state === ReplyState.Hijacked && !isHeadSent(reply.raw)) return dropUnreadBody(exchange)
  reply.log.info('the body of the request is dropped: nothing read it, and its reply goes on')
  raw.resume()
}

/** A request whose body the application reads as a stream. */
interface StreamedBody {
  readonly exchange: Exchange
  /** The number of bytes that the application had taken from the connection at the last check. */
  taken: number
}

/**
 * Closes the connection of a request of HTTP/1 whose body was read in part, if the request is over and nothing is read for 5 s. A client
 * that sends its next request on this connection would wait for ever.
 * @param exchange the exchange of a request whose body the application reads as a stream
 */
export function closeIfHalfRead(exchange: Exchange): void {
  const { raw } = exchange.request
  // Requests of `inject` and `fetch` have no connection.
  if (raw.httpVersionMajor !== 2 && raw.socket?.bytesRead !== undefined) lookLater({ exchange, taken: -1 })
}

function lookLater(body: StreamedBody): void {
  stillComing.add(new Deadline(body, closeIfStuck))
}

function closeIfStuck(body: StreamedBody): void {
  const { request, reply, pendingWork } = body.exchange
  const { raw } = request
  // Code that passes a request on, such as undici, may have taken its socket away.
  const socket = raw.socket as typeof raw.socket | null
  // Node stops reading from the connection when this many bytes wait.
  const isFull = raw.readableLength >= raw.readableHighWaterMark
  if (raw.readableEnded || raw.destroyed || socket === null || socket.destroyed || (raw.complete && !isFull)) return
  const taken = socket.bytesRead - raw.readableLength
  const isOver = pendingWork <= 0 && reply.raw.writableFinished
  if (!isOver || !isFull || taken !== body.taken || !isLastOnConnection(raw)) {
    body.taken = taken
    return lookLater(body)
  }
  reply.log.info('the connection is closed: the body of its request was read in part only, and nothing reads the rest')
  linger(socket)
}
