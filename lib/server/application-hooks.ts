/** Runs hooks of the application: onReady, preClose and onListen. */
import type { Context } from '../context/context.js'
import { type HookFunction, labelOfFunction } from '../context/hooks.js'
import type { Server } from '../types/server.js'
import { addContextPath, asError } from './plugins/plugin-errors.js'

/** A hook of the application, and the instance of the context that it was added in. */
export interface ApplicationHook {
  readonly hookFunction: HookFunction
  readonly owner: Server
  /** The name of the hook in messages: `onReady hook 'connect' of 'App > Database'` */
  readonly label: string
}

/**
 * Returns the hooks of a name from a context and all contexts below it, in the order in which they run: hooks of a context before hooks of
 * its children.
 */
export function collectHooks(context: Context, name: 'onReady' | 'onListen' | 'preClose'): ApplicationHook[] {
  const own = context.hooks[name].map(({ hookFunction }) => ({
    hookFunction,
    owner: context.instance,
    // The name of the function may say what the hook waits for.
    get label() {
      return `${labelOfFunction(`${name} hook`, hookFunction)} of '${context.path}'`
    },
  }))
  return [...own, ...context.children.flatMap((child) => collectHooks(child, name))]
}

/**
 * Runs a hook that takes `done` or may return a promise.
 * @param fail called with the error if the hook throws any value, rejects, or passes an error to `done`
 */
export function runApplicationHook(hookFunction: HookFunction, owner: Server, done: () => void, fail: (failure: unknown) => void): void {
  try {
    if (hookFunction.length === 1) return void hookFunction.call(owner, (failure: unknown) => (failure == null ? done() : fail(failure)))
    const result = hookFunction.call(owner)
    if (typeof result?.then === 'function') result.then(() => done(), fail)
    else done()
  } catch (failure) {
    fail(failure)
  }
}

/**
 * Runs the onListen hooks of a context one after the other, then the hooks of its children. Errors are logged, because the server listens
 * already.
 */
export function runListenHooks({ hooks, instance, children }: Context): void {
  let index = 0
  const next = (): void => {
    const hookFunction = hooks.onListen[index++]?.hookFunction
    if (hookFunction === undefined) return children.forEach(runListenHooks)
    runApplicationHook(hookFunction, instance, next, (failure) => {
      if (failure != null) instance.log.error(failure)
      next()
    })
  }
  next()
}

/**
 * Runs the onListen hooks of a context and all contexts below it, one after the other.
 * @param onStart called with each hook before it runs
 * @throws the error of the first hook that fails, with the place of the hook
 */
export async function runListenHooksInOrder(context: Context, onStart: (hook: ApplicationHook) => void): Promise<void> {
  for (const hook of collectHooks(context, 'onListen')) {
    onStart(hook)
    await new Promise<void>((resolve, reject) => {
      const fail = (failure: unknown): void => reject(addContextPath(asError(failure, `The ${hook.label}`), hook.label))
      runApplicationHook(hook.hookFunction, hook.owner, resolve, fail)
    })
  }
}
