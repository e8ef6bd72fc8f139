/** Errors: the validation error object, the replies to clients, and error handlers. */
import assert from 'node:assert/strict'
import { HttpError } from 'alcove/lib'
import type { ContextSpec, RouteSpec } from './faces.js'
import { type Build, rule } from './rule.js'

const parts = ['body', 'querystring', 'params', 'headers'] as const
const contextOf = { body: 'body', querystring: 'query', params: 'params', headers: 'headers' } as const
const demanding = { type: 'object', required: ['needed'], properties: { needed: { type: 'integer' } } }

const app = (part: string, extra: Partial<RouteSpec> = {}, context: Partial<ContextSpec> = {}): ContextSpec => ({
  name: 'root',
  ...context,
  routes: [{ method: 'POST', path: '/:id/:needed?', schema: { [part]: demanding } as never, handler: () => ({ reached: true }), ...extra }],
})
const request = { method: 'POST', url: '/1', payload: {} }

/** The error as the application's error handler sees it. */
async function errorOf(build: Build, part: string, context: Partial<ContextSpec> = {}): Promise<any> {
  let seen: any
  const server = await build(
    app(part, {}, { ...context, errorHandler: (error, _request, reply) => ((seen = error), reply.code(400).send('seen')) }),
  )
  await server.inject(request)
  return seen
}

