import mysql, { type MySQLPromisePool } from '@fastify/mysql'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface FastifyInstance {
    mysql: MySQLPromisePool
  }
}

const server = createServer()
server.register(mysql, { promise: true, connectionString: 'mysql://root@localhost/mysql' })
server.get('/', async () => (await server.mysql.query('select 1'))[0])
