/** Requests without a socket (light-my-request, the only file that knows it). */
import { createRequire } from 'node:module'
import type { IncomingMessage, ServerResponse } from 'node:http'

type Dispatch = (request: IncomingMessage, response: ServerResponse) => void
type LightMyRequest = (dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void) => any

const require = createRequire(import.meta.url)
let lightMyRequest: LightMyRequest | undefined

/** Runs a request through `dispatch`. Loaded at first use: only tests and scripts need it. */
export function injectRequest(dispatch: Dispatch, options: any, callback?: (error: any, response: any) => void): any {
  lightMyRequest ??= require('light-my-request') as LightMyRequest
  return lightMyRequest(dispatch, options, callback)
}
