/** Options and parts of schemas that nothing reads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  type Class,
  Controller,
  Get,
  Plugin,
  Post,
  Route,
  type RouteSchema,
  Schema,
  type Server,
  shared,
  testServer,
  token,
  use,
} from 'alcove'
import { messagesOf, plugin, route } from '../../../fixtures/applications.js'

/** Options that the compiler refuses. */
const loose = (options: object): never => options as never
/** Schemas whose keys the compiler does not know. */
const unseen = (schema: object): RouteSchema => schema as RouteSchema

describe('an unknown option', () => {
  const reads = route('/', () => 'ok')
  const CLOCK = token<number>('CLOCK')

  const plugins: readonly (readonly [options: object, cure: string])[] = [
    [{ hook: { onRequest: () => {} } }, "@Plugin has no option 'hook'. Did you mean 'hooks'?"],
    [{ controllers: [reads] }, "@Plugin has no option 'controllers'. Write routes: [ … ]."],
    [{ errorHandlers: () => {} }, "@Plugin has no option 'errorHandlers'. Did you mean 'errorHandler'?"],
    [
      { exports: [] },
      "@Plugin has no option 'exports'. Import this plugin with shared(…), or write shared: true: the importing plugin then sees what this one declares, but for the providers listed in private.",
    ],
    [{ onRequest: () => {} }, "@Plugin has no option 'onRequest'. Write hooks: { onRequest: … }."],
    [{ toString: 1 }, "@Plugin has no option 'toString'. Its options are: name, prefix, imports, "],
  ]
  for (const [options, message] of plugins) {
    test(`of @Plugin is a fault: ${Object.keys(options).join()}`, () => {
      const [found, ...others] = messagesOf(plugin('App', { imports: [plugin('Api', loose({ routes: [reads], ...options }))] }))
      assert.ok(found?.startsWith(`App > Api: ${message}`), found)
      assert.deepEqual(others, [])
    })
  }

  test('of @Plugin is a fault also if its value is undefined, and several are reported together', () => {
    assert.deepEqual(messagesOf(plugin('App', loose({ provders: undefined, route: [] }))), [
      "App: @Plugin has no option 'provders'. Did you mean 'providers'?",
      "App: @Plugin has no option 'route'. Did you mean 'routes'?",
    ])
  })

  test('of use is a fault, also in shared', () => {
    const jwt = async (): Promise<void> => {}
    const Users = plugin('Users')
    Object.defineProperty(Users, 'name', { value: 'Users' })
    const imports = [use(jwt, {}, loose({ decorate: [] })), shared(use(Users, {}, loose({ shared: true })))]
    assert.deepEqual(messagesOf(plugin('App', { imports })), [
      "App: use(jwt, …) has no option 'decorate'. Did you mean 'decorates'?",
      "App: use(Users, …) has no option 'shared'. Its options are: decorates, sets, routeOptions, responses, security, requestHeaders, responseHeaders, docs, deprecated.",
    ])
  })

  test('of a provider is a fault', () => {
    const providers = [
      { provide: CLOCK, useFactory: (): number => 1, injects: [] },
      { provide: 'a', useValue: 1, useClass: Set },
      { provide: Map, useClass: Map, inject: [] },
    ]
    assert.deepEqual(messagesOf(plugin('App', { providers })), [
      "App: the provider of CLOCK has no option 'injects'. Did you mean 'inject'?",
      "App: the provider of 'a' has no option 'useValue'. Its options are: provide, useClass, scope.",
      "App: the provider of Map has no option 'inject'. Write static inject = [/* its tokens */] as const in the class.",
    ])
  })

  test('of a route class or of a method of a controller is a fault', () => {
    class Single {
      handle() {}
    }
    Route(loose({ method: 'GET', url: '/a', constraint: {} }))(Single)
    @Controller('/b')
    class Several {
      @Get(loose({ statusCode: 201, preHandler: () => {} }))
      one() {}
      @Post(loose({ path: '/', method: 'PUT', foo: 1 }))
      two() {}
    }
    const messages = messagesOf(plugin('App', { routes: [Single, Several] }))
    assert.deepEqual(messages.slice(0, 5), [
      "App > Single: the route has no option 'url'. Write path: ….",
      "App > Single: the route has no option 'constraint'. Did you mean 'constraints'?",
      "App > Several.one: the route has no option 'statusCode'. Write status: ….",
      "App > Several.one: the route has no option 'preHandler'. Write @Hook('preHandler', …) above it.",
      "App > Several.two: the route has no option 'method'. The decorator says it: for another one write @Action(method, …).",
    ])
    assert.match(messages[5]!, /^App > Several\.two: the route has no option 'foo'\. Its options are: path, status, /)
    assert.equal(messages.length, 6)
  })

  test('that is a part of the schema is a fault that says where to write it', () => {
    @Controller('/a')
    class Users {
      @Post(loose({ body: { type: 'object' } }))
      add() {}
    }
    assert.deepEqual(messagesOf(plugin('App', { routes: [Users] })), [
      "App > Users.add: the route has no option 'body'. It is a part of the schema: write it after the options, @Get({ path: … }, { body: … }).",
    ])
  })

  test('of a route is none if a plugin function is said to read it, or a plugin of the ecosystem does', async () => {
    const seen: unknown[] = []
    const auditing = Object.assign(
      async (instance: Server) => {
        instance.addHook('onRoute', ({ audit, websocket }: any) => void seen.push([audit, websocket]))
      },
      { [Symbol.for('skip-override')]: true },
    )
    @Controller('/')
    class Audited {
      @Get(loose({ audit: 'all', websocket: false, exposeHeadRoute: false }))
      one() {
        return 'ok'
      }
    }
    const imports = [use(auditing, {}, { routeOptions: ['audit'] }), plugin('Api', { routes: [Audited] })]
    const server = await bootstrap(plugin('App', { imports }))
    try {
      assert.equal(await (await fetch(await server.listen({ port: 0 }))).text(), 'ok')
      assert.deepEqual(seen, [['all', false]])
    } finally {
      await server.close()
    }
    assert.match(messagesOf(plugin('App', { routes: [Audited] })).join('\n'), /^App > Audited\.one: the route has no option 'audit'\./)
    // In a test the plugin that reads it may be imported by an ancestor, which is not there.
    await using part = await testServer(plugin('Api', { routes: [Audited] }))
    assert.equal((await part.inject('/')).body, 'ok')
  })

  test('given to @Controller instead of the prefix is a fault', () => {
    class Cats {
      @Get()
      all() {}
    }
    Controller(loose({ path: '/cats' }))(Cats)
    assert.deepEqual(messagesOf(plugin('App', { routes: [Cats] })), [
      "App > Cats has @Controller with a prefix that is not a string. Write @Controller('/users'), with options for all its routes as the second argument: @Controller('/users', { … }). Those of one route stand in @Get(), @Post() ….",
    ])
  })
})

