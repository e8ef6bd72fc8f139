import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  factory,
  Get,
  Injectable,
  optionsFrom,
  Plugin,
  PLUGIN_OPTIONS,
  pluginOptions,
  REQUEST,
  requestDecorator,
  Route,
  type Server,
  shared,
  testServer,
  token,
  use,
  WiringError,
} from 'alcove'
import fastifyPlugin from 'fastify-plugin'
import { messagesOf, plugin, route, serve } from '../../fixtures/applications.js'

describe('an imported plugin function', () => {
  test('gets its options, and keeps what it declares to itself unless it is wrapped', async () => {
    const decorating =
      () =>
      async (instance: Server, { name }: { name: string }) =>
        void instance.decorateRequest(name, name)
    const App = plugin('App', {
      imports: [
        use(decorating(), { name: 'kept' }),
        use(fastifyPlugin(decorating() as never) as ReturnType<typeof decorating>, { name: 'given' }),
      ],
      routes: [route('/', ({ kept, given }) => ({ kept, given }))],
    })
    await serve(App, async (server) => assert.equal((await server.inject('/')).body, '{"given":"given"}'))
  })

  describe('with options from providers', () => {
    const NAME = token<string>('NAME')
    const greet = async (instance: Server, { name }: { name: string; prefix?: string }) => void instance.get('/', () => `Hello, ${name}`)
    const options = optionsFrom([NAME], async (name) => ({ name, prefix: '/greet' }))

    test('gets what they are made of: of its own context, awaited, and of an ancestor', async () => {
      const providers = [factory(NAME, [], async () => 'Ada')]
      for (const App of [
        plugin('App', { providers, imports: [use(greet, options)] }),
        plugin('App', { providers, imports: [plugin('Below', { imports: [use(greet, options)] })] }),
      ])
        await serve(App, async (server) => assert.equal((await server.inject('/greet')).body, 'Hello, Ada'))
    })

    test('gets what a test puts in their place', async () => {
      const App = plugin('App', { providers: [{ provide: NAME, useValue: 'Ada' }], imports: [use(greet, options)] })
      await using app = await testServer(App, { override: [[NAME, 'Bob']] })
      assert.equal((await app.inject('/greet')).body, 'Hello, Bob')
    })

    test('is a fault of the wiring where one is not visible, or exists for requests only', () => {
      assert.throws(() => check(plugin('App', { imports: [use(greet, options)] })), /the options of greet \(in App\) asks for NAME/)
      const ofRequest = use(
        greet,
        optionsFrom([REQUEST], () => ({ name: 'nobody' })),
      )
      assert.throws(
        () => check(plugin('App', { imports: [ofRequest] })),
        / the options of greet lives as long as App but depends on request-scoped REQUEST\. It is made once at boot/,
      )
    })
  })

  test('may take a callback', async () => {
    const calling = (instance: Server, _options: object, done: () => void) => {
      instance.get('/', () => 'called back')
      setImmediate(done)
    }
    await serve(plugin('App', { imports: [use(calling)] }), async (server) => assert.equal((await server.inject('/')).body, 'called back'))
  })

  for (const [what, given] of [
    ['a promise of a module', Promise.resolve({ default: async (instance: Server) => void instance.get('/', () => 'loaded') })],
    ['a module', { default: async (instance: Server) => void instance.get('/', () => 'loaded') }],
  ] as const) {
    test(`may be ${what}`, async () => {
      await serve(plugin('App', { imports: [use(given)] }), async (server) => assert.equal((await server.inject('/')).body, 'loaded'))
    })
  }

  test('that fails to load fails the boot', async () => {
    const failing = Promise.reject(new Error('no such module'))
    await assert.rejects(bootstrap(plugin('App', { imports: [use(failing)] })), { message: 'no such module' })
  })

  test('is believed what it is said to decorate, and held to it', async () => {
    const Foo = requestDecorator('foo', 'foo')
    const wrapped = (name: string) =>
      fastifyPlugin(async (instance: any) => void instance.decorateRequest(name, 'foo')) as () => Promise<void>
    const appOf = (name: string) =>
      plugin('App', {
        imports: [
          use(wrapped(name), {}, { decorates: [Foo] }),
          plugin('Asks', { requires: [Foo], routes: [route('/', ({ foo }) => foo)] }),
        ],
      })
    await serve(appOf('foo'), async (server) => assert.equal((await server.inject('/')).body, 'foo'))
    await assert.rejects(bootstrap(appOf('bar')), (error: WiringError) => {
      assert.deepEqual(
        error.faults.map(({ code }) => code),
        ['DECORATES_UNTRUE'],
      )
      return true
    })
  })

  test('sees what its plugin declares', async () => {
    const seeing = async (instance: Server) => void instance.get('/', ({ foo }: any) => foo)
    const App = plugin('App', { decorateRequest: { foo: 'seen' }, imports: [use(seeing)] })
    await serve(App, async (server) => assert.equal((await server.inject('/')).body, 'seen'))
  })
})

