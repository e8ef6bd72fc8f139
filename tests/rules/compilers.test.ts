/** Compilers, error handlers, schema error formatters: their arguments, `this`, and the contexts that use them. */
import assert from 'node:assert/strict'
import { HttpError, type ServerOptions } from 'alcove/lib'
import Joi from 'joi'
import { rule, ruleOfServer } from './rule.js'

const anything = (): any => ({})

// ---- setValidatorCompiler ----

rule('Compilers, setValidatorCompiler', 'it is called with schema, method, url and httpPart for each part', async (build) => {
  const calls: any[] = []
  const schemas = { body: { $id: 'b' }, querystring: { $id: 'q' }, params: { $id: 'p' }, headers: { $id: 'h' } }
  const server = await build({
    name: 'root',
    validatorCompiler: (call) => (calls.push(call), () => true),
    imports: [{ name: 'child', prefix: '/v1', routes: [{ method: 'POST', path: '/:id', schema: schemas, handler: anything }] }],
  })
  await server.ready()
  assert.deepEqual(
    calls.map(({ schema, ...rest }) => [schema.$id, rest]),
    [
      ['p', { method: 'POST', url: '/v1/:id', httpPart: 'params' }],
      ['b', { method: 'POST', url: '/v1/:id', httpPart: 'body' }],
      ['q', { method: 'POST', url: '/v1/:id', httpPart: 'querystring' }],
      ['h', { method: 'POST', url: '/v1/:id', httpPart: 'headers' }],
    ],
  )
})
rule('Compilers, setValidatorCompiler', 'header schemas reach another engine as they were written', async (build) => {
  let seen: any
  const headers = { type: 'object', required: ['X-Name'] }
  const server = await build({
    name: 'root',
    validatorCompiler: ({ schema }) => ((seen = schema), () => true),
    routes: [{ method: 'GET', path: '/', schema: { headers }, handler: anything }],
  })
  await server.ready()
  assert.equal(seen, headers)
})

