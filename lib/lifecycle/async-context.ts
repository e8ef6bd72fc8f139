/**
 * The async context of a request: the stores of `AsyncLocalStorage` that its hooks and its handler have entered.
 *
 * A request is served in events of its connection and in timers, which it shares with other requests. So each request has an async
 * context of its own. Hooks and handlers may change it (by `enterWith`, or by calling `done` inside of `run`), so it is kept anew when
 * they have run or begin to wait. Each later event of the request enters it again.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Exchange } from './exchange.js'

/** Makes the async context of a request. It begins as a copy of the current one. */
export function createAsyncContext(): AsyncResource {
  return new AsyncResource('alcove.request')
}

/** Makes the current async context that of the later events of a request. */
export function keepAsyncContext(exchange: Exchange): void {
  exchange.asyncContext = createAsyncContext()
}

/** Runs a function in the async context of a request. */
export function runInContextOf<Args extends unknown[]>(exchange: Exchange, run: (...args: Args) => unknown, ...args: Args): void {
  exchange.asyncContext.runInAsyncScope(run, undefined, ...args)
}
