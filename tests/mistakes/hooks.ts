/** Mistakes with hooks: guards, interceptors, middleware, and error handlers. */
import { type Class, Config, Controller, Get, Hook, HttpError, Plugin, type Reply, type Request, Schema } from 'alcove'
import { route } from '../fixtures/applications.js'
import { boot, loose, type Mistake, request } from './mistake.js'

const ok = route('/', () => 'ok')
const described = route('/described', () => 'ok')
Schema({ response: { '4xx': { type: 'object', properties: { message: { type: 'string' } } } } })(described as never)
const noop = async (): Promise<void> => {}

/** A controller whose route has these hooks. */
function hooked(...hooks: [name: string, ...given: unknown[]][]): { routes: Class[] } {
  @Controller('/')
  class Cats {
    @Get()
    all() {
      return 'ok'
    }
  }
  for (const given of hooks) (Hook as (...args: unknown[]) => (...args: unknown[]) => void)(...given)(Cats.prototype, 'all')
  return { routes: [Cats] }
}
/** A hook of a module that every request runs. */
const ofModule = (says: string, place: string | RegExp, cure: string | RegExp, hooks: object, ask = {}): Mistake =>
  request(says, place, cure, () => ({ routes: [ok], hooks }), ask)

const declared: Mistake[] = [
  boot('a guard with canActivate', 'App > Cats.all runs RolesGuard', 'Name the method after the hook', () =>
    hooked([
      'preHandler',
      class RolesGuard {
        canActivate() {
          return false
        }
      },
    ]),
  ),
  boot('a guard of a module with canActivate', 'App runs RolesGuard', 'Name the method after the hook', () => ({
    hooks: {
      preHandler: class RolesGuard {
        canActivate() {
          return false
        }
      },
    },
  })),
  boot('an interceptor with intercept', 'App > Cats.all runs Envelope', 'around(request, next)', () =>
    hooked([
      'around',
      class Envelope {
        intercept() {}
      },
    ]),
  ),
  boot('middleware with use', 'App runs Cookies', 'Name the method after the hook', () => ({
    hooks: {
      onRequest: class Cookies {
        use() {}
      },
    },
  })),
  boot('replies of a guard under a misspelt name', 'App > RolesGuard', 'Write static responses', () => ({
    hooks: {
      preHandler: class RolesGuard {
        static response = { 403: {} }
        preHandler() {}
      },
    },
    routes: [ok],
  })),
  boot('a security scheme that is not complete', 'App > RolesGuard', "without 'scheme'", () => ({
    hooks: {
      preHandler: class RolesGuard {
        static security = { bearer: { type: 'http' } }
        preHandler() {}
      },
    },
    routes: [ok],
  })),
  boot('replies of a guard that the schema of a route contradicts', 'App > RolesGuard.preHandler', 'Write the same schema in both', () => ({
    hooks: {
      preHandler: class RolesGuard {
        static responses = { 403: { type: 'object', properties: { reason: { type: 'string' } } } }
        preHandler() {}
      },
    },
    routes: [described],
  })),
  boot('a misspelt hook of a module', 'App names the hook', 'Hooks are: onRequest', () => ({ hooks: { preHandlr: noop } })),
  boot('a misspelt hook of a route', 'App > Cats.all names the hook', 'Hooks are: onRequest', () => hooked(['preHandlr', noop])),
  boot('a misspelt hook on a method of a module', 'App names the hook', 'Hooks are: onRequest', () => {
    @Plugin()
    class App {
      @Hook(loose('onRequst'))
      log() {}
    }
    return App
  }),
  boot('@Hook of a route without a function', 'App > Cats.all', "Write the function or class to run: @Hook('preHandler', …)", () =>
    hooked(['preHandler']),
  ),
  boot('a hook of a route that is undefined, of a circle of imports', 'App > Cats.all', 'Declare what it names before the class', () =>
    hooked(['preHandler', undefined]),
  ),
  boot('a hook of a route that is null', 'App > Cats.all', 'list the class', () => hooked(['preHandler', null])),
  boot('an instance as the guard of a route', 'App > Cats.all', 'list the class', () => hooked(['preHandler', new (class Guard {})()])),
  boot('two guards in one @Hook', 'App > Cats.all', /@Hook|list the class/, () => hooked(['preHandler', [noop, noop]])),
  boot('two guards in one @Hook, as in @UseGuards(A, B)', 'App > Cats.all', "Write one @Hook('preHandler', …) for each", () =>
    hooked(['preHandler', noop, noop]),
  ),
  boot('a name as the guard of a module', 'App lists', 'list the class', () => ({ hooks: { preHandler: 'RolesGuard' } })),
  boot('an instance as the guard of a module', 'App lists an instance of Guard', 'list the class', () => ({
    hooks: { preHandler: new (class Guard {})() },
  })),
  boot('undefined among the guards of a module', 'App lists undefined', 'list the class', () => ({ hooks: { preHandler: [undefined] } })),
  boot('onReady on a route', "App > Cats.all has @Hook('onReady', …)", 'hooks: { onReady: … }', () => hooked(['onReady', noop])),
  boot('@Hook without a name, only the guard', 'App > Cats.all', 'Hooks are: onRequest', () => hooked([loose(class Guard {})])),
  boot('an async hook of a module that takes done', 'App', /done/, () => ({
    hooks: { preHandler: async (_request: Request, _reply: Reply, _done: () => void) => {} },
  })),
  boot('an async hook of a route that takes done', 'App > Cats.all', /done/, () =>
    hooked(['preHandler', async (_request: Request, _reply: Reply, _done: () => void) => {}]),
  ),
  boot('an async method of a hook class that takes done', 'Guard', /done/, () => ({
    hooks: {
      preHandler: class Guard {
        async preHandler(_request: Request, _reply: Reply, _done: () => void) {}
      },
    },
  })),
  boot('@Roles in a hook class', 'App > Guard.preHandler has @Config', 'above a route, a controller', () => {
    class Guard {
      @Config({ roles: ['admin'] })
      preHandler() {}
    }
    return { hooks: { preHandler: Guard } }
  }),
  boot('@Hook above a hook class', 'App > Guard has @Hook', 'above a route, a controller', () => {
    @Hook('preHandler', noop)
    class Guard {
      preHandler() {}
    }
    return { hooks: { preHandler: Guard } }
  }),
  boot('a hook class with an arrow function for its method', 'App runs Guard', 'Name the method after the hook', () => ({
    hooks: {
      preHandler: class Guard {
        preHandler = () => {}
      },
    },
  })),
  boot('a guard that is a static method', 'App runs Guard', 'Name the method after the hook', () => ({
    hooks: {
      preHandler: class Guard {
        static preHandler() {}
      },
    },
  })),
]

