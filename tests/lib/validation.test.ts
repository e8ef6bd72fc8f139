/** What validators say of a request, whoever made them, and how values are compared. */
import * as ajvFormats from 'ajv-formats'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildValidatorCompiler, createServer, type Server, type ServerOptions } from 'alcove/lib'

/** Status and message, or the body, of what a route with a body schema answers. */
async function answer(schema: object, body: unknown, options: ServerOptions = {}): Promise<unknown> {
  const server = createServer(options)
  server.post('/', { schema: { body: schema } }, (request) => ({ got: request.body }))
  const reply = await server.inject({
    method: 'POST',
    url: '/',
    payload: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  await server.close()
  return reply.statusCode === 200 ? reply.json().got : `${reply.statusCode} ${reply.json().message}`
}

/** What a route answers whose validator compiler gives this. */
async function answerOf(validate: (value: any) => unknown, options: object = {}): Promise<[status: number, body: any]> {
  const server = createServer()
  server.post('/', { schema: { body: { type: 'object' } }, validatorCompiler: () => validate as never, ...options }, (request: any) => ({
    got: request.body,
    error: request.validationError?.message ?? null,
    errors: request.validationError?.validation?.length ?? null,
  }))
  const reply = await server.inject({ method: 'POST', url: '/', payload: { a: 1 } })
  await server.close()
  return [reply.statusCode, reply.json()]
}

describe('a validator of the application', () => {
  const passing: [title: string, validate: (value: any) => unknown, got: unknown][] = [
    ['true', () => true, { a: 1 }],
    ['undefined', () => undefined, { a: 1 }],
    ['null', () => null, { a: 1 }],
    ['a number', () => 0, { a: 1 }],
    ['an empty object', () => ({}), { a: 1 }],
    ['a value', () => ({ value: { b: 2 } }), { b: 2 }],
    ['the value undefined', () => ({ value: undefined }), { a: 1 }],
    ['the value null', () => ({ value: null }), null],
    ['the promise of a value', async () => ({ value: { b: 2 } }), { b: 2 }],
    ['the promise of nothing', async () => {}, { a: 1 }],
  ]
  for (const [title, validate, got] of passing) {
    test(`takes what it is given, or puts another value in its place: ${title}`, async () => {
      assert.deepEqual(await answerOf(validate), [200, { got, error: null, errors: null }])
    })
  }

  const failing: [title: string, validate: (value: any) => unknown, message: string][] = [
    ['false', () => false, 'body is invalid'],
    ['false with errors', Object.assign(() => false, { errors: [{ instancePath: '/a', message: 'must be b' }] }), 'body/a should be b'],
    [
      'false with errors that say little',
      Object.assign(() => false, { errors: [{}, null, { message: 'x' }].filter(Boolean) }),
      'body is invalid, body x',
    ],
    ['an error with must inside', () => ({ error: [{ message: 'is what must be' }] }), 'body is what must be'],
    ['an error', () => ({ error: new Error('no') }), 'no'],
    ['a list of errors', () => ({ error: [{ message: 'must be b' }] }), 'body should be b'],
    ['a text', () => ({ error: 'is bad' }), 'body is bad'],
    ['an object with a message', () => ({ error: { message: 'is worse' } }), 'body is worse'],
    ['an object', () => ({ error: {} }), 'body is invalid'],
    ['the promise of an error', async () => ({ error: new Error('later') }), 'later'],
    ['the promise of false', async () => false, 'body is invalid'],
    ['a rejection', () => Promise.reject(new Error('rejected')), 'rejected'],
    ['a rejection with nothing', () => Promise.reject(), 'body is invalid'],
    ['a rejection with a list', () => Promise.reject([{ message: 'must be b' }]), 'body should be b'],
  ]
  for (const [title, validate, message] of failing) {
    test(`refuses what it is given: ${title}`, async () => {
      const [status, { message: said }] = await answerOf(validate)
      assert.deepEqual([status, said], [400, message])
      // attachValidation: the handler is told instead.
      const [, attached] = await answerOf(validate, { attachValidation: true })
      assert.deepEqual([attached.got, attached.error], [{ a: 1 }, message])
      // What says nothing has no errors.
      if (title === 'false' || title === 'a rejection with nothing') assert.equal(attached.errors, 0)
    })
  }

  test('that refuses one part keeps the next from being looked at, also where it takes time', async () => {
    const seen: string[] = []
    const server = createServer()
    server.setValidatorCompiler(({ httpPart }) => async () => {
      seen.push(httpPart)
      return httpPart === 'querystring' ? { error: new Error('no query') } : { value: {} }
    })
    const part = { type: 'object' }
    server.post('/:a', { schema: { params: part, body: part, querystring: part, headers: part } }, () => 'never')
    const reply = await server.inject({ method: 'POST', url: '/1?b=2', payload: {} })
    assert.deepEqual([reply.statusCode, reply.json().message, seen], [400, 'no query', ['params', 'body', 'querystring']])
    await server.close()
  })

  test('keeps status, code and context of an error that has them', async () => {
    const error = Object.assign(new Error('own'), { statusCode: 422, code: 'OWN', validationContext: 'mine' })
    const server = createServer()
    let seen: any
    server.setErrorHandler((failure: any, _request, reply) => {
      seen = failure
      reply.code(failure.statusCode).send({})
    })
    server.post('/', { schema: { body: {} }, validatorCompiler: () => () => ({ error }) }, () => 'never')
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: {} })).statusCode, 422)
    assert.deepEqual([seen, seen.code, seen.validationContext, seen.validation], [error, 'OWN', 'mine', error])
    assert.deepEqual(Object.keys(error), ['statusCode', 'code', 'validationContext'])
    await server.close()
  })
})

