import rateLimit from '@fastify/rate-limit'
import { createServer } from 'under-test'

const server = createServer()
server.register(rateLimit, { max: 10, timeWindow: '1 minute', keyGenerator: (request) => request.ip })
server.get('/', { config: { rateLimit: { max: 1, timeWindow: 1000 } } }, () => 'x')
server.get('/hook', { onRequest: server.rateLimit({ max: 2 }) }, () => 'x')
// @ts-expect-error the limit is a number
server.get('/wrong', { config: { rateLimit: { max: [] } } }, () => 'x')
// @ts-expect-error the limit is a number
server.register(rateLimit, { max: 'many' })
