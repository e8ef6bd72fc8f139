/** Encapsulation: one tree of contexts, every kind of declaration, every context that can declare it. */
import assert from 'node:assert/strict'
import bearerAuth from '@fastify/bearer-auth'
import fp from 'fastify-plugin'
import type { Server } from 'alcove/lib'
import { apply, type ContextSpec, type RouteSpec } from './faces.js'
import { rule, ruleOfServer } from './rule.js'

// ---- every kind of declaration ----

interface Kind {
  readonly name: string
  /** The declaration of a context */
  readonly declaration: () => Partial<ContextSpec>
  readonly route: Partial<RouteSpec>
  /** Whether the declaration affects the route at this path */
  readonly isSeen: (server: Server, path: string) => Promise<boolean>
}

const answer = async (server: Server, path: string): Promise<boolean> => (await server.inject(path)).json().seen
const flagged = fp(async () => {}, { name: 'flag' }) as never

const kinds: Kind[] = [
  {
    name: 'an instance decorator',
    declaration: () => ({ decorate: { flag: () => 'yes' } }),
    route: { handler: (request) => ({ seen: request.server.hasDecorator('flag') && (request.server as any).flag() === 'yes' }) },
    isSeen: answer,
  },
  {
    name: 'a request decorator',
    declaration: () => ({ decorateRequest: { flag: 'yes' } }),
    route: { handler: (request) => ({ seen: (request as any).flag === 'yes' }) },
    isSeen: answer,
  },
  {
    name: 'a reply decorator',
    declaration: () => ({
      decorateReply: {
        flag(this: any) {
          return this.header('x-flag', 'yes')
        },
      },
    }),
    route: { handler: (_request, reply) => ({ seen: typeof (reply as any).flag === 'function' }) },
    isSeen: answer,
  },
  {
    name: 'a hook',
    declaration: () => ({ hooks: { preHandler: async (_request: any, reply: any) => void reply.header('x-flag', 'yes') } }),
    route: {},
    isSeen: async (server, path) => (await server.inject(path)).headers['x-flag'] === 'yes',
  },
  {
    name: 'a plugin',
    declaration: () => ({ plugins: [[flagged]] }),
    route: { handler: (request) => ({ seen: request.server.hasPlugin('flag') }) },
    isSeen: answer,
  },
  {
    name: 'a schema',
    declaration: () => ({ schemas: [{ $id: 'flag', type: 'string' }] }),
    route: {
      handler: ({ server }) => {
        assert.equal(server.getSchema('flag') !== undefined, 'flag' in server.getSchemas())
        return { seen: server.getSchema('flag') !== undefined }
      },
    },
    isSeen: answer,
  },
  {
    name: 'a content-type parser',
    declaration: () => ({
      contentTypeParsers: [
        { type: 'application/x-flag', options: { parseAs: 'string' }, parse: (_request, _body, done) => done(null, 'yes') },
      ],
    }),
    route: { method: 'POST', handler: (request) => ({ seen: request.body === 'yes' }) },
    async isSeen(server, path) {
      const reply = await server.inject({ method: 'POST', url: path, payload: 'x', headers: { 'content-type': 'application/x-flag' } })
      assert.ok(reply.statusCode === 200 || reply.statusCode === 415)
      return reply.statusCode === 200 && reply.json().seen
    },
  },
  {
    name: 'a method whose body is read',
    declaration: () => ({ setup: (instance) => void instance.addHttpMethod('GET', { hasBody: true, overrideExisting: true }) }),
    route: { handler: (request) => ({ seen: request.body !== undefined }) },
    isSeen: async (server, path) => (await server.inject({ method: 'GET', url: path, payload: { flag: true } })).json().seen,
  },
  {
    name: 'an error handler',
    declaration: () => ({ errorHandler: (_error, _request, reply) => reply.code(418).send({ flag: true }) }),
    route: {
      handler: () => {
        throw new Error('as planned')
      },
    },
    isSeen: async (server, path) => (await server.inject(path)).statusCode === 418,
  },
  {
    name: 'a not-found handler',
    declaration: () => ({ notFoundHandler: (_request, reply) => reply.code(404).send('flag') }),
    route: {},
    isSeen: async (server, path) => (await server.inject(`${path}/missing`)).payload === 'flag',
  },
  {
    name: 'a validator compiler',
    declaration: () => ({ validatorCompiler: () => () => ({ error: [{ keyword: 'flag', instancePath: '', message: 'flag' }] }) }),
    route: { schema: { querystring: { type: 'object' } } },
    isSeen: async (server, path) => (await server.inject(path)).statusCode === 400,
  },
  {
    name: 'a serializer compiler',
    declaration: () => ({ serializerCompiler: () => () => '"flag"' }),
    route: { schema: { response: { 200: { type: 'object' } } } },
    isSeen: async (server, path) => (await server.inject(path)).payload === '"flag"',
  },
  {
    name: 'a schema error formatter',
    declaration: () => ({ schemaErrorFormatter: () => new Error('flag') }),
    route: { schema: { querystring: { type: 'object', required: ['missing'] } } },
    isSeen: async (server, path) => (await server.inject(path)).json().message === 'flag',
  },
]

