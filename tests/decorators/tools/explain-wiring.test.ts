/** The plugins in an explanation: what they provide and construct, with lifetimes and dependencies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, createServer, explain, Plugin, Route, SERVER, shared } from 'alcove'
import { Shop } from '../../fixtures/explained-shop.js'

test('a plugin is explained with its providers and classes, their lifetimes and the plugins that they get their dependencies from', async () => {
  await using server = await bootstrap(Shop)
  const orders = explain(server).plugins.find(({ path }) => path === 'Shop > OrdersPlugin')
  const db = { name: 'Db', from: 'Shop' }
  const log = { name: 'RequestLog', from: 'Shop > OrdersPlugin' }
  assert.deepEqual(orders, {
    path: 'Shop > OrdersPlugin',
    context: 'Shop > OrdersPlugin',
    prefix: '',
    isShared: false,
    providers: [
      { name: 'Orders', lifetime: 'request', needs: [db, log, { name: 'Mailer', from: 'Shop' }], isPrivate: false },
      { name: 'RequestLog', lifetime: 'request', needs: [db], isPrivate: false },
    ],
    classes: [
      { name: 'OrdersPlugin', lifetime: 'context', needs: [] },
      { name: 'OrdersController', lifetime: 'request', needs: [{ name: 'Orders', from: 'Shop > OrdersPlugin' }] },
      { name: 'RequireUser', lifetime: 'context', needs: [] },
    ],
    jobs: [],
  })
})

test('a shared plugin declares in the context of its importer, and a value of alcove comes from no plugin', async () => {
  class Secret {}
  @Plugin({ providers: [Secret], private: [Secret] })
  class Tools {
    static readonly inject = [SERVER] as const
    constructor(readonly server: unknown) {}
  }
  @Route({ method: 'GET', path: '/' })
  class Home {
    handle() {
      return {}
    }
  }
  @Plugin({ imports: [shared(Tools)], routes: [Home] })
  class App {}
  await using server = await bootstrap(App)
  const tools = explain(server).plugins[1]!
  assert.deepEqual([tools.path, tools.context, tools.isShared], ['App > Tools', 'App', true])
  assert.deepEqual(tools.providers, [{ name: 'Secret', lifetime: 'context', needs: [], isPrivate: true }])
  assert.deepEqual(tools.classes, [{ name: 'Tools', lifetime: 'context', needs: [{ name: 'SERVER' }] }])
})

test('a server without classes has no plugins', async () => {
  await using server = createServer()
  await server.ready()
  assert.deepEqual(explain(server).plugins, [])
})
