import { Authenticator } from '@fastify/passport'
import { createServer } from 'under-test'

const passport = new Authenticator()
declare module 'fastify' {
  interface PassportUser {
    id: string
  }
}

const server = createServer()
server.register(passport.initialize())
server.register(passport.secureSession())
server.get('/', { preValidation: passport.authenticate('basic', { authInfo: false }) }, async (request) => request.user?.id)
server.get('/out', async (request) => void (await request.logOut()))
