/** Schemas of libraries that follow Standard Schema, over real requests: all that they say is validated. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { buildValidatorCompiler, type SchemaErrorDetail, type StandardSchema } from 'alcove/lib'
import Joi from 'joi'
import * as yup from 'yup'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import type { RouteSpec } from './faces.js'
import { type Build, rejectsBoot, rule } from './rule.js'

/** A library that offers its `validate` only, as Valibot does. */
function plain(validate: StandardSchema['~standard']['validate']): StandardSchema {
  return { '~standard': { version: 1, vendor: 'acme', validate } }
}

type Answer = { status: number; body: any }
type Init = { body?: unknown; headers?: Record<string, string>; text?: string }
/** Sends a request to a path. */
type Send = (to: string | (Init & { path: string }), init?: Init) => Promise<Answer>

/** Listens with one route for POST, which answers with all parts of its request. */
async function serve(build: Build, route: Partial<RouteSpec>, path = '/', setup?: Parameters<Build>[0]['setup']): Promise<Send> {
  const handler: RouteSpec['handler'] = ({ body, query }: any) => ({ body, query })
  const server = await build({ name: 'root', ...(setup && { setup }), routes: [{ method: 'POST', path, handler, ...route }] })
  await server.listen({ port: 0 })
  const { port } = server.server.address() as AddressInfo
  return async (to, init = {}) => {
    const { path: url, body, text, headers } = typeof to === 'string' ? { path: to, ...init } : to
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`http://localhost:${port}${url}`, {
      method: 'POST',
      headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(payload !== undefined && { body: payload }),
    })
    return { status: response.status, body: await response.json() }
  }
}

// ---- 1: all that a schema says is validated ----

const refusing: [name: string, schema: StandardSchema, refused: unknown, accepted: unknown][] = [
  ['refine', z.object({ a: z.string().refine((a) => a === 'ok') }), { a: 'no' }, { a: 'ok' }],
  [
    'superRefine',
    z.object({ a: z.number() }).superRefine(({ a }, context) => void (a > 3 && context.addIssue('too large'))),
    { a: 4 },
    { a: 3 },
  ],
  [
    'check',
    z.array(z.number()).check((context) => void (context.value.length > 1 && context.issues.push({ code: 'custom', input: 1 }))),
    [1, 2],
    [1],
  ],
  ['pipe', z.object({ a: z.string().pipe(z.string().regex(/^x/)) }), { a: 'y' }, { a: 'x' }],
  ['regex with flags', z.object({ a: z.string().regex(/^x$/i) }), { a: 'y' }, { a: 'X' }],
  ['max', z.object({ a: z.string().max(2) }), { a: '😀ab' }, { a: '😀a' }],
  ['strictObject', z.strictObject({ a: z.string() }), { a: '', b: 1 }, { a: '' }],
  ['a number', z.object({ a: z.number() }), { a: '3' }, { a: 3 }],
  [
    'a nested refinement',
    z.object({ list: z.array(z.object({ a: z.int().refine((a) => a % 2 === 0) })) }),
    { list: [{ a: 1 }] },
    { list: [{ a: 2 }] },
  ],
  [
    'a schema with validate only',
    plain((value: any) => (value?.a === 'ok' ? { value } : { issues: [{ message: 'no' }] })),
    { a: 'no' },
    { a: 'ok' },
  ],
]
for (const [name, body, refused, accepted] of refusing) {
  rule('Standard Schema 1', `a body is validated by ${name}`, async (build) => {
    const send = await serve(build, { schema: { body } })
    assert.equal((await send('/', { body: refused })).status, 400)
    assert.deepEqual((await send('/', { body: accepted })).body.body, accepted)
  })
}

const even = z.string().refine((text) => Number(text) % 2 === 0, 'must be even')
for (const [part, path, request] of [
  ['querystring', '/', (n: string) => ({ path: `/?n=${n}` })],
  ['params', '/:n', (n: string) => ({ path: `/${n}` })],
  ['headers', '/', (n: string) => ({ path: '/', headers: { n } })],
] as const) {
  rule('Standard Schema 1', `${part} are validated by a refinement, and the error names the value`, async (build) => {
    const send = await serve(build, { schema: { [part]: z.object({ n: even }) } }, path)
    assert.equal((await send(request('2'))).status, 200)
    const body = { statusCode: 400, error: 'Bad Request', message: `${part}/n must be even` }
    assert.deepEqual(await send(request('3')), { status: 400, body })
  })
}

