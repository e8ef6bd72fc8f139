import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { createServer, type Server } from 'alcove/lib'

test('a thrown value that is not an Error, of a compiler or of a schema, fails the boot with its text and names the route', async () => {
  const failing: [declare: (server: Server) => unknown, code: string][] = [
    [
      (server) =>
        server.get(
          '/',
          {
            schema: { querystring: {} },
            validatorCompiler: () => {
              throw 'no compiler'
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
    [
      (server) =>
        server.get(
          '/',
          {
            schema: {
              querystring: {
                isFluentSchema: true,
                valueOf: () => {
                  throw 'no compiler'
                },
              },
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
  ]
  for (const [declare, code] of failing) {
    const server = createServer()
    declare(server)
    await assert.rejects(async () => server.ready(), { code, message: /GET: \/.*no compiler/ })
    await server.close()
  }
})

test('properties beside a description fail the boot of a response, which would be sent with all its members', async () => {
  const boot = async (response: object): Promise<void> => {
    const server = createServer()
    server.get('/', { schema: { response } }, () => ({}))
    await server.ready()
    await server.close()
  }
  const n = { type: 'integer' }
  const loose =
    /the property 'n' is listed beside 'description', which shorthand does not allow\. Write \{ type: 'object', properties: \{ n: … \}/
  await assert.rejects(boot({ 200: { description: 'A number', n } }), loose)
  await assert.rejects(boot({ 200: { content: { 'application/json': { schema: { description: 'A number', n } } } } }), loose)
  await assert.rejects(boot({ 200: { additionalProperties: false, n: { $ref: '#' } } }), /beside 'additionalProperties'/)
  await boot({
    200: { description: n, n },
    201: { description: 'Anything', headers: { 'x-total': n }, 'x-hint': n, examples: [n] },
    202: { description: 'One of ours', ownKeyword: { of: 'ours' } },
  })
})

test('an empty schema, also that of Type.Unknown() of TypeBox, allows any value, and a reply is sent as it is', async () => {
  for (const schema of [{}, Type.Unknown()]) {
    const server = createServer()
    server.post('/', { schema: { body: schema, response: { 200: schema } } }, ({ body }) => ({ got: body }))
    server.get('/nothing', { schema: { response: { 200: schema } } }, async () => {})
    for (const body of [{ a: 1, b: { c: [2] } }, [1, 'x'], 5, null]) {
      const headers = { 'content-type': 'application/json' }
      const reply = await server.inject({ method: 'POST', url: '/', headers, payload: JSON.stringify(body) })
      assert.deepEqual([reply.statusCode, reply.json()], [200, { got: body }])
    }
    assert.equal((await server.inject('/nothing')).statusCode, 200)
    await server.close()
  }
})
