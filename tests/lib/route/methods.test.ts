/** The HTTP methods that routes can have, and those that an application adds. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { METHODS, request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
import { bodySchemaMethods, createRootMethods, httpMethods, shorthandMethods } from '../../../lib/route/methods.js'
import { recorder } from '../../security/wire.js'

declare module 'alcove' {
  interface AddedMethods {
    REBIND: true
    LINK: true
    LOCK: true
  }
}

const json = { 'content-type': 'application/json' }
const echo = ({ body }: { body: unknown }): unknown => ({ body: body ?? 'unread' })

interface Answer {
  readonly status: number
  readonly body: string
}

/** Serves on a port, and sends one request after the other over it. */
async function serve(
  declare: (server: Server) => unknown,
  run: (send: (method: string, path: string, body?: string, headers?: Record<string, string>) => Promise<Answer>) => Promise<void>,
  options: ServerOptions = {},
): Promise<void> {
  const server = createServer(options)
  await declare(server)
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  try {
    await run(
      (method, path, body, headers) =>
        new Promise((resolve, reject) => {
          const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
          const outgoing = httpRequest(`${origin}${path}`, { method, headers: { ...length, ...headers } }, async (response) => {
            let text = ''
            for await (const chunk of response) text += chunk
            resolve({ status: response.statusCode!, body: text })
          })
          outgoing.on('error', reject).end(body)
        }),
    )
  } finally {
    await server.close()
  }
}

test('bodies are read for POST, PUT, PATCH, SEARCH and TRACE, for QUERY, DELETE and OPTIONS with a media type, and never for the others', () => {
  const { bodyReadings } = createRootMethods()
  const methodsThatRead = (when: string): string[] => httpMethods.filter((method) => bodyReadings[method] === when).sort()
  assert.deepEqual(methodsThatRead('always'), ['PATCH', 'POST', 'PUT', 'SEARCH', 'TRACE'])
  assert.deepEqual(methodsThatRead('typed'), ['DELETE', 'OPTIONS'])
  assert.deepEqual(methodsThatRead('required'), METHODS.includes('QUERY') ? ['QUERY'] : [])
  for (const name of ['BREW', 'constructor']) assert.equal(bodyReadings[name], undefined)
})

test('a body schema can be declared for POST, PUT and PATCH', () => {
  assert.deepEqual(bodySchemaMethods.toSorted(), ['PATCH', 'POST', 'PUT'])
})

test('routes can have every method of the table', async () => {
  const server = createServer()
  server.route({ method: [...httpMethods], url: '/', exposeHeadRoute: false, handler: (_request, reply) => void reply.send('x') })
  for (const method of httpMethods) assert.ok(server.hasRoute({ method, url: '/' }), method)
  await server.close()
})

test('each supported method has a member of its name, and all declares a route for every method', async () => {
  const server = createServer()
  server.supportedMethods.push('POLL')
  assert.deepEqual(
    server.supportedMethods,
    shorthandMethods.filter((name) => METHODS.includes(name)),
  )
  server.all('/all', (request) => request.method)
  for (const method of server.supportedMethods) (server as any)[method.toLowerCase()]('/one', () => method)
  for (const method of httpMethods) assert.ok(server.hasRoute({ method, url: '/all' }), method)
  for (const method of server.supportedMethods) {
    const { statusCode, body } = await server.inject({ method, url: '/one', headers: json, payload: '{}' })
    assert.deepEqual([statusCode, body], [200, method === 'HEAD' ? '' : method])
  }
  await server.close()
})

test('an added method has routes, a member of the server and a line in printRoutes', async () => {
  await serve(
    (server) => {
      assert.throws(() => server.route({ method: 'REBIND', url: '/', handler: echo }), {
        code: 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED',
        message: "REBIND method is not supported. Call server.addHttpMethod('REBIND') first.",
      })
      assert.equal(server.addHttpMethod('REBIND'), server)
      server.addHttpMethod('link', { hasBody: true })
      assert.ok(server.supportedMethods.includes('REBIND') && server.supportedMethods.includes('LINK'))
      server.route({ method: 'rebind', url: '/', handler: echo })
      server.link('/', echo)
      server.all('/all', (request) => request.method)
      assert.match(server.printRoutes(), /\/ \(REBIND, LINK\)/)
    },
    async (send) => {
      assert.deepEqual(await send('REBIND', '/', '{"a":1}', json), { status: 200, body: '{"body":"unread"}' })
      assert.deepEqual(await send('LINK', '/', '{"a":1}', json), { status: 200, body: '{"body":{"a":1}}' })
      assert.equal((await send('LINK', '/', '<a/>', { 'content-type': 'text/xml' })).status, 415)
      assert.equal((await send('LINK', '/', '<a/>')).status, 415)
      assert.equal((await send('LINK', '/')).body, '{"body":"unread"}')
      assert.equal((await send('REBIND', '/all')).body, 'REBIND')
      assert.equal((await send('UNLINK', '/')).status, 404)
    },
  )
})

