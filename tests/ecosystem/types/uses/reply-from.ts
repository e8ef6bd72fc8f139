import replyFrom from '@fastify/reply-from'
import { createServer } from 'under-test'

const server = createServer()
server.register(replyFrom, { base: 'http://localhost:4000' })
server.get('/', (_request, reply) => reply.from('/other', { rewriteHeaders: (headers) => headers }))
