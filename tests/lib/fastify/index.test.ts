/** The entry alcove/fastify: what an application for Fastify 5 finds, by real requests. */
import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
import { networkInterfaces } from 'node:os'
import { describe, test, type TestContext } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import Fastify, { errorCodes, fastify } from 'alcove/fastify'

const age = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] } as const

async function listen(t: TestContext, server: Server): Promise<string> {
  t.after(() => server.close())
  return server.listen({ port: 0 })
}

const json = (method: string, body: string): RequestInit => ({ method, body, headers: { 'content-type': 'application/json' } })

test('the function is the default export, and a member of itself as in CommonJS', () => {
  assert.equal(Fastify, fastify)
  assert.equal(Fastify.fastify, fastify)
  assert.equal(Fastify.default, fastify)
  assert.equal(Fastify.errorCodes, errorCodes)
})

test('the header Trailer has the text that Fastify writes', async () => {
  const server = Fastify()
  server.get(
    '/',
    (_request, reply) =>
      void reply
        .trailer('x-a', async () => 'a')
        .trailer('x-b', async () => 'b')
        .send('body'),
  )
  const { headers } = await server.inject('/')
  assert.equal(headers.trailer, 'x-a x-b')
  await server.close()
})

test('a server says that it has the interface of Fastify 5', async () => {
  const server = Fastify()
  assert.match(server.version, /^5\./)
  await server.close()
})

test('options of the application itself are left out, and a misspelt one is reported', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {})
  const server = Fastify({ exposeDocs: true, bodyLimt: 5, ajv: { customOptions: { coerceTypes: false } } })
  assert.deepEqual(
    warned.mock.calls.map((call) => call.arguments[0]),
    ["'bodyLimt' is not an option of the server. Did you mean 'bodyLimit'?"],
  )
  await server.close()
})

test('a name among routerOptions counts before the same name beside them', async (t) => {
  const server = Fastify({ ignoreTrailingSlash: false, routerOptions: { ignoreTrailingSlash: true } })
  server.get('/here', () => 'found')
  assert.equal((await fetch(`${await listen(t, server)}/here/`)).status, 200)
})

test('options of a wrong kind are an error of Fastify', () => {
  assert.throws(() => Fastify('options' as never), { code: 'FST_ERR_OPTIONS_NOT_OBJ', name: 'FastifyError' })
  assert.throws(() => Fastify({ bodyLimit: 'many' }), errorCodes.FST_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT)
})

describe('body schemas', () => {
  for (const method of ['DELETE', 'OPTIONS', 'POST']) {
    test(`the body of ${method} is validated, and the reply to a failure is that of Fastify`, async (t) => {
      const server = Fastify()
      server.route({ method: method as 'POST', url: '/', schema: { body: age }, handler: (request) => request.body })
      const url = await listen(t, server)
      const refused = await fetch(url, json(method, '{"age":"x"}'))
      assert.equal(
        await refused.text(),
        '{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"body/age must be integer"}',
      )
      assert.deepEqual(await (await fetch(url, json(method, '{"age":"5"}'))).json(), { age: 5 })
    })
  }

  test('a body schema of GET is refused, because its body is not read', async () => {
    const server = Fastify()
    assert.throws(() => server.get('/', { schema: { body: age } } as object, () => ''), {
      code: 'FST_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED',
    })
    await server.close()
  })
})

test('a body that no parser takes is refused with the text of Fastify', async (t) => {
  const server = Fastify()
  server.post('/', () => '')
  const reply = await fetch(await listen(t, server), { method: 'POST', body: 'a', headers: { 'content-type': 'text/xml' } })
  assert.equal(((await reply.json()) as { message: string }).message, 'Unsupported Media Type')
})

test('a body that is not JSON is refused with the error of Fastify', async (t) => {
  const server = Fastify()
  server.post('/', () => '')
  const reply = await fetch(await listen(t, server), json('POST', '{'))
  assert.deepEqual(await reply.json(), {
    statusCode: 400,
    code: 'FST_ERR_CTP_INVALID_JSON_BODY',
    error: 'Bad Request',
    message: "Body is not valid JSON but content-type is set to 'application/json'",
  })
})

