import autoload from '@fastify/autoload'
import { createServer } from 'under-test'

const server = createServer()
server.register(autoload, { dir: 'plugins', options: { prefix: '/api' }, forceESM: true })
// @ts-expect-error the folder is missing
server.register(autoload, { forceESM: true })
