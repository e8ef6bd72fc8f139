/**
 * Whether a hook method is done when it returns.
 *
 * The server waits for a hook function until its promise is settled or its `done` callback is called. A method that is neither
 * asynchronous nor takes `done` could do neither, so it counts as done when it returns.
 */
import { hookFacts, lifecycleHookNames } from '../../lib/internal.js'

type Method = (...args: any[]) => any

/** Index of the parameter `done`, for each hook of a request. */
const doneIndex: Readonly<Record<string, number>> = Object.fromEntries(lifecycleHookNames.map((name) => [name, hookFacts[name].doneAt]))

/** Hooks with a payload take it before `done`, and may replace it by returning or passing on another one. */
const DONE_INDEX_AFTER_PAYLOAD = 3

/** Binds a method as a hook. `done` is called for a method that is done when it returns. */
export function bindHook(instance: any, member: string | symbol, name: string): Method {
  const method = instance[member] as Method
  const index = doneIndex[name]
  if (index === undefined || method.length > index || isAsync(method) || mayReachDone(method)) return method.bind(instance)
  const run: Method = (...args) => {
    const result = method.apply(instance, args.slice(0, index))
    if (typeof result?.then === 'function') return result
    args[index](null, index === DONE_INDEX_AFTER_PAYLOAD ? result : undefined)
  }
  return Object.defineProperty(run, 'name', { value: method.name })
}

function isAsync(method: Method): boolean {
  return method.constructor.name === 'AsyncFunction'
}

/** Results of {@link mayReachDone}: request-scoped instances have the same methods in each request. */
const reachesDone = new WeakMap<Method, boolean>()

/** Whether a method that does not name `done` can call it all the same: by a rest parameter or `arguments`, or as a native function. */
function mayReachDone(method: Method): boolean {
  let found = reachesDone.get(method)
  if (found === undefined) {
    const source = Function.prototype.toString.call(method)
    reachesDone.set(method, (found = hasRestParameter(source) || /\barguments\b|\[native code\]/.test(source)))
  }
  return found
}

/** Matches a comment, a string, three dots, or a bracket. */
const lexeme = /\/\/.*|\/\*[^]*?\*\/|(['"`])(?:\\[^]|(?!\1)[^])*\1|\.\.\.|[()[\]{}]/g

/**
 * Whether a function has a rest parameter. Only its source text can tell, because `length` does not count this parameter. Three dots
 * count if they stand directly between the parentheses of the parameter list; elsewhere (in the body, in a pattern, in a default value)
 * they spread or collect other values. The search ends with the parameter list, so the body is not read.
 */
function hasRestParameter(source: string): boolean {
  // An arrow function of one parameter without parentheses.
  if (/^[\w$]+\s*=>/.test(source)) return false
  const open: string[] = []
  for (const [found] of source.matchAll(lexeme)) {
    if ('([{'.includes(found)) open.push(found)
    else if (')]}'.includes(found)) {
      if (open.pop() === '(' && open.length === 0) return false
    } else if (found === '...' && open.length === 1 && open[0] === '(') return true
  }
  // No parameter list was found, for example because a regular expression in a default value contains a bracket.
  return true
}
