/** What the framework itself answers is described where it can happen, and each described status does happen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createServer,
  describeContexts,
  type ErrorHandler,
  HttpError,
  httpError,
  type InjectOptions,
  type Reply,
  type RouteDescription,
  type RouteOptions,
  type Server,
  type ServerOptions,
  declareReplies,
} from 'alcove/lib'
import { Ajv } from 'ajv'
import { errorFormats } from '../../../../lib/http/error-payload.js'

const body = { type: 'object', properties: { n: { type: 'integer' } } } as const

async function serve(declare: (server: Server) => unknown, options: ServerOptions = {}) {
  const server = createServer({ logger: false, handlerTimeout: 0, exposeHeadRoutes: false, ...options })
  await declare(server)
  const base = await server.listen({ port: 0 })
  const [route] = describeContexts(server).routes
  const [child] = describeContexts(server).children
  return {
    route: (route ?? child?.routes[0])!,
    ask: (path: string, init?: RequestInit) => fetch(base + path, init),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}

const statusesOf = ({ responses }: RouteDescription): string[] => Object.keys(responses)
const send = (text: string, type = 'application/json') => ({ method: 'POST', body: text, headers: { 'content-type': type } })

const cases: readonly {
  title: string
  route: Omit<RouteOptions, 'handler'>
  options?: ServerOptions
  statuses: string[]
  /** A request for each status. */
  requests: readonly [path: string, init?: RequestInit][]
}[] = [
  { title: 'a route without input answers nothing of itself', route: { method: 'GET', path: '/' }, statuses: [], requests: [] },
  {
    title: 'a validated part can be refused with 400',
    route: { method: 'GET', path: '/', schema: { querystring: { n: { type: 'integer' } } } },
    statuses: ['400'],
    requests: [['/?n=x']],
  },
  {
    title: 'a route with a version is not found without the header',
    route: { method: 'GET', path: '/', constraints: { version: '1.0.0' } },
    statuses: ['404'],
    requests: [['/']],
  },
  {
    title: 'a validation that is attached to the request refuses nothing',
    route: { method: 'GET', path: '/', attachValidation: true, schema: { querystring: { n: { type: 'integer' } } } },
    statuses: [],
    requests: [],
  },
  {
    title: 'a body can be malformed, too large, or of another type, also without a schema',
    route: { method: 'POST', path: '/', bodyLimit: 10 },
    statuses: ['400', '413', '415'],
    requests: [
      ['/', send('{')],
      ['/', send('{"n": 1234567890}')],
      ['/', send('a', 'a/b')],
    ],
  },
  {
    title: 'so can the body of a DELETE request, which is read if it has a type',
    route: { method: 'DELETE', path: '/', bodyLimit: 10 },
    statuses: ['400', '413', '415'],
    requests: [
      ['/', { ...send('{'), method: 'DELETE' }],
      ['/', { ...send('{"n": 1234567890}'), method: 'DELETE' }],
      ['/', { ...send('a', 'a/b'), method: 'DELETE' }],
    ],
  },
  {
    title: 'a parameter may not decode, or be too long',
    route: { method: 'GET', path: '/:id' },
    options: { maxParamLength: 5 },
    statuses: ['400', '404'],
    requests: [['/%'], ['/123456']],
  },
  {
    title: 'a parameter may not match its pattern',
    route: { method: 'GET', path: '/:id(^\\d+$)' },
    statuses: ['400', '404'],
    requests: [['/%'], ['/x']],
  },
  {
    title: 'a wildcard may not decode, but be of any length',
    route: { method: 'GET', path: '/files/*' },
    options: { maxParamLength: 5 },
    statuses: ['400'],
    requests: [['/files/%']],
  },
  {
    title: 'a handler may take too long',
    route: { method: 'GET', path: '/', handlerTimeout: 20 },
    statuses: ['503'],
    requests: [['/']],
  },
  {
    title: 'so may all handlers, by the option of the server',
    route: { method: 'GET', path: '/' },
    options: { handlerTimeout: 20 },
    statuses: ['503'],
    requests: [['/']],
  },
]

