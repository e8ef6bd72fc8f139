import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  HttpError,
  type PluginOptions,
  type Request,
  requestDecorator,
  Route,
  Schema as SchemaOn,
  type Server,
  shared,
  use,
} from 'alcove'
import { plugin, route, serve } from '../../fixtures/applications.js'

describe('@Plugin declares for its context and below', () => {
  const both = (options: PluginOptions, make: () => Class): Class =>
    plugin('App', {
      imports: [
        plugin('In', { prefix: '/in', ...options, routes: [make()], imports: [plugin('Below', { prefix: '/below', routes: [make()] })] }),
        plugin('Out', { prefix: '/out', routes: [make()] }),
      ],
    })
  const ask = async (App: Class, request: object = {}): Promise<string[]> =>
    serve(App, async (server) => {
      const answers: string[] = []
      for (const url of ['/in', '/in/below', '/out']) answers.push((await server.inject({ url, ...request })).body)
      return answers
    })

  test('members of the instance, of requests and of replies', async () => {
    const App = both({ decorate: { a: 1 }, decorateRequest: { b: 2 }, decorateReply: { c: 3 } }, () =>
      route('/', (request, reply) => `${request.server.a} ${request.b} ${(reply as any).c}`),
    )
    assert.deepEqual(await ask(App), ['1 2 3', '1 2 3', 'undefined undefined undefined'])
  })

  test('request decorators as accessors', async () => {
    const App = both(
      {
        decorateRequest: {
          shout: {
            getter: function (this: Request) {
              return this.url.toUpperCase()
            },
          },
        },
      },
      () => route('/', ({ shout }) => String(shout)),
    )
    assert.deepEqual(await ask(App), ['/IN', '/IN/BELOW', 'undefined'])
  })

  test('the format of errors, which a plugin below may set back, also for unknown paths below its prefix', async () => {
    const failing = (): Class =>
      route('/', () => {
        throw new HttpError(409, 'Taken')
      })
    const Old = plugin('Old', { prefix: '/old', errorFormat: 'default', routes: [failing()] })
    const App = plugin('App', {
      imports: [
        plugin('In', { prefix: '/in', errorFormat: 'problem', routes: [failing()], imports: [Old] }),
        plugin('Out', { prefix: '/out', routes: [failing()] }),
      ],
    })
    const types = await serve(App, async (server) => {
      const urls = ['/in', '/in/none', '/in/old', '/in/old/none', '/out', '/none']
      return Promise.all(urls.map(async (url) => (await server.inject({ url })).headers['content-type']))
    })
    const [problem, json] = ['application/problem+json; charset=utf-8', 'application/json; charset=utf-8']
    assert.deepEqual(types, [problem, problem, json, json, json, json])
  })

  test('the format of errors for everything, if it is set in the application', async () => {
    const Root = plugin('App', { errorFormat: 'problem', imports: [plugin('Below', { prefix: '/below' })] })
    await serve(Root, async (server) => {
      for (const url of ['/none', '/below/none', '/%'])
        assert.match(String((await server.inject({ url })).headers['content-type']), /problem/)
    })
  })

  test('one format of errors: a shared plugin with another one is a fault, and so is an unknown one', () => {
    const Metrics = plugin('Metrics', { errorFormat: 'default' })
    assert.throws(() => check(plugin('App', { errorFormat: 'problem', imports: [shared(Metrics)] })), {
      message:
        /App > Metrics has errorFormat: 'default', but App, which declares in the same context, has errorFormat: 'problem'\. Keep one of them\./,
    })
    check(plugin('App', { errorFormat: 'problem', imports: [Metrics, shared(plugin('Same', { errorFormat: 'problem' }))] }))
    assert.throws(() => check(plugin('App', { errorFormat: 'json' as 'problem' })), {
      message: /App: @Plugin has 'json' as errorFormat, which is not 'default' or 'problem'\. Write errorFormat: 'problem'\./,
    })
  })

  test('hooks, one or several', async () => {
    const mark = (text: string) => async (request: any) => void (request.mark = (request.mark ?? '') + text)
    const App = both({ hooks: { onRequest: mark('a'), preHandler: [mark('b'), mark('c')] } }, () => route('/', ({ mark }) => String(mark)))
    assert.deepEqual(await ask(App), ['abc', 'abc', 'undefined'])
  })

  test('an error handler', async () => {
    const App = both({ errorHandler: (error, _request, reply) => reply.code(418).send(`mine: ${error.message}`) }, () =>
      route('/', () => {
        throw new Error('oops')
      }),
    )
    const [inside, below, out] = await ask(App)
    assert.deepEqual([inside, below], ['mine: oops', 'mine: oops'])
    assert.match(out!, /Internal Server Error/)
  })

  test('a not-found handler for its prefix', async () => {
    const App = both({ notFoundHandler: (_request, reply) => reply.code(404).send('nothing here') }, () => route('/', () => ''))
    await serve(App, async (server) => {
      assert.equal((await server.inject('/in/nowhere')).body, 'nothing here')
      assert.match((await server.inject('/out/nowhere')).body, /"Route GET:\/out\/nowhere not found"/)
    })
  })

  test('content-type parsers', async () => {
    const App = both(
      { contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse: (_request, body, done) => done(null, body.split(',')) }] },
      () => route('/', ({ body }) => body, 'POST'),
    )
    const [inside, below, out] = await ask(App, { method: 'POST', payload: 'a,b', headers: { 'content-type': 'text/csv' } })
    assert.deepEqual([inside, below], ['["a","b"]', '["a","b"]'])
    assert.match(out!, /Unsupported Media Type/)
  })

  test('validator and serializer compilers, and the formatter of validation errors', async () => {
    const schema = { querystring: { type: 'object', required: ['q'] }, response: { 200: { type: 'object' } } }
    const make = (): Class => {
      const Made = route('/', () => ({ a: 1 }))
      SchemaOn(schema)(Made as never)
      return Made
    }
    const compiled = both({ validatorCompiler: () => () => true, serializerCompiler: () => (value) => `<${JSON.stringify(value)}>` }, make)
    const [inside, below, out] = await ask(compiled)
    assert.deepEqual([inside, below], ['<{"a":1}>', '<{"a":1}>'])
    assert.match(out!, /querystring should have required property 'q'/)

    const buildSerializer = () => () => (value: unknown) => `<${JSON.stringify(value)}>`
    const controlled = both({ schemaController: { compilersFactory: { buildSerializer } } }, make)
    assert.deepEqual(await ask(controlled, { query: { q: '1' } }), ['<{"a":1}>', '<{"a":1}>', '{}'])

    const formatted = both({ schemaErrorFormatter: (errors, dataVar) => new Error(`${dataVar}: ${errors[0]!.keyword}`) }, make)
    const [own, lower, other] = await ask(formatted)
    for (const body of [own, lower]) assert.equal(JSON.parse(body!).message, 'querystring: required')
    assert.match(other!, /querystring should have required property 'q'/)
  })

  test('shared schemas', async () => {
    const referring = (): Class => {
      const Made = route('/', () => ({ name: 'Ada', secret: true }))
      SchemaOn({ response: { 200: { $ref: 'person#' } } })(Made as never)
      return Made
    }
    const person = { $id: 'person', type: 'object', properties: { name: { type: 'string' } } }
    const Inside = plugin('In', {
      schemas: [person],
      routes: [referring()],
      imports: [plugin('Below', { prefix: '/below', routes: [referring()] })],
    })
    await serve(plugin('App', { imports: [Inside] }), async (server) => {
      assert.equal((await server.inject('/')).body, '{"name":"Ada"}')
      assert.equal((await server.inject('/below')).body, '{"name":"Ada"}')
    })
    await assert.rejects(bootstrap(plugin('App', { imports: [plugin('In', { schemas: [person] })], routes: [referring()] })), /person/)
  })
})

