import rateLimit from '@fastify/rate-limit'
import { httpError, Plugin, type Server, use } from 'alcove'
import { ShopPlugin } from './shop.js'
import 'alcove/fastify-types' // instance.createRateLimit()

class TooManyRequests extends httpError(429, {}, { message: 'Too many requests' }) {}

/** Shared: its hook counts the requests of the context that imports it, before the guards of that context and those below. */
@Plugin({ shared: true, imports: [use(rateLimit, { global: false, max: 100, timeWindow: '1 minute' })] })
export class RateLimit {
  setup(instance: Server): void {
    const count = instance.createRateLimit()
    instance.addHook('onRequest', async (request, reply) => {
      const result = await count(request)
      if (result.isAllowed || !result.isExceeded) return
      reply.header('retry-after', result.ttlInSeconds)
      throw new TooManyRequests()
    })
  }
}

@Plugin({ prefix: '/api', throws: [TooManyRequests], imports: [RateLimit, ShopPlugin] })
class ApiPlugin {}

@Plugin({ imports: [ApiPlugin] })
export class App {}
