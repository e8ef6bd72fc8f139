import bearerAuth from '@fastify/bearer-auth'
import { createServer } from 'under-test'

const server = createServer()
server.register(bearerAuth, { keys: new Set(['abc123']) })
server.get('/', { onRequest: (request, reply, done) => server.verifyBearerAuth?.(request, reply, done) }, () => 'x')
// @ts-expect-error keys are texts
server.register(bearerAuth, { keys: [1] })
