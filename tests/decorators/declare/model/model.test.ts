import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Type as Type034 } from '@sinclair/typebox'
import { bootstrap, Controller, Model, Plugin, Post, ref, type RouteRequest } from 'alcove'
import { describe as describeApplication } from 'alcove/contract'
import Type from 'typebox'
import { z } from 'zod'
import { builds } from '../../../fixtures/both-builds.js'
import * as ownDecorators from '../../../fixtures/standard/models.js'

const refused = (message: string) => [400, { statusCode: 400, error: 'Bad Request', message }]

for (const { name, load } of builds) {
  describe(`a class that extends Model, with ${name}`, () => {
    let fixture: typeof ownDecorators
    before(async () => (fixture = await load('models', ownDecorators)))

    test('validates bodies and serializes replies where a route refers to it', async () => {
      const answers = await fixture.ask(
        ['/articles', { title: 'Ada', page: '3' }],
        ['/articles', { title: 'A' }],
        ['/articles', {}],
        ['/articles'],
      )
      assert.deepEqual(answers, [
        [201, { id: 1, title: 'Ada', page: 3 }],
        refused('body/title should NOT have fewer than 2 characters'),
        refused("body should have required property 'title'"),
        [200, [{ id: 1, title: 'Ada', page: 3 }]],
      ])
    })

    test('describes a plain object that a handler returns, with a Date for the text of a date', async () => {
      assert.deepEqual(await fixture.ask(['/articles/plain', {}]), [
        [200, { id: 1, title: 'plain', page: 1, at: '1970-01-01T00:00:00.000Z' }],
      ])
    })

    test('holds a reference to itself for every level', async () => {
      const child = { id: 2, title: 'inner' }
      assert.deepEqual(
        await fixture.ask(
          ['/articles/echo', { id: 1, title: 'outer', parent: child }],
          ['/articles/echo', { id: 1, title: 'outer', parent: { ...child, parent: { id: 3 } } }],
        ),
        [[200, { keys: ['id', 'title', 'parent', 'page'] }], refused("body/parent/parent should have required property 'title'")],
      )
    })

    test('has a constructor that sets the fields of its schema, for methods and accessors of its own', () => {
      assert.deepEqual(fixture.construct(), { article: { marks: 0, id: 1, title: 'Ada', page: 2 }, slug: 'ada', shout: 'ADA', marks: 0 })
    })
  })
}

describe('the constructor of a model', () => {
  test('fills in the defaults of its schema, each instance with a value of its own', () => {
    class Account extends Model({
      $id: 'Account',
      type: 'object',
      required: ['id', 'role'],
      properties: {
        id: { type: 'integer' },
        role: { type: 'string', default: 'reader' },
        tags: { type: 'array', items: { type: 'string' }, default: ['new'] },
        note: { type: 'string', nullable: true, default: 'none' },
      },
    }) {}
    const account = new Account({ id: 1, note: null })
    assert.deepEqual(JSON.parse(JSON.stringify(account)), { id: 1, role: 'reader', tags: ['new'], note: null })
    account.tags.push('changed')
    assert.deepEqual(new Account({ id: 2, role: 'admin' }).tags, ['new'])
  })

  class Point extends Model({
    $id: 'Point',
    type: 'object',
    properties: { x: { type: 'number' }, y: { type: 'number' } },
  }) {
    length() {
      return Math.hypot(this.x ?? 0, this.y ?? 0)
    }
  }

  test('leaves out what the schema does not list, so that no value hides a method', () => {
    const given = { x: 3, y: 4, length: 'overwritten' }
    const point = new Point(given)
    assert.equal(point.length(), 5)
    assert.deepEqual(Object.keys(point), ['x', 'y'])
  })

  test('leaves out absent values, and members that every object inherits', () => {
    assert.deepEqual(Object.entries(new Point()), [])
    assert.deepEqual(Object.entries(new Point({ x: 1 })), [['x', 1]])
    const modelOf = Model as unknown as (schema: object) => new (values: object) => object
    class Odd extends modelOf({ $id: 'Odd', type: 'object', properties: { constructor: { type: 'string' }, x: {} } }) {}
    assert.deepEqual(Object.entries(new Odd({ x: 1 })), [['x', 1]])
    assert.deepEqual(Object.entries(new Odd({ constructor: 'text' })), [['constructor', 'text']])
  })

  test('reads accessors of the given object', () => {
    class Row {
      get x() {
        return 7
      }
    }
    assert.deepEqual(Object.entries(new Point(new Row())), [['x', 7]])
  })
})

describe('a model in the description of an application', () => {
  class Note extends Model({ $id: 'Note', type: 'object', required: ['text'], properties: { text: { type: 'string' } } }) {}
  const add = { body: ref(Note), response: { 200: ref(Note) } }
  @Controller()
  class Notes {
    @Post('/', add)
    add({ body }: RouteRequest<typeof add>) {
      return body
    }
  }
  @Plugin({ schemas: [Note], routes: [Notes] })
  class App {}

  test('is a shared schema with its $id', () => {
    const { schemas, routes } = describeApplication(App)
    assert.deepEqual(schemas['App'], { Note: JSON.parse(JSON.stringify(Note.schema)) })
    assert.deepEqual(routes[0]!.responses['200']!.content['application/json'], { $ref: 'Note#' })
  })
})

