import websocket, { type WebSocket } from '@fastify/websocket'
import { createServer } from 'under-test'

const server = createServer()
server.register(websocket, { options: { maxPayload: 1000 } })
server.register(async (instance) => {
  instance.get('/echo', { websocket: true }, (socket, request) => {
    socket.on('message', (data) => socket.send(`${request.url} ${String(data)}`))
  })
  instance.get('/named', { websocket: true }, (socket: WebSocket, request) => socket.send(request.id))
  instance.get('/plain', { websocket: false }, (request, reply) => reply.send(request.url))
  instance.route({ method: 'GET', url: '/both', handler: () => 'page', wsHandler: (socket, request) => socket.send(request.url) })
})
export const clients = () => server.websocketServer.clients.size
