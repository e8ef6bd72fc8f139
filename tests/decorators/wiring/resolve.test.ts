import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  explain,
  Hook,
  Injectable,
  Plugin,
  PLUGIN_OPTIONS,
  type Reply,
  type Request,
  Route,
  SERVER,
  type Server,
  shared,
  testServer,
  token,
  WiringError,
} from 'alcove'

const WHO = token<string>('WHO')

/** A plugin class. */
function plugin(name: string, options: object): Class {
  const Made = Object.defineProperty(class {}, 'name', { value: name })
  Plugin(options)(Made)
  return Made
}

/** A route that answers who it sees. */
function routeAt(path: string): Class {
  class Asks {
    static readonly inject = [WHO] as const
    constructor(private readonly who: string) {}
    handle() {
      return this.who
    }
  }
  Route({ method: 'GET', path })(Asks)
  return Asks
}

const giving = (who: string): object => ({ providers: [{ provide: WHO, useValue: who }] })

async function answers(App: Class, ...paths: string[]): Promise<string[]> {
  const server = await bootstrap(App)
  const bodies: string[] = []
  for (const path of paths) bodies.push((await server.inject(path)).body)
  await server.close()
  return bodies
}

function isRefused(App: Class): void {
  assert.throws(
    () => check(App),
    (error: WiringError) => {
      assert.deepEqual(
        error.faults.map(({ code }) => code),
        ['PROVIDER_NOT_VISIBLE'],
      )
      return true
    },
  )
}

describe('a route sees the provider', () => {
  test('of its own plugin', async () => {
    assert.deepEqual(await answers(plugin('App', { ...giving('own'), routes: [routeAt('/')] }), '/'), ['own'])
  })

  test('of an ancestor, however far up', async () => {
    const App = plugin('App', {
      ...giving('root'),
      imports: [plugin('Child', { imports: [plugin('Grandchild', { routes: [routeAt('/')] })] })],
    })
    assert.deepEqual(await answers(App, '/'), ['root'])
  })

  test('that is nearest: a child may have its own for the same token', async () => {
    const App = plugin('App', {
      ...giving('root'),
      routes: [routeAt('/app')],
      imports: [plugin('Child', { ...giving('child'), routes: [routeAt('/child')] }), plugin('Other', { routes: [routeAt('/other')] })],
    })
    assert.deepEqual(await answers(App, '/app', '/child', '/other'), ['root', 'child', 'root'])
  })

  test('of a shared child, and so do the siblings of that child', async () => {
    const App = plugin('App', {
      imports: [plugin('Before', { routes: [routeAt('/before')] }), shared(plugin('Child', giving('shared')))],
      routes: [routeAt('/app')],
    })
    assert.deepEqual(await answers(App, '/app', '/before'), ['shared', 'shared'])
  })

  test('of a grandchild that is shared twice', async () => {
    const Grandchild = plugin('Grandchild', { shared: true, ...giving('far') })
    const App = plugin('App', { imports: [plugin('Child', { shared: true, imports: [Grandchild] })], routes: [routeAt('/')] })
    assert.deepEqual(await answers(App, '/'), ['far'])
  })
})

describe('a route does not see the provider', () => {
  test('of a sibling', () => {
    isRefused(plugin('App', { imports: [plugin('A', giving('a')), plugin('B', { routes: [routeAt('/')] })] }))
  })

  test('of a descendant', () => {
    isRefused(plugin('App', { imports: [plugin('A', giving('a'))], routes: [routeAt('/')] }))
  })

  test('of a grandchild that is shared with its parent only', () => {
    const Child = plugin('Child', { imports: [shared(plugin('Grandchild', giving('far')))] })
    isRefused(plugin('App', { imports: [Child], routes: [routeAt('/')] }))
  })
})

