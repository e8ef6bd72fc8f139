import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  explain,
  factory,
  Injectable,
  LOGGER,
  PLUGIN_OPTIONS,
  REQUEST,
  ResolutionError,
  SERVER,
  type Server,
  token,
} from 'alcove'
import { plugin, serve } from '../../fixtures/applications.js'

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
