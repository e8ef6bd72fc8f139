import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Class, Controller, createServer, Get, Model, Plugin, Post, ref, type RouteRequest, testServer } from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'
import { Author } from '../../../fixtures/models/author.js'
import { Book } from '../../../fixtures/models/book.js'

class Tag extends Model({ $id: 'Tag', type: 'object', required: ['label'], properties: { label: { type: 'string' } } }) {}
class Special extends Tag {}

describe('ref', () => {
  test('refers to a model by its $id', () => {
    assert.equal(ref(Tag).$ref, 'Tag#')
    const Unnamed = Model({ $id: 'Unnamed', type: 'object', properties: {} })
    assert.equal(ref(Unnamed).$ref, 'Unnamed#')
  })

  test('refuses a subclass of a model, and says how it becomes one', () => {
    assert.throws(() => ref(Special), {
      name: 'TypeError',
      message:
        'ref(Special): the class has no schema with an $id. It does not inherit that of Tag, because two classes cannot have one $id. ' +
        "Write class Special extends Model(extend(Tag, { $id: 'Special', properties: { … } })).",
    })
  })

  test('refuses a model without $id', () => {
    const withoutId = Model as unknown as (schema: object) => Class
    class Anonymous extends withoutId({ type: 'object', properties: {} }) {}
    assert.throws(
      () => ref(Anonymous),
      /ref\(Anonymous\): .* Write Model\(\{ \$id: 'Anonymous', … \}\), or the \$id in its second argument\.$/,
    )
  })
})

describe('ref with a function', () => {
  test('leads to a class that is declared later, and does not call the function before its schema is read', () => {
    let calls = 0
    const later = ref(() => {
      calls++
      return Later
    })
    class Later extends Model({ $id: 'Later', type: 'object', properties: {} }) {}
    assert.equal(calls, 0)
    assert.equal(JSON.stringify(later), '{"$ref":"Later#"}')
    assert.ok(calls > 0)
  })

  test('connects models of two modules that import each other', async () => {
    const add = { body: ref(Book), response: { 200: ref(Author) } }
    @Controller()
    class Books {
      @Post('/books', add)
      add({ body: { title, author } }: RouteRequest<typeof add>) {
        return { name: author?.name ?? 'unknown', books: [{ title, secret: 1 }, ...(author?.books ?? [])] }
      }
    }
    @Plugin({ schemas: [Author, Book], routes: [Books] })
    class App {}
    await using app = await testServer(App)
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
    const post = async (body: object) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetch(`${url}/books`, init)
      return [response.status, await response.json()]
    }
    assert.deepEqual(await post({ title: 'A', author: { name: 'Ada', books: [{ title: 'B' }] } }), [
      200,
      { name: 'Ada', books: [{ title: 'A' }, { title: 'B' }] },
    ])
    const [status, answer] = await post({ title: 'A', author: { name: 'Ada', books: [{ author: {} }] } })
    assert.deepEqual([status, (answer as { message: string }).message], [400, "body/author/books/0 should have required property 'title'"])
  })

  test('is a fault if it leads to no shared schema, at the route or the model that has it', () => {
    const missing = undefined as unknown as Class
    class Plain {}
    class Holder extends Model({
      $id: 'Holder',
      type: 'object',
      properties: { plain: ref(() => Plain), later: ref(() => NotYet) },
    }) {}
    @Controller()
    class Routes {
      @Get('', { response: { 200: { type: 'array', items: ref(() => missing) } } })
      get() {
        return []
      }
    }
    const messages = messagesOf(plugin('App', { schemas: [Holder], routes: [Routes] }))
    class NotYet extends Model({ $id: 'NotYet', type: 'object', properties: {} }) {}
    void NotYet
    assert.deepEqual(messages, [
      "App > Holder refers to ref(() => Plain), whose class has no schema with an $id. Write class Plain extends Model({ $id: 'Plain', … }), or @Schema({ $id: 'Plain', … }) above the class.",
      "App > Holder refers to ref(() => NotYet), whose function throws ReferenceError: Cannot access 'NotYet' before initialization. Return a class that is declared when the application boots.",
      'App > Routes.get refers to ref(() => missing), whose function returns undefined. Return a class that is declared when the application boots.',
    ])
  })

  test('fails the boot of a server without classes, with the text of the function', async () => {
    const server = createServer()
    server.post('/', { schema: { body: ref(() => undefined as unknown as Class) } }, () => ({}))
    await assert.rejects(async () => server.ready(), /ref\(\(\) => undefined\)/)
  })

  test('works without classes of plugins', async () => {
    const server = createServer()
    server.addSchema(Tag.schema)
    server.post('/', { schema: { body: ref(() => Tag) } }, ({ body }) => body.label)
    const answers = [{ label: 'x' }, {}].map(async (payload) => (await server.inject({ method: 'POST', url: '/', payload })).statusCode)
    assert.deepEqual(await Promise.all(answers), [200, 400])
    await server.close()
  })
})
