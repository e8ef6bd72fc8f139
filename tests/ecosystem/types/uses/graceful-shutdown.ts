import gracefulShutdown from 'fastify-graceful-shutdown'
import { createServer } from 'under-test'

const server = createServer()
server.register(gracefulShutdown, { timeout: 1000 })
server.after(() => server.gracefulShutdown(() => {}))
