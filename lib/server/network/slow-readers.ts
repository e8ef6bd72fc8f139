/**
 * Ends the connections of clients that do not read their replies: bytes wait for the client, and the client takes none of them. A reply
 * whose source sends nothing for a while is left alone, because no bytes wait. An upgraded connection is left alone too, because it belongs
 * to its handler.
 *
 * Over HTTP/2 a client may read some replies and not others, so each stream is checked too: if the client takes no bytes of a stream, the
 * stream is reset. (For replies that an application writes itself, only the session is checked.)
 */
import type { Server as HttpServer } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Connections } from '../../http/drain-connections.js'
import { acknowledgedBytes, CANCEL, hasUnsentData, openStreams, progressOf } from '../../http/http2.js'
import { type HttpSocket, transportOf } from '../../http/node-internals.js'
import { cutConnection } from '../../http/response.js'
import type { Logger } from '../../types/logger.js'

/** The most ms between two checks of the connections. */
const MAX_INTERVAL_MS = 15_000
/** The fewest bytes that a client must take within the timeout. */
const MIN_PROGRESS_BYTES = 480
/** The number of bytes that a client had taken when it last made progress, and the time of that progress. */
interface Mark {
  /** The time by `performance.now()`, in ms. */
  at: number
  taken: number
}

/**
 * Returns how many bytes of a connection the operating system has taken. Its buffer is limited, so after a while this number grows only if
 * the client reads.
 */
function takenBytes(transport: HttpSocket): number {
  const { _handle } = transport
  if (_handle?.bytesWritten === undefined) return transport.bytesWritten - transport.writableLength
  return _handle.bytesWritten - (_handle.writeQueueSize ?? 0)
}

function hasUnsentBytes(socket: HttpSocket): boolean {
  return socket.writableLength > 0 || (transportOf(socket)._handle?.writeQueueSize ?? 0) > 0
}

/**
 * Checks the connections of a server from time to time while it listens, and ends those whose clients do not read their replies.
 * @param timeout ms within which a client must take some bytes; 0: no limit
 */
export function cutSlowReaders(server: HttpServer, connections: Connections, timeout: number, log: Logger): void {
  if (timeout === 0) return
  const interval = Math.min(timeout / 4, MAX_INTERVAL_MS)
  // A check may come a little early or late. A mark is set after the progress that it notes, so the client has had the whole time.
  const limit = timeout - interval / 2
  const marks = new WeakMap<HttpSocket, Mark>()

  function look(socket: HttpSocket, isWaiting: boolean, sent: number, now: number): void {
    if (!isWaiting) return void marks.delete(socket)
    const taken = takenBytes(transportOf(socket)) - sent
    const mark = marks.get(socket)
    if (mark === undefined || taken - mark.taken >= MIN_PROGRESS_BYTES) return void marks.set(socket, { at: now, taken })
    if (now - mark.at < limit) return
    log.info({ remoteAddress: socket.remoteAddress }, 'connection destroyed: the client does not take its reply')
    cutConnection(socket)
  }

  const streamMarks = new WeakMap<ServerHttp2Stream, { at: number; progress: string }>()

  function lookAtStream(stream: ServerHttp2Stream, { remoteAddress }: HttpSocket, now: number): void {
    const progress = progressOf(stream)
    if (progress === undefined) return void streamMarks.delete(stream)
    const mark = streamMarks.get(stream)
    if (mark?.progress !== progress) return void streamMarks.set(stream, { at: now, progress })
    if (now - mark.at < limit) return
    log.info({ remoteAddress }, 'stream reset: the client does not take its reply')
    stream.close(CANCEL)
  }

  function sweep(): void {
    const now = performance.now()
    for (const socket of connections.http1Sockets()) look(socket, socket.parser != null && hasUnsentBytes(socket), 0, now)
    for (const [socket, session] of connections.http2Sessions()) {
      const streams = [...openStreams(session)]
      look(socket, hasUnsentBytes(socket) || streams.some(hasUnsentData), acknowledgedBytes(session), now)
      if (!socket.destroyed) for (const stream of streams) lookAtStream(stream, socket, now)
    }
  }

  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => (timer = setInterval(sweep, interval).unref()))
  server.on('close', () => clearInterval(timer))
}
