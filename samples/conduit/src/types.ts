/** The members that plugins of the ecosystem add to requests and to the server, declared one by one. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Claims } from './auth/tokens.js'

declare module 'alcove' {
  interface RequestDecorations extends Pick<FastifyRequest, 'jwtVerify'> {}
  interface ServerDecorations extends Pick<FastifyInstance, 'jwt' | 'rateLimit' | 'swagger'> {}
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims
    user: Claims
  }
}
