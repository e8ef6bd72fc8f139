import helmet from '@fastify/helmet'
import { createServer } from 'under-test'

const server = createServer()
server.register(helmet, { contentSecurityPolicy: false, enableCSPNonces: true })
server.get('/', { helmet: false }, (_request, reply) => reply.send(reply.cspNonce.script))
server.get('/own', { helmet: { frameguard: false } }, async (_request, reply) => void (await reply.helmet()))
