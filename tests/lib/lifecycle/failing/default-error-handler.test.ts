/** The replies of the default error handler and of the default not-found handler. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, HttpError, type ServerOptions } from 'alcove/lib'
import { messages, using } from '../../../fixtures/logged-server.js'

function thrower(thrown: unknown, options?: ServerOptions) {
  const server = createServer(options)
  server.get('/', () => {
    throw thrown
  })
  return server
}

test('a thrown value that is not an Error is not shown if the server is at fault', async () => {
  const hidden = { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' }
  for (const thrown of ['a secret', { secret: 1, message: 'a secret' }, 42]) {
    const response = await thrower(thrown).inject('/')
    assert.equal(response.statusCode, 500)
    assert.deepEqual(response.json(), hidden)
  }
})

test('a thrown value that is not an Error is the payload if it may be shown', async () => {
  const text = await thrower('no tea', { exposeErrorMessages: true }).inject('/')
  assert.deepEqual([text.statusCode, text.body], [500, 'no tea'])
  const exposed = await thrower({ expose: true, reason: 'no tea' }).inject('/')
  assert.deepEqual([exposed.statusCode, exposed.json()], [500, { expose: true, reason: 'no tea' }])
  const client = await thrower({ statusCode: 418, reason: 'no coffee' }).inject('/')
  assert.deepEqual([client.statusCode, client.json()], [418, { statusCode: 418, reason: 'no coffee' }])
})

test('a request to an unknown path is answered 404 with its method and path, and this is logged', async () => {
  const lines: any[] = []
  const server = createServer({ logger: { level: 'info', stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  assert.deepEqual((await server.inject('/nowhere')).json(), {
    message: 'Route GET:/nowhere not found',
    error: 'Not Found',
    statusCode: 404,
  })
  assert.ok(lines.some(({ msg, level }) => msg === 'Route GET:/nowhere not found' && level === 30))
  await server.close()
})

test('an error is not answered again by the default handler if an error handler has already sent a reply', () =>
  using(
    (server) => {
      const { errorHandler: byDefault } = server
      server.setErrorHandler((error, request, reply) => {
        reply.send('handled')
        byDefault.call(server, error, request, reply)
      })
      server.get('/', () => Promise.reject(new Error('x')))
    },
    async (server, lines) => {
      assert.equal((await server.inject('/')).body, 'handled')
      assert.deepEqual(messages(lines), [])
    },
  ))

test('an error is not answered by the default handler while the hooks of a reply to it run', () =>
  using(
    (server) => {
      const { errorHandler: byDefault } = server
      server.addHook('onSend', async () => new Promise((resolve) => setImmediate(resolve)))
      server.setErrorHandler((error, request, reply) => {
        reply.send('handled')
        byDefault.call(server, error, request, reply)
      })
      server.get('/', () => Promise.reject(new Error('x')))
    },
    async (server, lines) => {
      assert.equal((await server.inject('/')).body, 'handled')
      assert.deepEqual(messages(lines), [])
    },
  ))

test('an error without a body, and one that is not an HttpError, is answered with a text about itself, and with its media type', async () => {
  for (const [error, type] of [
    [new HttpError(422, 'is taken'), 'application/json; charset=utf-8'],
    [Object.assign(new Error('is taken'), { status: 422, body: { own: 1 } }), 'application/json; charset=utf-8'],
  ] as const) {
    const answer = await thrower(error).inject('/')
    assert.deepEqual(
      [answer.json(), answer.headers['content-type']],
      [{ statusCode: 422, error: 'Unprocessable Entity', message: 'is taken' }, type],
    )
  }
})

test('the media type that an error handler has chosen stays', async () => {
  const server = createServer()
  const { errorHandler: byDefault } = server
  server.setErrorHandler((error, request, reply) => {
    reply.type('application/vnd.own+json')
    byDefault.call(server, error, request, reply)
  })
  server.get('/', () => Promise.reject(new Error('x')))
  assert.equal((await server.inject('/')).headers['content-type'], 'application/vnd.own+json')
})

test('an HttpError whose body cannot be serialized is answered with a 500 that does not show the error of the serializer', async () => {
  const answer = await thrower(new HttpError(422, 'Invalid', { body: { big: 1n } })).inject('/')
  assert.deepEqual([answer.statusCode, answer.json().message], [500, 'Internal Server Error'])
})

test('a request to an unknown path is answered with problem details, if these are the format of errors', async () => {
  const answer = await createServer({ errorFormat: 'problem' }).inject('/nowhere?a=1')
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.deepEqual(answer.json(), {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'Route GET:/nowhere?a=1 not found',
    instance: '/nowhere',
  })
  assert.equal((await createServer().inject('/nowhere')).headers['content-type'], 'application/json; charset=utf-8')
})

test('the body of an HttpError is sent as it is, through the schema of the status, unless the error is not shown', async () => {
  const server = createServer()
  const body = { errors: { title: ['is taken'] }, secret: 1 }
  const fail =
    (status: number, options: object = {}) =>
    () => {
      throw new HttpError(status, 'Invalid', { body, ...options })
    }
  server.get('/plain', fail(422))
  const errors = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } } as const
  server.get('/schema', { schema: { response: { 422: { type: 'object', properties: { errors } } } } }, fail(422))
  server.get('/hidden', fail(503))
  server.get('/exposed', fail(503, { expose: true }))
  const address = await server.listen({ port: 0 })
  const get = async (path: string) => {
    const reply = await fetch(address + path)
    return [reply.status, await reply.json()]
  }
  assert.deepEqual(await get('/plain'), [422, body])
  assert.deepEqual(await get('/schema'), [422, { errors: body.errors }])
  assert.deepEqual(await get('/hidden'), [503, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' }])
  assert.deepEqual(await get('/exposed'), [503, body])
  await server.close()
})
