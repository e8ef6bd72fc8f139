/** Serialization: the properties that a response schema lets through, and how status and content type choose the schema. */
import assert from 'node:assert/strict'
import type { RouteSpec } from './faces.js'
import { rule, ruleOfServer } from './rule.js'

/** A response schema whose serializer can be recognized by the property that it lets through. */
const only = (name: string): object => ({ type: 'object', properties: { [name]: { type: 'string' } } })
const names = ['exact', 'range', 'fallback', 'json', 'vendor', 'anything', 'v2', 'texts']
const everything = Object.fromEntries(names.map((name) => [name, name]))
/** The serializer that wrote a payload: its name, or `plain` if none did. */
const writer = (payload: string): string => {
  const keys = Object.keys(JSON.parse(payload))
  return keys.length === 1 ? keys[0]! : keys.length === names.length ? 'plain' : keys.join()
}
const route = (response: object): RouteSpec => ({
  method: 'GET',
  path: '/:status',
  schema: { response } as never,
  handler: (request: any, reply) => {
    if (request.query.type) reply.type(request.query.type)
    return reply.code(Number(request.params.status)).send(everything)
  },
})

// ---- keys ----

const keys = { exact: '200', range: '2xx', fallback: 'default' } as const
const subsets = [
  [],
  ['exact'],
  ['range'],
  ['fallback'],
  ['exact', 'range'],
  ['exact', 'fallback'],
  ['range', 'fallback'],
  ['exact', 'range', 'fallback'],
] as const
for (const subset of subsets) {
  for (const status of [200, 201, 299, 404, 500]) {
    for (const form of ['plain', 'described', 'content', 'content with a parameter', '*/*'] as const) {
      const expected =
        (status === 200 && subset.find((name) => name === 'exact')) ||
        (status < 300 && subset.find((name) => name === 'range')) ||
        subset.find((name) => name === 'fallback') ||
        'plain'
      const declared = subset.map((name) => keys[name]).join(', ') || 'nothing'
      const title = `${declared} declared${form === 'plain' ? '' : ` as ${form}`}: ${status} is written by ${expected}`
      const entry = (name: string): object =>
        form === 'plain'
          ? only(name)
          : form === 'described'
            ? { description: name, ...only(name) }
            : {
                description: name,
                content: {
                  [{ content: 'application/json', 'content with a parameter': 'Application/JSON; charset=UTF-8', '*/*': '*/*' }[form]]: {
                    schema: only(name),
                  },
                },
              }
      for (const id of form === 'plain' ? (['Route schema 2', 'Serialization behavior 4'] as const) : (['Route schema 3'] as const)) {
        rule(id, title, async (build) => {
          const server = await build({ name: 'root', routes: [route(Object.fromEntries(subset.map((name) => [keys[name], entry(name)])))] })
          const reply = await server.inject(`/${status}`)
          assert.equal(reply.statusCode, status)
          assert.equal(writer(reply.payload), expected)
        })
      }
    }
  }
}
for (const digit of [2, 3, 4, 5]) {
  for (const key of [`${digit}xx`, `${digit}XX`, `${digit}xX`]) {
    rule('Route schema 2', `${key} applies to all statuses from ${digit}00 to ${digit}99`, async (build) => {
      const server = await build({ name: 'root', routes: [route({ [key]: only('range') })] })
      for (const status of [0, 1, 50, 99].map((step) => digit * 100 + step)) {
        // 204 and 304 have no content.
        if (status !== 204 && status !== 304) assert.equal(writer((await server.inject(`/${status}`)).payload), 'range')
      }
      assert.equal(writer((await server.inject(`/${digit === 5 ? 400 : (digit + 1) * 100}`)).payload), 'plain')
    })
  }
}
for (const key of ['type', '2x', '20', '6xx', '0xx', '2000', 'Default ', 'ok']) {
  rule('Route schema 2', `the response key "${key}" fails the boot`, async (build) => {
    const server = await build({ name: 'root', routes: [route({ [key]: { type: 'object' } })] })
    await assert.rejects(async () => server.ready(), {
      code: 'ALC_ERR_SCH_SERIALIZATION_BUILD',
      message: /should be nested under a valid status code/,
    })
  })
}
rule('Route schema, response', 'one schema object may be used for several keys', async (build) => {
  const shared = only('exact')
  const server = await build({ name: 'root', routes: [route({ 200: shared, '4xx': shared, default: shared })] })
  for (const status of [200, 404, 500]) assert.equal(writer((await server.inject(`/${status}`)).payload), 'exact')
})

