/**
 * Decides whether a hook or a body parser is complete when it returns, and what its result means.
 *
 * The server waits for a hook function until its promise is settled or its `done` callback is called. A method of a hook class that is not
 * asynchronous and takes no `done` has neither, so it counts as complete when it returns. `false` as the result of a hook that runs before
 * the handler is an error, and so is a `Response`: both are meant to refuse the request, but would let it pass. An `Error` as the result
 * counts as thrown.
 */
import { type ContentTypeParser, errorCodes } from '../../lib/index.js'
import { guardHookNames, hookFacts, isPromiseLike, isResponse, kRefusedFalse, lifecycleHookNames } from '../../lib/internal.js'
import { countParameters } from './parameters.js'

type Method = (...args: any[]) => any

/** The index of the parameter `done`, for each request hook. */
const doneIndex: Readonly<Record<string, number>> = Object.fromEntries(lifecycleHookNames.map((name) => [name, hookFacts[name].doneAt]))

/**
 * The index of `done` in hooks with a payload parameter before it. These hooks may replace the payload, by their result or by an argument
 * of `done`.
 */
const DONE_INDEX_AFTER_PAYLOAD = 3

const guardHooks = new Set<string>(guardHookNames)

/** The name of a hook, and its label for messages. */
export interface HookPlace {
  /** The name of the hook: `preHandler` */
  readonly name: string
  /** The name and place of the hook, for messages: `RolesGuard.preHandler of App > Users.list`. */
  readonly label: string
}

/** Binds a method to its instance as a hook. If the method is complete when it returns, the bound function calls `done` for it. */
export function bindHook(instance: any, member: string | symbol, place: HookPlace): Method {
  return refuseFalse(completeMethod(instance[member] as Method, place).bind(instance), place)
}

/** Returns the function to call as a hook instead of a method of a hook class; `this` is still the instance. */
export function completeMethod(method: Method, place: HookPlace): Method {
  if (isAsync(method)) return method
  // A parameter with a default value at the index of `done` is not `done`: the method could not call it otherwise.
  const takesDone = method.length > (doneIndex[place.name] ?? 0) || countParameters(method) === Infinity
  return complete(method, takesDone, place)
}

/**
 * Returns the function to call instead of a hook function, or the hook itself if no change is needed. A last parameter with a default may
 * be `done`, because some plugins make such functions.
 */
export function completeHook(hook: Method, place: HookPlace): Method {
  return complete(hook, countParameters(hook) > (doneIndex[place.name] ?? 0), place)
}

function complete(hook: Method, takesDone: boolean, place: HookPlace): Method {
  const index = doneIndex[place.name]
  const isGuard = guardHooks.has(place.name)
  const isDoneOnReturn = index !== undefined && !takesDone && !isAsync(hook)
  // The server refuses an async function that takes `done`, so it must see the function itself.
  const isRefused = isAsync(hook) && hook.length > index!
  if (isRefused || (!isDoneOnReturn && !isGuard)) return hook
  function completed(this: unknown, ...args: any[]): unknown {
    const result: unknown = hook.apply(this, isDoneOnReturn ? args.slice(0, index) : args)
    if (isGuard && result === false) throw new errorCodes.ALC_ERR_HOOK_RETURNED_FALSE(place.name, place.label)
    if (isGuard && result instanceof Error) throw result
    if (isGuard && isResponse(result) && args[1].sent === false)
      throw new errorCodes.ALC_ERR_HOOK_RETURNED_FALSE(place.name, place.label, 'a Response')
    if (isPromiseLike(result)) return result
    if (isDoneOnReturn) args[index](null, index === DONE_INDEX_AFTER_PAYLOAD ? result : undefined)
    return undefined
  }
  return Object.defineProperty(refuseFalse(completed, place), 'name', { value: hook.name })
}

/**
 * Marks a guard (a hook that can refuse a request), so that the server reports an error if the guard's promise resolves to `false`, to an
 * `Error` or to a `Response`.
 */
export function refuseFalse(hook: Method, { name, label }: HookPlace): Method {
  return guardHooks.has(name) ? Object.assign(hook, { [kRefusedFalse]: [name, label] as const }) : hook
}

/**
 * Returns a body parser that calls `done` if the parser neither takes `done` nor returns a promise, because the parser is complete when it
 * returns.
 * @param method the method that is called, whose parameters show whether it takes `done`
 */
export function completeParser(parse: ContentTypeParser, method: Method = parse): ContentTypeParser {
  if (countParameters(method) > 2) return parse
  return (request, payload, done) => {
    const result = parse(request, payload, done)
    if (isPromiseLike(result)) return result
    done(null, result)
    return undefined
  }
}

function isAsync(method: Method): boolean {
  return method.constructor.name === 'AsyncFunction'
}