describe('a part of the schema of a route', () => {
  const object = { type: 'object' } as const
  const withSchema = (schema: object): Class => {
    @Controller('/')
    class Things {
      @Post()
      @Schema(unseen(schema))
      add() {}
    }
    return plugin('App', { routes: [Things] })
  }
  const unknown = (part: string, meant: string): string =>
    `App > Things.add has a schema for '${part}', which is not a part of requests or replies, so it would have no effect. Did you mean '${meant}'?`

  test('that is misspelt is a fault with the nearest name', () => {
    const schema = { parms: object, querry: object, responses: { 200: object } }
    assert.deepEqual(messagesOf(withSchema(schema)), [
      unknown('parms', 'params'),
      unknown('querry', 'query'),
      unknown('responses', 'response'),
    ])
  })

  test('that is undefined is a fault', () => {
    const text = (part: string): string =>
      `App > Things.add has undefined as the schema of ${part}, often because of a circle of imports. Declare the schema before the class, or leave the part out.`
    assert.deepEqual(messagesOf(withSchema({ body: undefined, response: { 200: undefined } })), [text('body'), text('response 200')])
  })

  test('that is unknown is a fault, unless it describes the route or begins with x-', () => {
    const description = { tags: ['a'], summary: 'b', security: [], $id: 'things', 'x-internal': true, body: object }
    assert.deepEqual(messagesOf(withSchema(description)), [])
    assert.deepEqual(messagesOf(withSchema({ audience: 'public' })), [
      "App > Things.add has a schema for 'audience', which is not a part of requests or replies, so it would have no effect. Parts are: body, params, querystring, headers, cookies, response. Write other keys in @Config, or give them names that begin with x-.",
    ])
  })

  test('is checked in route classes, and in what they inherit', () => {
    @Schema(unseen({ parms: object }))
    class Base {
      handle() {}
    }
    @Route({ method: 'GET', path: '/' })
    class Single extends Base {}
    assert.deepEqual(messagesOf(plugin('App', { routes: [Single] })), [unknown('parms', 'params').replace('Things.add', 'Single')])
  })

  test('is not looked for in a shared schema', () => {
    @Schema({ $id: 'Model', type: 'object', additionalProperties: false })
    class Model {}
    @Plugin({ schemas: [Model] })
    class App {}
    assert.deepEqual(messagesOf(App), [])
  })
})
