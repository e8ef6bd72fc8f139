/** Opens the port of a server on all addresses of its host, and closes it. */
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from '../../context/context.js'
import { errorCodes } from '../../errors/codes.js'
import { Connections } from '../../http/drain-connections.js'
import type { ListenOptions, Server } from '../../types/server.js'
import { loadDns, loadOs } from '../../util/node/modules.js'
import { warnIfUnverified } from '../../util/node-verification.js'
import { assertNotPromise } from '../../util/promises.js'
import { type ApplicationHook, runListenHooks, runListenHooksInOrder } from '../application-hooks.js'
import { type OpenPort, RuntimePorts } from '../fetch/runtime-port.js'
import type { SettledOptions } from '../options.js'
import type { ServerState } from '../server-state.js'
import { CloseLimit, describeWait, endOpenEnded, GRACE_MS, timeForConnections } from './close-limit.js'
import { createHttpServer, type RequestListener } from './http-server.js'
import { assertListenOptions } from './listen-options.js'
import { cutSlowReaders } from './slow-readers.js'

/** The events whose listeners on the main server are also added to the servers on further addresses. */
const sharedEvents = ['upgrade', 'connect', 'clientError', 'checkContinue', 'checkExpectation']

export interface ListenerDependencies {
  readonly context: Context
  readonly options: SettledOptions
  readonly server: HttpServer
  readonly handleRequest: RequestListener
  readonly state: ServerState
  readonly ready: () => Promise<Server>
  readonly close: () => unknown
}

export class Listener {
  readonly #dependencies: ListenerDependencies
  readonly #server: HttpServer
  /** The servers on further addresses of the same host name: `localhost` is 127.0.0.1 and ::1. */
  readonly #others: HttpServer[] = []
  readonly #connections = new Connections()
  readonly #runtimePorts = new RuntimePorts()
  readonly #scheme: 'http' | 'https'
  #isStopped = false

