import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Controller, Get, Plugin, testServer, use } from 'alcove'
import { Tenant, TenantPlugin } from './index.js'
import type { RouteRequest } from 'alcove'

@Controller('/who')
class WhoController {
  @Get()
  show({ tenant }: RouteRequest<unknown, [typeof Tenant]>) {
    return { tenant }
  }
}

@Plugin({ imports: [use(TenantPlugin, { tenants: { k1: 'Anna' } })], requires: [Tenant], routes: [WhoController] })
class App {}

test('a known key names the tenant, another one is refused', async () => {
  await using app = await testServer(App)
  assert.deepEqual((await app.inject({ url: '/who', headers: { 'x-tenant-key': 'k1' } })).json(), { tenant: 'Anna' })
  for (const key of ['k2', 'constructor'])
    assert.equal((await app.inject({ url: '/who', headers: { 'x-tenant-key': key } })).statusCode, 401)
})