for (const part of parts) {
  rule('Validation error, statusCode', `an invalid ${part} is an error with the status 400`, async (build) => {
    assert.equal((await errorOf(build, part)).statusCode, 400)
  })
  rule(
    'Validation error, message',
    `the message of an invalid ${part} names it, and is that of the formatter if one is set`,
    async (build) => {
      assert.equal((await errorOf(build, part)).message, `${part} should have required property 'needed'`)
      const formatted = await errorOf(build, part, {
        schemaErrorFormatter: (errors, dataVar) => new Error(`${dataVar}: ${errors[0]!.params['missingProperty']}`),
      })
      assert.equal(formatted.message, `${part}: needed`)
    },
  )
  rule('Validation error, validation', `an invalid ${part} carries the engine’s own errors, untouched`, async (build) => {
    assert.deepEqual((await errorOf(build, part)).validation, [
      {
        keyword: 'required',
        instancePath: '',
        schemaPath: '#/required',
        params: { missingProperty: 'needed' },
        message: "must have required property 'needed'",
      },
    ])
  })
  for (const id of ['Validation error, validationContext', 'Decision 2'] as const) {
    rule(
      id,
      `an invalid ${part} has the context ${contextOf[part]}${id === 'Decision 2' ? ', while the formatter is told the part' : ''}`,
      async (build) => {
        let dataVar: string | undefined
        const error = await errorOf(build, part, { schemaErrorFormatter: (_errors, given) => ((dataVar = given), new Error('x')) })
        assert.equal(error.validationContext, contextOf[part])
        assert.equal(dataVar, part)
      },
    )
  }
  rule('Errors 1', `an invalid ${part} is answered 400 with exactly statusCode, error and message`, async (build) => {
    let isReached = false
    const server = await build(app(part, { handler: () => ((isReached = true), {}) }))
    const reply = await server.inject(request)
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(reply.json(), { statusCode: 400, error: 'Bad Request', message: `${part} should have required property 'needed'` })
    assert.equal(isReached, false)
  })
  rule('Errors 2', `the error of ${part} has the status 400, whatever status the formatter or the validator gave it`, async (build) => {
    class Readonly extends Error {
      get statusCode(): number {
        return 418
      }
    }
    for (const make of [
      () => new Error('mine'),
      () => Object.assign(new Error('mine'), { statusCode: 418 }),
      () => Object.assign(new Error('mine'), { status: 422 }),
      () => new HttpError(409, 'mine'),
      () => new Readonly('mine'),
      () => Object.freeze(Object.assign(new Error('mine'), { statusCode: 418 })),
      () => Object.defineProperty(new Error('mine'), 'statusCode', { value: 418 }),
    ]) {
      for (const context of [{ schemaErrorFormatter: make }, { validatorCompiler: () => () => ({ error: make() }) }]) {
        const reply = await (await build(app(part, {}, context))).inject(request)
        assert.deepEqual([reply.statusCode, reply.json()], [400, { statusCode: 400, error: 'Bad Request', message: 'mine' }])
        const error = await errorOf(build, part, context)
        assert.deepEqual([error.statusCode, error.message, error.validationContext], [400, 'mine', contextOf[part]])
      }
    }
  })
  rule('Errors 3', `with attachValidation an invalid ${part} reaches the handler, which decides the reply`, async (build) => {
    const server = await build(
      app(part, {
        attachValidation: true,
        handler: ({ validationError }, reply) =>
          reply
            .code(validationError ? 202 : 200)
            .send(validationError ? { raw: validationError.validation, context: validationError.validationContext } : {}),
      }),
    )
    const reply = await server.inject(request)
    assert.equal(reply.statusCode, 202)
    assert.deepEqual(reply.json().raw[0].params, { missingProperty: 'needed' })
    assert.equal(reply.json().context, contextOf[part])
  })
  rule(
    'Validation error, request.validationError',
    `it holds the error of ${part} if attachValidation is on and validation failed`,
    async (build) => {
      let seen: any = 'never set'
      const handler = ({ validationError }: any): unknown => ((seen = validationError), {})
      await (await build(app(part, { attachValidation: true, handler }))).inject(request)
      assert.ok(seen instanceof Error)
      assert.deepEqual([(seen as any).statusCode, (seen as any).validationContext], [400, contextOf[part]])
      await (await build(app('x-none', { attachValidation: true, handler }))).inject(request)
      assert.equal(seen, undefined)
    },
  )
  rule('Errors 4', `a handler finds the error of ${part} by error.validation and may answer 422`, async (build) => {
    const server = await build({
      name: 'root',
      errorHandler: (error, _request, reply) =>
        error.validation ? reply.code(422).send({ invalid: error.validationContext }) : reply.code(500).send({ other: true }),
      routes: [
        { method: 'POST', path: '/:id/:needed?', schema: { [part]: demanding } as never, handler: () => ({}) },
        {
          method: 'GET',
          path: '/other',
          handler: () => {
            throw new Error('other')
          },
        },
      ],
    })
    const reply = await server.inject(request)
    assert.deepEqual([reply.statusCode, reply.json()], [422, { invalid: contextOf[part] }])
    assert.deepEqual((await server.inject('/other')).json(), { other: true })
  })
}
rule('Validation error, validationContext', 'an error object that is used again says each time which part failed', async (build) => {
  class Constant extends Error {}
  const error = new Constant('always this')
  for (const context of [{ schemaErrorFormatter: () => error }, { validatorCompiler: () => () => ({ error }) }]) {
    const held: any[] = []
    const route = (part: string): RouteSpec => ({
      method: 'POST',
      path: `/${part}`,
      attachValidation: true,
      schema: { [part]: demanding } as never,
      handler: ({ validationError }) => (held.push(validationError), {}),
    })
    const server = await build({ name: 'root', ...context, routes: [route('body'), route('querystring')] })
    for (const part of ['body', 'querystring', 'body']) await server.inject({ method: 'POST', url: `/${part}`, payload: {} })
    assert.deepEqual(
      held.map((seen) => [seen instanceof Constant, seen.message, seen.validationContext]),
      [
        [true, 'always this', 'body'],
        [true, 'always this', 'query'],
        [true, 'always this', 'body'],
      ],
      'also after the later requests',
    )
  }
})
rule('Errors 3', 'without attachValidation, or set to false, the reply is 400', async (build) => {
  assert.equal((await (await build(app('body', { attachValidation: false }))).inject(request)).statusCode, 400)
})
rule('Errors 3', 'preHandler hooks see the validation error too', async (build) => {
  let seen: unknown
  const server = await build(
    app('body', { attachValidation: true, preHandler: async (given: any) => void (seen = given.validationError?.message) }),
  )
  await server.inject(request)
  assert.equal(seen, "body should have required property 'needed'")
})
rule('Errors 1', 'messages of other keywords contain the path of the value', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      {
        method: 'POST',
        path: '/',
        schema: {
          body: {
            type: 'object',
            properties: { list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } } },
          },
        },
        handler: () => ({}),
      },
    ],
  })
  const reply = await server.inject({ method: 'POST', url: '/', payload: { list: [{ n: 1 }, { n: 'x' }] } })
  assert.equal(reply.json().message, 'body/list/1/n should be integer')
})
for (const keyword of ['type', 'required', 'maximum', 'not'] as const) {
  rule('Decision 1', `the message of ${keyword} says “should” instead of the “must” of the engine`, async (build) => {
    const schema = {
      type: { type: 'integer' },
      required: { type: 'object', required: ['a'] },
      maximum: { maximum: 1 },
      not: { not: { type: 'object' } },
    }[keyword]
    const value = { type: 'x', required: {}, maximum: 2, not: {} }[keyword]
    let engineMessage = ''
    const server = await build(
      {
        name: 'root',
        errorHandler: (error, _request, reply) => (
          (engineMessage = error.validation[0].message),
          reply.code(400).send({ message: error.message })
        ),
        routes: [{ method: 'POST', path: '/', schema: { body: { type: 'object', properties: { v: schema } } }, handler: () => ({}) }],
      },
      { jsv: { customOptions: { strictTypes: false } } },
    )
    const { message } = (await server.inject({ method: 'POST', url: '/', payload: { v: value } })).json()
    assert.match(engineMessage, /^must /)
    assert.equal(message, `body/v ${engineMessage.replace('must', 'should')}`)
  })
}
rule('Decision 3', 'a response schema for 400 shapes the payload, which contains the code only if the schema lists it', async (build) => {
  const shape = { type: 'object', properties: { message: { type: 'string' }, code: { type: 'string' } } }
  const server = await build(app('body', { schema: { body: demanding, response: { 400: shape } } as never }))
  assert.deepEqual((await server.inject(request)).json(), {
    message: "body should have required property 'needed'",
    code: 'ALC_ERR_VALIDATION',
  })
})