  /** Watches the connections of a Node server, before it listens. @throws ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE */
  constructor(dependencies: ListenerDependencies) {
    this.#dependencies = dependencies
    const { options, server } = dependencies
    this.#server = server
    this.#scheme = options.https ? 'https' : 'http'
    if (options.forceCloseConnections === 'idle' && typeof server.closeIdleConnections !== 'function') {
      throw new errorCodes.ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE()
    }
    this.#connections.watch(server)
    cutSlowReaders(server, this.#connections, options.sendTimeout, dependencies.context.logger)
  }

  /**
   * The address that the server listens on: `http://127.0.0.1:3000`, or the path of the socket; the text `null` while it does not listen.
   */
  get origin(): string {
    return this.#runtimePorts.origin ?? describeAddress(this.#server, this.#scheme)
  }

  addresses(): NonNullable<ReturnType<HttpServer['address']>>[] {
    return [...this.#others, this.#server].map((entry) => entry.address()).filter((address) => address !== null)
  }

  /**
   * Boots the server, opens the port and starts the onListen hooks.
   * @returns the address; `undefined` if the option `signal` was aborted before the server listened; a promise that never settles if
   * `closeOnSignals` closes the server, because the process ends
   */
  async listen(options: ListenOptions): Promise<string | undefined> {
    try {
      return await this.#listen(options)
    } catch (error) {
      const { state, context } = this.#dependencies
      if (!(error instanceof errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER)) throw error
      // The application itself has stopped the start of the server.
      if (options.signal?.aborted === true) {
        context.logger.info('the server does not listen: its signal was aborted')
        return undefined
      }
      if (!state.isProcessEnding) throw error
      // An error that nobody catches would end the process before the server has closed.
      context.logger.info('the server does not listen: a signal ends the process')
      return new Promise(() => {})
    }
  }

  async #listen(listenOptions: ListenOptions): Promise<string> {
    const { state, close, context, options } = this.#dependencies
    assertListenOptions(listenOptions)
    const { listenTextResolver = (address: string) => `Server listening at ${address}`, signal, ...rest } = listenOptions
    // The types of Node lack `fd`.
    const { path, fd, host, port }: ListenOptions & { fd?: number } = listenOptions
    // Port 0 is any free port. With a file descriptor, or a path alone, there is none. Node prefers a port to a path.
    const hasPort = fd == null && (path == null || port != null)
    const target = hasPort ? { ...rest, host: host ?? 'localhost', port: port ?? 0 } : rest
    if (signal) closeOnAbort(signal, close)
    await this.#begin()
    try {
      await bind(this.#server, target)
      await this.#closeIfStopped(this.#server)
    } catch (error) {
      state.listening = false
      throw withCure(error as NodeJS.ErrnoException)
    }
    const addresses = options.conventions.namesNetworkCards ? describeCards(this.#server, this.#scheme) : [this.origin]
    const logAddress = (address: string): void => context.logger.info(assertNotPromise(listenTextResolver(address), 'listenTextResolver'))
    try {
      for (const address of addresses) logAddress(address)
      warnIfUnverified(context.logger)
      if (target.host === 'localhost' && !options.serverFactory) {
        await this.#bindOthers(target)
        for (const other of this.#others) logAddress(describeAddress(other, this.#scheme))
      }
    } catch (error) {
      await this.#closeAfterFailure('listen')
      throw error
    }
    await this.#runHooks()
    return addresses[0]!
  }

  /** Boots the server, and listens by a port that the runtime opens. @returns the address */
  async listenBy(open: OpenPort): Promise<string> {
    const { state, context } = this.#dependencies
    await this.#begin()
    try {
      const port = await open()
      await this.#runtimePorts.add(port, this.#isStopped)
      context.logger.info(`Server listening at ${port.origin}`)
      await this.#runHooks()
      return port.origin
    } catch (error) {
      if (this.#runtimePorts.size === 0) state.listening = false
      throw error
    }
  }

  /** Boots the server, and notes that it listens. @throws ALC_ERR_REOPENED_CLOSE_SERVER, ALC_ERR_REOPENED_SERVER, the errors of the boot */
  async #begin(): Promise<void> {
    const { state, ready } = this.#dependencies
    if (state.listening && state.closeAsked) throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
    if (state.listening) throw new errorCodes.ALC_ERR_REOPENED_SERVER()
    await ready()
    if (state.closeAsked) throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
    if (state.listening) throw new errorCodes.ALC_ERR_REOPENED_SERVER()
    state.listening = true
  }

  async #runHooks(): Promise<void> {
    const { state, context } = this.#dependencies
    if (state.waitsForListenHooks) await this.#waitForHooks()
    else runListenHooks(context)
  }

  /** Waits for the onListen hooks, at most `pluginTimeout`. @throws the error of an onListen hook, after the server has been closed */
  async #waitForHooks(): Promise<void> {
    const { context, options } = this.#dependencies
    const { logger } = context
    const { pluginTimeout } = options
    let running: ApplicationHook | undefined
    let isOver = false
    const hooks = runListenHooksInOrder(context, (hook) => (running = hook))
    hooks.catch((error: unknown) => isOver && logger.error({ err: error }, 'an onListen hook failed after listen was over'))
    let timer: NodeJS.Timeout | undefined
    let stopWaiting!: () => void
    const over = new Promise<void>((resolve) => (stopWaiting = resolve))
    const onTimeout = (): void => {
      const cure = 'The onListen hooks after it, and jobs, begin when it is over. Do not await work without an end there.'
      logger.warn(`The ${running?.label} was not over after ${pluginTimeout} ms, so listen does not wait for it. ${cure}`)
      stopWaiting()
    }
    if (pluginTimeout > 0) timer = setTimeout(onTimeout, pluginTimeout)
    this.#server.once('close', stopWaiting)
    try {
      await Promise.race([hooks, over])
    } catch (error) {
      await this.#closeAfterFailure('an onListen hook')
      throw error
    } finally {
      clearTimeout(timer)
      this.#server.removeListener('close', stopWaiting)
      isOver = true
    }
  }

  /** Closes the server, because `listen` fails although the port is open. */
  async #closeAfterFailure(cause: string): Promise<void> {
    const { context, close } = this.#dependencies
    await Promise.resolve(close()).catch((reason: unknown) =>
      context.logger.error({ err: reason }, `closing failed after ${cause} had failed`),
    )
  }

  /** Closes a port that has just been opened, if `stop` was called meanwhile. */
  async #closeIfStopped(bound: HttpServer): Promise<void> {
    if (!this.#isStopped) return
    await new Promise((resolve) => bound.close(resolve))
    throw new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
  }

  async #bindOthers(target: ListenOptions): Promise<void> {
    const main = this.#server
    const primary = main.address() as AddressInfo
    for (const address of await findAddresses(target.host!)) {
      if (address === primary.address) continue
      const other = this.#createOther()
      try {
        await bind(other, { ...target, host: address, port: primary.port })
        await this.#closeIfStopped(other)
        this.#others.push(other)
        main.on('unref', () => other.unref())
      } catch (error) {
        // The main server works. Clients that use this address reach no server, or another one.
        other.close()
        if (!this.#isStopped) this.#logUnbound(error as NodeJS.ErrnoException, target.host!, address)
      }
    }
    const unref = main.unref
    main.unref = () => {
      main.emit('unref')
      return unref.call(main)
    }
  }

  #logUnbound(error: NodeJS.ErrnoException, host: string, address: string): void {
    const { logger } = this.#dependencies.context
    const text = `${host} is also ${address}, where the server cannot listen: ${error.message}`
    // A machine without IPv6 may still have the name.
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') logger.info(text)
    else logger.warn({ err: error }, text)
  }

