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
}

export function createServerState(): ServerState {
  return { started: false, ready: false, closeAsked: false, closing: false, draining: false, listening: false }
}
