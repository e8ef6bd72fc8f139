import overview from 'fastify-overview'
import { createServer } from 'under-test'

const server = createServer()
server.register(overview, { addSource: true })
export const name = () => server.overview().name
