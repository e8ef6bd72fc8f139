import underPressure from '@fastify/under-pressure'
import { createServer } from 'under-test'

const server = createServer()
server.register(underPressure, {
  maxEventLoopDelay: 1000,
  exposeStatusRoute: '/status',
  pressureHandler: (_request, reply) => void reply.send('x'),
})
server.get('/', { config: { pressureHandler: () => 'x' } }, () => server.isUnderPressure() && server.memoryUsage().heapUsed)
