import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  type BootstrappedServer,
  check,
  type Class,
  Config,
  Controller,
  explain,
  Get,
  Hook,
  HttpError,
  Injectable,
  Plugin,
  type PluginOptions,
  type Reply,
  type Request,
  requestDecorator,
  type RequestDecorator,
  Route,
  type RouteRequest,
  type Server,
  shared,
} from 'alcove'
import { messagesOf } from '../../fixtures/applications.js'

async function serve<T>(App: Class, ask: (server: Server) => Promise<T>): Promise<T> {
  const server = await bootstrap(App)
  try {
    return await ask(server)
  } finally {
    await server.close()
  }
}
function plugin(options: PluginOptions, Base: Class = class {}): Class {
  const Made = Object.defineProperty(class extends Base {}, 'name', { value: options.name ?? 'Made' })
  Plugin(options)(Made)
  return Made
}

interface Traced extends Request {
  trace?: string[]
}
const trace = (request: Traced, entry: string): void => void (request.trace ??= []).push(entry)
const tracing =
  (entry: string) =>
  async (request: Traced): Promise<void> =>
    trace(request, entry)

@Route({ method: 'GET', path: '/' })
class Trace {
  handle(request: Traced) {
    return [...(request.trace ?? []), 'handler']
  }
}

describe('a hook method of a plugin class', () => {
  test('runs with the plugin as this, in its context and below, not beside it', async () => {
    class Guarding {
      readonly who = 'guard'
      @Hook('onRequest')
      async note(request: Traced) {
        trace(request, this.who)
      }
    }
    const Guarded = plugin({ prefix: '/in', routes: [Trace], imports: [plugin({ prefix: '/below', routes: [Trace] })] }, Guarding)
    const App = plugin({ imports: [Guarded, plugin({ prefix: '/beside', routes: [Trace] })] })
    await serve(App, async (server) => {
      assert.deepEqual((await server.inject('/in')).json(), ['guard', 'handler'])
      assert.deepEqual((await server.inject('/in/below')).json(), ['guard', 'handler'])
      assert.deepEqual((await server.inject('/beside')).json(), ['handler'])
    })
  })

  test('of a shared plugin runs in the context that imports it', async () => {
    class Guarding {
      @Hook('onRequest')
      async note(request: Traced) {
        trace(request, 'shared')
      }
    }
    await serve(plugin({ routes: [Trace], imports: [shared(plugin({}, Guarding))] }), async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['shared', 'handler'])
    })
  })

  test('may take a callback', async () => {
    class Guarding {
      @Hook('preHandler')
      note(request: Traced, _reply: Reply, done: () => void) {
        trace(request, 'callback')
        setImmediate(done)
      }
    }
    await serve(plugin({ routes: [Trace] }, Guarding), async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['callback', 'handler'])
    })
  })

  test('may answer in the place of the handler', async () => {
    class Guarding {
      @Hook('preHandler')
      async refuse(_request: Request, reply: Reply) {
        return reply.code(403).send('closed')
      }
    }
    await serve(plugin({ routes: [Trace] }, Guarding), async (server) => {
      assert.equal((await server.inject('/')).body, 'closed')
    })
  })

  test('may be a hook of the application: onReady, onRoute, preClose, onClose', async () => {
    const seen: string[] = []
    class Watching {
      @Hook('onRoute')
      route({ url }: { url: string }) {
        seen.push(`route ${url}`)
      }
      @Hook('onReady')
      async ready() {
        seen.push('ready')
      }
      @Hook('preClose')
      async closing() {
        seen.push('closing')
      }
      @Hook('onClose')
      async closed() {
        seen.push('closed')
      }
    }
    await serve(plugin({ routes: [Trace] }, Watching), async () => {})
    assert.deepEqual(
      seen.filter((entry, index) => seen.indexOf(entry) === index),
      ['route /', 'ready', 'closing', 'closed'],
    )
  })

  test('may be several hooks, and runs for each', async () => {
    class Guarding {
      @Hook('onRequest')
      @Hook('preHandler')
      async note(request: Traced) {
        trace(request, 'again')
      }
    }
    await serve(plugin({ routes: [Trace] }, Guarding), async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['again', 'again', 'handler'])
    })
  })

  test('is inherited', async () => {
    class Base {
      @Hook('onRequest')
      async note(request: Traced) {
        trace(request, this.constructor.name)
      }
    }
    class Derived extends Base {}
    Plugin({ routes: [Trace] })(Derived)
    await serve(Derived, async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['Derived', 'handler'])
    })
  })
})

