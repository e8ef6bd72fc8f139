/**
 * Calls `around` hooks, which surround a handler. A hook is called with the request and with `next`, which calls the next hook or, in the
 * last hook, the handler, and returns a promise of the result. The result of the outermost hook is the payload of the reply. A route
 * without such hooks keeps its handler unchanged.
 */
import { errorCodes, type Request } from '../../lib/index.js'
import { beginWork, endWork, exchangeOf, isPromiseLike } from '../../lib/internal.js'
import type { Next } from '../declare/hook.js'
import { aroundName, type AroundUse } from '../wiring/arounds.js'
import { isClass } from '../wiring/value-names.js'
import type { Instances } from './scopes/request-scopes.js'

type Method = (...args: any[]) => any
type AroundFunction = (request: Request, next: Next) => unknown

/** An `around` hook of a route. */
export interface Around {
  /** The name and place of the hook, for messages: `Transaction.around of App > Users.create`. */
  readonly label: string
  /**
   * Returns the hook's function. It is called in the first request, because the hook's plugin may be constructed after the routes that the
   * hook surrounds (routes of a plugin that it imports).
   */
  readonly bind: () => AroundFunction
}

/**
 * Creates an `around` hook of a route from its declaration.
 * @param instances the instances of the plugin that declares the hook
 */
export function createAround(use: AroundUse, { plugin, constructedClasses, find, openScope }: Instances): Around {
  const { hook, from } = use
  const label = `${aroundName(use)} of ${from}`
  if (!isClass(hook)) {
    return { label, bind: () => (typeof hook === 'function' ? (hook as AroundFunction) : bindMethod(find(plugin), hook.member)) }
  }
  const record = constructedClasses.get(hook)!
  if (!record.isRequestBound) return { label, bind: () => bindMethod(find(record), 'around') }
  return { label, bind: () => runInRequestScope }
  function runInRequestScope(request: Request, next: Next): unknown {
    return withInstance(openScope(request).get(record), (instance) => instance.around(request, next))
  }
}

/** Calls a function with an instance, once an asynchronous factory has made it. @returns the result, or a promise of it */
export function withInstance(instance: any, call: (instance: any) => unknown): unknown {
  return isPromiseLike(instance) ? instance.then(call) : call(instance)
}

/** Returns a method, bound to its instance. */
export function bindMethod(instance: any, member: string | symbol): Method {
  return (instance[member] as Method).bind(instance)
}

/**
 * Returns a handler that is surrounded by `around` hooks.
 * @param repliesLater whether the handler may reply after it has returned
 * @param arounds the hooks, outermost first
 */
export function surround(handler: Method, repliesLater: boolean, arounds: readonly Around[]): Method {
  // The reply can be awaited: it is a promise of its response.
  function call(request: any, reply: any): unknown {
    const result: unknown = handler(request, reply)
    return result === undefined && repliesLater ? reply : result
  }
  let functions: readonly AroundFunction[] | undefined
  function handle(request: any, reply: any): Promise<unknown> {
    functions ??= arounds.map(({ bind }) => bind())
    return enter(functions, arounds, 0, call, request, reply)
  }
  return handle
}

/** Calls the hook at an index or, after the last hook, the handler. */
async function enter(
  functions: readonly AroundFunction[],
  arounds: readonly Around[],
  index: number,
  handler: Method,
  request: any,
  reply: any,
): Promise<unknown> {
  if (index === functions.length) return throwIfError(await handler(request, reply), reply)
  const { label } = arounds[index]!
  let isOver = false
  let pending = 0
  let hasResult = false
  let hasFailed = false
  const next = (): Promise<unknown> => {
    if (reply.sent) return Promise.reject(new errorCodes.ALC_ERR_NEXT_AFTER_REPLY(label))
    const rest = enter(functions, arounds, index + 1, handler, request, reply)
    pending++
    // The hook may not wait for the handler. Whatever the request owns must last until the handler has ended.
    const exchange = exchangeOf(request)
    beginWork(exchange)
    rest.then(
      (result) => {
        pending--
        hasResult ||= result !== undefined
        hasFailed = false
        endWork(exchange)
      },
      (error: unknown) => {
        pending--
        hasFailed = true
        if (isOver) request.log.error({ err: error }, `what ${label} had called with next() failed after the hook had ended`)
        endWork(exchange)
      },
    )
    return rest
  }
  try {
    const result: unknown = await functions[index]!(request, next)
    // After an error, nothing would be an empty reply with the status of a success.
    if (result === undefined && (pending > 0 || hasResult || hasFailed) && !reply.sent)
      throw new errorCodes.ALC_ERR_AROUND_RETURNED_NOTHING(label)
    // The handler has replied itself: there is nothing left to answer.
    return reply.sent ? undefined : throwIfError(result, reply)
  } finally {
    isOver = true
  }
}

/**
 * Throws a returned error, which is answered as a thrown one: a hook around it would take it for a result, and commit a transaction or keep it
 * in a cache.
 */
function throwIfError(result: unknown, reply: any): unknown {
  if (result instanceof Error && !reply.sent) throw result
  return result
}
