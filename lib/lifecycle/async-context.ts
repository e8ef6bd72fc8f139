/**
 * The async context of a request: the stores of `AsyncLocalStorage` that its hooks and its handler have entered.
 *
 * A request is served in events of its connection and in timers, which it shares with other requests. So each request has its own async
 * context. Hooks and handlers may change the context (by `enterWith`, or by calling `done` inside of `run`), so the context is kept anew
 * whenever these functions have run or begin to wait. Each later event of the request enters the kept context again.
 *
 * From Node 24 on, Node's parser of HTTP/1 begins each request in the context of its connection, whatever other requests have entered, even
 * requests of the same read ({@link hasOwnContext}). A request that this parser brings needs another context only in later events.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { CheckedServerResponse } from '../http/server-response.js'
import { verification } from '../util/node-verification.js'
import type { Exchange } from './exchange.js'

/**
 * Whether a store that is entered by `enterWith` ends with the event in which it was entered (`AsyncContextFrame`: from Node 24 on, unless
 * an option of Node switches it off). In older versions of Node the store stays entered for all later events of a connection.
 */
const doStoresEnd = verification.fields && !('_enable' in AsyncLocalStorage.prototype)

/**
 * Whether a request begins in an async context that no other request sees. This is so for requests that Node's parser of HTTP/1 brings;
 * their responses have the class `CheckedServerResponse`, which no other responses have.
 */
export function hasOwnContext(response: ServerResponse): boolean {
  return doStoresEnd && response instanceof CheckedServerResponse
}

/** Makes the async context of a request. It begins as a copy of the current context. */
export function createAsyncContext(): AsyncResource {
  return new AsyncResource('alcove.request')
}

/** Keeps the current async context for the later events of a request. */
export function keepAsyncContext(exchange: Exchange): void {
  exchange.asyncContext = createAsyncContext()
}

/** Runs a function in the async context of a request, or in the current one if none was kept. */
export function runInContextOf<Args extends unknown[]>(exchange: Exchange, callback: (...args: Args) => unknown, ...args: Args): void {
  const { asyncContext } = exchange
  if (asyncContext === undefined) callback(...args)
  else asyncContext.runInAsyncScope(callback, undefined, ...args)
}
