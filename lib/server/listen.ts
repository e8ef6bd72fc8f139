/**
 * The HTTP servers: how they are made from the options, how they listen, and what a client gets whose request never
 * became one.
 */
import { lookup } from 'node:dns'
import http, { type IncomingMessage, STATUS_CODES, type Server as HttpServer, type ServerResponse } from 'node:http'
import http2, { type ServerHttp2Session } from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { BootState } from './plugin-loader.js'
import { closeInStages } from '../http/connection.js'
import { Connections } from '../http/drain-connections.js'
import type { Context } from '../context/context.js'
import type { Logger } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import type { ListenOptions, Server } from '../types/server.js'
import { errorCodes } from '../errors.js'
import { endWhenIdle, mayHaveHttp2Body } from '../http/http2.js'
import { LazyIncomingMessage } from '../http/incoming-message.js'
import type { defaultOptions } from './options.js'
import { FastServerResponse } from '../http/server-response.js'

type Handler = (request: any, response: any) => void

/** Classes of requests and responses; those of the application come before them. Deno's servers fill their requests in another way. */
const messages = 'Deno' in globalThis ? {} : { IncomingMessage: LazyIncomingMessage, ServerResponse: FastServerResponse }

/** What the application listens to at its server concerns the servers on further addresses too. */
const sharedEvents = ['upgrade', 'connect', 'clientError', 'checkContinue', 'checkExpectation']

export function createHttpServer(options: ListenerSettings['options'], handler: Handler): HttpServer {
  if (options.serverFactory) return options.serverFactory(handler, options)
  const secure = options.https === true ? {} : options.https || undefined
  let server: any
  if (options.http2) {
    server = secure ? http2.createSecureServer(secure, handler) : http2.createServer(handler)
    server.on('unknownProtocol', refuseProtocol)
    server.on('session', (session: ServerHttp2Session) => endWhenIdle(session, options.http2SessionTimeout))
  } else {
    server = secure ? https.createServer({ ...messages, ...secure }, handler) : http.createServer({ ...messages, ...options.http }, handler)
  }
  if (!options.http2 || secure?.allowHTTP1 === true) {
    server.keepAliveTimeout = options.keepAliveTimeout
    server.requestTimeout = options.requestTimeout
    // As Node has it for options of its own: a request timeout below that of the headers would never come.
    if (server.requestTimeout > 0) server.headersTimeout = Math.min(server.headersTimeout, server.requestTimeout)
    if (options.maxRequestsPerSocket) server.maxRequestsPerSocket = options.maxRequestsPerSocket
    // Their bytes are bounded. Node leaves out what is above a number, whatever it means for the request.
    server.maxHeadersCount = 0
  }
  server.on('checkContinue', takeExpectation)
  server.setTimeout(options.connectionTimeout)
  return server
}

/** Node's event for a request with `Expect: 100-continue`, which takes the place of `request`. */
function takeExpectation(this: HttpServer, raw: IncomingMessage, response: ServerResponse): void {
  // Who listens as well answers by itself, as Node has it.
  if (this.listenerCount('checkContinue') > 1) return
  if (hasBody(raw)) continueWhenRead(raw, response)
  else response.writeContinue()
  this.emit('request', raw, response)
}

function hasBody(raw: IncomingMessage): boolean {
  if (raw.httpVersionMajor === 2) return mayHaveHttp2Body(raw)
  return raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0
}

/**
 * RFC 9110 §10.1.1: tells a client that waits for it to send its body, once somebody reads that. One that is refused before (by a guard, for
 * its length) keeps its body, and its connection is closed.
 */
function continueWhenRead(raw: IncomingMessage, response: ServerResponse): void {
  const { _read } = raw
  raw._read = function readAndContinue(size) {
    raw._read = _read
    // What is left of a body is also read when its reply has been given.
    if (!response.headersSent) response.writeContinue()
    _read.call(raw, size)
  }
  // Node closes a connection whose client was never told.
  if (raw.httpVersionMajor !== 2) closeInStages(raw.socket)
}

/** A TLS client that did not choose HTTP/2. Node would leave its connection open for ten seconds, whoever waits for that. */
function refuseProtocol(socket: Socket): void {
  writeFailure(socket, 505, 'This server speaks HTTP/2')
  socket.destroySoon()
}

export interface ListenerSettings {
  readonly context: Context
  readonly options: ServerOptions & typeof defaultOptions
  readonly server: HttpServer
  readonly handler: Handler
  readonly state: BootState
  readonly ready: () => Promise<Server>
  readonly close: () => unknown
}

export interface Listener {
  listen(options: ListenOptions): Promise<string>
  addresses(): NonNullable<ReturnType<HttpServer['address']>>[]
  readonly origin: string
  /** Stops listening; `done` when the last connection is gone. */
  stop(done: () => void): void
}

