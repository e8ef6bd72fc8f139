/** The schemas of docs/tutorial in the forms of its tabs: each form gives the same answers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Controller, Get, partial, Patch, Plugin, Post, ref, testServer } from 'alcove'
import * as typeboxModels from './typebox/book.models.js'
import * as typebox from './typebox/book.schemas.js'
import * as zodModels from './zod/book.models.js'
import * as zod from './zod/book.schemas.js'

// The code of the routes is the same: it is compiled with one of the forms.
const models = { typebox: typeboxModels, zod: zodModels as unknown as typeof typeboxModels }
const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1979 }

for (const [name, { find }] of Object.entries({ typebox, zod }))
  test(`the schema of the first route: ${name}`, async () => {
    @Controller('/books')
    class Books {
      @Get('/:id', find as typeof typebox.find)
      find({ params }: { params: { id: number } }) {
        return { id: params.id, ...kindred, price: 12 }
      }
    }
    @Plugin({ routes: [Books] })
    class App {}

    await using app = await testServer(App)
    assert.deepEqual((await app.inject('/books/1')).json(), { id: 1, ...kindred })
    assert.equal((await app.inject('/books/0')).statusCode, 400)
    assert.equal((await app.inject('/books/x')).statusCode, 400)
  })

describe('the models', () => {
  for (const [name, { Book, NewBook, byId }] of Object.entries(models))
    test(name, async () => {
      @Controller('/books')
      class Books {
        @Post({ status: 201 }, { body: ref(NewBook), response: { 201: ref(Book) } })
        create({ body }: { body: typeboxModels.NewBook }) {
          return { id: 1, ...body }
        }

        @Patch('/:id', { params: byId, body: partial(NewBook) })
        change({ body }: { body: Partial<typeboxModels.NewBook> }) {
          return { id: 1, ...kindred, ...body }
        }
      }
      @Plugin({ schemaController: { coerceBodies: false }, routes: [Books] })
      class App {}

      await using app = await testServer(App)
      const send = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
        const reply = await app.inject({ method, url, payload })
        return reply.statusCode < 300 ? reply.json() : reply.statusCode
      }
      assert.deepEqual(await send('POST', '/books', { ...kindred, unknown: true }), { id: 1, ...kindred })
      assert.equal(await send('POST', '/books', { ...kindred, title: '' }), 400)
      assert.equal(await send('POST', '/books', { title: 'Kindred', year: 1979 }), 400)
      assert.deepEqual(await send('PATCH', '/books/1', { year: 1980 }), { id: 1, ...kindred, year: 1980 })
      assert.equal(await send('PATCH', '/books/1', { year: null }), 400)
      assert.equal(await send('PATCH', '/books/x', { year: 1980 }), 400)
    })
})
