/** The tests of docs/how-to/access-rules.md. */
// #region test
import { test } from 'node:test'
import { access } from 'alcove'
import { AdminPlugin, App, CardNumbers, ProductsController, RequireAdmin, RequireUser } from './access-rules.js'

test('who reaches what', () => {
  access(App)
    .routes('/admin/**')
    .run(RequireUser, RequireAdmin)
    .routes('/**')
    .except(ProductsController, 'POST /sessions')
    .run(RequireUser)
    .every(({ limits }) => limits.bodyLimit === undefined || limits.bodyLimit <= 1_048_576 || 'its bodies may be too large')
  access(App).plugin(AdminPlugin).neverSees(CardNumbers)
})
// #endregion

import assert from 'node:assert/strict'
import { check, Controller, Get, Plugin, testServer, type WiringError } from 'alcove'

test('the rules of the page hold, and a route that is added without a guard breaks them', async () => {
  check(App)
  await using app = await testServer(App)
  const statusOf = async (url: string, key?: string): Promise<number> =>
    (await app.inject({ url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })).statusCode
  assert.deepEqual(
    [await statusOf('/admin/reports'), await statusOf('/admin/reports', 'bob'), await statusOf('/admin/reports', 'ada')],
    [401, 403, 200],
  )
  assert.equal(await statusOf('/products'), 200)

  @Controller('/export')
  class ExportController {
    @Get()
    all() {
      return {}
    }
  }
  @Plugin({ routes: [ExportController], imports: [App] })
  class Grown {}
  check(Grown)
  assert.throws(
    () => access(Grown).routes('/**').except(ProductsController, 'POST /sessions').run(RequireUser),
    ({ faults }: WiringError) => faults.length === 1 && faults[0]!.place === 'Grown > ExportController.all',
  )
})
