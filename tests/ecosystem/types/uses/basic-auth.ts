import basicAuth from '@fastify/basic-auth'
import { createServer } from 'under-test'

const server = createServer()
server.register(basicAuth, {
  validate: async (username, password, request) => {
    if (username !== password) throw new Error(request.ip)
  },
  authenticate: { realm: 'x' },
})
server.after(() => server.addHook('onRequest', server.basicAuth))
server.get('/', { onRequest: server.basicAuth }, (request) => request.id)
// @ts-expect-error the check is missing
server.register(basicAuth, { authenticate: true })