for (const { title, route, options, statuses, requests } of cases) {
  test(title, async () => {
    const handler = async (): Promise<string> => {
      await wait(50)
      return 'late'
    }
    await using served = await serve((server) => server.route({ ...route, handler }), options)
    assert.deepEqual(statusesOf(served.route), statuses)
    const replies = await Promise.all(requests.map(([path, init]) => served.ask(path, init)))
    assert.deepEqual(
      replies.map(({ status }) => String(status)),
      statuses,
    )
    for (const reply of replies) {
      const described = served.route.responses[reply.status]!
      assert.deepEqual(described.from, ['alcove'])
      const [type] = reply.headers.get('content-type')!.split(';')
      const validate = new Ajv().compile(described.content[type!] as object)
      assert.ok(validate(await reply.json()), JSON.stringify(validate.errors))
    }
  })
}

test('a route of several methods names those whose bodies are not read', async () => {
  await using served = await serve((server) => server.route({ method: ['GET', 'POST'], url: '/', handler: () => '' }))
  assert.deepEqual(served.route.methodsWithoutBody, ['GET'])
  await using same = await serve((server) => server.route({ method: ['PUT', 'POST'], url: '/', handler: () => '' }))
  assert.equal(same.route.methodsWithoutBody, undefined)
})

test('the schema that a route has for a status is the form of the reply of the framework, so it stands alone', async () => {
  const own = { type: 'object', properties: { message: { type: 'string' } } } as const
  await using served = await serve((server) =>
    server.post(
      '/',
      { schema: { body, response: { 400: own, '4xx': { type: 'object', properties: { error: { type: 'string' } } } } } },
      () => '',
    ),
  )
  assert.deepEqual(
    Object.entries(served.route.responses).map(([status, { from }]) => [status, from]),
    [
      ['400', ['route']],
      ['4xx', ['route']],
    ],
  )
  const refused = await served.ask('/', send('{"n":"x"}'))
  assert.deepEqual(await refused.json(), { message: 'body/n should be integer' })
  const other = await served.ask('/', send('a', 'a/b'))
  assert.deepEqual([other.status, await other.json()], [415, { error: 'Unsupported Media Type' }])
})

test('with problem details, a route that has a schema for every media type answers both', async () => {
  const hint = { type: 'object', properties: { hint: { type: 'string' } } } as const
  const details = { type: 'object', properties: { title: { type: 'string' } } } as const
  const content = { 'application/problem+json': { schema: details } }
  await using served = await serve((server) => {
    server.setErrorFormat('problem')
    server.post('/', { schema: { body, response: { 404: hint, 409: { content }, default: hint } } }, () => '')
  })
  const contentOf = (status: string): object => served.route.responses[status]!.content
  for (const status of ['404', 'default', '400', '415'])
    assert.deepEqual(contentOf(status), { 'application/json': hint, 'application/problem+json': errorFormats.problem.schema }, status)
  assert.deepEqual(contentOf('409'), { 'application/problem+json': details })
  const refused = await served.ask('/', send('{"n":"x"}'))
  assert.deepEqual(
    [refused.headers.get('content-type'), ((await refused.json()) as { title: string }).title],
    ['application/problem+json; charset=utf-8', 'Bad Request'],
  )
})

test('an error class beside a schema for default is listed with it, as errors of other classes have that schema', async () => {
  class NoSuchUser extends httpError(404, { id: { type: 'integer' } }) {}
  const message = { type: 'object', properties: { message: { type: 'string' } } } as const
  await using served = await serve((server) =>
    server.get('/', { throws: [NoSuchUser], schema: { response: { default: message } } }, () => {
      throw new HttpError(404, 'No such file')
    }),
  )
  const { anyOf } = served.route.responses['404']!.content['application/json'] as { anyOf: readonly { $id?: string }[] }
  assert.deepEqual([anyOf[0], anyOf[1]!.$id, anyOf.length], [message, 'NoSuchUser', 2])
  assert.deepEqual(await (await served.ask('/')).json(), { message: 'No such file' })
})

test('the payload of an error handler that declares nothing is not known', async () => {
  await using served = await serve((server) => {
    server.setErrorHandler(function problems() {
      return 'own text'
    })
    server.post('/', { schema: { body } }, () => '')
  })
  assert.deepEqual(served.route.responses['400'], { content: {}, from: ['root > problems'], isUnknown: true })
  assert.equal(await (await served.ask('/', send('{'))).text(), 'own text')
})

test('what an error handler declares takes the place of what the framework would answer', async () => {
  const problem = { type: 'object', properties: { reason: { type: 'string' } } } as const
  const problems: ErrorHandler = declareReplies(
    function problems(_error: Error, _request: unknown, reply: Reply) {
      reply.code(422).send({ reason: 'wrong' })
    },
    { responses: { '4xx': problem } },
  )
  await using served = await serve((server) => {
    server.setErrorHandler(problems)
    server.post('/', { schema: { body } }, () => '')
  })
  assert.deepEqual(served.route.responses, { '4xx': { content: { 'application/json': problem }, from: ['root > problems'] } })
})

