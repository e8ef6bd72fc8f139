import cookie from '@fastify/cookie'
import { createServer } from 'under-test'

const server = createServer()
server.register(cookie, { secret: 'a secret' })
server.get('/', (request, reply) => {
  const seen: string | undefined = request.cookies['seen']
  const { valid, value } = request.unsignCookie(seen ?? '')
  return reply.setCookie('seen', 'yes', { httpOnly: true }).clearCookie('old').code(200).send({ valid, value })
})
// A schema takes the place of the plugin's type.
const schema = { cookies: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } } } as const
server.get('/pages', { schema }, (request, reply) => {
  const page: number = request.cookies.page
  const { valid } = request.unsignCookie('a')
  return reply.send({ page, valid })
})
server.get('/any', { schema: { querystring: schema.cookies } }, (request) => {
  const seen: string | undefined = request.cookies['seen']
  return { seen, page: request.query.page }
})
export const signed: string = server.signCookie('x')
// @ts-expect-error not a secret
server.register(cookie, { secret: 1 })
