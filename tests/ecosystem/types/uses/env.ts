import env from '@fastify/env'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface FastifyInstance {
    config: { PORT: number }
  }
}

const server = createServer()
server.register(env, { schema: { type: 'object', properties: { PORT: { type: 'number' } } }, dotenv: true })
export const port = () => server.config.PORT.toFixed()
