/** Other validation libraries, real ones, and real plugins of the default engine. */
import assert from 'node:assert/strict'
import { Type as LegacyType } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import ajvErrors from 'ajv-errors'
import ajvFormats from 'ajv-formats'
import localize from 'ajv-i18n'
import ajvKeywords from 'ajv-keywords'
// @ts-expect-error it has no types
import ajvMergePatch from 'ajv-merge-patch'
import Joi from 'joi'
import { Type } from 'typebox'
import * as yup from 'yup'
import { z } from 'zod'
import type { ContextSpec, RouteSpec } from './faces.js'
import { rule } from './rule.js'

const routes = (schema: Record<string, unknown>): RouteSpec[] => [
  {
    method: 'POST',
    path: '/:id',
    schema,
    handler: ({ body, query, params, headers }: any) => ({ body, query, params, n: headers['x-n'] }),
  },
]

// ---- validation libraries ----

interface Engine {
  readonly name: string
  readonly compile: (route: any) => (value: any) => any
  /** An object with a required whole number. */
  readonly schema: (name: string) => unknown
  readonly message: RegExp
}

const engines: Engine[] = [
  {
    name: 'Joi',
    compile:
      ({ schema }) =>
      (value) =>
        schema.validate(value),
    schema: (name) => Joi.object({ [name]: Joi.number().integer().required() }).unknown(),
    message: /must be a number/,
  },
  {
    name: 'Yup',
    compile:
      ({ schema }) =>
      (value) => {
        try {
          return { value: schema.validateSync(value) }
        } catch (error) {
          return { error }
        }
      },
    schema: (name) => yup.object({ [name]: yup.number().integer().required() }),
    message: /must be a `number` type/,
  },
  {
    name: 'Yup, asynchronous',
    compile:
      ({ schema }) =>
      async (value) =>
        schema.validate(value).then(
          (result: unknown) => ({ value: result }),
          (error: unknown) => ({ error }),
        ),
    schema: (name) => yup.object({ [name]: yup.number().integer().required() }),
    message: /must be a `number` type/,
  },
  {
    name: 'Zod 4',
    compile:
      ({ schema }) =>
      (value) => {
        const { success, data, error } = schema.safeParse(value)
        return success ? { value: data } : { error }
      },
    schema: (name) => z.looseObject({ [name]: z.coerce.number().int() }),
    message: /expected number/,
  },
  {
    name: 'a second Ajv instance',
    compile: ({ schema }) => new Ajv({ coerceTypes: true }).compile(schema),
    schema: (name) => ({ type: 'object', required: [name], properties: { [name]: { type: 'integer' } } }),
    message: /should be integer/,
  },
]

