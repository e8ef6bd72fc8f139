import sensible from '@fastify/sensible'
import { createServer } from 'under-test'

const server = createServer()
server.register(sensible, { sharedSchemaId: 'HttpError' })
server.get('/', (request, reply) => {
  if (!request.is(['json'])) throw server.httpErrors.notFound()
  reply.vary('accept')
  reply.cacheControl('public').header('x', 'y').stale('while-revalidate', 10)
  return reply.unauthorized('no')
})
export const settled = async () => server.to(Promise.resolve(1))
