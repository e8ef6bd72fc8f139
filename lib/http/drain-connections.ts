/**
 * The open connections of the HTTP servers, and how they end while the server closes: one that serves nobody is left open for a
 * while, because its client may be writing a request that it could not know to be too late; one whose client keeps the server
 * waiting is cut off.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { isBodyAwaited } from './incoming-message.js'

/** ms between two looks at the connections */
const SWEEP = 25
/** ms after which the port is closed even where connections keep coming */
const ACCEPTING = 1_000
/** ms in which a client that the server waits for must get on */
const STALL = 2_000
/** bytes that it must send in them */
const LEAST = 480
/** ms after which a request that is not complete is given up however it gets on */
const LIMIT = 10_000

/** A socket as Node's HTTP server sees it. */
interface HttpSocket extends Socket {
  /** null where it carries no HTTP/1, or no longer: TLS that is being set up, HTTP/2, an upgrade */
  parser?: { incoming?: IncomingMessage | null } | null
  /** The response that is being given. */
  _httpMessage?: ServerResponse | null
  /** The socket below a TLS socket. */
  _parent?: Socket
  _handle?: { writeQueueSize?: number } | null
}

/** What a look at a connection found. */
interface Look {
  /** Since when it has served nobody; `undefined` while it does. */
  idleSince: number | undefined
  /** Since when the server has waited for this client. */
  waitsSince: number | undefined
  /** When the client last got on, and where it was then. */
  at: number
  read: number
  unsent: number
  written: number
  isRefused: boolean
}

/** Whether more of a body is awaited: what nobody reads yet keeps nobody waiting. */
function isStreamReading(stream: ServerHttp2Stream): boolean {
  return stream.state.remoteClose === 0 && stream.readableFlowing !== null && stream.readableLength < stream.readableHighWaterMark
}

/** Whether a stream stands still until its client sends more, or takes what there is. */
function isStreamWaiting(stream: ServerHttp2Stream): boolean {
  return isStreamReading(stream) || stream.writableEnded || stream.writableNeedDrain
}

const streamsOf = new WeakMap<ServerHttp2Session, Set<ServerHttp2Stream>>()

/** The open streams of a session, from the first time that it is asked. */
function openStreams(session: ServerHttp2Session): ReadonlySet<ServerHttp2Stream> {
  let streams = streamsOf.get(session)
  if (streams === undefined) {
    streamsOf.set(session, (streams = new Set()))
    const open = streams
    session.on('stream', (stream) => {
      open.add(stream)
      stream.once('close', () => open.delete(stream))
    })
  }
  return streams
}

/** Ends a session in which nothing has moved for some time: none of what its handlers work on, but all that waits for the client. */
export function endWhenIdle(session: ServerHttp2Session, timeout: number): void {
  const streams = openStreams(session)
  session.setTimeout(timeout)
  session.on('timeout', () => {
    session.close()
    if (!session.destroyed && [...streams].every(isStreamWaiting)) session.destroy()
  })
}

/** Bytes that the client has not taken. */
function unsentOf(socket: HttpSocket): number {
  return socket._handle?.writeQueueSize ?? socket.writableLength
}

/** Notes where a client is that the server waits for: how it gets on is measured from here. */
function mark(look: Look, socket: HttpSocket, now: number): void {
  look.waitsSince ??= now
  look.at = now
  look.read = socket.bytesRead
  look.unsent = unsentOf(socket)
  look.written = socket.bytesWritten
}

export class Connections {
  readonly #serverOf = new Map<HttpSocket, HttpServer>()
  readonly #handshakes = new Set<Socket>()
  readonly #sessions = new Map<HttpSocket, ServerHttp2Session>()
  #accepted = 0