test('what an engine calls its errors is kept, and may be changed and taken away by who handles them', async () => {
  const server = createServer()
  const seen: unknown[] = []
  server.setErrorHandler((error: any, _request, reply) => {
    seen.push(error.validation)
    error.validation = 'changed'
    seen.push(error.validation, delete error.validation)
    reply.code(400).send({})
  })
  const plain = new Error('plain')
  const own = Object.assign(new Error('own'), { validation: 'mine' })
  for (const [path, error] of Object.entries({ '/plain': plain, '/own': own }))
    server.post(path, { schema: { body: {} }, validatorCompiler: () => () => ({ error }) }, () => 'never')
  for (const url of ['/plain', '/own']) await server.inject({ method: 'POST', url, payload: {} })
  assert.deepEqual(seen, [plain, 'changed', true, 'mine', 'changed', true])
  await server.close()
})

test('a formatter that gives no error is a fault of the server, which says what it gave', async () => {
  for (const [given, name] of [
    [null, 'null'],
    ['text', 'string'],
    [undefined, 'undefined'],
  ]) {
    const server = createServer({ exposeErrorMessages: true, schemaErrorFormatter: () => given as never })
    server.post('/', { schema: { body: { type: 'object', required: ['a'] } } }, () => 'never')
    const reply = await server.inject({ method: 'POST', url: '/', payload: {} })
    assert.deepEqual([reply.statusCode, reply.json().code], [500, 'ALC_ERR_SCH_FORMATTER_RESULT'])
    assert.match(reply.json().message, new RegExp(`\\b${name}\\b`))
    await server.close()
  }
})

describe('an asynchronous schema', () => {
  test('is awaited, and refuses with its errors; a keyword that fails is a fault of the server', async () => {
    const server = createServer({
      jsv: {
        customOptions: {
          keywords: [
            { keyword: 'isFree', async: true, type: 'string', validate: async (_schema: unknown, value: string) => value !== 'taken' },
            {
              keyword: 'isKnown',
              async: true,
              type: 'string',
              validate: async () => {
                throw new Error('the directory is away')
              },
            },
          ],
        } as never,
      },
    })
    const schema = (keyword: string): object => ({
      $async: true,
      type: 'object',
      properties: { name: { type: 'string', [keyword]: true } },
    })
    server.post('/free', { schema: { body: schema('isFree') } }, (request) => request.body)
    server.post('/known', { schema: { body: schema('isKnown') } }, (request) => request.body)
    const post = async (url: string, name: string): Promise<unknown[]> => {
      const reply = await server.inject({ method: 'POST', url, payload: { name } })
      return [reply.statusCode, reply.json().message ?? reply.json()]
    }
    assert.deepEqual(await post('/free', 'open'), [200, { name: 'open' }])
    assert.deepEqual(await post('/free', 'taken'), [400, 'body/name should pass "isFree" keyword validation'])
    assert.deepEqual(await post('/known', 'any'), [500, 'Internal Server Error'])
    await server.close()
  })
})