// root → child → grandchild, root → sibling
const places = { root: '/root', child: '/child', grandchild: '/child/grandchild', sibling: '/sibling' }
type Place = keyof typeof places
const below: Record<Place, Place[]> = {
  root: ['root', 'child', 'grandchild', 'sibling'],
  child: ['child', 'grandchild'],
  grandchild: ['grandchild'],
  sibling: ['sibling'],
}

function tree(kind: Kind, declaredIn: Place | undefined): ContextSpec {
  const at = (place: Place, spec: Partial<ContextSpec>): ContextSpec => ({
    name: place,
    routes: [{ method: 'GET', path: place === 'root' ? '/root' : '/', handler: () => ({}), ...kind.route }],
    ...spec,
    ...(place === declaredIn && kind.declaration()),
  })
  const grandchild = at('grandchild', { prefix: '/grandchild' })
  return at('root', { imports: [at('child', { prefix: '/child', imports: [grandchild] }), at('sibling', { prefix: '/sibling' })] })
}

async function seenIn(server: Server, kind: Kind): Promise<Place[]> {
  await server.ready()
  const seen: Place[] = []
  for (const [place, path] of Object.entries(places)) if (await kind.isSeen(server, path)) seen.push(place as Place)
  return seen
}

for (const kind of kinds) {
  rule('Encapsulation 2', `${kind.name} of the root reaches children and grandchildren`, async (build) => {
    assert.deepEqual(await seenIn(await build(tree(kind, 'root')), kind), below.root)
  })
  rule('Encapsulation 3', `${kind.name} of a child reaches its grandchild`, async (build) => {
    const seen = await seenIn(await build(tree(kind, 'child')), kind)
    assert.ok(seen.includes('grandchild') && seen.includes('child'))
  })
  for (const place of ['child', 'grandchild', 'sibling'] as const) {
    rule(
      'Encapsulation 4',
      `${kind.name} of a ${place} is seen ${place === 'child' ? 'neither above nor beside' : 'nowhere else'}`,
      async (build) => {
        assert.deepEqual(await seenIn(await build(tree(kind, place)), kind), below[place])
      },
    )
  }
  rule('Service 2', `${kind.name} that no context declares is not visible to any route`, async (build) => {
    assert.deepEqual(await seenIn(await build(tree(kind, undefined)), kind), [])
  })

  rule('Encapsulation 5', `${kind.name} of a wrapped plugin is visible in the context that contains it, and not above`, async (build) => {
    const routes = (path: string): RouteSpec[] => [{ method: 'GET', path, handler: () => ({}), ...kind.route }]
    const server = await build({
      name: 'root',
      routes: routes('/root'),
      imports: [
        {
          name: 'child',
          prefix: '/child',
          routes: routes('/'),
          imports: [{ name: 'wrapped', shared: true, routes: routes('/wrapped'), ...kind.declaration() }],
        },
        { name: 'sibling', prefix: '/sibling', routes: routes('/') },
      ],
    })
    await server.ready()
    assert.equal(await kind.isSeen(server, '/child'), true, 'the containing context')
    assert.equal(await kind.isSeen(server, '/child/wrapped'), true, 'the wrapped plugin itself')
    assert.equal(await kind.isSeen(server, '/root'), false, 'one level further up')
    assert.equal(await kind.isSeen(server, '/sibling'), false, 'a sibling')
  })

  ruleOfServer('Encapsulation 2', `${kind.name} that the root adds late reaches contexts that already exist`, async (create) => {
    const server = create()
    const routes = [{ method: 'GET', path: '/', handler: () => ({}), ...kind.route }]
    const grandchild: ContextSpec = { name: 'grandchild', routes }
    server.register((instance: Server) => apply({ name: 'child', routes, imports: [{ ...grandchild, prefix: '/grandchild' }] }, instance), {
      prefix: '/child',
    })
    await server.after()
    await apply({ name: 'root', ...kind.declaration() }, server)
    await server.ready()
    assert.equal(await kind.isSeen(server, '/child'), true)
    assert.equal(await kind.isSeen(server, '/child/grandchild'), true)
  })
}

