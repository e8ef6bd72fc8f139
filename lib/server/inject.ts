/** Sends requests without a socket. Only this file uses light-my-request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { Deadlines } from '../http/deadline.js'
import { ownUrl } from '../util/own-url.js'

type Dispatch = (request: IncomingMessage, response: ServerResponse) => void
type LightMyRequest = (dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void) => any

const require = createRequire(ownUrl)
let lightMyRequest: LightMyRequest | undefined

/**
 * Makes a request without a socket, and passes it to `dispatch`. light-my-request is loaded at the first call, because only tests and
 * scripts need it.
 */
export function injectRequest(dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void): any {
  lightMyRequest ??= require('light-my-request') as LightMyRequest
  return lightMyRequest(dispatch, options, callback)
}

/**
 * Wraps `dispatch` so that the process stays alive while an injected request waits for its reply. Without a socket, nothing else might keep
 * the process alive, and the error that names a handler which never replies would not come.
 * @param queues the queues of deadlines of the server's requests, by the time in ms in which a request must be answered
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
