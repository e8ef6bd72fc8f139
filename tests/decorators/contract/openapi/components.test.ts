import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { Components } from '../../../../decorators/contract/openapi/components.js'

const text = { type: 'string' }
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function collect(): { components: Components; warnings: string[] } {
  const warnings: string[] = []
  return { components: new Components((warning) => warnings.push(warning)), warnings }
}
const use = (shared: Record<string, unknown> = {}, context = 'App') => ({ shared, context, place: `GET / in ${context}`, name: 'GetRoot' })

test('a shared schema becomes a component with the name of its $id, without the $id', () => {
  const { components } = collect()
  const shared = { User: { $id: 'User', type: 'object', properties: { name: text } } }
  assert.deepEqual(components.convert({ type: 'array', items: { $ref: 'User#' } }, use(shared)), {
    type: 'array',
    items: reference('User'),
  })
  assert.deepEqual(components.schemas, { User: { type: 'object', properties: { name: text } } })
})

test('the name of a component is the last part of an $id that is a URL, with the characters that OpenAPI allows', () => {
  const { components } = collect()
  const shared = { 'http://example.com/schemas/user name.json': { $id: 'http://example.com/schemas/user name.json', ...text } }
  assert.deepEqual(components.convert({ not: { $ref: 'http://example.com/schemas/user name.json' } }, use(shared)), {
    not: reference('user-name'),
  })
})

test('references to definitions, pointers, anchors and inner ids lead to components of their own', () => {
  const { components } = collect()
  const shared = {
    User: {
      $id: 'User',
      definitions: { Name: text, Age: { $id: '#age', type: 'integer' }, Yes: true },
      properties: { mail: { format: 'email' } },
    },
  }
  const schema = {
    allOf: ['User#/definitions/Name', 'User#age', 'User#/properties/mail', 'User#/definitions/Yes'].map(($ref) => ({ $ref })),
  }
  assert.deepEqual(components.convert(schema, use(shared)), { allOf: [reference('Name'), reference('age'), reference('mail'), {}] })
  assert.deepEqual(components.schemas, { Name: text, age: { type: 'integer' }, mail: { format: 'email' } })
})

test('a schema with an $id of its own is a component, also within another schema', () => {
  const { components } = collect()
  const user = { $id: 'User', type: 'object', properties: { address: { $id: 'Address', ...text } } }
  assert.deepEqual(components.convert(user, use()), reference('User'))
  assert.deepEqual(components.schemas, { User: { type: 'object', properties: { address: reference('Address') } }, Address: text })
})

test('a schema that refers to itself becomes a component with the name of its place', () => {
  const { components } = collect()
  const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
  assert.deepEqual(components.convert(tree, use()), reference('GetRoot'))
  assert.deepEqual(components.schemas, {
    GetRoot: { type: 'object', properties: { children: { type: 'array', items: reference('GetRoot') } } },
  })
})

test('recursive schemas of a library have the name of their place or their title, whatever other routes have', () => {
  const Node = z.object({
    name: z.string(),
    get children() {
      return z.array(Node)
    },
  })
  const Chain = z.object({
    get next() {
      return Chain.nullable()
    },
  })
  const convert = (components: Components, schema: { readonly '~standard': object }, name: string): unknown => {
    const { jsonSchema } = schema['~standard'] as { jsonSchema: { input(options: object): object } }
    return components.convert(jsonSchema.input({ target: 'draft-07' }), { ...use(), name })
  }
  const named = (...before: (readonly [schema: { readonly '~standard': object }, name: string])[]): string[] => {
    const { components, warnings } = collect()
    for (const [schema, name] of before) convert(components, schema, name)
    convert(components, z.object({ a: Node, b: Chain }), 'UsersFindResponse')
    assert.deepEqual(warnings, [])
    return Object.keys(components.schemas)
  }
  const own = ['UsersFindResponse', 'UsersFindResponse2']
  assert.deepEqual(named(), own)
  assert.deepEqual(named([z.object({ c: Chain }), 'AddedBody'], [z.array(Node), 'OtherBody']), ['AddedBody', 'OtherBody', ...own])
  const { components } = collect()
  components.convert({ items: { $ref: '#/definitions/__schema0' }, definitions: { __schema0: { title: 'Knot', ...text } } }, use())
  assert.deepEqual(Object.keys(components.schemas), ['Knot'])
})

test('shared schemas may refer to each other in a circle', () => {
  const { components } = collect()
  const shared = { A: { $id: 'A', properties: { b: { $ref: 'B' } } }, B: { $id: 'B', properties: { a: { $ref: 'A' } } } }
  components.convert({ $ref: 'A' }, use(shared))
  assert.deepEqual(components.schemas, { A: { properties: { b: reference('B') } }, B: { properties: { a: reference('A') } } })
})

test('equal schemas of two contexts are one component', () => {
  const { components, warnings } = collect()
  const shared = () => ({ User: { $id: 'User', ...text } })
  assert.deepEqual(
    components.convert({ $ref: 'User' }, use(shared(), 'App > A')),
    components.convert({ $ref: 'User' }, use(shared(), 'App > B')),
  )
  assert.deepEqual(Object.keys(components.schemas), ['User'])
  assert.deepEqual(warnings, [])
})

test('schemas of two contexts with one $id and different content are told apart, and a warning says so', () => {
  const { components, warnings } = collect()
  const shared = (type: string) => ({ User: { $id: 'User', properties: { id: { $ref: 'Id' } } }, Id: { $id: 'Id', type } })
  components.convert({ $ref: 'User' }, use(shared('string'), 'App > A'))
  assert.deepEqual(components.convert({ $ref: 'User' }, use(shared('integer'), 'App > B')), reference('B.User'))
  assert.deepEqual(components.schemas, {
    User: { properties: { id: reference('Id') } },
    Id: { type: 'string' },
    'B.User': { properties: { id: reference('B.Id') } },
    'B.Id': { type: 'integer' },
  })
  assert.deepEqual(warnings, [
    "GET / in App > B: the schema 'User' of App > B differs from the one of App > A; it is the component 'B.User', the other 'User'. Give one of them another $id or title.",
    "GET / in App > B: the schema 'Id' of App > B differs from the one of App > A; it is the component 'B.Id', the other 'Id'. Give one of them another $id or title.",
  ])
})

test('a reference that leads nowhere is a warning, once for each place', () => {
  const { components, warnings } = collect()
  assert.deepEqual(components.convert({ allOf: [{ $ref: 'none' }, { $ref: 'none' }] }, use()), {
    allOf: [{ $ref: 'none' }, { $ref: 'none' }],
  })
  assert.deepEqual(warnings, ["GET / in App: the reference 'none' leads nowhere."])
})