test('methods of WebDAV need not be added; adding one gives it a member and says whether its body is read', async () => {
  const { lines, logger } = recorder()
  await serve(
    (server) => {
      server.addContentTypeParser('text/xml', { parseAs: 'string' }, (_request, text, done) => done(null, text))
      server.route({ method: ['PROPFIND', 'LOCK'], url: '/', handler: echo })
      assert.ok(!server.supportedMethods.includes('LOCK') && !Reflect.has(server, 'lock'))
      server.addHttpMethod('LOCK', { hasBody: true })
      server.lock('/lock', echo)
    },
    async (send) => {
      const xml = { 'content-type': 'text/xml' }
      assert.equal((await send('PROPFIND', '/', '<a/>', xml)).body, '{"body":"unread"}')
      for (const path of ['/', '/lock']) assert.equal((await send('LOCK', path, '<a/>', xml)).body, '{"body":"<a/>"}')
    },
    { logger },
  )
  assert.deepEqual(
    lines.filter(({ level }) => level === 'warn'),
    [],
  )
})

test('a method is added to a context and the contexts below it, not to others, and to no other server', async () => {
  await serve(
    async (server) => {
      await server.register(
        async (inner: Server) => {
          inner.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
          inner.addHttpMethod('REBIND')
          inner.get('/', echo)
          await inner.register(async (innermost: Server) => void innermost.route({ method: 'REBIND', url: '/deep', handler: echo }))
        },
        { prefix: '/inner' },
      )
      await server.register(async (sibling: Server) => {
        assert.throws(() => sibling.route({ method: 'REBIND', url: '/', handler: echo }), { code: 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED' })
        assert.ok(!('rebind' in sibling))
      })
      server.get('/', echo)
      assert.ok(!createServer().supportedMethods.includes('REBIND'))
    },
    async (send) => {
      assert.equal((await send('GET', '/', '{"a":1}', json)).body, '{"body":"unread"}')
      assert.equal((await send('GET', '/inner', '{"a":1}', json)).body, '{"body":{"a":1}}')
      assert.equal((await send('REBIND', '/inner/deep')).status, 200)
    },
  )
})

test('a method that is added late holds for routes and contexts that exist already', async () => {
  await serve(
    async (server) => {
      await server.register(async (inner: Server) => void inner.get('/', echo))
      server.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
    },
    async (send) => assert.equal((await send('GET', '/', '{"a":1}', json)).body, '{"body":{"a":1}}'),
  )
})

test('a member of the instance is not replaced by an added method', async () => {
  const server = createServer()
  server.decorate('lock', 'mine')
  server.addHttpMethod('LOCK')
  assert.equal(server.lock, 'mine')
  server.route({ method: 'LOCK', url: '/', handler: () => 'locked' })
  assert.equal((await server.inject({ method: 'LOCK', url: '/' })).body, 'locked')
  await server.close()
})

test('a method that is added twice is a warning, unless this is said', () => {
  const { lines, logger } = recorder()
  const server = createServer({ logger })
  const warnings = (): unknown[] => lines.filter(({ level }) => level === 'warn').map(({ given }) => given)
  server.addHttpMethod('POST', { hasBody: true, overrideExisting: true })
  server.addHttpMethod('REBIND')
  server.addHttpMethod('REBIND', { hasBody: true, overrideExisting: true })
  assert.deepEqual(warnings(), [])
  server.addHttpMethod('REBIND')
  assert.deepEqual(warnings(), [
    "addHttpMethod('REBIND') changed a method that the server has already: say so with { overrideExisting: true }.",
  ])
})

for (const [title, method, options, expected] of [
  [
    'a name that Node does not know',
    'BREW',
    undefined,
    { code: 'ALC_ERR_ROUTE_METHOD_INVALID', message: /^Provided method is invalid! 'BREW' is none of ACL, / },
  ],
  ['CONNECT, which Node does not pass on as a request', 'CONNECT', undefined, { code: 'ALC_ERR_ROUTE_METHOD_INVALID' }],
  ['a name that is not a text', 7, undefined, { code: 'ALC_ERR_ROUTE_METHOD_INVALID' }],
  [
    'options that are not an object',
    'LINK',
    true,
    { message: "addHttpMethod('LINK') expects an object of options, such as { hasBody: true }" },
  ],
  [
    'an unknown option',
    'LINK',
    { hasbody: true },
    { message: "addHttpMethod('LINK') has no option 'hasbody'; its options are hasBody and overrideExisting" },
  ],
  ['an option of a wrong type', 'LINK', { hasBody: 1 }, { code: 'ALC_ERR_SETTING_INVALID', message: /expects 'hasBody' to be a boolean/ }],
] as const) {
  test(`addHttpMethod refuses ${title}`, () => {
    const server = createServer()
    assert.throws(() => server.addHttpMethod(method as string, options as {}), expected)
    assert.ok(!server.supportedMethods.includes('LINK'))
  })
}

test('addHttpMethod is refused after the server has started', async () => {
  const server = createServer()
  await server.ready()
  assert.throws(() => server.addHttpMethod('REBIND'), { code: 'ALC_ERR_INSTANCE_ALREADY_LISTENING' })
  await server.close()
})

test('a body schema is refused for a method whose body is not read, also if that is said after the route', async () => {
  const schema = { body: { type: 'object' } } as const
  const code = 'ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED'
  const server = createServer()
  server.addHttpMethod('LINK', { hasBody: true })
  assert.throws(() => server.route({ method: 'LINK', url: '/', schema, handler: echo }), { code })
  server.post('/', { schema }, echo)
  server.addHttpMethod('POST', { overrideExisting: true })
  assert.throws(() => server.post('/later', { schema }, echo), { code })
  await assert.rejects(async () => await server.ready(), { code, message: 'Body validation schema for POST:/ route is not supported!' })
})

test('the cure for a body schema is what helps: nothing validates a body that is not read', () => {
  const textOf = (server: Server, method: 'PROPFIND' | 'DELETE'): string => {
    try {
      server.route({ method, url: '/', schema: { body: { type: 'object' } } as const, handler: echo })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  const notRead =
    "Body validation schema for PROPFIND:/ route is not supported! Its body is not read. Leave out the schema, or call server.addHttpMethod('PROPFIND', { hasBody: true }) and validate the body in a preValidation hook."
  assert.equal(textOf(createServer(), 'PROPFIND'), notRead)
  const reading = createServer()
  reading.addHttpMethod('PROPFIND', { hasBody: true })
  for (const method of ['PROPFIND', 'DELETE'] as const)
    assert.equal(
      textOf(reading, method),
      `Body validation schema for ${method}:/ route is not supported! Validate the body in a preValidation hook, by request.validateInput(request.body, schema). In alcove/fastify it is supported.`,
    )
})

if (METHODS.includes('QUERY')) {
  test('a QUERY has a body with a media type; without one it is refused, unless its path is unknown', async () => {
    await serve(
      (server) => {
        server.query('/', echo)
        server.route({ method: 'QUERY', url: '/any', handler: echo })
        server.register(async (inner: Server) => {
          inner.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text))
          inner.query('/guessing', echo)
        })
      },
      async (send) => {
        assert.equal((await send('QUERY', '/', '{"a":1}', json)).body, '{"body":{"a":1}}')
        assert.equal((await send('QUERY', '/any', 'x', { 'content-type': 'text/plain' })).body, '{"body":"x"}')
        assert.equal((await send('QUERY', '/any', '', { 'content-type': 'text/plain' })).body, '{"body":""}')
        assert.equal((await send('QUERY', '/', '{', json)).status, 400)
        assert.equal((await send('QUERY', '/', '<a/>', { 'content-type': 'text/xml' })).status, 415)
        for (const path of ['/', '/guessing'])
          for (const body of ['{}', undefined]) {
            const refused = await send('QUERY', path, body)
            assert.deepEqual([refused.status, JSON.parse(refused.body).code], [400, 'ALC_ERR_ROUTE_MISSING_CONTENT_TYPE'])
          }
        assert.equal((await send('QUERY', '/nowhere', '{}')).status, 404)
      },
    )
  })
}

test('without a parser that knows QUERY, a route with it is refused with the reason, and all leaves it out', async () => {
  const code = `
    import { METHODS } from 'node:http'
    if (METHODS.includes('QUERY')) METHODS.splice(METHODS.indexOf('QUERY'), 1)
    const { createServer } = await import(${JSON.stringify(new URL('../../../lib/index.js', import.meta.url).href)})
    const server = createServer()
    server.all('/', () => '')
    const problems = [() => server.query('/', () => ''), () => server.addHttpMethod('QUERY')].map((fail) => { try { fail() } catch (error) { return error.message } })
    console.log(JSON.stringify({ methods: server.supportedMethods, problems }))
  `
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, '--input-type=module', '--eval', code])
  const { methods, problems } = JSON.parse(stdout)
  assert.ok(!methods.includes('QUERY'))
  assert.equal(problems[0], `QUERY method is not supported. The HTTP parser of this Node (${process.version}) does not know it.`)
  assert.match(problems[1], /^Provided method is invalid! 'QUERY' is none of ACL, /)
})
