import accepts from '@fastify/accepts'
import { createServer } from 'under-test'

const server = createServer()
server.register(accepts, { decorateReply: true })
server.get('/', (request) => request.accepts().type(['json', 'html']))
