import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  arrayOf,
  bootstrap,
  type Class,
  Controller,
  extend,
  Model,
  omit,
  partial,
  pick,
  Plugin,
  Post,
  ref,
  type RouteRequest,
  Schema,
} from 'alcove'
import { z } from 'zod'

class Tag extends Model({ $id: 'Tag', type: 'object', required: ['label'], properties: { label: { type: 'string' } } }) {}
class Article extends Model({
  $id: 'Article',
  type: 'object',
  description: 'A text',
  additionalProperties: false,
  required: ['id', 'title'],
  definitions: { short: { type: 'string', maxLength: 5 } },
  properties: {
    id: { type: 'integer' },
    title: { $ref: '#/definitions/short' },
    tags: { type: 'array', items: ref(Tag) },
    parent: { $ref: '#' },
    state: { enum: ['draft', 'public'], default: 'draft' },
  },
}) {}
@Schema({ $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'integer' }, nick: { type: 'string' } } })
class User {
  id!: number
  nick?: string
  greet() {
    return this.nick
  }
}

const loose = <F>(run: F) => run as unknown as (...args: unknown[]) => unknown

describe('composed schemas', () => {
  test('pick has the named properties, with the keywords of the object', () => {
    assert.deepEqual(pick(Article, 'id', 'state'), {
      type: 'object',
      description: 'A text',
      additionalProperties: false,
      required: ['id'],
      properties: { id: { type: 'integer' }, state: { enum: ['draft', 'public'], default: 'draft' } },
    })
  })

  test('omit has the others', () => {
    const { properties, required } = omit(Article, 'id', 'tags', 'parent')
    assert.deepEqual([Object.keys(properties), required], [['title', 'state'], ['title']])
  })

  test('partial requires nothing', () => {
    const { properties, ...others } = partial(Article)
    assert.deepEqual(Object.keys(properties), ['id', 'title', 'tags', 'parent', 'state'])
    assert.deepEqual(others, { type: 'object', description: 'A text', additionalProperties: false })
  })

  test('extend adds properties, replaces keywords, and may require what was optional', () => {
    const extended = extend(pick(Article, 'id', 'state'), {
      $id: 'Extended',
      description: 'More',
      required: ['rank', 'state'],
      properties: { rank: { type: 'integer' } },
    })
    assert.deepEqual(extended, {
      $id: 'Extended',
      type: 'object',
      description: 'More',
      additionalProperties: false,
      required: ['id', 'rank', 'state'],
      properties: { id: { type: 'integer' }, state: { enum: ['draft', 'public'], default: 'draft' }, rank: { type: 'integer' } },
    })
  })

  test('arrayOf refers to a class, and holds other schemas as they are', () => {
    assert.equal(JSON.stringify(arrayOf(Tag, { maxItems: 3 })), '{"maxItems":3,"type":"array","items":{"$ref":"Tag#"}}')
    assert.deepEqual(arrayOf(pick(Tag, 'label')), { type: 'array', items: pick(Tag, 'label') })
  })

  test('may be composed again, of classes with @Schema too, and of JSON Schemas', () => {
    assert.deepEqual(partial(omit(User, 'id')), { type: 'object', properties: { nick: { type: 'string' } } })
    assert.deepEqual(pick({ properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] }, 'a'), {
      required: ['a'],
      properties: { a: { type: 'string' } },
    })
    class OfZod extends Model(z.object({ a: z.string(), b: z.number() }), { $id: 'OfZod' }) {}
    assert.deepEqual(pick(OfZod, 'a'), {
      type: 'object',
      additionalProperties: false,
      required: ['a'],
      properties: { a: { type: 'string' } },
    })
  })

  test('leave what they are made of as it was', () => {
    const before = structuredClone(pick(Article, 'title'))
    extend(partial(Article), { properties: { more: {} } })
    assert.deepEqual(pick(Article, 'title'), before)
    assert.equal(Article.schema.properties.title.$ref, '#/definitions/short')
  })
})

describe('references in composed schemas', () => {
  test('that were local lead to the schema that they were written in', () => {
    assert.deepEqual(pick(Article, 'title', 'parent').properties, {
      title: { $ref: 'Article#/definitions/short' },
      parent: { $ref: 'Article#' },
    })
  })

  test('that are local are refused in a schema without an $id', () => {
    const schema = { type: 'object', definitions: { a: {} }, properties: { a: { $ref: '#/definitions/a' } } } as const
    assert.throws(() => pick(schema, 'a'), /the reference '#\/definitions\/a' leads to the schema that is composed, which has no \$id/)
  })

  test('to later classes stay references, and are not read before', () => {
    let reads = 0
    const next = ref((): Class<Later> => {
      reads++
      return Later
    })
    class Node1 extends Model({ $id: 'Node', type: 'object', properties: { next, name: {} } }) {}
    const picked = pick(Node1, 'next')
    class Later extends Model({ $id: 'Later', type: 'object', properties: {} }) {}
    assert.equal(reads, 0)
    assert.equal(JSON.stringify(picked.properties.next), '{"$ref":"Later#"}')
  })

  test('are texts like others in data', () => {
    const schema = {
      $id: 'Data',
      type: 'object',
      properties: { a: { const: { $ref: '#/x', $id: 'y' } }, $ref: { type: 'string' } },
    } as const
    assert.deepEqual(pick(schema, 'a', '$ref').properties, { a: { const: { $ref: '#/x', $id: 'y' } }, $ref: { type: 'string' } })
  })
})

