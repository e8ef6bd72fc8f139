/** How does the server itself keep results? In memory, up to a number of them. */
// #region cache
import { Config, type Next, type Request } from 'alcove'

/** Where results are kept. */
export abstract class Cache {
  /** `undefined`: it is not there, or no longer. */
  abstract get(key: string): Promise<unknown>
  abstract set(key: string, value: unknown, seconds: number): Promise<void>
}

export class MemoryCache extends Cache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, { value: unknown; until: number }>()
  readonly #most = 1000

  async get(key: string): Promise<unknown> {
    const entry = this.#entries.get(key)
    this.#entries.delete(key)
    if (entry === undefined || entry.until < Date.now()) return undefined
    this.#entries.set(key, entry)
    return entry.value
  }
  async set(key: string, value: unknown, seconds: number): Promise<void> {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: Date.now() + seconds * 1000 })
    if (this.#entries.size > this.#most) this.#entries.delete(this.#entries.keys().next().value!)
  }
}

/** Keeps what the handler of a route returns for so many seconds. */
export const CacheFor = (seconds: number) => Config({ cacheFor: seconds })

/** The hook behind {@link CacheFor}. */
export class CacheResults {
  static readonly inject = [Cache] as const
  readonly #atWork = new Map<string, Promise<unknown>>()
  constructor(private readonly cache: Cache) {}

  async around({ routeOptions, params, query }: Request, next: Next): Promise<unknown> {
    const seconds = routeOptions.config['cacheFor'] as number | undefined
    if (seconds === undefined) return next()
    const key = JSON.stringify([routeOptions.url, params, query])
    // Requests that arrive while the handler is at work wait for the same result.
    const atWork = this.#atWork.get(key)
    if (atWork !== undefined) {
      const shared = await atWork
      // A handler that has called reply.send has no result for others.
      return shared === undefined ? next() : shared
    }
    const result = this.#find(key, seconds, next).finally(() => this.#atWork.delete(key))
    this.#atWork.set(key, result)
    return result
  }

  async #find(key: string, seconds: number, next: Next): Promise<unknown> {
    const kept = await this.cache.get(key)
    if (kept !== undefined) return kept
    const value = await next()
    if (value !== undefined) await this.cache.set(key, value, seconds)
    return value
  }
}
// #endregion
