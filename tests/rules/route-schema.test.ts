/** The route schema object: its parts, their complete and shorthand forms, and header names in every case. */
import assert from 'node:assert/strict'
import type { RouteSpec } from './faces.js'
import { rejectsBoot, type Build, rule, ruleOfServer } from './rule.js'

const echo: RouteSpec['handler'] = ({ body, query, params }: any) => ({ body, query, params })

// ---- body: every method and media type ----

const someBody = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

for (const method of ['POST', 'PUT', 'PATCH']) {
  rule('Route schema, body', `a body schema is applied to ${method}`, async (build) => {
    const server = await build({ name: 'root', routes: [{ method, path: '/', schema: { body: someBody }, handler: echo }] })
    const send = (payload: unknown) =>
      server.inject({ method, url: '/', payload: JSON.stringify(payload), headers: { 'content-type': 'application/json' } })
    assert.deepEqual((await send({ n: '5' })).json().body, { n: 5 })
    for (const bad of [{}, { n: 'x' }, [], 'text', null]) {
      const reply = await send(bad)
      assert.equal(reply.statusCode, 400)
      assert.match(reply.json().message, /^body/)
    }
    assert.equal((await server.inject({ method, url: '/' })).statusCode, 400, 'no body at all')
  })
}
rule('Declaring, route', 'a method may be written in lower case', async (build) => {
  const server = await build({
    name: 'root',
    routes: [{ method: ['post', 'Put'], path: '/x', schema: { body: someBody }, handler: echo }],
  })
  for (const method of ['POST', 'PUT'] as const)
    assert.equal((await server.inject({ method, url: '/x', payload: {} })).statusCode, 400, 'the body schema is applied')
})
for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']) {
  rule('Decision 4', `a body schema on ${method} fails the boot instead of being ignored`, async (build) => {
    await rejectsBoot(
      async () => (await build({ name: 'root', routes: [{ method, path: '/x', schema: { body: someBody }, handler: echo }] })).ready(),
      {
        code: 'ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED',
        message: new RegExp(
          `${method}:/x.*!${['GET', 'HEAD', 'TRACE'].includes(method) ? '$' : ' Validate the body in a preValidation hook'}`,
        ),
      },
      { code: 'BODY_SCHEMA_ON_BODYLESS_METHOD', message: new RegExp(`Action has a body schema, but bodies of ${method}`) },
    )
  })
}