  #createOther(): HttpServer {
    const { context, options, handleRequest } = this.#dependencies
    const other = createHttpServer(options, handleRequest, () => context.errorFormat)
    this.#connections.watch(other)
    for (const event of sharedEvents) {
      for (const listener of this.#server.listeners(event) as ((...args: any[]) => void)[]) {
        if (!other.listeners(event).includes(listener)) other.on(event, listener)
      }
    }
    return other
  }

  /**
   * Stops listening and closes the connections. `done` is called when the last connection is closed, and no handler, hook or background
   * work is waited for any more.
   */
  stop(done: () => void): void {
    const { state, context } = this.#dependencies
    const { backgroundWorks } = state
    const closeTimeout = timeForConnections(state)
    const end = performance.now() + closeTimeout + GRACE_MS
    state.describeWait = () => describeWait(state)
    this.#closeConnections(closeTimeout, () =>
      backgroundWorks.whenIdle(closeTimeout === 0 ? undefined : end - performance.now(), context.logger, (areAllOver) => {
        if (!areAllOver) state.isIncomplete = true
        state.closed = true
        done()
      }),
    )
  }

  /** Stops listening, and calls `done` when the last connection is closed and the server waits for no handler or hook any more. */
  #closeConnections(closeTimeout: number, done: () => void): void {
    const { options, state, context } = this.#dependencies
    this.#isStopped = true
    // A server that the application's factory made, and that listens on its own account, is not closed here.
    const isForeign = Boolean(options.serverFactory) && !state.listening
    const isOpen = !isForeign && this.#server.listening
    if (!isOpen) endOpenEnded(state)
    if (!state.fetches.hasServed && this.#runtimePorts.size === 0) {
      if (isForeign) return process.nextTick(done)
      if (!isOpen) return void this.#server.close(() => done())
    }
    const all = isOpen ? [this.#server, ...this.#others] : []
    const isForced = options.forceCloseConnections === true
    const cutAll = (): void => {
      this.#connections.destroyAll()
      state.fetches.cut()
      this.#runtimePorts.cut()
    }
    // One for the requests of `fetch`, and one for the ports of the runtime.
    let pending = all.length + 2
    this.#connections.whenAccepted(() => {
      const limit = isForced ? undefined : new CloseLimit(state, cutAll, context.logger, closeTimeout)
      const stopDraining = isForced ? undefined : this.#connections.drain(options.closeIdleDelay)
      const onClosed = (): void => {
        pending--
        if (pending > 0) return
        stopDraining?.()
        if (limit === undefined) done()
        else limit.waitForPendingWork(done)
      }
      for (const entry of all) closePort(entry, onClosed)
      state.fetches.whenIdle(onClosed)
      this.#runtimePorts.stop(onClosed)
      // Replies now tell their clients that the connection closes. A client may then reconnect at once, and must not reach a port that is
      // about to close.
      state.draining = true
      endOpenEnded(state)
      if (!isForced) return
      cutAll()
      for (const entry of all) entry.closeAllConnections?.()
    })
  }
}