test('with frameworkErrors a long parameter is a 414 that this function answers, and one that does not match its pattern is a 404', async () => {
  const frameworkErrors = (error: Error & { statusCode?: number }, _request: unknown, reply: Reply): void => {
    reply.code(error.statusCode!).send('own text')
  }
  await using served = await serve((server) => server.get('/:id', () => ''), { maxParamLength: 5, frameworkErrors })
  const { responses } = served.route
  assert.deepEqual(responses['414'], { content: {}, from: ['frameworkErrors'], isUnknown: true })
  assert.equal(responses['404'], undefined)
  const long = await served.ask('/123456')
  assert.deepEqual([long.status, await long.text()], [414, 'own text'])
  await using numeric = await serve((server) => server.get('/:id(^\\d+$)', () => ''), { maxParamLength: 5, frameworkErrors })
  assert.deepEqual(
    ['404', '414'].map((status) => numeric.route.responses[status]!.from),
    [['alcove'], ['frameworkErrors']],
  )
  assert.deepEqual([(await numeric.ask('/x')).status, (await numeric.ask('/123456')).status], [404, 414])
})

test('a function for paths that cannot be decoded does not answer long parameters', async () => {
  await using served = await serve((server) => server.get('/:id', () => ''), {
    frameworkErrors: (_error, _request, reply) => void reply.code(414).send(''),
    routerOptions: { onBadUrl: (_path, _request, response) => void response.writeHead(400).end() },
  })
  const { responses } = served.route
  assert.deepEqual([responses['400']!.from, responses['414']!.from], [['routerOptions.onBadUrl'], ['frameworkErrors']])
})

test('a status that a route describes has only its schema, also if requests that do not reach the route get this status', async () => {
  const own = { type: 'object', properties: { sku: { type: 'string' } } } as const
  await using served = await serve((server) => server.get('/:id', { schema: { response: { 404: own } } }, () => ''), { maxParamLength: 5 })
  assert.deepEqual(served.route.responses['404'], { content: { 'application/json': own }, from: ['route'] })
})

test('a path that no route has is answered by the not-found handler of its prefix', async () => {
  const gone = { type: 'object', properties: { gone: { type: 'boolean' } } } as const
  const declare = (handler: () => unknown) => (server: Server) =>
    server.register(
      async function inner(instance: Server) {
        instance.setNotFoundHandler(handler as never)
        instance.get('/:id', () => '')
      },
      { prefix: '/inner' },
    )
  await using unknown = await serve(
    declare(() => ({ gone: true })),
    { maxParamLength: 5 },
  )
  assert.equal(unknown.route.responses['404']!.isUnknown, true)
  const handler = declareReplies(
    async function handler() {
      return { gone: true }
    },
    { responses: { 404: gone } },
  )
  await using known = await serve(declare(handler), { maxParamLength: 5 })
  assert.deepEqual(known.route.responses['404'], { content: { 'application/json': gone }, from: ['root > inner > handler'] })
})

test('the payloads are those of the format of errors where the reply is made: of the route, of its prefix, or of the root context', async () => {
  const server = createServer()
  server.register(
    async (api) => {
      api.register(async (problems) => {
        problems.setErrorFormat('problem')
        problems.post('/:id', () => 'posted')
      })
    },
    { prefix: '/api' },
  )
  await server.ready()
  const { responses } = describeContexts(server).children[0]!.children[0]!.routes[0]!
  const types = (status: string): string[] => Object.keys(responses[status]!.content)
  const [problem, json] = ['application/problem+json', 'application/json']
  // A body that is malformed, and a parameter that cannot be decoded.
  assert.deepEqual(types('400'), [problem, json])
  assert.deepEqual([types('413'), types('404')], [[problem], [json]])
  const sent = async (request: InjectOptions): Promise<unknown> => (await server.inject(request)).headers['content-type']
  assert.match(String(await sent({ method: 'POST', url: '/api/7', payload: '{', headers: { 'content-type': json } })), /problem/)
  assert.doesNotMatch(String(await sent({ method: 'POST', url: '/api/%' })), /problem/)
  assert.doesNotMatch(String(await sent({ method: 'POST', url: `/api/${'x'.repeat(200)}` })), /problem/)
  await server.close()
})
