/** The workloads as functions on a server: the same code for Fastify and for alcove's createServer, which has the same interface. */
import type { Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import {
  account,
  authenticate,
  bootSchema,
  bootSuffix,
  certificate,
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
  WAIT,
} from '../data.mjs'
import { curves } from './curves.js'

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

  wait(app) {
    app.post<{ Body: Parameters<typeof createUser>[0] }>('/users', { schema: user }, async (request, reply) => {
      await setTimeout(WAIT)
      reply.code(201)
      return createUser(request.body)
    })
  },

  routes(app) {
    for (let route = 0; route < routeCount; route++) {
      app.get<{ Params: { id: number } }>(`${routePath(route)}/:id`, { schema: resource }, ({ params }) => ({ route, id: params.id }))
    }
  },
}

/** Options of Fastify and of alcove alike, by how clients connect. */
const protocols: Record<string, () => object> = {
  http: () => ({}),
  tls: () => ({ https: certificate() }),
  h2c: () => ({ http2: true }),
}

/** `serve` and `boot` of servers that `create` makes. */
export function programmatic(create: (options: FastifyServerOptions) => FastifyInstance) {
  async function listen(app: FastifyInstance): Promise<Server> {
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  }

  return {
    /** @param workload the name of a workload, or a curve and a size: `query:100` */
    serve(workload: string, protocol = 'http'): Promise<Server> {
      const app = create(protocols[protocol]!())
      const [name = '', size] = workload.split(':')
      if (size === undefined) workloads[name]!(app)
      else curves[name]!(app, Number(size))
      return listen(app)
    },

    boot(count: number, kind: string): Promise<Server> {
      const app = create({})
      for (let index = 0; index < count; index++) {
        app.post(`/boot${index}/:key`, { schema: bootSchema(bootSuffix(kind, index)) }, ({ body }) => body)
      }
      return listen(app)
    },
  }
}
