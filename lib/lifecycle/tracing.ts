/**
 * The diagnostics channel `tracing:alcove.request.handler` (`tracing:fastify.request.handler` for servers of `alcove/fastify`), which
 * reports when a handler starts and ends, and how its promise is settled.
 */
import type { Conventions } from '../context/conventions.js'
import type { Reply } from '../types/reply.js'
import type { Request } from '../types/request.js'
import { errorStatus } from './failing/error-reply.js'
import { type Exchange, exchangeOf } from './exchange.js'

/** The message of the diagnostics channel of handlers. All events of one call of a handler share one object. */
export interface HandlerTrace {
  readonly request: Request
  readonly reply: Reply
  /** The URL and the method of the route; `url` is `undefined` for a not-found handler. */
  readonly route: { readonly url: string | undefined; readonly method: string | string[] | undefined }
  /** Whether the handler returned a promise. */
  async: boolean
  /** The value that the handler threw, or that its promise was rejected with. `reply.statusCode` is then the status of this error. */
  error?: unknown
}

/** Whether somebody listens to one of the channels. Bun does not say it of all of them together. */
export function isTraced(handling: Conventions['handling']): boolean {
  const { hasSubscribers } = handling as { readonly hasSubscribers?: boolean }
  return hasSubscribers ?? channels.some((name) => handling[name].hasSubscribers)
}

const channels = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

/** Runs a handler and publishes its events on the diagnostics channel of handlers. @returns the result of the handler */
export function traceHandler(handler: (request: any, reply: any) => unknown, { request, reply, route }: Exchange): unknown {
  const { handling } = route.conventions
  const { url, method } = request.routeOptions
  const trace: HandlerTrace = { request, reply, route: { url, method }, async: false }
  return handling.start.runStores(trace, () => {
    try {
      const result: any = handler(request, reply)
      if (result === reply || typeof result?.then !== 'function') return result
      trace.async = true
      return traceSettling(handling, trace, result)
    } catch (error) {
      traceError(handling, trace, error)
      throw error
    } finally {
      handling.end.publish(trace)
    }
  })
}

async function traceSettling(handling: Conventions['handling'], trace: HandlerTrace, promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (error) {
    traceError(handling, trace, error)
    throw error
  } finally {
    handling.asyncStart.publish(trace)
    handling.asyncEnd.publish(trace)
  }
}

function traceError(handling: Conventions['handling'], trace: HandlerTrace, error: unknown): void {
  trace.error = error
  if (!handling.error.hasSubscribers) return
  // Subscribers see the status that the error will get, but do not change the reply by listening: an error handler may choose its own.
  const { raw } = trace.reply
  const status = raw.statusCode
  raw.statusCode = errorStatus(error, exchangeOf(trace.reply))
  handling.error.publish(trace)
  raw.statusCode = status
}
