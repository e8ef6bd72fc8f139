import routes from '@fastify/routes'
import { createServer } from 'under-test'

const server = createServer()
server.register(routes)
export const methods = () => server.routes.get('/')?.map(({ method }) => method)
