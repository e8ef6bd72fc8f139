/**
 * The stages and hooks that tell an observer (the option `telemetry`) about the requests of a server. A server without an observer has none
 * of them.
 */
import type { Context } from '../context/context.js'
import type { HookFunction } from '../context/hooks.js'
import type { Observer, StepInProgress } from '../types/logger.js'
import type { Reply } from '../types/reply.js'
import type { Request } from '../types/request.js'
import { kContext } from '../util/symbols.js'
import { keepAsyncContext } from './async-context.js'
import { outcomeOf } from './ending/outcome.js'
import { type Exchange, exchangeOf } from './exchange.js'

/** Returns the observer of the server that serves a request; `undefined` if there is none. */
export function observerOf(request: Request): Observer | undefined {
  return observerOfServer(exchangeOf(request).route.instance)
}

/** Returns the observer of a server; `undefined` if there is none. */
export function observerOfServer(server: object): Observer | undefined {
  return (server as { readonly [kContext]: Context })[kContext].options.telemetry
}

/** Tells the observer that a request begins, and runs the rest of the request inside of the observer's call. */
export function enterObserved(exchange: Exchange, proceed: () => void): void {
  const { request, reply, route } = exchange
  const observer = observerOfServer(route.instance)!
  observeSerializer(reply, request, observer)
  observer.enter(request, () => {
    keepAsyncContext(exchange)
    proceed()
  })
}

function observeSerializer(reply: Reply, request: Request, observer: Observer): void {
  const serialize = reply.serialize.bind(reply)
  reply.serialize = (payload) => {
    const progress = observer.begin({ kind: 'serialization' }, request)
    try {
      const text = progress.inside(() => serialize(payload))
      progress.end()
      return text
    } catch (error) {
      progress.end(error)
      throw error
    }
  }
}

const begun = new WeakMap<Request, StepInProgress>()

/**
 * Tells the observer that the framework begins to wait for the body of a request, or begins its validation. A step that fails ends with the
 * request.
 */
export function beginStep({ request }: Exchange, kind: 'body' | 'validation'): void {
  begun.set(request, observerOf(request)!.begin({ kind }, request))
}
/** Tells the observer that the step which was begun last has ended. Does nothing if no step was begun. */
export function endStep({ request }: Exchange): void {
  begun.get(request)?.end()
}

/** Returns the hooks that tell an observer at the end of a request how the request has ended; no hooks if there is no observer. */
export function endHooksOf(observer: Observer | undefined): {
  readonly onResponse?: HookFunction[]
  readonly onRequestAbort?: HookFunction[]
} {
  if (observer === undefined) return {}
  const leave = (request: Request): void => observer.leave(request, exchangeOf(request).reply, outcomeOf(request))
  const afterReply = (request: Request, _reply: unknown, done: () => void): void => {
    leave(request)
    done()
  }
  const afterAbort = (request: Request, done: () => void): void => {
    leave(request)
    done()
  }
  return { onResponse: [afterReply], onRequestAbort: [afterAbort] }
}
