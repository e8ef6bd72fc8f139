import postgres from '@fastify/postgres'
import { createServer } from 'under-test'

const server = createServer()
server.register(postgres, { connectionString: 'postgres://localhost' })
server.get('/', async () => {
  const { rows } = await server.pg.query<{ now: Date }>('select now()')
  return rows[0]?.now.toISOString()
})
