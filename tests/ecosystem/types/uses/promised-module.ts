import { createServer } from 'under-test'

const server = createServer()
server.register(import('@fastify/cors'), { origin: true })
server.register(import('@fastify/jwt'), { secret: 'a secret' })
