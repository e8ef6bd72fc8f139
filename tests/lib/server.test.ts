/** The face of an instance: what it refuses, what it tells of itself, and its ways to be called. */
import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Server } from 'alcove/lib'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['a route that is null', (server) => server.route(null), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a route that is a text', (server) => server.route('/'), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a path that is no text', (server) => server.get(7, handler), 'ALC_ERR_INVALID_URL'],
  ['a url that is no text', (server) => server.route({ method: 'GET', url: 7, handler }), 'ALC_ERR_INVALID_URL'],
  ['options of a route that are a text', (server) => server.get('/', 'x', handler), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['two handlers of a route', (server) => server.get('/', { handler }, handler), 'ALC_ERR_ROUTE_DUPLICATED_HANDLER'],
  ['two handlers of which one is none', (server) => server.get('/', { handler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['a route without a handler', (server) => server.get('/', {}), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['an error handler of a route that is none', (server) => server.get('/', { errorHandler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['a method that is no text', (server) => server.route({ method: 7, url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_INVALID'],
  ['a method that is not known', (server) => server.route({ method: 'BREW', url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED'],
  ['a hook of a route that is none', (server) => server.get('/', { onRequest: 'x' }, handler), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'a hook in a list of a route that is none',
    (server) => server.get('/', { onRequest: [handler, {}] }, handler),
    'ALC_ERR_HOOK_INVALID_HANDLER',
  ],
  ['a hook whose name is no text', (server) => server.addHook(7, handler), 'ALC_ERR_HOOK_INVALID_TYPE'],
  ['a hook that is not known', (server) => server.addHook('onNothing', handler), 'ALC_ERR_HOOK_NOT_SUPPORTED'],
  ['a hook that is missing', (server) => server.addHook('onRequest'), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  ['a hook that is an object', (server) => server.addHook('onRequest', {}), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'an async hook that takes a callback',
    (server) => server.addHook('onRequest', async (_a: 1, _b: 2, _c: 3) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onSend hook that takes a callback',
    (server) => server.addHook('onSend', async (_a: 1, _b: 2, _c: 3, _d: 4) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onReady hook that takes a callback',
    (server) => server.addHook('onReady', async (_a: 1) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onRequestAbort hook that takes a callback',
    (server) => server.addHook('onRequestAbort', async (_a: 1, _b: 2) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  ['an error handler that is none', (server) => server.setErrorHandler({}), 'ALC_ERR_ERROR_HANDLER_NOT_FN'],
  [
    'a second not-found handler',
    (server) => server.setNotFoundHandler(handler).setNotFoundHandler(handler),
    'ALC_ERR_NOT_FOUND_HANDLER_PRESENT',
  ],
  ['a not-found handler that is none', (server) => server.setNotFoundHandler('x'), 'ALC_ERR_NOT_FOUND_HANDLER_NOT_FN'],
  ['a not-found handler after its options that is none', (server) => server.setNotFoundHandler({}, 5), 'ALC_ERR_NOT_FOUND_HANDLER_NOT_FN'],
  [
    'a hook of a not-found handler that is none',
    (server) => server.setNotFoundHandler({ preHandler: 'x' }, handler),
    'ALC_ERR_HOOK_INVALID_HANDLER',
  ],
  ['a handler that is none', (server) => server.get('/', {}, 'x'), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a handler among the options that is none', (server) => server.get('/', { handler: 5 }), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a generator of ids that is asynchronous', (server) => server.setGenReqId(async () => 'x'), 'ALC_ERR_SETTING_INVALID'],
  ['a factory of loggers that is none', (server) => server.setChildLoggerFactory({}), 'ALC_ERR_SETTING_INVALID'],
  ['a serializer of replies that is none', (server) => server.setReplySerializer(5), 'ALC_ERR_SETTING_INVALID'],
  ['a validator compiler that is none', (server) => server.setValidatorCompiler(5), 'ALC_ERR_SETTING_INVALID'],
  ['a serializer compiler that is asynchronous', (server) => server.setSerializerCompiler(async () => String), 'ALC_ERR_SETTING_INVALID'],
  ['a path that is none', (server) => server.get('no-slash', handler), 'ERR_ASSERTION'],
  ['a text to listen at', (server) => server.listen('3000'), 'ALC_ERR_LISTEN_OPTIONS_INVALID'],
]
for (const [title, declare, code] of refused) {
  test(`an instance refuses ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}

test('a setter that refuses its argument says what it expects and what it got', () => {
  assert.throws(() => createServer().setGenReqId((async () => 'x') as never), {
    message: 'setGenReqId expects a synchronous function, got an async function',
  })
})

test('an instance that has started refuses what would change it', async () => {
  const server: any = createServer()
  await server.ready()
  for (const [code, declare] of [
    ['ALC_ERR_INSTANCE_ALREADY_LISTENING', () => server.get('/', handler)],
    ['ALC_ERR_INSTANCE_ALREADY_LISTENING', () => server.addHook('onRequest', handler)],
    ['ALC_ERR_DEC_AFTER_START', () => server.decorate('late', 1)],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.addContentTypeParser('a/b', handler)],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.removeContentTypeParser('a/b')],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.removeAllContentTypeParsers()],
  ] as [string, () => unknown][]) {
    assert.throws(declare, { code })
  }
  await server.close()
})

test('an instance gives what is in force in its context', async () => {
  const server: any = createServer()
  const [factory, generate, inner, validator, serializer] = [
    (logger: any, bindings: any, options: any) => logger.child(bindings, options),
    () => 'own-id',
    () => 'inner',
    () => () => true,
    () => JSON.stringify,
  ]
  server.setChildLoggerFactory(factory)
  server.setValidatorCompiler(validator)
  server.register(async (child: any) => {
    child.setGenReqId(generate)
    child.setErrorHandler(inner)
    child.setSerializerCompiler(serializer)
    child.decorateReply('mark', 1)
    child.decorateRequest('user', null)
    assert.equal(child.childLoggerFactory, factory)
    assert.equal(child.validatorCompiler, validator)
    assert.equal(child.serializerCompiler, serializer)
    assert.equal(child.genReqId({ headers: {} }), 'own-id')
    assert.equal(child.errorHandler(), 'inner')
    assert.ok(child.hasReplyDecorator('mark') && child.hasRequestDecorator('user'))
    assert.equal(child.withTypeProvider(), child)
  })
  await server.ready()
  assert.deepEqual([server.hasReplyDecorator('mark'), server.hasRequestDecorator('user')], [false, false])
  assert.equal(server.genReqId({ headers: {} }), 'req-1')
  assert.equal(server.serializerCompiler, undefined)
  assert.equal(server.errorHandler.name, 'defaultErrorHandler')
  await server.close()
})

describe('routes', () => {
  test('are found by method, path and constraints, as a request would find them', async () => {
    const server = createServer()
    server.get('/users/:id', handler)
    server.get('/v', { constraints: { version: '2.0.0' } }, handler)
    assert.equal(server.hasRoute({ method: 'GET', url: '/users/:id' }), true)
    assert.equal(server.hasRoute({ method: 'POST', url: '/users/:id' }), false)
    assert.equal(server.hasRoute({ method: 'GET' } as never), false)
    assert.equal(server.hasRoute({ method: 'GET', url: '/v' }), false)
    assert.equal(server.hasRoute({ method: 'GET', url: '/v', constraints: { version: '2.x' } }), true)
    const found: any = server.findRoute({ method: 'GET', url: '/users/7' })
    assert.deepEqual({ ...found.params }, { id: '7' })
    assert.equal(server.findRoute({ method: 'GET', url: '/elsewhere' }), null)
    assert.equal(server.findRoute({ method: 'GET' } as never), null)
    await server.close()
  })

  test('are printed as a tree, with their hooks and what was asked for beside them', async () => {
    const server = createServer()
    function guard(): void {}
    server.get('/users/:id', { onRequest: async () => guard(), logLevel: 'warn', errorHandler: function own() {} }, handler)
    server.get('/anonymous', { errorHandler: (() => () => {})() }, handler)
    await server.ready()
    assert.match(server.printRoutes({ includeMeta: ['errorHandler'] }), /\(errorHandler\) "anonymous\(\)"/)
    assert.match(server.printRoutes(), /users\/\n.*:id \(GET, HEAD\)/)
    assert.doesNotMatch(server.printRoutes(), /onRequest/)
    assert.match(server.printRoutes({ includeHooks: true }), /\(onRequest\)/)
    const wide = server.printRoutes({ includeHooks: true, includeMeta: ['errorHandler', 'logLevel'] })
    assert.match(wide, /\(onRequest\)/)
    assert.match(wide, /\(errorHandler\) "own\(\)"/)
    assert.match(wide, /\(logLevel\) "warn"/)
    assert.doesNotMatch(server.printRoutes({ includeMeta: ['logLevel'] }), /onRequest|errorHandler/)
    await server.close()
  })

  test('may be declared for HEAD after the twin that a GET route got, and without one', async () => {
    const server = createServer()
    server.get('/', handler)
    server.head('/', (_request, reply) => void reply.header('x-own', 'head').send())
    server.head('/before', (_request, reply) => void reply.header('x-own', 'before').send())
    server.get('/before', handler)
    server.get('/none', { exposeHeadRoute: false }, handler)
    assert.equal((await server.inject({ method: 'HEAD', url: '/' })).headers['x-own'], 'head')
    assert.equal((await server.inject({ method: 'HEAD', url: '/before' })).headers['x-own'], 'before')
    assert.equal((await server.inject({ method: 'HEAD', url: '/none' })).statusCode, 404)
    await server.close()
  })

  test('without a url are at the prefix of their context', async () => {
    const server = createServer()
    server.register(async (child: any) => void child.route({ method: 'GET', handler: () => 'here' }), { prefix: '/p' })
    assert.equal((await server.inject('/p')).body, 'here')
    await server.close()
  })

  test('at / of a prefix answer with, without or with and without the slash, as prefixTrailingSlash says', async () => {
    const server = createServer()
    for (const mode of ['slash', 'no-slash', 'both'] as const) {
      server.register(async (child: Server) => void child.get('/', { prefixTrailingSlash: mode }, () => mode), { prefix: `/${mode}` })
    }
    const statuses: Record<string, number[]> = {}
    for (const mode of ['slash', 'no-slash', 'both']) {
      statuses[mode] = [(await server.inject(`/${mode}`)).statusCode, (await server.inject(`/${mode}/`)).statusCode]
    }
    assert.deepEqual(statuses, { slash: [404, 200], 'no-slash': [200, 404], both: [200, 200] })
    await server.close()
  })

  test('and prefixes meet with one slash, however each is written', async () => {
    const server = createServer()
    server.register(
      async (child: Server) => {
        child.get('/a', () => 'a')
        child.register(async (inner: Server) => void inner.get('/b', () => 'b'), { prefix: '/inner' })
      },
      { prefix: '/slashed/' },
    )
    server.register(async (child: Server) => void child.get('/d', () => 'd'), { prefix: 'bare' })
    const bodies = await Promise.all(['/slashed/a', '/slashed/inner/b', '/bare/d'].map((url) => server.inject(url)))
    assert.deepEqual(
      bodies.map(({ body, statusCode }) => (statusCode === 200 ? body : statusCode)),
      ['a', 'b', 'd'],
    )
    await server.close()
  })
})

describe('inject', () => {
  test('calls back with the reply, before and after the start, and with the failure of the boot', async () => {
    const server: any = createServer()
    server.get('/', () => 'here')
    const call = (instance: any): Promise<any[]> => new Promise((resolve) => instance.inject('/', (...given: any[]) => resolve(given)))
    const [before, first] = await call(server)
    assert.deepEqual([before, first.body], [null, 'here'])
    const [after, second] = await call(server)
    assert.deepEqual([after, second.body], [null, 'here'])
    await server.close()

    const broken: any = createServer()
    broken.register(async () => {
      throw new Error('no boot')
    })
    assert.equal((await call(broken))[0].message, 'no boot')
    await assert.rejects(broken.inject('/'), /no boot/)
  })

  test('is refused once the server is closed, as a promise and as a call back', async () => {
    const server: any = createServer()
    await server.ready()
    await server.close()
    await assert.rejects(server.inject('/'), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
    const [error] = await new Promise<any[]>((resolve) => server.inject('/', (...given: any[]) => resolve(given)))
    assert.equal(error.code, 'ALC_ERR_REOPENED_CLOSE_SERVER')
  })
})

describe('listen', () => {
  test('takes a function alone, and tells it the address', async () => {
    const server: any = createServer()
    const [error, address] = await new Promise<any[]>((resolve) => server.listen((...given: any[]) => resolve(given)))
    assert.equal(error, null)
    assert.equal(address, server.listeningOrigin)
    const { port } = server.server.address() as AddressInfo
    assert.match(address, new RegExp(`^http://.+:${port}$`))
    await server.close()
    assert.equal(server.listeningOrigin, 'null')
  })

  test('tells a function why it failed', async () => {
    const server: any = createServer()
    const [error, address] = await new Promise<any[]>((resolve) => server.listen({ port: -1 }, (...given: any[]) => resolve(given)))
    assert.deepEqual([error.code, address], ['ERR_SOCKET_BAD_PORT', null])
    await server.close()
  })
})

test('an instance ends with the block that it is disposed of in', async () => {
  const server = createServer()
  let isClosed = false
  server.addHook('onClose', async () => void (isClosed = true))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const closed = once(server.server, 'close')
  await server[Symbol.asyncDispose]()
  await closed
  assert.ok(isClosed)
})

test('the url that a request came with is kept where rewriteUrl changes it', async () => {
  const server = createServer({ rewriteUrl: (raw) => raw.url!.replace('/old', '/new') })
  server.get('/new', ({ url, originalUrl }) => ({ url, originalUrl }))
  await server.listen({ port: 0, host: '127.0.0.1' })
  assert.deepEqual(await (await fetch(`${server.listeningOrigin}/old`)).json(), { url: '/new', originalUrl: '/old' })
  await server.close()
})

test('a request that somebody else routes needs no socket', () => {
  const server = createServer()
  server.get('/', (_request, reply) => reply.header('connection', 'close').send('routed'))
  return server.ready().then(() => {
    const raw = Object.assign(new IncomingMessage(undefined as never), {
      method: 'GET',
      url: '/',
      httpVersion: '1.1',
      headers: { host: 'a' },
    })
    const response = new ServerResponse(raw)
    server.routing(raw, response)
    assert.deepEqual([response.statusCode, response.writableEnded], [200, true])
  })
})

test('what comes before routing and fails is answered by frameworkErrors, where there is one', async () => {
  const server = createServer({ frameworkErrors: (error: any, _request, reply) => void reply.code(418).send({ own: error.code }) })
  server.get('/:id', handler)
  const answer = await server.inject('/%')
  assert.deepEqual([answer.statusCode, answer.json()], [418, { own: 'ALC_ERR_BAD_URL' }])
  await server.close()
})

test('ids come from the option alone where no header is believed, else from the header, if it can be logged', async () => {
  const answers = async (options: object): Promise<string[]> => {
    const server = createServer({ genReqId: () => 'own', ...options })
    server.get('/', ({ id }) => id)
    const given = [{ 'request-id': 'theirs' }, { 'request-id': 'th\u00e9irs' }, { 'x-id': 'other' }, {}]
    const replies = await Promise.all(given.map((headers) => server.inject({ url: '/', headers })))
    await server.close()
    return replies.map(({ body }) => body)
  }
  assert.deepEqual(await answers({}), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: false }), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: 'request-id' }), ['theirs', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: 'X-Id' }), ['own', 'own', 'other', 'own'])
})

test('whoever listens on the channel of initialization gets each server that is made', async () => {
  const made: unknown[] = []
  const note = ({ server }: any): void => void made.push(server)
  subscribe('alcove.initialization', note)
  const server = createServer()
  unsubscribe('alcove.initialization', note)
  assert.deepEqual(made, [server])
  await server.close()
})

test('what concerns the deployment is a warning of the process where nothing is logged', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {})
  const server = createServer({ prebuilt: {} as never })
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /^Ignoring the prebuilt schemas.*ajv none in the build/)
  assert.equal(warned.mock.calls[0]?.arguments[1], 'AlcoveWarning')
  await server.close()
})

test('the default not-found handler may have hooks before it', async () => {
  const server = createServer()
  ;(server as any).setNotFoundHandler({ preHandler: async (_request: unknown, reply: Reply) => void reply.header('x-a', 'b') })
  const { statusCode, headers } = await server.inject('/nowhere')
  assert.deepEqual([statusCode, headers['x-a']], [404, 'b'])
  await server.close()
  const bare = createServer()
  ;(bare as any).setNotFoundHandler()
  assert.equal((await bare.inject('/nowhere')).json().message, 'Route GET:/nowhere not found')
  await bare.close()
})

test('a constraint may be asked for asynchronously, and one that fails is a fault of the server', async () => {
  const causes: unknown[] = []
  const server = createServer({
    constraints: {
      tenant: {
        name: 'tenant',
        storage() {
          const routes: Record<string, unknown> = {}
          return { get: (key: string) => routes[key] ?? null, set: (key: string, route: unknown) => void (routes[key] = route) }
        },
        deriveConstraint(raw: any, _context: unknown, done: any) {
          const { tenant } = raw.headers
          setImmediate(() => (tenant === 'broken' ? done(new Error('no directory')) : done(null, tenant)))
        },
      },
    },
  })
  assert.deepEqual([server.hasConstraintStrategy('tenant'), server.hasConstraintStrategy('other')], [true, false])
  server.addHook('onError', async (_request, _reply, error) => void causes.push((error.cause as Error).message))
  server.get('/', { constraints: { tenant: 'a' } }, () => 'of a')
  server.get('/', { constraints: { tenant: 'b' } }, () => 'of b')
  const ask = (tenant: string) => server.inject({ url: '/', headers: { tenant } })
  assert.deepEqual([(await ask('a')).body, (await ask('b')).body, (await ask('c')).statusCode], ['of a', 'of b', 404])
  const broken = await ask('broken')
  assert.deepEqual([broken.statusCode, broken.json().code], [500, 'ALC_ERR_ASYNC_CONSTRAINT'])
  assert.deepEqual(causes, ['no directory'])
  await server.close()
})

test('a constraint strategy that never ends, ends twice or rejects leaves no request without its one answer', async () => {
  const deeds: Record<string, (done: (error: Error | null, value?: unknown) => void) => unknown> = {
    never: () => {},
    twice: (done) => (done(null, 'a'), done(null, 'a')),
    late: (done) => setTimeout(done, 400, null, 'a'),
    rejects: () => Promise.reject(new Error('secret')),
    throws: () => {
      throw new Error('secret')
    },
  }
  let handled = 0
  const server = createServer({
    handlerTimeout: 30,
    constraints: {
      tenant: {
        name: 'tenant',
        storage: () => {
          const routes = new Map<unknown, unknown>()
          return { get: (value) => routes.get(value) ?? null, set: (value, route) => void routes.set(value, route) }
        },
        deriveConstraint: (request, _context, done) => deeds[String(request.headers['deed'])]!(done!),
      },
    },
  })
  server.get('/', { constraints: { tenant: 'a' } }, () => ({ handled: ++handled }))
  const ask = async (deed: string): Promise<number> => (await server.inject({ url: '/', headers: { deed } })).statusCode
  assert.equal(await ask('twice'), 200)
  assert.deepEqual(await Promise.all(['never', 'late', 'rejects', 'throws'].map(ask)), [503, 503, 500, 500])
  await new Promise((resolve) => setTimeout(resolve, 450))
  assert.equal(handled, 1)
  await server.close()
})