class Failure extends Error {}
const forms: [string, (value: any) => unknown, status: number, message?: string][] = [
  ['true', () => true, 200],
  ['nothing', () => undefined, 200],
  ['an object with value', (value) => ({ value: { ...value, seen: true } }), 200],
  ['an empty object', () => ({}), 200],
  ['false', () => false, 400, 'querystring is invalid'],
  ['an object with an Error', () => ({ error: new Failure('not like this') }), 400, 'not like this'],
  [
    'an object with a list of errors',
    () => ({ error: [{ message: 'must be better', instancePath: '/a' }] }),
    400,
    'querystring/a must be better',
  ],
  ['an object with a text', () => ({ error: 'is odd' }), 400, 'querystring is odd'],
  ['a promise of value', async (value) => ({ value: { ...value, seen: true } }), 200],
  ['a promise of error', async () => ({ error: new Failure('not like this') }), 400, 'not like this'],
  ...[
    Object.assign(new Failure('not like this'), { name: 'ValidationError' }),
    Object.assign(new Failure('not like this'), { issues: [] }),
    Object.assign(new Failure('not like this'), { validation: ['this'] }),
    new HttpError(400, 'not like this'),
  ].map((error): (typeof forms)[number] => {
    const by = `${error.constructor.name} with ${Object.keys(error)[0]}`
    return [`a promise that is rejected with a ${by}`, async () => Promise.reject(error), 400, 'not like this']
  }),
  ['a promise that is rejected with a list of errors', async () => Promise.reject([{ message: 'is odd' }]), 400, 'querystring is odd'],
]
for (const [form, validate, status, message] of forms) {
  rule('Compilers, setValidatorCompiler', `a validator may return ${form}`, async (build) => {
    const server = await build({
      name: 'root',
      validatorCompiler: () => validate,
      routes: [{ method: 'GET', path: '/', schema: { querystring: {} }, handler: (request) => request.query }],
    })
    const reply = await server.inject('/?a=1')
    assert.equal(reply.statusCode, status)
    if (message === undefined) assert.deepEqual(reply.json(), form.includes('value') ? { a: '1', seen: true } : { a: '1' })
    else assert.deepEqual(reply.json(), { statusCode: 400, error: 'Bad Request', message })
  })
}
rule('Compilers, setValidatorCompiler', 'the ajv interface works: a function that returns false and has errors', async (build) => {
  const server = await build({
    name: 'root',
    validatorCompiler: () =>
      Object.assign(() => false, {
        errors: [{ keyword: 'type', instancePath: '/a', schemaPath: '#', params: {}, message: 'must be own' }],
      }),
    routes: [{ method: 'GET', path: '/', schema: { querystring: {} }, handler: anything }],
  })
  assert.equal((await server.inject('/')).json().message, 'querystring/a should be own')
})
const broken: [title: string, failure: unknown, status: number, message: string][] = [
  ['an Error', new Error('db down: secret host'), 500, 'Internal Server Error'],
  ['an AggregateError', new AggregateError([new Error('connect ECONNREFUSED')]), 500, 'Internal Server Error'],
  ['a text', 'db down: secret host', 500, 'Internal Server Error'],
  ['nothing', undefined, 500, 'Internal Server Error'],
  ['an HttpError of another status', new HttpError(503, 'Try again', { expose: true }), 503, 'Try again'],
]
for (const [title, failure, status, message] of broken) {
  for (const [way, validate] of [
    [
      'throws',
      () => {
        throw failure
      },
    ],
    ['rejects with', async () => Promise.reject(failure)],
  ] as const) {
    rule('Compilers, setValidatorCompiler', `a validator that ${way} ${title} is a server fault, not a validation error`, async (build) => {
      const seen: any[] = []
      const server = await build({
        name: 'root',
        validatorCompiler: () => validate,
        hooks: { onError: async (_request: any, _reply: any, error: any) => void seen.push(error.validation) },
        routes: [{ method: 'GET', path: '/', schema: { querystring: {} }, attachValidation: true, handler: anything }],
      })
      const reply = await server.inject('/')
      assert.deepEqual([reply.statusCode, reply.json().message], [status, message])
      assert.equal(seen[0], undefined)
    })
  }
}
rule('Compilers, setValidatorCompiler', 'a validator may throw the error of its library', async (build) => {
  const server = await build({
    name: 'root',
    validatorCompiler: () => (value) => Joi.attempt(value, Joi.object({ a: Joi.number() })),
    routes: [{ method: 'GET', path: '/', schema: { querystring: {} }, handler: anything }],
  })
  const reply = await server.inject('/?a=x')
  assert.equal(reply.statusCode, 400)
  assert.match(reply.json().message, /"a" must be a number/)
})
rule(
  'Compilers, setValidatorCompiler',
  'the compiler of the route takes precedence over that of the context, then of the server, then the default',
  async (build) => {
    const failing = (name: string) => () => () => ({ error: new Error(name) })
    const schema = { querystring: { type: 'object', required: ['a'] } }
    const server = await build({
      name: 'root',
      imports: [
        {
          name: 'set',
          prefix: '/set',
          validatorCompiler: failing('outer'),
          routes: [
            { method: 'GET', path: '/', schema, handler: anything },
            { method: 'GET', path: '/route', schema, validatorCompiler: failing('route'), handler: anything },
          ],
          imports: [
            {
              name: 'inner',
              prefix: '/inner',
              validatorCompiler: failing('inner'),
              routes: [{ method: 'GET', path: '/', schema, handler: anything }],
            },
          ],
        },
      ],
      routes: [{ method: 'GET', path: '/', schema, handler: anything }],
    })
    const message = async (path: string): Promise<string> => (await server.inject(path)).json().message
    assert.equal(await message('/'), "querystring should have required property 'a'")
    assert.equal(await message('/set'), 'outer')
    assert.equal(await message('/set/inner'), 'inner')
    assert.equal(await message('/set/route'), 'route')
  },
)
ruleOfServer('Compilers, setValidatorCompiler', 'null restores the default', async (create) => {
  const server = create()
  server.setValidatorCompiler(() => () => ({ error: new Error('own') }))
  server.setValidatorCompiler(null)
  server.get('/', { schema: { querystring: { type: 'object', required: ['a'] } } }, anything)
  assert.equal((await server.inject('/')).json().message, "querystring should have required property 'a'")
})