const contents: [declared: object, cases: Record<string, number>][] = [
  [
    { body: someBody },
    {
      'application/json': 200,
      'APPLICATION/JSON': 200,
      'application/json; charset=utf-8': 200,
      'application/json;charset="utf-8"': 200,
      'application/vnd.api+json': 200,
      'application/ld+json; profile="x"': 200,
      'text/plain': 415,
      'text/json': 415,
      'application/jsonp': 415,
      'application/x-www-form-urlencoded': 415,
      'application/json, text/plain': 415,
      'application/json/x': 415,
      'application /json': 415,
      ' ': 415,
      nonsense: 415,
    },
  ],
  [
    { body: someBody, consumes: ['text/x-json', 'Application/Y; charset=utf-8'] },
    { 'text/x-json': 200, 'TEXT/X-JSON; a=b': 200, 'application/y': 200, 'application/json': 200, 'text/plain': 415 },
  ],
  [
    { body: { content: { 'application/json; charset=utf-8': { schema: someBody }, 'text/*': { schema: someBody } } } },
    {
      'application/json': 200,
      'application/json; charset=utf-8': 200,
      'text/x-json': 200,
      'application/vnd.api+json': 415,
      'application/y': 415,
    },
  ],
  [
    { body: { content: { '*/*': { schema: someBody } } } },
    { 'application/json': 200, 'text/x-json': 200, 'application/y': 200, nonsense: 415 },
  ],
]
for (const [declared, cases] of contents) {
  for (const [type, status] of Object.entries(cases)) {
    for (const isValid of [true, false]) {
      const expected = isValid || status === 415 ? status : 400
      rule(
        'Decision 4',
        `${JSON.stringify(declared)} and ${isValid ? 'a valid' : 'an invalid'} body of type "${type}": ${expected}`,
        async (build) => {
          let isReached = false
          const server = await build({
            name: 'root',
            contentTypeParsers: ['text/x-json', 'application/y'].map((mediaType) => ({
              type: mediaType,
              options: { parseAs: 'string' },
              parse: (_request, body, done) => done(null, JSON.parse(body)),
            })),
            routes: [{ method: 'POST', path: '/', schema: declared, handler: (request) => ((isReached = true), request.body) }],
          })
          const reply = await server.inject({
            method: 'POST',
            url: '/',
            payload: isValid ? '{"n":1}' : '{"n":"x"}',
            headers: { 'content-type': type },
          })
          assert.equal(reply.statusCode, expected)
          assert.equal(isReached, expected === 200, 'the handler')
        },
      )
    }
  }
}
rule('Decision 4', 'a body without a content type is refused if there is a body schema', async (build) => {
  const server = await build({
    name: 'root',
    contentTypeParsers: [{ type: '*', options: { parseAs: 'string' }, parse: (_request, body, done) => done(null, body) }],
    routes: [
      { method: 'POST', path: '/schema', schema: { body: someBody }, handler: echo },
      { method: 'POST', path: '/none', handler: echo },
    ],
  })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const send = (path: string) => fetch(address + path, { method: 'POST', body: new TextEncoder().encode('{"n":1}') })
  assert.equal((await send('/schema')).status, 415)
  assert.deepEqual(await (await send('/none')).json(), { body: '{"n":1}', query: {}, params: {} })
})
rule('Decision 4', 'a route without a body schema accepts every body that its context can parse', async (build) => {
  const server = await build({ name: 'root', routes: [{ method: 'POST', path: '/', handler: echo }] })
  assert.equal(
    (await server.inject({ method: 'POST', url: '/', payload: 'hi', headers: { 'content-type': 'text/plain' } })).json().body,
    'hi',
  )
  assert.equal(
    (await server.inject({ method: 'POST', url: '/', payload: '<a/>', headers: { 'content-type': 'text/xml' } })).statusCode,
    415,
  )
})
rule('Decision 4', 'each media type of body.content is validated by its own schema', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'POST',
        path: '/',
        schema: {
          body: { content: { 'application/json': { schema: someBody }, 'text/plain': { schema: { type: 'string', maxLength: 3 } } } },
        },
        handler: echo,
      },
    ],
  })
  const send = (type: string, payload: string) => server.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': type } })
  assert.equal((await send('application/json', '{"n":1}')).statusCode, 200)
  assert.equal((await send('application/json', '"abc"')).statusCode, 400)
  assert.equal((await send('text/plain', 'abc')).statusCode, 200)
  assert.equal((await send('text/plain', 'abcd')).json().message, 'body should NOT have more than 3 characters')
})
rule('Decision 4', 'a media type twice in body.content, or without a schema, fails the boot', async (build) => {
  const boot = async (content: object) =>
    (await build({ name: 'root', routes: [{ method: 'POST', path: '/', schema: { body: { content } }, handler: echo }] })).ready()
  await assert.rejects(() => boot({ 'text/x': { schema: {} }, 'Text/X; a=b': { schema: {} } }), { code: 'ALC_ERR_SCH_DUPLICATE' })
  await assert.rejects(() => boot({ 'text/x': {} }), { code: 'ALC_ERR_SCH_CONTENT_MISSING_SCHEMA' })
})
for (const [type, result] of [
  ['string', 400],
  ['integer', 400],
  ['boolean', 400],
  ['number', 400],
  ['array', 400],
  ['object', 400],
  ['null', 200],
] as const) {
  rule(
    'Decision 8',
    `a missing body is ${type === 'null' ? 'accepted if null is allowed' : `not coerced to a value of type ${type}`}`,
    async (build) => {
      const server = await build({
        name: 'root',
        routes: [{ method: 'POST', path: '/', schema: { body: { type } }, handler: () => ({ ok: true }) }],
      })
      assert.equal((await server.inject({ method: 'POST', url: '/' })).statusCode, result)
    },
  )
}

// ---- querystring and query ----

