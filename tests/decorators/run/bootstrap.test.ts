import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  explain,
  factory,
  Injectable,
  LOGGER,
  optionsFrom,
  Plugin,
  PLUGIN_OPTIONS,
  type PluginOptions,
  type PluginSetup,
  type Reply,
  REQUEST,
  type Request,
  requestDecorator,
  ResolutionError,
  Route,
  Schema as SchemaOn,
  SERVER,
  type Server,
  shared,
  testServer,
  token,
  use,
  WiringError,
} from 'alcove'
import fastifyPlugin from 'fastify-plugin'

function plugin(name: string, options: PluginOptions = {}, Base: Class = class {}): Class {
  class Made extends Base {}
  Plugin({ name, ...options })(Made)
  return Made
}
function route(path: string, handle: (request: any, reply: Reply) => unknown, method: 'GET' | 'POST' = 'GET'): Class {
  class Made {
    handle(request: Request, reply: Reply) {
      return handle(request, reply)
    }
  }
  Route({ method, path })(Made)
  return Made
}
async function serve<T>(App: Class, ask: (server: Server) => Promise<T>): Promise<T> {
  const server = await bootstrap(App)
  try {
    return await ask(server)
  } finally {
    await server.close()
  }
}

describe('bootstrap', () => {
  test('gives a server that is ready, named after the application, with the given options', async () => {
    const lines: string[] = []
    const stream = { write: (line: string) => lines.push(line) }
    const server = await bootstrap(plugin('Shop'), { bodyLimit: 10, logger: { stream } })
    assert.equal(server.initialConfig.bodyLimit, 10)
    assert.equal(explain(server).root.name, 'Shop')
    server.log.info('hello')
    assert.match(lines.join(''), /"msg":"hello"/)
    assert.throws(() => server.get('/late', () => ''), { code: 'ALC_ERR_INSTANCE_ALREADY_LISTENING' })
    await server.close()
  })

  test('refuses an unknown option with the nearest known one', async () => {
    await assert.rejects(bootstrap(plugin('App'), { bodylimit: 1 } as never), {
      code: 'ALC_ERR_INIT_OPTS_INVALID',
      message: /'bodylimit' is not an option\. Did you mean 'bodyLimit'\?/,
    })
  })

  test('makes the application the root context: what it declares is at the server itself', async () => {
    await serve(plugin('App', { decorate: { shop: 'mine' } }), async (server) => {
      assert.equal((server as unknown as { shop: string }).shop, 'mine')
    })
  })

  test('may be called for the same classes any number of times, at the same time', async () => {
    let made = 0
    class Counter {
      readonly number = ++made
    }
    const App = plugin('App', { providers: [Counter] })
    const servers = await Promise.all(Array.from({ length: 5 }, () => bootstrap(App)))
    assert.equal(new Set(servers.map((server) => server.resolve(Counter))).size, 5)
    await Promise.all(servers.map((server) => server.close()))
  })

  test('gives a server that `await using` closes', async () => {
    let closed = 0
    {
      await using server = await bootstrap(plugin('App', { hooks: { onClose: async () => void closed++ } }))
      void server
    }
    assert.equal(closed, 1)
  })
})

