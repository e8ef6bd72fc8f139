import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import { createServer } from 'under-test'

const server = createServer()
server.register(cookie)
server.register(csrf, { sessionPlugin: '@fastify/cookie' })
server.get('/', async (_request, reply) => ({ token: reply.generateCsrf() }))
server.post('/', { onRequest: server.csrfProtection }, () => 'x')
server.route({ method: 'POST', url: '/list', preHandler: [server.csrfProtection], handler: async () => 'x' })
