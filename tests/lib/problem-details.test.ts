/** Errors as problem details (RFC 9457): which contexts write them, and what they say. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import Joi from 'joi'
import * as yup from 'yup'
import { z } from 'zod'
import { createServer, HttpError, type Server, type ServerOptions } from 'alcove/lib'
import { exchange } from '../security/wire.js'

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: any
}

/** Listens while `run` sends requests. */
async function listening(
  options: ServerOptions,
  declare: (server: Server) => unknown,
  run: (get: (path: string, init?: RequestInit) => Promise<Answer>, port: number) => Promise<void>,
): Promise<void> {
  const server = createServer({ forceCloseConnections: true, ...options })
  declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  try {
    await run(async (path, init) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.json() }
    }, port)
  } finally {
    await server.close()
  }
}

const PROBLEM = 'application/problem+json; charset=utf-8'
const problem = (status: number, body: object): Answer => ({ status, type: PROBLEM, body: { type: 'about:blank', ...body, status } })
const post = (body: unknown, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const fail = (error: unknown) => (): never => {
  throw error
}

describe('a server with errorFormat: problem', () => {
  const options: ServerOptions = { errorFormat: 'problem' }

  test('writes errors of handlers with type, title, status, detail and instance', () =>
    listening(
      options,
      (server) => server.get('/users/:id', fail(new HttpError(404, 'No user 7', { code: 'NO_USER' }))),
      async (get) => {
        const detail = { title: 'Not Found', detail: 'No user 7', instance: '/users/7', code: 'NO_USER' }
        assert.deepEqual(await get('/users/7?token=secret'), problem(404, detail))
      },
    ))

  test('writes type, title and extension members of an HttpError', () =>
    listening(
      options,
      (server) => {
        const extensions = { balance: 30, accounts: ['/account/1'] }
        server.get(
          '/',
          fail(new HttpError(403, 'The price is 50', { type: 'https://shop.example/no-credit', title: 'No credit', extensions })),
        )
      },
      async (get) =>
        assert.deepEqual((await get('/')).body, {
          type: 'https://shop.example/no-credit',
          title: 'No credit',
          status: 403,
          detail: 'The price is 50',
          instance: '/',
          balance: 30,
          accounts: ['/account/1'],
        }),
    ))

  test('shows of a 5xx what the default format shows: nothing, unless it is exposed', async () => {
    const declare = (server: Server): void => {
      const secret = { code: 'DB_7', type: 'https://db-7.example', title: 'db-7', extensions: { host: 'db-7' } }
      server.get('/hidden', fail(new HttpError(503, 'db-7 is down', secret)))
      server.get('/plain', fail(new Error('db-7 is down')))
      server.get('/exposed', fail(new HttpError(503, 'Back at noon', { expose: true, extensions: { until: 12 } })))
      server.get('/unexposed', fail(new HttpError(404, 'db-7 has no row', { ...secret, expose: false })))
    }
    await listening(options, declare, async (get) => {
      assert.deepEqual(await get('/hidden'), problem(503, { title: 'Service Unavailable', instance: '/hidden' }))
      assert.deepEqual(await get('/plain'), problem(500, { title: 'Internal Server Error', instance: '/plain' }))
      assert.deepEqual(await get('/unexposed'), problem(404, { title: 'Not Found', instance: '/unexposed' }))
      const shown = { title: 'Service Unavailable', detail: 'Back at noon', instance: '/exposed', until: 12 }
      assert.deepEqual(await get('/exposed'), problem(503, shown))
    })
    await listening({ ...options, exposeErrorMessages: true }, declare, async (get) =>
      assert.equal((await get('/plain')).body.detail, 'db-7 is down'),
    )
  })

  test('writes the errors of the framework: 404, 413, 415, 400 for a body that is not JSON, 503', () =>
    listening(
      { ...options, bodyLimit: 10, handlerTimeout: 50 },
      (server) => {
        server.post('/', (request) => request.body)
        server.get('/slow', () => new Promise(() => {}))
      },
      async (get) => {
        assert.deepEqual(await get('/none'), problem(404, { title: 'Not Found', detail: 'Route GET:/none not found', instance: '/none' }))
        const large = { title: 'Payload Too Large', detail: 'Request body is too large', instance: '/', code: 'ALC_ERR_CTP_BODY_TOO_LARGE' }
        assert.deepEqual(await get('/', post('"0123456789"')), problem(413, large))
        const unsupported = await get('/', post('a,b', 'text/csv'))
        assert.deepEqual([unsupported.status, unsupported.type, unsupported.body.code], [415, PROBLEM, 'ALC_ERR_CTP_INVALID_MEDIA_TYPE'])
        const broken = await get('/', post('{'))
        assert.deepEqual([broken.status, broken.type, broken.body.title, broken.body.status], [400, PROBLEM, 'Bad Request', 400])
        const slow = { title: 'Service Unavailable', instance: '/slow', code: 'ALC_ERR_HANDLER_TIMEOUT' }
        assert.deepEqual(await get('/slow'), problem(503, slow))
      },
    ))

  test('writes what is refused before routing, also on the bare socket', () =>
    listening(options, Object, async (_get, port) => {
      const refused = async (bytes: string): Promise<[number, string | undefined, object]> => {
        const [answer] = await exchange(port, bytes)
        return [answer!.status, answer!.headers['content-type'], JSON.parse(answer!.body)]
      }
      const detail = 'The request must have one valid Host header'
      assert.deepEqual(await refused('GET / HTTP/1.1\r\n\r\n'), [
        400,
        PROBLEM,
        { type: 'about:blank', title: 'Bad Request', status: 400, detail, instance: '/', code: 'ALC_ERR_BAD_HOST' },
      ])
      assert.deepEqual(await refused('GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n'), [
        400,
        'application/problem+json',
        { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Client Error' },
      ])
    }))

  test('has an instance that is a path, whatever bytes were requested', () =>
    listening(options, Object, async (_get, port) => {
      for (const [target, instance] of [
        ['//evil.example/a', '/.//evil.example/a'],
        ['/a"<b>|?c=d', '/a%22%3Cb%3E%7C'],
      ] as const) {
        const [answer] = await exchange(port, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1'))
        assert.equal(JSON.parse(answer!.body).instance, instance)
      }
    }))

  test('writes them over HTTP/2 too', async () => {
    const server = createServer({ ...options, http2: true })
    await server.listen({ port: 0, host: '127.0.0.1' })
    const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    const stream = session.request({ ':path': '/none' })
    const [headers] = await once(stream, 'response')
    assert.deepEqual([headers[':status'], headers['content-type']], [404, PROBLEM])
    stream.close()
    session.close()
    await server.close()
  })

  test('writes a 408 over HTTP/2, for a body that does not arrive', async () => {
    const server = createServer({ ...options, http2: true, requestTimeout: 50 })
    server.post('/', (request) => request.body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    const stream = session.request({ ':path': '/', ':method': 'POST', 'content-type': 'application/json' }, { endStream: false })
    const [headers] = await once(
      stream.on('error', () => {}),
      'response',
    )
    let text = ''
    for await (const part of stream.setEncoding('utf8')) text += part
    assert.deepEqual([headers[':status'], headers['content-type']], [408, 'application/problem+json'])
    assert.deepEqual(JSON.parse(text), { type: 'about:blank', title: 'Request Timeout', status: 408, detail: 'Client Timeout' })
    session.close()
    await server.close()
  })

  test('writes a 500 that depends on nothing, if a request cannot be set up or its error cannot be sent', async () => {
    const genReqId = fail(new Error('No id'))
    await listening({ ...options, genReqId }, Object, async (get) => {
      assert.deepEqual(await get('/'), problem(500, { title: 'Internal Server Error' }))
    })
    const onSend = async (): Promise<never> => fail(new Error('No'))()
    await listening(
      options,
      (server) => server.get('/', { onSend }, () => 'never'),
      async (get) => assert.deepEqual(await get('/'), problem(500, { title: 'Internal Server Error', instance: '/' })),
    )
  })

  test('leaves payloads alone that the application chose: the body of an HttpError, values that are not errors, replies of error handlers', () =>
    listening(
      options,
      (server) => {
        server.get('/body', fail(new HttpError(409, 'Taken', { body: { taken: true } })))
        server.get('/value', fail({ statusCode: 409, taken: true }))
        server.get('/own', { errorHandler: (_error, _request, reply) => reply.code(409).send({ taken: true }) }, fail(new Error('Taken')))
      },
      async (get) => {
        for (const path of ['/body', '/own']) {
          const { status, type, body } = await get(path)
          assert.deepEqual([status, type, body], [409, 'application/json; charset=utf-8', { taken: true }], path)
        }
        assert.deepEqual((await get('/value')).body, { statusCode: 409, taken: true })
      },
    ))

  test('answers with a problem if the schema of the error cannot be serialized', () =>
    listening(
      options,
      (server) => {
        const schema = {
          response: {
            404: { content: { 'application/problem+json': { schema: { type: 'object', properties: { detail: { type: 'integer' } } } } } },
          },
        }
        server.get('/', { schema }, fail(new HttpError(404, 'No such user')))
      },
      async (get) =>
        assert.deepEqual(
          await get('/'),
          problem(500, { title: 'Internal Server Error', instance: '/', code: 'ALC_ERR_FAILED_ERROR_SERIALIZATION' }),
        ),
    ))

  test('is whole if the schema of its status names no media type, and the reply of a handler has that schema', () =>
    listening(
      options,
      (server) => {
        const hint = { type: 'object', properties: { hint: { type: 'string' } } } as const
        const schema = { response: { 404: hint, default: { type: 'object', properties: { message: { type: 'string' } } } } } as const
        server.get('/thrown', { schema }, fail(new HttpError(404, 'No such file')))
        server.get('/broken', { schema }, fail(new Error('secret')))
        server.get('/sent', { schema }, (_request, reply) => reply.code(404).send({ hint: 'look elsewhere' }))
        server.get('/body', { schema }, fail(new HttpError(404, 'No', { body: { hint: 'look elsewhere' } })))
      },
      async (get) => {
        assert.deepEqual(await get('/thrown'), problem(404, { title: 'Not Found', detail: 'No such file', instance: '/thrown' }))
        assert.deepEqual(await get('/broken'), problem(500, { title: 'Internal Server Error', instance: '/broken' }))
        for (const path of ['/sent', '/body']) {
          const { status, type, body } = await get(path)
          assert.deepEqual([status, type, body], [404, 'application/json; charset=utf-8', { hint: 'look elsewhere' }], path)
        }
      },
    ))

  test('applies a response schema for application/problem+json, and none that is for JSON alone', () => {
    const only = (type: string): object => ({
      response: {
        404: { content: { [type]: { schema: { type: 'object', properties: { title: { type: 'string' }, path: { type: 'string' } } } } } },
      },
    })
    return listening(
      options,
      (server) => {
        const error = Object.assign(new HttpError(404, 'No such file'), { path: '/srv' })
        server.get('/problem', { schema: only('application/problem+json') }, fail(error))
        server.get('/json', { schema: only('application/json') }, fail(error))
      },
      async (get) => {
        assert.deepEqual((await get('/problem')).body, { title: 'Not Found', path: '/srv' })
        assert.deepEqual(await get('/json'), problem(404, { title: 'Not Found', detail: 'No such file', instance: '/json' }))
      },
    )
  })
})

describe('the reasons of a failed validation', () => {
  const body = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string' }, 'a/b': { type: 'object', properties: { '~': { type: 'integer' } } } },
  }

  test('have the pointer and the words of each detail of ajv, in the part where it is', () =>
    listening(
      { errorFormat: 'problem', jsv: { customOptions: { allErrors: true, removeAdditional: false } } },
      (server) => {
        server.post('/', { schema: { body } }, () => 'never')
        server.get('/:id', { schema: { params: { id: { type: 'integer' } }, querystring: { page: { type: 'integer' } } } }, () => 'never')
        server.get('/headers', { schema: { headers: { type: 'object', required: ['X-Key'], properties: {} } } }, () => 'never')
      },
      async (get) => {
        const { status, type, body: payload } = await get('/', post({ 'a/b': { '~': 'x' }, 'x/~y': 1 }))
        assert.deepEqual([status, type, payload.title], [400, PROBLEM, 'Bad Request'])
        assert.deepEqual(payload.errors, [
          { pointer: '/name', detail: "should have required property 'name'", part: 'body' },
          { pointer: '/x~1~0y', detail: 'should NOT have additional properties', part: 'body' },
          { pointer: '/a~1b/~0', detail: 'should be integer', part: 'body' },
        ])
        assert.deepEqual((await get('/x')).body.errors, [{ pointer: '/id', detail: 'should be integer', part: 'params' }])
        assert.deepEqual((await get('/7?page=x')).body.errors, [{ pointer: '/page', detail: 'should be integer', part: 'query' }])
        assert.deepEqual((await get('/headers')).body.errors, [
          { pointer: '/x-key', detail: "should have required property 'x-key'", part: 'headers' },
        ])
        assert.deepEqual((await get('/', post('null'))).body.errors, [{ pointer: '', detail: 'should be object', part: 'body' }])
      },
    ))

  test('are the same for a schema of Zod, whether ajv or Zod itself validates', () =>
    listening(
      { errorFormat: 'problem' },
      (server) => {
        server.post('/ajv', { schema: { body: z.object({ user: z.object({ name: z.string() }) }) } }, () => 'never')
        server.post(
          '/zod',
          { schema: { body: z.object({ user: z.object({ name: z.string('should be a text').refine((value) => value !== '') }) }) } },
          () => 'never',
        )
      },
      async (get) => {
        const reason = { pointer: '/user/name', part: 'body' }
        const byAjv = { ...reason, detail: "should have required property 'name'" }
        assert.deepEqual((await get('/ajv', post({ user: {} }))).body.errors, [byAjv])
        assert.deepEqual((await get('/zod', post({ user: {} }))).body.errors, [{ ...reason, detail: 'should be a text' }])
      },
    ))

  test('are read from the errors of Joi, of Yup and of own validators', () =>
    listening(
      { errorFormat: 'problem' },
      (server) => {
        const joi = Joi.object({ user: Joi.object({ age: Joi.number() }) })
        const ofYup = yup.object({ user: yup.object({ 'post code': yup.string().required(), ages: yup.array(yup.number().required()) }) })
        const compilers: Record<string, any> = {
          joi: () => (data: unknown) => joi.validate(data),
          yup: () => async (data: unknown) => ({ value: await ofYup.validate(data, { abortEarly: false }) }),
          first: () => async (data: unknown) => ({ value: await ofYup.validate(data) }),
          own: () => () => ({ error: new Error('is too late') }),
          list: () => () => {
            throw Object.assign(new Error('no'), { issues: [{ path: [{ key: 'user' }, 0], message: 'is unknown' }] })
          },
          words: () => () => {
            throw ['is full']
          },
          silent: () => () => false,
        }
        for (const [name, validatorCompiler] of Object.entries(compilers))
          server.post(`/${name}`, { schema: { body: {} }, validatorCompiler }, () => 'never')
      },
      async (get) => {
        const sent = { user: { age: 'x', ages: ['x'] } }
        const reasons = async (name: string): Promise<object[]> => (await get(`/${name}`, post(sent))).body.errors
        assert.deepEqual(await reasons('joi'), [{ pointer: '/user/age', detail: '"user.age" must be a number', part: 'body' }])
        const ofYup = (await reasons('yup')) as { pointer: string }[]
        assert.deepEqual(new Set(ofYup.map(({ pointer }) => pointer)), new Set(['/user/ages/0', '/user/post code']))
        assert.equal((await reasons('first')).length, 1)
        assert.match(((await reasons('first')) as any)[0].pointer, /^\/user\/(?:ages\/0|post code)$/)
        assert.deepEqual(await reasons('own'), [{ pointer: '', detail: 'is too late', part: 'body' }])
        assert.deepEqual(await reasons('list'), [{ pointer: '/user/0', detail: 'is unknown', part: 'body' }])
        assert.deepEqual(await reasons('words'), [{ pointer: '', detail: 'is full', part: 'body' }])
        assert.deepEqual(await reasons('silent'), [{ pointer: '', detail: 'is invalid', part: 'body' }])
      },
    ))

  test('are shown if the handler throws the error that was attached to the request, and beside the message of a formatter', () =>
    listening(
      { errorFormat: 'problem' },
      (server) => {
        server.post('/attached', { schema: { body }, attachValidation: true }, (request: any) => fail(request.validationError)())
        server.post('/formatted', { schema: { body }, schemaErrorFormatter: () => new Error('No name') }, () => 'never')
        server.post(
          '/hidden',
          { schema: { body }, schemaErrorFormatter: () => Object.assign(new Error('No'), { expose: false }) },
          () => 'never',
        )
      },
      async (get) => {
        const errors = [{ pointer: '/name', detail: "should have required property 'name'", part: 'body' }]
        assert.deepEqual((await get('/attached', post({}))).body.errors, errors)
        const formatted = { title: 'Bad Request', detail: 'No name', instance: '/formatted', errors }
        assert.deepEqual(await get('/formatted', post({})), problem(400, formatted))
        assert.deepEqual(await get('/hidden', post({})), problem(400, { title: 'Bad Request', instance: '/hidden' }))
      },
    ))
})

describe('setErrorFormat', () => {
  const JSON_TYPE = 'application/json; charset=utf-8'
  const failing = fail(new HttpError(409, 'Taken'))
  const formats = async (get: (path: string) => Promise<Answer>, paths: string[]): Promise<Record<string, string | null>> =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await get(path)).type])))

  test('holds for its context and those below, also for unknown paths below their prefix, and can be set back', () =>
    listening(
      {},
      (server) => {
        server.get('/fails', failing)
        server.register(
          async (api) => {
            api.setErrorFormat('problem')
            api.get('/fails', failing)
            api.get('/missing', (_request, reply) => reply.callNotFound())
            api.register(async (below) => void below.get('/fails', failing), { prefix: '/below' })
            api.register(async (old) => void old.setErrorFormat('default').get('/fails', failing), { prefix: '/old' })
            api.register(async (same) => void same.get('/same', failing))
          },
          { prefix: '/api' },
        )
        server.register(async (other) => void other.get('/fails', failing), { prefix: '/other' })
        server.register(async (same) => {
          same.setErrorFormat('problem').get('/missing', (_request, reply) => reply.callNotFound())
        })
      },
      async (get) => {
        const problems = ['/api/fails', '/api/none', '/api', '/api/missing', '/api/below/fails', '/api/below/none', '/api/same', '/missing']
        const others = ['/fails', '/none', '/apis', '/api/old/fails', '/api/old/none', '/other/fails', '/other/none']
        assert.deepEqual(await formats(get, [...problems, ...others]), {
          ...Object.fromEntries(problems.map((path) => [path, PROBLEM])),
          ...Object.fromEntries(others.map((path) => [path, JSON_TYPE])),
        })
        assert.deepEqual((await get('/none')).body, { message: 'Route GET:/none not found', error: 'Not Found', statusCode: 404 })
      },
    ))

  test('changes neither the not-found handler nor the hooks of unknown paths below the prefix', () => {
    const seen: string[] = []
    return listening(
      {},
      (server) => {
        server.setNotFoundHandler((request) => fail(new HttpError(404, `Nothing at ${request.url}`))())
        server.addHook('onRequest', async () => void seen.push('root'))
        server.register(
          async (api) => {
            api.setErrorFormat('problem').addHook('onRequest', async () => void seen.push('api'))
            api.get('/', () => 'root')
          },
          { prefix: '/api' },
        )
      },
      async (get) => {
        const detail = { title: 'Not Found', detail: 'Nothing at /api/none', instance: '/api/none' }
        assert.deepEqual(await get('/api/none'), problem(404, detail))
        assert.deepEqual(await get('/none').then(({ body }) => body), { statusCode: 404, error: 'Not Found', message: 'Nothing at /none' })
        assert.deepEqual(seen, ['root', 'root'])
      },
    )
  })

  test('may be called in several contexts with one prefix, or with prefixes that differ in the names of their parameters', () =>
    listening(
      {},
      (server) => {
        for (const prefix of ['/a', '/a/', '/:x', '/:y']) server.register(async (api) => void api.setErrorFormat('problem'), { prefix })
      },
      async (get) => assert.deepEqual(await formats(get, ['/a/none', '/b/none']), { '/a/none': PROBLEM, '/b/none': PROBLEM }),
    ))

  test('refuses an unknown format, and the server the option', () => {
    const refused = { code: 'ALC_ERR_SETTING_INVALID', message: "setErrorFormat expects 'default' or 'problem', got toString" }
    assert.throws(() => createServer().setErrorFormat('toString' as 'default'), refused)
    assert.throws(() => createServer({ errorFormat: 'json' as 'problem' }), {
      code: 'ALC_ERR_INIT_OPTS_INVALID',
      message: /'errorFormat' must be one of 'default', 'problem', got 'json'/,
    })
  })
})

test('by default errors have their three fields, byte for byte', () =>
  listening(
    {},
    (server) => server.get('/', fail(new HttpError(404, 'No user', { type: 'https://a.example', title: 'None' }))),
    async (_get, port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      assert.equal(await answer.text(), '{"statusCode":404,"error":"Not Found","message":"No user"}')
    },
  ))

test('extension members follow the fields of the default format', () =>
  listening(
    {},
    (server) => server.get('/', fail(new HttpError(404, 'No user', { extensions: { id: 7 } }))),
    async (get) => assert.deepEqual((await get('/')).body, { statusCode: 404, error: 'Not Found', message: 'No user', id: 7 }),
  ))