ruleOfServer('Encapsulation 4', 'a child’s own parser is not replaced by one that the root adds late', async (create) => {
  const server = create()
  const parser = (text: string) => (_request: unknown, _body: unknown, done: any) => done(null, text)
  server.register(
    async (instance: Server) => {
      instance.addContentTypeParser('text/own', { parseAs: 'string' }, parser('child'))
      instance.post('/', async (request) => request.body)
    },
    { prefix: '/own' },
  )
  server.register(
    async (instance: Server) => {
      instance.removeAllContentTypeParsers()
      instance.post('/', async (request) => request.body)
    },
    { prefix: '/none' },
  )
  await server.after()
  server.addContentTypeParser('text/own', { parseAs: 'string' }, parser('root'))
  server.post('/', async (request) => request.body)
  const headers = { 'content-type': 'text/own' }
  assert.equal((await server.inject({ method: 'POST', url: '/', payload: 'x', headers })).payload, 'root')
  assert.equal((await server.inject({ method: 'POST', url: '/own', payload: 'x', headers })).payload, 'child')
  assert.equal((await server.inject({ method: 'POST', url: '/none', payload: 'x', headers })).statusCode, 415)
})

rule('Encapsulation 4', 'siblings may declare different things under one name', async (build) => {
  const sibling = (name: string): ContextSpec => ({
    name,
    prefix: `/${name}`,
    decorate: { own: name },
    decorateRequest: { own: name },
    schemas: [{ $id: 'own', const: name }],
    routes: [
      {
        method: 'GET',
        path: '/',
        handler: (request) => [(request.server as any).own, (request as any).own, request.server.getSchema('own').const],
      },
    ],
  })
  const server = await build({ name: 'root', imports: [sibling('a'), sibling('b')] })
  assert.deepEqual((await server.inject('/a')).json(), ['a', 'a', 'a'])
  assert.deepEqual((await server.inject('/b')).json(), ['b', 'b', 'b'])
})

// ---- structure ----

rule('Encapsulation 1', 'contexts nest: each level sees the plugins of those above it', async (build) => {
  const named = (name: string): [never] => [fp(async () => {}, { name }) as never]
  const route: RouteSpec = {
    method: 'GET',
    path: '/',
    handler: ({ server }) => ['root-plugin', 'child-plugin', 'grandchild-plugin'].filter((name) => server.hasPlugin(name)),
  }
  const server = await build({
    name: 'root',
    plugins: [named('root-plugin')],
    routes: [route],
    imports: [
      {
        name: 'child',
        prefix: '/child',
        plugins: [named('child-plugin')],
        routes: [route],
        imports: [{ name: 'grandchild', prefix: '/grandchild', plugins: [named('grandchild-plugin')], routes: [route] }],
      },
    ],
  })
  assert.deepEqual((await server.inject('/')).json(), ['root-plugin'])
  assert.deepEqual((await server.inject('/child')).json(), ['root-plugin', 'child-plugin'])
  assert.deepEqual((await server.inject('/child/grandchild')).json(), ['root-plugin', 'child-plugin', 'grandchild-plugin'])
})

ruleOfServer(
  'Encapsulation 1',
  'plugins that a running plugin registers belong to it and finish before its next sibling starts',
  async (create) => {
    const server = create()
    const order: string[] = []
    server.register(async (outer: Server) => {
      order.push('outer begins')
      outer.register((inner: Server, _options: unknown, done: () => void) => {
        order.push('inner begins')
        inner.register(async () => void order.push('innermost'))
        setTimeout(() => {
          order.push('inner ends')
          done()
        }, 5)
      })
      await Promise.resolve()
      order.push('outer ends')
    })
    server.register(async () => void order.push('next'))
    await server.ready()
    assert.deepEqual(order, ['outer begins', 'outer ends', 'inner begins', 'inner ends', 'innermost', 'next'])
  },
)

// ---- the reference scenario ----

function scenario(isShared: boolean): ContextSpec {
  const handler: RouteSpec['handler'] = (request: any) => ({ answer: request.answer, foo: request.foo, bar: request.bar })
  return {
    name: 'App',
    decorateRequest: { answer: 42 },
    imports: [
      {
        name: 'AuthenticatedPlugin',
        plugins: [[bearerAuth as never, { keys: new Set(['abc123']) }]],
        routes: [{ method: 'GET', path: '/one', handler }],
      },
      {
        name: 'PublicPlugin',
        decorateRequest: { foo: 'foo' },
        routes: [{ method: 'GET', path: '/two', handler }],
        imports: [
          { name: 'Grandchild', shared: isShared, decorateRequest: { bar: 'bar' }, routes: [{ method: 'GET', path: '/three', handler }] },
        ],
      },
    ],
  }
}

