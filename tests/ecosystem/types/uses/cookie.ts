import cookie from '@fastify/cookie'
import { createServer } from 'under-test'

const server = createServer()
server.register(cookie, { secret: 'a secret' })
server.get('/', (request, reply) => {
  const seen: string | undefined = request.cookies['seen']
  const { valid, value } = request.unsignCookie(seen ?? '')
  return reply.setCookie('seen', 'yes', { httpOnly: true }).clearCookie('old').code(200).send({ valid, value })
})
export const signed: string = server.signCookie('x')
// @ts-expect-error not a secret
server.register(cookie, { secret: 1 })