/**
 * Closes the port of a server, but none of its connections. Node's `close` would also destroy idle connections at once, though their
 * clients may be writing a request.
 */
function closePort(server: HttpServer, onClosed: () => void): void {
  const own = Object.getOwnPropertyDescriptor(server, 'closeIdleConnections')
  Object.defineProperty(server, 'closeIdleConnections', { value: () => {}, configurable: true, writable: true })
  try {
    server.close(onClosed)
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
      removeListeners()
      reject(error)
    }
    const removeListeners = (): void => {
      server.removeListener('error', onError)
      server.removeListener('close', onClose)
    }
    server.on('error', onError)
    server.on('close', onClose)
    server.listen(options, () => {
      removeListeners()
      resolve()
    })
  })
}

const cures: Record<string, string> = {
  EADDRINUSE: 'Stop the process that listens there, or choose another port.',
  EACCES: 'This user may not listen there: choose a port above 1023, or another path.',
  EADDRNOTAVAIL: 'This machine has no such address: choose another host.',
  ERR_SOCKET_BAD_PORT: 'Pass a whole number: a value read from the environment may be NaN or undefined.',
  ENOTFOUND: 'The host has no address: choose another.',
}
const cureOfUsedPath =
  'Stop the process that listens there, or choose another path. If no process does, delete the file: a process that was killed leaves it.'

/** Adds to the message of a system error a sentence that says what to do. The code of the error stays the same. */
function withCure(error: NodeJS.ErrnoException): Error {
  const { code = '', port = -1 } = error as { code?: string; port?: number }
  const cure = code === 'EADDRINUSE' && port < 0 ? cureOfUsedPath : cures[code]
  if (cure === undefined) return error
  const message = `${error.message.replace(/\.$/, '')}. ${cure}`
  error.stack = error.stack?.replace(error.message, () => message)
  error.message = message
  return error
}

function findAddresses(host: string): Promise<string[]> {
  return new Promise((resolve) =>
    loadDns().lookup(host, { all: true }, (error, found) => resolve(error ? [] : found.map((entry) => entry.address))),
  )
}

/**
 * Returns the address of a server as `http://127.0.0.1:3000`. If it listens on all addresses of IPv4, returns the address of each network
 * card, internal ones first, because a client cannot connect to 0.0.0.0.
 */
function describeCards(server: HttpServer, scheme: string): string[] {
  const address = server.address()
  const cards = Object.values(loadOs().networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family }) => family === 'IPv4')
  if (address === null || typeof address === 'string' || address.address !== '0.0.0.0' || cards.length === 0)
    return [describeAddress(server, scheme)]
  const sorted = cards.toSorted((one, other) => Number(other.internal) - Number(one.internal))
  return sorted.map((card) => `${scheme}://${card.address}:${address.port}`)
}

function describeAddress(server: HttpServer, scheme: string): string {
  const address = server.address()
  // Node has no address for the file descriptor of a Unix socket.
  if (address === null) return server.listening ? 'a file descriptor' : 'null'
  if (typeof address === 'string') return address
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
