/** The headers that guards, handlers and plugins declare, in descriptions and documents. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, check, Controller, type Fault, Get, Hook, Injectable, Plugin, type RouteRequest, use } from 'alcove'
import { describe, openapi } from 'alcove/contract'
import { createServer, declareReplies, describeContexts, type Server } from 'alcove/lib'
import { z } from 'zod'

const tenant = { type: 'object', required: ['X-Tenant'], properties: { 'X-Tenant': { type: 'string', maxLength: 20 } } } as const

class ReadTenant {
  static readonly requestHeaders = tenant
  static readonly responseHeaders = { '2xx': { 'x-cache': { type: 'string' } }, 404: { 'x-reason': { type: 'string' } } }
  onRequest() {}
}

const find = { headers: { 'x-trace': { type: 'string' } }, response: { 200: { type: 'object' }, 204: {} } } as const

@Injectable()
@Controller('/notes')
class Notes {
  @Get('/one', find)
  @Hook('onRequest', ReadTenant)
  find(_request: RouteRequest<typeof find>) {
    return {}
  }

  @Get('/all')
  list() {
    return {}
  }
}

@Plugin({ routes: [Notes] })
class App {}

const routeOf = (Class: typeof App, url: string) => describe(Class).routes.find((route) => route.url === url)!

test('the headers that a hook class reads are in the input of the routes that it covers, beside their own, and nowhere else', () => {
  assert.deepEqual(routeOf(App, '/notes/one').input.headers, {
    type: 'object',
    properties: { 'x-trace': { type: 'string' }, 'x-tenant': { type: 'string', maxLength: 20 } },
    required: ['x-tenant'],
  })
  assert.equal(routeOf(App, '/notes/all').input.headers, undefined)
})

test('the headers that a hook class adds are in the responses of their status or range', () => {
  const { responses } = routeOf(App, '/notes/one')
  assert.deepEqual(responses['200']?.headers, { 'x-cache': { type: 'string' } })
  assert.deepEqual(responses['204']?.headers, { 'x-cache': { type: 'string' } })
  assert.equal(responses['404'], undefined)
})

test('a document has the declared headers as parameters and as headers of responses', async () => {
  await using app = await bootstrap(App, { logger: false })
  const operation: any = openapi(app, { info: { title: 'Notes', version: '1' } }).paths['/notes/one']?.['get']
  assert.deepEqual(
    operation.parameters.map(({ name, required = false }: any) => [name, required]),
    [
      ['x-trace', false],
      ['x-tenant', true],
    ],
  )
  assert.deepEqual(operation.responses['200'].headers, { 'x-cache': { schema: { type: 'string' } } })
})

test('a header that the route describes itself keeps its schema, and is required if a hook needs it', async () => {
  const server = createServer()
  const headers = { type: 'object', properties: { 'X-TENANT': { enum: ['a', 'b'] } } }
  const hook = declareReplies(async () => {}, { requestHeaders: tenant, responseHeaders: { 200: { ETag: { type: 'string' } } } })
  const response = { 200: { headers: { etag: { const: '"1"' } }, content: { 'text/plain': { schema: { type: 'string' } } } } }
  server.get('/', { schema: { headers, response }, onRequest: hook }, () => 'a')
  server.get('/zod', { schema: { headers: z.object({ 'x-trace': z.string() }) }, onRequest: hook }, () => 'a')
  await server.ready()
  const [own, , ofZod] = describeContexts(server).routes
  assert.deepEqual(own?.input.headers, { type: 'object', properties: { 'X-TENANT': { enum: ['a', 'b'] } }, required: ['X-TENANT'] })
  assert.deepEqual(own?.responses['200']?.headers, { etag: { const: '"1"' } })
  assert.deepEqual(Object.keys((ofZod!.input.headers as any).properties), ['x-trace', 'x-tenant'])
})

test('declared headers validate nothing', async () => {
  await using app = await bootstrap(App, { logger: false })
  assert.equal((await app.inject('/notes/one')).statusCode, 200)
})

test('declared headers of the wrong form are faults, with the place and the cure', () => {
  class Wrong {
    static readonly requestHeaders = { 'x-tenant': { type: 'string' } }
    static readonly responseHeaders = { ok: { 'x-cache': {} }, 200: 'x-cache' }
    onRequest() {}
  }
  @Plugin({ hooks: { onRequest: [Wrong] }, routes: [Notes] })
  class Broken {}
  assert.throws(
    () => check(Broken),
    ({ faults }: { faults: readonly Fault[] }) => {
      assert.deepEqual([...new Set(faults.map(({ place }) => place))], ['Broken > Wrong'])
      const [read, names, status, ...others] = faults.map(({ message }) => message)
      assert.match(read!, /requestHeaders that are not an object schema.*Write requestHeaders: \{ type: 'object'/)
      assert.match(status!, /'ok' in responseHeaders, which is not a status/)
      assert.match(names!, /responseHeaders of 200 that are not an object by name/)
      assert.deepEqual(others, [])
      return true
    },
  )
})

test('the import of a plugin function declares headers for the routes of its context', async () => {
  async function tenants(server: Server) {
    server.get('/tenants', () => 'a')
  }
  @Plugin({ imports: [use(tenants, {}, { requestHeaders: tenant })], routes: [Notes] })
  class Importing {}
  await using app = await bootstrap(Importing, { logger: false })
  const { routes } = describe(app)
  assert.deepEqual(
    routes
      .filter(({ input }) => input.headers !== undefined && 'x-tenant' in ((input.headers as any).properties ?? {}))
      .map(({ url }) => url)
      .sort(),
    ['/notes/one', '/notes/one', '/tenants', '/tenants'],
  )
})