const guards: Mistake[] = [
  ofModule('a guard function that returns false', 'of App', 'HttpError', { preHandler: () => false }),
  ofModule('a guard function that returns a promise of false', 'of App', 'HttpError', { preHandler: async () => false }),
  ofModule('a guard class that returns false', 'Guard.preHandler of App', 'HttpError', {
    preHandler: class Guard {
      preHandler() {
        return false
      }
    },
  }),
  request('a guard of a route that returns false', 'of App > Cats.all', 'HttpError', () => hooked(['preHandler', () => false])),
  request('a guard method of a module that returns false', 'App.guard', 'HttpError', () => {
    @Plugin({ routes: [ok] })
    class App {
      @Hook('preHandler')
      guard() {
        return false
      }
    }
    return App
  }),
  ofModule('a guard that throws a text', 'GET /', /forbidden/, {
    preHandler: () => {
      throw 'forbidden'
    },
  }),
  ofModule('a guard that throws an HttpError of Nest, with getStatus', 'GET /', /ForbiddenException/, {
    preHandler: () => {
      throw Object.assign(new Error('ForbiddenException'), { getStatus: () => 403, response: { message: 'no' } })
    },
  }),
  ofModule(
    'a hook that never calls done',
    'the preHandler hook',
    'it neither called done',
    { preHandler: (_request: Request, _reply: Reply, _done: () => void) => {} },
    { timesOut: true },
  ),
  ofModule(
    'a hook whose promise never settles',
    'the preHandler hook',
    'its promise is not settled',
    { preHandler: async () => new Promise(() => {}) },
    { timesOut: true },
  ),
  ofModule(
    'a method of a hook class that never calls done',
    'Guard.preHandler',
    'it neither called done',
    {
      preHandler: class Guard {
        preHandler(_request: Request, _reply: Reply, _done: () => void) {}
      },
    },
    { timesOut: true },
  ),
  ofModule('a hook that sends and goes on', '/', 'return reply', {
    onRequest: async (_request: Request, reply: Reply) => {
      void reply.send('refused')
      void reply.send('twice')
    },
  }),
  ofModule('a hook that calls done a second time, with an error', 'a hook failed after it had completed', 'too late', {
    preHandler: (_request: Request, _reply: Reply, done: (error?: Error) => void) => {
      done()
      done(new Error('too late'))
    },
  }),
  ofModule('onSend that returns an object', 'GET /', /payload of invalid type/, { onSend: async () => ({ a: 1 }) }),
  ofModule('onError that sends', 'GET /', /onError/, {
    preHandler: async () => {
      throw new Error('first')
    },
    onError: async (_request: Request, reply: Reply) => void reply.send('x'),
  }),
  request(
    'preParsing that returns no stream',
    '/',
    /stream/,
    () => ({ routes: [route('/', () => 1, 'POST')], hooks: { preParsing: async () => 'text' } }),
    {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    },
  ),
  ofModule('onResponse that throws', 'request errored', /no metrics/, {
    onResponse: async () => {
      throw new Error('no metrics')
    },
  }),
]

