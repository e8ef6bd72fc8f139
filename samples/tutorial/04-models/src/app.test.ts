import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, testServer } from 'alcove'
import { App } from './app.js'
import { AuthorsController } from './authors/authors.plugin.js'
import { BooksController } from './books/books.controller.js'

const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1976 }

test('the wiring is right', () => check(App))

// #region life
test('a book is created, changed and removed', async () => {
  await using app = await testServer(App)
  const { id } = await app.call(BooksController, 'create', { body: kindred }).expect(201)
  await app.call(BooksController, 'change', { params: { id }, body: { year: 1979 } }).expect(200)
  const nothing = { method: 'PATCH', url: `/books/${id}`, payload: { year: null } } as const
  assert.equal((await app.inject(nothing)).statusCode, 400)
  assert.deepEqual(await app.call(BooksController, 'list').expect(200), [{ id, ...kindred, year: 1979 }])
  await app.call(BooksController, 'remove', { params: { id } }).expect(204)
  await app.call(BooksController, 'find', { params: { id } }).expect(404)
})
// #endregion

test('each author is listed once', async () => {
  await using app = await testServer(App)
  await app.call(BooksController, 'create', { body: kindred }).expect(201)
  assert.deepEqual(await app.call(AuthorsController, 'list').expect(200), ['Octavia E. Butler'])
})