for (const key of ['querystring', 'query']) {
  rule('Route schema, querystring', `${key} validates the query string`, async (build) => {
    const server = await build({
      name: 'root',
      routes: [{ method: 'GET', path: '/', schema: { [key]: { type: 'object', properties: { n: { type: 'integer' } } } }, handler: echo }],
    })
    assert.deepEqual((await server.inject('/?n=5')).json().query, { n: 5 })
    assert.equal((await server.inject('/?n=x')).json().message, 'querystring/n should be integer')
  })
}
rule('Route schema, querystring', 'both query and querystring, if they differ, fail the boot', async (build) => {
  const schema = { query: { a: { type: 'string' } }, querystring: { b: { type: 'string' } } }
  const server = await build({ name: 'root', routes: [{ method: 'GET', path: '/', schema, handler: echo }] })
  await assert.rejects(async () => server.ready(), {
    code: 'ALC_ERR_SCH_DUPLICATE',
    message: /Schema with 'querystring' already present!$/,
  })
})
rule('Route schema, querystring', 'a schema object may be used by many routes, and is not changed', async (build) => {
  const schema = {
    query: { n: { type: 'integer' } },
    response: { 200: { query: { type: 'object', properties: { n: { type: 'integer' } } } } },
  }
  const copy = structuredClone(schema)
  const server = await build({ name: 'root', routes: ['/a', '/b'].map((path) => ({ method: 'GET', path, schema, handler: echo })) })
  for (const path of ['/a', '/b']) {
    assert.deepEqual((await server.inject(`${path}?n=5`)).json(), { query: { n: 5 } })
    assert.equal((await server.inject(`${path}?n=x`)).statusCode, 400)
  }
  assert.deepEqual(schema, copy)
})
rule('Route schema, querystring', 'the alias works on a route / with a prefix, which answers with and without the slash', async (build) => {
  const server = await build({
    name: 'root',
    imports: [
      { name: 'child', prefix: '/p', routes: [{ method: 'GET', path: '/', schema: { query: { n: { type: 'integer' } } }, handler: echo }] },
    ],
  })
  for (const path of ['/p', '/p/']) {
    assert.deepEqual((await server.inject(`${path}?n=5`)).json().query, { n: 5 })
    assert.equal((await server.inject(`${path}?n=x`)).statusCode, 400)
  }
})
for (const part of ['body', 'querystring', 'params', 'headers']) {
  rule('Route schema 1', `the schema false in ${part} refuses everything, true nothing`, async (build) => {
    const server = await build({
      name: 'root',
      routes: [false, true].map((schema) => ({ method: 'POST', path: `/${schema}/:id`, schema: { [part]: schema }, handler: () => ({}) })),
    })
    const status = async (url: string): Promise<number> => (await server.inject({ method: 'POST', url, payload: {} })).statusCode
    assert.deepEqual([await status('/false/1?a=1'), await status('/true/1?a=1')], [400, 200])
  })
}
ruleOfServer('Decision 11', 'the route options that an onRoute hook kept have the complete schemas after the boot', async (create) => {
  const server = create()
  const kept: any[] = []
  server.addHook('onRoute', (options) => void kept.push(options))
  server.get(
    '/',
    { exposeHeadRoute: false, schema: { query: { n: { type: 'integer' } }, response: { 200: { n: { type: 'integer' } } } } },
    async (request) => [request.routeOptions.schema === kept[0].schema] as never,
  )
  await server.ready()
  const complete = { type: 'object', properties: { n: { type: 'integer' } } }
  assert.deepEqual(kept[0].schema.querystring, complete)
  assert.deepEqual(kept[0].schema.response[200], complete)
})

// ---- params ----

rule('Route schema, params', 'params validates and coerces the path parameters', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      { method: 'GET', path: '/:id/:kind', schema: { params: { id: { type: 'integer' }, kind: { enum: ['a', 'b'] } } }, handler: echo },
    ],
  })
  assert.deepEqual((await server.inject('/7/a')).json().params, { id: 7, kind: 'a' })
  assert.equal((await server.inject('/x/a')).json().message, 'params/id should be integer')
  assert.equal((await server.inject('/7/c')).json().message, 'params/kind should be equal to one of the allowed values')
})

// ---- headers in every case ----