describe('server.resolve', () => {
  class Db {}
  @Injectable({ scope: 'request' })
  class Tx {}
  const SECRET = token<string>('SECRET')
  const Child = plugin('Child', { providers: [{ provide: SECRET, useValue: 'deep' }] })
  const App = plugin('App', { providers: [Db, Tx], imports: [Child] })

  test('gives the provider of a token as the root context sees it', () =>
    serve(App, async (server) => {
      const { resolve } = server as Awaited<ReturnType<typeof bootstrap>>
      assert.ok(resolve(Db) instanceof Db)
    }))

  test('gives built-in values', async () => {
    const server = await bootstrap(App)
    assert.equal(server.resolve(SERVER), server)
    assert.equal(server.resolve(LOGGER), server.log)
    assert.equal(server.resolve(PLUGIN_OPTIONS), undefined)
    await server.close()
  })

  const refused: [what: string, asked: any, message: string][] = [
    ['is provided out of sight, naming the place', SECRET, 'SECRET is not visible in App. It is provided in App > Child.'],
    ['nobody provides', 'nothing', "'nothing' is not visible in App. No plugin provides it."],
    ['is request-scoped', Tx, 'Tx (in App) is request-scoped: it exists only while a request is served.'],
    ['is the request', REQUEST, 'REQUEST exists only while a request is served.'],
  ]
  for (const [what, asked, message] of refused) {
    test(`refuses what ${what}`, async () => {
      const server = await bootstrap(App)
      assert.throws(
        () => server.resolve(asked),
        (error: Error) => {
          assert.ok(error instanceof ResolutionError)
          assert.equal(error.message, message)
          return true
        },
      )
      await server.close()
    })
  }

  test('refuses a transient provider, which belongs to whoever injects it', async () => {
    const server = await bootstrap(plugin('App', { providers: [{ provide: Db, useClass: Db, scope: 'transient' }] }))
    assert.throws(() => server.resolve(Db), {
      name: 'ResolutionError',
      message: 'Db (in App) is transient: each injection gets an instance of its own.',
    })
    await server.close()
  })

  test('refuses what is still to be made while the application is being constructed', async () => {
    class Late {}
    const early = factory('early', [SERVER], (server) => (server as unknown as { resolve(asked: unknown): unknown }).resolve(Late))
    await assert.rejects(bootstrap(plugin('App', { providers: [early, Late] })), {
      message: /Late \(in App\) does not exist yet: the application is still being constructed\./,
    })
  })

  test('of the instance that a plugin gets sees what that plugin sees', async () => {
    let seen: unknown
    class Setup {
      setup(instance: Server & { resolve(asked: unknown): unknown }) {
        seen = instance.resolve(SECRET)
      }
    }
    const Asking = plugin('Asking', { providers: [{ provide: SECRET, useValue: 'own' }] }, Setup)
    await serve(plugin('App', { imports: [Asking, Child] }), async () => {})
    assert.equal(seen, 'own')
  })
})

describe('setup(instance, options)', () => {
  test('runs with the instance of the context, the options of the import and the injected constructor', async () => {
    class Greeting {
      readonly text = 'hello'
    }
    class Base implements PluginSetup<{ name: string }> {
      static readonly inject = [Greeting] as const
      constructor(private readonly greeting: Greeting) {}
      async setup(instance: Server, { name }: { name: string }) {
        await Promise.resolve()
        instance.get('/', () => `${this.greeting.text} ${name}`)
      }
    }
    @Plugin({ providers: [Greeting] })
    class Greeter extends Base {}
    await serve(
      plugin('App', { imports: [use(Greeter, { name: 'Ada', prefix: '/ada' }), use(Greeter, { name: 'Bob', prefix: '/bob' })] }),
      async (server) => {
        assert.equal((await server.inject('/ada')).body, 'hello Ada')
        assert.equal((await server.inject('/bob')).body, 'hello Bob')
      },
    )
  })

  test('comes before the routes of the plugin: what it decorates is there', async () => {
    class Setup {
      setup(instance: Server) {
        instance.decorateRequest('late', 'in time')
      }
    }
    await serve(plugin('App', { routes: [route('/', ({ late }) => late)] }, Setup), async (server) => {
      assert.equal((await server.inject('/')).body, 'in time')
    })
  })

  test('that fails fails the boot', async () => {
    class Setup {
      async setup() {
        throw new Error('no setup')
      }
    }
    await assert.rejects(bootstrap(plugin('App', {}, Setup)), { message: 'no setup', context: 'App' })
  })

  test('that fails is what is reported, though closing fails too or never ends', { timeout: 5000 }, async () => {
    const ends: (() => unknown)[] = [
      () => {
        throw new Error('no end')
      },
      () => new Promise(() => {}),
    ]
    for (const end of ends) {
      class Setup {
        async setup(instance: Server) {
          instance.addHook('onClose', end)
          throw new Error('no setup')
        }
      }
      await assert.rejects(bootstrap(plugin('App', {}, Setup), { pluginTimeout: 100 }), { message: 'no setup' })
    }
  })
})

