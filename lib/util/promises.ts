/** Checks for functions of the application that must not be asynchronous, and handling of promises that nothing awaits. */
import { types } from './node/modules.js'

/** Whether a value has a `then` method. Throws if `then` is a getter that throws, or if the value is a revoked proxy. */
export function isPromiseLike(value: any): value is PromiseLike<any> {
  return typeof value?.then === 'function'
}

/**
 * Handles the rejection of a promise that nothing awaits, because such a rejection would end the process. Does nothing for other values.
 */
export function ignoreRejection(value: any): void {
  try {
    if (isPromiseLike(value)) value.then(undefined, () => {})
  } catch {
    // A value whose `then` throws does not reject.
  }
}

/**
 * Handles the rejection of a promise that was passed as a value and is not awaited. Does nothing for other values.
 * @returns whether the value is a promise
 */
export function ignoreIfPromise(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || !types.isPromise(value)) return false
  value.catch(() => {})
  return true
}

export function isAsyncFunction(fn: unknown): boolean {
  return typeof fn === 'function' && fn.constructor.name === 'AsyncFunction'
}

/**
 * Throws if a function that must be synchronous returned a promise.
 * @param name the name of the function that returned the value
 * @returns the value itself
 * @throws TypeError if the value is a promise
 */
export function assertNotPromise<Value>(value: Value, name: string): Value {
  if (value === null || typeof value !== 'object' || !isPromiseLike(value)) return value
  ignoreRejection(value)
  throw new TypeError(`${name} must not be asynchronous`)
}

/**
 * Waits for a promise.
 * @param limit ms that the promise may take
 * @param keepsAlive whether the process is kept alive until then. Otherwise the process may end without an error before the code that waits
 * continues.
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
