/** Texts of errors in alcove/fastify that tests of applications compare: Fastify's own, where those of createServer say more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { errorCodes } from 'alcove/fastify'

test('an unsupported media type has the same text whether the server or an application made the error', async () => {
  assert.equal(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE().message, 'Unsupported Media Type')
  assert.equal(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/xml').message, 'Unsupported Media Type')
})

test('decorating a request with an object or array names the type as typeof does', async () => {
  const server = Fastify()
  for (const value of [[], { a: 1 }]) {
    assert.throws(() => server.decorateRequest('shared', value), {
      code: 'FST_ERR_DEC_REFERENCE_TYPE',
      message: "The decorator 'shared' of type 'object' is a reference type. Use the { getter, setter } interface instead.",
    })
  }
  await server.close()
})

test('a hook that does not call done is named', async () => {
  for (const [hook, name] of [
    [function connect(_done: unknown) {}, ' "connect"'],
    [(_done: unknown) => {}, ''],
  ] as const) {
    const server = Fastify({ pluginTimeout: 50 })
    server.addHook('onReady', hook)
    await assert.rejects(async () => server.ready(), {
      code: 'FST_ERR_HOOK_TIMEOUT',
      message: `A callback for 'onReady' hook${name} timed out. You may have forgotten to call 'done' function or to resolve a Promise`,
    })
    await server.close().catch(() => {})
  }
})

test('close and fetch reject with the codes of Fastify too', async () => {
  const server = Fastify({ pluginTimeout: 50 })
  server.addHook('preClose', (_done: unknown) => {})
  await server.ready()
  await assert.rejects((server as unknown as { fetch(request: string): Promise<Response> }).fetch('http://localhost/'), {
    code: 'FST_ERR_FETCH_REQUEST_INVALID',
  })
  await assert.rejects(async () => server.close(), { code: 'FST_ERR_HOOK_TIMEOUT' })
})

test('a schema that does not compile ends with the reason of the engine; the part is a property', async () => {
  const server = Fastify()
  server.get('/:id', { schema: { params: { type: 'object', properties: { id: { $ref: '#none' } } } } } as object, () => '')
  await assert.rejects(async () => server.ready(), {
    code: 'FST_ERR_SCH_VALIDATION_BUILD',
    message: "Failed building the validation schema for GET: /:id, due to error can't resolve reference #none from id #",
    part: 'params',
  })
  await server.close()
})