test('error handlers, onError hooks and attached validation get errors of Fastify', async (t) => {
  const server = Fastify()
  const seen: unknown[] = []
  server.addHook('onError', async (_request, _reply, error) => void seen.push((error as { code?: string }).code))
  server.setErrorHandler((error, _request, reply) => reply.code(400).send({ name: error.constructor.name }))
  server.post('/', { schema: { body: age } }, () => '')
  server.post('/attached', { schema: { body: age }, attachValidation: true }, ({ validationError }) => validationError?.code)
  server.get('/find', { schema: { querystring: age }, attachValidation: true }, ({ validationError }) => validationError?.validationContext)
  const url = await listen(t, server)
  assert.deepEqual(await (await fetch(url, { method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } })).json(), {
    name: 'FastifyError',
  })
  assert.deepEqual(seen, ['FST_ERR_CTP_INVALID_MEDIA_TYPE'])
  assert.equal(await (await fetch(`${url}/attached`, json('POST', '{}'))).text(), 'FST_ERR_VALIDATION')
  assert.equal(await (await fetch(`${url}/find`)).text(), 'querystring')
})

test('the message of an unexpected error is shown', async (t) => {
  const server = Fastify()
  server.get('/', () => {
    throw new Error('no such table')
  })
  const reply = await fetch(await listen(t, server))
  assert.deepEqual(await reply.json(), { statusCode: 500, error: 'Internal Server Error', message: 'no such table' })
})

test('errors that methods of instance, request and reply throw are errors of Fastify, and ours as well', async (t) => {
  const server = Fastify()
  assert.throws(() => server.addHook('none' as 'onSend', () => {}), errorCodes.FST_ERR_HOOK_NOT_SUPPORTED)
  server.register(async (child) => {
    child.decorate('once', 1)
    assert.throws(() => child.decorate('once', 2), { code: 'FST_ERR_DEC_ALREADY_PRESENT' })
  })
  const codes: unknown[] = []
  server.get('/', (request, reply) => {
    for (const call of [() => reply.code(7), () => request.validateInput({}, 'none' as 'body')]) {
      try {
        call()
      } catch (error) {
        codes.push((error as { code?: string }).code)
      }
    }
    return 'ok'
  })
  await fetch(await listen(t, server))
  assert.deepEqual(codes, ['FST_ERR_BAD_STATUS_CODE', 'FST_ERR_REQ_INVALID_VALIDATION_INVOCATION'])
})

test('a failed boot, and a closed server, report errors of Fastify', async () => {
  const server = Fastify()
  server.get('/', { schema: { querystring: { $ref: 'missing#' } } }, () => '')
  await assert.rejects(async () => server.ready(), { code: 'FST_ERR_SCH_VALIDATION_BUILD' })
  await server.close()
  const closed = Fastify()
  await closed.close()
  await assert.rejects(async () => closed.listen({ port: 0 }), errorCodes.FST_ERR_REOPENED_CLOSE_SERVER)
})

test('disableRequestLogging silences errors and missing routes too', async (t) => {
  const lines: string[] = []
  const server = Fastify({ logger: { stream: { write: (line: string) => lines.push(line) } }, disableRequestLogging: true })
  server.get('/', () => {
    throw new Error('unlogged')
  })
  const url = await listen(t, server)
  lines.length = 0
  await fetch(`${url}/?token=s`)
  await fetch(`${url}/none?token=s`)
  assert.deepEqual(lines, [])
  assert.equal(server.initialConfig.disableRequestLogging, true)
})

test('calls of handlers are reported on the channel of Fastify', async (t) => {
  const handling = tracingChannel<object>('fastify.request.handler')
  const urls: unknown[] = []
  const subscribers = { start: ({ route }: any) => void urls.push(route.url) } as Parameters<typeof handling.subscribe>[0]
  handling.subscribe(subscribers)
  t.after(() => handling.unsubscribe(subscribers))
  const server = Fastify()
  server.get('/traced', () => 'ok')
  await fetch(`${await listen(t, server)}/traced`)
  assert.deepEqual(urls, ['/traced'])
})

