import swagger from '@fastify/swagger'
import { createServer } from 'under-test'

const server = createServer()
server.register(swagger, { openapi: { info: { title: 'API', version: '1' } } })
server.get('/', { schema: { tags: ['users'], summary: 'users', hide: false } }, () => 'x')
export const document = () => server.swagger({ yaml: false }).info.title
// @ts-expect-error the title is a text
server.register(swagger, { openapi: { info: { title: 1, version: '1' } } })
