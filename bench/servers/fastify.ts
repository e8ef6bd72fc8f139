import type { Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  account,
  authenticate,
  bootSchema,
  bootSuffix,
  createUser,
  findOrder,
  hello,
  list,
  listPeople,
  order,
  Plans,
  resource,
  routeCount,
  routePath,
  trace,
  Trace,
  user,
} from '../data.mjs'

declare module 'fastify' {
  interface FastifyInstance {
    plans: Plans
  }
  interface FastifyRequest {
    tenant: string | undefined
    locale: string | undefined
    user: string
    trace: Trace | null
  }
}

const workloads: Record<string, (app: FastifyInstance) => void> = {
  hello(app) {
    app.get('/', { schema: hello }, () => ({ hello: 'world' }))
  },

  query(app) {
    app.get<{ Params: { id: number }; Querystring: Parameters<typeof findOrder>[1] }>(
      '/orders/:id',
      { schema: order },
      ({ params, query }) => findOrder(params.id, query),
    )
  },

  body(app) {
    app.post<{ Body: Parameters<typeof createUser>[0] }>('/users', { schema: user }, (request, reply) => {
      reply.code(201)
      return createUser(request.body)
    })
  },

  list(app) {
    app.get('/people', { schema: list }, () => listPeople())
  },

  contexts(app) {
    app.decorate('plans', new Plans())
    app.decorateRequest('tenant', '')
    app.addHook('onRequest', async (request) => {
      request.tenant = request.headers['x-tenant'] as string
    })
    app.register(
      async (v1) => {
        v1.decorateRequest('locale', '')
        v1.addHook('onRequest', async (request) => {
          request.locale = request.headers['accept-language']
        })
        v1.register(
          async (accounts) => {
            accounts.decorateRequest('user', '')
            accounts.addHook('onRequest', async (request) => {
              const found = authenticate(request.headers.authorization)
              if (found === undefined) throw Object.assign(new Error('No valid token'), { statusCode: 401 })
              request.user = found
            })
            accounts.get('/', { schema: account }, ({ tenant, locale, user }) => ({ tenant, locale, user, plan: app.plans.planOf(user) }))
          },
          { prefix: '/account' },
        )
      },
      { prefix: '/api/v1' },
    )
  },

  scope(app) {
    app.decorateRequest('trace', null)
    app.addHook('onRequest', (request, _reply, done) => {
      request.trace = new Trace(request.url, request.headers['x-caller'])
      done()
    })
    app.addHook('onResponse', (request, _reply, done) => {
      request.trace!.end()
      done()
    })
    app.get('/trace', { schema: trace }, ({ trace }) => ({ url: trace!.url, caller: trace!.caller }))
  },

  routes(app) {
    for (let route = 0; route < routeCount; route++) {
      app.get<{ Params: { id: number } }>(`${routePath(route)}/:id`, { schema: resource }, ({ params }) => ({ route, id: params.id }))
    }
  },
}

async function listen(app: FastifyInstance): Promise<Server> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

export function serve(workload: string): Promise<Server> {
  const app = Fastify()
  workloads[workload]!(app)
  return listen(app)
}

export function boot(count: number, kind: string): Promise<Server> {
  const app = Fastify()
  for (let index = 0; index < count; index++) {
    app.post(`/boot${index}/:key`, { schema: bootSchema(bootSuffix(kind, index)) }, ({ body }) => body)
  }
  return listen(app)
}