describe('an error of the boot says in its context what was being made', () => {
  test('when a constructor throws', async () => {
    class GetTwo {
      constructor() {
        throw new Error('broken')
      }
      handle() {}
    }
    Route({ method: 'GET', path: '/two' })(GetTwo)
    const App = plugin('App', { imports: [plugin('PublicPlugin', { routes: [GetTwo] })] })
    await assert.rejects(bootstrap(App), { message: 'broken', context: 'App > PublicPlugin > GetTwo' })
  })

  test('when a factory never settles', async () => {
    const KEY = token<number>('KEY')
    const never = factory(KEY, [], () => new Promise<number>(() => {}))
    const App = plugin('App', { imports: [plugin('PublicPlugin', { providers: [never] })] })
    await assert.rejects(bootstrap(App, { pluginTimeout: 100 }), {
      code: 'ALC_ERR_PLUGIN_TIMEOUT',
      message: /App > PublicPlugin > KEY was being constructed/,
      context: 'App > PublicPlugin > KEY',
    })
  })

  test('when a plugin function fails', async () => {
    const culprit = use(async function culprit() {
      throw new Error('broken')
    })
    const App = plugin('App', { imports: [plugin('PublicPlugin', { imports: [culprit] })] })
    await assert.rejects(bootstrap(App), { message: 'broken', context: 'App > PublicPlugin > culprit' })
  })
})

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
      assert.throws(() => check(plugin('App', { imports: [ofRequest] })), /the options of greet.* depends on request-scoped REQUEST/)
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

