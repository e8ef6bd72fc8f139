import printRoutes from 'fastify-print-routes'
import { createServer } from 'under-test'

const server = createServer()
server.register(printRoutes, { compact: true })
server.get('/', { config: { hide: true } }, () => 'x')
