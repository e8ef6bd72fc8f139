/** How far a server is: booting, serving, closing. */
import type { Server as HttpServer } from 'node:http'
import type { ClosableStream, UnlistedErrorListener } from '../route/compiled-route.js'
import type { Server } from '../types/server.js'
import { LinkedList, type ListEntry } from '../util/linked-list.js'

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
  /** The requests whose hooks or handler have returned a promise that is not settled. */
  readonly running: LinkedList<ListEntry>
  /** The requests whose signal was read, until their response is over. */
  readonly withSignal: Set<object>
  /** The streams of items that have not ended. */
  readonly streams: Set<ClosableStream>
  /** Told of errors that their routes do not list. */
  onUnlistedError: UnlistedErrorListener | undefined
  /** ms that closing may take until connections are cut; 0: no limit */
  closeTimeout: number
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
    running: new LinkedList(),
    withSignal: new Set(),
    streams: new Set(),
    onUnlistedError: undefined,
    closeTimeout,
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

/** Makes `listen` wait for the onListen hooks. The first that fails closes the server and fails `listen`. */
export function waitForListenHooks(server: Server): void {
  stateOf(server.server).waitsForListenHooks = true
}

/** Calls back for each reply with an error of a class that its route does not list. */
export function watchUnlistedErrors(server: Server, listener: UnlistedErrorListener): void {
  stateOf(server.server).onUnlistedError = listener
}
