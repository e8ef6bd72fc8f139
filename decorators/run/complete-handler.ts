/**
 * Handlers of classes that can no longer answer once they have returned.
 *
 * The server waits for the reply of a handler that returns `undefined` or the reply itself, because it may send it later. A handler that
 * does not take the reply cannot: it is answered when it returns. So is a returned reply whose status has no body (`reply.code(204)`).
 */
import type { ErrorHandler } from '../../lib/index.js'
import { kEndsReturnedReply } from '../../lib/internal.js'
import { countParameters } from './parameters.js'

type Method = (...args: any[]) => any

/** The server sends an empty body for a promise of nothing, unless the reply was sent, hijacked or handed over. */
const nothing = Promise.resolve()

/** @param method the method that is called, whose parameters tell whether it takes the reply */
export function completeHandler(call: Method, method: Method = call): Method {
  const takesReply = countParameters(method) > 1
  function handle(this: unknown, request: unknown, reply: unknown): unknown {
    const result: unknown = call.call(this, request, reply)
    if (result === undefined && !takesReply) return nothing
    // The server waits for a promise, and so it asks the reply for its end as it does for that of an async handler.
    return result === reply ? Promise.resolve(result) : result
  }
  return Object.assign(handle, { [kEndsReturnedReply]: true })
}

/**
 * An error handler that does not take the reply and returns nothing has not answered the error: the error goes to the next error handler.
 * An empty reply would be a 200.
 */
export function completeErrorHandler(handler: ErrorHandler, method: Method = handler): ErrorHandler {
  if (countParameters(method) > 2) return handler
  return function (error: unknown, request, reply) {
    const result = handler.call(this, error, request, reply)
    return result instanceof Promise ? result.then(passOn) : passOn(result)

    function passOn(payload: unknown): unknown {
      if (payload === undefined) throw error
      return payload
    }
  }
}
