// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { Users, UsersController, UsersPlugin } from './injection.js'

test('a user is shown by name', async () => {
  await using app = await testServer(UsersPlugin, { override: [[Users, { find: () => 'Grace' }]] })
  assert.deepEqual(await app.call(UsersController, 'find', { params: { id: 7 } }).expect(200), { name: 'Grace' })
})
// #endregion

test('a user that is not there is a 404', async () => {
  await using app = await testServer(UsersPlugin)
  assert.deepEqual(await app.call(UsersController, 'find', { params: { id: 1 } }).expect(200), { name: 'Ada' })
  assert.equal((await app.call(UsersController, 'find', { params: { id: 2 } })).status, 404)
})
