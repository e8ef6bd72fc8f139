import proxy from '@fastify/http-proxy'
import { createServer } from 'under-test'

const server = createServer()
server.register(proxy, { upstream: 'http://localhost:4000', prefix: '/api', rewritePrefix: '/', http2: false })
server.register(proxy, { upstream: 'http://localhost:4000', preHandler: (request, _reply, next) => (request.id ? next() : next()) })
// @ts-expect-error the upstream is missing
server.register(proxy, { prefix: '/api' })
