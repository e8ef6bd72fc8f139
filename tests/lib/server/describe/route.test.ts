/** What the description of one route says of its input and of its responses. */
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { createServer, describeContexts, type RouteDescription, type RouteOptions, type Server, declareReplies } from 'alcove/lib'
import { z } from 'zod'

async function describeOne(
  options: Omit<RouteOptions<any>, 'handler'>,
  prepare: (server: Server) => void = () => {},
): Promise<RouteDescription> {
  const server = createServer({ logger: false, handlerTimeout: 0 })
  prepare(server)
  server.route({ exposeHeadRoute: false, ...options, handler: () => '' } as RouteOptions<any>)
  await server.ready()
  const [route] = describeContexts(server).routes
  await server.close()
  return route!
}

const post = (schema: object): Omit<RouteOptions<any>, 'handler'> => ({ method: 'POST', path: '/', schema })
const text = { type: 'string' } as const
const object = { type: 'object', properties: { a: text } } as const

test('input is described by part as its validator gets it: shorthand completed, references kept', async () => {
  const { input } = await describeOne(
    {
      method: 'PUT',
      path: '/:id',
      schema: { params: { id: text }, query: { q: text }, headers: { 'X-A': text }, body: { $ref: 'Note#' } },
    },
    (server) => server.addSchema({ $id: 'Note', ...object }),
  )
  assert.deepEqual(input, {
    params: { type: 'object', properties: { id: text } },
    querystring: { type: 'object', properties: { q: text } },
    headers: { type: 'object', properties: { 'X-A': text } },
    body: { 'application/json': { $ref: 'Note#' } },
  })
})

test('a body is described by each media type that its schema covers', async () => {
  const bodyOf = async (schema: object, prepare?: (server: Server) => void) => (await describeOne(post(schema), prepare)).input.body
  assert.deepEqual(await bodyOf({ body: object, consumes: ['Application/XML'] }), { 'application/json': object, 'application/xml': object })
  assert.deepEqual(await bodyOf({ body: text }), { 'application/json': text, 'text/plain': text })
  assert.deepEqual(await bodyOf({ body: { content: { 'text/csv': { schema: text }, 'a/b': { schema: object } } } }), {
    'text/csv': text,
    'a/b': object,
  })
  const csv = (server: Server) => void server.addContentTypeParser('text/csv', (_request, _payload, done) => done(null))
  assert.deepEqual(await bodyOf({ body: object }, csv), { 'application/json': object, 'text/csv': object })
  assert.equal(await bodyOf({}), undefined)
})

test('a body schema does not cover the type of a parser that another plugin has added', async () => {
  const server = createServer({ logger: false })
  server.addContentTypeParser('text/csv', (_request, _payload, done) => done(null))
  server.register(async (instance: Server) => void instance.post('/', { schema: { body: object } }, () => ''))
  await server.ready()
  assert.deepEqual(describeContexts(server).children[0]!.routes[0]!.input.body, { 'application/json': object })
  await server.close()
})

test('the schema of a library is described as JSON Schema, and the object of another engine as any value', async () => {
  const { input, engines } = await describeOne(post({ body: z.object({ a: z.string() }), querystring: { page: z.coerce.number() } }))
  assert.deepEqual((input.body!['application/json'] as { properties: unknown }).properties, { a: text })
  assert.deepEqual(Object.keys((input.querystring as { properties: object }).properties), ['page'])
  assert.equal(engines.body, 'ajv')
  class Foreign {
    check() {}
  }
  const own = await describeOne({ ...post({ body: new Foreign() }), validatorCompiler: () => () => true })
  assert.deepEqual([own.input.body, own.engines], [{ 'application/json': {} }, { body: 'validatorCompiler' }])
})

test('the parts whose library offers no JSON Schema are named', async () => {
  const plain = (validate: (value: unknown) => { value: unknown } | { issues: { message: string }[] }) =>
    ({ '~standard': { version: 1, vendor: 'valibot', validate } }) as const
  const required = plain((value) => ({ value }))
  const { opaqueParts, input } = await describeOne(post({ body: required, querystring: required, params: { id: text } }))
  assert.deepEqual([opaqueParts, input.body, input.querystring], [['body', 'querystring'], { 'application/json': {} }, {}])
  assert.deepEqual((await describeOne(post({ querystring: { page: required } }))).opaqueParts, ['querystring'])
  assert.equal((await describeOne(post({ body: z.object({ a: z.string() }), querystring: { page: z.number() } }))).opaqueParts, undefined)
})

