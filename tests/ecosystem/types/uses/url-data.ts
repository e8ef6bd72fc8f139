import urlData from '@fastify/url-data'
import { createServer } from 'under-test'

const server = createServer()
server.register(urlData)
server.get('/', (request) => request.urlData().path ?? request.urlData('query'))
