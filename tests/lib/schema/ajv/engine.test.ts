import * as ajvFormats from 'ajv-formats'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildValidatorCompiler, createServer, type Server } from 'alcove/lib'

describe('the engine', () => {
  const answer = async (jsv: object, schema: object, payload: unknown): Promise<number> => {
    const server = createServer({ jsv })
    server.post('/', { schema: { body: schema } }, () => '')
    const headers = { 'content-type': 'application/json' }
    const { statusCode } = await server.inject({ method: 'POST', url: '/', headers, payload: JSON.stringify(payload) })
    await server.close()
    return statusCode
  }

  test('refuses a value that is not a schema', () => {
    const compile = buildValidatorCompiler({}, {})
    assert.throws(() => compile({ schema: undefined, method: 'GET', url: '/', httpPart: 'body' }), /schema must be object or boolean/)
  })

  test('divides with the precision of multipleOfPrecision, by decimals without it', async () => {
    const schema = { type: 'number', multipleOf: 1 }
    assert.equal(await answer({}, schema, 1.05), 400)
    assert.equal(await answer({ customOptions: { multipleOfPrecision: 1 } }, schema, 1.05), 200)
  })

  test('has the formats of a formats plugin of the application, and no others', async () => {
    const { default: addFormats } = ajvFormats as unknown as { default: object }
    const plugins = [[addFormats, ['date']]]
    assert.equal(await answer({ plugins }, { type: 'string', format: 'date' }, '2026-01-31'), 200)
    await assert.rejects(answer({ plugins }, { type: 'string', format: 'uuid' }, 'x'), /unknown format "uuid"/)
  })
})

describe('the schema of all schemas', () => {
  /** Whether ajv compiles it for a body with this schema, and the status of the reply. */
  async function compiles(schema: object, options: object = {}): Promise<[isCompiled: boolean, status: number]> {
    const { Function: Compiler } = globalThis
    let isCompiled = false
    globalThis.Function = new Proxy(Compiler, {
      construct(target, texts: string[]) {
        // A name in its text.
        isCompiled ||= texts.at(-1)!.includes('exclusiveMinimum')
        return Reflect.construct(target, texts)
      },
    })
    try {
      const server = createServer(options)
      server.addSchema({ $id: 'Name', type: 'string', minLength: 1 })
      server.post('/', { schema: { body: schema } }, () => '')
      const { statusCode } = await server.inject({ method: 'POST', url: '/', payload: { name: 'a' } })
      await server.close()
      return [isCompiled, statusCode]
    } finally {
      globalThis.Function = Compiler
    }
  }

  test('is not compiled if all schemas are known to be valid', async () => {
    assert.deepEqual(await compiles({ type: 'object', properties: { name: { $ref: 'Name#' } } }), [false, 200])
  })

  test('is compiled for schemas that may be wrong, and with options that decide how they are checked', async () => {
    assert.deepEqual(await compiles({ type: 'object', if: { required: ['name'] }, then: { maxProperties: 1 } }), [true, 200])
    const strict = { jsv: { customOptions: { validateSchema: true } } }
    assert.deepEqual(await compiles({ type: 'object' }, strict), [true, 200])
  })

  test('is compiled when a handler compiles a wrong schema, after a valid one was compiled without it', async () => {
    const server = createServer()
    server.post('/', { schema: { body: { type: 'object' } } }, (request) => {
      assert.throws(() => request.compileValidationSchema({ minLength: 'x' }), /minLength must be integer/)
      return 'refused'
    })
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: {} })).body, 'refused')
    await server.close()
  })
})

