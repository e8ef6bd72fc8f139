/** Sends requests without a socket. Only this file uses light-my-request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { Deadlines } from '../http/deadline.js'
import { ownUrl } from '../util/own-url.js'

type Dispatch = (request: IncomingMessage, response: ServerResponse) => void
type LightMyRequest = (dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void) => any

const require = createRequire(ownUrl)
let lightMyRequest: LightMyRequest | undefined

/** Passes a request to `dispatch`. The library is loaded at the first call, because only tests and scripts need it. */
export function injectRequest(dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void): any {
  lightMyRequest ??= require('light-my-request') as LightMyRequest
  return lightMyRequest(dispatch, options, callback)
}

/**
 * Keeps the process alive while an injected request waits for its reply, so that a handler that never replies is named when its time is
 * over. Without a socket, nothing else might keep it alive.
 * @param queues the deadlines of the server, by their span
 */
export function keepAlive(dispatch: Dispatch, queues: ReadonlyMap<number, Deadlines>): Dispatch {
  return (request, response) => {
    let held = [...queues.values()]
    for (const queue of held) queue.hold()
    const release = (): void => {
      for (const queue of held) queue.release()
      held = []
    }
    for (const event of ['finish', 'close', 'error']) response.once(event, release)
    dispatch(request, response)
  }
}