rule('Standard Schema 1', 'each media type of a body has its own schema', async (build) => {
  const even = z.object({ n: z.number().refine((n) => n % 2 === 0) })
  const send = await serve(build, {
    schema: { body: { content: { 'application/json': { schema: even }, 'application/x+json': { schema: z.object({ n: z.string() }) } } } },
  })
  assert.equal((await send('/', { body: { n: 2 } })).status, 200)
  assert.equal((await send('/', { body: { n: 3 } })).status, 400)
  const headers = { 'content-type': 'application/x+json' }
  assert.equal((await send('/', { body: { n: 2 }, headers })).status, 400)
  assert.equal((await send('/', { body: { n: 'x' }, headers })).status, 200)
})

rule('Standard Schema 1', 'every path of a route that has several is validated', async (build) => {
  const schema = { body: z.object({ a: z.string().refine((a) => a === 'ok') }) }
  const server = await build({
    name: 'root',
    imports: [{ name: 'Inner', prefix: '/inner', routes: [{ method: 'POST', path: '/', schema, handler: () => 'reached' }] }],
  })
  for (const url of ['/inner', '/inner/']) {
    assert.equal((await server.inject({ method: 'POST', url, payload: { a: 'no' } })).statusCode, 400)
    assert.equal((await server.inject({ method: 'POST', url, payload: { a: 'ok' } })).statusCode, 200)
  }
})

rule('Standard Schema 1', 'a body that the client did not send is undefined to the library', async (build) => {
  const send = await serve(build, { schema: { body: z.object({ a: z.string() }).optional() } })
  assert.equal((await send('/')).status, 200)
  assert.equal((await send('/', { body: null })).status, 400)
  const required = await serve(build, { schema: { body: z.object({ a: z.string().optional() }).refine(() => true) } })
  assert.equal((await required('/')).status, 400)
})

rule('Standard Schema 1', 'shorthand lets each schema decide whether its property may be absent', async (build) => {
  const send = await serve(build, { schema: { querystring: { page: z.number().default(1), size: z.number().refine((n) => n < 100) } } })
  assert.deepEqual((await send('/?size=5&other=x')).body.query, { page: 1, size: 5, other: 'x' })
  assert.deepEqual(await send('/').then(({ status, body }) => [status, body.message.slice(0, 17)]), [400, 'querystring/size '])
  assert.equal((await send('/?size=100')).status, 400)
})

rule('Standard Schema 1', 'schemas that contain each other many times over are read in a moment', async (build) => {
  const count = 14
  const shape = (): Record<string, z.ZodType> =>
    Object.defineProperties(
      {},
      Object.fromEntries(nodes.map((_, index) => [`n${index}`, { enumerable: true, get: () => nodes[index]!.optional() }])),
    )
  const nodes: z.ZodType[] = []
  for (let index = 0; index < count; index++) nodes.push(z.object({ even }))
  for (let index = 0; index < count; index++) nodes[index] = z.object(shape())
  const send = await serve(build, { schema: { body: nodes[0], querystring: z.looseObject({ node: nodes[0]!.optional() }) } })
  assert.equal((await send('/', { body: { n1: { n2: {} } } })).status, 200)
  assert.equal((await send('/', { body: { n1: { n2: 1 } } })).status, 400)
})

rule('Standard Schema 1', "a route's own validatorCompiler gets the schema as it was written", async (build) => {
  const body = z.object({ a: z.string().refine(() => false) })
  const seen: unknown[] = []
  const send = await serve(build, {
    schema: { body },
    validatorCompiler: ({ schema }) => {
      seen.push(schema)
      return () => true
    },
  })
  assert.equal((await send('/', { body: { a: 'no' } })).status, 200)
  assert.deepEqual(seen, [body])
})

rule('Standard Schema 1', 'a compiler that buildValidatorCompiler made runs libraries too', async (build) => {
  const server = await build(
    {
      name: 'root',
      routes: [
        {
          method: 'POST',
          path: '/',
          schema: { body: z.object({ n: even }), querystring: z.object({ n: z.int() }) },
          handler: ({ query }) => query as object,
        },
      ],
    },
    { schemaController: { compilersFactory: { buildValidator: buildValidatorCompiler } } },
  )
  const send = async (n: string, payload: object): Promise<unknown> =>
    (await server.inject({ method: 'POST', url: `/?n=${n}`, payload })).json()
  assert.deepEqual(await send('1', { n: '2' }), { n: 1 })
  assert.equal(((await send('1', { n: '1' })) as any).statusCode, 400)
  assert.equal(((await send('x', { n: '2' })) as any).statusCode, 400)
})

