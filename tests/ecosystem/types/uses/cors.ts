import cors from '@fastify/cors'
import { createServer } from 'under-test'

const server = createServer()
server.register(cors, { origin: ['https://example.com'], credentials: true })
server.register(cors, () => ({ origin: true }))
server.register(cors)
// @ts-expect-error a misspelt option
server.register(cors, { orign: true })
