/** Validation of a request part by part, by validators of the default engine and of the application. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

/** Status and body of a route whose validator compiler returns `validate`. */
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
    test(`accepts the value, or replaces it, if it returns ${title}`, async () => {
      assert.deepEqual(await answerOf(validate), [200, { got, error: null, errors: null }])
    })
  }

  const failing: [title: string, validate: (value: any) => unknown, message: string][] = [
    ['false', () => false, 'body is invalid'],
    ['false with errors', Object.assign(() => false, { errors: [{ instancePath: '/a', message: 'must be b' }] }), 'body/a must be b'],
    [
      'false with errors that say little',
      Object.assign(() => false, { errors: [{}, null, { message: 'x' }].filter(Boolean) }),
      'body is invalid, body x',
    ],
    ['an error with must inside', () => ({ error: [{ message: 'is what must be' }] }), 'body is what must be'],
    ['an error', () => ({ error: new Error('no') }), 'no'],
    ['a list of errors', () => ({ error: [{ message: 'must be b' }] }), 'body must be b'],
    ['a list of errors of ajv', () => ({ error: [{ keyword: 'const', message: 'must be b' }] }), 'body should be b'],
    [
      'errors of ajv that name a property',
      () => ({ error: [{ keyword: 'propertyNames', message: 'property name must be valid' }] }),
      'body property name should be valid',
    ],
    [
      'errors of ajv that name a tag',
      () => ({ error: [{ keyword: 'discriminator', message: 'tag "must" must be string' }] }),
      'body tag "must" should be string',
    ],
    ['a text', () => ({ error: 'is bad' }), 'body is bad'],
    ['an object with a message', () => ({ error: { message: 'is worse' } }), 'body is worse'],
    ['an object', () => ({ error: {} }), 'body is invalid'],
    ['the promise of an error', async () => ({ error: new Error('later') }), 'later'],
    ['the promise of false', async () => false, 'body is invalid'],
    ['a rejection', () => Promise.reject(Object.assign(new Error('rejected'), { name: 'ValidationError' })), 'rejected'],
    ['a rejection with a list', () => Promise.reject([{ message: 'must be b' }]), 'body must be b'],
  ]
  for (const [title, validate, message] of failing) {
    test(`refuses the value if it returns ${title}`, async () => {
      const [status, { message: said }] = await answerOf(validate)
      assert.deepEqual([status, said], [400, message])
      // With attachValidation the handler gets the error.
      const [, attached] = await answerOf(validate, { attachValidation: true })
      assert.deepEqual([attached.got, attached.error], [{ a: 1 }, message])
      // It reports no errors.
      if (title === 'false') assert.equal(attached.errors, 0)
    })
  }

  test('that refuses one part, even asynchronously, keeps the next parts from being validated', async () => {
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

  test('keeps code and context of an error that has them, but not its status', async () => {
    const error = Object.assign(new Error('own'), { statusCode: 422, code: 'OWN', validationContext: 'mine' })
    const server = createServer()
    let seen: any
    server.setErrorHandler((failure: any, _request, reply) => {
      seen = failure
      reply.code(failure.statusCode).send({})
    })
    server.post('/', { schema: { body: {} }, validatorCompiler: () => () => ({ error }) }, () => 'never')
    assert.equal((await server.inject({ method: 'POST', url: '/', payload: {} })).statusCode, 400)
    assert.deepEqual([seen, seen.code, seen.validationContext, seen.validation], [error, 'OWN', 'mine', error])
    assert.deepEqual(Object.keys(error), ['statusCode', 'code', 'validationContext'])
    await server.close()
  })
})

test('the property validation of an error is kept if it has one, and an error handler may change and delete it', async () => {
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

test('a formatter that does not return an error is answered 500, and the message names the type of the result', async () => {
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
  test('is awaited, and refuses with its errors; a keyword that throws is answered 500', async () => {
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

describe('a body that was not sent', () => {
  const post = async (schema: object): Promise<unknown[]> => {
    const server = createServer()
    server.post('/', { schema: { body: schema } }, (request) => ({ got: request.body ?? null }))
    const reply = await server.inject({ method: 'POST', url: '/' })
    await server.close()
    return [reply.statusCode, reply.json().message ?? reply.json()]
  }

  test('is validated as missing, not as the value that coercion would make of it', async () => {
    assert.deepEqual(await post({ type: 'string' }), [400, 'body should be string'])
    assert.deepEqual(await post({ type: 'integer' }), [400, 'body should be integer'])
    assert.deepEqual(await post({ type: 'object' }), [400, 'body should be object'])
    assert.deepEqual(await post({ type: ['string', 'null'] }), [200, { got: null }])
    assert.deepEqual(await post({ required: [] }), [200, { got: null }])
    assert.deepEqual(await post({ required: ['a'] }), [400, "body should have required property 'a'"])
  })
})
