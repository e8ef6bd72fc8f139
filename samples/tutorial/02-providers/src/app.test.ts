import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App } from './app.js'
import { BooksController } from './books/books.controller.js'
import { Books } from './books/books.js'

test('a book is found by its id', async () => {
  await using app = await testServer(App)
  const book = await app.call(BooksController, 'find', { params: { id: 1 } }).expect(200)
  assert.equal(book.title, 'Kindred')
})

test('a book that is not there has the status 404', async () => {
  const empty = { find: () => undefined }
  await using app = await testServer(App, { override: [[Books, empty]] })
  await app.call(BooksController, 'find', { params: { id: 1 } }).expect(404)
})
