import auth from '@fastify/auth'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createServer } from 'under-test'

const server = createServer()
server.register(auth, { defaultRelation: 'and' })
const byKey = async (request: FastifyRequest, _reply: FastifyReply) => void request.headers['x-key']
server.after(() => {
  server.get('/', { preHandler: server.auth([byKey], { relation: 'or' }) }, (request) => request.id)
})
