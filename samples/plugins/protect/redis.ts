import rateLimit from '@fastify/rate-limit'
import { factory, LOGGER, type Logger, optionsFrom, Plugin, use } from 'alcove'
import { Redis } from 'ioredis'
import { ShopPlugin } from './shop.js'

export class Counters {
  readonly redis: Redis

  constructor(url: string, log: Logger) {
    // A request waits half a second at most if Redis is down, and is then served without being counted (`skipOnError`).
    this.redis = new Redis(url, { enableOfflineQueue: false, commandTimeout: 500 })
    this.redis.on('error', (error) => log.error({ err: error }, 'Redis: requests are not counted'))
  }

  onClose(): void {
    this.redis.disconnect()
  }
}

const countersProvider = factory(Counters, [LOGGER], (log) => new Counters(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', log))

const rateLimits = use(
  rateLimit,
  optionsFrom([Counters], ({ redis }) => ({ max: 100, timeWindow: '1 minute', redis, nameSpace: 'shop-', skipOnError: true })),
)

@Plugin({ prefix: '/api', providers: [countersProvider], imports: [rateLimits, ShopPlugin] })
class ApiPlugin {}

@Plugin({ imports: [ApiPlugin] })
export class App {}