for (const { name, compile, schema, message } of engines) {
  for (const [part, key, request] of [
    ['body', 'n', (n: string) => ({ url: '/1', payload: { n } })],
    ['querystring', 'n', (n: string) => ({ url: `/1?n=${n}`, payload: {} })],
    ['params', 'id', (n: string) => ({ url: `/${n}`, payload: {} })],
    ['headers', 'x-n', (n: string) => ({ url: '/1', headers: { 'x-n': n }, payload: {} })],
  ] as const) {
    rule('Validation behavior 6', `${name} validates ${part}, and the handler receives its result`, async (build) => {
      const server = await build({ name: 'root', validatorCompiler: compile, routes: routes({ [part]: schema(key) }) })
      const good = await server.inject({ method: 'POST', ...request('12') })
      assert.equal(good.statusCode, 200)
      const { body, query, params, n } = good.json()
      assert.equal({ body: body.n, querystring: query.n, params: params.id, headers: n }[part], 12)
      const bad = await server.inject({ method: 'POST', ...request('x') })
      assert.equal(bad.statusCode, 400)
      assert.deepEqual(Object.keys(bad.json()), ['statusCode', 'error', 'message'])
      assert.match(bad.json().message, message)
    })
  }
  rule('Errors 5', `an error of ${name} is a validation error to handlers`, async (build) => {
    const server = await build({
      name: 'root',
      validatorCompiler: compile,
      errorHandler: (error, _request, reply) =>
        reply.code(422).send({ isValidation: Boolean(error.validation), context: error.validationContext, status: error.statusCode }),
      routes: routes({ querystring: schema('n') }),
    })
    const reply = await server.inject({ method: 'POST', url: '/1?n=x', payload: {} })
    assert.deepEqual([reply.statusCode, reply.json()], [422, { isValidation: true, context: 'query', status: 400 }])
  })
}
rule('Errors 5', 'a validator that returns errors in the default engine’s structure gets the default messages', async (build) => {
  const server = await build({
    name: 'root',
    validatorCompiler:
      ({ schema }: any) =>
      (value) => {
        const { error } = schema.validate(value, { abortEarly: false })
        return error
          ? {
              error: error.details.map((detail: any) => ({
                instancePath: `/${detail.path.join('/')}`,
                message: detail.message.replace(/^"[^"]*" /, ''),
              })),
            }
          : {}
      },
    routes: routes({ body: Joi.object({ a: Joi.string().required(), b: Joi.number() }) }),
  })
  const reply = await server.inject({ method: 'POST', url: '/1', payload: { b: 'x' } })
  assert.equal(reply.json().message, 'body/a is required, body/b must be a number')
})

for (const [name, T] of [
  ['TypeBox 1', Type],
  ['TypeBox 0.34', LegacyType],
] as [string, any][]) {
  rule('Validation behavior 6', `${name} schemas need no compiler: they are JSON Schema`, async (build) => {
    const schema = T.Object({ n: T.Integer({ minimum: 1 }), tags: T.Optional(T.Array(T.String())) })
    const server = await build({
      name: 'root',
      routes: [
        {
          method: 'POST',
          path: '/:id',
          schema: {
            body: schema,
            querystring: T.Object({ q: T.Optional(T.Union([T.Literal('a'), T.Literal('b')])) }),
            headers: T.Object({ 'X-N': T.Optional(T.Integer()) }),
            response: { 200: schema },
          },
          handler: (request: any) => ({ ...request.body, secret: 1 }),
        },
      ],
    })
    const send = (payload: object, url = '/1', headers = {}) => server.inject({ method: 'POST', url, payload, headers })
    assert.equal((await send({ n: '3', tags: ['a'] })).payload, '{"n":3,"tags":["a"]}')
    assert.equal((await send({ n: 0 })).json().message, 'body/n should be >= 1')
    assert.equal((await send({ n: 1 }, '/1?q=c')).statusCode, 400)
    assert.equal((await send({ n: 1 }, '/1', { 'x-n': 'x' })).statusCode, 400)
  })
}

// ---- per part ----

