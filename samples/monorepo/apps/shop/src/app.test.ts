import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tenants } from '@acme/tenants'
import { testServer } from 'alcove'
import { App } from './app.js'

test('an order belongs to the tenant of the key', async () => {
  await using app = await testServer(App)
  const headers = { 'x-tenant-key': 'shop-key' }
  assert.deepEqual((await app.inject({ url: '/orders', headers })).json(), { orders: [], of: 'Anna' })
})

test('what the package provides is replaced as if it were declared here', async () => {
  await using app = await testServer(App, { override: [[Tenants, { find: () => 'a test' }]] })
  assert.deepEqual((await app.inject('/orders')).json(), { orders: [], of: 'a test' })
})
