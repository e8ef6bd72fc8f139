/**
 * Ends requests whose handler has returned without a payload and can no longer reply.
 *
 * The server waits for the reply of a handler that returns `undefined` or the reply itself, because the handler may send the reply later.
 * If a handler declares no parameter for the reply, its result is sent, even `undefined`; such a handler must return the reply if it sends
 * the reply later nevertheless. A returned reply whose status has no body (`reply.code(204)`) is sent at once.
 */
import type { ErrorHandler } from '../../lib/index.js'
import { kAnswersUndefined, kEndsReturnedReply } from '../../lib/internal.js'

type Method = (...args: any[]) => any

/**
 * Marks a handler so that the server ends the request if the handler returns without a payload.
 * @param handler a function that is not used elsewhere, because it is changed
 */
export function completeHandler(handler: Method, takesReply: boolean): Method {
  return Object.assign(handler, { [kEndsReturnedReply]: true, ...(!takesReply && { [kAnswersUndefined]: true }) })
}

/** Wraps a not-found handler function so that the server ends the request if the handler returns without a payload. */
export function completeFunction(handler: Method): Method {
  function handle(this: unknown, request: unknown, reply: unknown): unknown {
    return handler.call(this, request, reply)
  }
  return completeHandler(handle, takesReply(handler))
}

/**
 * Whether a handler declares the reply as a parameter. Rest parameters and parameters with a default are not counted (`Function.length`).
 */
export function takesReply(handler: Method): boolean {
  return handler.length > 1
}

/**
 * Returns an error handler that passes an error on to the next error handler if this handler cannot have replied: it takes no parameter for
 * the reply and returns nothing. An empty reply would have the status 200.
 */
export function completeErrorHandler(handler: ErrorHandler, method: Method = handler): ErrorHandler {
  if (method.length > 2) return handler
  return function (error: unknown, request, reply) {
    const result = handler.call(this, error, request, reply)
    return result instanceof Promise ? result.then(passOn) : passOn(result)

    function passOn(payload: unknown): unknown {
      if (payload === undefined && !reply.sent) throw error
      return payload
    }
  }
}
