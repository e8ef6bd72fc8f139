/**
 * The open connections of the HTTP servers, and how each of them ends while the server closes.
 *
 * From the moment that the server closes, every connection is checked every 25 ms. It is in one of three states:
 *
 * - **idle**: no request is being served. Its client may be writing one, and could not know that the server closes. So the connection stays
 *   open for a while and is then destroyed.
 * - **working**: a handler works on a request. The connection is left alone, however long that takes.
 * - **waiting for the client**: the server can only go on if the client sends more of a body, or takes more of a reply. If the client makes
 *   too little progress, or takes too long for the whole body, the connection is destroyed; over HTTP/1 a request that has no reply yet is
 *   answered first (408, by way of the event `clientError`).
 *
 * Two kinds of connections have no such state. An upgraded connection belongs to its handler and is left alone. A connection whose TLS
 * handshake is not complete is destroyed as soon as idle connections are.
 */
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { isStreamReading, isStreamWaiting, openStreams } from './http2.js'
import { isBodyAwaited } from './incoming-message.js'
import { currentResponse, type HttpSocket, isUpgraded, socketBelow, trackUnlessKnown, unsentBytes } from './node-internals.js'
import { cutConnection, isHeadSent } from './response.js'

/** Milliseconds between two checks of the connections while the server closes. */
const SWEEP_INTERVAL_MS = 25
/** Milliseconds after which the port is closed even if new connections keep coming. */
const MAX_ACCEPT_MS = 1_000
/** Milliseconds of each span in which the progress of a client is measured, while the server waits for a body. */
const PROGRESS_SPAN_MS = 2_000
/**
 * The same while the server waits for a client to take a reply. The operating system says that bytes were taken only when a third of its
 * buffer is free again, which lasts several seconds for a slow client.
 */
const REPLY_SPAN_MS = 10_000
/** Bytes that a client must at least send, or take over HTTP/2, in each span. */
const MIN_PROGRESS_BYTES = 480
/** Milliseconds after which a request body that is still incomplete is given up, even if its client makes progress. */
const MAX_BODY_WAIT_MS = 10_000

/** The server's findings about one connection while the server closes. Times are in ms of `performance.now()`. */
interface Observation {
  /** The time since which the connection has been idle; `undefined` if it is not idle. */
  idleSince: number | undefined
  /** The time since which the server has waited for the client; `undefined` if it does not wait. */
  waitingSince: number | undefined
  /** The start of the span over which progress is measured. The three fields below: the bytes of the connection at that time. */
  measuredAt: number
  bytesRead: number
  bytesUnsent: number
  bytesWritten: number
  /** Whether `clientError` was emitted for the request. If the connection is still open at the next check, it is destroyed. */
  isTimeoutReported: boolean
}

/** Starts a span over which the progress of a client is measured. */
function startMeasuring(seen: Observation, socket: HttpSocket, now: number): void {
  seen.waitingSince ??= now
  seen.measuredAt = now
  seen.bytesRead = socket.bytesRead
  seen.bytesUnsent = unsentBytes(socket)
  seen.bytesWritten = socket.bytesWritten
}

/** Notes that no request of a connection is being served. @returns how long, in ms, no request has been served */
function noteIdle(seen: Observation, now: number): number {
  seen.idleSince ??= now
  seen.waitingSince = undefined
  return now - seen.idleSince
}

function noteWorking(seen: Observation): void {
  seen.idleSince = undefined
  seen.waitingSince = undefined
}

/**
 * Checks a connection of HTTP/1 while the server closes, and ends the connection if its state allows.
 * @param idleDelay ms that an idle connection stays open
 */
