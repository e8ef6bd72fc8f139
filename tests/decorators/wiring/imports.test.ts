import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  bootstrap,
  type BootstrappedServer,
  check,
  type Class,
  Controller,
  explain,
  Get,
  Plugin,
  PLUGIN_OPTIONS,
  shared,
  testServer,
  use,
  WiringError,
} from 'alcove'

function plugin(name: string, options: object = {}): Class {
  class Made {}
  Plugin({ name, ...options })(Made)
  return Made
}

const servers: BootstrappedServer[] = []
after(() => Promise.all(servers.map((server) => server.close())))

/** A listening server of an application; returns the status and body of a request. */
async function serve(App: Class): Promise<(path: string) => Promise<string>> {
  const server = await bootstrap(App)
  servers.push(server)
  const base = await server.listen({ port: 0, host: '127.0.0.1' })
  return async (path) => {
    const response = await fetch(base + path)
    return `${response.status} ${response.status === 404 ? '' : await response.text()}`.trim()
  }
}

function faultsOf(App: Class): readonly string[] {
  try {
    check(App)
  } catch (error) {
    return (error as WiringError).faults.map(({ code, message }) => `${code} ${message}`)
  }
  return []
}

let made = 0
/** Counts its instances. */
class Users {
  readonly number = ++made
}
@Controller('/users')
class UsersController {
  static readonly inject = [Users] as const
  constructor(private readonly users: Users) {}
  @Get('/')
  index() {
    return String(this.users.number)
  }
}
@Plugin({ providers: [Users], routes: [UsersController] })
class UsersPlugin {}

/** A route that answers which instance of Users it sees. */
function asking(path: string): Class {
  class Asks {
    static readonly inject = [Users] as const
    constructor(private readonly users: Users) {}
    index() {
      return String(this.users.number)
    }
  }
  Get('/')(Asks.prototype, 'index', Object.getOwnPropertyDescriptor(Asks.prototype, 'index'))
  Controller(path)(Asks)
  return Asks
}

describe('a plugin that an ancestor shares', () => {
  for (const [how, imported] of [
    ['by its class', UsersPlugin],
    ['with shared()', shared(UsersPlugin)],
    ['with use() without options', use(UsersPlugin)],
  ] as const) {
    test(`has one instance, and its routes once, if plugins below import it ${how}`, async () => {
      made = 0
      const Auth = plugin('Auth', { prefix: '/auth', imports: [imported], routes: [asking('/who')] })
      const Billing = plugin('Billing', { imports: [plugin('Invoices', { imports: [imported], routes: [asking('/invoices')] })] })
      for (const imports of [
        [shared(UsersPlugin), Auth, Billing],
        [Auth, Billing, shared(UsersPlugin)],
      ]) {
        made = 0
        const ask = await serve(plugin('App', { imports }))
        assert.deepEqual(await Promise.all(['/users', '/auth/who', '/invoices', '/auth/users'].map(ask)), [
          '200 1',
          '200 1',
          '200 1',
          '404',
        ])
        assert.equal(made, 1)
      }
    })
  }

  test('has one instance if two shared plugins of one context share it too', async () => {
    made = 0
    const Auth = plugin('Auth', { imports: [shared(UsersPlugin)], routes: [asking('/auth')] })
    const Billing = plugin('Billing', { imports: [shared(UsersPlugin)], routes: [asking('/billing')] })
    const ask = await serve(plugin('App', { imports: [shared(Auth), shared(Billing)] }))
    assert.deepEqual(await Promise.all(['/users', '/auth', '/billing'].map(ask)), ['200 1', '200 1', '200 1'])
  })

  test('is made by the import itself if the plugin below is mounted alone', async () => {
    const Auth = plugin('Auth', { imports: [shared(UsersPlugin)], routes: [asking('/who')] })
    made = 0
    await using app = await testServer(Auth)
    assert.equal((await app.inject('/who')).body, '1')
  })

  test('has a further instance for an import with options or a prefix', async () => {
    made = 0
    const Admin = plugin('Admin', { imports: [use(UsersPlugin, { prefix: '/admin' })] })
    const ask = await serve(plugin('App', { imports: [shared(UsersPlugin), Admin] }))
    assert.deepEqual(await Promise.all(['/users', '/admin/users'].map(ask)), ['200 1', '200 2'])
  })

  test('is the instance with its options that the ancestor gave', async () => {
    class Settings {
      setup(_instance: unknown, _options: { url: string }): void {}
    }
    Plugin({ providers: [{ provide: 'URL', useFactory: (given: { url: string }) => given.url, inject: [PLUGIN_OPTIONS] }] })(Settings)
    class Reads {
      static readonly inject = ['URL'] as const
      constructor(private readonly url: unknown) {}
      index() {
        return this.url
      }
    }
    Get('/')(Reads.prototype, 'index', Object.getOwnPropertyDescriptor(Reads.prototype, 'index'))
    Controller('/url')(Reads)
    // Types do not know that the ancestor gives the options.
    const Below = plugin('Below', { imports: [shared(Settings as never)], routes: [Reads] })
    const ask = await serve(plugin('App', { imports: [shared(use(Settings, { url: 'db:1' })), Below] }))
    assert.equal(await ask('/url'), '200 db:1')
  })

  test('keeps the routes of both prefixes if one context shares it below two prefixes', async () => {
    @Controller('/ping')
    class Ping {
      @Get('/')
      index() {
        return 'pong'
      }
    }
    const Pings = plugin('Pings', { routes: [Ping] })
    const One = plugin('One', { prefix: '/one', imports: [shared(Pings)] })
    const Two = plugin('Two', { prefix: '/two', imports: [shared(Pings)] })
    const ask = await serve(plugin('App', { imports: [shared(One), shared(Two)] }))
    assert.deepEqual(await Promise.all(['/one/ping', '/two/ping'].map(ask)), ['200 pong', '200 pong'])
  })

  test('may not import a plugin that uses it', () => {
    const options: { name: string; imports: unknown[] } = { name: 'Billing', imports: [] }
    class Billing {}
    const Auth = plugin('Auth', { imports: [Billing] })
    options.imports.push(Auth)
    Plugin(options as object)(Billing)
    const App = plugin('App', { imports: [shared(Auth), shared(Billing)] })
    assert.deepEqual(
      faultsOf(App).map((text) => text.split('.')[0]),
      ['IMPORT_CIRCLE Auth imports itself: Auth > Billing > Auth', 'IMPORT_CIRCLE Billing imports itself: Billing > Auth > Billing'],
    )
  })

  test('is shown by explain where it is used', async () => {
    const Auth = plugin('Auth', { imports: [shared(UsersPlugin)], routes: [asking('/who')] })
    await using app = await testServer(plugin('App', { imports: [shared(UsersPlugin), Auth] }))
    const explanation = explain(app.server)
    assert.deepEqual(explanation.uses, [{ plugin: 'App > UsersPlugin', by: 'App > Auth' }])
    assert.match(String(explanation), /── Auth {2}\(uses App > UsersPlugin\)/)
    assert.deepEqual(JSON.parse(JSON.stringify(explanation)).uses, explanation.uses)
  })
})