describe('const, enum and uniqueItems', () => {
  const refused = (message: string): string => `400 body ${message}`

  test('compare values as JSON does: order of names, 0 and -0, texts and numbers', async () => {
    const equal = 'should be equal to constant'
    const cases: [schema: object, body: unknown, isEqual: boolean][] = [
      [{ const: { a: 1, b: [2, { c: null }] } }, { b: [2, { c: null }], a: 1 }, true],
      [{ const: { a: 1 } }, { a: 1, b: 2 }, false],
      [{ const: { a: '1' } }, { a: 1 }, false],
      [{ const: { a: null } }, { a: 'null' }, false],
      [{ const: [1, 2] }, [2, 1], false],
      [{ const: [1, [2]] }, [1, [2]], true],
      [{ const: [0] }, [-0], true],
      [{ const: ['a,b'] }, ['a', 'b'], false],
      [{ const: { toString: 'x' } }, { toString: 'x' }, true],
      [{ const: { a: true } }, { a: 'true' }, false],
    ]
    for (const [schema, body, isEqual] of cases) {
      assert.deepEqual(
        await answer(schema, body),
        isEqual ? (body === null ? null : JSON.parse(JSON.stringify(body))) : refused(equal),
        JSON.stringify([schema, body]),
      )
    }
    const listed = { enum: [{ a: 1 }, ['x'], 'x', 7, null] }
    for (const body of [{ a: 1 }, ['x'], 'x', 7]) assert.deepEqual(await answer(listed, body), body)
    for (const body of [{ a: 2 }, ['y'], 'y', 8])
      assert.equal(await answer(listed, body), refused('should be equal to one of the allowed values'))
  })

  test('compare with what the data itself holds, where $data says so', async () => {
    const options: ServerOptions = { jsv: { customOptions: { $data: true } } }
    const properties = { list: { type: 'array' }, one: {}, other: {} }
    const among = { type: 'object', properties: { ...properties, one: { enum: { $data: '1/list' } } } }
    const same = { type: 'object', properties: { ...properties, one: { const: { $data: '1/other' } } } }
    assert.deepEqual(await answer(among, { list: [{ a: 1 }, 2], one: { a: 1 } }, options), { list: [{ a: 1 }, 2], one: { a: 1 } })
    assert.equal(
      await answer(among, { list: [{ a: 1 }, 2], one: { a: 2 } }, options),
      '400 body/one should be equal to one of the allowed values',
    )
    assert.deepEqual(await answer(same, { one: [1, 'x', 0], other: [1, 'x', -0] }, options), { one: [1, 'x', 0], other: [1, 'x', 0] })
    assert.equal(await answer(same, { one: '1', other: 1 }, options), '400 body/one should be equal to constant')
    assert.deepEqual(await answer(same, { one: 0, other: -0 }, options), { one: 0, other: 0 })
  })

  test('name the last two items that are equal', async () => {
    const unique = { type: 'array', uniqueItems: true }
    assert.deepEqual(await answer(unique, [1, '1', [1], { a: 1 }, { a: 2 }, null, 'null']), [1, '1', [1], { a: 1 }, { a: 2 }, null, 'null'])
    assert.equal(
      await answer(unique, [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }]),
      refused('should NOT have duplicate items (items ## 2 and 0 are identical)'),
    )
    assert.equal(await answer(unique, ['a', 'b', 'a']), refused('should NOT have duplicate items (items ## 2 and 0 are identical)'))
    assert.deepEqual(await answer({ type: 'array', uniqueItems: false }, [1, 1]), [1, 1])
  })

  test('take values that are no JSON as themselves', () => {
    const compile: any = buildValidatorCompiler({}, {})
    const validate = compile({ schema: { type: 'array', uniqueItems: true } })
    const date = new Date(0)
    assert.equal(validate([date, new Date(0)]), true)
    assert.equal(validate([date, date]), false)
    assert.equal(validate([Object.assign(Object.create(null), { a: 1 }), { a: 1 }]), false)
  })
})

