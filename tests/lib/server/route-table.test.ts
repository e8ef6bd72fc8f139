/** Declaring and finding routes, not-found handlers, and asynchronous constraints. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Server } from 'alcove'

declare module 'alcove' {
  interface RequestDecorations {
    addedLate?: string
  }
  interface ReplyDecorations {
    stamp?(): string
  }
}

const handler = (): string => ''

describe('routes', () => {
  test('are found by method, path and constraints, like for a request', async () => {
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
    assert.equal(server.findRoute({ url: '/users/7' } as never), null)
    assert.equal(server.hasRoute({ method: 'get', url: '/users/7' }), true)
    assert.deepEqual({ ...(server.findRoute({ method: 'get', url: '/users/7' }) as any).params }, { id: '7' })
    for (const url of ['/users/%c0', '/nowhere/:id(', 'users']) {
      assert.equal(server.hasRoute({ method: 'GET', url }), false, url)
      assert.equal(server.findRoute({ method: 'GET', url }), null, url)
    }
    await server.close()
  })

  test('have at least one method', () => {
    assert.throws(() => createServer().route({ method: [], url: '/', handler }), {
      code: 'ALC_ERR_ROUTE_METHOD_INVALID',
      message: 'Provided method is invalid! The list of methods is empty.',
    })
  })

  test('are also had by the path that they were declared with, and its constraints', async () => {
    const server = createServer()
    const url = '/files/:name(^\\d+$).png'
    server.get(url, handler)
    server.get('/v/:id(^\\d+$)', { constraints: { version: '2.0.0' } }, handler)
    assert.equal(server.hasRoute({ method: 'GET', url }), true)
    assert.equal(server.hasRoute({ method: 'GET', url: '/files/7.png' }), true)
    assert.equal(server.hasRoute({ method: 'GET', url: '/files/a.png' }), false)
    assert.equal(server.hasRoute({ method: 'GET', url: '/v/:id(^\\d+$)', constraints: { version: '2.0.0' } }), true)
    assert.equal(server.hasRoute({ method: 'GET', url: '/v/:id(^\\d+$)' }), false)
    await server.close()
  })

  test('below a prefix say the same path with and without its last slash, and so do their HEAD routes', async () => {
    const server = createServer()
    const shown: string[] = []
    server.addHook('onSend', async ({ routeOptions }) => void shown.push(`${routeOptions.url} ${routeOptions.config.url}`))
    server.register(async (users: Server) => void users.get('/', handler), { prefix: '/users' })
    for (const method of ['GET', 'HEAD'] as const)
      for (const url of ['/users', '/users/']) assert.equal((await server.inject({ method, url })).statusCode, 200)
    assert.deepEqual(shown, Array(4).fill('/users /users'))
    await server.close()
  })

  test('have one slash between prefixes, whichever of them writes it', async () => {
    const server = createServer()
    for (const [outer, inner] of [
      ['/a/', 'x'],
      ['/b/', '/x'],
      ['/c', 'x'],
      ['/d', '/x'],
    ]) {
      server.register(
        async (level: Server) => void level.register(async (below: Server) => void below.get('/', handler), { prefix: inner! }),
        { prefix: outer! },
      )
    }
    for (const url of ['/a/x', '/b/x', '/c/x', '/d/x']) assert.equal((await server.inject(url)).statusCode, 200, url)
    assert.equal((await server.inject('/a//x')).statusCode, 404)
    await server.close()
  })

  test('are printed as a tree, with their hooks and the requested metadata', async () => {
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

  test('for HEAD may be declared before or after their GET route instead of its automatic twin, which exposeHeadRoute: false turns off', async () => {
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

  test('at / of a prefix answer with the slash, without it, or both, as prefixTrailingSlash says', async () => {
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

  test('and prefixes are joined with one slash, however each is written', async () => {
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

test('an error before routing is answered by frameworkErrors, if it is set', async () => {
  const server = createServer({ frameworkErrors: (error: any, _request, reply) => void reply.code(418).send({ own: error.code }) })
  server.get('/:id', handler)
  const answer = await server.inject('/%')
  assert.deepEqual([answer.statusCode, answer.json()], [418, { own: 'ALC_ERR_BAD_URL' }])
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

test('a constraint may be derived asynchronously, and its error is answered 500', async () => {
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

test('a request has exactly one answer if a constraint strategy never ends, ends twice or rejects', async () => {
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

describe('a decorator that an onReady hook adds', () => {
  /** Two sibling contexts, with a route and a not-found handler each. */
  function serve(onReady: (users: Server, orders: Server) => void): Server {
    const server = createServer()
    const siblings: Server[] = []
    for (const prefix of ['/users', '/orders']) {
      server.register(
        async (context: Server) => {
          siblings.push(context)
          context.get('/', (request, reply) => ({ value: request.addedLate, stamp: reply.stamp?.() }))
          context.setNotFoundHandler((request) => ({ value: request.addedLate, isMissing: true }))
        },
        { prefix },
      )
    }
    server.addHook('onReady', async () => onReady(siblings[0]!, siblings[1]!))
    return server
  }
  const read = async (server: Server, url: string): Promise<unknown> => (await server.inject(url)).json()

  test('is seen by the requests and replies of its context, although the routes are compiled', async () => {
    const server = serve((users) => {
      users.decorateRequest('addedLate', 'yes')
      users.decorateReply('stamp', () => 'stamped')
    })
    assert.deepEqual(await read(server, '/users'), { value: 'yes', stamp: 'stamped' })
    assert.deepEqual(await read(server, '/users/none'), { value: 'yes', isMissing: true })
  })

  test('is not seen in a sibling context', async () => {
    const server = serve((users) => void users.decorateRequest('addedLate', 'yes'))
    assert.deepEqual(await read(server, '/orders'), {})
    assert.deepEqual(await read(server, '/orders/none'), { isMissing: true })
  })

  test('of an ancestor is seen in a context that has decorators of its own', async () => {
    const server = serve((users) => void users.decorateReply('stamp', () => 'stamped'))
    server.addHook('onReady', async () => void server.decorateRequest('addedLate', 'from the root'))
    assert.deepEqual(await read(server, '/users'), { value: 'from the root', stamp: 'stamped' })
    assert.deepEqual(await read(server, '/orders/none'), { value: 'from the root', isMissing: true })
  })
})
