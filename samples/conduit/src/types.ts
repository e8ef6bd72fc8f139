/** What plugins of the ecosystem add to requests and to the server, and the claims of tokens. */
import 'alcove/fastify-types'
import type { Claims } from './auth/tokens.js'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims
    user: Claims
  }
}
