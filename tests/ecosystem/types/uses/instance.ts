import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createServer } from 'under-test'

const server = createServer()
export const instance: FastifyInstance = server
export function build(): FastifyInstance {
  return createServer()
}
const users = (fastify: FastifyInstance) => fastify.get('/users', () => [])
users(server)
const identify = (request: FastifyRequest, reply: FastifyReply) => reply.header('x-id', request.id)
server.get('/', (request, reply) => identify(request, reply).send('x'))
export const logger: FastifyBaseLogger = server.log
server.get('/log', (request) => request.log.child({ a: 1 }).info('x'))
server.get('/server', (request) => (request.server satisfies FastifyInstance).prefix)
await server.ready()
const { statusCode } = await server.inject({ method: 'GET', url: '/' })
server.log.info({ statusCode }, await server.listen({ port: 0 }))
await server.close()
