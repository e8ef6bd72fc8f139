import secureSession from '@fastify/secure-session'
import { createServer } from 'under-test'

declare module '@fastify/secure-session' {
  interface SessionData {
    name: string
  }
}

const server = createServer()
server.register(secureSession, { key: Buffer.alloc(32), cookie: { path: '/' } })
server.post('/', (request, reply) => {
  request.session.set('name', 'Ada')
  const name: string | undefined = request.session.get('name')
  return reply.send({ name })
})
