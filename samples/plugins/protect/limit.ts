import rateLimit from '@fastify/rate-limit'
import { Plugin, use } from 'alcove'
import { ShopPlugin } from './shop.js'

@Plugin({ prefix: '/api', imports: [use(rateLimit, { max: 100, timeWindow: '1 minute' }), ShopPlugin] })
class ApiPlugin {}

@Plugin({ imports: [ApiPlugin] })
export class App {}
