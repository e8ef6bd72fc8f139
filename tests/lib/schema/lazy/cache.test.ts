import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'

const thing = () => ({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'], additionalProperties: false })
const referring = () => ({ type: 'object', properties: { n: { $ref: 'number#' } } })

/** Serves `/a` and `/b`, each from a context of its own; `seen` requests one and returns its compiled functions. */
const serveTwo = async (
  schema: () => object,
  declare: (instance: Server, place: string) => void = () => {},
  options: ServerOptions = {},
): Promise<{ server: Server; seen: (place: string) => Promise<{ validate: any; serialize: any }> }> => {
  const server = createServer(options)
  let last: { validate: any; serialize: any } | undefined
  server.addHook('onSend', async (request, reply) => {
    last = { validate: request.getValidationFunction('body'), serialize: reply.getSerializationFunction(200) }
  })
  for (const place of ['a', 'b']) {
    await server.register(async (instance: Server) => {
      declare(instance, place)
      instance.post(`/${place}`, { schema: { body: schema(), response: { 200: schema() } } }, (request) => request.body as object)
    })
  }
  await server.ready()
  const seen = async (place: string): Promise<{ validate: any; serialize: any }> => {
    const { statusCode, body } = await server.inject({ method: 'POST', url: `/${place}`, payload: { n: 1 } })
    assert.equal(`${statusCode} ${body}`, '200 {"n":1}')
    return last!
  }
  return { server, seen }
}

for (const compileSchemas of ['lazy', 'boot'] as const) {
  test(`Routes and contexts with equal schemas share their compiled functions (compileSchemas: ${compileSchemas})`, async () => {
    const { seen } = await serveTwo(thing, undefined, { compileSchemas })
    const first = await seen('a')
    assert.deepEqual(await seen('b'), first)
    assert.equal((await seen('b')).validate, first.validate)
    assert.equal((await seen('b')).serialize, first.serialize)
  })

  test(`Equal schemas with references share their functions only if the shared schemas are equal (compileSchemas: ${compileSchemas})`, async () => {
    const declare = (least: (place: string) => number) => (instance: Server, place: string) =>
      void instance.addSchema({ $id: 'number', type: 'integer', minimum: least(place) })
    const alike = await serveTwo(
      referring,
      declare(() => 1),
      { compileSchemas },
    )
    assert.equal((await alike.seen('a')).validate, (await alike.seen('b')).validate)
    const other = await serveTwo(
      referring,
      declare((place) => (place === 'a' ? 0 : 1)),
      { compileSchemas },
    )
    assert.notEqual((await other.seen('a')).validate, (await other.seen('b')).validate)
    const zero = { method: 'POST', payload: { n: 0 } } as const
    assert.equal((await other.server.inject({ ...zero, url: '/a' })).statusCode, 200)
    assert.equal((await other.server.inject({ ...zero, url: '/b' })).statusCode, 400)
  })
}

test('A schema without references is compiled once for contexts with different shared schemas', async () => {
  const { seen } = await serveTwo(thing, (instance, place) => void instance.addSchema({ $id: place, type: 'string' }))
  const { validate, serialize } = await seen('a')
  const other = await seen('b')
  assert.equal(other.validate, validate)
  assert.equal(other.serialize, serialize)
})

const alternatives = () => ({
  type: 'object',
  properties: { a: { oneOf: [{ type: 'integer' }, { type: 'string' }] } },
})

for (const compileSchemas of ['lazy', 'boot'] as const) {
  test(`Equal schemas with alternatives are compiled once for bodies and once for query strings (compileSchemas: ${compileSchemas})`, async () => {
    const server = createServer({ compileSchemas })
    const seen: unknown[][] = []
    for (const url of ['/1', '/2']) {
      server.post(url, { schema: { body: alternatives(), querystring: alternatives() } }, (request) => {
        seen.push([request.getValidationFunction('body'), request.getValidationFunction('query')])
        return { body: request.body, query: request.query }
      })
    }
    for (const url of ['/1', '/1', '/2']) {
      const { body } = await server.inject({ method: 'POST', url: `${url}?a=x`, payload: { a: '1' } })
      assert.equal(body, '{"body":{"a":"1"},"query":{"a":"x"}}')
    }
    assert.notEqual(seen[1]![0], seen[1]![1])
    assert.deepEqual(seen[2], seen[1])
  })
}

test('A shared schema with inherited names or alternatives is validated as such behind a reference', async () => {
  const server = createServer()
  server.addSchema({ $id: 'named', type: 'object', properties: { constructor: { type: 'string' } }, required: ['constructor'] })
  server.addSchema({ $id: 'mixed', oneOf: [{ type: 'integer' }, { type: 'string' }] })
  const body = { type: 'object', properties: { named: { $ref: 'named#' }, mixed: { $ref: 'mixed#' } } }
  server.post('/', { schema: { body } }, (request) => request.body as object)
  const answer = async (payload: object): Promise<string> => (await server.inject({ method: 'POST', url: '/', payload })).body
  assert.match(await answer({ named: {} }), /should have required property 'constructor'/)
  assert.equal(await answer({ mixed: '1' }), '{"mixed":"1"}')
})

test('Schemas that differ only in the order of their properties are not equal: replies keep that order', async () => {
  const server = createServer()
  const response = (...names: string[]) => ({ 200: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) } })
  server.get('/ab', { schema: { response: response('a', 'b') } }, () => ({ a: 1, b: 2 }))
  server.get('/ba', { schema: { response: response('b', 'a') } }, () => ({ a: 1, b: 2 }))
  assert.equal((await server.inject('/ab')).body, '{"a":1,"b":2}')
  assert.equal((await server.inject('/ba')).body, '{"b":2,"a":1}')
})

