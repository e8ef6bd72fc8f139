import sse from '@fastify/sse'
import { createServer } from 'under-test'

const server = createServer()
server.register(sse, { heartbeatInterval: 1000 })
server.get('/', { sse: true }, async (_request, reply) => {
  reply.sse.keepAlive()
  await reply.sse.send({ data: 'x' })
})
