/** Options as Fastify 5 names and groups them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, LogController, type ServerOptions } from 'alcove/lib'
import { recorder } from '../../security/wire.js'

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

  test('are refused if they are no router options, of a wrong kind, or given twice: all together', () => {
    const options = {
      ignoreTrailingSlash: true,
      routerOptions: {
        ignoreTrailingSlash: true,
        ignoreDuplicateSlash: true,
        logger: true,
        caseSensitive: 'no',
        maxParamLength: undefined,
      },
    }
    assert.throws(() => createServer(options as unknown as ServerOptions), {
      code: 'ALC_ERR_INIT_OPTS_INVALID',
      message:
        "Invalid initialization options: 'routerOptions.ignoreTrailingSlash' and 'ignoreTrailingSlash' must not both be given; " +
        "'routerOptions.ignoreDuplicateSlash' is not an option. Did you mean 'ignoreDuplicateSlashes'?; " +
        "'routerOptions.logger' is not an option; 'caseSensitive' must be boolean, got 'no'",
    })
    assert.throws(() => createServer({ routerOptions: true } as unknown as ServerOptions), {
      message: /'routerOptions' must be an object, got true$/,
    })
    assert.throws(() => createServer({ routerOptions: { querystringParser: 1 } } as unknown as ServerOptions), {
      code: 'ALC_ERR_QSP_NOT_FN',
    })
  })
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
    assert.throws(() => createServer({ loggerInstance: { info() {} } }), { code: 'ALC_ERR_LOG_INVALID_LOGGER' })
    assert.throws(() => createServer({ loggerInstance: {} }), { code: 'ALC_ERR_LOG_INVALID_LOGGER' })
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