test('what a shared plugin declares is at its parent: every kind of it', async () => {
  const Shared = plugin('Shared', {
    decorate: { a: 1 },
    decorateRequest: { b: 2 },
    decorateReply: { c: 3 },
    schemas: [{ $id: 'x', type: 'object' }],
    hooks: { onRequest: async (request: any) => void (request.hooked = true) },
    contentTypeParsers: [{ type: 'text/csv', parse: (_request, _payload, done) => done(null, 'csv') }],
    errorHandler: (_error, _request, reply) => reply.code(418).send('handled'),
    providers: [{ provide: 'who', useValue: 'shared' }],
  })
  class Own {
    static readonly inject = ['who'] as const
    constructor(private readonly who: string) {}
    handle(request: any, reply: any) {
      if (request.query.fail) throw new Error('fail')
      return [
        request.server.a,
        request.b,
        reply.c,
        request.server.getSchema('x')?.$id,
        request.hooked,
        request.server.hasContentTypeParser('text/csv'),
        this.who,
      ]
    }
  }
  Route({ method: 'GET', path: '/' })(Own)
  await serve(plugin('App', { imports: [shared(Shared)], routes: [Own] }), async (server) => {
    assert.deepEqual((await server.inject('/')).json(), [1, 2, 3, 'x', true, true, 'shared'])
    assert.equal((await server.inject('/?fail=1')).body, 'handled')
  })
})

