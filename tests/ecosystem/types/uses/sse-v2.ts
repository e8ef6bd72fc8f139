import { FastifySSEPlugin } from 'fastify-sse-v2'
import { createServer } from 'under-test'

const server = createServer()
server.register(FastifySSEPlugin, { retryDelay: 500 })
server.get('/', (_request, reply) => {
  reply.sse({ id: '1', data: 'x' })
})
