import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, testServer } from 'alcove'
import { App, options } from './app.js'
import { AuthorsController } from './authors/authors.plugin.js'
import { BooksController } from './books/books.controller.js'
import { EditingController } from './books/editing.plugin.js'
import { Settings } from './settings.js'

const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1976 }
const headers = { authorization: `Bearer ${new Settings().API_KEY}` }

test('the wiring is right', () => check(App))

test('a book is created, changed and removed', async () => {
  await using app = await testServer(App, { server: options })
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

test('without the key, nobody adds a book, and everyone reads the books', async () => {
  await using app = await testServer(App, { server: options })
  assert.equal((await app.call(EditingController, 'create', { body: kindred })).status, 401)
  const wrong = { authorization: 'Bearer another-key-0123' }
  assert.equal((await app.call(EditingController, 'create', { headers: wrong, body: kindred })).status, 401)
  assert.deepEqual(await app.call(BooksController, 'list').expect(200), [])
})
