import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  type Class,
  factory,
  optionsFrom,
  Plugin,
  type PluginSetup,
  Route,
  type Server,
  shared,
  token,
  use,
  type WiringError,
} from 'alcove'
import { plugin, route, serve } from '../../fixtures/applications.js'

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

  for (const [what, make] of Object.entries({
    'a shared plugin': (Files: Class) => plugin('App', { imports: [shared(Files)] }),
    'the application': (Files: Class) => Files,
  })) {
    test(`of ${what} with a prefix adds no routes outside of it: they would silently lack it`, async () => {
      const files = (path: string): Class => {
        class Files {
          setup(instance: Server) {
            instance.get(path, () => 'file')
          }
        }
        Plugin({ name: 'Files', prefix: '/static', routes: [route('/index', () => 'index')] })(Files)
        return Files
      }
      for (const path of ['/files/:name', '/statics'])
        await assert.rejects(bootstrap(make(files(path))), (error: WiringError) => {
          assert.deepEqual(
            error.faults.map(({ code }) => code),
            ['SETUP_OUTSIDE_PREFIX'],
          )
          assert.match(error.message, new RegExp(`The setup of .*Files adds GET ${path}, without the prefix /static`))
          return true
        })
      await serve(make(files('/static/:name')), async (server) => {
        assert.deepEqual([(await server.inject('/static/a')).body, (await server.inject('/static/index')).body], ['file', 'index'])
      })
    })
  }

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
      // On a busy machine the construction of App takes so long that it is named too.
      message:
        /^The factory of KEY \(in App > PublicPlugin\) has not settled its promise(?: within 100 ms|.* App \(in App\) took \d+ ms)\. If it needs longer, raise pluginTimeout \(ms; 0: no limit\)\.$/,
      stack: /^AlcoveError: The factory of KEY \(in App > PublicPlugin\)|^Error \[AlcoveError\]: The factory/,
      context: 'App > PublicPlugin > KEY',
    })
  })

  test('when factories take too long together: those before the one that was not over are named with their times', async () => {
    const [FIRST, SECOND, QUICK, OTHER] = [token<object>('FIRST'), token<object>('SECOND'), token<object>('QUICK'), token<object>('OTHER')]
    const after = (ms: number) => () => new Promise<object>((resolve) => setTimeout(() => resolve({}), ms))
    const below = plugin('Below', { providers: [factory(QUICK, [], () => ({})), factory(SECOND, [], after(1000))] })
    const beside = plugin('Beside', { providers: [factory(OTHER, [], after(20))] })
    const App = plugin('App', { providers: [factory(FIRST, [], after(100))], imports: [beside, below] })
    await assert.rejects(bootstrap(App, { pluginTimeout: 300 }), {
      code: 'ALC_ERR_PLUGIN_TIMEOUT',
      message:
        /^The factory of SECOND \(in App > Below\) has not settled its promise\. The instances of a plugin and of the plugins above it have 300 ms together, of which FIRST \(in App\) took \d+ ms\. If it needs longer, raise pluginTimeout \(ms; 0: no limit\)\.$/,
      context: 'App > Below > SECOND',
    })
  })

  test('when the factory of a dependency fails or never settles: it is named, not the class that asks for it first', async () => {
    const KEY = token<number>('KEY')
    class Health {
      static readonly inject = [KEY] as const
      constructor(readonly key: number) {}
      handle() {}
    }
    Route({ method: 'GET', path: '/health' })(Health)
    const made = (make: () => Promise<number>) =>
      plugin('App', { imports: [plugin('HealthPlugin', { routes: [Health], shared: true })], providers: [factory(KEY, [], make)] })
    const fails = made(async () => {
      throw new Error('no such folder')
    })
    await assert.rejects(bootstrap(fails), { message: 'no such folder', context: 'App > KEY' })
    await assert.rejects(
      bootstrap(
        made(() => new Promise(() => {})),
        { pluginTimeout: 100 },
      ),
      {
        message: /^The factory of KEY \(in App\) has not settled its promise(?: within 100 ms\.|\. .* took \d+ ms\.)/,
        context: 'App > KEY',
      },
    )
  })

  test('when the options of a plugin function fail or are never computed', async () => {
    const optionsOf = (make: () => unknown) =>
      plugin('App', { imports: [use(async function jwt() {}, optionsFrom([], make as () => object) as never)] })
    const fails = optionsOf(() => {
      throw new Error('no key')
    })
    await assert.rejects(bootstrap(fails), { message: 'no key', context: 'App > the options of jwt' })
    await assert.rejects(
      bootstrap(
        optionsOf(() => new Promise(() => {})),
        { pluginTimeout: 100 },
      ),
      {
        message: /^The factory of the options of jwt \(in App\) has not settled its promise within 100 ms\./,
      },
    )
  })

  test('when setup never settles', async () => {
    class Setup {
      setup() {
        return new Promise(() => {})
      }
    }
    await assert.rejects(bootstrap(plugin('App', {}, Setup), { pluginTimeout: 100 }), {
      message: /App\.setup was not over\. If it needs longer, raise pluginTimeout/,
      context: 'App',
    })
  })

  test('when a plugin function fails', async () => {
    const culprit = use(async function culprit() {
      throw new Error('broken')
    })
    const App = plugin('App', { imports: [plugin('PublicPlugin', { imports: [culprit] })] })
    await assert.rejects(bootstrap(App), { message: 'broken', context: 'App > PublicPlugin > culprit' })
  })

  test('the plugin whose setup failed, also if it is shared, unless a plugin that it registers is nearer', async () => {
    class Failing {
      setup() {
        throw new Error('no setup')
      }
    }
    const Inner = plugin('Inner', {}, Failing)
    const shared = plugin('Shared', { shared: true, imports: [Inner] })
    await assert.rejects(bootstrap(plugin('App', { imports: [shared] })), { message: 'no setup', context: 'App > Shared > Inner' })
    const SharedToo = plugin('SharedToo', { shared: true }, Failing)
    await assert.rejects(bootstrap(plugin('App', { imports: [SharedToo] })), { message: 'no setup', context: 'App > SharedToo' })
    class Registering {
      async setup(instance: Server) {
        await instance.register(async function culprit() {
          throw new Error('no function')
        })
      }
    }
    await assert.rejects(bootstrap(plugin('App', {}, Registering)), { message: 'no function', context: 'App > culprit' })
  })
})