describe('shared(use(…)) of a plugin function', () => {
  const Mark = requestDecorator('mark', 'none')
  const options = { mark: 'set' }
  interface Marking {
    mark: string
  }
  async function marks(instance: Server, { mark }: Marking): Promise<void> {
    instance.decorateRequest('mark', mark)
    instance.addHook('onRequest', async (_request, reply) => void reply.header('x-hook', mark))
  }
  function marksLater(instance: Server, given: Marking, done: () => void): void {
    setImmediate(() => void marks(instance, given).then(done))
  }

  const kinds = [
    ['an async function', marks],
    ['a function with done', marksLater],
    ['a module', { default: marks }],
    ['a promise of a module', Promise.resolve({ default: marks })],
  ] as const
  for (const [kind, given] of kinds) {
    test(`declares in the importing context: ${kind}`, async () => {
      const imports = [shared(use<any, typeof Mark>(given, options, { decorates: [Mark] }))]
      const Home = plugin('Home', { prefix: '/home', imports, routes: [route('/', ({ mark }) => mark)] })
      const App = plugin('App', {
        imports: [Home, plugin('Other', { prefix: '/other', routes: [route('/', ({ mark }) => String(mark))] })],
      })
      const server = await bootstrap(App)
      try {
        const address = await server.listen({ port: 0 })
        const answers = await Promise.all(['/home', '/other'].map((path) => fetch(address + path)))
        assert.deepEqual(await Promise.all(answers.map((answer) => answer.text())), ['set', 'undefined'])
        assert.deepEqual(
          answers.map((answer) => answer.headers.get('x-hook')),
          ['set', null],
        )
      } finally {
        await server.close()
      }
    })
  }

  test('leaves the function as it is: imported without shared, it declares in a context of its own', async () => {
    const Other = plugin('Other', { prefix: '/other', imports: [use(marks, options)], routes: [route('/', ({ mark }) => String(mark))] })
    await serve(plugin('App', { imports: [plugin('Home', { imports: [shared(use(marks, options))] }), Other] }), async (server) => {
      assert.equal((await server.inject('/other')).body, 'undefined')
    })
  })

  test('fails the boot if the function does not add a request decorator that is listed', async () => {
    const App = plugin('App', { imports: [shared(use(async () => {}, {}, { decorates: [Mark] }))] })
    await assert.rejects(bootstrap(App), /lists the request decorator 'mark' .*, but the plugin does not add it/)
  })
})
