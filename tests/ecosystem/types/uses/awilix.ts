import { fastifyAwilixPlugin } from '@fastify/awilix'
import { asValue } from 'awilix'
import { createServer } from 'under-test'

declare module '@fastify/awilix' {
  interface Cradle {
    name: string
  }
}

const server = createServer()
server.register(fastifyAwilixPlugin, { disposeOnClose: true })
server.get('/', (request) => {
  request.diScope.register({ name: asValue('Ada') })
  return request.diScope.resolve('name')
})
// @ts-expect-error not a boolean
server.register(fastifyAwilixPlugin, { disposeOnClose: 'yes' })
