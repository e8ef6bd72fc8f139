import type { FastifyPluginAsyncJsonSchemaToTs, JsonSchemaToTsProvider } from '@fastify/type-provider-json-schema-to-ts'
import { createServer } from 'under-test'

const server = createServer().withTypeProvider<JsonSchemaToTsProvider>()
const querystring = {
  type: 'object',
  required: ['page'],
  properties: { page: { type: 'number' }, sort: { enum: ['asc', 'desc'] } },
} as const
server.get('/', { schema: { querystring } }, (request) => {
  const { page, sort }: { page: number; sort?: 'asc' | 'desc' | undefined } = request.query
  return `${page} ${sort}`
})
const plugin: FastifyPluginAsyncJsonSchemaToTs = async (instance) => {
  instance.get('/', { schema: { querystring } }, (request) => request.query.page.toFixed())
}
server.register(plugin)
createServer().register(plugin)