describe('what a provider asks for is seen from where the provider is declared:', () => {
  class Reader {
    static readonly inject = [WHO] as const
    constructor(readonly who: string) {}
  }
  @Route({ method: 'GET', path: '/read' })
  class Read {
    static readonly inject = [Reader] as const
    constructor(private readonly reader: Reader) {}
    handle() {
      return this.reader.who
    }
  }

  test("a child's own value does not reach into an ancestor's provider", async () => {
    const App = plugin('App', {
      providers: [Reader, { provide: WHO, useValue: 'root' }],
      imports: [plugin('Child', { ...giving('child'), routes: [Read] })],
    })
    assert.deepEqual(await answers(App, '/read'), ['root'])
  })

  test("an ancestor's provider cannot ask for what only a child provides", () => {
    isRefused(plugin('App', { providers: [Reader], imports: [plugin('Child', { ...giving('child'), routes: [Read] })] }))
  })

  test('an alias stands for what its own plugin sees', async () => {
    const ALIAS = token<string>('ALIAS')
    class ReadAlias {
      static readonly inject = [ALIAS] as const
      constructor(private readonly who: string) {}
      handle() {
        return this.who
      }
    }
    Route({ method: 'GET', path: '/' })(ReadAlias)
    const App = plugin('App', {
      providers: [
        { provide: WHO, useValue: 'root' },
        { provide: ALIAS, useExisting: WHO },
      ],
      imports: [plugin('Child', { ...giving('child'), routes: [ReadAlias] })],
    })
    assert.deepEqual(await answers(App, '/'), ['root'])
  })

  test('an alias of what its plugin does not see is one fault, at the alias', () => {
    const App = plugin('App', {
      providers: [{ provide: 'alias', useExisting: WHO }],
      imports: [plugin('Child', giving('child'))],
    })
    assert.throws(() => check(App), {
      message:
        "The wiring of App is wrong:\n  - 'alias' (in App) asks for WHO, which is not visible there. It is provided in App > Child. Provide it in App or an ancestor, or share that plugin: write imports: [shared(Child)] in App.\nFor an explanation: npx alcove errors PROVIDER_NOT_VISIBLE",
    })
  })
})

for (const [kind, asked, provided] of [
  ['a token', token<string>('WHO'), WHO],
  ['a class', class Who {}, class Who {}],
] as const) {
  test(`the error says that ${kind} is another one of the same name, at boot and when it is resolved`, async () => {
    class Asks {
      static readonly inject = [asked]
      constructor(readonly who: unknown) {}
    }
    const name = kind === 'a token' ? 'WHO' : 'Who'
    const providers = [{ provide: provided, useValue: 'me' }]
    assert.throws(() => check(plugin('App', { providers, imports: [plugin('Child', { providers: [Asks] })] })), {
      message:
        `The wiring of App is wrong:\n  - Asks (in App > Child) asks for ${name}, which no plugin provides: App provides another token of the ` +
        'same name. Import the same one in both places: each class and each call of token(…) is a token of its own, also if one file is ' +
        'loaded twice.\nFor an explanation: npx alcove errors PROVIDER_UNKNOWN',
    })
    const server = await bootstrap(plugin('App', { providers }))
    assert.throws(() => server.resolve(asked as never), {
      message: `${name} is not visible in App. No plugin provides it: App provides another token of the same name. Import the same one in both places.`,
    })
    await server.close()
  })
}

test('the error names every place that provides what is not visible', () => {
  const App = plugin('App', {
    imports: [plugin('A', giving('a')), plugin('B', giving('b')), plugin('C', { routes: [routeAt('/')] })],
  })
  assert.throws(() => check(App), /It is provided in App > A, App > B\. Provide it in C or an ancestor/)
})

test('a plugin class that is imported twice is two contexts with instances of their own', async () => {
  let made = 0
  class Counter {
    readonly number = ++made
  }
  class Show {
    static readonly inject = [Counter] as const
    constructor(private readonly counter: Counter) {}
    handle() {
      return String(this.counter.number)
    }
  }
  Route({ method: 'GET', path: '/' })(Show)
  const Twice = plugin('Twice', { providers: [Counter], routes: [Show] })
  const App = plugin('App', {
    imports: [plugin('A', { prefix: '/a', imports: [Twice] }), plugin('B', { prefix: '/b', imports: [Twice] })],
  })
  assert.deepEqual(await answers(App, '/a', '/b', '/a'), ['1', '2', '1'])
})