describe('schemas that are not plain JSON', () => {
  const when = new Date(0)
  const part = { type: 'object', properties: { n: { type: 'integer', examples: [when] } } }

  test('are compiled for each route, at ready, and work like others', async () => {
    for (const compileSchemas of ['lazy', 'boot'] as const) {
      const server = createServer({ compileSchemas })
      for (const path of ['/a', '/b']) {
        server.get(path, { schema: { querystring: part, response: { 200: part } } }, ({ query }) => query)
      }
      assert.deepEqual((await server.inject('/a?n=1')).json(), { n: 1 })
      assert.equal((await server.inject('/b?n=x')).statusCode, 400)
      await server.close()
    }
  })

  test('may be shared', async () => {
    const server = createServer()
    server.addSchema({ $id: 'part', ...part })
    server.register(async (child: Server) => {
      child.addSchema({ $id: 'other', type: 'object' })
      child.get('/child', { schema: { querystring: { $ref: 'part#' }, response: { 200: { $ref: 'part#' } } } }, ({ query }) => query)
    })
    server.get('/', { schema: { querystring: { $ref: 'part#' } } }, ({ query }) => query)
    for (const url of ['/', '/child']) {
      assert.deepEqual((await server.inject(`${url}?n=1`)).json(), { n: 1 })
      assert.equal((await server.inject(`${url}?n=x`)).statusCode, 400)
    }
    await server.close()
  })
})

describe('references', () => {
  test('of a subschema with an $id of its own lead to the root and into it, for each route separately', async () => {
    const schema = (type: string, $id: string) => ({
      $id,
      type: 'object',
      required: ['n'],
      properties: {
        n: { type },
        sub: {
          $id: 'http://a.example/sub',
          type: 'object',
          properties: { n: { $ref: 'http://a.example/root#/properties/n' }, again: { $ref: 'http://a.example/root' } },
        },
      },
    })
    const server = createServer()
    server.post('/integer', { schema: { body: schema('integer', 'http://a.example/root') } }, () => 'valid')
    server.post('/object', { schema: { body: schema('object', 'http://a.example/root#') } }, () => 'valid')
    const status = async (url: string, n: unknown, again: unknown): Promise<number> =>
      (await server.inject({ method: 'POST', url, payload: { n: again, sub: { n, again: { n: again } } } })).statusCode
    assert.deepEqual([await status('/integer', 1, 2), await status('/integer', 'x', 2), await status('/integer', 1, 'x')], [200, 400, 400])
    assert.deepEqual([await status('/object', {}, { a: 1 }), await status('/object', 'x', {})], [200, 400])
    const nested = { n: {}, sub: { again: { n: 'x' } } }
    assert.equal((await server.inject({ method: 'POST', url: '/object', payload: nested })).statusCode, 400)
    await server.close()
  })

  test('that lead nowhere are named in the error, also if the schema has the $id of a shared one', async () => {
    for (const $id of ['shared', undefined]) {
      const server = createServer()
      server.addSchema({ $id: 'shared', type: 'object' })
      const schema = { ...($id && { $id }), type: 'object', properties: { a: { $ref: 'nowhere#' } } }
      server.post('/', { schema: { body: schema } }, () => 'never')
      await assert.rejects(async () => server.ready(), { message: /can't resolve reference nowhere#/ })
      await server.close()
    }
  })

  test('into shared schemas are resolved, or fail the boot', async () => {
    const shared = {
      $id: 'shared',
      type: 'object',
      properties: { plain: { type: 'integer' }, based: { $id: 'http://a.example/based', type: 'integer' } },
      definitions: { list: { allOf: [{ type: 'integer' }] }, own: { type: 'integer' } },
    }
    const cases: [reference: string, isKnown: boolean][] = [
      ['shared#/properties/plain', true],
      ['shared#/definitions/own', true],
      ['shared#/properties/based', true],
      ['shared#/definitions/list/allOf/0', true],
      ['shared#/properties/missing', false],
      ['shared#/definitions/own/type/deeper', false],
      ['missing#', false],
    ]
    for (const [$ref, isKnown] of cases) {
      const server = createServer()
      server.addSchema(shared)
      server.get('/', { schema: { querystring: { type: 'object', properties: { n: { $ref } } } } }, ({ query }) => query)
      if (isKnown)
        assert.deepEqual([(await server.inject('/?n=1')).json(), (await server.inject('/?n=x')).statusCode], [{ n: 1 }, 400], $ref)
      else await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_VALIDATION_BUILD' }, $ref)
      await server.close()
    }
  })
})