describe('the hooks of a request run', () => {
  test('from the root to the route, those of a shared import before the own ones of its parent', async () => {
    class Methods {
      @Hook('preHandler')
      async method(request: Traced) {
        trace(request, 'method')
      }
    }
    @Route({ method: 'GET', path: '/' })
    @Hook('preHandler', tracing('route 1'))
    @Hook('preHandler', tracing('route 2'))
    class Ends extends Trace {}
    @Route({ method: 'GET', path: '/beside' })
    class Beside extends Trace {}
    const Child = plugin({ hooks: { preHandler: tracing('child') }, routes: [Ends] })
    const App = plugin(
      {
        imports: [
          plugin({ hooks: { preHandler: tracing('beside') }, routes: [Beside] }),
          Child,
          plugin({ shared: true, hooks: { preHandler: tracing('shared') } }),
        ],
        hooks: { preHandler: [tracing('own 1'), tracing('own 2')] },
      },
      Methods,
    )
    await serve(App, async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['shared', 'own 1', 'own 2', 'method', 'child', 'route 1', 'route 2', 'handler'])
    })
  })

  test('those of a controller before those of its method', async () => {
    @Controller('/')
    @Hook('preHandler', tracing('controller'))
    class Both {
      @Get()
      @Hook('preHandler', tracing('method'))
      one(request: Traced) {
        return request.trace
      }
      @Get('/two')
      two(request: Traced) {
        return request.trace
      }
    }
    await serve(plugin({ routes: [Both] }), async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['controller', 'method'])
      assert.deepEqual((await server.inject('/two')).json(), ['controller'])
    })
  })
})

describe('a hook class of a context', () => {
  @Injectable({ scope: 'request' })
  class Caller {
    name = 'nobody'
  }
  @Injectable()
  class Identify {
    constructor(private readonly caller: Caller) {}
    onRequest({ headers }: Request): void {
      this.caller.name = String(headers['x-caller'] ?? 'nobody')
    }
  }
  @Injectable()
  @Route({ method: 'GET', path: '/' })
  class Me {
    constructor(private readonly caller: Caller) {}
    handle() {
      return this.caller.name
    }
  }

  test('is injected, and shares what is request-scoped with the handler', async () => {
    const App = plugin({ providers: [Caller], hooks: { onRequest: Identify }, routes: [Me] })
    await serve(App, async (server) => {
      const names = await Promise.all(
        ['ada', 'bob', undefined].map(
          async (name) => (await server.inject({ url: '/', headers: { ...(name && { 'x-caller': name }) } })).body,
        ),
      )
      assert.deepEqual(names, ['ada', 'bob', 'nobody'])
      assert.match(String(explain(server).route('GET /')), /onRequest +Identify/)
    })
  })

  test('runs for the contexts below, in its turn among functions, and is the instance that a provider gives', async () => {
    class Counter {
      seen = 0
      onRequest(request: Traced): void {
        this.seen += 1
        trace(request, 'class')
      }
    }
    @Route({ method: 'GET', path: '/' })
    class Report {
      handle(request: Traced) {
        return request.trace
      }
    }
    const App = plugin({
      providers: [Counter],
      decorateRequest: { trace: undefined },
      hooks: { onRequest: [tracing('before'), Counter, tracing('after')] },
      imports: [plugin({ prefix: '/below', routes: [Report] })],
    })
    await serve(App, async (server) => {
      assert.deepEqual((await server.inject('/below')).json(), ['before', 'class', 'after'])
      assert.equal((server as BootstrappedServer).resolve(Counter).seen, 1)
    })
  })

  test('needs the method, and what it asks for', () => {
    class Empty {}
    class Wanting {
      static readonly inject = [Caller] as const
      constructor(readonly caller: Caller) {}
      onRequest(): void {}
    }
    assert.throws(
      () => check(plugin({ hooks: { onRequest: Empty as never } })),
      /runs Empty as onRequest hook, but the class has no method/,
    )
    assert.throws(() => check(plugin({ hooks: { onRequest: [Wanting] } })), /Wanting \(in Made\) asks for Caller/)
  })
})