rule('Validation behavior 5', 'coercion may be off for the body alone', async (build) => {
  const strict = new Ajv({ coerceTypes: false })
  const coercing = new Ajv({ coerceTypes: 'array' })
  const perPart: Record<string, Ajv> = { body: strict, params: coercing, querystring: coercing, headers: coercing }
  const number = (name: string) => ({ type: 'object', properties: { [name]: { type: 'integer' } } })
  const server = await build({
    name: 'root',
    validatorCompiler: ({ schema, httpPart }) => {
      if (!httpPart) throw new Error('Missing httpPart')
      const engine = perPart[httpPart]
      if (!engine) throw new Error(`Missing compiler for ${httpPart}`)
      return engine.compile(schema)
    },
    routes: routes({ body: number('n'), params: number('id'), querystring: number('n'), headers: number('x-n') }),
  })
  const send = (payload: object) => server.inject({ method: 'POST', url: '/1?n=2', headers: { 'x-n': '3' }, payload })
  assert.deepEqual((await send({ n: 4 })).json(), { body: { n: 4 }, query: { n: 2 }, params: { id: 1 }, n: 3 })
  assert.equal((await send({ n: '4' })).json().message, 'body/n should be integer')
})
for (const missing of ['body', 'params', 'querystring', 'headers']) {
  rule('Validation behavior 5', `a compiler that throws for ${missing} fails the boot, naming route and part`, async (build) => {
    const server = await build({
      name: 'root',
      validatorCompiler: ({ httpPart }) => {
        if (httpPart === missing) throw new Error(`no compiler for ${httpPart}`)
        return () => true
      },
      routes: routes({ [missing]: {} }),
    })
    await assert.rejects(
      async () => server.ready(),
      (error: any) => {
        assert.equal(error.code, 'ALC_ERR_SCH_VALIDATION_BUILD')
        assert.equal(error.part, missing)
        assert.match(error.message, new RegExp(`POST: /:id.*${missing}`))
        return true
      },
    )
  })
  for (const nothing of [undefined, null]) {
    rule(
      'Validation behavior 5',
      `a compiler that returns ${nothing} for ${missing} fails the boot, naming route and part`,
      async (build) => {
        const server = await build({
          name: 'root',
          validatorCompiler: ({ httpPart }) => (httpPart === missing ? nothing : () => true) as never,
          routes: routes({ [missing]: {} }),
        })
        await assert.rejects(async () => server.ready(), {
          code: 'ALC_ERR_SCH_COMPILER_MISSING',
          message: new RegExp(`validator.*POST /:id ${missing}`),
        })
      },
    )
  }
}

rule('Validation behavior 4', 'a custom engine uses its own schemas, not those of addSchema', async (build) => {
  const own = new Ajv({ coerceTypes: false })
  own.addSchema({ $id: 'mine', type: 'integer' })
  const app = (ref: string) => ({
    name: 'root',
    schemas: [{ $id: 'theirs', type: 'integer' }],
    validatorCompiler: ({ schema }: any) => own.compile(schema) as any,
    routes: routes({ body: { type: 'object', properties: { n: { $ref: ref } } } }),
  })
  const server = await build(app('mine#'))
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 1 } })).statusCode, 200)
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: '1' } })).statusCode, 400)
  const failing = await build(app('theirs#'))
  await assert.rejects(async () => failing.ready(), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /theirs/ })
})

// ---- plugins of the default engine ----