// ---- media types ----

const content = {
  'application/json': { schema: only('json') },
  'application/vnd.api+json': { schema: only('vendor') },
  'application/vnd.api+json; version=2': { schema: only('v2') },
  'text/*': { schema: only('texts') },
}
const mediaTypes: [type: string, without: string, withAnything: string][] = [
  ['', 'json', 'json'],
  ['application/json', 'json', 'json'],
  ['application/json; charset=utf-8', 'json', 'json'],
  ['APPLICATION/JSON', 'json', 'json'],
  ['application/vnd.api+json', 'vendor', 'vendor'],
  ['application/vnd.api+json; charset=utf-8', 'vendor', 'vendor'],
  ['application/vnd.api+json; version=2', 'v2', 'v2'],
  ['application/vnd.api+json; version=2; charset=utf-8', 'v2', 'v2'],
  ['application/vnd.api+json; version=3', 'vendor', 'vendor'],
  ['text/x-json', 'texts', 'texts'],
  ['application/problem+json', 'plain', 'anything'],
]
for (const key of ['200', '2xx', 'default']) {
  for (const [type, without, withAnything] of mediaTypes) {
    for (const [hasAnything, expected] of [
      [false, without],
      [true, withAnything],
    ] as const) {
      rule(
        'Decision 5',
        `content of ${key}${hasAnything ? ' with */*' : ''}: a reply of type "${type}" is written by ${expected}`,
        async (build) => {
          const server = await build({
            name: 'root',
            routes: [
              route({ [key]: { description: 'd', content: { ...content, ...(hasAnything && { '*/*': { schema: only('anything') } }) } } }),
            ],
          })
          assert.equal(writer((await server.inject({ url: '/200', query: type ? { type } : {} })).payload), expected)
        },
      )
    }
  }
}
rule('Route schema 3', 'a media type that is not JSON is written by the serializer declared for it', async (build) => {
  const server = await build({
    name: 'root',
    serializerCompiler:
      ({ contentType }) =>
      (value: any) =>
        contentType === 'text/csv' ? Object.values(value).join(';') : JSON.stringify(value),
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { response: { 200: { content: { 'application/json': { schema: {} }, 'text/csv': { schema: {} } } } } },
        handler: (request: any, reply) => reply.type(request.query.type).send({ a: 1, b: 2 }),
      },
    ],
  })
  assert.equal((await server.inject('/?type=text/csv')).payload, '1;2')
  assert.equal((await server.inject('/?type=application/json')).payload, '{"a":1,"b":2}')
  assert.equal((await server.inject('/?type=text/html')).statusCode, 500, 'an object of a type that nothing is declared for')
})
rule(
  'Decision 5',
  'a reply whose media type has other parameters than the declared ones is still written by the schema of its type',
  async (build) => {
    const server = await build({
      name: 'root',
      routes: [route({ 200: { content: { 'application/json; v=1': { schema: only('json') } } } })],
    })
    for (const type of ['application/json', 'application/json; v=1', 'application/json; v=2']) {
      assert.equal(writer((await server.inject({ url: '/200', query: { type } })).payload), 'json')
    }
  },
)
rule('Route schema 3', 'a content entry without a schema fails the boot', async (build) => {
  const server = await build({ name: 'root', routes: [route({ 200: { content: { 'application/json': {} } } })] })
  await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_CONTENT_MISSING_SCHEMA', message: /application\/json/ })
})
rule('Route schema 3', 'a repeated media type fails the boot', async (build) => {
  const server = await build({
    name: 'root',
    routes: [route({ 200: { content: { 'text/x': { schema: only('a') }, 'Text/X': { schema: only('b') } } } })],
  })
  await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_DUPLICATE' })
})
rule('Route schema 3', 'a property named content is not a content map', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { response: { 200: { content: { type: 'string' } } } },
        handler: () => ({ content: 'x', extra: 1 }),
      },
    ],
  })
  assert.equal((await server.inject('/')).payload, '{"content":"x"}')
})
rule('Serialization behavior 2', 'the reply’s own status and type choose, not those of the request', async (build) => {
  const server = await build({ name: 'root', routes: [route({ 200: only('exact'), '4xx': { content } })] })
  const reply = async (status: number, type: string): Promise<string> =>
    writer((await server.inject({ url: `/${status}`, query: { type }, headers: { accept: 'text/x', 'content-type': 'text/x' } })).payload)
  assert.deepEqual(
    [await reply(200, 'application/json'), await reply(404, 'application/vnd.api+json'), await reply(500, 'application/json')],
    ['exact', 'vendor', 'plain'],
  )
})

