import swaggerUi from '@fastify/swagger-ui'
import { createServer } from 'under-test'

const server = createServer()
server.register(swaggerUi, { routePrefix: '/docs', uiConfig: { docExpansion: 'full' } })
export const csp = () => server.swaggerCSP.script
// @ts-expect-error no such value
server.register(swaggerUi, { uiConfig: { docExpansion: 'some' } })
