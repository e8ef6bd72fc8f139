import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, ReportsController } from './plain-calls.js'

test('a class whose decorators are called has its prefix, its hook and its route', async () => {
  await using app = await testServer(App)
  assert.equal((await app.call(ReportsController, 'list')).status, 401)
  assert.deepEqual((await app.call(ReportsController, 'list', { headers: { 'x-user': 'ada' } })).body, ['2026-11'])
})
