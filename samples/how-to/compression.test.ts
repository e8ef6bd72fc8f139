import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App } from './compression.js'

test('the list is compressed for clients that take it', async () => {
  await using app = await testServer(App)
  const { headers } = await app.inject({ url: '/reports', headers: { 'accept-encoding': 'br' } })
  assert.deepEqual([headers['content-encoding'], headers['vary']], ['br', 'Accept-Encoding'])
})
