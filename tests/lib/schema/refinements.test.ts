/** Type.Refine of TypeBox, whose functions the default validator would not run, is refused at boot. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type RouteSchema } from 'alcove/lib'
import { Type } from 'typebox'

const refined = Type.Refine(Type.String(), (text) => text === 'known')
const user = Type.Object({ name: Type.Optional(refined) })
const message = /contains Type\.Refine of TypeBox, which has no effect: ajv validates\. Write keywords of JSON Schema/

describe('a schema of a request with Type.Refine fails the boot', () => {
  const schemas: Readonly<Record<string, RouteSchema>> = {
    body: { body: user },
    'JSON Schema around it': { body: { type: 'object', properties: { name: refined } } },
    'a content map': { body: { content: { 'application/json': { schema: user } } } },
    shorthand: { querystring: { name: refined } },
    headers: { headers: user },
  }
  for (const [title, schema] of Object.entries(schemas))
    test(title, async () => {
      const server = createServer()
      server.post('/', { schema }, () => null)
      await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message })
    })
})

test('a shared schema with Type.Refine is refused', () => {
  assert.throws(() => createServer().addSchema(Type.Object({ name: refined }, { $id: 'User' })), {
    code: 'ALC_ERR_SETTING_INVALID',
    message: /^The shared schema 'User' contains Type\.Refine/,
  })
})

test('a validator of the application, and a response, may have it', async () => {
  await using server = createServer()
  server.post('/', { schema: { body: user, response: { 200: user } }, validatorCompiler: () => () => true }, () => ({
    name: 'Ada',
    age: 36,
  }))
  const { payload } = await server.inject({ method: 'POST', url: '/', payload: { name: 'Bob' } })
  assert.equal(payload, '{"name":"Ada"}')
})