rule('Errors 6', 'ajv-errors provides a message for each property and constraint', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: routes({
        body: {
          type: 'object',
          required: ['name', 'age'],
          properties: {
            name: { type: 'string', errorMessage: { type: 'Bad name' } },
            age: { type: 'number', minimum: 18, errorMessage: { type: 'Bad age', min: 'unused', minimum: 'Too young' } },
          },
          errorMessage: { required: { name: 'Why no name?', age: 'Why no age?' } },
        },
      }),
    },
    { jsv: { customOptions: { allErrors: true }, plugins: [ajvErrors] } },
  )
  const message = async (payload: object): Promise<string> => (await server.inject({ method: 'POST', url: '/1', payload })).json().message
  assert.equal(await message({}), 'body Why no name?, body Why no age?')
  assert.equal(await message({ name: {}, age: 20 }), 'body/name Bad name')
  assert.equal(await message({ name: 'a', age: 'x' }), 'body/age Bad age')
  assert.equal(await message({ name: 'a', age: 3 }), 'body/age Too young')
})
rule('Decision 1', 'a text of errorMessage that begins with “must” stays as it is', async (build) => {
  const server = await build(
    { name: 'root', routes: routes({ body: { type: 'object', properties: { n: { type: 'integer', errorMessage: 'must be told' } } } }) },
    { jsv: { customOptions: { allErrors: true }, plugins: [[ajvErrors, { singleError: true }]] } },
  )
  assert.equal((await server.inject({ method: 'POST', url: '/1', payload: { n: 'x' } })).json().message, 'body/n must be told')
})
rule('Decision 1', 'a text of a keyword of the application that begins with “must” stays as it is', async (build) => {
  const keywords = [
    { keyword: 'odd', type: 'number', validate: (_: unknown, n: number) => n % 2 === 1, error: { message: 'must be odd, says the app' } },
    { keyword: 'prime', type: 'number', validate: (_: unknown, n: number) => n === 2 },
  ]
  const body = { type: 'object', properties: { odd: { type: 'integer', odd: true }, prime: { type: 'integer', prime: true } } }
  const server = await build({ name: 'root', routes: routes({ body }) }, { jsv: { customOptions: { keywords } } })
  const message = async (payload: object): Promise<string> => (await server.inject({ method: 'POST', url: '/1', payload })).json().message
  assert.equal(await message({ odd: 2 }), 'body/odd must be odd, says the app')
  assert.equal(await message({ prime: 4 }), 'body/prime should pass "prime" keyword validation', 'this text is that of the engine')
})
rule('Errors 6', 'ajv-i18n translates error.validation in an error handler, sent with 400', async (build) => {
  const translate = (localize as any).default ?? localize
  const server = await build(
    {
      name: 'root',
      errorHandler: (error, _request, reply) => {
        if (!error.validation) throw error
        translate.ru(error.validation)
        return reply.code(400).send(error.validation)
      },
      routes: routes({ body: { type: 'object', required: ['name'] } }),
    },
    { jsv: { customOptions: { allErrors: true } } },
  )
  const reply = await server.inject({ method: 'POST', url: '/1', payload: {} })
  assert.equal(reply.statusCode, 400)
  assert.equal(reply.json()[0].message, 'должно иметь обязательное поле name')
  assert.equal(reply.json()[0].keyword, 'required')
})
rule('Compilers, jsv.plugins', 'ajv-keywords works', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: routes({
        body: {
          type: 'object',
          properties: { n: { type: 'number', range: [1, 3] }, s: { type: 'string', transform: ['trim', 'toUpperCase'] } },
        },
      }),
    },
    { jsv: { plugins: [[ajvKeywords, ['range', 'transform']]] } },
  )
  const send = (payload: object) => server.inject({ method: 'POST', url: '/1', payload })
  assert.deepEqual((await send({ n: 2, s: ' a ' })).json().body, { n: 2, s: 'A' })
  assert.equal((await send({ n: 4 })).statusCode, 400)
})
rule('Compilers, jsv.plugins', 'ajv-formats with options of the application replaces the built-in formats', async (build) => {
  const body = { type: 'object', properties: { at: { type: 'string', format: 'date' }, mail: { type: 'string', format: 'email' } } }
  const usual = await build({ name: 'root', routes: routes({ body }) })
  const send = async (server: typeof usual, payload: object): Promise<number> =>
    (await server.inject({ method: 'POST', url: '/1', payload })).statusCode
  assert.deepEqual(
    [await send(usual, { at: '2024-02-29' }), await send(usual, { at: '2023-02-29' }), await send(usual, { mail: 'nobody' })],
    [200, 400, 400],
  )
  const fast = await build({ name: 'root', routes: routes({ body }) }, { jsv: { plugins: [[ajvFormats, { mode: 'fast' }]] } })
  assert.deepEqual([await send(fast, { at: '2023-02-29' }), await send(fast, { at: 'x' })], [200, 400])
})
rule('Compilers, jsv.plugins', 'ajv-merge-patch works', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: routes({
        body: { $merge: { source: { type: 'object', properties: { q: { type: 'string' } } }, with: { required: ['q'] } } },
        querystring: {
          $patch: {
            source: { type: 'object', properties: { n: { type: 'string' } } },
            with: [{ op: 'replace', path: '/properties/n/type', value: 'integer' }],
          },
        },
      }),
    },
    { jsv: { plugins: [ajvMergePatch] } },
  )
  const send = (payload: object, url = '/1') => server.inject({ method: 'POST', url, payload })
  assert.equal((await send({ q: 'x' })).statusCode, 200)
  assert.match((await send({})).json().message, /^body should have required property 'q'/)
  assert.match((await send({ q: 'x' }, '/1?n=x')).json().message, /^querystring\/n should be integer/)
})
rule('Versioning 4', 'a plugin for the shipped validator version receives that engine', async (build) => {
  let engine: any
  const server = await build(
    { name: 'root', routes: routes({ body: { type: 'object' } }) },
    { jsv: { plugins: [(jsv: unknown) => void (engine = jsv)] } },
  )
  await server.ready()
  assert.ok(engine instanceof Ajv)
})

