import middie from '@fastify/middie'
import { createServer } from 'under-test'

const server = createServer()
server.register(middie, { hook: 'onRequest' })
server.after(() => void server.use('/path', (_request, _response, next) => next()))