rule('Standard Schema 1', 'a schema that a handler compiles runs the library', async (build) => {
  const schema = z.object({ a: z.string().refine((a) => a === 'ok') })
  const send = await serve(build, {
    handler: (request: any) => ({
      result: request.validateInput(request.body, schema),
      kept: request.compileValidationSchema(schema).errors,
    }),
  })
  assert.deepEqual((await send('/', { body: { a: 'ok' } })).body, { result: { value: { a: 'ok' } }, kept: null })
  const { result, kept } = (await send('/', { body: { a: 'no' } })).body
  assert.deepEqual([result, kept[0].instancePath], [false, '/a'])
})

for (const [name, body] of [
  [
    'Joi',
    Joi.object({
      n: Joi.number()
        .integer()
        .custom((n, helpers) => (n % 2 === 0 ? n : helpers.error('any.invalid'))),
    }),
  ],
  [
    'Yup',
    yup.object({
      n: yup
        .number()
        .integer()
        .test((n) => n! % 2 === 0),
    }),
  ],
] as const) {
  rule('Standard Schema 1', `a schema of ${name} runs itself`, async (build) => {
    const send = await serve(build, { schema: { body, querystring: body } })
    assert.deepEqual((await send('/?n=2', { body: { n: 4 } })).body, { body: { n: 4 }, query: { n: 2 } })
    assert.match((await send('/?n=2', { body: { n: 3 } })).body.message, /^body\/n /)
    assert.match((await send('/?n=1', { body: { n: 4 } })).body.message, /^querystring\/n /)
  })
}

// ---- 2: the output reaches the handler ----

rule('Standard Schema 2', 'transformed, trimmed and defaulted values reach the handler', async (build) => {
  const body = z.object({
    name: z.string().trim().toLowerCase(),
    length: z.string().transform((text) => text.length),
    when: z.coerce.date(),
    page: z.number().default(1),
    kind: z.enum(['a', 'b']).catch('a'),
  })
  const send = await serve(build, { schema: { body } })
  const sent = { name: '  Ada ', length: 'four', when: '2020-01-01', kind: 'c' }
  assert.deepEqual((await send('/', { body: sent })).body.body, {
    name: 'ada',
    length: 4,
    when: '2020-01-01T00:00:00.000Z',
    page: 1,
    kind: 'a',
  })
})

for (const [name, body, output] of [
  ['z.object() removes', z.object({ a: z.string() }), { a: 'x' }],
  ['z.object() with a refinement removes', z.object({ a: z.string().refine(() => true) }), { a: 'x' }],
  ['z.looseObject() keeps', z.looseObject({ a: z.string() }), { a: 'x', isAdmin: true }],
] as const) {
  rule('Standard Schema 2', `${name} properties that it does not name`, async (build) => {
    const send = await serve(build, { schema: { body } })
    assert.deepEqual((await send('/', { body: { a: 'x', isAdmin: true } })).body.body, output)
  })
}

rule('Standard Schema 2', 'an output of another type, also undefined, replaces the body', async (build) => {
  const seen: unknown[] = []
  const send = await serve(build, {
    schema: { body: z.object({ a: z.string() }).transform(({ a }) => (a === '' ? undefined : a)) },
    handler: ({ body }: any) => {
      seen.push(body)
      return {}
    },
  })
  await send('/', { body: { a: 'x' } })
  await send('/', { body: { a: '' } })
  assert.deepEqual(seen, ['x', undefined])
})

rule('Standard Schema 2', 'an asynchronous schema is awaited', async (build) => {
  const body = z.object({ a: z.string().refine(async (a) => a === 'ok') }).transform(async ({ a }) => ({ a: a.toUpperCase() }))
  const send = await serve(build, { schema: { body, querystring: { n: z.number().refine(async (n) => n > 1) } } })
  assert.deepEqual(await send('/?n=2', { body: { a: 'ok' } }).then(({ body }) => [body.body, body.query]), [{ a: 'OK' }, { n: 2 }])
  assert.equal((await send('/?n=2', { body: { a: 'no' } })).status, 400)
  assert.equal((await send('/?n=1', { body: { a: 'ok' } })).status, 400)
})

// ---- 3: coercion ----

const typed = { n: z.number(), flag: z.boolean(), list: z.array(z.int()), none: z.string().optional() }
for (const [name, querystring] of [
  ['ajv alone', z.object(typed)],
  ['a library after ajv', z.object({ ...typed, n: z.number().refine((n) => n > 0) })],
  ['a default', z.object({ ...typed, none: z.string().default('-') }).transform(({ none, ...rest }) => (none === '-' ? rest : {}))],
] as const) {
  rule('Standard Schema 3', `texts are coerced to the types of the schema: ${name}`, async (build) => {
    const send = await serve(build, { schema: { querystring } })
    assert.deepEqual((await send('/?n=1.5&flag=true&list=1')).body.query, { n: 1.5, flag: true, list: [1] })
    assert.deepEqual((await send('/?n=1.5&flag=false&list=1&list=2')).body.query, { n: 1.5, flag: false, list: [1, 2] })
    assert.equal((await send('/?n=x&flag=false&list=1')).status, 400)
  })
}

