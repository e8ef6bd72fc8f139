import jwt from '@fastify/jwt'
import { createServer } from 'under-test'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { id: string }
    user: { id: string }
  }
}

const server = createServer()
server.register(jwt, { secret: 'a secret', sign: { expiresIn: '10m' } })
server.addHook('onRequest', async (request) => void (await request.jwtVerify()))
server.get('/me', (request) => request.user.id)
server.get('/token', async (_request, reply) => ({ token: await reply.jwtSign({ id: '1' }) }))
export const signed = (): string => server.jwt.sign({ id: '1' })
// @ts-expect-error the secret is missing
server.register(jwt)
// @ts-expect-error a misspelt option
server.register(jwt, { secrt: 'a secret' })
