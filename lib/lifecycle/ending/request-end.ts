/**
 * The one end of a request: its response is sent or has failed, or its client has left. Then its last hooks run, and the request is over.
 */
import type { ServerResponse } from 'node:http'
import { isClientGone, whenOver } from '../../http/connection.js'
import type { Request } from '../../types/request.js'
import { kExchange } from '../../util/symbols.js'
import { runInContextOf } from '../async-context.js'
import { type Exchange, exchangeOf, ReplyState } from '../exchange.js'
import { logFailedHook } from '../log-request.js'
import { runAbortHooks, runResponseHooks } from '../run-hooks.js'
import { noteEnd, noteRawEnd, setOverListener } from './pending-work.js'

/**
 * Waits for the end of a request. Then runs its onResponse hooks, or, if the response was cut or the client has left, its onRequestAbort
 * hooks, and logs the request.
 */
export function watchEnd(exchange: Exchange): void {
  exchange.hasEnded = false
  const response: WatchedResponse = exchange.reply.raw
  response[kExchange] = exchange
  whenOver(response, onOver)
}

/**
 * Ends a request whose response has emitted an error. Every response has this listener: without one, an error of a write after its end
 * would end the process.
 */
export function onResponseError(this: WatchedResponse, error: Error): void {
  if (this[kExchange] !== undefined) endRequest(this[kExchange], finish, error)
}

interface WatchedResponse extends ServerResponse {
  [kExchange]?: Exchange
}

function onOver(response: WatchedResponse, isWhole: boolean): void {
  endRequest(response[kExchange]!, isWhole ? finish : abort)
}

function endRequest(exchange: Exchange, conclude: typeof finish, error?: Error): void {
  if (exchange.endTime !== undefined) return
  exchange.endTime = performance.now()
  noteRawEnd(exchange)
  runInContextOf(exchange, conclude, exchange, error)
}

function finish(exchange: Exchange, error: Error | undefined): void {
  const { onResponse } = exchange.route
  if (onResponse === null) completeRequest(error, exchange)
  else runResponseHooks(onResponse, exchange, error === undefined ? completeRequest : () => completeRequest(error, exchange))
}

function completeRequest(error: unknown, exchange: Exchange): void {
  exchange.route.logs.requestCompleted(error, exchange.request, exchange.reply)
  noteEnd(exchange)
}

function abort(exchange: Exchange): void {
  const { onRequestAbort, logs } = exchange.route
  // An application that has hijacked the response logs its end itself.
  if (exchange.state !== ReplyState.Hijacked) logs.requestAborted(exchange.request, exchange.reply)
  if (onRequestAbort === null) return noteEnd(exchange)
  runAbortHooks(onRequestAbort, exchange, (error) => {
    if (error != null) logFailedHook('onRequestAbort', error, exchange.reply)
    noteEnd(exchange)
  })
}

/** Whether a request is over: its reply is sent, and the framework waits for none of its code. */
export function isRequestOver(request: Request): boolean {
  const { hasEnded, pendingWork, reply } = exchangeOf(request)
  return pendingWork <= 0 && (hasEnded ?? reply.raw.writableFinished)
}

/**
 * Calls back once when a request is over: its response is sent or cut, its last hooks have run, and no promise of its hooks and its handler
 * is pending. A promise that is still pending 30 s after the response, or after the server has closed, is not waited for.
 */
export function whenRequestIsOver(request: Request, call: () => void): void {
  const exchange = exchangeOf(request)
  if (exchange.hasEnded === undefined) {
    const { raw } = exchange.reply
    if (isClientGone(raw) || raw.writableFinished) exchange.hasEnded = true
    else watchEnd(exchange)
  }
  setOverListener(exchange, call)
}
