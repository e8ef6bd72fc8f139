import { createServer, HttpError, type Server } from 'alcove'
import { Greetings } from './app.js'

const greeting = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } as const
const add = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
  response: { 201: greeting },
} as const
const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, response: { 200: greeting } } as const

async function greetingsPlugin(server: Server) {
  const greetings = new Greetings()

  server.post('/', { schema: add }, ({ body }, reply) => {
    reply.code(201)
    return greetings.add(body.name)
  })

  server.get('/:id', { schema: find }, ({ params }) => {
    const name = greetings.find(params.id)
    if (name === undefined) throw new HttpError(404, 'No such greeting')
    return { id: params.id, name }
  })
}

export const server = createServer()
server.register(greetingsPlugin, { prefix: '/greetings' })