test('A lazy validator is replaced by the function that it compiles, and one that was kept continues to work', async () => {
  const server = createServer()
  const kept: any[] = []
  server.post('/', { attachValidation: true, schema: { body: thing() } }, (request) => {
    kept.push(request.getValidationFunction('body'))
    return request.validationError?.message ?? 'valid'
  })
  server.addHook('preValidation', async (request) => void kept.push(request.getValidationFunction('body')))
  const answer = async (n: number): Promise<string> => (await server.inject({ method: 'POST', url: '/', payload: { n } })).body
  assert.equal(await answer(0), 'body/n should be >= 1')
  assert.equal(await answer(1), 'valid')
  const [lazy, ...compiled] = kept
  assert.equal(new Set(compiled).size, 1)
  assert.notEqual(lazy, compiled[0])
  assert.equal(lazy({ n: 0 }), false)
  assert.equal(lazy.errors[0].keyword, 'minimum')
})

test('Changes of a schema after ready do not change how it validates and serializes', async () => {
  const server = createServer()
  const schema: any = { body: { type: 'object', properties: { n: { $ref: 'number#' } } }, response: { 200: thing() } }
  server.addSchema({ $id: 'number', type: 'integer', minimum: 1 })
  server.post('/', { schema }, (request) => request.body as object)
  await server.ready()
  delete schema.body.properties.n
  delete schema.response['200'].properties.n
  server.getSchema('number').minimum = 5
  const answer = async (n: number): Promise<string> => (await server.inject({ method: 'POST', url: '/', payload: { n } })).body
  assert.equal(await answer(2), '{"n":2}')
  assert.match(await answer(0), /body\/n should be >= 1/)
})

test('A schema object that contains itself several times fails the boot quickly', async () => {
  const circular: any = { type: 'object', properties: {} }
  for (const name of 'abcdefgh') circular.properties[name] = circular
  const server = createServer()
  server.post('/', { schema: { body: circular } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), { code: 'ALC_ERR_SCH_VALIDATION_BUILD' })
})

test('A lazy validator coerces a root value and reports its errors on the very first request', async () => {
  const server = createServer()
  server.post('/', { schema: { body: { type: 'integer' } } }, (request) => ({ body: request.body }))
  server.post('/other', { schema: { body: { type: 'integer', minimum: 5 } } }, () => '')
  const send = (url: string, payload: string) =>
    server.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } })
  assert.equal((await send('/', '"42"')).body, '{"body":42}')
  assert.match((await send('/other', '"4"')).body, /body should be >= 5/)
})

test('Bodies and replies of several media types have lazy functions of their own', async () => {
  const server = createServer()
  const text = (maxLength: number) => ({ schema: { type: 'object', properties: { a: { type: 'string', maxLength } } } })
  const content = { 'application/json': text(1), 'application/x+json': text(2) }
  server.post(
    '/',
    { schema: { body: { content }, response: { 200: { content: { 'application/json': text(1) } } } } },
    (request) => request.body as object,
  )
  for (const _ of [1, 2]) {
    for (const [type, a, status] of [
      ['json', 'aa', 400],
      ['json', 'a', 200],
      ['x+json', 'aa', 200],
      ['x+json', 'aaa', 400],
    ] as const) {
      const headers = { 'content-type': `application/${type}` }
      assert.equal(
        (await server.inject({ method: 'POST', url: '/', headers, payload: JSON.stringify({ a }) })).statusCode,
        status,
        `${type} ${a}`,
      )
    }
  }
})

test('Compilers of the application run at ready, for each schema, also if the server compiles lazily', async () => {
  const asked: string[] = []
  const server = createServer({ compileSchemas: 'lazy' })
  server.setValidatorCompiler(({ httpPart }) => {
    asked.push(httpPart)
    return () => true
  })
  server.setSerializerCompiler(({ httpStatus }) => {
    asked.push(httpStatus)
    return (payload) => JSON.stringify(payload)
  })
  for (const url of ['/a', '/b']) server.post(url, { schema: { body: thing(), response: { 200: thing() } } }, () => ({}))
  await server.ready()
  assert.deepEqual(asked, ['body', '200', 'body', '200'])
})