const arounds: Mistake[] = [
  ofModule('an around hook that forgets to return the result', 'of App', /return next\(\)/, {
    around: async (_request: Request, next: () => Promise<unknown>) => void (await next()),
  }),
  ofModule('an around hook that does not wait for next', 'of App', /return next\(\)/, {
    around: (_request: Request, next: () => Promise<unknown>) => void next(),
  }),
  ofModule('an around hook that never settles', '/', /around|handler/, { around: async () => new Promise(() => {}) }, { timesOut: true }),
  ofModule('an interceptor that returns an Observable', 'GET /', 'Await its values', {
    around: async () => ({ subscribe: () => {}, pipe: () => {} }),
  }),
  request('an around hook that retries a handler which replies itself', 'of App', /retr|reply/i, () => ({
    routes: [route('/', (_request, reply) => reply.send('x'))],
    hooks: {
      around: async (_request: Request, next: () => Promise<unknown>) => {
        await next()
        return next()
      },
    },
  })),
]

const fails = route('/', () => {
  throw new HttpError(409, 'taken')
})

const errorHandlers: Mistake[] = [
  request(
    'an error handler that takes the reply and does not send',
    'GET /',
    'waits for an error handler',
    () => ({
      routes: [fails],
      errorHandler: (_error: Error, _request: Request, _reply: Reply) => {},
    }),
    { timesOut: true },
  ),
  request('an error handler that returns nothing', '409', 'taken', () => ({ routes: [fails], errorHandler: () => undefined })),
  request('an error handler that throws', 'GET /', /handler is broken/, () => ({
    routes: [fails],
    errorHandler: () => {
      throw new Error('handler is broken')
    },
  })),
  request(
    'an error handler that never settles',
    'GET /',
    /error handler/i,
    () => ({ routes: [fails], errorHandler: async () => new Promise(() => {}) }),
    { timesOut: true },
  ),
]

export const hooks: readonly Mistake[] = [...declared, ...guards, ...arounds, ...errorHandlers]
