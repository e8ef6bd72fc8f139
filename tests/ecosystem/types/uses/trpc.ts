import { initTRPC } from '@trpc/server'
import { type CreateFastifyContextOptions, fastifyTRPCPlugin, type FastifyTRPCPluginOptions } from '@trpc/server/adapters/fastify'
import { createServer } from 'under-test'

const createContext = ({ req, res }: CreateFastifyContextOptions) => ({ ip: req.ip, res })
const t = initTRPC.context<typeof createContext>().create()
const router = t.router({ ip: t.procedure.query(({ ctx }) => ctx.ip) })

const server = createServer()
server.register(fastifyTRPCPlugin, {
  prefix: '/trpc',
  trpcOptions: { router, createContext } satisfies FastifyTRPCPluginOptions<typeof router>['trpcOptions'],
})
