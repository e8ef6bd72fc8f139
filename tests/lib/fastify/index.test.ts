/** The entry alcove/fastify: what an application for Fastify 5 finds, by real requests. */
import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
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
