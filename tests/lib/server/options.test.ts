import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'
import { defaultOptions } from '../../../lib/server/options.js'

describe('an unknown option', () => {
  const suggestions: [given: string, known: string | undefined][] = [
    ['bodylimit', 'bodyLimit'],
    ['exposeHeadRoute', 'exposeHeadRoutes'],
    ['loger', 'logger'],
    ['trustproxy', 'trustProxy'],
    ['ignoreTrailingSlashes', 'ignoreTrailingSlash'],
    ['somethingElseEntirely', undefined],
    ['toString', undefined],
  ]
  for (const [given, known] of suggestions) {
    test(`${given} is refused, ${known === undefined ? 'without a suggestion if no name is near' : `with the suggestion ${known}`}`, () => {
      assert.throws(() => createServer({ [given]: true }), {
        code: 'ALC_ERR_INIT_OPTS_INVALID',
        message: `Invalid initialization options: '${given}' is not an option${known === undefined ? '' : `. Did you mean '${known}'?`}`,
      })
    })
  }
})

test('all problems of the options are reported together', () => {
  assert.throws(() => createServer({ caseSensitive: 'yes', pluginTimeout: -1, onProtoPoisoning: 'shrug', nme: 'x' } as never), {
    message:
      "Invalid initialization options: 'caseSensitive' must be boolean, got 'yes'; 'pluginTimeout' must be a whole number ≥ 0, got -1; " +
      "'onProtoPoisoning' must be one of 'error', 'remove', 'ignore', got 'shrug'; 'nme' is not an option. Did you mean 'name'?",
  })
})

describe('an option for the server of Node', () => {
  for (const group of ['http', 'https', 'http2'])
    test(`in ${group} is refused if it has the name of an option of createServer, which is set on the server afterwards`, () => {
      const given = { keepAliveTimeout: 300, requestTimeout: 500, maxRequestsPerSocket: 7, connectionTimeout: 9, noDelay: true }
      const names = ['keepAliveTimeout', 'requestTimeout', 'maxRequestsPerSocket', 'connectionTimeout']
      assert.throws(() => createServer({ [group]: given }), {
        code: 'ALC_ERR_INIT_OPTS_INVALID',
        message: `Invalid initialization options: ${names.map((name) => `'${group}.${name}' has no effect: write ${name} beside ${group}`).join('; ')}`,
      })
    })

  test('is refused if it is a headersTimeout above the time of the whole request, which is over first', () => {
    assert.throws(() => createServer({ requestTimeout: 500, https: { headersTimeout: 501 } }), {
      message: "Invalid initialization options: 'https.headersTimeout' must be at most requestTimeout (500), got 501",
    })
    assert.throws(() => createServer({ http: { headersTimeout: 300_001 } }), { message: /at most requestTimeout \(300000\), got 300001/ })
  })

  test('is taken otherwise, also if it is undefined, and if a serverFactory may read it', () => {
    for (const options of [
      { http: { keepAliveTimeout: undefined, maxHeaderSize: 8_192, connectionsCheckingInterval: 9, headersTimeout: 300_000 } },
      { requestTimeout: 0, http: { headersTimeout: 400_000 } },
      { serverFactory: (() => ({ on() {} })) as never, http: { keepAliveTimeout: 300 } },
    ])
      createServer(options)
  })
})

test('a maxParamLength of 0 is refused: the router would use its own default', () => {
  assert.throws(() => createServer({ maxParamLength: 0 }), { message: /'maxParamLength' must be a whole number ≥ 1, got 0/ })
})

test('an option that accepts several types is refused with all of them', () => {
  assert.throws(() => createServer({ maxRequestsPerSocket: 'x' } as never), {
    message: "Invalid initialization options: 'maxRequestsPerSocket' must be a whole number ≥ 0 or null, got 'x'",
  })
})

const special: [title: string, options: unknown, code: string][] = [
  ['a string as options', 'yes', 'ALC_ERR_OPTIONS_NOT_OBJ'],
  ['a querystringParser that is not a function', { querystringParser: {} }, 'ALC_ERR_QSP_NOT_FN'],
  ['a schemaErrorFormatter that is not a function', { schemaErrorFormatter: 'x' }, 'ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN'],
  ['an async schemaErrorFormatter', { schemaErrorFormatter: async () => new Error('x') }, 'ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN'],
  ['a bucket that is not a function', { schemaController: { bucket: {} } }, 'ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN'],
  ['custom options of the validator that are not an object', { jsv: { customOptions: 'x' } }, 'ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ'],
  ['plugins of the validator that are not an array', { jsv: { plugins: {} } }, 'ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR'],
  ['a body limit of 0', { bodyLimit: 0 }, 'ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT'],
  ['a body limit that is not a number', { bodyLimit: '1mb' }, 'ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT'],
  ['a logger both to a stream and to a file', { logger: { stream: process.stdout, file: '/x' } }, 'ALC_ERR_LOG_INVALID_DESTINATION'],
]

for (const [title, options, code] of special) {
  test(`${title} is refused by its own code`, () => {
    assert.throws(() => createServer(options as ServerOptions), { code })
  })
}

test('an option that is undefined counts as not given', () => {
  const server = createServer({ bodyLimit: undefined, name: undefined })
  assert.equal(server.initialConfig.bodyLimit, 1_048_576)
})

test('null and false mean no options', () => {
  for (const none of [null, false] as const) assert.equal(createServer(none).initialConfig.pluginTimeout, 10_000)
})

test('initialConfig is frozen and contains no secrets', () => {
  const { initialConfig } = createServer({
    https: { key: 'secret', allowHTTP1: true } as never,
    serverFactory: (() => ({ on() {} })) as never,
  })
  assert.ok(Object.isFrozen(initialConfig))
  assert.doesNotMatch(JSON.stringify(initialConfig), /secret/)
})

test('initialConfig shows the options that stand in routerOptions only', () => {
  const buildPrettyMeta = () => ({})
  const { routerOptions } = createServer({ routerOptions: { buildPrettyMeta, caseSensitive: false } }).initialConfig
  assert.deepEqual(routerOptions, { buildPrettyMeta })
  assert.ok(Object.isFrozen(routerOptions))
})

test('compileSchemas is lazy or boot; any other value is refused with the two that are allowed', () => {
  for (const compileSchemas of ['lazy', 'boot'] as const)
    assert.equal(createServer({ compileSchemas }).initialConfig.compileSchemas, compileSchemas)
  assert.throws(() => createServer({ compileSchemas: 'late' as never }), {
    message: "Invalid initialization options: 'compileSchemas' must be one of 'lazy', 'boot', got 'late'",
  })
})

test('initialConfig has the options with a default, and three others if they are set', () => {
  const plain = Object.keys(createServer().initialConfig)
  assert.deepEqual(plain.toSorted(), Object.keys(defaultOptions).toSorted())
  const all = Object.keys(
    createServer({
      name: 'shop',
      errorFormat: 'problem',
      trustProxy: true,
      forceCloseConnections: true,
    }).initialConfig,
  )
  assert.deepEqual(
    all.filter((name) => !plain.includes(name)),
    ['forceCloseConnections'],
  )
})
