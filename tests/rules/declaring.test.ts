/** The service, contexts and plugins, and declaring routes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Server } from 'alcove/lib'
import { rule, ruleOfServer } from './rule.js'

rule('Service 1', 'a plugin holds decorators, hooks, plugins and routes of its own', async (build) => {
  const server = await build({
    name: 'root',
    imports: [
      {
        name: 'plugin',
        prefix: '/plugin',
        decorateRequest: { own: 'decorator' },
        hooks: { onSend: async (_request: any, reply: any) => void reply.header('x-own', 'hook') },
        routes: [{ method: 'GET', path: '/', handler: (request: any) => ({ own: request.own }) }],
        imports: [
          { name: 'inner', prefix: '/inner', routes: [{ method: 'GET', path: '/', handler: (request: any) => ({ own: request.own }) }] },
        ],
      },
    ],
  })
  for (const path of ['/plugin', '/plugin/inner']) {
    const reply = await server.inject(path)
    assert.deepEqual(reply.json(), { own: 'decorator' })
    assert.equal(reply.headers['x-own'], 'hook')
  }
})

rule('Service 3', 'the schemas of one route validate all four parts and serialize the reply', async (build) => {
  const one = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'POST',
        path: '/:n',
        schema: {
          body: one,
          querystring: one,
          params: one,
          headers: one,
          response: { 200: { type: 'object', properties: { sum: { type: 'integer' } } } },
        },
        handler: ({ body, query, params, headers }: any) => ({ sum: body.n + query.n + params.n + headers.n, secret: 'x' }),
      },
    ],
  })
  const request = { method: 'POST', url: '/1?n=2', payload: { n: 3 }, headers: { n: '4' } }
  assert.equal((await server.inject(request)).payload, '{"sum":10}')
  for (const [part, change] of [
    ['params', { url: '/x?n=2' }],
    ['querystring', { url: '/1?n=x' }],
    ['body', { payload: { n: 'x' } }],
    ['headers', { headers: { n: 'x' } }],
  ] as const) {
    const reply = await server.inject({ ...request, ...change })
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.json().message, `${part}/n should be integer`)
  }
})

rule('Service 4', 'a route without schemas accepts and sends any value', async (build) => {
  const server = await build({ name: 'root', routes: [{ method: 'POST', path: '/', handler: (request) => request.body }] })
  const payload = { any: [1, { thing: null }] }
  assert.deepEqual((await server.inject({ method: 'POST', url: '/', payload })).json(), payload)
})

rule('Service 4', 'schemas are compiled once, at boot, into functions', async (build) => {
  const compiled: string[] = []
  const server = await build({
    name: 'root',
    validatorCompiler: ({ httpPart }) => (compiled.push(httpPart), (value: unknown) => ({ value })),
    serializerCompiler: ({ httpStatus }) => (compiled.push(httpStatus), JSON.stringify),
    routes: [{ method: 'GET', path: '/', exposeHeadRoute: false, schema: { querystring: {}, response: { 200: {} } }, handler: () => ({}) }],
  })
  // Decorated applications have booted by now, programmatic ones not yet.
  await server.ready()
  assert.deepEqual(compiled, ['querystring', '200'])
  await server.inject('/')
  await server.inject('/')
  assert.deepEqual(compiled, ['querystring', '200'])
})

rule('Service 4', 'a schema that cannot be compiled fails the boot', async (build) => {
  const server = await build({
    name: 'root',
    routes: [{ method: 'GET', path: '/bad', schema: { querystring: { type: 'nonsense' } }, handler: () => ({}) }],
  })
  await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /GET: \/bad.*querystring/s })
})

rule('Service 5', 'listen opens the port, and requests through a socket are answered', async (build) => {
  const server = await build({ name: 'root', routes: [{ method: 'GET', path: '/', handler: () => ({ hello: 'world' }) }] })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const reply = await fetch(address)
  assert.deepEqual([reply.status, await reply.json()], [200, { hello: 'world' }])
})

rule('Context, root', 'the root has no prefix, and its declarations are visible to all contexts', async (build) => {
  const server = await build({
    name: 'root',
    decorate: { here: true },
    imports: [
      {
        name: 'child',
        prefix: '/child',
        routes: [{ method: 'GET', path: '/', handler: ({ server: at }) => [at.prefix, (at as any).here] }],
      },
    ],
  })
  await server.ready()
  assert.equal(server.prefix, '')
  assert.deepEqual((await server.inject('/child')).json(), ['/child', true])
})

ruleOfServer('Context, plugin', 'async and callback plugins receive a child instance and their options', async (create) => {
  const server = create()
  const seen: unknown[] = []
  const note = (instance: Server, options: unknown): void => {
    seen.push(instance !== server, Object.getPrototypeOf(instance) === server, options)
  }
  server.register(async (instance: Server, options: unknown) => note(instance, options), { a: 1 })
  server.register(
    (instance: Server, options: unknown, done: () => void) => {
      note(instance, options)
      setTimeout(done, 1)
    },
    { b: 2 },
  )
  await server.ready()
  assert.deepEqual(seen, [true, true, { a: 1 }, true, true, { b: 2 }])
})

ruleOfServer('Context, plugin', 'a plugin that fails, by callback or by promise, fails the boot', async (create) => {
  const failing = [
    async () => Promise.reject(new Error('no luck')),
    (_instance: Server, _options: unknown, done: (error: Error) => void) => done(new Error('no luck')),
    () => {
      throw new Error('no luck')
    },
  ]
  for (const plugin of failing) {
    const server = create()
    server.register(plugin)
    await assert.rejects(async () => server.ready(), { message: 'no luck' })
  }
})

rule(
  'Context, request decorator',
  'a request decorator is read as a property of the request, and a request may change its own',
  async (build) => {
    const server = await build({
      name: 'root',
      decorateRequest: { count: 0 },
      routes: [{ method: 'GET', path: '/', handler: (request: any) => ({ count: ++request.count }) }],
    })
    assert.deepEqual((await server.inject('/')).json(), { count: 1 })
    assert.deepEqual((await server.inject('/')).json(), { count: 1 })
  },
)

rule('Endpoints', 'without routes every path is unknown', async (build) => {
  const server = await build({ name: 'root' })
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
    for (const url of ['/', '/health', '/docs']) assert.equal((await server.inject({ method, url })).statusCode, 404)
  }
})

rule('Declaring, route', 'path, method and handler declare a route', async (build) => {
  const server = await build({ name: 'root', routes: [{ method: 'PUT', path: '/thing/:id', handler: (request: any) => request.params }] })
  assert.deepEqual((await server.inject({ method: 'PUT', url: '/thing/7' })).json(), { id: '7' })
  assert.equal((await server.inject({ method: 'POST', url: '/thing/7' })).statusCode, 404)
})

ruleOfServer('Declaring, route', 'schema, attachValidation and validatorCompiler are options of a route', async (create) => {
  const server = create()
  const handler = (request: any): unknown => ({ failed: request.validationError?.message ?? null })
  const schema = { querystring: { type: 'object', required: ['a'] } }
  server.route({ path: '/schema', method: 'GET', schema, handler })
  server.route({ path: '/attach', method: 'GET', schema, attachValidation: true, handler })
  server.route({ path: '/compiler', method: 'GET', schema, validatorCompiler: () => (value: unknown) => ({ value }), handler })
  assert.equal((await server.inject('/schema')).statusCode, 400)
  assert.deepEqual((await server.inject('/attach')).json(), { failed: "querystring should have required property 'a'" })
  assert.deepEqual((await server.inject('/compiler')).json(), { failed: null })
})

ruleOfServer('Declaring, get and post', 'the shorthands take a handler with or without options, or in the options', async (create) => {
  const server = create()
  const schema = { response: { 200: { type: 'object', properties: { a: { type: 'integer' } } } } } as const
  const handler = (): any => ({ a: 1, b: 2 })
  for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
    server[method](`/${method}/bare`, handler)
    server[method](`/${method}/options`, { schema }, handler)
    server[method](`/${method}/inside`, { schema, handler })
  }
  for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
    assert.equal((await server.inject({ method: method.toUpperCase(), url: `/${method}/bare` })).payload, '{"a":1,"b":2}')
    assert.equal((await server.inject({ method: method.toUpperCase(), url: `/${method}/options` })).payload, '{"a":1}')
    assert.equal((await server.inject({ method: method.toUpperCase(), url: `/${method}/inside` })).payload, '{"a":1}')
  }
})

ruleOfServer('Declaring, get and post', 'options of the shorthands carry attachValidation and validatorCompiler', async (create) => {
  const server = create()
  const schema = { body: { type: 'object', required: ['a'] } } as const
  server.post('/attach', { schema, attachValidation: true }, (request) => ({ failed: request.validationError !== undefined }))
  server.post('/compiler', { schema, validatorCompiler: () => () => true, handler: () => ({ failed: false }) })
  assert.deepEqual((await server.inject({ method: 'POST', url: '/attach', payload: {} })).json(), { failed: true })
  assert.deepEqual((await server.inject({ method: 'POST', url: '/compiler', payload: {} })).json(), { failed: false })
})

rule('Declaring, register', 'a plugin is a child context, with the prefix it is registered under', async (build) => {
  const server = await build({
    name: 'root',
    imports: [
      {
        name: 'child',
        prefix: '/a',
        decorateRequest: { mine: 1 },
        imports: [
          { name: 'inner', prefix: '/b', routes: [{ method: 'GET', path: '/c', handler: (request: any) => ({ mine: request.mine }) }] },
        ],
      },
    ],
    routes: [{ method: 'GET', path: '/c', handler: (request: any) => ({ mine: request.mine }) }],
  })
  assert.deepEqual((await server.inject('/a/b/c')).json(), { mine: 1 })
  assert.deepEqual((await server.inject('/c')).json(), {})
})

rule('Declaring, decorateRequest', 'functions, null and accessors are decorators too', async (build) => {
  const server = await build({
    name: 'root',
    decorateRequest: {
      twice(this: any) {
        return this.query.n * 2
      },
      nothing: null,
      computed: {
        getter(this: any) {
          return `${this.method} ${this.url}`
        },
      },
    },
    routes: [{ method: 'GET', path: '/', handler: (request: any) => [request.twice(), request.nothing, request.computed] }],
  })
  assert.deepEqual((await server.inject('/?n=4')).json(), [8, null, 'GET /?n=4'])
})

ruleOfServer(
  'Declaring, decorateRequest',
  'it returns the instance, and refuses a repeated name, a built-in name, and values that requests would share',
  async (create) => {
    const server = create()
    assert.equal(server.decorateRequest('a', 1), server)
    assert.throws(() => server.decorateRequest('a', 2), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
    assert.throws(() => server.decorateRequest('headers', 2), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
    assert.throws(() => server.decorateRequest('shared', {}), { code: 'ALC_ERR_DEC_REFERENCE_TYPE' })
    assert.throws(() => server.decorateRequest('shared', []), { code: 'ALC_ERR_DEC_REFERENCE_TYPE' })
    await server.ready()
    assert.throws(() => server.decorateRequest('late', 1), { code: 'ALC_ERR_DEC_AFTER_START' })
  },
)

ruleOfServer('Declaring, listen', 'a callback receives the address, or an error if the port is taken', async (create) => {
  const server = create()
  const [error, address] = await new Promise<[Error | null, string]>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1' }, (...result) => resolve(result)),
  )
  assert.equal(error, null)
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)
  const port = Number(new URL(address).port)
  const other = create()
  const [taken] = await new Promise<[Error | null, string]>((resolve) =>
    other.listen({ port, host: '127.0.0.1' }, (...result) => resolve(result)),
  )
  assert.equal((taken as NodeJS.ErrnoException).code, 'EADDRINUSE')
})

rule('Declaring, listen', 'listen answers on exactly the given port, and close frees it', async (build) => {
  const server = await build({ name: 'root' })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.addresses()[0] as { port: number }
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
  await server.close()
  const refused = connect(port, '127.0.0.1')
  await assert.rejects(once(refused, 'connect'), { code: 'ECONNREFUSED' })
})

rule('Declaring, reply', 'send, code and status make the reply; the result of a handler is sent', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      { method: 'GET', path: '/send', handler: (_request, reply) => void reply.send({ a: 1 }) },
      { method: 'GET', path: '/code', handler: (_request, reply) => reply.code(201).send({ a: 2 }) },
      { method: 'GET', path: '/status', handler: (_request, reply) => reply.status(202).send({ a: 3 }) },
      { method: 'GET', path: '/return', handler: () => ({ a: 4 }) },
      { method: 'GET', path: '/async', handler: async () => ({ a: 5 }) },
    ],
  })
  for (const [path, status, a] of [
    ['/send', 200, 1],
    ['/code', 201, 2],
    ['/status', 202, 3],
    ['/return', 200, 4],
    ['/async', 200, 5],
  ] as const) {
    const reply = await server.inject(path)
    assert.deepEqual([reply.statusCode, reply.json()], [status, { a }])
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  }
})

rule(
  'Declaring, reply',
  'reply.serializer sets the serializer of this reply only, and takes precedence over the response schema',
  async (build) => {
    const server = await build({
      name: 'root',
      routes: [
        {
          method: 'GET',
          path: '/',
          schema: { response: { 200: { type: 'object', properties: { a: { type: 'integer' } } } } },
          handler: (request: any, reply) => {
            if ('own' in request.query) reply.serializer((value: unknown) => `own ${JSON.stringify(value)}`)
            return reply.send({ a: 1, b: 2 })
          },
        },
      ],
    })
    assert.equal((await server.inject('/?own')).payload, 'own {"a":1,"b":2}')
    assert.equal((await server.inject('/')).payload, '{"a":1}')
  },
)
