/** What plugins of the ecosystem add to requests and to the server, taken over member by member. */
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
