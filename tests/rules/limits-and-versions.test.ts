/** Limits and versioning, and the helpers with which a handler validates values itself. */
import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import fp from 'fastify-plugin'
import { rule, ruleOfServer } from './rule.js'

rule('Limits 2', 'a route without $async schemas is validated without a promise', async (build) => {
  let result: unknown
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'GET',
        path: '/',
        schema: { querystring: { n: { type: 'integer' } } },
        handler: (request) => ((result = request.getValidationFunction('querystring')!({ n: 1 })), {}),
      },
    ],
  })
  await server.inject('/')
  assert.equal(result, true)
})
rule('Limits 3', 'a schema in a request is data: it is neither compiled nor resolved', async (build) => {
  const compiled: unknown[] = []
  const server = await build(
    {
      name: 'root',
      routes: [
        {
          method: 'POST',
          path: '/',
          schema: { body: { type: 'object' }, response: { 200: { type: 'object', additionalProperties: true } } },
          handler: (request) => request.body as never,
        },
      ],
    },
    {
      jsv: {
        onCreate(jsv) {
          const compile = jsv.compile.bind(jsv)
          jsv.compile = (schema: unknown) => (compiled.push(schema), compile(schema))
        },
      },
    },
  )
  await server.ready()
  const before = compiled.length
  const payload = { $id: 'x', $ref: 'http://example.com/evil.json', type: 'nonsense', properties: { a: { pattern: '(a+)+$' } } }
  const reply = await server.inject({ method: 'POST', url: '/', payload })
  assert.deepEqual([reply.statusCode, reply.json(), compiled.length], [200, payload, before])
})
rule('Limits 4', 'the body limit of the server, or of a route instead, is exact to the byte', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: [
        { method: 'POST', path: '/server', handler: () => ({}) },
        { method: 'POST', path: '/route', bodyLimit: 20, handler: () => ({}) },
      ],
    },
    { bodyLimit: 10 },
  )
  const status = async (url: string, bytes: number): Promise<number> =>
    (await server.inject({ method: 'POST', url, payload: `"${'x'.repeat(bytes - 2)}"`, headers: { 'content-type': 'application/json' } }))
      .statusCode
  assert.deepEqual(
    [await status('/server', 10), await status('/server', 11), await status('/route', 20), await status('/route', 21)],
    [200, 413, 200, 413],
  )
})
ruleOfServer('Versioning 1', 'the version is that of the 4.26 line', (create) => {
  assert.match(create().version, /^4\.26\./)
})
rule('Versioning 3', 'draft 7 keywords that draft 4 lacks work, and its ids are $id', async (build) => {
  const body = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { c: { const: 1 }, x: { type: 'number', exclusiveMinimum: 0 }, a: { type: 'array', contains: { const: 1 } } },
    propertyNames: { maxLength: 1 },
    if: { required: ['c'] },
    then: { required: ['x'] },
  }
  const server = await build(
    { name: 'root', routes: [{ method: 'POST', path: '/', schema: { body }, handler: () => ({}) }] },
    { jsv: { customOptions: { strictRequired: false, strictTypes: false } } },
  )
  const status = async (payload: object): Promise<number> => (await server.inject({ method: 'POST', url: '/', payload })).statusCode
  assert.deepEqual(
    await Promise.all([
      status({ c: 1, x: 1 }),
      status({ c: 2, x: 1 }),
      status({ c: 1 }),
      status({ x: 0 }),
      status({ a: [2] }),
      status({ long: 1 }),
    ]),
    [200, 400, 400, 400, 400, 400],
  )
})
for (const [range, isWelcome] of [
  ['4.x', true],
  ['^4.26.0', true],
  ['5.x', true],
  ['>=4.0.0', true],
  ['3.x', false],
  ['^4.27.0', false],
  ['6.x', false],
] as const) {
  ruleOfServer('Versioning 4', `a plugin for ${range} is ${isWelcome ? 'accepted' : 'refused'}`, async (create) => {
    const server = create()
    server.register(fp(async () => {}, { fastify: range, name: 'some-plugin' }))
    if (isWelcome) await server.ready()
    else await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_PLUGIN_VERSION_MISMATCH', message: /some-plugin/ })
  })
}
rule('Versioning 5', 'one path may have a route for each version, chosen by accept-version', async (build) => {
  const route = (version: string) => ({ method: 'GET', path: '/', constraints: { version }, handler: () => ({ version }) })
  const server = await build({ name: 'root', routes: [route('1.2.0'), route('2.0.0')] })
  const get = (version?: string) => server.inject({ url: '/', ...(version && { headers: { 'accept-version': version } }) })
  assert.deepEqual((await get('1.x')).json(), { version: '1.2.0' })
  assert.deepEqual((await get('2.0.0')).json(), { version: '2.0.0' })
  assert.equal((await get('3.x')).statusCode, 404)
  assert.equal((await get()).statusCode, 404)
})

