export function isPromise(value: unknown): value is Promise<unknown> {
  return value != null && typeof (value as Promise<unknown>).then === 'function'
}

/** @param limit in ms @throws Error if the promise is not settled in time */
export function settleWithin(limit: number, promise: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`It did not end within ${limit} ms`)), limit)
    timer.unref()
    promise.then(resolve, reject)
    promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    )
  })
}
