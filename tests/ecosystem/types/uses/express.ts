import fastifyExpress from '@fastify/express'
import { createServer } from 'under-test'

const server = createServer()
server.register(fastifyExpress, { expressHook: 'onRequest' }).after(() => {
  server.use((_request: unknown, _response: unknown, next: () => void) => next())
  server.express.disable('x-powered-by')
})
