import { ApolloServer } from '@apollo/server'
import fastifyApollo, { type ApolloFastifyContextFunction, fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify'
import { createServer } from 'under-test'

interface Context {
  ip: string
}

const server = createServer()
const apollo = new ApolloServer<Context>({ typeDefs: 'type Query { ip: String }', plugins: [fastifyApolloDrainPlugin(server)] })
const context: ApolloFastifyContextFunction<Context> = async (request) => ({ ip: request.ip })
server.register(fastifyApollo(apollo), { context, path: '/graphql' })
server.post('/other', fastifyApolloHandler(apollo, { context }))
