import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, testServer, type TestServer } from 'alcove'
import { App, options } from './app.js'
import { AuthorsController } from './authors/authors.plugin.js'
import { BooksController } from './books/books.controller.js'
import { EditingController } from './books/editing.plugin.js'
import { UsersController } from './users/users.controller.js'

const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1976 }

/** Registers a user, and logs in. */
async function login(app: TestServer, email: string): Promise<{ authorization: string }> {
  const body = { email, password: 'a long password' }
  await app.call(UsersController, 'register', { body }).expect(201)
  const { token } = await app.call(UsersController, 'login', { body }).expect(200)
  return { authorization: `Bearer ${token}` }
}

test('the wiring is right', () => check(App))

test('a book is created, changed and removed by its owner', async () => {
  await using app = await testServer(App, { server: options })
  const headers = await login(app, 'ada@example.com')
  const { id } = await app.call(EditingController, 'create', { headers, body: kindred }).expect(201)
  await app.call(EditingController, 'change', { headers, params: { id }, body: { year: 1979 } }).expect(200)
  const nothing = { method: 'PATCH', url: `/books/${id}`, headers, payload: { year: null } } as const
  assert.equal((await app.inject(nothing)).statusCode, 400)
  assert.deepEqual(await app.call(BooksController, 'list').expect(200), [{ id, ...kindred, year: 1979 }])
  assert.deepEqual(await app.call(AuthorsController, 'list').expect(200), ['Octavia E. Butler'])
  await app.call(EditingController, 'remove', { headers, params: { id } }).expect(204)
  const { detail } = await app.call(BooksController, 'find', { params: { id } }).expect(404)
  assert.equal(detail, 'There is no such book')
})

test('only its owner changes a book', async () => {
  await using app = await testServer(App, { server: options })
  const { id } = await app.call(EditingController, 'create', { headers: await login(app, 'ada@example.com'), body: kindred }).expect(201)
  const change = { params: { id }, body: { year: 1979 } }
  assert.equal((await app.call(EditingController, 'change', change)).status, 401)
  assert.equal((await app.call(EditingController, 'change', { ...change, headers: await login(app, 'bob@example.com') })).status, 403)
})
