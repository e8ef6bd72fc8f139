import { type FastifyPluginAsyncTypebox, Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import { createServer } from 'under-test'

const server = createServer().withTypeProvider<TypeBoxTypeProvider>()
const body = Type.Object({ name: Type.String(), age: Type.Optional(Type.Number()) })
server.post('/', { schema: { body, response: { 200: Type.Object({ name: Type.String() }) } } }, async (request) => {
  const name: string = request.body.name
  return { name, age: request.body.age?.toFixed() }
})
const plugin: FastifyPluginAsyncTypebox = async (instance) => {
  instance.get('/', { schema: { querystring: Type.Object({ page: Type.Integer() }) } }, (request) => request.query.page.toFixed())
}
server.register(plugin)
createServer().register(plugin)
export const typed: FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
> = server
server.post('/wrong', { schema: { body } }, (request) => {
  // @ts-expect-error a body has no such member
  return request.body.nam
})
