/** The routes without a database: the plugin is mounted alone, with fakes for what it gets from others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer, type TestServer } from 'alcove'
import { CurrentUser, RequireUser } from '../auth/auth.plugin.js'
import type { Book } from './book.models.js'
import { BooksController } from './books.controller.js'
import { Books } from './books.js'
import { BooksPlugin } from './books.plugin.js'
import { EditingController } from './editing.plugin.js'

const kindred = { id: 1, title: 'Kindred', author: 'Octavia E. Butler', year: 1979 } satisfies Book

class FakeBooks {
  list = async () => [kindred]
  find = async () => kindred
  ownerOf = async () => 7
  create = async (_ownerId: number, given: object) => ({ ...kindred, ...given })
  change = async (_id: number, changes: object) => ({ ...kindred, ...changes })
  remove = async () => {}
  authors = async () => [kindred.author]
}

/** Every request comes from one user. */
function start(id: number): Promise<TestServer> {
  return testServer(BooksPlugin, {
    provide: [
      [Books, FakeBooks],
      [CurrentUser, { id }],
    ],
    override: [[RequireUser, { onRequest: async () => {} }]],
  })
}

test('everyone sees the books', async () => {
  await using app = await start(8)
  assert.deepEqual(await app.call(BooksController, 'list').expect(200), [kindred])
})

test('only its owner changes a book', async () => {
  const change = { params: { id: 1 }, body: { year: 1980 } }
  await using other = await start(8)
  assert.equal((await other.call(EditingController, 'change', change)).status, 403)
  await using owner = await start(7)
  assert.equal((await owner.call(EditingController, 'change', change).expect(200)).year, 1980)
})
