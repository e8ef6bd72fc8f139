import Fastify from 'fastify'
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

const workloads = {
  hello(app) {
    app.get('/', { schema: hello }, () => ({ hello: 'world' }))
  },

  query(app) {
    app.get('/orders/:id', { schema: order }, ({ params, query }) => findOrder(params.id, query))
  },

  body(app) {
    app.post('/users', { schema: user }, (request, reply) => {
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
      request.tenant = request.headers['x-tenant']
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
      request.trace.end()
      done()
    })
    app.get('/trace', { schema: trace }, ({ trace }) => ({ url: trace.url, caller: trace.caller }))
  },

  routes(app) {
    for (let route = 0; route < routeCount; route++) {
      app.get(`${routePath(route)}/:id`, { schema: resource }, ({ params }) => ({ route, id: params.id }))
    }
  },
}

async function listen(app) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

export function serve(workload) {
  const app = Fastify()
  workloads[workload](app)
  return listen(app)
}

export function boot(count, kind) {
  const app = Fastify()
  for (let index = 0; index < count; index++) {
    app.post(`/boot${index}/:key`, { schema: bootSchema(bootSuffix(kind, index)) }, ({ body }) => body)
  }
  return listen(app)
}
