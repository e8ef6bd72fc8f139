import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

const user = { type: 'object', properties: { name: { type: 'string' } } }
const withUser = { type: 'object', properties: { user } }
const closed = { type: 'object', additionalProperties: false, properties: { id: { type: 'integer' } } }
const payload = { id: 7, user: { name: 'Ada', password: 'secret' }, other: { password: 'secret' } }

async function sent(schema: object, value: unknown = payload): Promise<unknown> {
  const server = createServer()
  server.addSchema({ $id: 'WithUser', ...withUser })
  server.addSchema({ $id: 'Closed', ...closed })
  server.addSchema({ $id: 'Both', allOf: [{ $ref: 'WithUser#' }, { $ref: 'Closed#' }] })
  server.addSchema({
    $id: 'Tree',
    type: 'object',
    properties: { user, child: { allOf: [{ $ref: '#' }, { additionalProperties: false }] } },
  })
  server.get('/', { schema: { response: { 200: schema } } }, () => value)
  const reply = await server.inject('/')
  await server.close()
  return reply.json()
}

describe('a part with additionalProperties: false does not make the serializer write what another part does not list', () => {
  const schemas: Record<string, object> = {
    'beside a $ref': { $ref: 'WithUser#', additionalProperties: false, properties: { id: { type: 'integer' } } },
    'in allOf': { allOf: [withUser, closed] },
    'in allOf, by references': { allOf: [{ $ref: 'WithUser#' }, { $ref: 'Closed#' }] },
    'in allOf of allOf': { allOf: [{ allOf: [closed] }, { allOf: [withUser] }] },
    'in allOf beside the properties': { ...withUser, allOf: [closed] },
    'behind a reference': { $ref: 'Both#' },
    'behind a reference within the document': { definitions: { c: closed }, allOf: [withUser, { $ref: '#/definitions/c' }] },
    'beside anyOf': { ...closed, anyOf: [withUser] },
    'beside oneOf with references': { ...closed, oneOf: [{ $ref: 'WithUser#' }] },
    'in then': { ...withUser, if: {}, then: closed },
    'in else': { ...withUser, if: { required: ['none'] }, then: {}, else: { $ref: 'Closed#' } },
    // The serializer takes patterns that are valid only without the flag `u`.
    'beside patterns': { allOf: [withUser, { ...closed, patternProperties: { '^\\-x': {} } }] },
    'beside a part with additionalProperties: true': { allOf: [{ ...withUser, additionalProperties: true }, closed] },
  }
  for (const [name, schema] of Object.entries(schemas))
    test(name, async () => assert.deepEqual(await sent(schema), { id: 7, user: { name: 'Ada' } }))

  test('in a schema of items and of properties', async () => {
    const list = { type: 'array', items: { allOf: [withUser, closed] } }
    assert.deepEqual(await sent({ type: 'object', properties: { list } }, { list: [payload] }), {
      list: [{ id: 7, user: { name: 'Ada' } }],
    })
  })

  test('in a schema that contains itself', async () => {
    const value = { ...payload, child: { ...payload, child: { ...payload } } }
    assert.deepEqual(await sent({ $ref: 'Tree#' }, value), {
      user: { name: 'Ada' },
      child: { user: { name: 'Ada' }, child: { user: { name: 'Ada' } } },
    })
  })
})

test('an alternative that is closed is still told from another one', async () => {
  const alternatives = {
    anyOf: [
      { ...closed, required: ['id'] },
      { ...closed, properties: { ...closed.properties, more: {} } },
    ],
  }
  assert.deepEqual(await sent(alternatives, { id: 7, more: 'more' }), { id: 7, more: 'more' })
})
