/** Sends requests without a socket. Only this file uses light-my-request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
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
