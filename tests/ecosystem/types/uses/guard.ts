import guard from 'fastify-guard'
import { createServer } from 'under-test'

const server = createServer()
server.register(guard, { requestProperty: 'user', errorHandler: (_result, _request, reply) => reply.code(403).send('no') })
server.get('/', { preHandler: [server.guard.role('admin'), server.guard.scope(['read'])] }, () => 'x')
