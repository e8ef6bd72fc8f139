import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, describeContexts, type Server } from 'alcove/lib'
import { z } from 'zod'

test('contexts are described as plain data: names, paths, prefixes, their own decorators, and routes', async () => {
  const server = createServer({ name: 'App' })
  server.decorateRequest('answer', 42)
  server.decorateRequest(Symbol('own'), 42)
  server.decorateRequest(Symbol('alcove.internal'), 42)
  server.register(
    async function child(instance: Server) {
      instance.decorateReply('mark', null)
      instance.get('/x', () => '')
    },
    { prefix: '/p' },
  )
  await server.ready()
  const { children, ...root } = describeContexts(server)
  assert.deepEqual(
    [root.name, root.path, root.prefix, root.requestDecorators, root.routes],
    ['App', 'App', '', ['answer', 'Symbol(own)'], []],
  )
  const [child] = children
  assert.deepEqual([child!.name, child!.path, child!.prefix, child!.replyDecorators], ['child', 'App > child', '/p', ['mark']])
  assert.deepEqual(
    child!.routes.map(({ methods, url, isAutomatic }) => [String(methods), url, isAutomatic]),
    [
      ['GET', '/p/x', false],
      ['HEAD', '/p/x', true],
    ],
  )
  await server.close()
})

test('a context has the shared schemas that it adds itself, and the ids of those that it inherits', async () => {
  const server = createServer({ name: 'App' })
  server.addSchema({ $id: 'Item', type: 'object' })
  server.register(async function child(instance: Server) {
    instance.addSchema({ $id: 'Part', type: 'string', maxLength: 9 })
  })
  await server.ready()
  const root = describeContexts(server)
  assert.deepEqual(root.ownSchemas, { Item: { $id: 'Item', type: 'object' } })
  assert.deepEqual(root.children[0]!.schemas, ['Item', 'Part'])
  assert.deepEqual(root.children[0]!.ownSchemas, { Part: { $id: 'Part', type: 'string', maxLength: 9 } })
  await server.close()
})

test('hooks are described by their names, or as anonymous', async () => {
  const server = createServer()
  server.addHook('onRequest', async function guard() {})
  server.addHook('onRequest', async () => {})
  server.get('/', { exposeHeadRoute: false, preHandler: [async function check() {}, async () => {}] }, () => '')
  await server.ready()
  const [route] = describeContexts(server).routes
  assert.deepEqual(
    route!.hooks.map(({ hook, name, from }) => [hook, name, from]),
    [
      ['onRequest', 'guard', 'root'],
      ['onRequest', 'anonymous', 'root'],
      ['preHandler', 'check', 'route'],
      ['preHandler', 'anonymous', 'route'],
    ],
  )
  await server.close()
})

test('the engine of each part that is validated is described', async () => {
  const server = createServer()
  const even = z.object({ n: z.number().refine((n) => n % 2 === 0) })
  const plain = { '~standard': { version: 1, vendor: 'valibot', validate: (value: unknown) => ({ value }) } }
  const schema = { params: z.object({ id: z.int() }), querystring: even, headers: plain, body: { content: { 'a/json': { schema: even } } } }
  server.post('/:id', { schema }, () => '')
  server.post('/own', { schema: { body: even }, validatorCompiler: () => () => true }, () => '')
  await server.ready()
  assert.deepEqual(
    describeContexts(server).routes.map(({ engines }) => engines),
    [{ params: 'ajv', body: 'Zod', querystring: 'ajv + Zod', headers: 'Valibot' }, { body: 'validatorCompiler' }],
  )
  await server.close()
})

test('error handlers, the formatter, parsers and the not-found handler are described with the context that set them', async () => {
  const server = createServer({ name: 'App' })
  server.setErrorHandler(function outer(error) {
    throw error
  })
  server.addContentTypeParser('text/csv', function csv(_request, _payload, done) {
    done(null)
  })
  server.get('/plain', { exposeHeadRoute: false }, () => '')
  server.register(
    async function child(instance: Server) {
      instance.setErrorHandler(async () => 'answered')
      instance.setSchemaErrorFormatter(function issues() {
        return new Error()
      })
      instance.addContentTypeParser([/^image\//, '*', 'text/csv; header=present', 'multipart'], async function binary() {})
      instance.setNotFoundHandler(function nothing(_request, reply) {
        reply.send('')
      })
      instance.get('/a', { exposeHeadRoute: false }, () => '')
      const own = { errorHandler: function ofRoute() {}, schemaErrorFormatter: () => new Error() }
      instance.get('/own', { exposeHeadRoute: false, ...own }, () => '')
    },
    { prefix: '/p' },
  )
  await server.ready()
  const { contentTypeParsers, notFoundHandler, routes, children } = describeContexts(server)
  assert.deepEqual([contentTypeParsers, notFoundHandler], [[{ type: 'text/csv', name: 'csv' }], undefined])
  const outer = { name: 'outer', from: 'App' }
  const handlers = (route: (typeof routes)[number]) => [route.url, route.errorHandlers, route.schemaErrorFormatter]
  assert.deepEqual(routes.map(handlers), [['/plain', [outer], undefined]])
  const [child] = children
  assert.deepEqual(child!.contentTypeParsers, [
    { type: 'text/csv; header=present', name: 'binary' },
    { type: '/^image\\//', name: 'binary' },
    { type: 'multipart', name: 'binary' },
    { type: '*', name: 'binary' },
  ])
  assert.equal(child!.notFoundHandler, 'nothing')
  const anonymous = { name: 'anonymous', from: 'App > child' }
  assert.deepEqual(child!.routes.map(handlers), [
    ['/p/a', [anonymous, outer], { name: 'issues', from: 'App > child' }],
    ['/p/own', [{ name: 'ofRoute', from: 'route' }, anonymous, outer], { name: 'schemaErrorFormatter', from: 'route' }],
  ])
  await server.close()
})
