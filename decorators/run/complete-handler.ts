/**
 * Ends requests whose handler has returned without a payload and can no longer reply.
 *
 * The server waits for the reply of a handler that returns `undefined` or the reply itself, because the handler may send the reply later.
 * If a handler declares no parameter for the reply, its result is sent, even `undefined`; such a handler must return the reply if it sends
 * the reply later nevertheless. A returned reply whose status has no body (`reply.code(204)`) is sent at once.
 */
import type { ErrorHandler } from '../../lib/index.js'
import { isAborted, kAnswersUndefined, kEndsReturnedReply } from '../../lib/internal.js'

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
 * Returns an error handler that passes an error on to the next error handler if this handler has not replied and no longer can: it returns
 * nothing, and is asynchronous or takes no parameter for the reply. An empty reply would have the status 200, and nobody would learn of the
 * error.
 */
export function completeErrorHandler(handler: ErrorHandler, method: Method = handler): ErrorHandler {
  const takesReply = method.length > 2
  return function (error: unknown, request, reply) {
    const { is404 } = request
    const result: unknown = handler.call(this, error, request, reply)
    if (result instanceof Promise) return result.then(passOn)
    // A promise of the reply ends one without a body: `return reply.code(204)`.
    if (result === reply && !reply.sent) return Promise.resolve(reply)
    // It may send the reply later.
    return takesReply ? result : passOn(result)

    function passOn(payload: unknown): unknown {
      if (payload === undefined && !hasReplied()) throw error
      return payload
    }
    // A promise of the reply is fulfilled if the client leaves, too. After `callNotFound` the not-found handler replies.
    function hasReplied(): boolean {
      return reply.sent || (takesReply && (reply.raw.headersSent || isAborted(request.raw) || request.is404 !== is404))
    }
  }
}