// ---- values ----

rule('Route schema 4', 'a missing response property takes its default', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: {
          response: {
            200: {
              type: 'object',
              properties: {
                on: { type: 'boolean', default: true },
                n: { type: 'integer', default: 7 },
                s: { type: 'string', default: 'd' },
                given: { type: 'integer', default: 1 },
              },
            },
          },
        },
        handler: () => ({ given: 2 }),
      },
    ],
  })
  assert.deepEqual((await server.inject('/')).json(), { on: true, n: 7, s: 'd', given: 2 })
})
const disclosures: [title: string, schema: object, value: unknown, seen: unknown][] = [
  ['an object', only('a'), { a: '1', secret: 1 }, { a: '1' }],
  ['a nested object', { type: 'object', properties: { in: only('a') } }, { in: { a: '1', secret: 1 }, secret: 1 }, { in: { a: '1' } }],
  ['an array', { type: 'array', items: only('a') }, [{ a: '1', secret: 1 }], [{ a: '1' }]],
  ['a shorthand', { a: { type: 'string' } }, { a: '1', secret: 1 }, { a: '1' }],
  [
    'oneOf',
    { type: 'object', properties: { v: { oneOf: [only('a'), { type: 'integer' }] } } },
    { v: { a: '1', secret: 1 } },
    { v: { a: '1' } },
  ],
  ['allOf', { allOf: [only('a'), only('b')] }, { a: '1', b: '2', secret: 1 }, { a: '1', b: '2' }],
  [
    'an instance of a class',
    only('a'),
    new (class {
      a = '1'
      secret = 1
    })(),
    { a: '1' },
  ],
  ['additionalProperties of a type', { type: 'object', additionalProperties: { type: 'integer' } }, { a: 1, b: 2 }, { a: 1, b: 2 }],
  ['additionalProperties true', { type: 'object', additionalProperties: true }, { a: 1 }, { a: 1 }],
]
for (const [title, schema, value, seen] of disclosures) {
  rule('Serialization behavior 1', `only the declared properties of ${title} are sent`, async (build) => {
    const server = await build({
      name: 'root',
      routes: [{ method: 'GET', path: '/', schema: { response: { 200: schema } } as never, handler: () => value }],
    })
    assert.deepEqual((await server.inject('/')).json(), seen)
  })
}
rule('Serialization behavior 1', 'without a schema for the status all properties are sent', async (build) => {
  const server = await build({ name: 'root', routes: [route({ 404: only('exact') })] })
  assert.deepEqual((await server.inject('/200')).json(), everything)
})
rule('Serialization behavior 1', 'a value that the schema cannot serialize is a server fault without details', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { response: { 200: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } } },
        handler: () => ({}),
      },
    ],
  })
  const reply = await server.inject('/')
  assert.deepEqual([reply.statusCode, reply.json().message], [500, 'Internal Server Error'])
})
rule('Serialization behavior 1', 'strings and buffers are sent as they are', async (build) => {
  const schema = { response: { 200: only('a') } }
  const server = await build({
    name: 'root',
    routes: [
      { method: 'GET', path: '/text', schema, handler: (_request, reply) => reply.send('plain') },
      { method: 'GET', path: '/buffer', schema, handler: (_request, reply) => reply.send(Buffer.from('bytes')) },
    ],
  })
  assert.equal((await server.inject('/text')).payload, 'plain')
  assert.equal((await server.inject('/buffer')).payload, 'bytes')
})
rule('Route schema, response', 'error replies are serialized by the schema of their status', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { response: { '4xx': { type: 'object', properties: { message: { type: 'string' } } } } },
        handler: () => {
          throw Object.assign(new Error('no'), { statusCode: 404, secret: 1 })
        },
      },
    ],
  })
  assert.equal((await server.inject('/')).payload, '{"message":"no"}')
})

