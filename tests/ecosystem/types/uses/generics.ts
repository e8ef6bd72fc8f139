import type { FastifyReply, FastifyRequest } from 'fastify'
import { createServer } from 'under-test'

interface Body {
  name: string
}
interface Route {
  Body: Body
  Params: { id: string }
  Querystring: { full?: boolean }
  Headers: { 'x-key': string }
  Reply: { name: string }
}

const server = createServer()
server.post<{ Body: Body }>('/', (request) => request.body.name.length)
server.post<Route>('/:id', async (request) => ({ name: `${request.params.id} ${request.query.full} ${request.headers['x-key']}` }))
server.put<Route>('/:id', { bodyLimit: 10 }, (request, reply) => {
  reply.send({ name: request.body.name })
})
server.route<{ Params: { id: string } }>({ method: 'GET', url: '/route/:id', handler: (request) => request.params.id })
server.delete('/:id', async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => reply.send(request.params.id))
server.post<Route>('/wrong', (_request, reply) => {
  // @ts-expect-error the name is a text
  reply.send({ name: 1 })
})
// @ts-expect-error a body has no such member
server.post<{ Body: Body }>('/member', (request) => request.body.nam)
