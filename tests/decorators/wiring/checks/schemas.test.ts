import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Model, Schema, shared } from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'

class User extends Model({ $id: 'User', type: 'object', properties: { id: { type: 'integer' } } }) {}
class Account extends Model({ $id: 'User', type: 'object', properties: { name: { type: 'string' } } }) {}

describe('two shared schemas with one $id', () => {
  test('are a fault in one context, with the places of both', () => {
    assert.deepEqual(messagesOf(plugin('App', { schemas: [User, Account] })), [
      "App lists Account among its schemas, but its $id 'User' is that of User, which App lists already. Give one of them another $id, or keep one of the entries.",
    ])
  })

  test('are a fault in a context and one above it, in whatever order they are listed', () => {
    const below = plugin('Api', { schemas: [{ $id: 'User', type: 'object' }] })
    const model = plugin('Models', { schemas: [User] })
    assert.deepEqual(messagesOf(plugin('App', { imports: [below, shared(model)] })), [
      "App > Api lists the schema 'User' among its schemas, but its $id 'User' is that of User, which App > Models lists already. Give one of them another $id, or keep one of the entries.",
    ])
  })

  test('are none in contexts beside each other', () => {
    assert.deepEqual(messagesOf(plugin('App', { imports: [plugin('A', { schemas: [User] }), plugin('B', { schemas: [Account] })] })), [])
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
