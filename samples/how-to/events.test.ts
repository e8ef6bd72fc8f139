// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, BillingPlugin, REGISTERED, SendWelcome, Trials, UsersController, UsersPlugin } from './events.js'

test('a registration begins a trial', async () => {
  await using app = await testServer(App)
  const { status } = await app.call(UsersController, 'register', { body: { email: 'ada@example.com' } })
  assert.equal(status, 201)
  assert.deepEqual(app.resolve(Trials).begun, [1])
})

test('the users emit the event', async () => {
  const emitted: unknown[] = []
  const registered = { name: 'user.registered', emit: async (user: object) => void emitted.push(user) }
  await using app = await testServer(UsersPlugin, { provide: [[REGISTERED, registered]] })
  await app.call(UsersController, 'register', { body: { email: 'ada@example.com' } })
  assert.deepEqual(emitted, [{ id: 1, email: 'ada@example.com' }])
})

test('a handler by itself', async () => {
  await using app = await testServer(App)
  await app.server.runJob(SendWelcome, { id: 1, email: 'ada@example.com' })
})
// #endregion

test('the plugin of the bills needs the event', async () => {
  await assert.rejects(testServer(BillingPlugin), { code: 'ALC_ERR_WIRING' })
})