test('a path parameter that is too long is answered 414', async (t) => {
  const server = Fastify({ routerOptions: { maxParamLength: 3 } })
  server.get('/:name', () => 'ok')
  const url = await listen(t, server)
  assert.equal((await fetch(`${url}/abc`)).status, 200)
  assert.equal(((await (await fetch(`${url}/abcd`)).json()) as { code: string }).code, 'FST_ERR_MAX_PARAM_LENGTH')
})

test('hostname is the host without its port', async (t) => {
  const server = Fastify()
  server.get('/', ({ host, hostname }) => ({ host, hostname }))
  const url = new URL(await listen(t, server))
  assert.deepEqual(await (await fetch(url)).json(), { host: url.host, hostname: url.hostname })
})

test('a logged request has its host with the port, under the name of Fastify 5', async (t) => {
  const lines: any[] = []
  const server = Fastify({ logger: { stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  server.get('/', () => 'ok')
  const url = new URL(await listen(t, server))
  await fetch(url)
  const { req } = lines.find(({ msg }) => msg === 'incoming request')
  assert.deepEqual([req.host, req.hostname], [url.host, undefined])
})

test('a handler may take any time, and requests of a closing server are answered 503, unless the application says otherwise', async () => {
  const servers = [Fastify(), Fastify({ handlerTimeout: 50, return503OnClosing: false })]
  const shown = servers.map(({ initialConfig: { handlerTimeout, return503OnClosing } }) => [handlerTimeout, return503OnClosing])
  assert.deepEqual(shown, [
    [0, true],
    [50, false],
  ])
  await Promise.all(servers.map((server) => server.close()))
})

test('a server of createServer in the same process keeps its own codes', async () => {
  const [server, other] = [createServer(), Fastify()]
  assert.throws(() => server.addHook('none' as 'onSend', () => {}), { code: 'ALC_ERR_HOOK_NOT_SUPPORTED' })
  assert.throws(() => other.addHook('none' as 'onSend', () => {}), { code: 'FST_ERR_HOOK_NOT_SUPPORTED' })
  await Promise.all([server.close(), other.close()])
})

describe('shapes of existing applications', () => {
  test('options handed through whole keep those of the server, and their own names do nothing', async (t) => {
    const given = {
      exposeDocs: true,
      tenant: { id: 1 },
      bodyLimit: 20,
      caseSensitive: false,
      routerOptions: { ignoreDuplicateSlashes: true },
    }
    const server = Fastify(given)
    server.post('/Sent', (request) => request.body)
    const url = await listen(t, server)
    assert.equal((await fetch(`${url}//sent`, json('POST', '{"a":1}'))).status, 200)
    assert.equal((await fetch(`${url}/sent`, json('POST', '{"a":"more than the limit"}'))).status, 413)
    assert.equal('exposeDocs' in server.initialConfig, false)
  })

  test('an application tells failures of validation by the code of the error', async (t) => {
    const server = Fastify()
    server.setErrorHandler((error: { code?: string }, _request, reply) =>
      reply
        .code(error.code === 'FST_ERR_VALIDATION' ? 400 : 500)
        .send({ error: error.code === 'FST_ERR_VALIDATION' ? 'InvalidRequest' : 'InternalError' }),
    )
    server.delete('/:name', { schema: { body: age } } as object, () => 'deleted')
    server.get('/', { schema: { querystring: age } }, () => 'found')
    const url = await listen(t, server)
    for (const reply of [await fetch(`${url}/a`, json('DELETE', '{}')), await fetch(`${url}/?age=x`)])
      assert.deepEqual([reply.status, await reply.json()], [400, { error: 'InvalidRequest' }])
    assert.equal(await (await fetch(`${url}/a`, json('DELETE', '{"age":3}'))).text(), 'deleted')
  })

  test('a parser with a body limit of 0 leaves the body to the handler', async (t) => {
    const server = Fastify()
    server.addContentTypeParser('application/octet-stream', { bodyLimit: 0 }, (_request, _payload, done) => done(null))
    server.post('/', async (request) => {
      let length = 0
      for await (const chunk of request.raw) length += (chunk as Buffer).length
      return { length }
    })
    const url = await listen(t, server)
    const reply = await fetch(url, { method: 'POST', body: 'x'.repeat(100_000), headers: { 'content-type': 'application/octet-stream' } })
    assert.deepEqual(await reply.json(), { length: 100_000 })
  })

  test('a keyword that the application adds to ajv refuses a value, and numbers that are not finite stay refused', async (t) => {
    const asked: unknown[] = []
    const validate = (isOn: boolean, value: unknown): boolean => {
      asked.push(value)
      return !isOn || value === null || (Number.isFinite(value) && value !== 13)
    }
    const server = Fastify({
      ajv: {
        plugins: [(ajv: any) => ajv.addKeyword({ keyword: 'finite', schemaType: 'boolean', validate })],
        customOptions: { strictNumbers: false },
      },
    })
    const limit = { type: ['number', 'null'], finite: true }
    server.get('/', { schema: { querystring: { type: 'object', properties: { limit } } } } as object, () => 'ok')
    const url = await listen(t, server)
    const answers = await Promise.all(['5', '13', '1e999', 'Infinity'].map(async (value) => (await fetch(`${url}/?limit=${value}`)).status))
    assert.deepEqual(answers, [200, 400, 400, 400])
    assert.ok(asked.includes(5) && asked.includes(13))
    assert.match(await (await fetch(`${url}/?limit=13`)).text(), /must pass \\"finite\\" keyword validation/)
  })

  test('a log controller of the application writes the lines of requests', async (t) => {
    const lines: string[] = []
    class Own extends Fastify.LogController {
      override incomingRequest(request: { url: string }): void {
        lines.push(request.url)
      }
    }
    const server = Fastify({ logger: { stream: { write() {} } }, logController: new Own({}) })
    server.get('/logged', () => 'ok')
    await fetch(`${await listen(t, server)}/logged`)
    assert.deepEqual(lines, ['/logged'])
  })

  test('an injected request may have any content-length, if a parser of the application reads its body', async (t) => {
    const server = Fastify()
    t.after(() => server.close())
    server.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null))
    server.post('/', ({ headers }) => ({ length: headers['content-length'] }))
    const headers = { 'content-type': 'application/octet-stream', 'content-length': 'not-a-size' }
    const reply = await server.inject({ method: 'POST', url: '/', headers, payload: 'abc' })
    assert.deepEqual([reply.statusCode, reply.json()], [200, { length: 'not-a-size' }])
  })
})

test('problem details have the words and the name of the part that Fastify 5 has', async () => {
  const app = fastify({ errorFormat: 'problem' })
  app.get('/', { schema: { querystring: { page: { type: 'integer' } } } }, () => 'never')
  const { title, detail, errors } = (await app.inject('/?page=x')).json()
  await app.close()
  const reason = { pointer: '/page', detail: 'must be integer', part: 'querystring' }
  assert.deepEqual([title, detail, errors], ['Bad Request', 'querystring/page must be integer', [reason]])
})

test('a path that cannot be decoded is answered 400 by a server without routes, too', async (t) => {
  const answers = await Promise.all(
    [Fastify(), createServer()].map(async (server) => (await fetch(`${await listen(t, server)}/%c0`)).status),
  )
  assert.deepEqual(answers, [400, 404])
})

test('a request that frameworkErrors answers is logged when it comes; the application logs the rest', async (t) => {
  const texts = async (make: (options: object) => Server): Promise<string[]> => {
    const lines: string[] = []
    const stream = { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) }
    const server = make({ logger: { stream }, frameworkErrors: (_error: unknown, _request: unknown, reply: any) => reply.send('bad') })
    server.get('/', () => 'ok')
    const url = await listen(t, server)
    lines.length = 0
    assert.equal(await (await fetch(`${url}/%c0`)).text(), 'bad')
    await fetch(url)
    return lines
  }
  assert.deepEqual(await texts(Fastify), ['incoming request', 'incoming request', 'request completed'])
  assert.deepEqual(await texts(createServer), ['incoming request', 'request completed', 'incoming request', 'request completed'])
})

