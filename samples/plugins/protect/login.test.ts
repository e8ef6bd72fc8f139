// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App } from './limit.js'
import { LoginController } from './login.js'

test('the eleventh login within a minute is refused', async () => {
  await using app = await testServer(App)
  const logIn = () => app.call(LoginController, 'login', { body: { password: 'guess' } })
  for (let attempt = 1; attempt <= 10; attempt += 1) assert.equal((await logIn()).status, 401)
  const refused = await logIn()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
})
// #endregion
