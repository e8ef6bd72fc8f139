import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'

const tag = { $id: 'Tag', type: 'string' }
// ajv writes a schema without references into the schema that refers to it, and compiles others to a function.
const cat = {
  $id: 'Cat',
  type: 'object',
  required: ['meows'],
  properties: { tag: { $ref: 'Tag#' }, meows: { type: 'boolean' }, lives: { type: 'integer', default: 9 } },
}
const dog = { $id: 'Dog', type: 'object', required: ['barks'], properties: { barks: { type: 'boolean' } } }

async function answer(body: object, payload: object, customOptions: object = {}, more: Partial<ServerOptions> = {}): Promise<unknown> {
  const server = createServer({ jsv: { customOptions }, ...more })
  for (const schema of [tag, cat, dog]) server.addSchema(schema)
  server.post('/', { schema: { body } }, (request) => request.body as object)
  try {
    const reply = await server.inject({ method: 'POST', url: '/', payload })
    return reply.json()
  } finally {
    await server.close()
  }
}

describe('a default behind a reference of an alternative', () => {
  const refused = {
    code: 'ALC_ERR_SCH_VALIDATION_BUILD',
    message: /POST: \/.*strict mode: the default of lives is behind the reference Cat# of an alternative/s,
  }
  const schemas = {
    oneOf: { oneOf: [{ $ref: 'Cat#' }, { $ref: 'Dog#' }] },
    anyOf: { anyOf: [{ $ref: 'Dog#' }, { $ref: 'Cat#' }] },
    'oneOf with null': { oneOf: [{ $ref: 'Cat#' }, { $ref: 'Dog#' }, { type: 'null' }] },
    not: { type: 'object', not: { $ref: 'Cat#' } },
    if: { type: 'object', if: { $ref: 'Cat#' }, else: { required: ['barks'] } },
    'a property of an alternative': { anyOf: [{ type: 'object', properties: { pet: { $ref: 'Cat#' } } }, { $ref: 'Dog#' }] },
    'an alternative within a reference': {
      $ref: '#/definitions/Pet',
      definitions: { Pet: { oneOf: [{ $ref: 'Cat#' }, { $ref: 'Dog#' }] } },
    },
  }
  for (const [name, schema] of Object.entries(schemas))
    test(`fails the boot: ${name}`, () => assert.rejects(answer(schema, { barks: true }), refused))

  test('fails the boot also if schemas are compiled at boot', () =>
    assert.rejects(answer(schemas.oneOf, { barks: true }, {}, { compileSchemas: 'boot' }), refused))

  test('is filled in if no other alternative takes an object', async () => {
    assert.deepEqual(
      await answer({ type: 'object', properties: { pet: { anyOf: [{ $ref: 'Cat#' }, { type: 'null' }] } } }, { pet: { meows: true } }),
      { pet: { meows: true, lives: 9 } },
    )
  })

  test('is filled in outside of the alternatives', async () => {
    const body = { type: 'object', properties: { pet: { $ref: 'Cat#' }, other: { oneOf: [{ $ref: 'Dog#' }, { type: 'string' }] } } }
    assert.deepEqual(await answer(body, { pet: { meows: true }, other: 'fish' }), { pet: { meows: true, lives: 9 }, other: 'fish' })
  })

  test('is taken with a discriminator, which names the alternative', async () => {
    const kinds = ['Bird', 'Fish'].map((kind) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: kind }, tag: { $ref: 'Tag#' }, [`is${kind}`]: { type: 'boolean', default: true } },
      additionalProperties: false,
    }))
    const body = {
      type: 'object',
      required: ['kind'],
      discriminator: { propertyName: 'kind' },
      oneOf: [{ $ref: '#/definitions/Bird' }, { $ref: '#/definitions/Fish' }],
      definitions: { Bird: kinds[0], Fish: kinds[1] },
    }
    assert.deepEqual(await answer(body, { kind: 'Fish' }, { discriminator: true }), { kind: 'Fish', isFish: true })
  })

  test('is no fault if the strict mode of ajv is off, or fills in no defaults', async () => {
    assert.deepEqual(await answer(schemas.oneOf, { barks: true }, { strict: false }), { barks: true, lives: 9 })
    assert.deepEqual(await answer(schemas.oneOf, { barks: true }, { useDefaults: false }), { barks: true })
  })
})
