import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, BooksController } from './app.js'

test('a book is found by its id', async () => {
  await using app = await testServer(App)
  const book = await app.call(BooksController, 'find', { params: { id: 1 } }).expect(200)
  assert.equal(book.title, 'Kindred')
})