// ---- serializer compiler ----

rule('Serialization behavior 3', 'it is used for every route that has a response schema, and for no other', async (build) => {
  const routes: RouteSpec[] = [
    { method: 'GET', path: '/with', schema: { response: { 200: { type: 'object' } } }, handler: () => ({ a: 1 }) },
    { method: 'GET', path: '/without', handler: () => ({ a: 1 }) },
    { method: 'GET', path: '/other', schema: { response: { 404: { type: 'object' } } }, handler: () => ({ a: 1 }) },
  ]
  const server = await build({
    name: 'root',
    serializerCompiler: () => (value) => `own ${JSON.stringify(value)}`,
    routes,
    imports: [{ name: 'child', prefix: '/child', routes }],
  })
  for (const prefix of ['', '/child']) {
    assert.equal((await server.inject(`${prefix}/with`)).payload, 'own {"a":1}')
    assert.equal((await server.inject(`${prefix}/without`)).payload, '{"a":1}')
    assert.equal((await server.inject(`${prefix}/other`)).payload, '{"a":1}')
  }
})

// ---- helpers of the programmatic interface ----

ruleOfServer('Decision 10', 'a handler can serialize by status, by media type and by a schema of its own', async (create) => {
  const server = create()
  const own = only('b')
  server.get(
    '/',
    { schema: { response: { 200: only('a'), '4xx': { content: { 'text/x': { schema: only('c') } } } } } },
    (_request, given) => {
      const reply = given as any
      const value = { a: '1', b: '2', c: '3' }
      return reply
        .serializer(String)
        .send(
          [
            reply.serializeInput(value, 200),
            reply.serializeInput(value, '4xx', 'text/x'),
            reply.serializeInput(value, own),
            reply.getSerializationFunction(200)(value),
            reply.getSerializationFunction('4XX', 'text/x')(value),
            reply.getSerializationFunction(own)(value),
            reply.compileSerializationSchema(own) === reply.compileSerializationSchema(own),
            reply.getSerializationFunction(500) === undefined,
            reply.getSerializationFunction({}) === undefined,
          ].join(' '),
        )
    },
  )
  assert.equal((await server.inject('/')).payload, '{"a":"1"} {"c":"3"} {"b":"2"} {"a":"1"} {"c":"3"} {"b":"2"} true true true')
})
ruleOfServer('Decision 10', 'serializeInput for a status without a schema is an error that names it', async (create) => {
  const server = create()
  server.get('/', (_request, reply) => {
    assert.throws(() => reply.serializeInput({}, 201), { code: 'ALC_ERR_MISSING_SERIALIZATION_FN', message: /201/ })
    assert.throws(() => reply.serializeInput({}, 201, 'text/x'), {
      code: 'ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN',
      message: /201:text\/x/,
    })
    return {}
  })
  assert.equal((await server.inject('/')).statusCode, 200)
})
ruleOfServer('Decision 10', 'the serializer compiler receives the schema, status and content type of serializeInput', async (create) => {
  const server = create()
  const calls: any[] = []
  server.setSerializerCompiler((call) => (calls.push(call), JSON.stringify))
  const schema = only('a')
  server.get('/x', (_request, reply) =>
    reply.serializer(String as never).send(reply.serializeInput({ a: 1 }, schema, '201', 'text/x') as never),
  )
  assert.equal((await server.inject('/x?q')).payload, '{"a":1}')
  assert.deepEqual(calls, [{ schema, method: 'GET', url: '/x?q', httpStatus: '201', contentType: 'text/x' }])
})
