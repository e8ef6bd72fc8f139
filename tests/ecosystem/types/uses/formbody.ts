import formbody from '@fastify/formbody'
import { createServer } from 'under-test'

const server = createServer()
server.register(formbody, { bodyLimit: 1000 })
server.post('/', (request) => request.body)
// @ts-expect-error bytes
server.register(formbody, { bodyLimit: '1 kB' })