function checkHttp1(socket: HttpSocket, server: HttpServer, seen: Observation, now: number, idleDelay: number): void {
  if (isUpgraded(socket)) return
  const response = currentResponse(socket)
  if (response === undefined) return destroyIfIdle(socket, seen, now, idleDelay)
  const isReading = isBodyAwaited(response.req)
  if (!isReading && !response.writableEnded && !response.writableNeedDrain) return noteWorking(seen)
  seen.idleSince = undefined
  if (seen.waitingSince === undefined) return startMeasuring(seen, socket, now)
  const isSpanOver = now - seen.measuredAt >= (isReading ? PROGRESS_SPAN_MS : REPLY_SPAN_MS)
  const hasProgress = isReading ? socket.bytesRead - seen.bytesRead >= MIN_PROGRESS_BYTES : unsentBytes(socket) !== seen.bytesUnsent
  const isBodyLate = isReading && now - seen.waitingSince >= MAX_BODY_WAIT_MS
  if (isBodyLate || (isSpanOver && !hasProgress)) giveUpConnection(socket, server, response, seen, isReading)
  else if (isSpanOver) startMeasuring(seen, socket, now)
}

function destroyIfIdle(socket: HttpSocket, seen: Observation, now: number, idleDelay: number): void {
  const idleTime = noteIdle(seen, now)
  const isSilent = seen.bytesRead === socket.bytesRead
  seen.bytesRead = socket.bytesRead
  // Bytes that have come since the last look are the first part of a request; the rest may follow.
  if (idleTime >= (isSilent ? idleDelay : idleDelay + PROGRESS_SPAN_MS)) socket.destroy()
}

/**
 * Ends a connection whose client keeps the server waiting. If its request can still get a reply, the event `clientError` is emitted first.
 */
function giveUpConnection(socket: HttpSocket, server: HttpServer, response: ServerResponse, seen: Observation, isReading: boolean): void {
  if (seen.isTimeoutReported || !isReading || isHeadSent(response)) return cutConnection(socket)
  seen.isTimeoutReported = true
  // The event and the code that Node has for a request that takes too long.
  const error = Object.assign(new Error('The server is closing and the request was not completed in time.'), {
    code: 'ERR_HTTP_REQUEST_TIMEOUT',
  })
  if (!server.emit('clientError', error, socket)) socket.destroy()
}

/**
 * Checks a session of HTTP/2 while the server closes, and ends the session if its state allows.
 * @param idleDelay ms that an idle session stays open
 */
function checkSession(socket: HttpSocket, session: ServerHttp2Session, seen: Observation, now: number, idleDelay: number): void {
  const streams = [...openStreams(session)]
  if (streams.length === 0) {
    // A session that was closed still has to tell its client. A client that takes no bytes gets more time for that.
    const grace = unsentBytes(socket) === 0 ? 2 * SWEEP_INTERVAL_MS : PROGRESS_SPAN_MS
    if (noteIdle(seen, now) >= idleDelay + grace) socket.destroy()
    return
  }
  if (!streams.every(isStreamWaiting)) return noteWorking(seen)
  seen.idleSince = undefined
  if (seen.waitingSince === undefined) return startMeasuring(seen, socket, now)
  const isReading = streams.some(isStreamReading)
  if (now - seen.measuredAt < (isReading ? PROGRESS_SPAN_MS : REPLY_SPAN_MS)) return
  const hasProgress =
    socket.bytesRead - seen.bytesRead >= MIN_PROGRESS_BYTES || socket.bytesWritten - seen.bytesWritten >= MIN_PROGRESS_BYTES
  const isBodyLate = now - seen.waitingSince >= MAX_BODY_WAIT_MS && isReading
  if (hasProgress && !isBodyLate) startMeasuring(seen, socket, now)
  else socket.destroy()
}

/** All open connections of one or more HTTP servers. */
export class Connections {
  /** The HTTP server of each socket that speaks HTTP/1 or was upgraded. */
  readonly #serverOf = new Map<HttpSocket, HttpServer>()
  /** The sockets below TLS connections whose handshake is not complete. */
  readonly #handshakes = new Set<Socket>()
  /** The session of each socket of HTTP/2. */
  readonly #sessionOf = new Map<HttpSocket, ServerHttp2Session>()
  #acceptedCount = 0

