import caching from '@fastify/caching'
import { createServer } from 'under-test'

const server = createServer()
server.register(caching, { privacy: caching.privacy.PRIVATE, expiresIn: 10 })
server.get('/', (_request, reply) => reply.etag('x', 10).expires(new Date()).send('x'))