rule('Standard Schema 3', 'a value that cannot be coerced does not keep others from being coerced', async (build) => {
  const send = await serve(build, { schema: { querystring: z.object({ a: z.number(), b: z.number().refine(() => true) }) } })
  assert.equal((await send('/?a=x&b=2')).body.message, 'querystring/a Invalid input: expected number, received string')
})

rule('Standard Schema 3', 'a function before the type gets the text that the client sent', async (build) => {
  const split = z.preprocess((text) => String(text).split(','), z.array(z.coerce.number()))
  const send = await serve(build, { schema: { querystring: z.object({ ids: split, flag: z.coerce.boolean() }) } })
  assert.deepEqual((await send('/?ids=1,2&flag=false')).body.query, { ids: [1, 2], flag: true })
})

rule('Standard Schema 3', 'a body of a form is coerced, a JSON body is not', async (build) => {
  const parse = (instance: any): void =>
    instance.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_: any, text: string, done: any) =>
      done(null, Object.fromEntries(new URLSearchParams(text))),
    )
  const form = 'application/x-www-form-urlencoded'
  const body = z.object({ n: z.number().refine((n) => n > 1) })
  for (const schema of [
    { body },
    { body, consumes: [form] },
    { body: { content: { 'application/json': { schema: body }, [form]: { schema: body } } } },
  ]) {
    const send = await serve(build, { schema }, '/', parse)
    assert.deepEqual((await send('/', { text: 'n=2', headers: { 'content-type': form } })).body.body, { n: 2 })
    assert.equal((await send('/', { text: 'n=1', headers: { 'content-type': form } })).status, 400)
    assert.equal((await send('/', { body: { n: '2' } })).status, 400)
    assert.equal((await send('/', { body: { n: 2 } })).status, 200)
  }
})

for (const [name, value] of [
  ['ajv alone', z.int()],
  ['a library', z.int().refine((n) => n > 1)],
] as const) {
  rule('Standard Schema 3', `header names may have capitals, and headers that are not named stay: ${name}`, async (build) => {
    const handler: RouteSpec['handler'] = ({ headers }: any) => ({ n: headers['x-n'], other: headers['x-other'] })
    const send = await serve(build, { schema: { headers: z.object({ 'X-N': value }) }, handler })
    assert.deepEqual((await send('/', { headers: { 'x-n': '2', 'x-other': 'o' } })).body, { n: 2, other: 'o' })
    assert.match((await send('/', { headers: { 'x-n': 'no' } })).body.message, /^headers\/x-n /)
  })
}

// ---- 4: errors ----

rule('Standard Schema 4', "a library's issues have the shape of ajv's errors", async (build) => {
  const kept: SchemaErrorDetail[][] = []
  const send = await serve(build, {
    schema: { body: z.object({ 'a/b': z.array(z.object({ c: z.string().refine(() => false, 'must be better') })) }) },
    schemaErrorFormatter: (errors, part) => {
      kept.push(errors)
      return new Error(`${part}: ${errors[0]!.message}`)
    },
  })
  const { status, body } = await send('/', { body: { 'a/b': [{ c: 'x' }] } })
  assert.deepEqual([status, body.message], [400, 'body: must be better'])
  const params = { library: 'Zod', path: ['a/b', '0', 'c'], code: 'custom' }
  assert.deepEqual(kept, [[{ keyword: 'standard', instancePath: '/a~1b/0/c', schemaPath: '#', params, message: 'must be better' }]])
})

rule('Standard Schema 4', 'attachValidation leaves the failure to the handler', async (build) => {
  const send = await serve(build, {
    schema: { querystring: z.object({ a: even }) },
    attachValidation: true,
    handler: ({ validationError }: any) => ({
      context: validationError?.validationContext,
      path: validationError?.validation[0].instancePath,
    }),
  })
  assert.deepEqual((await send('/?a=1')).body, { context: 'query', path: '/a' })
  assert.deepEqual((await send('/?a=2')).body, {})
})

