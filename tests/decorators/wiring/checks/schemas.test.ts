import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Class, Controller, Model, Post, Schema, shared } from 'alcove'
import { messagesOf, plugin, route } from '../../../fixtures/applications.js'

class User extends Model({ $id: 'User', type: 'object', properties: { id: { type: 'integer' } } }) {}
class Account extends Model({ $id: 'User', type: 'object', properties: { name: { type: 'string' } } }) {}

describe('two shared schemas with one $id', () => {
  test('are a fault in one context, with the places of both', () => {
    assert.deepEqual(messagesOf(plugin('App', { schemas: [User, Account] })), [
      "App lists Account, but its $id 'User' is that of User, which App lists. Give one of them another $id, or keep one of the entries.",
    ])
  })

  test('are a fault in a context and one above it, in whatever order they are listed', () => {
    const below = plugin('Api', { schemas: [{ $id: 'User', type: 'object' }] })
    const model = plugin('Models', { schemas: [User] })
    assert.deepEqual(messagesOf(plugin('App', { imports: [below, shared(model)] })), [
      "App > Api lists the schema 'User', but its $id 'User' is that of User, which App > Models lists. Give one of them another $id, or keep one of the entries.",
    ])
  })

  test('are none in contexts beside each other', () => {
    const of = (name: string, Listed: Class) => plugin(name, { schemas: [Listed], routes: [route(`/${name}`, () => name)] })
    assert.deepEqual(messagesOf(plugin('App', { imports: [of('A', User), of('B', Account)] })), [])
  })
})

test('a class with a schema by Model and by @Schema is a fault', () => {
  class Twice extends Model({ $id: 'Twice', type: 'object', properties: {} }) {}
  Schema({ $id: 'Other', type: 'object' })(Twice)
  assert.deepEqual(messagesOf(plugin('App', { schemas: [Twice] })), [
    'App > Twice extends Model(…), and has @Schema with another schema. Keep one of them.',
  ])
})

test('a model without $id, and a subclass of a model, are faults with their own cures', () => {
  const withoutId = Model as unknown as (schema: object) => new () => object
  class Anonymous extends withoutId({ type: 'object', properties: {} }) {}
  class Admin extends User {}
  assert.deepEqual(messagesOf(plugin('App', { schemas: [Anonymous, Admin, { type: 'object' }] })), [
    "App lists Anonymous among its schemas, but it has no $id. Write Model({ $id: 'Anonymous', … }), or the $id in its second argument.",
    "App lists Admin among its schemas, but it has no $id. It does not inherit that of User, because two classes cannot have one $id. Write class Admin extends Model(extend(User, { $id: 'Admin', properties: { … } })).",
    "App lists Object among its schemas, but it has no $id. Write { $id: '…', … }.",
  ])
})

describe('a name in required that is not among the properties', () => {
  const names = { id: { type: 'integer' }, name: { type: 'string' } }
  const text = (place: string) =>
    `${place} has a schema that requires 'nmae', which is not among its properties. Did you mean 'name'? Write nmae: {} among the properties, or take it out of required.`
  const messagesFor = (schema: object): string[] => {
    @Controller()
    class Users {
      @Post('/', schema as { readonly [part: string]: unknown })
      add(): unknown {
        return {}
      }
    }
    return messagesOf(plugin('App', { routes: [Users] }))
  }

  test('is a fault of the route or the shared schema, wherever the schema stands', () => {
    const wrong = { type: 'object', required: ['id', 'nmae'], properties: names }
    for (const schema of [
      { body: wrong },
      { body: { ...wrong, additionalProperties: false } },
      { querystring: { type: 'object', properties: { filter: wrong } } },
      { response: { 200: { type: 'array', items: wrong } } },
      { response: { 200: { content: { 'application/json': { schema: wrong } } } } },
    ])
      assert.deepEqual(messagesFor(schema), [text('App > Users.add')], JSON.stringify(schema))
    assert.deepEqual(messagesOf(plugin('App', { schemas: [{ $id: 'Wrong', ...wrong }] })), [text("App > the schema 'Wrong'")])
  })

  test('is none if something else may describe the member', () => {
    for (const schema of [
      { type: 'object', required: ['other'] },
      { type: 'object', required: ['other'], properties: names, additionalProperties: { type: 'string' } },
      { type: 'object', required: ['x-a'], properties: names, patternProperties: { '^x-': {} } },
      { type: 'object', properties: names, anyOf: [{ required: ['id'] }, { required: ['name'], properties: { name: {} } }] },
      { allOf: [{ properties: names }, { required: ['id', 'at'], properties: { at: {} } }] },
      { type: 'object', properties: { required: { enum: [1] }, data: { const: { required: ['a'], properties: { b: {} } } } } },
    ])
      assert.deepEqual(messagesFor({ body: schema }), [], JSON.stringify(schema))
  })
})