const headerSchemas: Record<string, (name: string) => object> = {
  'a shorthand': (name) => ({ [name]: { type: 'integer' } }),
  properties: (name) => ({ type: 'object', properties: { [name]: { type: 'integer' } } }),
  'a shared schema behind $ref': () => ({ $ref: 'headers#' }),
  'a definition behind $ref': (name) => ({
    $ref: '#/definitions/h',
    definitions: { h: { type: 'object', properties: { [name]: { type: 'integer' } } } },
  }),
  allOf: (name) => ({ type: 'object', allOf: [{ properties: { [name]: { type: 'integer' } } }] }),
  'anyOf in allOf': (name) => ({ type: 'object', allOf: [{ anyOf: [{ properties: { [name]: { type: 'integer' } } }] }] }),
  'a $ref with siblings': (name) => ({
    type: 'object',
    $ref: '#/definitions/h',
    required: [name],
    definitions: { h: { properties: { [name]: { type: 'integer' } } } },
  }),
}
for (const [form, schema] of Object.entries(headerSchemas)) {
  for (const name of ['x-count', 'X-Count', 'X-COUNT']) {
    rule('Route schema, headers', `${form} that names ${name} finds the header in any case`, async (build) => {
      const server = await build(
        {
          name: 'root',
          schemas: [{ $id: 'headers', type: 'object', properties: { [name]: { type: 'integer' } } }],
          routes: [
            {
              method: 'GET',
              path: '/',
              schema: { headers: schema(name) },
              handler: (request: any) => ({ count: request.headers['x-count'] }),
            },
          ],
        },
        { jsv: { customOptions: { strictTypes: false, strictRequired: false } } },
      )
      for (const sent of ['x-count', 'X-Count', 'X-COUNT']) {
        assert.deepEqual((await server.inject({ url: '/', headers: { [sent]: '12' } })).json(), { count: 12 })
        const reply = await server.inject({ url: '/', headers: { [sent]: 'x' } })
        assert.equal(reply.statusCode, 400)
        assert.match(reply.json().message, /^headers\/x-count should be integer/)
      }
    })
  }
}
const demands: Record<string, object> = {
  required: { type: 'object', required: ['X-Two'] },
  'dependencies (list)': { type: 'object', dependencies: { 'X-One': ['X-Two'] } },
  'dependencies (schema)': { type: 'object', dependencies: { 'X-One': { required: ['X-Two'] } } },
  'if and then': { type: 'object', if: { required: ['X-One'] }, then: { required: ['X-Two'] } },
  'if and else': { type: 'object', if: { not: { required: ['X-One'] } }, else: { required: ['X-Two'] } },
  not: { type: 'object', not: { allOf: [{ required: ['X-One'] }, { not: { required: ['X-Two'] } }] } },
  oneOf: { type: 'object', oneOf: [{ required: ['X-Two'] }, { required: ['X-Never'] }] },
  'required of a shared schema': { $ref: 'two#' },
  'required beside a $ref': { $ref: 'one#', required: ['X-Two'] },
  'a $ref inside allOf': { type: 'object', allOf: [{ $ref: 'one#' }, { $ref: 'two#' }] },
}
for (const [form, headers] of Object.entries(demands)) {
  rule('Route schema, headers', `names in ${form} are matched in any case`, async (build) => {
    const server = await build(
      {
        name: 'root',
        schemas: [
          { $id: 'one', type: 'object', required: ['X-One'] },
          { $id: 'two', type: 'object', required: ['X-Two'] },
        ],
        routes: [{ method: 'GET', path: '/', schema: { headers }, handler: () => ({}) }],
      },
      { jsv: { customOptions: { strictTypes: false, strictRequired: false } } },
    )
    const status = async (sent: Record<string, string>) => (await server.inject({ url: '/', headers: sent })).statusCode
    assert.equal(await status({ 'x-one': '1', 'X-TWO': '2' }), 200)
    assert.equal(await status({ 'x-one': '1' }), 400)
  })
}
rule('Route schema, headers', 'the raw request keeps the headers that the client sent', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { headers: { type: 'object', properties: { 'X-N': { type: 'integer' }, 'X-D': { type: 'string', default: 'd' } } } },
        handler: (request: any) => [
          request.headers['x-n'],
          request.headers['x-d'],
          request.raw.headers['x-n'],
          request.raw.headers['x-d'] ?? null,
        ],
      },
    ],
  })
  assert.deepEqual((await server.inject({ url: '/', headers: { 'X-N': '1' } })).json(), [1, 'd', '1', null])
})

