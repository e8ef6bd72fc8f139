import type { Server } from 'socket.io'
import socketIo from 'fastify-socket.io'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface FastifyInstance {
    io: Server
  }
}

const server = createServer()
server.register(socketIo, { cors: { origin: '*' } })
server.ready(() => void server.io.on('connection', (socket) => socket.emit('hello')))
