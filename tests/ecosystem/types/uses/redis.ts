import redis from '@fastify/redis'
import { createServer } from 'under-test'

const server = createServer()
server.register(redis, { host: '127.0.0.1', port: 6379 })
server.get('/:key', async (request) => server.redis.get((request.params as { key: string }).key))
