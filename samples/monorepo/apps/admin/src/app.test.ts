import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App } from './app.js'

test('only the area of tenants asks for a key', async () => {
  await using app = await testServer(App)
  const statusOf = async (url: string, key?: string) =>
    (await app.inject({ url, headers: key === undefined ? {} : { 'x-tenant-key': key } })).statusCode
  assert.deepEqual([await statusOf('/health'), await statusOf('/tenant/reports')], [200, 401])
  // The key of the other application is unknown here.
  assert.deepEqual([await statusOf('/tenant/reports', 'admin-key'), await statusOf('/tenant/reports', 'shop-key')], [200, 401])
})
