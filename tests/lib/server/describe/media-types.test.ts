import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, describeContexts } from 'alcove/lib'

const id = { type: 'object', properties: { id: { type: 'integer' } } }
/** A schema, the media types that are described for it, and payloads that it allows. */
const cases: readonly (readonly [string, object, readonly string[], readonly unknown[]])[] = [
  ['a text', { type: 'string' }, ['text/plain'], ['a']],
  ['bytes', { type: 'string', format: 'binary' }, ['application/octet-stream'], [Buffer.from('a')]],
  ['a number', { type: 'integer' }, ['application/json'], [1]],
  ['a text or null', { type: ['string', 'null'] }, ['application/json', 'text/plain'], ['a', null]],
  ['a nullable text', { type: 'string', nullable: true }, ['application/json', 'text/plain'], ['a', null]],
  ['a text of a list', { enum: ['a', 'b'] }, ['text/plain'], ['a']],
  ['a text or a number of a list', { enum: ['a', 1] }, ['application/json', 'text/plain'], ['a', 1]],
  ['one text', { const: 'a' }, ['text/plain'], ['a']],
  ['a text or an object', { anyOf: [{ type: 'string' }, id] }, ['application/json', 'text/plain'], ['a', { id: 1 }]],
  [
    'bytes or an object',
    { oneOf: [{ type: 'string', format: 'binary' }, id] },
    ['application/json', 'application/octet-stream'],
    [Buffer.from('a'), { id: 1 }],
  ],
  ['a reference to a text', { $ref: 'Name#' }, ['text/plain'], ['a']],
  ['a reference to an object', { $ref: 'Id#' }, ['application/json'], [{ id: 1 }]],
  ['null', { type: 'null' }, [], []],
]

for (const [name, schema, types, payloads] of cases)
  test(`${name} is described with the media types with which it is sent: ${types.join(', ') || 'none'}`, async () => {
    const server = createServer()
    server.addSchema({ $id: 'Name', type: 'string' })
    server.addSchema({ $id: 'Id', ...id })
    payloads.forEach((payload, index) => server.get(`/${index}`, { schema: { response: { 200: schema } } }, async () => payload as never))
    if (payloads.length === 0) server.get('/none', { schema: { response: { 200: schema } } }, () => 'none')
    await server.ready()
    const [route] = describeContexts(server).routes
    assert.deepEqual(Object.keys(route!.responses['200']!.content), types)
    for (const index of payloads.keys()) {
      const { headers } = await server.inject(`/${index}`)
      assert.ok(types.includes(String(headers['content-type']).split(';')[0]!), `${headers['content-type']}`)
    }
    await server.close()
  })

test('a type that refers to itself is JSON', async () => {
  const server = createServer()
  server.addSchema({ $id: 'Loop', $ref: 'Loop#' })
  server.get('/', { schema: { response: { '2xx': { anyOf: [{ type: 'string' }, { $ref: '#/anyOf/1' }] } } } }, () => 'a')
  await server.ready().catch(() => {})
  assert.deepEqual(Object.keys(describeContexts(server).routes[0]!.responses['2xx']!.content), ['application/json', 'text/plain'])
})
