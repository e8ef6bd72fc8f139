import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Controller, createServer, Delete, Get, Hook, HttpError, Plugin, Post, type Request, testServer } from 'alcove'

const both = { answerOptions: true, methodNotAllowed: true } as const

test('a method that a path has no route for is 405 with the methods that it has, and OPTIONS is 204 with them', async () => {
  const server = createServer(both)
  server.get('/users/:id', () => 'found')
  server.post('/users/:id', () => 'made')
  const refused = await server.inject({ method: 'DELETE', url: '/users/1?x=1' })
  assert.deepEqual([refused.statusCode, refused.headers['allow']], [405, 'GET, HEAD, POST, OPTIONS'])
  assert.deepEqual(refused.json(), {
    statusCode: 405,
    code: 'ALC_ERR_METHOD_NOT_ALLOWED',
    error: 'Method Not Allowed',
    message: 'DELETE is not allowed for /users/1?x=1, which has routes for GET, HEAD, POST, OPTIONS',
  })
  const asked = await server.inject({ method: 'OPTIONS', url: '/users/1' })
  assert.deepEqual([asked.statusCode, asked.headers['allow'], asked.body], [204, 'GET, HEAD, POST, OPTIONS', ''])
  assert.equal((await server.inject({ method: 'DELETE', url: '/other' })).statusCode, 404)
  assert.equal((await server.inject({ method: 'OPTIONS', url: '/other' })).statusCode, 404)
  assert.equal((await server.inject('/users/1')).body, 'found')
})

test('without the options such requests are answered as unknown paths, and each option does its own part', async () => {
  const answers = async (options: object): Promise<unknown[]> => {
    const server = createServer(options)
    server.get('/a', () => '')
    const replies = await Promise.all((['OPTIONS', 'POST'] as const).map((method) => server.inject({ method, url: '/a' })))
    return replies.map(({ statusCode, headers }) => [statusCode, headers['allow']])
  }
  assert.deepEqual(await answers({}), [[404, undefined], [404, undefined]]) // prettier-ignore
  assert.deepEqual(await answers({ answerOptions: true }), [[204, 'GET, HEAD, OPTIONS'], [404, undefined]]) // prettier-ignore
  assert.deepEqual(await answers({ methodNotAllowed: true }), [[405, 'GET, HEAD'], [405, 'GET, HEAD']]) // prettier-ignore
})

