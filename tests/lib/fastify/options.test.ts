/** Options and declarations that Fastify 5 refuses, or takes in another way than `createServer`. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import Fastify, { errorCodes } from 'alcove/fastify'
import fastifyPlugin from 'fastify-plugin'
import { recorder } from '../../security/wire.js'

async function listen(t: TestContext, server: Server): Promise<string> {
  t.after(() => server.close())
  return server.listen({ port: 0 })
}

test('a logger as the option logger is refused; the option loggerInstance takes it', async () => {
  const { logger } = recorder()
  assert.throws(() => Fastify({ logger }), { code: 'FST_ERR_LOG_INVALID_LOGGER_CONFIG', message: /Pass a logger as 'loggerInstance'/ })
  assert.throws(() => Fastify({ loggerInstance: { level: 'info' } }), errorCodes.FST_ERR_LOG_INVALID_LOGGER_INSTANCE)
  await Fastify({ loggerInstance: logger }).close()
})

test('options of the server inside http and https are taken, and have no effect, as in Fastify', async () => {
  for (const name of ['http', 'https']) {
    const server = Fastify({ [name]: { keepAliveTimeout: 300, requestTimeout: 500, headersTimeout: 400 } })
    const { keepAliveTimeout, requestTimeout, headersTimeout } = server.server
    assert.deepEqual([keepAliveTimeout, requestTimeout, headersTimeout], [72_000, 300_000, 400], name)
    await server.close()
  }
})

describe('trustProxy as a number of hops', () => {
  const headers = { 'x-forwarded-for': '9.9.9.9', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

  test('trusts no proxy, since it names none, and a process warning says what to write', async (t) => {
    const warned = t.mock.method(process, 'emitWarning', () => {})
    const server = Fastify({ trustProxy: 1 })
    server.get('/', ({ ip, ips, host, protocol }) => ({ ip, ips, host, protocol }))
    const url = new URL(await listen(t, server))
    assert.deepEqual(await (await fetch(url, { headers })).json(), {
      ip: url.hostname,
      ips: [url.hostname],
      host: url.host,
      protocol: 'http',
    })
    assert.match(String(warned.mock.calls[0]?.arguments[0]), /^trustProxy: 1 trusts no proxy.*Write the addresses of the proxies/)
  })

  test('counts hops in createServer, as in Fastify 4', async (t) => {
    const server = createServer({ trustProxy: 1 })
    server.get('/', ({ ip }) => ({ ip }))
    assert.deepEqual(await (await fetch(await listen(t, server), { headers })).json(), { ip: '9.9.9.9' })
  })
})

describe('an async plugin that takes done', () => {
  const mixed = async (_instance: unknown, _options: unknown, done: () => void): Promise<void> => done()
  const wrapped = fastifyPlugin((async (_instance: unknown, _options: unknown, done: () => void) => done()) as never, { name: 'named' })

  for (const [title, plugin, name] of [
    ['a function', mixed, 'mixed'],
    ['one with a name by fastify-plugin', wrapped, 'named'],
  ] as const) {
    test(`fails the boot: ${title}`, async () => {
      const server = Fastify()
      server.register(plugin as never)
      await assert.rejects(async () => server.ready(), {
        code: 'FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER',
        message: `The ${name} plugin being registered mixes async and callback styles. Async plugin should not mix async and callback style.`,
      })
      await server.close()
    })
  }

  test('loads in createServer, as in Fastify 4', async () => {
    const server = createServer()
    server.register(mixed as never)
    await server.ready()
    await server.close()
  })
})

test('a log level of a route that the logger does not know is refused when the route is declared', async () => {
  const server = Fastify({ logger: { stream: { write() {} } } })
  assert.throws(() => server.get('/log', { logLevel: 'invalid' }, () => ''), {
    code: 'FST_ERR_ROUTE_LOG_LEVEL_INVALID',
    message: "Log level for 'GET:/log' route must be a valid logger level. Received: 'invalid'",
  })
  for (const logLevel of ['debug', 'silent', ''] as const) server.get(`/${logLevel}`, { logLevel }, () => '')
  await server.ready()
  await server.close()
})

test('addHttpMethod for a known method is reported by the process warning of Fastify', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {})
  const server = Fastify()
  server.addHttpMethod('GET', { hasBody: true })
  server.addHttpMethod('PUT', { hasBody: true, overrideExisting: true })
  assert.deepEqual(
    warned.mock.calls.map(({ arguments: given }) => (given as unknown[]).slice(1)),
    [['FastifyDeprecation', 'FSTDEP025']],
  )
  await server.close()
})

test('an async hook of abort without the request, or of the start with two parameters, is refused as in Fastify', async () => {
  const server = Fastify()
  const code = 'FST_ERR_HOOK_INVALID_ASYNC_HANDLER'
  assert.throws(() => server.addHook('onRequestAbort', async () => {}), { code })
  assert.throws(() => server.get('/', { onRequestAbort: async () => {} }, () => ''), { code })
  for (const name of ['onReady', 'onListen'] as const)
    assert.throws(() => server.addHook(name, (async (_one: unknown, _two: unknown) => {}) as never), { code })
  server.addHook('onRequestAbort', async (_request) => {})
  server.addHook('onReady', async () => {})
  await server.close()
})
