/**
 * Wraps the hooks and the handler of a route, so that an observer (`telemetry`) is told when they begin and end. Without an observer
 * nothing is wrapped.
 */
import type { HookFunction } from '../context/hooks.js'
import type { ObservedStep, Observer } from '../types/logger.js'
import type { Request } from '../types/request.js'
import { isPromiseLike } from '../util/promises.js'

/** Returns a hook that tells an observer when it begins and ends. @param from the path of the context that declares the hook */
export function observeHook(hook: HookFunction, name: string, from: string, observer: Observer): HookFunction {
  const step: ObservedStep = { kind: 'hook', hook: name, name: nameOf(hook), from }
  function observed(this: unknown, ...args: any[]): unknown {
    const progress = observer.begin(step, args[0] as Request)
    const done: unknown = args.at(-1)
    if (typeof done === 'function')
      args[args.length - 1] = (error?: unknown, ...rest: unknown[]): void => {
        progress.end(error ?? undefined)
        // The hooks after this one, and the handler, are no part of it.
        progress.outside(() => void (done as (...values: unknown[]) => void)(error, ...rest))
      }
    try {
      const result: unknown = progress.inside(() => hook.apply(this, args))
      endWith(result, progress)
      return result
    } catch (error) {
      progress.end(error)
      throw error
    }
  }
  return Object.defineProperty(observed, 'name', { value: hook.name })
}

/**
 * Returns a handler that tells an observer when it begins and ends. If the handler sends its reply later, its end is the end of the
 * request.
 */
export function observeHandler(handler: (...args: any[]) => unknown, name: string, observer: Observer): (...args: any[]) => unknown {
  const step: ObservedStep = { kind: 'handler', name }
  return (request: Request, reply: unknown) => {
    const progress = observer.begin(step, request)
    try {
      const result: unknown = progress.inside(() => handler(request, reply))
      if (result !== undefined && result !== reply && !endWith(result, progress)) progress.end()
      return result
    } catch (error) {
      progress.end(error)
      throw error
    }
  }
}

/** Reports the end of a step when a promise settles. @returns whether the value is a promise */
function endWith(result: unknown, progress: ReturnType<Observer['begin']>): boolean {
  if (!isPromiseLike(result)) return false
  result.then(
    () => progress.end(),
    (error: unknown) => progress.end(error),
  )
  return true
}

function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '') || 'anonymous'
}