test('a content-type parser is named by a whole media type', async () => {
  const server = Fastify()
  const parse = async (): Promise<string> => ''
  assert.throws(() => server.addContentTypeParser('multipart', parse), { code: 'FST_ERR_CTP_INVALID_TYPE' })
  assert.throws(() => server.addContentTypeParser(' ', parse), { code: 'FST_ERR_CTP_EMPTY_TYPE' })
  assert.throws(() => server.addContentTypeParser('multipart', null as never), { code: 'FST_ERR_CTP_INVALID_HANDLER' })
  for (const type of ['text/csv; header=present', '*', /^image/]) server.addContentTypeParser(type, parse)
  await server.close()
})

test('listen on 0.0.0.0 returns an address that a client on this machine can ask, and logs those of all network cards', async (t) => {
  const lines: string[] = []
  const server = Fastify({ logger: { stream: { write: (line: string) => lines.push(line) } } })
  server.get('/', () => 'ok')
  t.after(() => server.close())
  const address = await server.listen({ port: 0, host: '0.0.0.0' })
  assert.match(address, /^http:\/\/127\./)
  assert.equal((await fetch(address)).status, 200)
  const cards = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family }) => family === 'IPv4')
  assert.equal(lines.filter((line) => line.includes('Server listening at')).length, cards.length)
})

