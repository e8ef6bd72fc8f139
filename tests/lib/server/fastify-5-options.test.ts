/** Options as Fastify 5 names and groups them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, LogController, type Server, type ServerOptions } from 'alcove/lib'
import { exchange, recorder, wireTest } from '../../security/wire.js'

describe('routerOptions', () => {
  test('mean the same as the options of these names', async () => {
    const server = createServer({
      routerOptions: { ignoreTrailingSlash: true, caseSensitive: false, maxParamLength: 5, querystringParser: (text) => ({ text }) },
    })
    server.get('/users/:id', ({ query, params }) => ({ query, params }))
    assert.deepEqual((await server.inject('/USERS/abcde/?x=1')).json(), { query: { text: 'x=1' }, params: { id: 'abcde' } })
    assert.equal((await server.inject('/users/abcdef')).statusCode, 404)
    const { ignoreTrailingSlash, caseSensitive, maxParamLength } = server.initialConfig
    assert.deepEqual([ignoreTrailingSlash, caseSensitive, maxParamLength], [true, false, 5])
    await server.close()
  })

  test('are refused if they are no router options, of a wrong kind, or given twice with different values: all together', () => {
    const options = {
      ignoreTrailingSlash: false,
      allowUnsafeRegex: false,
      routerOptions: {
        ignoreTrailingSlash: true,
        allowUnsafeRegex: false,
        compile: 'yes',
        onBadUrl: async () => {},
        ignoreDuplicateSlash: true,
        logger: true,
        caseSensitive: 'no',
        maxParamLength: undefined,
      },
    }
    assert.throws(() => createServer(options as unknown as ServerOptions), {
      code: 'ALC_ERR_INIT_OPTS_INVALID',
      message:
        "Invalid initialization options: 'routerOptions.ignoreTrailingSlash' and 'ignoreTrailingSlash' have different values: give one of them; " +
        "'routerOptions.ignoreDuplicateSlash' is not an option. Did you mean 'ignoreDuplicateSlashes'?; " +
        "'routerOptions.logger' is not an option; 'caseSensitive' must be boolean, got 'no'; " +
        "'routerOptions.compile' must be boolean, got 'yes'; 'routerOptions.onBadUrl' must be a synchronous function, got an async function",
    })
    assert.throws(() => createServer({ routerOptions: true } as unknown as ServerOptions), {
      message: /'routerOptions' must be an object, got true$/,
    })
    assert.throws(() => createServer({ routerOptions: { querystringParser: 1 } } as unknown as ServerOptions), {
      code: 'ALC_ERR_QSP_NOT_FN',
    })
  })
})

describe('routerOptions.defaultRoute, onBadUrl and onMaxParamLength', () => {
  const answer =
    (status: number) =>
    (...given: any[]): void => {
      const response = given.at(-1)
      response.statusCode = status
      response.end(given.length === 3 ? given[0] : 'nothing')
    }
  const routerOptions = { defaultRoute: answer(404), onBadUrl: answer(400), onMaxParamLength: answer(414), maxParamLength: 5 }
  const declare = (server: Server): void => {
    server.get('/users/:id', () => 'found')
    server.get('/asks', (_request, reply) => void reply.callNotFound())
    server.addHook('onRequest', async (_request, reply) => void reply.header('x-hook', 'ran'))
  }

  wireTest(
    'answer with Node’s request and response, and without hooks, one request of a connection after the other',
    declare,
    async ({ port }) => {
      const body = 'x'.repeat(300_000)
      const answers = await exchange(
        port,
        [
          'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n',
          `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          'GET /users/%c0 HTTP/1.1\r\nHost: a\r\n\r\n',
          'DELETE /users/%c0 HTTP/1.1\r\nHost: a\r\n\r\n',
          'GET /users/123456 HTTP/1.1\r\nHost: a\r\n\r\n',
          'GET /users/12345 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        ].join(''),
      )
      assert.deepEqual(
        answers.map(({ status, body: text, headers }) => [status, text, headers['x-hook']]),
        [
          [404, 'nothing', undefined],
          [404, 'nothing', undefined],
          [400, '/users/%c0', undefined],
          [400, '/users/%c0', undefined],
          [414, '/users/123456', undefined],
          [200, 'found', 'ran'],
        ],
      )
    },
    { routerOptions },
  )

  test('leave the not-found handlers to callNotFound, which is a warning', async () => {
    const { lines, logger } = recorder()
    const server = createServer({ logger, routerOptions })
    declare(server)
    server.setNotFoundHandler((_request, reply) => void reply.code(404).send('by the handler'))
    assert.equal((await server.inject('/asks')).body, 'by the handler')
    assert.equal((await server.inject('/nowhere')).body, 'nothing')
    assert.deepEqual(
      lines.filter(({ level }) => level === 'warn').map(({ given }) => given),
      ['routerOptions.defaultRoute answers in place of the not-found handler of /, which only reply.callNotFound() reaches.'],
    )
    await server.close()
  })

  for (const [what, fail] of [
    ['throw', () => assert.fail('secret')],
    ['return a promise', () => Promise.reject(new Error('secret'))],
  ] as const) {
    wireTest(
      `are answered 500 if they ${what}`,
      declare,
      async ({ port }) => {
        for (const path of ['/nowhere', '/users/%c0', '/users/123456']) {
          const [response] = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          assert.equal(response?.status, 500)
          assert.doesNotMatch(response.body, /secret/)
        }
      },
      { routerOptions: { defaultRoute: fail, onBadUrl: fail, onMaxParamLength: fail, maxParamLength: 5 } },
    )
  }
})

test('a parameter that is too long is an error for frameworkErrors, and otherwise for the not-found handler', async () => {
  const declare = (server: Server): Server => server.get('/users/:id', () => 'found').get('/users/:id/:hour(^\\d+$)', () => 'found')
  const long = 'x'.repeat(101)
  const framework = declare(
    createServer({
      frameworkErrors: (error, request, reply) => void reply.code((error as any).statusCode).send(`${error.message} ${request.url}`),
    }),
  )
  assert.deepEqual(await statusAndBody(framework, `/users/${long}`), [
    414,
    `'/users/${long}' is exceeding the max param length /users/${long}`,
  ])
  assert.deepEqual((await statusAndBody(framework, `/users/7/${'1'.repeat(101)}`))[0], 414)
  assert.deepEqual((await statusAndBody(framework, '/users/7/x'))[0], 404)
  await framework.close()
  const plain = declare(createServer())
  assert.equal((await statusAndBody(plain, `/users/${long}`))[0], 404)
  await plain.close()
})

async function statusAndBody(server: Server, url: string): Promise<[status: number, body: string]> {
  const { statusCode, body } = await server.inject(url)
  return [statusCode, body]
}

test('routerOptions.buildPrettyMeta says what printRoutes prints of a route', async () => {
  const server = createServer({
    routerOptions: { buildPrettyMeta: ({ path, method, store }) => ({ at: `${method} ${path}`, level: store['logLevel'] }) },
  })
  server.post('/', { logLevel: 'warn' }, () => '')
  await server.ready()
  assert.equal(server.printRoutes({ includeMeta: true }), '└── / (POST)\n    • (at) "POST /"\n    • (level) "warn"\n')
  assert.equal(server.printRoutes({ includeMeta: ['level'] }), '└── / (POST)\n    • (level) "warn"\n')
  await server.close()
})

describe('loggerInstance', () => {
  test('is the logger of the server', async () => {
    const { lines, logger } = recorder()
    const server = createServer({ loggerInstance: logger })
    server.get('/', () => 'text')
    await server.inject('/')
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['incoming request', 'request completed'],
    )
    await server.close()
  })

  test('is refused beside logger, and if it is no logger', () => {
    const { logger } = recorder()
    assert.throws(() => createServer({ logger: true, loggerInstance: logger }), {
      code: 'ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED',
    })
    assert.throws(() => createServer({ loggerInstance: 'pino' } as unknown as ServerOptions), {
      message: /'loggerInstance' must be an object/,
    })
    assert.throws(() => createServer({ loggerInstance: { info() {} } }), {
      code: 'ALC_ERR_LOG_INVALID_LOGGER_INSTANCE',
      message: /It lacks these function\(s\): 'error,debug,.*Pass options of the logger as 'logger'/,
    })
    assert.throws(() => createServer({ loggerInstance: {} }), { code: 'ALC_ERR_LOG_INVALID_LOGGER_INSTANCE' })
  })
})

describe('logController', () => {
  test('is refused if it is no LogController, or beside the options that it replaces', () => {
    for (const [given, got] of [
      [{}, 'object'],
      [null, 'null'],
      [LogController, 'function'],
    ] as [given: unknown, got: string][]) {
      assert.throws(() => createServer({ logController: given } as unknown as ServerOptions), {
        code: 'ALC_ERR_LOG_INVALID_LOG_CONTROLLER',
        message: `logController option must be an instance of LogController, got '${got}'.`,
      })
    }
    assert.throws(() => createServer({ logController: new LogController(), disableRequestLogging: true, requestIdLogLabel: 'id' }), {
      message: /'disableRequestLogging' must not be given beside 'logController': .*; 'requestIdLogLabel' must not/,
    })
  })

  test('has options of the same kinds', () => {
    const controller = new LogController({ disableRequestLogging: 'yes' as never, requestIdLogLabel: 7 as never })
    assert.throws(() => createServer({ logController: controller }), {
      message: /'disableRequestLogging' must be .*'requestIdLogLabel' must be a string, got 7/,
    })
  })
})