// ---- validating in a handler ----

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const
ruleOfServer('Decision 10', 'a handler can validate any value with the schema of a part of its route or with its own', async (create) => {
  const server = create()
  server.post(
    '/:n',
    { schema: { body: schema, params: schema, query: { n: { type: 'integer' } }, headers: { 'x-n': { type: 'integer' } } } },
    (request) => {
      for (const part of ['body', 'params', 'query', 'querystring'] as const) {
        assert.equal(request.validateInput({ n: 1 }, part), true, part)
        assert.equal(request.validateInput({ n: 'x' }, part), false, part)
        const validate = request.getValidationFunction(part)!
        assert.equal(validate({ n: 'x' }), false)
        assert.equal(validate.errors![0]!.keyword, 'type')
      }
      assert.equal(request.validateInput({ 'x-n': 'x' }, 'headers'), false)
      const own = { type: 'object', properties: { a: { type: 'integer' } } }
      assert.equal(request.getValidationFunction(own), undefined)
      assert.equal(request.validateInput({ a: 'x' }, own), false)
      assert.equal(request.validateInput({ a: 1 }, own), true)
      assert.equal(request.compileValidationSchema(own), request.getValidationFunction(own), 'compiled once')
      return { ok: true }
    },
  )
  const reply = await server.inject({ method: 'POST', url: '/1', payload: { n: 1 } })
  assert.equal(reply.statusCode, 200)
})
ruleOfServer('Decision 10', 'validateInput without a schema or a validated part is an error', async (create) => {
  const server = create()
  server.get('/', (request) => {
    for (const target of ['body', 'query'] as const)
      assert.throws(() => request.validateInput({}, target), {
        code: 'ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION',
        message: new RegExp(`"${target}"`),
      })
    for (const target of [[], null, 1])
      assert.throws(() => request.validateInput({}, target as never), { code: 'ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION' })
    assert.equal(request.getValidationFunction('body'), undefined)
    return {}
  })
  assert.equal((await server.inject('/')).statusCode, 200)
})
ruleOfServer('Decision 10', 'compileValidationSchema uses the compiler of the context, with the given part', async (create) => {
  const server = create()
  const calls: any[] = []
  const engine = new Ajv()
  server.setValidatorCompiler((call) => (calls.push(call), engine.compile(call.schema)))
  const own = { type: 'integer' }
  server.get('/x', (request) => {
    const validate = request.compileValidationSchema(own, 'querystring')
    assert.deepEqual([validate(1), validate('1')], [true, false])
    return {}
  })
  assert.equal((await server.inject('/x?q')).statusCode, 200)
  assert.deepEqual(calls, [{ schema: own, method: 'GET', url: '/x?q', httpPart: 'querystring' }])
})
ruleOfServer('Decision 10', 'shared schemas can be referred to in a schema that a handler compiles', async (create) => {
  const server = create()
  server.addSchema({ $id: 'shared', type: 'integer' })
  server.get('/', (request) => [request.validateInput(1, { $ref: 'shared#' }), request.validateInput('x', { $ref: 'shared#' })])
  assert.deepEqual((await server.inject('/')).json(), [true, false])
})
ruleOfServer('Decision 10', 'the compilers of a context can be read after a route has needed them', async (create) => {
  const server = create()
  assert.equal(server.validatorCompiler, undefined)
  server.get('/', { schema: { querystring: schema, response: { 200: {} } } }, () => ({}))
  let child: any
  server.register(async (instance: any) => void (child = instance))
  await server.ready()
  assert.equal(typeof server.validatorCompiler, 'function')
  assert.equal(child.validatorCompiler, server.validatorCompiler, 'a context without schemas of its own shares the engine')
  assert.equal(child.serializerCompiler, server.serializerCompiler)
})