describe('over HTTP, a composed schema', () => {
  const schemas = {
    pick: { body: pick(Article, 'title', 'tags') },
    patch: { body: partial(omit(Article, 'id', 'state')), response: { 200: arrayOf(pick(Article, 'title')) } },
  }
  @Controller()
  class Articles {
    @Post('/pick', schemas.pick)
    pick({ body }: RouteRequest<typeof schemas.pick>) {
      return { keys: Object.keys(body), tags: body.tags?.map(({ label }) => label) }
    }
    @Post('/patch', schemas.patch)
    patch({ body }: RouteRequest<typeof schemas.patch>) {
      return [{ title: String(body.title), id: 1 }]
    }
  }
  @Plugin({ schemas: [Tag, Article], routes: [Articles] })
  class App {}

  test('validates, removes and serializes by what it is composed of', async () => {
    const server = await bootstrap(App)
    try {
      const url = await server.listen({ port: 0, host: '127.0.0.1' })
      const post = async (path: string, body: object) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        const response = await fetch(`${url}${path}`, init)
        const answer = (await response.json()) as { message?: string }
        return [response.status, answer.message ?? answer]
      }
      assert.deepEqual(await post('/pick', { title: 'short', tags: [{ label: 'x' }], id: 1, state: 'public' }), [
        200,
        { keys: ['title', 'tags'], tags: ['x'] },
      ])
      assert.deepEqual(await post('/pick', { title: 'too long' }), [400, 'body/title should NOT have more than 5 characters'])
      assert.deepEqual(await post('/pick', {}), [400, "body should have required property 'title'"])
      assert.deepEqual(await post('/pick', { title: 'a', tags: [{}] }), [400, "body/tags/0 should have required property 'label'"])
      assert.deepEqual(await post('/patch', {}), [200, [{ title: 'undefined' }]])
      assert.deepEqual(await post('/patch', { parent: { id: 'x' } }), [400, "body/parent should have required property 'title'"])
    } finally {
      await server.close()
    }
  })
})

describe('composing is refused', () => {
  class Plain {}
  const conditional = { $id: 'C', type: 'object', properties: { a: {} }, allOf: [{ required: ['a'] }] } as const
  const refusals: [title: string, run: () => unknown, message: string][] = [
    [
      'a property that is not there',
      () => loose(pick)(Article, 'titel'),
      "pick(Article): Article has no property 'titel'. Did you mean 'title'?",
    ],
    [
      'a property of another kind',
      () => loose(omit)(Tag, 'zzzzzzzz'),
      "omit(Tag): Tag has no property 'zzzzzzzz'. Its properties are: label.",
    ],
    ['no property', () => pick(Tag), "pick(Tag): no properties are named. Write pick(Tag, 'label')."],
    [
      'a condition on the whole object',
      () => partial(conditional),
      "partial(…): the keyword 'allOf' of the schema is about the whole object, so it cannot be carried over. To leave it out, write const { allOf, ...rest } = schema; partial(rest, …).",
    ],
    [
      'a property that is there already',
      () => loose(extend)(Tag, { properties: { label: {} } }),
      "extend(Tag): the property 'label' is there already. Write extend(omit(Tag, 'label'), …) to replace it.",
    ],
    [
      'a class as what is added',
      () => loose(extend)(Article, Tag),
      'extend(Article, Tag): the second argument is a class. Write { properties: Tag.schema.properties, required: Tag.schema.required }.',
    ],
    [
      'a class without a schema',
      () => pick(Plain),
      "pick(Plain): the class has no shared schema. Write class Plain extends Model({ $id: 'Plain', … }), or @Schema({ $id: 'Plain', … }) above the class.",
    ],
    ['undefined', () => loose(pick)(undefined, 'a'), 'pick(…): it is undefined, often because of a circle of imports. Declare it first.'],
    [
      'a reference',
      () => loose(pick)(ref(Tag), 'label'),
      'pick(…): this is not a schema with properties. Pass the class itself, or the JSON Schema of an object.',
    ],
    [
      'a schema of Zod',
      () => loose(pick)(z.object({ a: z.string() }), 'a'),
      'pick(…): this is a schema of a library. Compose it with the library, or make a class of it with Model.',
    ],
    [
      'a schema of Zod as items',
      () => loose(arrayOf)(z.object({ a: z.string() })),
      'arrayOf(…): this is a schema of a library. Compose it with the library, or make a class of it with Model.',
    ],
    [
      'a list',
      () => loose(partial)({ type: 'array', items: {} }),
      "partial(…): the schema is not that of an object with properties. Write { type: 'object', properties: { … } }.",
    ],
    [
      'a schema with an $id within',
      () => pick({ type: 'object', properties: { a: { $id: '#a', type: 'string' } } }, 'a'),
      "pick(…): a schema in it has the $id '#a', which would stand in two documents. Make a shared schema of it, and refer to that.",
    ],
  ]
  for (const [title, run, message] of refusals) {
    test(`(${title}), with a text that says what to write`, () => {
      assert.throws(run, { name: 'TypeError', message })
    })
  }

  test('for every keyword that cannot be divided', () => {
    const keywords = 'allOf anyOf oneOf not if then else dependencies minProperties maxProperties propertyNames enum const default examples'
    for (const keyword of keywords.split(' ')) {
      const schema = { type: 'object', properties: { a: {} }, [keyword]: [] }
      assert.throws(() => loose(pick)(schema, 'a'), { name: 'TypeError', message: new RegExp(`the keyword '${keyword}'`) })
    }
  })
})