// ---- shorthand ----

async function boots(build: Build, part: string, schema: object, options = {}): Promise<any> {
  const method = part === 'body' ? 'POST' : 'GET'
  const server = await build(
    { name: 'root', routes: [{ method, path: '/:n', schema: { [part]: schema }, handler: () => ({ ok: true }) }] },
    options,
  )
  await server.ready()
  return server
}
async function statusOf(server: any, part: string, n: unknown): Promise<number> {
  const request: any = { method: 'GET', url: '/1' }
  if (part === 'params') request.url = `/${n}`
  if (part === 'querystring') request.query = { n }
  if (part === 'headers') request.headers = { n }
  if (part === 'body') Object.assign(request, { method: 'POST', payload: { n } })
  return (await server.inject(request)).statusCode
}
for (const part of ['body', 'querystring', 'params', 'headers']) {
  for (const [form, schema] of Object.entries({
    complete: { type: 'object', properties: { n: { type: 'integer' } } },
    shorthand: { n: { type: 'integer' } },
    'complete without type': { properties: { n: { type: 'integer' } } },
    'shorthand with a default': { n: { type: 'integer', default: 1 } },
  })) {
    rule('Route schema 1', `${part} accepts the ${form} form`, async (build) => {
      const server = await boots(build, part, schema, { jsv: { customOptions: { strictTypes: false } } })
      assert.equal(await statusOf(server, part, 5), 200)
      assert.equal(await statusOf(server, part, 'x'), 400)
    })
  }
  rule('Decision 12', `with jsonShorthand off ${part} must be complete`, async (build) => {
    await assert.rejects(() => boots(build, part, { n: { type: 'integer' } }, { jsonShorthand: false }), {
      code: 'ALC_ERR_SCH_VALIDATION_BUILD',
    })
    const server = await boots(build, part, { type: 'object', properties: { n: { type: 'integer' } } }, { jsonShorthand: false })
    assert.equal(await statusOf(server, part, 'x'), 400)
  })
}
for (const [keyword, schema, good, bad] of [
  ['$ref', { $ref: 'shared#' }, { n: 1 }, { n: 'x' }],
  ['oneOf', { oneOf: [{ type: 'object', required: ['n'] }] }, { n: 1 }, {}],
  ['anyOf', { anyOf: [{ type: 'object', required: ['n'] }] }, { n: 1 }, {}],
  ['allOf', { allOf: [{ type: 'object', required: ['n'] }] }, { n: 1 }, {}],
  ['not', { not: { required: ['n'] } }, {}, { n: 1 }],
  ['if', { if: { required: ['n'] }, then: { required: ['m'] } }, {}, { n: 1 }],
  ['const', { const: { n: 1 } }, { n: 1 }, { n: 2 }],
  ['enum', { enum: [{ n: 1 }] }, { n: 1 }, { n: 2 }],
  ['required', { required: ['n'] }, { n: 1 }, {}],
  ['type', { type: 'array', items: { type: 'integer' } }, [1], ['x']],
] as [string, object, object, object][]) {
  rule('Decision 12', `a schema with ${keyword} is complete, not a shorthand`, async (build) => {
    const server = await build(
      {
        name: 'root',
        schemas: [{ $id: 'shared', type: 'object', properties: { n: { type: 'integer' } } }],
        routes: [{ method: 'POST', path: '/', schema: { body: schema }, handler: () => ({}) }],
      },
      { jsv: { customOptions: { strictTypes: false, strictRequired: false, coerceTypes: false } } },
    )
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: good })).statusCode, 200)
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: bad })).statusCode, 400)
  })
}
rule('Decision 12', 'a parameter named like a keyword works in the complete form', async (build) => {
  const server = await boots(build, 'querystring', { type: 'object', properties: { type: { type: 'integer' }, enum: { type: 'integer' } } })
  assert.equal((await server.inject('/1?type=1&enum=2')).statusCode, 200)
  assert.equal((await server.inject('/1?type=x')).statusCode, 400)
})
