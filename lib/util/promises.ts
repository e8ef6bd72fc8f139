/** Checks for promises: functions of the application that must not be asynchronous, and promises that no one awaits. */
import { types } from './node/modules.js'

/** Whether a value has a `then` method. Throws if `then` is a getter that throws, or the value a revoked proxy. */
export function isPromiseLike(value: any): value is PromiseLike<any> {
  return typeof value?.then === 'function'
}

/** Handles the rejection of a promise that no one awaits: it would end the process. */
export function ignoreRejection(value: any): void {
  try {
    if (isPromiseLike(value)) value.then(undefined, () => {})
  } catch {
    // A value whose `then` throws does not reject.
  }
}

/** Handles the rejection of a promise that was passed as a value and is not awaited. @returns `false` for any other value, which is left alone */
export function ignoreIfPromise(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || !types.isPromise(value)) return false
  value.catch(() => {})
  return true
}

export function isAsyncFunction(fn: unknown): boolean {
  return typeof fn === 'function' && fn.constructor.name === 'AsyncFunction'
}

/**
 * @param name of the function that returned the value
 * @returns the value itself
 * @throws TypeError if it is a promise
 */
export function assertNotPromise<Value>(value: Value, name: string): Value {
  if (value === null || typeof value !== 'object' || !isPromiseLike(value)) return value
  ignoreRejection(value)
  throw new TypeError(`${name} must not be asynchronous`)
}

/**
 * Waits for a promise.
 * @param limit ms
 * @param keepsAlive whether the process may not end meanwhile. It would end before the work that follows, and without an error.
 * @throws Error if the promise is not settled in time
 */
export function settleWithin(limit: number, promise: unknown, keepsAlive = true): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`It did not end within ${limit} ms`)), limit)
    if (!keepsAlive) timer.unref()
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