describe('multipleOf', () => {
  test('goes by decimals, whole numbers and a divisor that comes with the data', async () => {
    const number = (divisor: unknown): object => ({
      type: 'object',
      properties: { n: { type: 'number', multipleOf: divisor }, by: { type: 'number' } },
    })
    for (const [divisor, n, isMultiple] of [
      [3, 9, true],
      [3, 10, false],
      [0.01, 19.99, true],
      [0.1, 0.25, false],
      [1e-7, 3e-7, true],
      [0.5, 1e21, true],
    ] as const) {
      assert.deepEqual(await answer(number(divisor), { n }), isMultiple ? { n } : `400 body/n should be multiple of ${divisor}`)
    }
    const options: ServerOptions = { jsv: { customOptions: { $data: true } } }
    assert.deepEqual(await answer(number({ $data: '1/by' }), { n: 6, by: 1.5 }, options), { n: 6, by: 1.5 })
    for (const by of [0.5, 0, -0.5]) {
      const got = await answer(number({ $data: '1/by' }), { n: 0.75, by }, options)
      assert.match(String(got), /^400 body\/n should be multiple of/)
    }
  })
})

describe('a body that was not sent', () => {
  const post = async (schema: object): Promise<unknown[]> => {
    const server = createServer()
    server.post('/', { schema: { body: schema } }, (request) => ({ got: request.body ?? null }))
    const reply = await server.inject({ method: 'POST', url: '/' })
    await server.close()
    return [reply.statusCode, reply.json().message ?? reply.json()]
  }

  test('is held to its schema as nothing, not as what coercion would make of it', async () => {
    assert.deepEqual(await post({ type: 'string' }), [400, 'body should be string'])
    assert.deepEqual(await post({ type: 'integer' }), [400, 'body should be integer'])
    assert.deepEqual(await post({ type: 'object' }), [400, 'body should be object'])
    assert.deepEqual(await post({ type: ['string', 'null'] }), [200, { got: null }])
    assert.deepEqual(await post({ required: [] }), [200, { got: null }])
    assert.deepEqual(await post({ required: ['a'] }), [400, "body should have required property 'a'"])
  })
})

