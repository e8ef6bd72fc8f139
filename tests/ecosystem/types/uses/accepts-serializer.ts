import acceptsSerializer from '@fastify/accepts-serializer'
import { createServer } from 'under-test'

const server = createServer()
server.register(acceptsSerializer, {
  serializers: [{ regex: /yaml/, serializer: (body: unknown) => String(body) }],
  default: 'application/json',
})
