/**
 * Completes handlers of classes that can no longer answer once they have returned.
 *
 * The server waits for the reply of a handler that returns `undefined` or the reply itself, because the handler may send the reply later. A
 * handler that declares no parameter for the reply is answered with its result, `undefined` included; if it sends the reply later
 * nevertheless, it returns the reply. A returned reply whose status has no body (`reply.code(204)`) is sent at once.
 */
import type { ErrorHandler } from '../../lib/index.js'
import { kAnswersUndefined, kEndsReturnedReply } from '../../lib/internal.js'

type Method = (...args: any[]) => any

/**
 * Marks a handler so that the server answers the request if the handler returns without a payload.
 * @param handler a function that is used nowhere else, because it is changed
 */
export function completeHandler(handler: Method, takesReply: boolean): Method {
  return Object.assign(handler, { [kEndsReturnedReply]: true, ...(!takesReply && { [kAnswersUndefined]: true }) })
}

/**
 * Wraps a not-found handler that is given as a function, so that the server answers the request if the handler returns without a payload.
 */
export function completeFunction(handler: Method): Method {
  function handle(this: unknown, request: unknown, reply: unknown): unknown {
    return handler.call(this, request, reply)
  }
  return completeHandler(handle, takesReply(handler))
}

/** Whether a handler declares the reply as a parameter. Rest parameters, and parameters with a default, do not count (`Function.length`). */
export function takesReply(handler: Method): boolean {
  return handler.length > 1
}

/**
 * Returns an error handler that passes the error on to the next error handler if the first one has not answered: it does not take the reply
 * and returns nothing. An empty reply would be a 200.
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
