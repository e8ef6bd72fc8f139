import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import Type from 'typebox'

test('a shared schema may be one of fluent-json-schema, and an object in it that is not plain is kept as it is', async () => {
  class Shape {
    readonly type = 'string'
  }
  const shape = new Shape()
  const server = createServer()
  server.addSchema({ isFluentSchema: true, valueOf: () => ({ $id: 'fluent', type: 'object' }) })
  server.addSchema(
    Object.assign(Object.create(null), { $id: 'bare', type: 'object', properties: Object.assign(Object.create(null), { shape }) }),
  )
  assert.deepEqual(server.getSchema('fluent'), { $id: 'fluent', type: 'object' })
  assert.equal(server.getSchema('bare').properties.shape, shape)
  assert.equal(server.getSchema('toString'), undefined)
  assert.throws(() => server.addSchema({ type: 'object' }), { code: 'ALC_ERR_SCH_MISSING_ID' })
  class Article {}
  const message = 'Missing schema $id property. Article is a class or a function. Add the schema of a model: Article.schema.'
  assert.throws(() => server.addSchema(Article), { code: 'ALC_ERR_SCH_MISSING_ID', message })
  await server.close()
})

test('a shared schema has only enumerable keys, so TypeBox 1 may make it', async () => {
  const server = createServer()
  server.addSchema(Type.Object({ name: Type.String({ minLength: 2 }) }, { $id: 'Typebox' }))
  server.post('/', { schema: { body: { $ref: 'Typebox#' } } }, () => 'valid')
  const ask = (name: string) => server.inject({ method: 'POST', url: '/', payload: { name } })
  assert.deepEqual([(await ask('Ada')).statusCode, (await ask('A')).statusCode], [200, 400])
  assert.deepEqual(Reflect.ownKeys(server.getSchema('Typebox').properties.name), ['type', 'minLength'])
  await server.close()
})
