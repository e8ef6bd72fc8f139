/** Guards against functions of the application that are asynchronous where they must not be, and against promises that nobody awaits. */

/** A promise that nobody waits for would end the process when it is rejected. */
export function ignoreRejection(value: any): void {
  try {
    if (typeof value?.then === 'function') value.then(undefined, () => {})
  } catch {
    // A `then` that throws rejects nothing.
  }
}

export function isAsyncFunction(fn: unknown): boolean {
  return typeof fn === 'function' && fn.constructor.name === 'AsyncFunction'
}

/** @param name of the function that gave the value @throws TypeError where that is a promise */
export function atOnce<Value>(value: Value, name: string): Value {
  if (value === null || typeof value !== 'object' || typeof (value as { then?: unknown }).then !== 'function') return value
  ignoreRejection(value)
  throw new TypeError(`${name} must not be asynchronous`)
}