describe('an imported plugin class with options from providers', () => {
  interface Options {
    table: string
  }
  const CONFIG = token<Options>('CONFIG')
  class Repo {
    static readonly inject = [pluginOptions<Options>()] as const
    constructor(readonly options: Options) {}
  }
  @Injectable({ scope: 'request' })
  class Query {
    static readonly inject = [pluginOptions<Options>()] as const
    constructor(readonly options: Options) {}
  }
  @Plugin({ providers: [Repo, Query] })
  class Users {
    static readonly inject = [Repo] as const
    constructor(private readonly repo: Repo) {}
    setup(instance: Server, options: Options) {
      instance.get('/users', () => [options.table, this.repo.options.table, options === this.repo.options])
    }
  }
  @Route({ method: 'GET', path: '/asked' })
  class Asked {
    static readonly inject = [Query, Repo, PLUGIN_OPTIONS] as const
    constructor(
      private readonly query: Query,
      private readonly repo: Repo,
      private readonly own: unknown,
    ) {}
    handle() {
      return [this.query.options.table, this.query.options === this.repo.options, this.own ?? 'none']
    }
  }
  const config = factory(CONFIG, [], async () => Promise.resolve({ table: 'people' }))
  const options = optionsFrom([CONFIG], async ({ table }) => Promise.resolve({ table }))
  const get = async (App: Class, path: string): Promise<unknown> =>
    serve(App, async (server) => (await fetch((await server.listen({ port: 0, host: '127.0.0.1' })) + path)).json())

  for (const [what, imported] of [
    ['in a context of its own', use(Users, options)],
    ['shared', shared(use(Users, options))],
  ] as const) {
    test(`gets them in setup and as PLUGIN_OPTIONS, ${what}`, async () => {
      for (const App of [
        plugin('App', { providers: [config], imports: [imported] }),
        plugin('App', { providers: [config], imports: [plugin('Below', { imports: [imported] })] }),
        plugin('App', { providers: [config], private: [CONFIG], imports: [imported] }),
      ])
        assert.deepEqual(await get(App, '/users'), ['people', 'people', true])
    })
  }

  test('gets them in request-scoped providers and in resolve; the importing plugin keeps its own options', async () => {
    const Inner = plugin('Inner', { providers: [config], imports: [shared(use(Users, options))], routes: [Asked] })
    const App = plugin('App', { imports: [use(Inner, { name: 'inner' })] })
    assert.deepEqual(await get(App, '/asked'), ['people', true, { name: 'inner' }])
    await using app = await testServer(App, { override: [[CONFIG, { table: 'test' }]] })
    assert.equal(app.resolve(Repo).options.table, 'test')
  })

  test('gets them before its providers are constructed, also if others need these first; they are computed once', async () => {
    let count = 0
    const counted = optionsFrom([CONFIG], ({ table }) => ({ table: `${table} ${++count}` }))
    const COUNT = token<string>('COUNT')
    class Counts {
      setup(instance: Server, given: { by: string }) {
        instance.get('/count', () => [given.by])
      }
    }
    Plugin()(Counts)
    const App = plugin('App', {
      providers: [config, factory(COUNT, [Repo], (repo) => repo.options.table)],
      imports: [
        shared(
          use(
            Counts,
            optionsFrom([COUNT], (by) => ({ by })),
          ),
        ),
        shared(use(Users, counted)),
      ],
    })
    await serve(App, async (server) => {
      assert.deepEqual((await server.inject('/count')).json(), ['people 1'])
      assert.deepEqual((await server.inject('/users')).json(), ['people 1', 'people 1', true])
    })
  })

  test('keeps them: the application neither starts nor ends them', async () => {
    const calls: string[] = []
    const noting = { table: 'x', onReady: () => calls.push('ready'), dispose: () => calls.push('disposed') }
    const App = plugin('App', {
      imports: [
        use(
          Users,
          optionsFrom([], () => noting),
        ),
      ],
    })
    await serve(App, async () => {})
    assert.deepEqual(calls, [])
  })

  test('is proved with the wiring: what is not visible, private, request-scoped, or made by the plugin itself is a fault', () => {
    const from = (asked: any): ReturnType<typeof use> =>
      use(
        Users,
        optionsFrom([asked], () => ({ table: '' })),
      )
    assert.deepEqual(messagesOf(plugin('App', { imports: [from(CONFIG)] })), [
      'the options of Users (in App) asks for CONFIG, which no plugin provides. Add it to the providers of App or of an ancestor.',
    ])
    assert.deepEqual(messagesOf(plugin('App', { imports: [from(Repo)] })), [
      'the options of Users (in App) asks for Repo, which is not visible there. It is provided in App > Users. Provide it in App or an ancestor, or share that plugin.',
    ])
    assert.deepEqual(messagesOf(plugin('App', { imports: [from(REQUEST)] })), [
      'the options of Users lives as long as App but depends on request-scoped REQUEST. It is made once at boot, so it can only depend on what lives as long as App.',
    ])
    assert.deepEqual(messagesOf(plugin('App', { imports: [shared(from(Repo))] })), [
      'Circular dependency: Repo (App > Users) -> the options of Users (App) -> Repo (App > Users). Let one of them take what it needs as an argument, or move the shared part into a third provider.',
    ])
  })

  test('gets the prefix that stands beside them, so that several imports have routes of their own; so does a function', async () => {
    const asks = async (instance: Server, { table }: Options) => void instance.get('/', () => [table])
    @Controller()
    class Tables {
      static readonly inject = [pluginOptions<Options>()] as const
      constructor(private readonly options: Options) {}
      @Get()
      all() {
        return [this.options.table]
      }
    }
    const TablesPlugin = plugin('TablesPlugin', { prefix: '/tables', routes: [Tables] })
    const below = (prefix: string) => optionsFrom([CONFIG], ({ table }) => ({ table: `${table} ${prefix}` }), { prefix })
    const App = plugin('App', {
      providers: [config],
      imports: [use(TablesPlugin, below('/a')), use(TablesPlugin, below('/b')), use(TablesPlugin, options), use(asks, below('/c'))],
    })
    await serve(App, async (server) => {
      const answers = await Promise.all(['/a', '/b', '/tables', '/c'].map(async (url) => (await server.inject(url)).json()))
      assert.deepEqual(answers, [['people /a'], ['people /b'], ['people'], ['people /c']])
    })
    assert.deepEqual(
      messagesOf(
        plugin('App', {
          imports: [
            use(
              Users,
              optionsFrom([], () => ({ table: '' }), { prefx: '/a' } as object),
            ),
          ],
        }),
      ),
      ["App: optionsFrom(…) of use(Users, …) has no option 'prefx'. Did you mean 'prefix'?"],
    )
  })

  test('cannot get a computed prefix: the boot fails', async () => {
    const App = plugin('App', {
      imports: [
        use(
          Users,
          optionsFrom([], () => ({ table: '', prefix: '/x' }) as never),
        ),
      ],
    })
    await assert.rejects(bootstrap(App), {
      code: 'ALC_ERR_WIRING',
      message:
        /App imports Users with optionsFrom, which returned a prefix\. .* Write it as the third argument: optionsFrom\(\[…\], make, \{ prefix \}\)\.\n/,
    })
  })

  test('fails the boot if they cannot be computed, and the error says where', async () => {
    const App = plugin('App', {
      imports: [
        use(
          Users,
          optionsFrom([], async () => Promise.reject(new Error('no configuration'))),
        ),
      ],
    })
    await assert.rejects(bootstrap(App), { message: 'no configuration', context: 'App > the options of Users' })
  })
})