const fail = async (): Promise<never> => {
  await setTimeout(1)
  throw new Error('the database at 10.0.0.1 is down')
}
const failing: [name: string, schema: StandardSchema][] = [
  [
    'throws',
    plain(() => {
      throw new Error('the database at 10.0.0.1 is down')
    }),
  ],
  ['rejects', plain(async () => Promise.reject(new Error('the database at 10.0.0.1 is down')))],
  ['rejects with a list', plain(() => Promise.reject([{ message: 'the database at 10.0.0.1 is down' }]))],
  ['returns nothing', plain(() => undefined as never)],
  [
    'is one of several refinements of Zod that reject',
    z
      .object({ a: z.lazy(() => z.number().refine(fail).refine(fail)).optional() })
      .refine(fail)
      .refine(fail),
  ],
  ['is a refinement of Zod 3 that rejects', z3.object({}).refine(() => Promise.reject(new Error('the database at 10.0.0.1 is down')))],
  ['is a refinement of Zod that rejects', z.object({}).refine(() => Promise.reject(new Error('the database at 10.0.0.1 is down')))],
]
for (const [name, body] of failing) {
  rule('Standard Schema 4', `a validate that ${name} is a server error, whose text the client does not see`, async (build) => {
    const send = await serve(build, { schema: { body } })
    for (const sent of [{}, { a: 1 }]) assert.equal((await send('/', { body: sent })).status, 500)
    const answer = await send('/', { body: {} })
    assert.doesNotMatch(JSON.stringify(answer), /10\.0\.0\.1/)
  })
}

rule('Standard Schema 4', 'a function of an asynchronous schema runs once for each request', async (build) => {
  let runs = 0
  const send = await serve(build, { schema: { body: z.object({ a: z.string().refine(async () => ++runs > 0) }) } })
  assert.deepEqual([(await send('/', { body: { a: 'x' } })).status, runs], [200, 1])
})

rule('Standard Schema 4', 'the number and the length of the issues in an error are bounded', async (build) => {
  const send = await serve(build, { schema: { body: z.array(z.number().refine(() => true)) } })
  const { status, body } = await send('/', { body: Array.from({ length: 5000 }, () => 'x') })
  assert.deepEqual([status, body.message.split(', body/').length], [400, 100])
  const named = await serve(build, { schema: { body: z.record(z.string(), z.array(z.number())) } })
  const long = await named('/', { body: { ['k'.repeat(5000)]: Array.from({ length: 500 }, () => 'x') } })
  assert.ok(long.body.message.length < 20_000)
})

rule('Standard Schema 4', 'a value that is too deep for a recursive schema is refused before the library sees it', async (build) => {
  const node: z.ZodType = z.lazy(() => z.object({ child: z.union([node, z.null()]).optional() }).refine(() => true))
  const nested = (levels: number): string => `${'{"child":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
  const send = await serve(build, { schema: { body: node } })
  assert.equal((await send('/', { text: nested(200) })).status, 200)
  for (const levels of [201, 1000, 1001]) assert.equal((await send('/', { text: nested(levels) })).status, 400)
})

rule('Standard Schema 4', 'a body with __proto__ is refused before the library sees it', async (build) => {
  const send = await serve(build, { schema: { body: z.looseObject({}).refine(() => true) } })
  assert.equal((await send('/', { text: '{"__proto__":{"isAdmin":true}}' })).status, 400)
})

// ---- 5: what cannot be used fails the boot ----

const unusable: [name: string, schema: RouteSpec['schema'], message: RegExp][] = [
  [
    'a response without JSON Schema',
    { response: { 200: plain((value) => ({ value })) } },
    /POST: \/.*the schema of acme offers no JSON Schema.*response 200/s,
  ],
  ['a response of a date', { response: { '2xx': { content: { 'a/b': { schema: plain((value) => ({ value })) } } } } }, /response 2xx a\/b/],
  ['shorthand that mixes', { querystring: { a: z.number(), b: { type: 'number' } } }, /shorthand mixes.*in the schema of querystring/s],
  [
    'a schema within JSON Schema',
    { body: { type: 'object', properties: { a: z.string() } } },
    /at #\/properties\/a.*in the schema of body/s,
  ],
]
for (const [name, schema, message] of unusable) {
  rule('Standard Schema 5', `${name} fails the boot, and the error names the part`, async (build) => {
    const code = schema?.response === undefined ? 'ALC_ERR_SCH_VALIDATION_BUILD' : 'ALC_ERR_SCH_SERIALIZATION_BUILD'
    const boot = async (): Promise<unknown> => {
      const server = await build(
        { name: 'root', routes: [{ method: 'POST', path: '/', schema, handler: () => '' }] },
        { jsv: { customOptions: { strict: false } } },
      )
      return server.ready()
    }
    await rejectsBoot(boot, { code, message }, { code: 'NOT_EXPECTED' as never, message })
  })
}
