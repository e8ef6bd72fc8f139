import type { FastifyReply, FastifyRequest } from 'fastify'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface FastifyInstance {
    db: { find(id: string): Promise<{ name: string }> }
  }
  interface FastifyRequest {
    tenant: string | null
  }
  interface FastifyReply {
    page(name: string): this
    done(): FastifyReply
  }
  interface FastifyContextConfig {
    roles?: string[]
  }
}

const server = createServer()
server.decorateRequest('tenant', null)
server.addHook('onRequest', async (request: FastifyRequest) => {
  request.tenant = request.routeOptions.config.roles?.[0] ?? null
})
server.decorateReply('page', function (this: FastifyReply, name: string) {
  return this.type('text/html').send(name)
})
server.get('/', { config: { roles: ['admin'] } }, async (request) => (await server.db.find(request.tenant ?? '')).name)
server.get('/page', (request, reply) =>
  reply
    .page(request.tenant ?? '')
    .header('x-page', 'yes')
    .code(200)
    .done(),
)
// @ts-expect-error roles are texts
server.get('/wrong', { config: { roles: [1] } }, () => 'x')
