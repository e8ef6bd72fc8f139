// #region request
import { createServer } from 'alcove'

export const server = createServer()

server.get('/users/:id', (request, reply) => {
  const { id } = request.params
  request.log.info({ id }, 'looked up')
  if (id === '0') return reply.code(404).send({ message: 'No such user' })
  return reply.header('cache-control', 'max-age=60').send({ id, asked: request.query['fields'] })
})
// #endregion