// ---- other failures ----

rule('Errors 7', 'an unknown path is answered 404', async (build) => {
  const reply = await (await build({ name: 'root' })).inject({ method: 'GET', url: '/nowhere?x=1' })
  assert.deepEqual(
    [reply.statusCode, reply.json()],
    [404, { message: 'Route GET:/nowhere?x=1 not found', error: 'Not Found', statusCode: 404 }],
  )
})
const bodies: [title: string, status: number, code: string, request: { payload: string; headers: Record<string, string> }][] = [
  [
    'a body that is too large',
    413,
    'ALC_ERR_CTP_BODY_TOO_LARGE',
    { payload: JSON.stringify('x'.repeat(100)), headers: { 'content-type': 'application/json' } },
  ],
  ['an unknown media type', 415, 'ALC_ERR_CTP_INVALID_MEDIA_TYPE', { payload: 'x', headers: { 'content-type': 'text/xml' } }],
  ['an empty JSON body', 400, 'ALC_ERR_CTP_EMPTY_JSON_BODY', { payload: '', headers: { 'content-type': 'application/json' } }],
]
for (const [title, status, code, sent] of bodies) {
  rule('Errors 7', `${title} is answered ${status} with its code`, async (build) => {
    const server = await build({ name: 'root', routes: [{ method: 'POST', path: '/', handler: () => ({}) }] }, { bodyLimit: 50 })
    const reply = await server.inject({ method: 'POST', url: '/', ...sent })
    assert.deepEqual([reply.statusCode, reply.json().statusCode, reply.json().code], [status, status, code])
    assert.deepEqual(Object.keys(reply.json()).sort(), ['code', 'error', 'message', 'statusCode'])
  })
}
rule('Errors 7', 'a body that is not JSON is answered 400', async (build) => {
  const server = await build({ name: 'root', routes: [{ method: 'POST', path: '/', handler: () => ({}) }] })
  const reply = await server.inject({ method: 'POST', url: '/', payload: '{', headers: { 'content-type': 'application/json' } })
  assert.deepEqual([reply.statusCode, reply.json().error], [400, 'Bad Request'])
})
for (const [title, error, status, message] of [
  ['an error', new Error('secret'), 500, 'Internal Server Error'],
  ['an error with a 5xx status', Object.assign(new Error('secret'), { statusCode: 503 }), 503, 'Service Unavailable'],
  ['an error that may be shown', Object.assign(new Error('told'), { statusCode: 503, expose: true }), 503, 'told'],
  ['an error of a 4xx status', Object.assign(new Error('told'), { statusCode: 418 }), 418, 'told'],
] as const) {
  rule('Decision 7', `${title} that a handler throws is answered ${status} "${message}", and logged`, async (build) => {
    const lines: any[] = []
    const server = await build(
      {
        name: 'root',
        routes: [
          {
            method: 'GET',
            path: '/',
            handler: () => {
              throw error
            },
          },
        ],
      },
      { logger: { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } }, disableRequestLogging: true },
    )
    const reply = await server.inject('/')
    assert.deepEqual([reply.statusCode, reply.json().message], [status, message])
    const logged = lines.filter((line) => line.err?.message === error.message)
    assert.equal(logged.length, 1)
    assert.equal(logged[0].level, status >= 500 ? 50 : 30)
    assert.ok(logged[0].reqId)
  })
}
rule('Decision 7', 'exposeErrorMessages shows them', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: [
        {
          method: 'GET',
          path: '/',
          handler: () => {
            throw new Error('secret')
          },
        },
      ],
    },
    { exposeErrorMessages: true },
  )
  assert.equal((await server.inject('/')).json().message, 'secret')
})
for (const type of ['nonsense', 'application/json, text/plain', 'application /json', 'application/json; =x', '/', ';']) {
  rule('Decision 9', `the malformed media type "${type}" is refused, with and without a catch-all parser`, async (build) => {
    const server = await build({
      name: 'root',
      contentTypeParsers: [{ type: '*', options: { parseAs: 'string' }, parse: (_request, _body, done) => done(null, 'caught') }],
      routes: [{ method: 'POST', path: '/', handler: (given) => given.body }],
    })
    const reply = await server.inject({ method: 'POST', url: '/', payload: '{}', headers: { 'content-type': type } })
    assert.equal(reply.statusCode, 415)
  })
}