export function createListener({ context, options, server, handler, state, ready, close }: ListenerSettings): Listener {
  /** Servers on further addresses of the same host: `localhost` is 127.0.0.1 and ::1. */
  const others: HttpServer[] = []
  let isStopped = false
  const scheme = options.https ? 'https' : 'http'
  if (options.forceCloseConnections === 'idle' && typeof server.closeIdleConnections !== 'function') {
    throw new errorCodes.ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE()
  }
  const connections = new Connections()
  connections.watch(server)

  async function listen(given: ListenOptions): Promise<string> {
    const { listenTextResolver = (address: string) => `Server listening at ${address}`, signal, ...rest } = given
    // To Node an empty host is every address of the machine.
    if (given.host === '') throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('host is empty')
    // Port 0 is any that is free.
    const target = given.path == null ? { ...rest, host: given.host ?? 'localhost', port: given.port ?? 0 } : rest
    if (signal) closeOnAbort(signal, close)
    if (state.listening && state.closeAsked) throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
    if (state.listening) throw new errorCodes.ALC_ERR_REOPENED_SERVER()
    await ready()
    if (state.closeAsked) throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
    if (state.listening) throw new errorCodes.ALC_ERR_REOPENED_SERVER()
    state.listening = true
    try {
      await bind(server, target)
      await closeIfStopped(server)
    } catch (error) {
      state.listening = false
      throw withCure(error as NodeJS.ErrnoException)
    }
    const address = describe(server, scheme)
    context.logger.info(listenTextResolver(address))
    if (target.host === 'localhost' && !options.serverFactory) {
      for (const other of await bindOthers(server, target)) context.logger.info(listenTextResolver(describe(other, scheme)))
    }
    runListenHooks(context)
    return address
  }

  /** What was bound too late for `stop` to know of it. */
  async function closeIfStopped(bound: HttpServer): Promise<void> {
    if (!isStopped) return
    await new Promise((resolve) => bound.close(resolve))
    throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
  }

  async function bindOthers(main: HttpServer, target: ListenOptions): Promise<HttpServer[]> {
    const primary = main.address() as AddressInfo
    for (const address of await addressesOf(target.host!)) {
      if (address === primary.address) continue
      const other = createHttpServer(options, handler)
      connections.watch(other)
      for (const event of sharedEvents) {
        for (const listener of main.listeners(event)) if (!other.listeners(event).includes(listener)) other.on(event, listener as any)
      }
      try {
        await bind(other, { ...target, host: address, port: primary.port })
        await closeIfStopped(other)
        others.push(other)
        main.on('unref', () => other.unref())
      } catch {
        // The host has a name for an address that it does not have: the main one serves.
        other.close()
      }
    }
    const unref = main.unref
    main.unref = () => {
      main.emit('unref')
      return unref.call(main)
    }
    return others
  }

  return {
    listen,
    addresses: () => [...others, server].map((entry) => entry.address()).filter((address) => address !== null),
    get origin() {
      return describe(server, scheme)
    },
    stop(done) {
      isStopped = true
      // A server that was handed in and listens on its own account is not ours to close.
      if (options.serverFactory && !state.listening) return process.nextTick(done)
      if (!server.listening) return void server.close(() => done())
      const all = [server, ...others]
      let pending = all.length
      connections.whenAccepted(() => {
        const end = options.forceCloseConnections === true ? undefined : connections.drain(options.closeIdleDelay)
        const closed = (): void => {
          pending--
          if (pending > 0) return
          end?.()
          done()
        }
        for (const entry of all) closePort(entry, closed)
        // Not before: a client that is told so comes again, and must not find a port that is about to close.
        state.draining = true
        if (options.forceCloseConnections !== true) return
        for (const entry of all) entry.closeAllConnections?.()
        connections.destroyAll()
      })
    },
  }
}

/** Node's `close` would also cut idle connections, at once: their clients may be writing. */
function closePort(server: HttpServer, closed: () => void): void {
  const own = Object.getOwnPropertyDescriptor(server, 'closeIdleConnections')
  Object.defineProperty(server, 'closeIdleConnections', { value: () => {}, configurable: true, writable: true })
  try {
    server.close(closed)
  } finally {
    if (own === undefined) delete (server as Partial<HttpServer>).closeIdleConnections
    else Object.defineProperty(server, 'closeIdleConnections', own)
  }
}

function closeOnAbort(signal: AbortSignal, close: () => unknown): void {
  if (signal.aborted) close()
  else signal.addEventListener('abort', () => close(), { once: true })
}

