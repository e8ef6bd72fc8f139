/** Response schemas that fast-json-stringify compiles and does not apply. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'
import { z } from 'zod'

const named = { type: 'object', properties: { a: { type: 'string' } } }
const rest = { type: 'array', items: [named], additionalItems: named }

async function boot(schema: object, shared: object[] = []): Promise<void> {
  const server = createServer()
  for (const each of shared) server.addSchema(each)
  server.get('/', { schema: { response: { 200: schema } } } as never, () => [])
  await server.ready()
  await server.close()
}

describe('a response fails the boot that would be written unfiltered', () => {
  const refused: Record<string, [schema: object, shared?: object[]]> = {
    'as further items of a tuple': [rest],
    'deep within': [{ type: 'object', properties: { list: { anyOf: [{ type: 'null' }, rest] } } }],
    'behind a reference': [{ type: 'object', properties: { list: { $ref: 'Rest#' } } }, [{ $id: 'Rest', ...rest }]],
    'as the rest of a tuple of Zod': [z.tuple([z.object({ a: z.string() })]).rest(z.object({ a: z.string() }))],
    'as prefixItems': [{ type: 'array', prefixItems: [named], items: false }],
  }
  for (const [title, [schema, shared]] of Object.entries(refused)) {
    test(title, async () => {
      await assert.rejects(boot(schema, shared), {
        code: 'ALC_ERR_SCH_SERIALIZATION_BUILD',
        message: /the serializer does not (?:apply|know)/,
      })
    })
  }

  test('but not a tuple that ends with its entries, or whose further items are any values or have no properties', async () => {
    await boot({ type: 'array', items: [named], additionalItems: false })
    await boot({ type: 'array', items: [named], additionalItems: {} })
    await boot({ type: 'array', items: [named], additionalItems: { type: ['boolean', 'null'] } })
    await boot({ type: 'array', items: [named] }, [{ $id: 'Unused', ...rest }])
  })
})

test('a property whose schema is false is not written', async () => {
  const server = createServer()
  const schema = { response: { 200: { type: 'object', properties: { a: { type: 'string' }, secret: false } } } } as const
  server.get('/', { schema }, () => ({ a: 'b', secret: 's' }))
  assert.deepEqual((await server.inject('/')).json(), { a: 'b' })
  await server.close()
})
