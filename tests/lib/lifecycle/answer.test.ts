/** What is made of the result of a handler that returns nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Controller, Get, Head, Plugin, testServer } from 'alcove'
import { createServer, type Server } from 'alcove/lib'
import fastify from 'alcove/fastify'
import { loggedServer } from '../../fixtures/logged-server.js'

const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const
const schema = { response: { 200: named } }
// The compiler refuses a method that returns nothing.
const loose = (response: object): { readonly [key: string]: unknown } => ({ response })
const nothing = async (): Promise<any> => {}

describe('a handler that returns nothing, although the schema of its response describes a value', () => {
  test('is answered 500, and the log names its route and what to write', async () => {
    const { server, lines } = loggedServer({})
    server.get('/', { schema }, nothing)
    const { statusCode, body } = await server.inject('/')
    assert.deepEqual([statusCode, JSON.parse(body).code], [500, 'ALC_ERR_REP_MISSING'])
    assert.match(
      JSON.stringify(lines),
      /GET \/ returned nothing, but the schema of its response 200 describes a value\. Return that value, set a status without a body \(204\), or let the schema allow null\./,
    )
    await server.close()
  })

  test('is named by its class and method, also if it is not asynchronous or takes the reply', async () => {
    @Controller()
    class Users {
      @Get('/sync', loose(schema.response)) find() {}
      @Get('/async', loose(schema.response)) async list() {}
      @Get({ path: '/status', status: 201 }, loose({ '2xx': named })) async add(_request: object, _reply: object) {}
      @Head('/head', loose(schema.response)) async head() {}
    }
    @Plugin({ routes: [Users] })
    class App {}
    await using server = await testServer(App, { server: { exposeErrorMessages: true } })
    const answers = await Promise.all(['/sync', '/async', '/status'].map(async (url) => (await server.inject(url)).json().message))
    assert.deepEqual(
      answers.map((message) => message.slice(0, message.indexOf(','))),
      ['App > Users.find returned nothing', 'App > Users.list returned nothing', 'App > Users.add returned nothing'],
    )
    assert.match(answers[2], /response 201/)
    assert.equal((await server.inject({ method: 'HEAD', url: '/head' })).statusCode, 200)
  })

  test('is an empty reply in alcove/fastify, as in Fastify', async () => {
    const server = fastify()
    server.get('/', { schema }, nothing)
    const { statusCode, body } = await server.inject('/')
    assert.deepEqual([statusCode, body], [200, ''])
    await server.close()
  })

  test('does no harm to an error handler, to a reply that was sent, hijacked or handed on, and to a sent nothing', async () => {
    const server = createServer()
    server.setNotFoundHandler((_request, reply) => void reply.code(404).send('gone'))
    server.get('/failed', { schema, errorHandler: async (_error, _request, reply) => void reply.code(200) }, () => {
      throw new Error('no')
    })
    server.get('/sent', { schema }, async (_request, reply) => void reply.send({ name: 'Ada' }))
    server.get('/hijacked', { schema }, async (_request, reply) => void reply.hijack().raw.end('own'))
    server.get('/not-found', { schema }, async (_request, reply) => void reply.callNotFound())
    server.get('/empty', { schema }, (_request, reply) => void reply.send())
    const answers = await Promise.all(['failed', 'sent', 'hijacked', 'not-found', 'empty'].map((name) => server.inject(`/${name}`)))
    assert.deepEqual(
      answers.map(({ statusCode, body }) => [statusCode, body]),
      [
        [200, ''],
        [200, '{"name":"Ada"}'],
        [200, 'own'],
        [404, 'gone'],
        [200, ''],
      ],
    )
    await server.close()
  })
})

describe('a handler that returns nothing is answered with an empty reply', () => {
  const free: Record<string, [response: object, status?: number]> = {
    'by a status without a body': [{ 204: named, default: named }, 204],
    'if its status has no schema': [{ 201: named }],
    'if the type may be null': [{ 200: { ...named, type: ['object', 'null'] } }],
    'if the schema is nullable': [{ 200: { ...named, nullable: true } }],
    'if the schema allows anything': [{ 200: {} }],
    'if one of the alternatives is null': [{ 200: { anyOf: [named, { type: 'null' }] } }],
    'if null is among the values': [{ 200: { enum: ['a', null] } }],
    'if the reference leads to a schema that allows null': [{ 200: { $ref: 'Maybe#' } }],
    'if one of its media types allows it': [
      { 200: { content: { 'application/json': { schema: named }, 'text/csv': { schema: { type: ['string', 'null'] } } } } },
    ],
  }
  for (const [when, [response, status = 200]] of Object.entries(free))
    test(when, async () => {
      const server = createServer()
      server.addSchema({ $id: 'Maybe', ...named, nullable: true })
      server.get('/', { schema: { response: response as any } }, async (_request, reply) => void reply.code(status))
      const { statusCode, body } = await server.inject('/')
      assert.deepEqual([statusCode, body], [status, ''])
      await server.close()
    })

  const refused: Record<string, object> = {
    'a reference to a shared schema': { 200: { $ref: 'User#' } },
    'a range': { '2xx': named },
    'the default': { default: named },
    alternatives: { 200: { oneOf: [named, { type: 'string' }] } },
    'parts of a schema': { 200: { allOf: [{}, named] } },
    'fixed values': { 200: { enum: ['a'] } },
    'media types': { 200: { content: { 'application/json': { schema: named } } } },
    shorthand: { 200: { name: { type: 'string' } } },
  }
  for (const [what, response] of Object.entries(refused))
    test(`but not if ${what} describes a value`, async () => {
      const server: Server = createServer()
      server.addSchema({ $id: 'User', ...named })
      server.get('/', { schema: { response: response as any } }, nothing)
      assert.equal((await server.inject('/')).statusCode, 500)
      await server.close()
    })
})
