import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

describe('values under alternatives', () => {
  test('are validated in several passes also if a hook or a handler validates them itself', async () => {
    const server = createServer()
    const schema = {
      type: 'object',
      oneOf: [
        { properties: { n: { type: 'integer' } }, required: ['n'] },
        { properties: { s: { type: 'string' } }, required: ['s'] },
      ],
    }
    server.get('/', { schema: { querystring: schema } }, (request: any) => {
      const compiled = request.compileValidationSchema(schema, 'querystring')
      const values: unknown[] = [{ n: '1' }, { s: '1' }, { n: 'x' }, { n: '1', s: '2' }, { s: ['a'] }, 'text', null]
      return values.map((value) => [compiled(value), value])
    })
    assert.deepEqual((await server.inject('/?n=1')).json(), [
      [true, { n: 1 }],
      [true, { s: '1' }],
      [false, { n: 'x' }],
      [false, { n: 1, s: '2' }],
      [true, { s: 'a' }],
      [false, 'text'],
      [false, null],
    ])
    await server.close()
  })

  test('are validated in several passes if they are only coerced, or only removed', async () => {
    const alternatives = (...entries: object[]) => ({ type: 'object', properties: { a: { oneOf: entries } } })
    const answer = async (customOptions: object, schema: object, payload: object): Promise<string> => {
      const server = createServer({ jsv: { customOptions } })
      server.post('/', { schema: { body: schema } }, ({ body }) => body as object)
      const reply = await server.inject({ method: 'POST', url: '/', payload })
      await server.close()
      return reply.body
    }
    const coerced = alternatives({ type: 'integer' }, { type: 'string' })
    assert.equal(await answer({ removeAdditional: false }, coerced, { a: '1' }), '{"a":"1"}')
    const withOnly = (name: string) => ({ type: 'object', additionalProperties: false, properties: { [name]: {} }, required: [name] })
    const removed = alternatives(withOnly('b'), { ...withOnly('c'), properties: { c: {}, d: {} } })
    assert.equal(await answer({ coerceTypes: false }, removed, { a: { c: 1, d: 2 } }), '{"a":{"c":1,"d":2}}')
  })

  test('whose schema refers into an alternative are validated without the pass that omits alternatives', async () => {
    const schema = {
      type: 'object',
      properties: { again: { $ref: '#/anyOf/0/properties/n' } },
      anyOf: [{ properties: { n: { type: 'integer' } } }, { required: ['x'] }],
    }
    const server = createServer()
    server.get('/', { schema: { querystring: schema } }, ({ query }) => query)
    assert.deepEqual((await server.inject('/?n=1&again=2')).json(), { n: 1, again: 2 })
    assert.equal((await server.inject('/?again=x')).statusCode, 400)
    await server.close()
  })
})
