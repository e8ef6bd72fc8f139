/** Protection of the API in a real deployment: CORS, security headers, limits. */
import underPressure from '@fastify/under-pressure'
// #region imports
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import { factory, LOGGER, type Logger, optionsFrom, Plugin, type Server, use } from 'alcove'
import { Redis } from 'ioredis'
import { CONFIG, type Config } from '../config.js'
import { ApiError } from '../errors.js'
import 'alcove/fastify-types' // instance.rateLimit()
// #endregion

// #region counters
/** The Redis in which replicas count requests together; a single replica does not need one. */
export class SharedCounters {
  readonly redis: Redis | undefined

  constructor(url: string | undefined, log: Logger) {
    if (url === undefined) return
    // Requests do not wait if Redis is down.
    this.redis = new Redis(url, { enableOfflineQueue: false, commandTimeout: 500 })
    this.redis.on('error', (error) => log.error({ err: error }, 'Redis: requests are not counted'))
  }

  onClose(): void {
    this.redis?.disconnect()
  }
}

export const sharedCountersProvider = factory(SharedCounters, [CONFIG, LOGGER], ({ REDIS_URL }, log) => new SharedCounters(REDIS_URL, log))
// #endregion

// #region cors
export const corsPlugin = use(
  cors,
  optionsFrom([CONFIG], ({ CORS_ORIGIN }) => ({
    origin: CORS_ORIGIN === '*' ? '*' : CORS_ORIGIN.split(',').map((origin) => origin.trim()),
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: 600,
  })),
)

/** Only JSON is served, except for the documentation, which has its own policy. */
export const helmetPlugin = use(helmet, {
  // TLS and its headers are up to the proxy: plain HTTP must work for a first look.
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
})
// #endregion

// #region limit
/** Shared: it limits the requests of the context that imports it. */
@Plugin({ shared: true, imports: [use(rateLimit, optionsFrom([CONFIG, SharedCounters], rateLimitOptions))] })
export class RateLimit {
  static readonly inject = [CONFIG] as const
  constructor(private readonly config: Config) {}

  /**
   * A hook of the context, not of each route: hooks of routes run after the guards, so a client could try any number of tokens. Not
   * `instance.rateLimit()`, which would take the request for counted, so that the limit of the login would never apply.
   */
  setup(instance: Server): void {
    if (this.config.RATE_LIMIT === 0) return
    const count = instance.createRateLimit()
    instance.addHook('onRequest', async (request, reply) => {
      const result = await count(request)
      if (result.isAllowed || !result.isExceeded) return
      reply.header('retry-after', result.ttlInSeconds)
      throw tooManyRequests(result.ttlInSeconds)
    })
  }
}

function rateLimitOptions({ RATE_LIMIT }: Config, { redis }: SharedCounters): RateLimitPluginOptions {
  return {
    global: false,
    max: RATE_LIMIT,
    timeWindow: '1 minute',
    ...(RATE_LIMIT === 0 && { allowList: () => true }),
    ...(redis && { redis, nameSpace: 'conduit-rate-limit-', skipOnError: true }),
    errorResponseBuilder: (_request, { ttl }) => tooManyRequests(Math.ceil(ttl / 1000)),
  }
}

const tooManyRequests = (seconds: number): ApiError => new ApiError(429, { body: `Too many requests, try again in ${seconds} seconds` })

export const underPressurePlugin = use(
  underPressure,
  optionsFrom([CONFIG], ({ MAX_EVENT_LOOP_DELAY }) => ({ maxEventLoopDelay: MAX_EVENT_LOOP_DELAY, retryAfter: 5 })),
)
