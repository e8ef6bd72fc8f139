import rawBody from 'fastify-raw-body'
import { createServer } from 'under-test'

const server = createServer()
server.register(rawBody, { field: 'rawBody', global: false, runFirst: true })
server.post('/', { config: { rawBody: true } }, (request) => request.rawBody?.length)