describe('a plugin that two plugins import and no common ancestor shares', () => {
  const Auth = plugin('Auth', { imports: [shared(UsersPlugin)] })
  const Billing = plugin('Billing', { imports: [UsersPlugin] })

  test('is a fault that names both importers and their nearest common ancestor', () => {
    assert.deepEqual(faultsOf(plugin('App', { imports: [plugin('Api', { imports: [Auth, Billing] })] })), [
      'PLUGIN_IMPORTED_TWICE App > Api > Auth and App > Api > Billing each import UsersPlugin: it has two instances, and both declare GET /users. ' +
        'Import shared(UsersPlugin) in App > Api: that one instance then serves both, and their own imports may stay. ' +
        'For two instances, give the imports different prefixes with use(UsersPlugin, { prefix }).',
    ])
  })

  test('is found above the plugin whose routes are repeated', () => {
    class Outer {}
    Plugin({ imports: [UsersPlugin] })(Outer)
    const App = plugin('App', { imports: [plugin('A', { imports: [Outer] }), plugin('B', { imports: [Outer] })] })
    assert.match(faultsOf(App)[0]!, /^PLUGIN_IMPORTED_TWICE App > A and App > B each import Outer: .* Import shared\(Outer\) in App:/)
  })

  test('is a fault with another cure if one plugin imports it twice', () => {
    assert.deepEqual(faultsOf(plugin('App', { imports: [UsersPlugin, UsersPlugin] })), [
      'PLUGIN_IMPORTED_TWICE App imports UsersPlugin twice: it has two instances, and both declare GET /users. ' +
        'Keep one of these imports, or give them different prefixes with use(UsersPlugin, { prefix }).',
    ])
  })

  test('needs different prefixes if the imports have options of their own', () => {
    const A = plugin('A', { imports: [use(UsersPlugin, { table: 'a' })] })
    const B = plugin('B', { imports: [use(UsersPlugin, { table: 'b' })] })
    assert.match(faultsOf(plugin('App', { imports: [A, B] }))[0]!, /both declare GET \/users\. Give these imports different prefixes/)
  })

  test('has an instance for each if it has no routes', async () => {
    const Model = plugin('Model', { providers: [Users] })
    made = 0
    const A = plugin('A', { imports: [shared(Model)], routes: [asking('/a')] })
    const B = plugin('B', { imports: [shared(Model)], routes: [asking('/b')] })
    const ask = await serve(plugin('App', { imports: [A, B] }))
    assert.deepEqual(await Promise.all(['/a', '/b'].map(ask)), ['200 1', '200 2'])
  })
})

test('a prefix that the import gives replaces that of the plugin', async () => {
  const Own = plugin('Own', { prefix: '/own', providers: [Users], routes: [asking('/who')] })
  made = 0
  const ask = await serve(plugin('App', { imports: [Own, use(Own, { prefix: '/given' }), use(Own, { prefix: '/' })] }))
  assert.deepEqual(await Promise.all(['/own/who', '/given/who', '/who', '/own/given/who'].map(ask)), ['200 1', '200 2', '200 3', '404'])
})
