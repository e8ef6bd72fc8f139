import scalar from '@scalar/fastify-api-reference'
import { createServer } from 'under-test'

const server = createServer()
server.register(scalar, {
  routePrefix: '/reference',
  configuration: { title: 'API' },
  hooks: { onRequest: (_request, _reply, done) => done() },
})
// @ts-expect-error the prefix is a path
server.register(scalar, { routePrefix: 1 })