describe('a hook of a route', () => {
  test('may be a class of every lifecycle hook, with the payload where there is one', async () => {
    class Wraps {
      async preSerialization(_request: Request, _reply: Reply, payload: object) {
        return { ...payload, wrapped: true }
      }
      async onSend(_request: Request, reply: Reply, payload: string) {
        reply.header('x-length', String(payload.length))
        return payload
      }
    }
    @Route({ method: 'GET', path: '/' })
    @Hook('preSerialization', Wraps)
    @Hook('onSend', Wraps)
    class Wrapped {
      handle() {
        return { a: 1 }
      }
    }
    await serve(plugin({ routes: [Wrapped] }), async (server) => {
      const answer = await server.inject('/')
      assert.deepEqual([answer.body, answer.headers['x-length']], ['{"a":1,"wrapped":true}', '22'])
    })
  })

  test('stands on handle as well as on the class', async () => {
    @Route({ method: 'GET', path: '/' })
    class OnHandle {
      @Hook('preHandler', tracing('on handle'))
      @Config({ mark: 1 })
      handle(request: Traced) {
        return [...request.trace!, request.routeOptions.config['mark']]
      }
    }
    await serve(plugin({ routes: [OnHandle] }), async (server) => {
      assert.deepEqual((await server.inject('/')).json(), ['on handle', 1])
    })
  })
})

describe("an application's own decorators", () => {
  const Roles = (...roles: string[]) => Config({ roles })

  class RolesGuard {
    async preHandler(request: Request) {
      const { roles } = request.routeOptions.config as { roles?: string[] }
      if (roles !== undefined && !roles.includes(String(request.headers['x-role']))) throw new HttpError(403, `needs ${roles.join(' or ')}`)
    }
  }

  @Controller('/reports')
  @Roles('admin', 'auditor')
  @Hook('preHandler', RolesGuard)
  class Reports {
    @Get()
    list() {
      return 'reports'
    }
    @Get('/secret')
    @Roles('admin')
    secret() {
      return 'secret'
    }
  }

  test('made of Config are read by a guard of the matched route; the method’s word counts before the class’s', async () => {
    await serve(plugin({ routes: [Reports] }), async (server) => {
      const ask = async (url: string, role: string) => {
        const answer = await server.inject({ url, headers: { 'x-role': role } })
        return answer.statusCode === 200 ? answer.body : `${answer.statusCode} ${answer.json().message}`
      }
      assert.equal(await ask('/reports', 'auditor'), 'reports')
      assert.equal(await ask('/reports', 'guest'), '403 needs admin or auditor')
      assert.equal(await ask('/reports/secret', 'auditor'), '403 needs admin')
      assert.equal(await ask('/reports/secret', 'admin'), 'secret')
    })
  })

  test('may hold several decorators in one, and the upper one counts', async () => {
    const Secured = (role: string) => (target: Class) => {
      Roles(role)(target)
      Hook('preHandler', RolesGuard)(target)
    }
    @Route({ method: 'GET', path: '/' })
    @Config({ level: 'upper' })
    @Config({ level: 'lower', other: true })
    @Secured('admin')
    class Home {
      handle(request: Request) {
        const { level, other, roles } = request.routeOptions.config
        return { level, other, roles }
      }
    }
    await serve(plugin({ routes: [Home] }), async (server) => {
      assert.equal((await server.inject('/')).statusCode, 403)
      assert.deepEqual((await server.inject({ url: '/', headers: { 'x-role': 'admin' } })).json(), {
        level: 'upper',
        other: true,
        roles: ['admin'],
      })
    })
  })
})

