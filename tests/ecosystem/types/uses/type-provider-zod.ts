import { type FastifyPluginAsyncZod, serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { createServer } from 'under-test'
import { z } from 'zod/v4'

const server = createServer()
server.setValidatorCompiler(validatorCompiler)
server.setSerializerCompiler(serializerCompiler)
server.withTypeProvider<ZodTypeProvider>().route({
  method: 'POST',
  url: '/',
  schema: { body: z.object({ name: z.string().max(4), at: z.coerce.date() }), response: { 200: z.string() } },
  handler: async (request) => `${request.body.name} ${request.body.at.toISOString()}`,
})
const plugin: FastifyPluginAsyncZod = async (instance) => {
  instance.get('/', { schema: { querystring: z.object({ name: z.string() }) } }, (request) => request.query.name)
}
server.register(plugin)
