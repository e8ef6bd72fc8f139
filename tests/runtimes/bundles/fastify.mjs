import Fastify from 'fastify'
import { Users } from './users.mjs'

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } },
}

export const app = Fastify()
app.decorate('users', new Users())
app.get('/users/:id', { schema: find }, ({ params }) => {
  const user = app.users.find(params.id)
  if (user === undefined) throw Object.assign(new Error('There is no such user'), { statusCode: 404 })
  return user
})