/** Whether a schema is compiled before its first request. Both engines compile with `new Function`. */
async function isCompiledAtReady(options: ServerOptions, where: 'body' | 'response', more: object = {}): Promise<boolean> {
  const { Function } = globalThis
  let isCompiled = false
  globalThis.Function = new Proxy(Function, {
    construct(target, texts: string[]) {
      isCompiled ||= texts.at(-1)!.includes('remarkable')
      return Reflect.construct(target, texts)
    },
  })
  try {
    const server = createServer(options)
    const schema = { type: 'object', properties: { remarkable: { type: 'integer' } }, ...more }
    const shape = where === 'body' ? { body: schema } : { response: { 200: schema } }
    server.post('/', { schema: shape }, (request) => request.body as object)
    await server.ready()
    const atReady = isCompiled
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: { remarkable: 1 } })).body, '{"remarkable":1}')
    assert.equal(isCompiled, true)
    return atReady
  } finally {
    globalThis.Function = Function
  }
}

test('A schema that is certain to compile is compiled when it is first needed, unless an option may make the engine refuse it', async () => {
  const withoutRefusals: Record<string, unknown> = {
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    allErrors: true,
    verbose: true,
    messages: false,
    strict: false,
    strictSchema: false,
    strictNumbers: false,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
  }
  for (const [name, value] of Object.entries(withoutRefusals)) {
    const customOptions = { [name]: value }
    assert.equal(await isCompiledAtReady({ jsv: { customOptions } }, 'body'), false, name)
  }
  assert.equal(await isCompiledAtReady({ jsv: { customOptions: withoutRefusals } }, 'body'), false)
  assert.equal(await isCompiledAtReady({}, 'response'), false)
})

test('Request schemas with alternatives and with circular references are compiled when they are first needed', async () => {
  assert.equal(await isCompiledAtReady({}, 'body', { anyOf: [{ required: ['remarkable'] }] }), false)
  assert.equal(await isCompiledAtReady({}, 'body', { additionalProperties: { $ref: '#' } }), false)
})

test('A schema that the engine refuses fails the boot: one of a route, and a shared one that no route refers to', async () => {
  const annotated = createServer()
  annotated.post('/', { schema: { body: { type: 'object', properties: { a: { type: 'string', 'x-note': 'none' } } } } }, () => '')
  await assert.rejects(Promise.resolve(annotated.ready()), /x-note/)
  const sharing = createServer()
  sharing.addSchema({ $id: 'nonsense', type: 'nonsense' })
  sharing.post('/', { schema: { body: thing() } }, () => '')
  await assert.rejects(Promise.resolve(sharing.ready()), /type.* must be equal to one of the allowed values/)
})

test('Schemas are compiled at ready if an option may make the engine refuse some, and with compileSchemas: boot', async () => {
  for (const customOptions of [{ discriminator: true }, { allErrors: true, strictRequired: true }, { formats: { even: true as const } }]) {
    assert.equal(await isCompiledAtReady({ jsv: { customOptions } }, 'body'), true, Object.keys(customOptions).join())
  }
  assert.equal(await isCompiledAtReady({ jsv: { onCreate: () => {} } }, 'body'), true)
  assert.equal(await isCompiledAtReady({ jsv: { plugins: [(jsv: unknown) => jsv] } }, 'body'), true)
  assert.equal(await isCompiledAtReady({ compileSchemas: 'boot' }, 'body'), true)
  assert.equal(await isCompiledAtReady({ compileSchemas: 'boot' }, 'response'), true)
})

const oneFrom = (...schemas: object[]) => ({ schema: { response: { 200: { anyOf: schemas } } } })

for (const compileSchemas of ['lazy', 'boot'] as const)
  test(`A fault that only the validator of an alternative shows is reported at ready (compileSchemas: ${compileSchemas})`, async () => {
    for (const faulty of [{ not: { $ref: '#/nowhere' } }, { nullable: true }]) {
      const server = createServer({ compileSchemas })
      server.get('/', oneFrom(faulty, { type: 'integer' }), () => 5)
      await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_SERIALIZATION_BUILD' })
    }
  })

test('With compileSchemas: boot, the first reply compiles no alternatives', async () => {
  const server = createServer({ compileSchemas: 'boot' })
  server.get('/', oneFrom({ type: 'string' }, { type: 'integer' }), () => 5)
  await server.ready()
  const { Function: original } = globalThis
  let count = 0
  globalThis.Function = new Proxy(original, { construct: (target, given) => (count++, Reflect.construct(target, given)) })
  try {
    assert.equal((await server.inject('/')).body, '5')
  } finally {
    globalThis.Function = original
  }
  assert.equal(count, 0)
})