describe('@Plugin declares for its context and below', () => {
  const both = (options: PluginOptions, make: () => Class): Class =>
    plugin('App', {
      imports: [
        plugin('In', { prefix: '/in', ...options, routes: [make()], imports: [plugin('Below', { prefix: '/below', routes: [make()] })] }),
        plugin('Out', { prefix: '/out', routes: [make()] }),
      ],
    })
  const ask = async (App: Class, request: object = {}): Promise<string[]> =>
    serve(App, async (server) => {
      const answers: string[] = []
      for (const url of ['/in', '/in/below', '/out']) answers.push((await server.inject({ url, ...request })).body)
      return answers
    })

  test('members of the instance, of requests and of replies', async () => {
    const App = both({ decorate: { a: 1 }, decorateRequest: { b: 2 }, decorateReply: { c: 3 } }, () =>
      route('/', (request, reply) => `${request.server.a} ${request.b} ${(reply as any).c}`),
    )
    assert.deepEqual(await ask(App), ['1 2 3', '1 2 3', 'undefined undefined undefined'])
  })

  test('request decorators as accessors', async () => {
    const App = both(
      {
        decorateRequest: {
          shout: {
            getter: function (this: Request) {
              return this.url.toUpperCase()
            },
          },
        },
      },
      () => route('/', ({ shout }) => String(shout)),
    )
    assert.deepEqual(await ask(App), ['/IN', '/IN/BELOW', 'undefined'])
  })

  test('hooks, one or several', async () => {
    const mark = (text: string) => async (request: any) => void (request.mark = (request.mark ?? '') + text)
    const App = both({ hooks: { onRequest: mark('a'), preHandler: [mark('b'), mark('c')] } }, () => route('/', ({ mark }) => String(mark)))
    assert.deepEqual(await ask(App), ['abc', 'abc', 'undefined'])
  })

  test('an error handler', async () => {
    const App = both({ errorHandler: (error, _request, reply) => reply.code(418).send(`mine: ${error.message}`) }, () =>
      route('/', () => {
        throw new Error('oops')
      }),
    )
    const [inside, below, out] = await ask(App)
    assert.deepEqual([inside, below], ['mine: oops', 'mine: oops'])
    assert.match(out!, /Internal Server Error/)
  })

  test('a not-found handler for its prefix', async () => {
    const App = both({ notFoundHandler: (_request, reply) => reply.code(404).send('nothing here') }, () => route('/', () => ''))
    await serve(App, async (server) => {
      assert.equal((await server.inject('/in/nowhere')).body, 'nothing here')
      assert.match((await server.inject('/out/nowhere')).body, /"Route GET:\/out\/nowhere not found"/)
    })
  })

  test('content-type parsers', async () => {
    const App = both(
      { contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse: (_request, body, done) => done(null, body.split(',')) }] },
      () => route('/', ({ body }) => body, 'POST'),
    )
    const [inside, below, out] = await ask(App, { method: 'POST', payload: 'a,b', headers: { 'content-type': 'text/csv' } })
    assert.deepEqual([inside, below], ['["a","b"]', '["a","b"]'])
    assert.match(out!, /Unsupported Media Type/)
  })

  test('validator and serializer compilers, and the formatter of validation errors', async () => {
    const schema = { querystring: { type: 'object', required: ['q'] }, response: { 200: { type: 'object' } } }
    const make = (): Class => {
      const Made = route('/', () => ({ a: 1 }))
      SchemaOn(schema)(Made as never)
      return Made
    }
    const compiled = both({ validatorCompiler: () => () => true, serializerCompiler: () => (value) => `<${JSON.stringify(value)}>` }, make)
    const [inside, below, out] = await ask(compiled)
    assert.deepEqual([inside, below], ['<{"a":1}>', '<{"a":1}>'])
    assert.match(out!, /querystring should have required property 'q'/)

    const buildSerializer = () => () => (value: unknown) => `<${JSON.stringify(value)}>`
    const controlled = both({ schemaController: { compilersFactory: { buildSerializer } } }, make)
    assert.deepEqual(await ask(controlled, { query: { q: '1' } }), ['<{"a":1}>', '<{"a":1}>', '{}'])

    const formatted = both({ schemaErrorFormatter: (errors, dataVar) => new Error(`${dataVar}: ${errors[0]!.keyword}`) }, make)
    const [own, lower, other] = await ask(formatted)
    for (const body of [own, lower]) assert.equal(JSON.parse(body!).message, 'querystring: required')
    assert.match(other!, /querystring should have required property 'q'/)
  })

  test('shared schemas', async () => {
    const referring = (): Class => {
      const Made = route('/', () => ({ name: 'Ada', secret: true }))
      SchemaOn({ response: { 200: { $ref: 'person#' } } })(Made as never)
      return Made
    }
    const person = { $id: 'person', type: 'object', properties: { name: { type: 'string' } } }
    const Inside = plugin('In', {
      schemas: [person],
      routes: [referring()],
      imports: [plugin('Below', { prefix: '/below', routes: [referring()] })],
    })
    await serve(plugin('App', { imports: [Inside] }), async (server) => {
      assert.equal((await server.inject('/')).body, '{"name":"Ada"}')
      assert.equal((await server.inject('/below')).body, '{"name":"Ada"}')
    })
    await assert.rejects(bootstrap(plugin('App', { imports: [plugin('In', { schemas: [person] })], routes: [referring()] })), /person/)
  })
})

test('what a shared plugin declares is at its parent: every kind of it', async () => {
  const Shared = plugin('Shared', {
    decorate: { a: 1 },
    decorateRequest: { b: 2 },
    decorateReply: { c: 3 },
    schemas: [{ $id: 'x', type: 'object' }],
    hooks: { onRequest: async (request: any) => void (request.hooked = true) },
    contentTypeParsers: [{ type: 'text/csv', parse: (_request, _payload, done) => done(null, 'csv') }],
    errorHandler: (_error, _request, reply) => reply.code(418).send('handled'),
    providers: [{ provide: 'who', useValue: 'shared' }],
  })
  class Own {
    static readonly inject = ['who'] as const
    constructor(private readonly who: string) {}
    handle(request: any, reply: any) {
      if (request.query.fail) throw new Error('fail')
      return [
        request.server.a,
        request.b,
        reply.c,
        request.server.getSchema('x')?.$id,
        request.hooked,
        request.server.hasContentTypeParser('text/csv'),
        this.who,
      ]
    }
  }
  Route({ method: 'GET', path: '/' })(Own)
  await serve(plugin('App', { imports: [shared(Shared)], routes: [Own] }), async (server) => {
    assert.deepEqual((await server.inject('/')).json(), [1, 2, 3, 'x', true, true, 'shared'])
    assert.equal((await server.inject('/?fail=1')).body, 'handled')
  })
})