  /** Keeps track of the connections of a server. */
  watch(server: HttpServer): void {
    // Servers of TLS have this method. Node's module of TLS is loaded only if such a server is used.
    const isSecure = 'setSecureContext' in server
    const serverOf = this.#serverOf
    // One function for all: thousands of idle connections hold it.
    function forget(this: HttpSocket): void {
      serverOf.delete(this)
    }
    // Node's own listener runs before ours. If the connection carries HTTP/2, it has just emitted the session.
    let newSession: ServerHttp2Session | undefined
    server.on('session', (session: ServerHttp2Session) => {
      openStreams(session)
      newSession = session
    })
    const add = (socket: HttpSocket): void => {
      trackUnlessKnown(server)
      if (newSession === undefined) {
        serverOf.set(socket, server)
        socket.on('close', forget)
        return
      }
      this.#sessionOf.set(socket, newSession)
      socket.once('close', () => this.#sessionOf.delete(socket))
      newSession = undefined
    }
    server.on('connection', (socket) => {
      this.#acceptedCount++
      if (!isSecure) return add(socket)
      this.#handshakes.add(socket)
      socket.once('close', () => this.#handshakes.delete(socket))
    })
    server.on('secureConnection', (socket: HttpSocket) => {
      // Node has refused a protocol that is not served. The connection stays a handshake: Node would wait for the client to close it.
      if (socket.writableEnded) return
      this.#handshakes.delete(socketBelow(socket, this.#handshakes)!)
      add(socket)
    })
  }

  /**
   * Calls back when this process has accepted every connection that waits in the operating system. If the port were closed earlier, the
   * waiting connections would be reset.
   */
  whenAccepted(done: () => void): void {
    const end = performance.now() + MAX_ACCEPT_MS
    let countBefore = -1
    // Some versions of libuv accept one connection in each turn of the event loop, so a turn without one means that all are accepted.
    const turn = (): void => {
      if (countBefore === this.#acceptedCount || performance.now() > end) return done()
      countBefore = this.#acceptedCount
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  /** Returns the sockets of HTTP/1 connections and of upgraded connections. */
  http1Sockets(): Iterable<HttpSocket> {
    return this.#serverOf.keys()
  }

  http2Sessions(): Iterable<[HttpSocket, ServerHttp2Session]> {
    return this.#sessionOf
  }

  destroyAll(): void {
    for (const socket of this.#serverOf.keys()) cutConnection(socket)
    for (const socket of [...this.#handshakes, ...this.#sessionOf.keys()]) socket.destroy()
  }

  /**
   * Ends the connections one by one, each as soon as its state allows: idle ones after a delay, others when their request is answered or
   * their client makes too little progress.
   * @param idleDelay ms that an idle connection stays open
   * @returns a function that stops the checks
   */
  drain(idleDelay: number): () => void {
    const start = performance.now()
    const observations = new WeakMap<HttpSocket, Observation>()
    const observationOf = (socket: HttpSocket, now: number): Observation => {
      let seen = observations.get(socket)
      if (seen === undefined) {
        seen = {
          idleSince: undefined,
          waitingSince: undefined,
          measuredAt: now,
          bytesRead: 0,
          bytesUnsent: 0,
          bytesWritten: 0,
          isTimeoutReported: false,
        }
        observations.set(socket, seen)
      }
      return seen
    }
    const sweep = (): void => {
      const now = performance.now()
      const isDelayOver = now - start >= idleDelay
      for (const [socket, server] of this.#serverOf) checkHttp1(socket, server, observationOf(socket, now), now, idleDelay)
      for (const [socket, session] of this.#sessionOf) {
        // From now on the session accepts no further streams; it closes when the open ones have.
        if (isDelayOver) session.close()
        checkSession(socket, session, observationOf(socket, now), now, idleDelay)
      }
      if (isDelayOver) for (const socket of this.#handshakes) socket.destroy()
    }
    // `setImmediate` runs right after sockets were read. So a request that has just arrived is seen, and not destroyed with its connection.
    const timer = setInterval(() => setImmediate(sweep), SWEEP_INTERVAL_MS)
    sweep()
    return () => clearInterval(timer)
  }
}
