import flash from '@fastify/flash'
import { createServer } from 'under-test'

const server = createServer()
server.register(flash)
server.get('/', (request, reply) => {
  request.flash('warning', ['a'])
  return reply.send(reply.flash('warning'))
})
