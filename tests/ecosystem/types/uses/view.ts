import view from '@fastify/view'
import { createServer } from 'under-test'

const server = createServer()
server.register(view, { engine: { ejs: {} }, root: 'views' })
server.get('/', (_request, reply) => reply.view('index.ejs', { name: 'Ada' }))
server.get('/late', async (_request, reply) => reply.viewAsync('index.ejs', { name: 'Ada' }))
export const text = (): Promise<string> => server.view('index.ejs', { name: 'Ada' })
// @ts-expect-error the engine is missing
server.register(view, { root: 'views' })
