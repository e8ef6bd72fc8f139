/** The app that is fuzzed, made of classes. Each request has an instance of its own that tells what reached the handler. */
import formbody from '@fastify/formbody'
import { Injectable, Plugin, REQUEST, Route, Schema, bootstrap, shared as shareWithParent, use } from '../../dist/decorators/index.js'
import { guard, handle, notFound, routes, shared } from './app.mjs'

/** @param tell as for `declare` @returns the server @see declare in app.mjs */
export function bootstrapApp(tell, extra, options) {
  class Teller {
    static inject = [REQUEST]
    constructor(request) {
      this.request = request
    }
    tell(route, request) {
      if (this.request !== request) throw new Error('an instance of another request')
      tell(route, request, request.isGuarded === true)
    }
  }
  Injectable({ scope: 'request' })(Teller)

  class Guard {
    onRequest(request, reply) {
      return guard(request, reply)
    }
  }

  const toClass = (route, prefix) => {
    const { method, url, schema } = route
    class Action {
      static inject = [Teller]
      constructor(teller) {
        this.teller = teller
      }
      handle(request, reply) {
        this.teller.tell(route, request)
        return handle(route, request, reply)
      }
    }
    if (schema !== undefined) Schema(structuredClone(schema))(Action)
    Route({ method, path: url.slice(prefix.length) || '/' })(Action)
    return Action
  }

  class Open {}
  Plugin({ routes: [...routes, ...extra].filter(({ guarded }) => guarded !== true).map((route) => toClass(route, '')) })(Open)

  class Guarded {}
  Plugin({
    prefix: '/admin',
    decorateRequest: { isGuarded: false },
    hooks: { onRequest: Guard },
    routes: routes.filter(({ guarded }) => guarded === true).map((route) => toClass(route, '/admin')),
    notFoundHandler(request, reply) {
      tell(undefined, request, request.isGuarded)
      notFound(reply, 'guarded')
    },
  })(Guarded)

  class App {}
  Plugin({
    providers: [Teller],
    schemas: Object.values(shared).map((schema) => structuredClone(schema)),
    imports: [shareWithParent(use(formbody)), Open, Guarded],
    notFoundHandler(request, reply) {
      tell(undefined, request, true)
      notFound(reply, 'root')
    },
  })(App)
  return bootstrap(App, options)
}