test('OPTIONS * is answered with the methods of the whole server, and other methods of * are not', async (t) => {
  const server = createServer(both)
  server.get('/a', () => '')
  server.put('/b', () => '')
  await server.listen({ port: 0 })
  t.after(() => server.close())
  const ask = async (method: string): Promise<string> => {
    const socket = connect((server.server.address() as AddressInfo).port)
    socket.write(`${method} * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    return text(socket)
  }
  assert.match(await ask('OPTIONS'), /^HTTP\/1\.1 204 [^]*\r\nallow: GET, HEAD, PUT, OPTIONS\r\n/)
  assert.match(await ask('GET'), /^HTTP\/1\.1 400 /)
})

test('an OPTIONS route of the application answers, also one for all paths as CORS plugins have it', async () => {
  const server = createServer(both)
  server.get('/a', () => '')
  server.options('/a', (_request, reply) => reply.header('access-control-allow-origin', '*').code(204).send())
  server.register(async (instance) => {
    instance.options('*', { docs: { hide: true } }, (_request, reply) => reply.code(200).send('preflight'))
    instance.get('/b', () => '')
  })
  assert.equal((await server.inject({ method: 'OPTIONS', url: '/a' })).headers['access-control-allow-origin'], '*')
  assert.equal((await server.inject({ method: 'OPTIONS', url: '/b' })).body, 'preflight')
  assert.equal((await server.inject({ method: 'PUT', url: '/b' })).headers['allow'], 'GET, HEAD, OPTIONS')
})

test('a guard of the route refuses whom it would refuse there, so that nobody else learns the methods', async () => {
  class HidesFromStrangers {
    onRequest(request: Request): void {
      if (request.headers['x-user'] === undefined) throw new HttpError(404)
    }
  }
  @Controller('/secret/:id')
  class SecretController {
    @Get()
    @Hook('onRequest', HidesFromStrangers)
    find() {
      return 1
    }
  }
  @Plugin({ routes: [SecretController] })
  class App {}
  await using app = await testServer(App, { server: both })
  for (const method of ['DELETE', 'OPTIONS'] as const) {
    const stranger = await app.inject({ method, url: '/secret/1' })
    assert.deepEqual([stranger.statusCode, stranger.headers['allow']], [404, undefined])
    const known = await app.inject({ method, url: '/secret/1', headers: { 'x-user': 'ada' } })
    assert.deepEqual([known.statusCode, known.headers['allow']], [method === 'DELETE' ? 405 : 204, 'GET, HEAD, OPTIONS'])
  }
})

test('a guard that calls the not-found handler answers as an unknown path is answered', async () => {
  const server = createServer(both)
  server.setNotFoundHandler((_request, reply) => void reply.code(404).send({ nothing: 'here' }))
  server.register(async (instance) => {
    instance.addHook('onRequest', async (_request, reply) => reply.callNotFound())
    instance.get('/hidden', () => '')
  })
  for (const method of ['DELETE', 'OPTIONS'] as const) {
    const [hidden, unknown] = [await server.inject({ method, url: '/hidden' }), await server.inject({ method, url: '/unknown' })]
    assert.deepEqual([hidden.statusCode, hidden.body], [404, '{"nothing":"here"}'])
    const { date: _, ...headers } = hidden.headers
    const { date: __, ...headersOfUnknown } = unknown.headers
    assert.deepEqual([hidden.body, headers], [unknown.body, headersOfUnknown])
  }
})

test('hidden routes are in no Allow, and a path with hidden routes only is unknown', async () => {
  @Controller('/things')
  class Things {
    @Get()
    list() {
      return []
    }
    @Delete({ path: '', docs: { hide: true } })
    clear() {}
    @Post({ path: '/hidden', docs: { hide: true } })
    hidden() {}
  }
  @Plugin({ routes: [Things] })
  class App {}
  await using app = await testServer(App, { server: both })
  assert.equal((await app.inject({ method: 'PUT', url: '/things' })).headers['allow'], 'GET, HEAD, OPTIONS')
  assert.equal((await app.inject({ method: 'PUT', url: '/things/hidden' })).statusCode, 404)
  assert.equal((await app.inject({ method: 'OPTIONS', url: '/things/hidden' })).statusCode, 404)
})

test('constraints are read from the request: only routes that it meets count, with asynchronous strategies too', async () => {
  const tenant = {
    name: 'tenant',
    storage() {
      const handlers = new Map<unknown, unknown>()
      return { get: (key: unknown) => handlers.get(key) ?? null, set: (key: unknown, value: unknown) => void handlers.set(key, value) }
    },
    deriveConstraint: (request: { headers: Record<string, string> }, _context: unknown, done: (error: unknown, value?: unknown) => void) =>
      setImmediate(() => (request.headers['x-tenant'] === 'fail' ? done(new Error('no')) : done(null, request.headers['x-tenant']))),
  }
  const server = createServer({ ...both, constraints: { tenant } } as never)
  server.get('/a', { constraints: { version: '1.0.0' } }, () => '')
  server.put('/a', { constraints: { tenant: 'x' } }, () => '')
  const allowFor = async (headers: Record<string, string>): Promise<unknown> => {
    const { statusCode, headers: sent } = await server.inject({ method: 'DELETE', url: '/a', headers })
    return sent['allow'] ?? statusCode
  }
  assert.equal(await allowFor({ 'accept-version': '1.x' }), 'GET, HEAD, OPTIONS')
  assert.equal(await allowFor({ 'x-tenant': 'x' }), 'PUT, OPTIONS')
  assert.equal(await allowFor({}), 404)
  assert.equal(await allowFor({ 'x-tenant': 'fail' }), 500)
})

test('the body of a refused request is not read, and the hooks after onRequest are not called', async () => {
  const called: string[] = []
  const server = createServer(both)
  server.addHook('onRequest', async () => void called.push('onRequest'))
  for (const name of ['preParsing', 'preValidation', 'preHandler'] as const) server.addHook(name, async () => void called.push(name))
  server.addHook('onSend', async () => void called.push('onSend'))
  server.get('/a', () => '')
  const headers = { 'content-type': 'application/json' }
  const { statusCode } = await server.inject({ method: 'POST', url: '/a', headers, payload: '{"not json' })
  assert.equal(statusCode, 405)
  assert.deepEqual(called, ['onRequest', 'onSend'])
})

test('the error handler and the format of errors of the context of the route answer 405', async () => {
  const server = createServer(both)
  server.register(async (instance) => {
    instance.setErrorFormat('problem')
    instance.get('/problem', () => '')
  })
  server.register(async (instance) => {
    instance.setErrorHandler((error: any, _request, reply) => void reply.code(error.statusCode).send({ own: error.code }))
    instance.get('/own', () => '')
  })
  const problem = await server.inject({ method: 'POST', url: '/problem' })
  assert.match(String(problem.headers['content-type']), /^application\/problem\+json/)
  assert.deepEqual((await server.inject({ method: 'POST', url: '/own' })).json(), { own: 'ALC_ERR_METHOD_NOT_ALLOWED' })
})

test('bad URLs, and parameters that are too long, are answered as before', async () => {
  const server = createServer({ ...both, routerOptions: { maxParamLength: 3 } })
  server.get('/a/:id', () => '')
  assert.equal((await server.inject({ method: 'POST', url: '/a/%' })).statusCode, 400)
  assert.equal((await server.inject({ method: 'POST', url: '/a/abcdef' })).statusCode, 404)
})