function bind(server: HttpServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => onError(new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER())
    const onError = (error: Error): void => {
      forget()
      reject(error)
    }
    const forget = (): void => {
      server.removeListener('error', onError)
      server.removeListener('close', onClose)
    }
    server.on('error', onError)
    server.on('close', onClose)
    server.listen(options, () => {
      forget()
      resolve()
    })
  })
}

const cures: Record<string, string> = {
  EADDRINUSE: 'Something listens there already: stop it, or choose another port.',
  EACCES: 'This user may not listen there: choose a port above 1023, or another path.',
  EADDRNOTAVAIL: 'This machine has no such address: choose another host.',
  ERR_SOCKET_BAD_PORT: 'Pass a whole number; what is read from the environment may be NaN or missing.',
  ENOTFOUND: 'The host has no address: choose another.',
}

/** Says what to do about an error of the operating system; its code stays. */
function withCure(error: NodeJS.ErrnoException): Error {
  const cure = cures[error.code ?? '']
  if (cure === undefined) return error
  const message = `${error.message.replace(/\.$/, '')}. ${cure}`
  error.stack = error.stack?.replace(error.message, () => message)
  error.message = message
  return error
}

function addressesOf(host: string): Promise<string[]> {
  return new Promise((resolve) => lookup(host, { all: true }, (error, found) => resolve(error ? [] : found.map((entry) => entry.address))))
}

function describe(server: HttpServer, scheme: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return String(address)
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** onListen hooks: errors are logged, the server listens already. */
function runListenHooks(context: Context): void {
  const { hooks, instance, children } = context
  let index = 0
  const next = (error?: unknown): void => {
    if (error != null) instance.log.error(error)
    const hook = hooks.onListen[index++]?.run
    if (hook === undefined) return children.forEach(runListenHooks)
    try {
      if (hook.length === 1) return void hook.call(instance, next)
      const result = hook.call(instance)
      if (typeof result?.then === 'function') result.then(() => next(), next)
      else next()
    } catch (failure) {
      next(failure)
    }
  }
  next()
}

type ClientErrorListener = (error: NodeJS.ErrnoException, socket: Socket) => void

/** ms that a handler of the application has to answer a client and end its connection */
const CLIENT_ERROR_GRACE = 1_000

/** Where the application's own handler fails, the default one answers; a connection that it leaves open is cut off. */
export function createClientErrorListener(handle: ((error: any, socket: Socket) => unknown) | undefined, log: Logger): ClientErrorListener {
  const answer = defaultClientErrorHandler(log)
  if (handle === undefined) return answer
  return async function handleClientError(error, socket) {
    const before = socket.bytesWritten
    setTimeout(() => destroyWhenAnswered(socket), CLIENT_ERROR_GRACE).unref()
    try {
      await handle(error, socket)
    } catch (failure) {
      log.error({ err: failure }, 'clientErrorHandler failed')
      // What it wrote cannot be taken back.
      if (socket.bytesWritten > before) socket.destroy()
      else answer(error, socket)
    }
  }
}

function destroyWhenAnswered(socket: Answering): void {
  const current = socket._httpMessage
  if (current == null) socket.destroy()
  else current.once('close', () => destroyWhenAnswered(socket))
}

/** A socket as Node's own handler of these errors sees it: with the response that is being written to it, and the parser with the latest request. */
type Answering = Socket & { _httpMessage?: ServerResponse | null; parser?: { incoming?: IncomingMessage | null } | null }

function writeFailure(socket: Socket, status: number, message: string): void {
  const phrase = STATUS_CODES[status]
  const body = JSON.stringify({ error: phrase, message, statusCode: status })
  const head = [`HTTP/1.1 ${status} ${phrase}`, `Content-Length: ${body.length}`, 'Content-Type: application/json', 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** What a client gets whose bytes were no request (spec is silent; RFC 9110 §15.5). */
function defaultClientErrorHandler(log: Logger): ClientErrorListener {
  return function answerClientError(error, socket) {
    // The client is gone, or was answered: there is nobody to tell.
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // Replies come in the order of requests: those that came whole before the bad bytes are answered first.
    const current = (socket as Answering)._httpMessage
    if (current?.req.complete === true) return void current.once('close', () => answerClientError(error, socket))
    const [status, message, label]: [number, string, string] =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Client Timeout', 'timeout']
        : error.code === 'HPE_HEADER_OVERFLOW'
          ? [431, 'Exceeded maximum allowed HTTP header size', 'header_overflow']
          : [400, 'Client Error', 'error']
    log.trace({ err: error }, `client ${label}`)
    // Written into a response that has begun, it would become part of that one's body; after one that came early, another request's reply.
    const isAnswered = current == null ? (socket as Answering).parser?.incoming?.complete === false : current.headersSent
    if (socket.writable && !isAnswered) writeFailure(socket, status, message)
    socket.destroy(error)
  }
}
