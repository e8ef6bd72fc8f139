import circuitBreaker from '@fastify/circuit-breaker'
import { createServer } from 'under-test'

const server = createServer()
server.register(circuitBreaker, { threshold: 3, timeout: 5000 })
server.after(() => server.get('/', { preHandler: server.circuitBreaker() }, () => 'x'))
