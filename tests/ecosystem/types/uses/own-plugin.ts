import type { FastifyInstance, FastifyPluginOptions } from 'fastify'
import { createServer } from 'under-test'

async function plugin(fastify: FastifyInstance, options: FastifyPluginOptions) {
  fastify.decorateRequest('user', null)
  fastify.get<{ Params: { id: string } }>('/:id', async (request) => ({ id: request.params.id, of: options['of'] }))
  fastify.register(async (child) => void child.get('/', () => 'x'))
}
const server = createServer()
server.register(plugin, { of: 'x', prefix: '/users' })
server.register(plugin)
await server.register(async (instance) => void instance.get('/inline', (request, reply) => reply.code(200).send(request.id)))
