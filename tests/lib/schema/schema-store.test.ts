import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

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
  await server.close()
})
