// #region plugin
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { AdminPlugin, App, CurrentUser } from './admin.js'
// #endregion
import { describe } from 'alcove/contract'
import { App as PermissionsApp, Needs } from './permissions.js'

// #region plugin
test('the admin area refuses users without the role, and other routes do not ask for it', async () => {
  await using app = await testServer(App)
  const statusOf = async (url: string, key?: string) =>
    (await app.inject({ url, headers: key === undefined ? {} : { 'x-key': key } })).statusCode
  assert.deepEqual(
    [await statusOf('/admin/users'), await statusOf('/admin/users', 'bob-key'), await statusOf('/admin/users', 'ada-key')],
    [401, 403, 200],
  )
  assert.equal(await statusOf('/me', 'bob-key'), 200)
})

test('the area alone is tested with a user that the test gives', async () => {
  await using app = await testServer(AdminPlugin, { provide: [[CurrentUser, { name: 'Eve', roles: ['admin'] }]] })
  assert.deepEqual((await app.inject({ method: 'DELETE', url: '/admin/users/Bob' })).json(), { removed: 'Bob', by: 'Eve' })
})
// #endregion

test('every route of the area is described with the 401 and the 403 of both guards', () => {
  const { routes } = describe(App)
  for (const { url, responses, security } of routes.filter((route) => route.url.startsWith('/admin'))) {
    assert.ok('401' in responses && '403' in responses, url)
    assert.deepEqual(security, [{ key: [] }])
  }
  const me = routes.find(({ url }) => url === '/me')!
  assert.ok('401' in me.responses && !('403' in me.responses))
})

test('a route needs the permission that it names, that of a method takes the place of that of its controller', async () => {
  await using app = await testServer(PermissionsApp)
  const ask = async (method: 'GET' | 'POST', url: string, key: string) => {
    const response = await app.inject({ method, url, headers: { 'x-key': key } })
    return [response.statusCode, response.json()] as const
  }
  assert.deepEqual(await ask('GET', '/orders', 'cleo-key'), [200, { orders: [], canRefund: false }])
  assert.deepEqual(await ask('GET', '/orders', 'mia-key'), [200, { orders: [], canRefund: true }])
  const [status, body] = await ask('POST', '/orders/7/refunds', 'cleo-key')
  assert.deepEqual([status, body.needed], [403, 'orders:refund'])
  assert.deepEqual(await ask('POST', '/orders/7/refunds', 'mia-key'), [201, { refunded: '7' }])
})

test('a route that names no permission is closed', async () => {
  await using app = await testServer(PermissionsApp)
  const { statusCode, body } = await app.inject({ url: '/reports', headers: { 'x-key': 'mia-key' } })
  assert.deepEqual([statusCode, JSON.parse(body).message], [403, 'The route names no permission'])
})

test('a permission that no role has does not compile', () => {
  // @ts-expect-error: 'orders:burn' is in no role
  assert.equal(typeof Needs('orders:burn'), 'function')
})