describe('a model of a library', () => {
  const zod = z.object({ name: z.string().min(2), tags: z.array(z.string()).optional(), kind: z.enum(['a', 'b']) })
  const typebox034 = Type034.Object(
    {
      name: Type034.String({ minLength: 2 }),
      tags: Type034.Optional(Type034.Array(Type034.String())),
      kind: Type034.Union([Type034.Literal('a'), Type034.Literal('b')]),
    },
    { $id: 'Typebox034' },
  )
  const typebox1 = Type.Object(
    { name: Type.String({ minLength: 2 }), tags: Type.Optional(Type.Array(Type.String())), kind: Type.Enum(['a', 'b']) },
    { $id: 'Typebox1' },
  )
  class OfZod extends Model(zod, { $id: 'OfZod' }) {}
  class OfTypebox034 extends Model(typebox034) {}
  class OfTypebox1 extends Model(typebox1) {}

  const schemaOf = <R>(reference: R) => ({ body: reference, response: { 200: reference } })
  const schemas = { zod: schemaOf(ref(OfZod)), typebox034: schemaOf(ref(OfTypebox034)), typebox1: schemaOf(ref(OfTypebox1)) }

  @Controller()
  class Echo {
    @Post('/zod', schemas.zod)
    zod({ body }: RouteRequest<typeof schemas.zod>) {
      return new OfZod({ name: body.name, kind: body.kind, ...(body.tags && { tags: body.tags }) })
    }
    @Post('/typebox034', schemas.typebox034)
    typebox034({ body }: RouteRequest<typeof schemas.typebox034>) {
      return Object.assign({ more: 1 }, body, { name: body.name.trim() })
    }
    @Post('/typebox1', schemas.typebox1)
    typebox1({ body }: RouteRequest<typeof schemas.typebox1>) {
      return Object.assign({ more: 1 }, body, { name: body.name.trim() })
    }
  }
  @Plugin({ schemas: [OfZod, OfTypebox034, OfTypebox1], routes: [Echo] })
  class App {}

  for (const source of ['zod', 'typebox034', 'typebox1']) {
    test(`${source}: validates and serializes as JSON Schema does`, async () => {
      const server = await bootstrap(App)
      try {
        const url = await server.listen({ port: 0, host: '127.0.0.1' })
        const post = async (body: object) => {
          const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
          const response = await fetch(`${url}/${source}`, init)
          return [response.status, response.status === 200 ? await response.json() : undefined]
        }
        assert.deepEqual(await post({ name: 'Ada', kind: 'a', tags: ['x'], secret: 1 }), [200, { name: 'Ada', kind: 'a', tags: ['x'] }])
        assert.deepEqual(await post({ name: 'A', kind: 'a' }), [400, undefined])
        assert.deepEqual(await post({ name: 'Ada', kind: 'c' }), [400, undefined])
        assert.deepEqual(await post({ kind: 'a' }), [400, undefined])
      } finally {
        await server.close()
      }
    })
  }

  test('is refused if the schema says more than JSON Schema can, with the properties that do', () => {
    const cure = 'Write the model as JSON Schema, or use the schema of Zod itself as a part of a route.'
    assert.throws(() => Model(z.object({ name: z.string(), mail: z.email(), at: z.iso.datetime() }), { $id: 'A' }), {
      name: 'TypeError',
      message: `Model: the schema of Zod says more in 'mail', 'at' than JSON Schema can, so a reference to it would not check everything. ${cure}`,
    })
    const refined = z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b)
    assert.throws(() => Model(refined, { $id: 'A' }), /the schema of Zod says more than JSON Schema can/)
    const transformed = z.object({ a: z.string().transform((text) => text.length) })
    assert.throws(() => Model(transformed, { $id: 'A' }), /says more in 'a'/)
    assert.throws(() => Model(z.object({ a: z.number().default(1) }), { $id: 'A' }), /says more in 'a'/)
  })
})

describe('a model that is declared wrongly', () => {
  const wrong = Model as unknown as (schema: unknown, options?: object) => unknown
  const faults: [title: string, schema: unknown, options: object | undefined, message: RegExp][] = [
    ['a list', { $id: 'A', type: 'array', items: {} }, undefined, /^Model: the schema is not that of an object with properties/],
    ['an object without properties', { $id: 'A', type: 'object' }, undefined, /not that of an object with properties/],
    ['null allowed', { $id: 'A', type: 'object', properties: {}, nullable: true }, undefined, /not that of an object with properties/],
    [
      'two ids',
      { $id: 'A', type: 'object', properties: {} },
      { $id: 'B' },
      /the \$id 'A', and the second argument 'B'. Keep one of them\.$/,
    ],
    [
      'an unknown option',
      { type: 'object', properties: {} },
      { $id: 'A', desciption: '' },
      /no option 'desciption'\. Did you mean 'description'\?$/,
    ],
    [
      'another keyword as an option',
      { type: 'object', properties: {} },
      { $id: 'A', allOf: [] },
      /no option 'allOf'\. Write it in the schema/,
    ],
  ]
  for (const [title, schema, options, message] of faults) {
    test(`(${title}) is refused where it is declared`, () => {
      assert.throws(() => wrong(schema, options), { name: 'TypeError', message })
    })
  }

  test('takes keywords beside the $id from its second argument', () => {
    const Made = Model(
      { type: 'object', properties: { a: { type: 'string' } } },
      { $id: 'A', title: 'T', additionalProperties: false, 'x-b': 1 },
    )
    assert.deepEqual(Made.schema, {
      type: 'object',
      properties: { a: { type: 'string' } },
      $id: 'A',
      title: 'T',
      additionalProperties: false,
      'x-b': 1,
    })
  })
})
