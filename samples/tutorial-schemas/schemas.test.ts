/** The schemas of docs/tutorial in the forms of its tabs: each form gives the same answers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Controller, Get, partial, Patch, Plugin, Post, ref, testServer } from 'alcove'
import { Book, byId, NewBook } from './typebox/book.models.js'
import { find } from './typebox/book.schemas.js'
import { Settings } from './typebox/settings.js'
import { Book as ZodBook, byId as zodById, NewBook as ZodNewBook } from './zod/book.models.js'
import { find as zodFind } from './zod/book.schemas.js'
import { Settings as ZodSettings } from './zod/settings.js'

// The code of the routes is the same: it is compiled with one of the forms.
const finds = { typebox: find, zod: zodFind as unknown as typeof find }
const typebox = { Book, NewBook, byId }
const models = { typebox, zod: { Book: ZodBook, NewBook: ZodNewBook, byId: zodById } as unknown as typeof typebox }

const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1979 }

describe('the schema of the first route', () => {
  for (const [name, schema] of Object.entries(finds))
    test(name, async () => {
      @Controller('/books')
      class Books {
        @Get('/:id', schema)
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
})

describe('the models', () => {
  for (const [name, form] of Object.entries(models))
    test(name, async () => {
      @Controller('/books')
      class Books {
        @Post({ status: 201 }, { body: ref(form.NewBook), response: { 201: ref(form.Book) } })
        create({ body }: { body: NewBook }) {
          return Object.assign(body, { id: 1 })
        }

        @Patch('/:id', { params: form.byId, body: partial(form.NewBook) })
        change({ body }: { body: Partial<NewBook> }) {
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

describe('the settings', () => {
  for (const [name, Form] of Object.entries({ typebox: Settings, zod: ZodSettings }))
    test(name, () => {
      const { HOST, PORT, LOG_LEVEL } = new Form({ PORT: '8080' })
      assert.deepEqual([HOST, PORT, LOG_LEVEL], ['localhost', 8080, 'info'])
      assert.throws(() => new Form({ PORT: '80000' }), /PORT/)
      assert.throws(() => new Form({ LOG_LEVEL: 'loud' }), /LOG_LEVEL/)
    })
})
