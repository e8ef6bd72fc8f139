import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, Greetings, GreetingsController } from './app.js'

test('a greeting that exists is found by its number', async () => {
  await using app = await testServer(App, { override: [[Greetings, { add: () => ({ id: 7, name: 'Ada' }), find: () => 'Ada' }]] })
  const found = await app.call(GreetingsController, 'find', { params: { id: 7 } }).expect(200)
  assert.deepEqual(found, { id: 7, name: 'Ada' })
})