describe('a body schema', () => {
  const parse = async (_request: unknown, body: unknown): Promise<object> => ({ age: String(body) })
  const parsers: Record<string, (app: Server) => unknown> = {
    'of the context of the route': (app) => app.addContentTypeParser('text/csv', { parseAs: 'string' }, parse),
    'for every type': (app) => app.addContentTypeParser('*', { parseAs: 'string' }, parse),
    'for a pattern': (app) => app.addContentTypeParser(/^text\/c/, { parseAs: 'string' }, parse),
  }
  for (const [name, add] of Object.entries(parsers)) {
    for (const isOuter of [false, true]) {
      test(`validates what a parser ${name} has made${isOuter ? ', of an outer context too' : ''}`, async () => {
        const app = Fastify()
        const seen: unknown[] = []
        add(app)
        const declare = async (context: Server): Promise<void> => {
          context.post('/', { schema: { body: age } }, (request) => (seen.push(request.body), 'ok'))
        }
        if (isOuter) app.register(declare)
        else await declare(app)
        const send = (payload: string) => app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'text/csv' } })
        assert.equal((await send('x')).json().message, 'body/age must be integer')
        assert.equal((await send('36')).statusCode, 200)
        assert.deepEqual(seen, [{ age: 36 }])
        await app.close()
      })
    }
  }

  test('validates texts, and refuses a media type without a parser, and one that its content does not list', async () => {
    const app = Fastify()
    app.addContentTypeParser('*', { parseAs: 'string' }, parse)
    app.post('/', { schema: { body: age } }, () => assert.fail())
    app.post('/content', { schema: { body: { content: { 'application/json': { schema: age } } } } }, () => assert.fail())
    app.register(async (child) => {
      child.removeContentTypeParser('*')
      child.post('/none', { schema: { body: age } }, () => assert.fail())
    })
    const send = async (url: string, type: string) =>
      (await app.inject({ method: 'POST', url, payload: '{"age":1}', headers: { 'content-type': type } })).statusCode
    assert.equal(await send('/', 'text/plain'), 400)
    assert.equal(await send('/none', 'text/csv'), 415)
    assert.equal(await send('/content', 'text/csv'), 415)
    await app.close()
  })
})
