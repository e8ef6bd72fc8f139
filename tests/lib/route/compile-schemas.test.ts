/** The keys of a route's schema option. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove'

const boot = async (schema: object): Promise<void> => {
  const server = createServer()
  server.post('/a', { schema }, () => ({}))
  await server.ready()
  await server.close()
}
const object = { type: 'object' }
const isUndefined = 'is undefined, often because of a circle of imports (leave the part out if it has none)'

describe('a part of a schema fails the boot', () => {
  const refused: readonly (readonly [what: string, schema: object, problem: string])[] = [
    ['that is undefined', { body: undefined }, `the schema of body ${isUndefined}`],
    ['that is undefined for one status', { response: { 200: object, 404: undefined } }, `the schema of response 404 ${isUndefined}`],
    ['that is misspelt', { parms: object }, "'parms' is not a part of the schema. Did you mean 'params'?"],
    ['in another case of letters', { Body: object }, "'Body' is not a part of the schema. Did you mean 'body'?"],
    ['written as OpenAPI does', { responses: { 200: object } }, "'responses' is not a part of the schema. Did you mean 'response'?"],
    [
      'whose content names no media type',
      { body: { content: { 'application/*+json': { schema: object } } }, response: { 200: { content: { 'a b/c': { schema: object } } } } },
      "'application/*+json' in the content of body is no media type. Write one, such as application/json, or a range: application/*, */*; " +
        "'a b/c' in the content of response 200 is no media type. Write one, such as application/json, or a range: application/*, */*",
    ],
    [
      'with all its problems',
      { querry: object, headers: undefined },
      `'querry' is not a part of the schema. Did you mean 'query'?; the schema of headers ${isUndefined}`,
    ],
  ]
  for (const [what, schema, problem] of refused) {
    test(what, async () => {
      await assert.rejects(boot(schema), { code: 'ALC_ERR_SCH_PARTS_INVALID', message: `Invalid schema for POST: /a: ${problem}` })
    })
  }

  test('and is reported once, though the route has a HEAD route beside it', async () => {
    const server = createServer()
    server.get('/a', { schema: { querystring: undefined } }, () => ({}))
    await assert.rejects(async () => server.ready(), { message: `Invalid schema for GET: /a: the schema of querystring ${isUndefined}` })
  })
})

test('schemas that are a function or a list, and parts that are a class, fail the boot', async () => {
  for (const schema of [() => ({ body: object }), [object]])
    await assert.rejects(boot(schema), { code: 'ALC_ERR_SCH_PARTS_INVALID', message: /it is not an object of parts/ })
  class Cat {}
  const message = /Cat is a function or a class, not a schema\. .* \(in the schema of/
  await assert.rejects(boot({ body: Cat }), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message })
  await assert.rejects(boot({ response: { 200: Cat } }), { code: 'ALC_ERR_SCH_SERIALIZATION_BUILD', message })
})

test('a misspelt keyword of a response, or of a shared schema that responses may use, fails the boot', async () => {
  const message = /unknown keyword "propertys".*Did you mean "properties"\?/
  await assert.rejects(boot({ response: { 200: { ...object, propertys: {} } } }), { code: 'ALC_ERR_SCH_SERIALIZATION_BUILD', message })
  const server = createServer()
  server.addSchema({ $id: 'cat', ...object, propertys: {} })
  server.get('/', { schema: { response: { 200: { $ref: 'cat#' } } } }, () => ({}))
  await assert.rejects(async () => server.ready(), message)
})

test('a schema may have keys that documentation plugins read, extensions, and keys that resemble no part', async () => {
  const descriptions = { tags: ['a'], summary: 's', description: 'd', hide: true, operationId: 'o', security: [], 'x-internal': true }
  await boot({ ...descriptions, code: 1, mode: 'strict', audience: 'public', body: object })
})

test('a part may be null, which says that it has no schema', async () => {
  await boot({ body: null })
})

for (const [query, querystring] of [
  [false, { type: 'object' }],
  [{ type: 'object' }, false],
  [{ type: 'object' }, { type: 'object' }],
]) {
  test(`a schema of query beside another one of querystring fails the boot (${JSON.stringify([query, querystring])})`, async () => {
    const server = createServer()
    server.get('/', { schema: { query, querystring } as never }, () => 'x')
    await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_DUPLICATE' })
    await server.close()
  })
}