describe('a hook class', () => {
  class Guard {
    calls = 0
    async preHandler(): Promise<void> {
      this.calls++
    }
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('preHandler', Guard as never)
  class Guarded {
    static readonly inject = [Guard] as const
    constructor(private readonly guard: Guard) {}
    handle() {
      return String(this.guard.calls)
    }
  }

  test('that is a provider is one instance with what is injected elsewhere', async () => {
    const App = plugin('App', { providers: [Guard], imports: [plugin('Child', { routes: [Guarded] })] })
    assert.deepEqual(await answers(App, '/', '/'), ['1', '2'])
    const server = await bootstrap(App)
    await server.inject('/')
    await server.inject('/')
    assert.equal(server.resolve(Guard).calls, 2)
    await server.close()
  })

  test('that is a provider can be replaced in a test', async () => {
    class Never {
      calls = 99
      async preHandler(): Promise<void> {}
    }
    await using app = await testServer(plugin('App', { providers: [Guard], routes: [Guarded] }), { override: [[Guard, Never]] })
    assert.equal((await app.inject('/')).body, '99')
  })

  test('that is a transient provider is one of its own, and one that says request is made for each', async () => {
    for (const [scope, calls] of [
      ['transient', ['1', '2']],
      ['request', ['1', '1']],
    ] as const) {
      class Counting {
        calls = 0
        preHandler(request: any, _reply: unknown, done: () => void): void {
          request.calls = ++this.calls
          done()
        }
      }
      Injectable({ scope })(Counting)
      @Route({ method: 'GET', path: '/' })
      @Hook('preHandler', Counting as never)
      class Counted {
        handle(request: any) {
          return String(request.calls)
        }
      }
      const providers = scope === 'transient' ? [Counting] : []
      assert.deepEqual(await answers(plugin('App', { providers, decorateRequest: { calls: 0 }, routes: [Counted] }), '/', '/'), calls)
    }
  })

  test('need not be listed among the providers', async () => {
    class Refusing {
      preHandler(_request: unknown, reply: { code(status: number): { send(body: string): void } }): void {
        reply.code(403).send('no')
      }
    }
    @Route({ method: 'GET', path: '/' })
    @Hook('preHandler', Refusing as never)
    class Refused {
      handle() {
        return 'never'
      }
    }
    assert.deepEqual(await answers(plugin('App', { routes: [Refused] }), '/'), ['no'])
  })
})

test('a required request decorator is met by what a shared import adds', () => {
  const Adds = plugin('Adds', { shared: true, decorateRequest: { foo: 1 } })
  const handle = { kind: 'request decorator', name: 'foo', value: 1 }
  check(plugin('App', { imports: [Adds, plugin('Asks', { requires: [handle] })] }))
  assert.throws(() => check(plugin('App', { imports: [plugin('Keeps', { decorateRequest: { foo: 1 } })], requires: [handle] })), {
    message: /App requires the request decorator 'foo', which is not visible there\. It is added in App > Keeps\./,
  })
})

describe('a provider that a shared plugin lists in private', () => {
  const OPTIONS = token<string>('OPTIONS')
  class Pool {
    static readonly inject = [OPTIONS] as const
    constructor(readonly options: string) {}
  }
  class Log {
    static readonly inject = [OPTIONS] as const
    constructor(readonly options: string) {}
  }
  const asking = (Asked: unknown, path: string): Class => {
    class Asks {
      static readonly inject = [Asked]
      constructor(private readonly asked: string | { options: string }) {}
      handle() {
        return typeof this.asked === 'string' ? this.asked : this.asked.options
      }
    }
    Route({ method: 'GET', path })(Asks)
    return Asks
  }
  const hiding = (name: string, value: string, Public: Class, routes: Class[] = []): Class =>
    plugin(name, { providers: [Public, { provide: OPTIONS, useValue: value }], private: [OPTIONS], routes })

  test('is seen by the providers, routes and hooks of this plugin, and another plugin may have one of the same token', async () => {
    class Guard {
      static readonly inject = [OPTIONS] as const
      constructor(private readonly options: string) {}
      onRequest(_request: Request, reply: Reply): void {
        reply.header('x-options', this.options)
      }
    }
    const Database = plugin('Database', {
      providers: [Pool, { provide: OPTIONS, useValue: 'database' }],
      private: [OPTIONS],
      routes: [asking(OPTIONS, '/own')],
      hooks: { onRequest: Guard },
    })
    const App = plugin('App', {
      imports: [shared(Database), shared(hiding('Logging', 'logging', Log))],
      routes: [asking(Pool, '/pool'), asking(Log, '/log')],
    })
    const server = await bootstrap(App)
    const base = await server.listen({ port: 0, host: '127.0.0.1' })
    try {
      const response = await fetch(`${base}/own`)
      assert.deepEqual([await response.text(), response.headers.get('x-options')], ['database', 'database'])
      assert.equal(await (await fetch(`${base}/pool`)).text(), 'database')
      assert.equal(await (await fetch(`${base}/log`)).text(), 'logging')
      assert.throws(() => server.resolve(OPTIONS), /OPTIONS is not visible in App\. It is private to App > Database, App > Logging\./)
      const visible = (path: string): string[] =>
        explain(server)
          .route(path)
          .visible.providers.map(({ name }) => name)
      assert.deepEqual(visible('GET /own'), ['OPTIONS', 'Pool', 'Log'])
      assert.deepEqual(visible('GET /pool'), ['Pool', 'Log'])
    } finally {
      await server.close()
    }
  })

  test('does not hide that of an ancestor or of the importing plugin from others', async () => {
    const App = plugin('App', {
      providers: [{ provide: OPTIONS, useValue: 'app' }],
      imports: [shared(hiding('Database', 'database', Pool)), plugin('Child', { routes: [asking(OPTIONS, '/child')] })],
      routes: [asking(OPTIONS, '/app'), asking(Pool, '/pool')],
    })
    assert.deepEqual(await answers(App, '/app', '/child', '/pool'), ['app', 'app', 'database'])
  })

  for (const [where, options] of [
    ['the importing plugin', (Hides: Class) => ({ imports: [shared(Hides)], routes: [asking(OPTIONS, '/')] })],
    [
      'a plugin below the importing one',
      (Hides: Class) => ({ imports: [shared(Hides), plugin('Child', { routes: [asking(OPTIONS, '/')] })] }),
    ],
    [
      'another shared plugin',
      (Hides: Class) => ({ imports: [shared(Hides), shared(plugin('Other', { routes: [asking(OPTIONS, '/')] }))] }),
    ],
  ] as const) {
    test(`is not seen by ${where}`, () => {
      assert.throws(() => check(plugin('App', options(hiding('Database', 'database', Pool)))), {
        message: /Asks \(in App.*\) asks for OPTIONS, which is private to App > Database\. Remove it from private there/,
      })
    })
  }

  test('is not seen by a plugin that the plugin itself imports', () => {
    const Database = plugin('Database', {
      providers: [{ provide: OPTIONS, useValue: 'database' }],
      private: [OPTIONS],
      imports: [plugin('Below', { routes: [asking(OPTIONS, '/')] })],
    })
    assert.throws(() => check(plugin('App', { imports: [Database] })), /asks for OPTIONS, which is private to App > Database/)
  })

  test('is reached from outside by an alias of the plugin', async () => {
    const Database = plugin('Database', {
      providers: [
        { provide: OPTIONS, useValue: 'database' },
        { provide: WHO, useExisting: OPTIONS },
      ],
      private: [OPTIONS],
    })
    assert.deepEqual(await answers(plugin('App', { imports: [shared(Database)], routes: [routeAt('/')] }), '/'), ['database'])
  })

  test('can be overridden and resolved in a test', async () => {
    const App = plugin('App', { imports: [shared(hiding('Database', 'database', Pool))], routes: [asking(Pool, '/')] })
    await using app = await testServer(App, { override: [[OPTIONS, 'fake']] })
    assert.deepEqual([(await app.inject('/')).body, app.resolve(OPTIONS)], ['fake', 'fake'])
  })

  test('must be one of its providers', () => {
    assert.throws(
      () => check(plugin('App', { providers: [Log], private: [OPTIONS] })),
      /App lists OPTIONS in private, but not among its providers/,
    )
  })

  test('has one instance for each request if it is request-scoped', async () => {
    let made = 0
    class Visit {
      readonly options = `visit ${++made}`
    }
    Injectable({ scope: 'request' })(Visit)
    const One = plugin('One', { providers: [Visit], private: [Visit], routes: [asking(Visit, '/one')] })
    const Two = plugin('Two', { providers: [Visit], private: [Visit], routes: [asking(Visit, '/two')] })
    assert.deepEqual(await answers(plugin('App', { imports: [shared(One), shared(Two)] }), '/one', '/one', '/two'), [
      'visit 1',
      'visit 2',
      'visit 3',
    ])
  })
})

test('an application boots twice, also if its classes inherit a static inject with built-in tokens', async () => {
  class Base {
    static readonly inject = [SERVER, PLUGIN_OPTIONS] as const
    constructor(
      readonly server: Server,
      readonly options: unknown,
    ) {}
  }
  class Users extends Base {}
  const App = plugin('App', { providers: [Users] })
  for (const boot of [1, 2]) {
    const server = await bootstrap(App)
    assert.equal(server.resolve(Users).server, server, `boot ${boot}`)
    await server.close()
  }
})
