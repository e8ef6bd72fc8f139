/** The state of a server: booting, serving, closing. */
import type { Server as HttpServer } from 'node:http'
import type { RequestSource } from '../http/web/socket.js'
import type { ReplyWatcher } from '../route/compiled-route.js'
import type { Server } from '../types/server.js'
import { PendingRequests } from '../lifecycle/ending/pending-work.js'
import type { Exchange } from '../lifecycle/exchange.js'
import { type BackgroundWork, BackgroundWorks } from './background-work.js'
import { OpenFetches } from './fetch/open-fetches.js'
import type { FetchFrom, OpenPort } from './fetch/runtime-port.js'

/** The state of a server: whether it boots, serves or closes. All modules of the server share one such object. */
export interface ServerState {
  /** Whether all plugins are loaded. Nothing can be declared after that. */
  started: boolean
  /** Whether `ready` has succeeded. */
  ready: boolean
  /** Whether `close` was called. Plugins that were registered before the call may still be loading. */
  closeAsked: boolean
  /** Whether the server has begun to close: the preClose hooks run, or have run. */
  closing: boolean
  /** Whether the port is closed because the server closes. Replies then tell their clients that the connection closes. */
  draining: boolean
  /** Whether all requests that came before the server began to close are over. The `onClose` hooks run, or have run. */
  closed: boolean
  listening: boolean
  /** Whether a signal closes the server, so that the process ends when the server has closed. */
  isProcessEnding: boolean
  /**
   * Whether `listen` waits for the onListen hooks, and fails with the first hook that fails. Otherwise it does not wait, and errors of the
   * hooks are logged.
   */
  waitsForListenHooks: boolean
  /** The requests for which work is pending: of hooks, a handler, or the source of a stream. */
  readonly pendingRequests: PendingRequests
  readonly backgroundWorks: BackgroundWorks
  /** The requests of `fetch` that are not over. */
  readonly fetches: OpenFetches
  /** Serves requests of a runtime; `undefined` until the server is made. */
  fetchFrom: FetchFrom | undefined
  /** Listens by a port of the runtime; `undefined` until the server has its listener. */
  listenBy: ((open: OpenPort) => Promise<string>) | undefined
  /** The requests whose `signal` was read, until their response is over. */
  readonly withSignal: Set<Exchange>
  /** The test that watches the replies, if the server is under test. */
  replyWatcher: ReplyWatcher | undefined
  /** ms that closing may take until connections are cut; 0: no limit */
  closeTimeout: number
  /** The time by `performance.now()` at which connections are cut at the latest, also if preClose hooks took long: set by a signal. */
  cutAt: number
  /** Returns in words what closing waits for at the moment: a hook, a provider, requests. */
  describeWait: (() => string) | undefined
  /** Whether closing could not wait for the end of something, or has failed to end something. */
  isIncomplete: boolean
}

/** Makes the state of a new server. @param closeTimeout ms that closing may take; 0: no limit */
export function createServerState(closeTimeout: number): ServerState {
  return {
    started: false,
    ready: false,
    closeAsked: false,
    closing: false,
    draining: false,
    closed: false,
    listening: false,
    isProcessEnding: false,
    waitsForListenHooks: false,
    pendingRequests: new PendingRequests(),
    backgroundWorks: new BackgroundWorks(),
    fetches: new OpenFetches(),
    fetchFrom: undefined,
    listenBy: undefined,
    withSignal: new Set(),
    replyWatcher: undefined,
    closeTimeout,
    cutAt: Infinity,
    describeWait: undefined,
    isIncomplete: false,
  }
}

const states = new WeakMap<HttpServer, ServerState>()

export function setStateOf(server: HttpServer, state: ServerState): void {
  states.set(server, state)
}

/** Returns the state of the server that has this HTTP server. */
export function stateOf(server: HttpServer): ServerState {
  return states.get(server)!
}

/** Sets the text that names what closing waits for from now on: `the onClose hook of 'App > Users'`. */
export function noteCloseStep(server: Server, step: string): void {
  stateOf(server.server).describeWait = () => step
}

/** Records that closing has failed to end something, or has not waited for its end. The log says what it was. */
export function noteIncomplete(server: Server): void {
  stateOf(server.server).isIncomplete = true
}

/** Makes `listen` wait for the onListen hooks. The first hook that fails closes the server and fails `listen`. */
export function waitForListenHooks(server: Server): void {
  stateOf(server.server).waitsForListenHooks = true
}

/**
 * Adds work that is not a request and that a closing server waits for.
 * @returns a function to call when the work is over; `undefined` if the server has closed, so that nothing may begin
 */
export function beginBackgroundWork(server: Server, work: BackgroundWork): (() => void) | undefined {
  const { backgroundWorks } = stateOf(server.server)
  return backgroundWorks.add(work) ? () => backgroundWorks.remove(work) : undefined
}

/** Lets a test watch the replies of the routes that are compiled from now on. */
export function watchReplies(server: Server, watcher: ReplyWatcher): void {
  stateOf(server.server).replyWatcher = watcher
}

/**
 * Boots a server and serves it by a port of its runtime, as `listen` does by a port of Node: the onListen hooks run, and `close` closes the
 * port.
 * @returns the address
 * @throws ALC_ERR_REOPENED_SERVER, ALC_ERR_REOPENED_CLOSE_SERVER, the errors of `ready` and of the runtime
 */
export function listenByRuntime({ server }: Server, open: OpenPort): Promise<string> {
  return stateOf(server).listenBy!(open)
}

/**
 * Returns the function that serves the requests of a runtime. Its `source` states facts about the requests that `server.fetch` does not
 * know.
 */
export function fetchFrom<Reply>({ server }: Server, source: RequestSource<Reply>): (request: Request, info?: unknown) => Promise<Reply> {
  const { fetchFrom: fetch } = stateOf(server)
  return (request, info) => fetch!(source, request, info)
}

/** ms between two checks whether requests are over. */
const LOOK_INTERVAL_MS = 2

/**
 * Waits until no request is at work any more: none waits for its reply, for a hook or a handler, or for the end of its scope or work.
 * @param limit ms
 * @returns `false` if requests are still at work after the limit
 */
export async function whenRequestsAreOver(server: Server, limit: number): Promise<boolean> {
  const { fetches, pendingRequests, backgroundWorks } = stateOf(server.server)
  const end = performance.now() + limit
  // The end of a response is noted in ticks that follow it.
  await new Promise((resolve) => setImmediate(resolve))
  while (fetches.size + backgroundWorks.countOfRequests + pendingRequests.waitedFor().length > 0) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS))
  }
  return true
}
