/** The default validator: the baseline options, the common keywords, and values that never reach a handler. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { InjectOptions, ServerOptions } from 'alcove/lib'
import type { ContextSpec, RouteSpec } from './faces.js'
import { rule } from './rule.js'

const require = createRequire(import.meta.url)

const echo: RouteSpec['handler'] = ({ body, query, params, headers }: any) => ({ body, query, params, headers })
const app = (schema: object, extra: Partial<RouteSpec> = {}): ContextSpec => ({
  name: 'root',
  routes: [{ method: 'POST', path: '/:id', schema: schema as never, handler: echo, ...extra }],
})
const object = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest })

// ---- 1: which bodies are validated ----

rule('Validation behavior 1', 'a JSON body is validated', async (build) => {
  const server = await build(app({ body: object({ n: { type: 'integer' } }) }))
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 'x' } })).statusCode, 400)
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 1 } })).statusCode, 200)
})
const csv: NonNullable<ContextSpec['contentTypeParsers']>[number] = {
  type: 'text/csv',
  options: { parseAs: 'string' },
  parse: (_request, body, done) => done(null, { n: body }),
}
const withCsvRoute = (onReached: () => unknown): ContextSpec =>
  app({ body: object({ n: { type: 'integer' } }) }, { handler: (request) => (onReached(), request.body) })
const postCsv = (payload: string): InjectOptions => ({ method: 'POST', url: '/1', payload, headers: { 'content-type': 'text/csv' } })

rule('Validation behavior 1', 'a body of another type is not validated, and therefore refused before the handler', async (build) => {
  for (const type of ['text/csv', '*']) {
    let isReached = false
    const below = { ...withCsvRoute(() => (isReached = true)), name: 'below' }
    const server = await build({ name: 'root', contentTypeParsers: [{ ...csv, type }], imports: [below] })
    const reply = await server.inject(postCsv('5'))
    assert.deepEqual([reply.statusCode, isReached], [415, false])
    assert.equal(reply.json().code, 'ALC_ERR_CTP_INVALID_MEDIA_TYPE')
  }
})
rule('Validation behavior 1', 'a body of a type for which the context of the route itself has a parser is validated', async (build) => {
  let count = 0
  const server = await build({ ...withCsvRoute(() => count++), contentTypeParsers: [csv] })
  assert.equal((await server.inject(postCsv('x'))).statusCode, 400)
  assert.deepEqual((await server.inject(postCsv('5'))).json(), { n: 5 })
  assert.equal(count, 1)
})
rule('Validation behavior 1', 'so is one for which a shared plugin has added a parser to the context of the route', async (build) => {
  let count = 0
  const shared: ContextSpec = { name: 'shared', shared: true, contentTypeParsers: [csv] }
  const server = await build({ ...withCsvRoute(() => count++), imports: [shared] })
  assert.equal((await server.inject(postCsv('x'))).statusCode, 400)
  assert.deepEqual((await server.inject(postCsv('5'))).json(), { n: 5 })
  assert.equal(count, 1)
})
rule('Validation behavior 1', 'a route of a shared plugin has the parsers of the context that it is declared in', async (build) => {
  let count = 0
  const shared: ContextSpec = { ...withCsvRoute(() => count++), name: 'shared', shared: true }
  const server = await build({ name: 'root', contentTypeParsers: [csv], imports: [shared] })
  assert.equal((await server.inject(postCsv('x'))).statusCode, 400)
  assert.deepEqual((await server.inject(postCsv('5'))).json(), { n: 5 })
  assert.equal(count, 1)
})
rule('Validation behavior 1', 'a parser that a shared plugin added to an outer context does not count', async (build) => {
  const shared: ContextSpec = { name: 'shared', shared: true, contentTypeParsers: [csv] }
  const inner: ContextSpec = { ...withCsvRoute(() => assert.fail()), name: 'inner' }
  const server = await build({ name: 'root', imports: [shared, inner] })
  assert.equal((await server.inject(postCsv('5'))).statusCode, 415)
})
rule('Validation behavior 1', 'a parser of the plugin for any type does not let bodies past the schema', async (build) => {
  const server = await build({ ...withCsvRoute(() => assert.fail()), contentTypeParsers: [{ ...csv, type: '*' }] })
  assert.equal((await server.inject(postCsv('5'))).statusCode, 415)
})
rule('Validation behavior 1', 'a text is validated by a body schema for strings', async (build) => {
  const server = await build(app({ body: { type: 'string', maxLength: 3 } }, { handler: (request) => request.body }))
  const send = (payload: string) => server.inject({ method: 'POST', url: '/1', payload, headers: { 'content-type': 'text/plain' } })
  assert.equal((await send('abc')).body, 'abc')
  assert.equal((await send('abcd')).statusCode, 400)
})
rule('Validation behavior 1', 'the other parts are validated for every content type', async (build) => {
  const server = await build(app({ querystring: object({ n: { type: 'integer' } }) }))
  for (const type of ['application/json', 'text/plain']) {
    const reply = await server.inject({ method: 'POST', url: '/1?n=x', payload: '"x"', headers: { 'content-type': type } })
    assert.equal(reply.statusCode, 400)
  }
})

// ---- 2 ----

for (const id of ['Validation behavior 2', 'Versioning 2'] as const) {
  rule(id, `the default engine is ajv 8 (${id})`, async (build) => {
    let engine: any
    const server = await build(app({ body: object({}) }), { jsv: { onCreate: (jsv) => void (engine = jsv) } })
    await server.ready()
    assert.match(require('ajv/package.json').version, /^8\./)
    assert.ok(engine instanceof require('ajv').Ajv)
  })
}
rule('Validation behavior 2', 'every schema is compiled separately', async (build) => {
  const server = await build({
    name: 'root',
    routes: ['a', 'b'].map((name) => ({
      method: 'GET',
      path: `/${name}`,
      schema: { querystring: { n: { const: name } } },
      handler: () => ({}),
    })),
  })
  assert.equal((await server.inject('/a?n=a')).statusCode, 200)
  assert.equal((await server.inject('/a?n=b')).statusCode, 400)
  assert.equal((await server.inject('/b?n=b')).statusCode, 200)
})

// ---- 3: the baseline ----

const coercions: [schema: object, sent: string, seen: unknown][] = [
  [{ type: 'integer' }, 'v=12', 12],
  [{ type: 'number' }, 'v=1.5', 1.5],
  [{ type: 'boolean' }, 'v=true', true],
  [{ type: 'boolean' }, 'v=false', false],
  [{ type: 'null' }, 'v=', null],
  [{ type: 'string' }, 'v=12', '12'],
  [{ type: ['integer', 'string'] }, 'v=x', 'x'],
  [{ type: 'array', items: { type: 'string' } }, 'v=one', ['one']],
  [{ type: 'array', items: { type: 'string' } }, 'v=one&v=two', ['one', 'two']],
  [{ type: 'array', items: { type: 'integer' } }, 'v=1', [1]],
  [{ type: 'array', items: { type: 'integer' } }, 'v=1&v=2', [1, 2]],
]
for (const [schema, sent, seen] of coercions) {
  rule(
    'Validation behavior 3, coerceTypes',
    `the query ?${sent} becomes ${JSON.stringify(seen)} by ${JSON.stringify(schema)}`,
    async (build) => {
      const server = await build(app({ querystring: object({ v: schema }) }))
      assert.deepEqual((await server.inject({ method: 'POST', url: `/1?${sent}`, payload: {} })).json().query, { v: seen })
    },
  )
}
rule('Validation behavior 3, coerceTypes', 'a single query value becomes a one-element array of strings', async (build) => {
  const server = await build(app({ querystring: { ids: { type: 'array', default: [], items: { type: 'string' } } } }))
  const ids = async (query: string): Promise<unknown> =>
    (await server.inject({ method: 'POST', url: `/1${query}`, payload: {} })).json().query.ids
  assert.deepEqual([await ids('?ids=1'), await ids('?ids=1&ids=2'), await ids('')], [['1'], ['1', '2'], []])
})
for (const [name, schema, sent, seen] of [
  ['text to a number', { type: 'integer' }, '12', 12],
  ['a value to an array', { type: 'array', items: { type: 'integer' } }, 5, [5]],
  ['an array to its one value', { type: 'integer' }, [5], 5],
  ['a number to text', { type: 'string' }, 5, '5'],
] as [string, object, unknown, unknown][]) {
  rule('Decision 8', `the handler receives the coerced body itself: ${name}`, async (build) => {
    const server = await build(app({ body: schema }))
    const reply = await server.inject({
      method: 'POST',
      url: '/1',
      payload: JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
    })
    assert.deepEqual(reply.json().body, seen)
  })
}
rule('Validation behavior 3, useDefaults', 'missing properties and items take their default, in every part', async (build) => {
  const withDefault = object({ d: { type: 'string', default: 'x' } })
  const server = await build(
    app({
      body: object({
        d: { type: 'string', default: 'x' },
        list: { type: 'array', items: [{ type: 'integer', default: 7 }], minItems: 1, maxItems: 1 },
      }),
      querystring: withDefault,
      params: withDefault,
      headers: withDefault,
    }),
    { jsv: { customOptions: { strictTuples: false } } },
  )
  const { body, query, params, headers } = (await server.inject({ method: 'POST', url: '/1', payload: { list: [] } })).json()
  assert.deepEqual([body, query.d, params.d, headers.d], [{ d: 'x', list: [7] }, 'x', 'x', 'x'])
})
rule(
  'Validation behavior 3, removeAdditional',
  'extra properties are removed if additionalProperties is false, and kept if not',
  async (build) => {
    const server = await build(
      app({
        body: object(
          { closed: object({ a: {} }, { additionalProperties: false }), open: object({ a: {} }) },
          { additionalProperties: false },
        ),
      }),
    )
    const payload = { closed: { a: 1, b: 2 }, open: { a: 1, b: 2 }, extra: 1 }
    assert.deepEqual((await server.inject({ method: 'POST', url: '/1', payload })).json().body, { closed: { a: 1 }, open: { a: 1, b: 2 } })
  },
)
rule('Validation behavior 3, uriResolver', 'relative references are resolved against the $id of their schema', async (build) => {
  let engine: any
  const server = await build(
    {
      ...app({ body: object({ n: { $ref: 'http://example.com/a/first.json#' } }) }),
      schemas: [
        { $id: 'http://example.com/a/first.json', $ref: '../b/second.json#/definitions/n' },
        { $id: 'http://example.com/b/second.json', definitions: { n: { type: 'integer', maximum: 9 } } },
      ],
    },
    { jsv: { onCreate: (jsv) => void (engine = jsv) } },
  )
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 9 } })).statusCode, 200)
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 10 } })).statusCode, 400)
  assert.equal(engine.opts.uriResolver, require('fast-uri'))
})
rule('Validation behavior 3, addUsedSchema', 'two routes may use different schemas with the same $id', async (build) => {
  const route = (path: string, maximum: number): RouteSpec => ({
    method: 'POST',
    path,
    schema: { body: { $id: 'same', ...object({ n: { type: 'integer', maximum } }) } },
    handler: () => ({}),
  })
  const server = await build({ name: 'root', routes: [route('/a', 1), route('/b', 2)] })
  const status = async (url: string): Promise<number> => (await server.inject({ method: 'POST', url, payload: { n: 2 } })).statusCode
  assert.deepEqual([await status('/a'), await status('/b')], [400, 200])
})
for (const id of ['Validation behavior 3, allErrors', 'Limits 1'] as const) {
  rule(id, `one error is reported, not all (${id})`, async (build) => {
    const spec = app({ body: object({ a: { type: 'integer' }, b: { type: 'integer' } }) })
    const message = async (options?: ServerOptions): Promise<string> =>
      (await (await build(spec, options)).inject({ method: 'POST', url: '/1', payload: { a: 'x', b: 'x' } })).json().message
    assert.equal(await message(), 'body/a should be integer')
    assert.equal(await message({ jsv: { customOptions: { allErrors: true } } }), 'body/a should be integer, body/b should be integer')
  })
}
rule('Validation behavior 4', 'each baseline option can be changed', async (build) => {
  const schema = { body: object({ n: { type: 'integer', default: 1 } }, { additionalProperties: false }) }
  const reply = async (customOptions: object, payload: object) => {
    const answer = await (await build(app(schema), { jsv: { customOptions } })).inject({ method: 'POST', url: '/1', payload })
    return answer.statusCode === 200 ? answer.json().body : answer.statusCode
  }
  assert.deepEqual(await reply({}, { n: '2', x: 1 }), { n: 2 })
  assert.deepEqual(await reply({ coerceTypes: false }, { n: '2' }), 400)
  assert.deepEqual(await reply({ removeAdditional: false }, { n: 2, x: 1 }), 400)
  assert.deepEqual(await reply({ useDefaults: false }, {}), {})
})

// ---- 7: the keywords, in every part ----

const keywords: [name: string, schema: object, good: unknown, bad: unknown][] = [
  ['type', { type: 'integer' }, 1, 'x'],
  ['an array of types', { type: ['integer', 'boolean'] }, true, 'x'],
  ['nullable', { type: 'integer', nullable: true }, 1, 'x'],
  ['maxItems', { type: 'array', maxItems: 2 }, [1, 2], [1, 2, 3]],
  ['items', { type: 'array', items: { type: 'integer' } }, [1], ['x']],
  ['maxLength', { type: 'string', maxLength: 2 }, 'ab', 'abc'],
  ['minimum', { type: 'number', minimum: 3 }, 3, 2],
  [
    'oneOf',
    {
      oneOf: [
        { type: 'integer', maximum: 5 },
        { type: 'integer', minimum: 4 },
      ],
    },
    3,
    4,
  ],
  ['enum', { enum: ['a', 'b'] }, 'a', 'c'],
  ['not', { not: { const: 'a' } }, 'b', 'a'],
  ['pattern', { type: 'string', pattern: '^a+$' }, 'aa', 'b'],
]
for (const [name, schema, good, bad] of keywords) {
  for (const part of ['body', 'querystring', 'params', 'headers'] as const) {
    // A path parameter or a header cannot carry a list.
    if (Array.isArray(good) && (part === 'params' || part === 'headers')) continue
    rule('Validation behavior 7', `${name} works in ${part}`, async (build) => {
      const key = part === 'params' ? 'id' : 'v'
      const server = await build(app({ [part]: object({ [key]: schema }) }), {
        jsv: { customOptions: { allowUnionTypes: true, strictTypes: false } },
      })
      const status = async (v: any): Promise<number> =>
        (
          await server.inject({
            method: 'POST',
            url: part === 'params' ? `/${v}` : '/1',
            ...(part === 'querystring' && { query: { v } }),
            ...(part === 'headers' && { headers: { v: String(v) } }),
            payload: part === 'body' ? { v } : {},
          })
        ).statusCode
      assert.equal(await status(good), 200)
      assert.equal(await status(bad), 400)
    })
  }
}
for (const part of ['body', 'querystring', 'params', 'headers'] as const) {
  rule('Validation behavior 7', `required works in ${part}`, async (build) => {
    const server = await build(app({ [part]: { type: 'object', required: ['needed'] } }, { path: '/:id/:needed?' }))
    assert.equal(
      (await server.inject({ method: 'POST', url: '/1', payload: {} })).json().message,
      `${part} should have required property 'needed'`,
    )
  })
}
rule('Validation behavior 7', 'nullable lets null through', async (build) => {
  const server = await build(app({ body: object({ v: { type: 'object', nullable: true }, w: { type: 'object' } }) }))
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { v: null } })).statusCode, 200)
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { w: null } })).statusCode, 400)
})

// ---- numbers that are not finite ----

const unfit = ['Infinity', '-Infinity', '1e400', '-1e400', 'NaN', '1e309']
const numeric: Record<string, (type: string) => { schema: object; wrap: (v: unknown) => unknown; flat: boolean }> = {
  'a property': (type) => ({ schema: { type }, wrap: (v) => v, flat: true }),
  'a property with minimum and maximum': (type) => ({ schema: { type, minimum: -5, maximum: 5 }, wrap: (v) => v, flat: true }),
  'a property that may be null': (type) => ({ schema: { type: [type, 'null'] }, wrap: (v) => v, flat: true }),
  'a nullable property': (type) => ({ schema: { type, nullable: true }, wrap: (v) => v, flat: true }),
  'a property behind $ref': (type) => ({ schema: { $ref: `${type}#` }, wrap: (v) => v, flat: true }),
  'a definition behind $ref': (type) => ({ schema: { $ref: `defs#/definitions/${type}` }, wrap: (v) => v, flat: true }),
  anyOf: (type) => ({ schema: { anyOf: [{ type }, { type: 'boolean' }] }, wrap: (v) => v, flat: true }),
  oneOf: (type) => ({ schema: { oneOf: [{ type }, { type: 'boolean' }] }, wrap: (v) => v, flat: true }),
  allOf: (type) => ({ schema: { allOf: [{ type }] }, wrap: (v) => v, flat: true }),
  'an array': (type) => ({ schema: { type: 'array', items: { type } }, wrap: (v) => [v], flat: false }),
  'a nested object': (type) => ({ schema: object({ inner: { type } }), wrap: (v) => ({ inner: v }), flat: false }),
  additionalProperties: (type) => ({
    schema: { type: 'object', additionalProperties: { type } },
    wrap: (v) => ({ inner: v }),
    flat: false,
  }),
}
for (const type of ['integer', 'number']) {
  for (const [place, make] of Object.entries(numeric)) {
    const { schema, wrap, flat } = make(type)
    for (const part of ['body', 'querystring', 'params', 'headers'] as const) {
      if (!flat && part !== 'body' && !(part === 'querystring' && place === 'an array')) continue
      rule('Decision 8', `no ${type} that is not finite reaches the handler through ${place} of ${part}`, async (build) => {
        const seen: unknown[] = []
        const key = part === 'params' ? 'id' : 'v'
        const server = await build(
          {
            ...app(
              { [part]: object({ [key]: schema }) },
              {
                handler: (request: any) => {
                  seen.push({ body: request.body, querystring: request.query, params: request.params, headers: request.headers }[part][key])
                  return {}
                },
              },
            ),
            schemas: [
              { $id: type, type },
              { $id: 'defs', definitions: { [type]: { type } } },
            ],
          },
          { jsv: { customOptions: { allowUnionTypes: true, strictTypes: false } } },
        )
        const send = (v: string, raw?: string) =>
          server.inject({
            method: 'POST',
            url: part === 'params' ? `/${v}` : '/1',
            ...(part === 'querystring' && { query: { v } }),
            headers: { 'content-type': 'application/json', ...(part === 'headers' && { v }) },
            payload: part === 'body' ? `{"v":${raw ?? JSON.stringify(wrap(v))}}` : '{}',
          })
        for (const v of unfit) assert.equal((await send(v)).statusCode, 400, v)
        // JSON itself can contain such a number.
        if (part === 'body')
          assert.equal((await send('', JSON.stringify(wrap(0)).replace('0', '1e400'))).statusCode, 400, 'a literal 1e400')
        assert.deepEqual(seen, [])
        assert.equal((await send('3')).statusCode, 200)
        assert.deepEqual(seen, [part === 'querystring' && place === 'an array' ? [3] : wrap(3)])
      })
    }
  }
}
for (const type of ['integer', 'number']) {
  rule('Decision 8', `a body that is itself a ${type} must be finite`, async (build) => {
    const server = await build(app({ body: { type } }))
    const status = async (payload: string): Promise<number> =>
      (await server.inject({ method: 'POST', url: '/1', payload, headers: { 'content-type': 'application/json' } })).statusCode
    for (const v of unfit) assert.equal(await status(JSON.stringify(v)), 400)
    assert.equal(await status('1e400'), 400)
    assert.equal(await status('3'), 200)
  })
}
rule('Decision 8', 'the message says that the number must be finite', async (build) => {
  const server = await build(app({ querystring: object({ n: { type: 'number' } }) }))
  assert.equal(
    (await server.inject({ method: 'POST', url: '/1?n=Infinity', payload: {} })).json().message,
    'querystring/n should be a finite number',
  )
})

// ---- order ----

rule('Decision 6', 'params are validated before the body, that before the query string, that before the headers', async (build) => {
  const bad = { type: 'object', required: ['missing'] }
  const order = ['params', 'body', 'querystring', 'headers']
  for (let from = 0; from < order.length; from++) {
    const server = await build(app(Object.fromEntries(order.slice(from).map((part) => [part, bad])), { path: '/:id/:missing?' }))
    assert.match((await server.inject({ method: 'POST', url: '/1', payload: {} })).json().message, new RegExp(`^${order[from]} `))
  }
})

// ---- bodies that are taken as they were sent ----

const exact = { coerceBodies: false }
const price = { type: 'object', required: ['price'], properties: { price: { type: 'integer' } } }
const priced = (path: string, body: object = price, rest: object = {}): RouteSpec => ({
  method: 'POST',
  path,
  schema: { body, params: { type: 'object', properties: { id: { type: 'integer' } } }, ...rest } as never,
  handler: echo,
})
const formParser: NonNullable<ContextSpec['contentTypeParsers']>[number] = {
  type: 'application/x-www-form-urlencoded',
  options: { parseAs: 'string' },
  parse: (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(text as string))),
}
const post = (url: string, payload: string | object, headers = {}): InjectOptions => ({ method: 'POST', url, payload, headers })

rule(
  'Validation behavior 3, coerceTypes',
  'with coerceBodies: false a value of another type is refused; params are coerced',
  async (build) => {
    const server = await build({ name: 'root', schemaController: exact, routes: [priced('/:id')] })
    const reply = await server.inject(post('/1', { price: 1 }))
    assert.deepEqual([reply.json().params, reply.json().body], [{ id: 1 }, { price: 1 }])
    for (const sent of [null, '1', true, [1]]) {
      const refused = await server.inject(post('/1', { price: sent }))
      assert.deepEqual([refused.statusCode, refused.json().message], [400, 'body/price should be integer'])
    }
  },
)
rule('Validation behavior 3, coerceTypes', 'so are values of alternatives, and unlisted properties are removed', async (build) => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'boolean' }] }
  const body = { type: 'object', additionalProperties: false, properties: { price: either } }
  const server = await build({ name: 'root', schemaController: exact, routes: [priced('/', body)] })
  assert.deepEqual((await server.inject(post('/', { price: true, more: 1 }))).json().body, { price: true })
  assert.equal((await server.inject(post('/', { price: 'true', more: 1 }))).statusCode, 400)
})
rule(
  'Validation behavior 3, coerceTypes',
  'it holds below, also with other shared schemas, until a context says otherwise',
  async (build) => {
    const server = await build({
      name: 'root',
      routes: [priced('/beside')],
      imports: [
        {
          name: 'outer',
          schemaController: exact,
          imports: [
            { name: 'below', schemas: [{ $id: 'price', ...price }], routes: [priced('/below', { $ref: 'price#' })] },
            { name: 'again', schemaController: { coerceBodies: true }, routes: [priced('/again')] },
          ],
        },
      ],
    })
    const statuses = []
    for (const url of ['/beside', '/below', '/again']) statuses.push((await server.inject(post(url, { price: null }))).statusCode)
    assert.deepEqual(statuses, [200, 400, 200])
  },
)
rule('Validation behavior 3, coerceTypes', 'forms consist of texts, and are coerced with coerceBodies: false too', async (build) => {
  const form = formParser.type as string
  const content = { content: { 'application/json': { schema: price }, [form]: { schema: price } } }
  const server = await build({
    name: 'root',
    schemaController: exact,
    contentTypeParsers: [formParser],
    routes: [priced('/own'), priced('/listed', price, { consumes: [form] }), priced('/content', content)],
  })
  for (const url of ['/own', '/listed', '/content']) {
    assert.deepEqual((await server.inject(post(url, 'price=1', { 'content-type': form }))).json().body, { price: 1 })
    assert.equal((await server.inject(post(url, 'price=x', { 'content-type': form }))).statusCode, 400)
    assert.equal((await server.inject(post(url, { price: '1' }))).statusCode, 400)
  }
})
rule('Validation behavior 3, coerceTypes', 'request.validateInput takes bodies as they were sent too', async (build) => {
  const handler: RouteSpec['handler'] = (request) => request.validateInput({ price: '1' }, price, 'body')
  const routes = ['root', 'child'].map((path): RouteSpec => ({ method: 'GET', path: `/${path}`, handler }))
  const server = await build({
    name: 'root',
    routes: [routes[0]!],
    imports: [{ name: 'child', schemaController: exact, routes: [routes[1]!] }],
  })
  assert.deepEqual([(await server.inject('/root')).body, (await server.inject('/child')).body], ['true', 'false'])
})
rule('Validation behavior 3, coerceTypes', 'a coerceBodies that is no boolean, or is misspelt, is refused', async (build) => {
  for (const wrong of [{ coerceBodies: 'no' }, { coerceBodys: false }]) {
    const server = build({ name: 'root', schemaController: wrong as never })
    await assert.rejects(
      server.then((built) => built.ready()),
      /schemaController.*an object of coerceBodies \(a boolean\), bucket \(a function\) and compilersFactory/is,
    )
  }
})
