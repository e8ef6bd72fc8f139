import cookie from '@fastify/cookie'
import session from '@fastify/session'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface Session {
    visits?: number
  }
}

const server = createServer()
server.register(cookie)
server.register(session, { secret: 'a secret with 32 characters at least', cookie: { secure: false } })
server.get('/', async (request) => {
  request.session.visits = (request.session.visits ?? 0) + 1
  await request.session.save()
  return { id: request.session.sessionId, visits: request.session.visits }
})
// @ts-expect-error the secret is missing
server.register(session, { cookieName: 'id' })