// ---- setSerializerCompiler ----

rule(
  'Compilers, setSerializerCompiler',
  'it is called with schema, method, url, httpStatus and contentType for each response',
  async (build) => {
    const calls: any[] = []
    const server = await build({
      name: 'root',
      serializerCompiler: (call) => (calls.push(call), () => '""'),
      imports: [
        {
          name: 'child',
          prefix: '/v1',
          routes: [
            {
              method: 'PUT',
              path: '/:id',
              schema: {
                response: {
                  201: { $id: 'a' },
                  '4XX': { $id: 'b' },
                  default: { description: 'd', content: { 'application/json': { schema: { $id: 'c' } }, '*/*': { schema: { $id: 'd' } } } },
                },
              },
              handler: anything,
            },
          ],
        },
      ],
    })
    await server.ready()
    const at = { method: 'PUT', url: '/v1/:id' }
    assert.deepEqual(
      calls.map(({ schema, ...rest }) => [schema.$id, rest]),
      [
        ['a', { ...at, httpStatus: '201' }],
        ['b', { ...at, httpStatus: '4xx' }],
        ['c', { ...at, httpStatus: 'default', contentType: 'application/json' }],
        ['d', { ...at, httpStatus: 'default', contentType: '*/*' }],
      ],
    )
  },
)
rule('Compilers, setSerializerCompiler', 'a compiler that returns no function fails the boot, naming route and status', async (build) => {
  const server = await build({
    name: 'root',
    serializerCompiler: () => undefined as never,
    routes: [{ method: 'GET', path: '/x', exposeHeadRoute: false, schema: { response: { 200: {} } }, handler: anything }],
  })
  await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_COMPILER_MISSING', message: /serializer.*GET \/x 200/ })
})
rule('Compilers, setSerializerCompiler', 'a route may have a serializer compiler of its own', async (build) => {
  const schema = { response: { 200: {} } }
  const server = await build({
    name: 'root',
    serializerCompiler: () => () => '"server"',
    routes: [
      { method: 'GET', path: '/a', schema, handler: anything },
      { method: 'GET', path: '/b', schema, serializerCompiler: () => () => '"route"', handler: anything },
    ],
  })
  assert.equal((await server.inject('/a')).payload, '"server"')
  assert.equal((await server.inject('/b')).payload, '"route"')
})

// ---- setErrorHandler ----