describe('a request decorator in static requires of a hook', () => {
  const User = requestDecorator('user', null).as<string | null>()
  class Base {
    static readonly requires: readonly RequestDecorator[] = [User]
  }
  class Guard extends Base {
    static override readonly requires = [User] as const
    preHandler({ user }: RouteRequest<unknown, [typeof User]>) {
      if (user === null) throw new HttpError(401)
    }
  }
  class Inherits extends Base {
    preHandler(): void {}
  }
  const Traces = Object.assign(async function trace() {}, { requires: [User] })
  @Controller('/own')
  @Hook('preHandler', Guard)
  class Own {
    @Get()
    @Hook('around', async (_request, next) => next())
    all() {
      return 'own'
    }
    @Get('/more')
    @Hook('onRequest', Traces)
    more() {}
  }
  const Login = plugin({ name: 'Login', decorateRequest: [User] })
  const missing = (place: string): string =>
    `${place} requires the request decorator 'user', which is not visible there. It is added in App > Login. Add it in an ancestor, or share that plugin: write imports: [shared(Login)] in App.`

  test('must be visible to each route with the hook, above a class or a method, and to a plugin that lists it', () => {
    const Area = plugin({ name: 'Area', hooks: { preHandler: [Inherits] } })
    assert.deepEqual(messagesOf(plugin({ name: 'App', routes: [Own], imports: [Area, Login] })), [
      missing('App > Own.all with the hook Guard'),
      missing('App > Own.more with the hook Guard'),
      missing('App > Own.more with the hook trace'),
      missing('App > Area with the hook Inherits'),
    ])
  })

  test('may be added by an ancestor or by a shared import', async () => {
    class Authenticates {
      authenticate(request: RouteRequest<unknown, [typeof User]>) {
        request.user = (request.headers['x-user'] as string | undefined) ?? null
      }
    }
    Hook('onRequest')(Authenticates.prototype, 'authenticate')
    const Routes = plugin({ routes: [Own], hooks: { preHandler: Inherits } })
    for (const App of [
      plugin({ decorateRequest: [User], imports: [Routes] }, Authenticates),
      plugin({ imports: [shared(plugin({ decorateRequest: [User] }, Authenticates)), Routes] }),
    ]) {
      await serve(App, async (server) => {
        const url = `${await server.listen({ port: 0, host: '127.0.0.1' })}/own`
        assert.equal((await fetch(url)).status, 401)
        assert.equal(await (await fetch(url, { headers: { 'x-user': 'ada' } })).text(), 'own')
      })
    }
  })

  test('must be one', () => {
    class Wrong {
      static readonly requires = [undefined, 'user']
      preHandler(): void {}
    }
    class Handle {
      handle() {}
    }
    Route({ method: 'GET', path: '/' })(Handle)
    Hook('preHandler', Wrong)(Handle)
    const cure = "Write a decorator that requestDecorator('name', value) made."
    assert.deepEqual(messagesOf(plugin({ name: 'App', routes: [Handle] })), [
      `App > Handle lists undefined (a class used before its declaration, or a circle of imports) in @Hook('preHandler'), in static requires of Wrong. ${cure}`,
      `App > Handle lists 'user' in @Hook('preHandler'), in static requires of Wrong. ${cure}`,
    ])
  })
})
