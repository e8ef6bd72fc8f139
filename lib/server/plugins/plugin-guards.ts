/**
 * Wraps plugins and callbacks before avvio gets them, so that every failure in them fails the boot. avvio alone would treat falsy
 * rejections as success, and would let synchronous errors end the process.
 */
import type { Context } from '../../context/context.js'
import { errorCodes } from '../../errors/codes.js'
import { isClass } from '../../util/objects.js'
import { kContext } from '../../util/symbols.js'
import { addContextPath, asError, contextPaths } from './plugin-errors.js'
import { kOriginal, pluginName } from './plugin-metadata.js'

/**
 * Wraps a callback of `after` or `onClose`, so that it never throws synchronously: avvio would let such an error end the process.
 * @param label the name of the callback in messages: `The onClose hook 'disconnect'`
 * @param watch `owner`: `this` of the callback, by default the `this` that avvio calls it with; `onCall`: called before the callback;
 * `onFailure`: called with the error of the callback
 */
export function guardCallback(
  callback: (...args: any[]) => any,
  label: string,
  { owner, onCall, onFailure }: { owner?: object; onCall?: () => void; onFailure?: (error: unknown) => void } = {},
): (...args: any[]) => any {
  return new Proxy(callback, {
    apply(target, self, args) {
      // avvio passes `done` only to functions that take it: as the second of two parameters, or the third of three.
      const done = target.length >= 2 ? args.at(-1) : undefined
      const end = (error?: unknown): unknown => {
        if (error != null) onFailure?.(error)
        return done(error)
      }
      const fail = (failure: unknown): unknown => {
        const error = asError(failure, label)
        if (done !== undefined) return end(error)
        onFailure?.(error)
        return Promise.reject(error)
      }
      try {
        onCall?.()
        const result = Reflect.apply(target, owner ?? self, done === undefined ? args : [...args.slice(0, -1), end])
        // The server is thenable, but not a promise: `after(() => server.get(…))`.
        if (result?.[kContext] !== undefined) return undefined
        return typeof result?.then === 'function' && done === undefined ? result.then(undefined, fail) : result
      } catch (error) {
        return fail(error)
      }
    },
  })
}

/** Wraps the plugin that `register` was called with: a plugin function, a promise of a plugin, or a module that exports a plugin. */
export function guardPlugin(plugin: any, timeout: number): any {
  if (typeof plugin?.then === 'function' && typeof plugin !== 'function') return guardPromise(plugin, timeout)
  return guardLoaded(plugin)
}

/**
 * Wraps the promise of a plugin, and limits the time in which it must be fulfilled: avvio's own timeout begins only when the plugin is
 * called.
 */
function guardPromise(promise: PromiseLike<any>, timeout: number): Promise<any> {
  const who = 'A plugin that was registered as a promise'
  const loaded = new Promise((resolve, reject) => {
    const onTimeout = (): void => reject(new errorCodes.ALC_ERR_PLUGIN_TIMEOUT(`${who} did not load in time`))
    const timer = timeout > 0 ? setTimeout(onTimeout, timeout) : undefined
    Promise.resolve(promise)
      .then(guardModule, (failure: unknown) => Promise.reject(asError(failure, who)))
      .finally(() => clearTimeout(timer))
      .then(resolve, reject)
  })
  // avvio handles the rejection later, when it comes to this plugin.
  loaded.catch(() => {})
  return loaded
}

/**
 * Wraps the plugin that a promise was fulfilled with, and throws if it is not a plugin. avvio itself would throw where no code can catch
 * the error.
 */
function guardModule(loaded: unknown): unknown {
  const plugin: unknown = guardLoaded(loaded)
  if (typeof plugin === 'function') return plugin
  throw new errorCodes.ALC_ERR_PLUGIN_NOT_VALID(`A plugin must be a function or a promise of one. Received: '${typeof plugin}'`)
}

function classDetail(name: string): string {
  return `A plugin must be a function, and ${name} is a class. If it has @Plugin, boot it by bootstrap(${name}), or list it in the imports of another plugin.`
}

function guardLoaded(plugin: any): any {
  if (plugin !== null && typeof plugin === 'object' && typeof plugin.default === 'function') return guardLoaded(plugin.default)
  if (typeof plugin !== 'function') return plugin
  const guarded = new Proxy(plugin, {
    get(target, key) {
      if (key === kOriginal) return target
      // avvio names an anonymous plugin by its source.
      return key === 'toString' ? () => target.toString() : Reflect.get(target, key)
    },
    apply(target, self, [instance, options, done]) {
      // A function, because only a failure needs the name, and finding the file of a plugin may mean a search among all modules.
      const who = (): string => `The plugin '${pluginName(target)}'`
      const { path } = instance[kContext] as Context
      contextPaths.set(guarded, path)
      let hasFailed = false
      const finish = (failure?: unknown): void => {
        if (failure == null) return done()
        hasFailed = true
        done(addContextPath(asError(failure, who()), path))
      }
      // A failure is always a rejection, because avvio lets a synchronous error end the process.
      const fail = (failure: unknown): Promise<never> => Promise.reject(addContextPath(asError(failure, who()), path))
      if (isClass(target)) return fail(new errorCodes.ALC_ERR_PLUGIN_NOT_VALID(classDetail(target.name)))
      let result: any
      try {
        result = Reflect.apply(target, self, [instance, options, finish])
      } catch (error) {
        // The first failure is the one that is reported. A plugin that goes on after `done(error)` often runs into more.
        return hasFailed ? undefined : fail(error)
      }
      return typeof result?.then === 'function' && result !== instance ? result.then(undefined, fail) : result
    },
  })
  return guarded
}
