/** How far a server is: booting, serving, closing. */
import type { Server as HttpServer } from 'node:http'
import type { ClosableStream, ReplyWatcher } from '../route/compiled-route.js'
import type { Server } from '../types/server.js'
import { RunningRequests } from '../lifecycle/ending/pending-work.js'
import type { Exchange } from '../lifecycle/exchange.js'

/** How far a server is: booting, serving, closing. Its parts share one such object. */
export interface ServerState {
  /** All plugins are loaded. Nothing can be declared any more. */
  started: boolean
  /** `ready` has succeeded. */
  ready: boolean
  /** `close` was called. Plugins that were registered before it may still be loading. */
  closeAsked: boolean
  /** The server has begun to close. */
  closing: boolean
  /** The port is closed: replies tell their clients that the connection closes. */
  draining: boolean
  listening: boolean
  /** Whether `listen` waits for the onListen hooks and fails with the first that fails. Otherwise it does not wait, and errors are logged. */
  waitsForListenHooks: boolean
  /** The requests with pending work: of hooks, a handler, or the source of a stream. */
  readonly running: RunningRequests
  /** The requests whose signal was read, until their response is over. */
  readonly withSignal: Set<Exchange>
  /** The streams of items that have not ended. */
  readonly streams: Set<ClosableStream>
  /** Sees the replies, if the server is under test. */
  replyWatcher: ReplyWatcher | undefined
  /** ms that closing may take until connections are cut; 0: no limit */
  closeTimeout: number
  /** Says what closing waits for at the moment: a hook, a provider, requests. */
  describeWait: (() => string) | undefined
  /** Whether closing has not waited for the end of something, or has failed to end it. */
  isIncomplete: boolean
}

/** @param closeTimeout ms; 0: no limit */
export function createServerState(closeTimeout: number): ServerState {
  return {
    started: false,
    ready: false,
    closeAsked: false,
    closing: false,
    draining: false,
    listening: false,
    waitsForListenHooks: false,
    running: new RunningRequests(),
    withSignal: new Set(),
    streams: new Set(),
    replyWatcher: undefined,
    closeTimeout,
    describeWait: undefined,
    isIncomplete: false,
  }
}

const states = new WeakMap<HttpServer, ServerState>()

export function setStateOf(server: HttpServer, state: ServerState): void {
  states.set(server, state)
}

/** The state of the server that has this HTTP server. */
export function stateOf(server: HttpServer): ServerState {
  return states.get(server)!
}

/** Notes what closing waits for from now on: `the onClose hook of 'App > Users'`. */
export function noteCloseStep(server: Server, step: string): void {
  stateOf(server.server).describeWait = () => step
}

/** Notes that closing has failed to end something, or has not waited for its end. The log says what. */
export function noteIncomplete(server: Server): void {
  stateOf(server.server).isIncomplete = true
}

/** Makes `listen` wait for the onListen hooks. The first that fails closes the server and fails `listen`. */
export function waitForListenHooks(server: Server): void {
  stateOf(server.server).waitsForListenHooks = true
}

/** Lets a test see the replies of the routes that are compiled from now on. */
export function watchReplies(server: Server, watcher: ReplyWatcher): void {
  stateOf(server.server).replyWatcher = watcher
}
