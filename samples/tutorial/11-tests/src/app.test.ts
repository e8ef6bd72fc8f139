import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, type TestServer } from 'alcove'
import { App } from './app.js'
import { AuthorsController } from './authors/authors.plugin.js'
import { BooksController } from './books/books.controller.js'
import { EditingController } from './books/editing.plugin.js'
import { newUser, startApp } from './testing.js'

let app: TestServer
before(async () => {
  app = await startApp()
})
after(() => app.close())

test('the wiring is right', () => check(App))

test('a book is created, changed and removed by its owner', async () => {
  const { headers } = await newUser(app)
  const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1976 }
  const { id } = await app.call(EditingController, 'create', { headers, body: kindred }).expect(201)
  await app.call(EditingController, 'change', { headers, params: { id }, body: { year: 1979 } }).expect(200)
  const nothing = { method: 'PATCH', url: `/books/${id}`, headers, payload: { year: null } } as const
  assert.equal((await app.inject(nothing)).statusCode, 400)
  const query = { author: kindred.author }
  assert.deepEqual(await app.call(BooksController, 'list', { query }).expect(200), [{ id, ...kindred, year: 1979 }])
  assert.deepEqual(await app.call(AuthorsController, 'list').expect(200), [kindred.author])
  await app.call(EditingController, 'remove', { headers, params: { id } }).expect(204)
  assert.equal((await app.call(BooksController, 'find', { params: { id } })).status, 404)
})

test('the documentation says what a change of a book answers', async () => {
  assert.equal((await app.inject('/docs')).statusCode, 200)
  const { paths } = (await app.inject('/docs/openapi.json')).json()
  assert.deepEqual(Object.keys(paths['/books/{id}'].patch.responses), ['200', '400', '401', '403', '404', '413', '415', '503'])
})
