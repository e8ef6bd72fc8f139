// #region validation
import { createServer } from 'alcove'

export const server = createServer()

const body = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer' },
    role: { type: 'string', default: 'guest' },
  },
} as const
const user = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    role: { type: 'string' },
  },
} as const

const schema = { body, response: { 201: user } }

server.post('/users', { schema }, (request, reply) => {
  const { name, role } = request.body // typed; `role` has its default
  const row = { id: 1, name, role, password: 'secret' }
  return reply.code(201).send(row) // the password is left out
})
// #endregion