const fail = (): never => {
  throw Object.assign(new Error('as planned'), { mark: 7 })
}
rule('Compilers, setErrorHandler', 'the handler receives error, request and reply; `this` is the server of its context', async (build) => {
  let seen: any
  const server = await build({
    name: 'root',
    imports: [
      {
        name: 'child',
        decorate: { here: 'child' },
        errorHandler(this: any, error, request, reply) {
          seen = { mark: error.mark, url: request.url, here: this.here }
          return reply.code(409).send({ handled: true })
        },
        routes: [{ method: 'GET', path: '/', handler: fail }],
      },
    ],
  })
  const reply = await server.inject('/')
  assert.deepEqual([reply.statusCode, reply.json()], [409, { handled: true }])
  assert.deepEqual(seen, { mark: 7, url: '/', here: 'child' })
})
rule('Compilers, setErrorHandler', 'a handler may return the payload or a promise of it', async (build) => {
  const server = await build({
    name: 'root',
    errorHandler: async (error, _request, reply) => {
      reply.code(410)
      return { message: error.message }
    },
    routes: [{ method: 'GET', path: '/', handler: fail }],
  })
  const reply = await server.inject('/')
  assert.deepEqual([reply.statusCode, reply.json()], [410, { message: 'as planned' }])
})
rule(
  'Compilers, setErrorHandler',
  'an error that a handler throws goes to the next outer one, and finally to the default handler',
  async (build) => {
    const order: string[] = []
    const server = await build({
      name: 'root',
      errorHandler: (error) => {
        order.push(`root: ${error.message}`)
        throw new Error('third')
      },
      imports: [
        {
          name: 'child',
          errorHandler: (error) => {
            order.push(`child: ${error.message}`)
            throw Object.assign(new Error('second'), { statusCode: 418 })
          },
          routes: [{ method: 'GET', path: '/', handler: fail }],
        },
      ],
    })
    const reply = await server.inject('/')
    assert.deepEqual(order, ['child: as planned', 'root: second'])
    assert.deepEqual(
      [reply.statusCode, reply.json()],
      [500, { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' }],
    )
  },
)
rule('Compilers, setErrorHandler', 'a context without one uses that of its parent', async (build) => {
  const server = await build({
    name: 'root',
    errorHandler: (_error, _request, reply) => reply.code(418).send('root'),
    imports: [{ name: 'child', imports: [{ name: 'grandchild', routes: [{ method: 'GET', path: '/', handler: fail }] }] }],
  })
  assert.equal((await server.inject('/')).payload, 'root')
})
ruleOfServer('Compilers, setErrorHandler', 'it accepts only functions', (create) => {
  assert.throws(() => create().setErrorHandler('x' as never), { code: 'ALC_ERR_ERROR_HANDLER_NOT_FN' })
})

// ---- schema error formatters ----

const invalid = { querystring: { type: 'object', required: ['a'] } }
rule('Compilers, setSchemaErrorFormatter', 'the formatter receives the errors and the part; `this` is the server', async (build) => {
  const calls: any[] = []
  const every = { type: 'object', required: ['a'] }
  const server = await build({
    name: 'root',
    decorate: { here: 'root' },
    schemaErrorFormatter(this: any, errors, dataVar) {
      calls.push([this.here, errors.map(({ keyword }) => keyword), dataVar])
      return new Error(`formatted ${dataVar}`)
    },
    routes: (['body', 'querystring', 'params', 'headers'] as const).map((part) => ({
      method: 'POST',
      path: `/${part}/:x/:a?`,
      schema: { [part]: every },
      handler: anything,
    })),
  })
  for (const part of ['body', 'querystring', 'params', 'headers']) {
    const reply = await server.inject({ method: 'POST', url: `/${part}/1`, payload: {} })
    assert.deepEqual([reply.statusCode, reply.json().message], [400, `formatted ${part}`])
  }
  assert.deepEqual(
    calls,
    ['body', 'querystring', 'params', 'headers'].map((part) => ['root', ['required'], part]),
  )
})
rule(
  'Compilers, setSchemaErrorFormatter',
  'that of a child takes precedence over that of its parent, that of a route over both',
  async (build) => {
    const server = await build({
      name: 'root',
      schemaErrorFormatter: () => new Error('root'),
      routes: [
        { method: 'GET', path: '/', schema: invalid, handler: anything },
        { method: 'GET', path: '/route', schema: invalid, schemaErrorFormatter: () => new Error('route'), handler: anything },
      ],
      imports: [
        {
          name: 'child',
          schemaErrorFormatter: () => new Error('child'),
          routes: [{ method: 'GET', path: '/child', schema: invalid, handler: anything }],
        },
      ],
    })
    const message = async (path: string): Promise<string> => (await server.inject(path)).json().message
    assert.deepEqual(await Promise.all([message('/'), message('/child'), message('/route')]), ['root', 'child', 'route'])
  },
)
for (const [what, result] of [
  ['a text', 'oops'],
  ['nothing', undefined],
  ['null', null],
  ['an object', { message: 'oops' }],
  ['a promise', Promise.resolve(new Error('late'))],
] as const) {
  for (const attachValidation of [false, true]) {
    rule(
      'Compilers, setSchemaErrorFormatter',
      `${what} instead of an Error is a server fault${attachValidation ? ', with attachValidation too' : ''}`,
      async (build) => {
        const lines: any[] = []
        let isReached = false
        const server = await build(
          {
            name: 'root',
            schemaErrorFormatter: () => result as never,
            routes: [{ method: 'GET', path: '/', schema: invalid, attachValidation, handler: () => ((isReached = true), {}) }],
          },
          { logger: { level: 'error', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } },
        )
        const reply = await server.inject('/')
        assert.equal(reply.statusCode, 500)
        assert.equal(reply.json().message, 'Internal Server Error', 'nothing leaks')
        assert.equal(isReached, false)
        assert.equal(lines.length, 1)
        assert.match(lines[0].err.message, /must return an Error/)
      },
    )
  }
}
ruleOfServer('Compilers, setSchemaErrorFormatter', 'an async function and a value that is not a function are refused', (create) => {
  assert.throws(() => create().setSchemaErrorFormatter((async () => new Error('x')) as never), {
    code: 'ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN',
  })
  assert.throws(() => create().setSchemaErrorFormatter('x' as never), { code: 'ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN' })
})

// ---- construction options ----

rule('Compilers, schemaErrorFormatter', 'the option is the formatter of every context; `this` is the server', async (build) => {
  const server = await build(
    {
      name: 'root',
      decorate: { here: 'root' },
      imports: [{ name: 'child', routes: [{ method: 'GET', path: '/', schema: invalid, handler: anything }] }],
    },
    {
      schemaErrorFormatter(this: any, errors, dataVar) {
        return new Error(`${this.here} ${dataVar} ${errors.length}`)
      },
    },
  )
  assert.equal((await server.inject('/')).json().message, 'root querystring 1')
})
const refused: [RegExp, ServerOptions][] = [
  [/non async function/, { schemaErrorFormatter: (async () => new Error('x')) as never }],
  [/non async function/, { schemaErrorFormatter: 1 as never }],
  [/customOptions option should be an object/, { jsv: { customOptions: [] as never } }],
  [/customOptions option should be an object/, { jsv: { customOptions: 'x' as never } }],
  [/plugins option should be an array/, { jsv: { plugins: {} as never } }],
]
for (const [message, options] of refused) {
  ruleOfServer(
    'Compilers, schemaErrorFormatter',
    `construction refuses ${message.source} (${refused.findIndex((entry) => entry[1] === options)})`,
    (create) => {
      assert.throws(() => create(options), message)
    },
  )
}
rule('Compilers, jsv.customOptions', 'they override the baseline, option by option', async (build) => {
  const schema = { querystring: { type: 'object', properties: { n: { type: 'integer' }, d: { type: 'string', default: 'x' } } } }
  const app = { name: 'root', routes: [{ method: 'GET', path: '/', schema, handler: (request: any) => request.query }] }
  const usual = await build(app)
  assert.deepEqual((await usual.inject('/?n=1')).json(), { n: 1, d: 'x' })
  const strict = await build(app, { jsv: { customOptions: { coerceTypes: false } } })
  assert.equal((await strict.inject('/?n=1')).statusCode, 400)
  assert.deepEqual((await strict.inject('/')).json(), { d: 'x' }, 'useDefaults is still on')
})
rule('Compilers, jsv.plugins', 'a plugin receives the engine, and its options if it is in a pair', async (build) => {
  const seen: unknown[] = []
  const even = (jsv: any, options: unknown) => {
    seen.push(options)
    jsv.addKeyword({ keyword: 'even', type: 'number', validate: (_: unknown, n: number) => n % 2 === 0 })
  }
  for (const plugins of [[even], [[even, { a: 1 }]]]) {
    const server = await build(
      {
        name: 'root',
        routes: [{ method: 'GET', path: '/', schema: { querystring: { n: { type: 'integer', even: true } } }, handler: anything }],
      },
      { jsv: { plugins } },
    )
    assert.equal((await server.inject('/?n=2')).statusCode, 200)
    assert.equal((await server.inject('/?n=3')).statusCode, 400)
  }
  assert.deepEqual(seen, [undefined, { a: 1 }])
})
