/** The router: not-found handlers by prefix, undecodable paths, queries, and constraints. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { BuildRecording, createServer, type Request, type Server, type ServerOptions } from 'alcove/lib'
import type { RouterOptions } from '../../../lib/types/options.js'

/** Sends a path that `fetch` would write in another way. */
async function rawAnswer(origin: string, method: string, path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(origin)
  const [response] = (await once(httpRequest({ hostname, port, method, path, agent: false }).end(), 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode!, body }
}

test('the not-found handler of the longest prefix of a path answers, whole segments only', async () => {
  const server = createServer()
  const level = (prefix: string): void => {
    server.register(async (child: Server) => void child.setNotFoundHandler((_request, reply) => void reply.code(404).send(prefix)), {
      prefix,
    })
  }
  server.setNotFoundHandler((_request, reply) => void reply.code(404).send('root'))
  for (const prefix of ['/api', '/api/v1', '/users/:id', '/slashed/']) level(prefix)
  const cases: Record<string, string> = {
    '/': 'root',
    '/nowhere': 'root',
    '/api/x': '/api',
    '/api/v1/x/y': '/api/v1',
    '/api/v2': '/api',
    '/users/7/x': '/users/:id',
    '/users': 'root',
    '/apis': 'root',
    '/slashed/x': '/slashed/',
    '/slashed': '/slashed/',
    '/api/x?y=/api/v1/': '/api',
  }
  for (const [url, answer] of Object.entries(cases)) assert.equal((await server.inject(url)).body, answer, url)
  await server.close()
})

test('a parameter may have a line terminator, except in a segment with several parameters', async () => {
  const server = createServer()
  for (const path of ['/one/:id', '/all/*', '/several/:a-:b']) server.get(path, ({ params }: Request) => Object.values(params as object))
  for (const terminator of ['\n', '\r', '\u2028', '\u2029']) {
    const text = `x${terminator}`
    assert.deepEqual((await server.inject(`/one/${encodeURIComponent(text)}`)).json(), [text])
    assert.deepEqual((await server.inject(`/all/${encodeURIComponent(text)}`)).json(), [text])
    assert.equal((await server.inject(`/several/${encodeURIComponent(text)}-y`)).statusCode, 404)
    assert.equal((await server.inject(`/several/y-${encodeURIComponent(text)}`)).statusCode, 404)
  }
  await server.close()
})

for (const url of ['/%', '/a%zz', '/%E0%A4%A']) {
  test(`a path that cannot be decoded is answered 400, also for a method without routes: ${url}`, async () => {
    const server = createServer()
    server.get('/:any', () => 'never')
    server.setNotFoundHandler(() => assert.fail('the not-found handler must not run'))
    server.register(async (child: Server) => child.setNotFoundHandler(() => assert.fail('the not-found handler must not run')), {
      prefix: '/below',
    })
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    for (const method of ['GET', 'OPTIONS', 'POST', 'PURGE'])
      for (const path of [url, `/below${url}`]) {
        const answer = await rawAnswer(origin, method, path)
        assert.deepEqual([answer.status, JSON.parse(answer.body).code], [400, 'ALC_ERR_BAD_URL'], `${method} ${path}`)
      }
    await server.close()

    const withoutRoutes = createServer()
    for (const method of ['GET', 'POST'] as const) assert.equal((await withoutRoutes.inject({ method, url })).statusCode, 404)
    await withoutRoutes.close()
  })
}

test('a query never has a __proto__, for routes and not-found handlers', async () => {
  const server = createServer()
  server.get('/', ({ query }) => Object.getOwnPropertyNames(query))
  server.setNotFoundHandler(({ query }) => Object.getOwnPropertyNames(query))
  for (const url of ['/', '/nowhere']) assert.deepEqual((await server.inject(`${url}?__proto__=1&a=2`)).json(), ['a'])
  await server.close()
  const parsing = createServer({ querystringParser: (text) => JSON.parse(decodeURIComponent(text)) })
  parsing.get('/', ({ query }) => Object.getOwnPropertyNames(query))
  assert.deepEqual((await parsing.inject(`/?${encodeURIComponent('{"__proto__":{"x":1},"a":2}')}`)).json(), ['a'])
  await parsing.close()
})

/** Answers to paths that are read with care, in any combination of the options of the router. */
async function answersTo(options: ServerOptions): Promise<Record<string, unknown>> {
  const server = createServer(options)
  const tell = ({ params, query, routeOptions }: Request): unknown => ({ url: routeOptions.url, params, query: Object.entries(query) })
  server.setNotFoundHandler(({ query }, reply) => void reply.code(404).send({ root: Object.entries(query) }))
  server.register(async (api: Server) => void api.setNotFoundHandler(({ params }, reply) => void reply.code(404).send({ api: params })), {
    prefix: '/api/:version',
  })
  for (const url of [
    '/',
    '/users',
    '/users/:id',
    '/users/me',
    '/users/:id/posts/:post',
    '/files/*',
    '/at/:h(^\\d+$)h:m(^\\d+$)m',
    '/a-:b-c',
  ])
    server.get(url, tell)
  server.get('/users/:id', { constraints: { version: '2.0.0' } }, tell)
  const pieces = [
    '',
    'users',
    'USERS',
    'me',
    'x',
    'x'.repeat(101),
    '%2F',
    '%2e%2e',
    '%c0',
    '%',
    'caf%C3%A9',
    ';a=1',
    '?a=1&__proto__=2',
    '#f',
    '..',
    '__proto__',
  ]
  const others = [
    '/at/12h30m',
    '/at/1h',
    `/at/${'1'.repeat(101)}h2m`,
    '/a-b-c',
    '/a--c',
    '/users/7/posts/8',
    '/api/1/x',
    '/api/%c0/x',
    '/users//7',
  ]
  const answers: Record<string, unknown> = {}
  const urls = [
    ...others,
    ...pieces.flatMap((one) => pieces.flatMap((two) => [`/${one}/${two}`, `/files/${one}${two}`, `/users/${one}/posts/${two}/`])),
  ]
  for (const [index, url] of urls.entries()) {
    const headers = index % 2 === 0 ? {} : { 'accept-version': '2.x' }
    const { statusCode, body } = await server.inject({ method: index % 5 === 0 ? 'DELETE' : 'GET', url, headers })
    answers[`${index} ${url}`] = [statusCode, body]
  }
  await server.close()
  return answers
}

const readings: RouterOptions[] = [
  {},
  { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
  { caseSensitive: false, maxParamLength: 3 },
  { useSemicolonDelimiter: true },
]
for (const options of readings) {
  test(`compiled routes answer as the tree does: ${JSON.stringify(options)}`, async () => {
    const compiled = await answersTo({ routerOptions: { ...options, compile: true } })
    assert.deepEqual(compiled, await answersTo(options))
    assert.deepEqual(new Set(Object.values(compiled).map((answer) => (answer as unknown[])[0])), new Set([200, 400, 404]))
  })
}

test('compiled routes are found over HTTP, by hasRoute and findRoute, and with asynchronous constraints', async () => {
  const server = createServer({ routerOptions: { compile: true } })
  assert.deepEqual(server.initialConfig.routerOptions, { compile: true })
  server.addConstraintStrategy({
    name: 'tenant',
    storage() {
      const routes = new Map()
      return { get: (key) => routes.get(key) ?? null, set: (key, route) => void routes.set(key, route) }
    },
    deriveConstraint: (raw, _context, done) => void setImmediate(() => done!(null, raw.headers['tenant'])),
  })
  server.get('/:id', { constraints: { tenant: 'a' } }, ({ params }) => params)
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.deepEqual(await (await fetch(`${origin}/7`, { headers: { tenant: 'a' } })).json(), { id: '7' })
  assert.equal((await fetch(`${origin}/7`, { headers: { tenant: 'b' } })).status, 404)
  assert.deepEqual({ ...(server.findRoute({ method: 'GET', url: '/7', constraints: { tenant: 'a' } }) as any).params }, { id: '7' })
  assert.equal(server.hasRoute({ method: 'GET', url: '/a/b' }), false)
  await server.close()
})

test('a build that is being recorded leaves Function as it was', async () => {
  const { Function } = globalThis
  const server = createServer({ prebuilt: new BuildRecording() })
  server.get('/:id', { constraints: { version: '1.0.0' } }, () => '')
  assert.throws(() => server.get('/:id', { constraints: { version: '1.0.0' } }, () => ''))
  assert.equal(globalThis.Function, Function)
  await server.close()
})

test('a constraint strategy may be added before the routes that use it', async () => {
  const server = createServer()
  server.addConstraintStrategy({
    name: 'tenant',
    storage() {
      const routes: Record<string, any> = {}
      return { get: (key: string) => routes[key] ?? null, set: (key: string, route: any) => void (routes[key] = route) }
    },
    deriveConstraint: (raw: any) => raw.headers.tenant,
  })
  assert.ok(server.hasConstraintStrategy('tenant'))
  server.get('/', { constraints: { tenant: 'a' } }, () => 'of a')
  assert.equal((await server.inject({ url: '/', headers: { tenant: 'a' } })).body, 'of a')
  assert.equal((await server.inject({ url: '/', headers: { tenant: 'b' } })).statusCode, 404)
  await server.close()
})

for (const [title, options, message] of [
  ['an unknown constraint', { url: '/x', constraints: { tenant: 'a' } }, /key tenant \(in the route POST, PUT \/x of App\)$/],
  ['a path without its first slash', { url: 'x' }, /^The first character of a path should be/],
  [
    'a regular expression that may take exponential time',
    { url: '/:a(^(x+)+$)' },
    /not safe! \(in the route POST, PUT \/:a\(.*\) of App\)$/,
  ],
] as const) {
  test(`${title} is refused with the reason`, () => {
    const server = createServer({ name: 'App' })
    assert.throws(() => server.route({ method: ['POST', 'PUT'], handler: () => '', ...options } as never), { message })
  })
}
