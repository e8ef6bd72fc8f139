import { fastifyRequestContext, requestContext } from '@fastify/request-context'
import { createServer } from 'under-test'

declare module '@fastify/request-context' {
  interface RequestContextData {
    user: { id: string }
  }
}

const server = createServer()
server.register(fastifyRequestContext, { defaultStoreValues: { user: { id: '1' } } })
server.get('/', (request) => `${request.requestContext.get('user')?.id} ${requestContext.get('user')?.id}`)
// @ts-expect-error a user has an id
server.register(fastifyRequestContext, { defaultStoreValues: { user: 1 } })
