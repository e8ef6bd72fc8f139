import { factory, LOGGER, type Logger } from 'alcove'
import { Redis } from 'ioredis'
import { Cache } from './cache.js'

/** Kept in Redis, for all processes. If Redis is down, nothing is found and nothing is kept. */
export class RedisCache extends Cache {
  readonly #redis: Redis

  constructor(
    url: string,
    private readonly log: Logger,
  ) {
    super()
    // If Redis does not answer, each command waits half a second at most. A request that gets and sets waits a second.
    this.#redis = new Redis(url, { keyPrefix: 'shop:', enableOfflineQueue: false, commandTimeout: 500 })
    this.#redis.on('error', (error) => log.error({ err: error }, 'Redis: results are not kept'))
  }

  async get(key: string): Promise<unknown> {
    const text = await this.#try(() => this.#redis.get(key))
    return text == null ? undefined : JSON.parse(text)
  }
  async set(key: string, value: unknown, seconds: number): Promise<void> {
    await this.#try(() => this.#redis.set(key, JSON.stringify(value), 'EX', seconds))
  }
  onClose(): void {
    this.#redis.disconnect()
  }

  async #try<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command()
    } catch (error) {
      this.log.warn({ err: error }, 'Redis did not answer')
      return undefined
    }
  }
}

/** Takes the place of `{ provide: Cache, useClass: MemoryCache }`. */
export const redisCache = factory(Cache, [LOGGER], (log) => new RedisCache(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', log))
