import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestServer } from 'alcove'
import { newUser, startApp } from '../testing.js'
import { UsersController } from './users.controller.js'

let app: TestServer
before(async () => {
  app = await startApp()
})
after(() => app.close())

test('a user registers, logs in and is known by the token', async () => {
  const { email, headers } = await newUser(app)
  const me = await app.call(UsersController, 'me', { headers }).expect(200)
  assert.equal(me.email, email)
})

test('an address has one account, in capitals too', async () => {
  const { email } = await newUser(app)
  const { status } = await app.call(UsersController, 'register', { body: { email: email.toUpperCase(), password: 'another password' } })
  assert.equal(status, 409)
})

test('a wrong password and an unknown address get the same answer', async () => {
  const { email } = await newUser(app)
  const wrong = await app.call(UsersController, 'login', { body: { email, password: 'not this one' } })
  const unknown = await app.call(UsersController, 'login', { body: { email: `x${email}`, password: 'not this one' } })
  assert.deepEqual([wrong.status, wrong.body], [401, unknown.body])
})
