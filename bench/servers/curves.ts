/** What grows: each function declares the route of one size. */
import type { FastifyInstance } from 'fastify'
import { itemsBody, itemsOfSize, itemsReply, parameters, resource, routePath, sum } from '../curves.mjs'

declare module 'fastify' {
  interface FastifyRequest {
    seen: number
  }
}

export const curves: Record<string, (app: FastifyInstance, size: number) => void> = {
  in(app) {
    app.post<{ Body: { items: unknown[] } }>('/items', { schema: itemsBody }, ({ body }) => ({ count: body.items.length }))
  },

  out(app, size) {
    const items = itemsOfSize(size)
    app.get('/items', { schema: itemsReply }, () => ({ items }))
  },

  headers(app) {
    app.get('/', ({ headers }) => ({ last: headers['x-header-0'] }))
  },

  query(app, size) {
    app.get<{ Querystring: Record<string, number> }>('/', { schema: parameters(size) }, ({ query }) => ({ sum: sum(query) }))
  },

  hooks(app, size) {
    app.decorateRequest('seen', 0)
    for (let index = 0; index < size; index++) {
      app.addHook('onRequest', async (request) => {
        request.seen += 1
      })
    }
    app.get('/', ({ seen }) => ({ seen }))
  },

  contexts(app, size) {
    app.decorateRequest('seen', 0)
    const nest = (parent: FastifyInstance, left: number): void => {
      parent.addHook('onRequest', async (request) => {
        request.seen += 1
      })
      if (left === 1) parent.get('/', ({ seen }) => ({ seen }))
      else parent.register(async (child) => nest(child, left - 1), { prefix: `/level${left}` })
    }
    nest(app, size)
  },

  routes(app, size) {
    for (let route = 0; route < size; route++) {
      app.get<{ Params: { id: number } }>(`${routePath(route)}/:id`, { schema: resource }, ({ params }) => ({ route, id: params.id }))
    }
  },
}