describe('values under alternatives', () => {
  test('are looked at in stages also where a hook or a handler validates them by itself', async () => {
    const server = createServer()
    const schema = {
      type: 'object',
      oneOf: [
        { properties: { n: { type: 'integer' } }, required: ['n'] },
        { properties: { s: { type: 'string' } }, required: ['s'] },
      ],
    }
    server.get('/', { schema: { querystring: schema } }, (request: any) => {
      const compiled = request.compileValidationSchema(schema, 'querystring')
      const values: unknown[] = [{ n: '1' }, { s: '1' }, { n: 'x' }, { n: '1', s: '2' }, { s: ['a'] }, 'text', null]
      return values.map((value) => [compiled(value), value])
    })
    assert.deepEqual((await server.inject('/?n=1')).json(), [
      [true, { n: 1 }],
      [true, { s: '1' }],
      [false, { n: 'x' }],
      [false, { n: 1, s: '2' }],
      [true, { s: 'a' }],
      [false, 'text'],
      [false, null],
    ])
    await server.close()
  })

  test('are looked at in stages where values are coerced but not removed, or removed but not coerced', async () => {
    const alternatives = (...entries: object[]) => ({ type: 'object', properties: { a: { oneOf: entries } } })
    const answer = async (customOptions: object, schema: object, payload: object): Promise<string> => {
      const server = createServer({ jsv: { customOptions } })
      server.post('/', { schema: { body: schema } }, ({ body }) => body as object)
      const reply = await server.inject({ method: 'POST', url: '/', payload })
      await server.close()
      return reply.body
    }
    const coerced = alternatives({ type: 'integer' }, { type: 'string' })
    assert.equal(await answer({ removeAdditional: false }, coerced, { a: '1' }), '{"a":"1"}')
    const withOnly = (name: string) => ({ type: 'object', additionalProperties: false, properties: { [name]: {} }, required: [name] })
    const removed = alternatives(withOnly('b'), { ...withOnly('c'), properties: { c: {}, d: {} } })
    assert.equal(await answer({ coerceTypes: false }, removed, { a: { c: 1, d: 2 } }), '{"a":{"c":1,"d":2}}')
  })

  test('whose schema refers into an alternative are looked at without it', async () => {
    const schema = {
      type: 'object',
      properties: { again: { $ref: '#/anyOf/0/properties/n' } },
      anyOf: [{ properties: { n: { type: 'integer' } } }, { required: ['x'] }],
    }
    const server = createServer()
    server.get('/', { schema: { querystring: schema } }, ({ query }) => query)
    assert.deepEqual((await server.inject('/?n=1&again=2')).json(), { n: 1, again: 2 })
    assert.equal((await server.inject('/?again=x')).statusCode, 400)
    await server.close()
  })
})

describe('the engine', () => {
  const answer = async (jsv: object, schema: object, payload: unknown): Promise<number> => {
    const server = createServer({ jsv })
    server.post('/', { schema: { body: schema } }, () => '')
    const headers = { 'content-type': 'application/json' }
    const { statusCode } = await server.inject({ method: 'POST', url: '/', headers, payload: JSON.stringify(payload) })
    await server.close()
    return statusCode
  }

  test('says of what is no schema that it is none', () => {
    const compile = buildValidatorCompiler({}, {})
    assert.throws(() => compile({ schema: undefined, method: 'GET', url: '/', httpPart: 'body' }), /schema must be object or boolean/)
  })

  test('divides as precisely as it is told, by decimals where it is told nothing', async () => {
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

describe('schemas that no JSON says', () => {
  const when = new Date(0)
  const part = { type: 'object', properties: { n: { type: 'integer', examples: [when] } } }

  test('are compiled for each route, at ready, and work as others do', async () => {
    for (const compile of ['lazy', 'boot'] as const) {
      const server = createServer({ compile })
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

test('what a compiler or a schema throws and is no error fails the boot by its text, naming the route', async () => {
  const failing: [declare: (server: Server) => unknown, code: string][] = [
    [
      (server) =>
        server.get(
          '/',
          {
            schema: { querystring: {} },
            validatorCompiler: () => {
              throw 'no compiler'
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
    [
      (server) =>
        server.get(
          '/',
          {
            schema: {
              querystring: {
                isFluentSchema: true,
                valueOf: () => {
                  throw 'no compiler'
                },
              },
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
  ]
  for (const [declare, code] of failing) {
    const server = createServer()
    declare(server)
    await assert.rejects(async () => server.ready(), { code, message: /GET: \/.*no compiler/ })
    await server.close()
  }
})

describe('references', () => {
  test('of a part with an $id of its own lead into the root and to the root itself, for each route by itself', async () => {
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

  test('that lead nowhere are what is said, also where the schema is called as a shared one', async () => {
    for (const $id of ['shared', undefined]) {
      const server = createServer()
      server.addSchema({ $id: 'shared', type: 'object' })
      const schema = { ...($id && { $id }), type: 'object', properties: { a: { $ref: 'nowhere#' } } }
      server.post('/', { schema: { body: schema } }, () => 'never')
      await assert.rejects(async () => server.ready(), { message: /can't resolve reference nowhere#/ })
      await server.close()
    }
  })

  test('into shared schemas lead where the engine finds them, or fail the boot', async () => {
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
