import statics from '@fastify/static'
import { createServer } from 'under-test'

const server = createServer()
server.register(statics, { root: '/public', prefix: '/public/' })
server.get('/file', (_request, reply) => reply.sendFile('index.html'))
server.get('/typed', (_request, reply) => reply.type('text/html').sendFile('index.html', { maxAge: 10 }))
server.get('/download', async (_request, reply) => reply.download('index.html', 'page.html'))
// @ts-expect-error the root is not a number
server.register(statics, { root: 1 })
