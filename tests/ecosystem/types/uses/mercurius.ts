import { makeExecutableSchema } from '@graphql-tools/schema'
import type { FastifyReply, FastifyRequest } from 'fastify'
import mercurius, { type IResolvers } from 'mercurius'
import { createServer } from 'under-test'

const buildContext = async (request: FastifyRequest, _reply: FastifyReply) => ({ ip: request.ip })
declare module 'mercurius' {
  interface MercuriusContext {
    ip: string
  }
}

const resolvers: IResolvers = { Query: { add: async (_root: unknown, { x, y }: { x: number; y: number }, { ip }) => x + y + ip.length } }
const server = createServer()
server.register(mercurius, {
  schema: makeExecutableSchema({ typeDefs: 'type Query { add(x: Int, y: Int): Int }' }),
  resolvers,
  context: buildContext,
  graphiql: true,
})
server.get('/', async (_request, reply) => reply.graphql('{ add(x: 1, y: 2) }'))
server.ready(() => server.graphql.extendSchema('extend type Query { sub: Int }'))