// ---- validators that fail ----

/** Joi's way to validate asynchronously: `external` throws. */
const external = (check: (name: unknown, helpers: any) => Promise<unknown>): ContextSpec => ({
  name: 'root',
  validatorCompiler:
    ({ schema }: any) =>
    (value) =>
      schema.validateAsync(value),
  routes: routes({ body: Joi.object({ name: Joi.string().external(check) }) }),
})
for (const [title, check, status, message] of [
  ['helpers.error', async (_, helpers) => helpers.error('any.invalid'), 400, '"name" contains an invalid value'],
  ['a plain Error', async () => Promise.reject(new Error('The name is taken')), 400, 'The name is taken (name)'],
  [
    'the error of a database',
    async () => Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })),
    500,
    'Internal Server Error',
  ],
] as [string, (name: unknown, helpers: any) => Promise<unknown>, number, string][]) {
  rule('Validation behavior 6', `${title} in an external rule of Joi is answered ${status}`, async (build) => {
    const reply = await (await build(external(check))).inject({ method: 'POST', url: '/1', payload: { name: 'a' } })
    assert.deepEqual([reply.statusCode, reply.json().message], [status, message])
  })
}

// ---- $async ----

rule('Validation behavior 8', '$async schemas are awaited, in every part, and their errors are validation errors', async (build) => {
  const known = async (_schema: unknown, n: number): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    return n === 7
  }
  const schema = (name: string) => ({ $async: true, type: 'object', properties: { [name]: { type: 'integer', known: true } } })
  const server = await build(
    {
      name: 'root',
      errorHandler: (error, _request, reply) =>
        reply
          .code(error.statusCode)
          .send({ message: error.message, context: error.validationContext, keyword: error.validation[0].keyword }),
      routes: routes({ body: schema('n'), querystring: schema('n'), params: schema('id'), headers: schema('x-n') }),
    },
    { jsv: { customOptions: { keywords: [{ keyword: 'known', async: true, type: 'number', validate: known }] } } },
  )
  const send = (id: string, body: string, query: string, header: string) =>
    server.inject({ method: 'POST', url: `/${id}?n=${query}`, payload: { n: body }, headers: { 'x-n': header } })
  assert.deepEqual((await send('7', '7', '7', '7')).json(), { body: { n: 7 }, query: { n: 7 }, params: { id: 7 }, n: 7 })
  const asked = { keyword: 'known' }
  assert.deepEqual((await send('8', '7', '7', '7')).json(), {
    ...asked,
    message: 'params/id should pass "known" keyword validation',
    context: 'params',
  })
  assert.deepEqual((await send('7', '8', '7', '7')).json(), {
    ...asked,
    message: 'body/n should pass "known" keyword validation',
    context: 'body',
  })
  assert.deepEqual((await send('7', '7', '8', '7')).json(), {
    ...asked,
    message: 'querystring/n should pass "known" keyword validation',
    context: 'query',
  })
  assert.deepEqual((await send('7', '7', '7', '8')).json(), {
    ...asked,
    message: 'headers/x-n should pass "known" keyword validation',
    context: 'headers',
  })
})