test('whether a body may be absent is asked of the library that validates it, as the server does', async () => {
  const ofLibrary = (validate: (value: any) => any): any => ({ '~standard': { version: 1, vendor: 'valibot', validate } })
  const object = z.object({ a: z.string() })
  const bodies: readonly [body: any, isAccepted: boolean | undefined][] = [
    [ofLibrary((value) => (value === undefined ? { issues: [{ message: 'Expected an object' }] } : { value })), false],
    [ofLibrary((value) => ({ value })), true],
    [ofLibrary(({ length }) => ({ value: length })), false],
    [ofLibrary((value) => Promise.resolve({ value })), undefined],
    [object.optional(), true],
    [object.nullable(), false],
    [object, undefined],
    [{ type: ['object', 'null'] }, undefined],
  ]
  for (const [body, isAccepted] of bodies) {
    const { acceptsNoBody } = await describeOne(post({ body }))
    assert.deepEqual(acceptsNoBody, isAccepted === undefined ? undefined : { 'application/json': isAccepted })
    if (isAccepted === undefined) continue
    await using server = createServer()
    server.post('/', { schema: { body } }, () => 'done')
    assert.equal((await server.inject({ method: 'POST', url: '/' })).statusCode === 200, isAccepted)
  }
})

test(
  'a body that QUERY must have and no schema describes is any value in the media types that parsers read',
  { skip: !METHODS.includes('QUERY') },
  async () => {
    const described = await describeOne({ method: 'QUERY', path: '/' } as Omit<RouteOptions<any>, 'handler'>)
    assert.deepEqual(described.input, { body: { 'application/json': {}, 'text/plain': {} } })
    assert.deepEqual((await describeOne({ method: 'POST', path: '/' })).input, {})
  },
)

test('responses are described by status and media type, with their texts and headers', async () => {
  const { responses } = await describeOne({
    method: 'GET',
    path: '/',
    schema: {
      response: {
        200: { description: 'done', ...object },
        201: text,
        '2XX': {
          description: 'more',
          headers: { 'x-a': text },
          content: { 'text/csv': { schema: text }, 'application/json': { schema: object } },
        },
        204: { type: 'null', description: 'nothing' },
        206: { type: 'string', format: 'binary' },
        default: { a: text },
      },
    },
  })
  assert.deepEqual(responses, {
    200: { description: 'done', content: { 'application/json': { description: 'done', ...object } }, from: ['route'] },
    201: { content: { 'text/plain': text }, from: ['route'] },
    204: { description: 'nothing', content: {}, from: ['route'] },
    206: { content: { 'application/octet-stream': { type: 'string', format: 'binary' } }, from: ['route'] },
    '2xx': { description: 'more', headers: { 'x-a': text }, content: { 'text/csv': text, 'application/json': object }, from: ['route'] },
    default: { content: { 'application/json': object }, from: ['route'] },
  })
})

test('the media types in produces are those of responses without a content map', async () => {
  const { responses } = await describeOne({ method: 'GET', path: '/', schema: { produces: ['text/xml'], response: { 200: object } } })
  assert.deepEqual(responses['200']!.content, { 'text/xml': object })
})

test('hooks and plugin functions declare responses and security, at the routes that they cover', async () => {
  const bearer = { type: 'http', scheme: 'bearer' } as const
  const problem = { type: 'object', properties: { reason: text } } as const
  const server = createServer({ name: 'Api', logger: false, exposeHeadRoutes: false })
  server.register(
    declareReplies(
      async function guarded(instance: Server) {
        instance.addHook(
          'onRequest',
          declareReplies(async function authenticate() {}, { responses: { 401: problem }, security: { bearer } }),
        )
        instance.get('/guarded', { onRequest: declareReplies(async function own() {}, { responses: { 403: problem } }) }, () => '')
      },
      { responses: { 429: problem }, docs: { tags: ['guarded'] } },
    ),
  )
  server.get('/free', () => '')
  await server.ready()
  const { routes, children } = describeContexts(server)
  assert.deepEqual([routes[0]!.responses['401'], routes[0]!.security], [undefined, []])
  const [guarded] = children[0]!.routes
  assert.deepEqual(
    ['401', '403', '429'].map((status) => guarded!.responses[status]!.from),
    [['Api > guarded > authenticate'], ['Api > guarded > GET /guarded > own'], ['Api > guarded']],
  )
  assert.deepEqual([guarded!.security, guarded!.docs], [[{ bearer: [] }], { tags: ['guarded'] }])
  await server.close()
})

test('the security in the schema of a route adds to that of guards and takes nothing away', async () => {
  const guard = declareReplies(async () => {}, {
    security: { bearer: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', name: 'k', in: 'query' } },
  })
  const of = async (security: object[] | undefined) =>
    (await describeOne({ method: 'GET', path: '/', onRequest: guard, schema: { security } as never })).security
  assert.deepEqual(await of([]), [{ bearer: [] }, { key: [] }])
  assert.deepEqual(await of([{ oauth: ['read'] }]), [
    { bearer: [], oauth: ['read'] },
    { key: [], oauth: ['read'] },
  ])
})

test('texts that a route cannot have are refused', () => {
  const server = createServer({ logger: false })
  assert.throws(() => server.get('/', { docs: { tag: ['a'] } as never }, () => ''), {
    code: 'ALC_ERR_SETTING_INVALID',
    message: "The route GET / has 'tag' in docs, which has no such key. Did you mean 'tags'?",
  })
})
