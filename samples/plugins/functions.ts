// #region function
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createServer, Plugin, type Server, use } from 'alcove'

/** For Fastify and for alcove: it uses the methods that both have. */
export const requestTime = fp(
  async (server: FastifyInstance, { header = 'x-took' }: { header?: string }) => {
    server.addHook('onSend', async (_request, reply) => {
      reply.header(header, Math.round(reply.elapsedTime))
    })
  },
  { name: 'request-time', fastify: '4.x || 5.x' },
)

/** For alcove only. */
export async function answerTeapot(server: Server, { path }: { path: string }) {
  server.get(path, (_request, reply) => reply.code(418).send({ short: true, stout: true }))
}
// #endregion

// #region both
export const programmatic = createServer().register(requestTime, { header: 'x-ms' }).register(answerTeapot, { path: '/pot' })

@Plugin({ imports: [use(requestTime, { header: 'x-ms' }), use(answerTeapot, { path: '/pot' })] })
export class ClassApp {}
// #endregion