  watch(server: HttpServer): void {
    const isSecure = server instanceof TlsServer
    const serverOf = this.#serverOf
    // One function for all: thousands of idle connections hold it.
    function forget(this: HttpSocket): void {
      serverOf.delete(this)
    }
    // Node's listener comes before ours, and has made a session of the connection where it carries HTTP/2.
    let made: ServerHttp2Session | undefined
    server.on('session', (session: ServerHttp2Session) => {
      openStreams(session)
      made = session
    })
    const add = (socket: HttpSocket): void => {
      if (made === undefined) {
        serverOf.set(socket, server)
        socket.on('close', forget)
        return
      }
      this.#sessions.set(socket, made)
      socket.once('close', () => this.#sessions.delete(socket))
      made = undefined
    }
    server.on('connection', (socket) => {
      this.#accepted++
      if (!isSecure) return add(socket)
      this.#handshakes.add(socket)
      socket.once('close', () => this.#handshakes.delete(socket))
    })
    server.on('secureConnection', (socket: HttpSocket) => {
      // Node has refused a protocol that is not served, and would wait for the client to go.
      if (socket.writableEnded) return
      this.#handshakes.delete(socket._parent!)
      add(socket)
    })
  }

  /** Calls back once the system holds no connection for us that was not accepted: closing the port would reset it. */
  whenAccepted(done: () => void): void {
    const end = performance.now() + ACCEPTING
    let seen = -1
    // Some versions of libuv accept one connection a turn of the event loop.
    const turn = (): void => {
      if (seen === this.#accepted || performance.now() > end) return done()
      seen = this.#accepted
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  destroyAll(): void {
    for (const socket of [...this.#serverOf.keys(), ...this.#handshakes, ...this.#sessions.keys()]) socket.destroy()
  }

  /**
   * Ends the connections one by one: those that serve nobody after a while, those that do once they are done.
   * @param delay ms that a connection stays open that serves nobody
   * @returns a function that stops looking
   */
  drain(delay: number): () => void {
    const start = performance.now()
    const looks = new Map<HttpSocket, Look>()
    const lookAt = (socket: HttpSocket, now: number): Look => {
      let look = looks.get(socket)
      if (look === undefined) {
        look = { idleSince: undefined, waitsSince: undefined, at: now, read: 0, unsent: 0, written: 0, isRefused: false }
        looks.set(socket, look)
        socket.once('close', () => looks.delete(socket))
      }
      return look
    }
    const sweep = (): void => {
      const now = performance.now()
      const isOver = now - start >= delay
      for (const [socket, server] of this.#serverOf) this.#check(socket, server, lookAt(socket, now), now, delay)
      for (const [socket, session] of this.#sessions) {
        if (isOver && !session.closed) session.close()
        this.#checkSession(socket, session, lookAt(socket, now), now, delay)
      }
      if (isOver) for (const socket of this.#handshakes) socket.destroy()
    }
    // Right after the sockets were read: a request that has come is not lost with its connection.
    const timer = setInterval(() => setImmediate(sweep), SWEEP)
    sweep()
    return () => clearInterval(timer)
  }

  #check(socket: HttpSocket, server: HttpServer, look: Look, now: number, delay: number): void {
    // An upgraded connection is its handler's.
    if (socket.parser == null) return
    const response = socket._httpMessage
    if (response == null) {
      const since = (look.idleSince ??= now)
      const isQuiet = look.read === socket.bytesRead
      look.read = socket.bytesRead
      look.waitsSince = undefined
      // A request may be coming in pieces.
      if (now - since >= (isQuiet ? delay : delay + STALL)) socket.destroy()
      return
    }
    look.idleSince = undefined
    const isReading = isBodyAwaited(response.req)
    if (!isReading && !response.writableEnded && !response.writableNeedDrain) {
      look.waitsSince = undefined
      return
    }
    if (look.waitsSince === undefined) return mark(look, socket, now)
    const isGettingOn = isReading ? socket.bytesRead - look.read >= LEAST : unsentOf(socket) !== look.unsent
    const isOverdue = (now - look.at >= STALL && !isGettingOn) || (isReading && now - look.waitsSince >= LIMIT)
    if (!isOverdue) {
      if (now - look.at >= STALL) mark(look, socket, now)
      return
    }
    if (look.isRefused || !isReading || response.headersSent) return void socket.destroy()
    // As Node does with a request that takes too long.
    look.isRefused = true
    const error = Object.assign(new Error('The server is closing and the request was not completed in time'), {
      code: 'ERR_HTTP_REQUEST_TIMEOUT',
    })
    if (!server.emit('clientError', error, socket)) socket.destroy()
  }

  #checkSession(socket: HttpSocket, session: ServerHttp2Session, look: Look, now: number, delay: number): void {
    const streams = [...openStreams(session)]
    if (streams.length === 0) {
      const since = (look.idleSince ??= now)
      look.waitsSince = undefined
      // The client may not take the end of the connection.
      if (now - since >= delay + (unsentOf(socket) === 0 ? 2 * SWEEP : STALL)) socket.destroy()
      return
    }
    look.idleSince = undefined
    if (!streams.every(isStreamWaiting)) {
      look.waitsSince = undefined
      return
    }
    if (look.waitsSince === undefined) return mark(look, socket, now)
    if (now - look.at < STALL) return
    const isGettingOn = socket.bytesRead - look.read >= LEAST || socket.bytesWritten - look.written >= LEAST
    if (isGettingOn && (now - look.waitsSince < LIMIT || !streams.some(isStreamReading))) mark(look, socket, now)
    else socket.destroy()
  }
}