rule('Encapsulation 6, /one', 'GET /one requires a token, and sees only answer', async (build) => {
  const server = await build(scenario(false))
  assert.equal((await server.inject('/one')).statusCode, 401)
  const reply = await server.inject({ url: '/one', headers: { authorization: 'Bearer abc123' } })
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), { answer: 42 })
})
rule('Encapsulation 6, /two', 'GET /two requires no token, and sees answer and foo', async (build) => {
  const reply = await (await build(scenario(false))).inject('/two')
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), { answer: 42, foo: 'foo' })
})
rule('Encapsulation 6, /three', 'GET /three requires no token, and sees answer, foo and bar', async (build) => {
  const reply = await (await build(scenario(false))).inject('/three')
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), { answer: 42, foo: 'foo', bar: 'bar' })
})
rule('Encapsulation 7', 'each decorator is visible in the context that declares it and below', async (build) => {
  const spec = scenario(false)
  const names = (server: Server): string[] => ['answer', 'foo', 'bar'].filter((name) => server.hasRequestDecorator(name))
  const seen: Record<string, string[]> = {}
  const note = (context: ContextSpec): ContextSpec => ({
    ...context,
    hooks: {
      onReady(this: Server) {
        seen[context.name] = names(this)
      },
    },
    ...(context.imports && { imports: context.imports.map(note) }),
  })
  await (await build(note(spec))).ready()
  assert.deepEqual(seen, {
    App: ['answer'],
    AuthenticatedPlugin: ['answer'],
    PublicPlugin: ['answer', 'foo'],
    Grandchild: ['answer', 'foo', 'bar'],
  })
})
rule('Encapsulation 8', 'a decorator that is not visible is undefined, so its key is absent', async (build) => {
  const payload = (await (await build(scenario(false))).inject('/two')).payload
  assert.equal(payload, '{"answer":42,"foo":"foo"}')
})
rule('Encapsulation 9', 'with the grandchild wrapped, GET /two sees bar too and the others are unchanged', async (build) => {
  const server = await build(scenario(true))
  assert.deepEqual((await server.inject('/two')).json(), { answer: 42, foo: 'foo', bar: 'bar' })
  assert.deepEqual((await server.inject('/three')).json(), { answer: 42, foo: 'foo', bar: 'bar' })
  assert.equal((await server.inject('/one')).statusCode, 401)
  assert.deepEqual((await server.inject({ url: '/one', headers: { authorization: 'Bearer abc123' } })).json(), { answer: 42 })
})
rule('Decision 11', 'the scenario holds on a real socket with the unmodified bearer-token plugin', async (build) => {
  const server = await build(scenario(false))
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.equal((await fetch(`${address}/one`)).status, 401)
  const reply = await fetch(`${address}/one`, { headers: { authorization: 'Bearer abc123' } })
  assert.deepEqual(await reply.json(), { answer: 42 })
  assert.deepEqual(await (await fetch(`${address}/three`)).json(), { answer: 42, foo: 'foo', bar: 'bar' })
})

// ---- wrapper ----

ruleOfServer('Encapsulation 5', 'the wrapper works for async and for callback plugins', async (create) => {
  const server = create()
  server.register(fp(async (instance: any) => void instance.decorateRequest('one', 1)) as never)
  server.register(
    fp((instance: any, _options: unknown, done: () => void) => {
      instance.decorateRequest('two', 2)
      setTimeout(done, 1)
    }) as never,
  )
  server.get('/', async (request: any) => [request.one, request.two])
  assert.deepEqual((await server.inject('/')).json(), [1, 2])
})

ruleOfServer('Encapsulation 5', 'a plugin registered inside a wrapped one is a context of its own', async (create) => {
  const server = create()
  server.register(
    fp(async (instance: any) => {
      instance.decorateRequest('wrapped', true)
      instance.register(async (inner: any) => void inner.decorateRequest('inner', true))
    }) as never,
  )
  server.get('/', async (request: any) => ({ wrapped: request.wrapped, inner: request.inner }))
  assert.deepEqual((await server.inject('/')).json(), { wrapped: true })
})

ruleOfServer('Encapsulation 5', 'wrappers inside wrappers declare in the same context', async (create) => {
  const server = create()
  server.register(
    fp(async (instance: any) => {
      instance.register(fp(async (inner: any) => void inner.decorateRequest('deep', 'yes')))
    }) as never,
  )
  server.get('/', async (request: any) => ({ deep: request.deep }))
  assert.deepEqual((await server.inject('/')).json(), { deep: 'yes' })
})
