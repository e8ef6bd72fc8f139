import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  Action,
  bootstrap,
  check,
  type Class,
  Config,
  Controller,
  Delete,
  Get,
  Head,
  Options,
  Patch,
  Plugin,
  type PluginOptions,
  Post,
  Put,
  type Reply,
  type Request,
  Route,
  type Server,
  shared,
  use,
  type WiringError,
} from 'alcove'
import { askListening } from '../../fixtures/listening-app.js'

declare module 'alcove' {
  interface AddedMethods {
    REPORT: true
  }
}

function sharedFunction(plugin: (server: Server) => void): (server: Server) => Promise<void> {
  return Object.assign(async (server: Server) => plugin(server), { [Symbol.for('skip-override')]: true })
}

async function serve<T>(options: PluginOptions, ask: (server: Server) => Promise<T>): Promise<T> {
  class App {}
  Plugin(options)(App)
  const server = await bootstrap(App)
  try {
    return await ask(server)
  } finally {
    await server.close()
  }
}

describe('a controller', () => {
  @Controller('/things')
  class Things {
    private readonly name = 'thing'

    @Get()
    list() {
      return [this.name]
    }
    @Get('/:id')
    async one(request: Request) {
      return Promise.resolve(`${this.name} ${request.params['id']}`)
    }
    @Head('/only')
    only(_request: Request, reply: Reply) {
      reply.header('x-seen', 'yes').send()
    }
    @Post({ path: '/', status: 201 })
    add(request: Request) {
      return request.body
    }
    @Put('/:id')
    put() {
      return 'put'
    }
    @Patch('/:id')
    patch() {
      return 'patch'
    }
    @Delete({ path: '/:id', status: 204 })
    async remove() {}
    @Options('/:id')
    options() {
      return 'options'
    }
    @Action('PROPFIND', '/:id')
    find() {
      return 'found'
    }
    @Action(['LOCK', 'UNLOCK'], { path: '/:id/lock', status: 202 })
    lock(request: Request) {
      return request.method
    }
  }

  const cases: [method: string, url: string, status: number, body: string][] = [
    ['GET', '/things', 200, '["thing"]'],
    ['GET', '/things/7', 200, 'thing 7'],
    ['HEAD', '/things/7', 200, ''],
    ['POST', '/things', 201, '{"a":1}'],
    ['PUT', '/things/7', 200, 'put'],
    ['PATCH', '/things/7', 200, 'patch'],
    ['DELETE', '/things/7', 204, ''],
    ['OPTIONS', '/things/7', 200, 'options'],
    ['PROPFIND', '/things/7', 200, 'found'],
    ['LOCK', '/things/7/lock', 202, 'LOCK'],
    ['UNLOCK', '/things/7/lock', 202, 'UNLOCK'],
    ['GET', '/nothing', 404, '{"message":"Route GET:/nothing not found","error":"Not Found","statusCode":404}'],
  ]
  for (const [method, url, status, body] of cases) {
    test(`answers ${method} ${url} with ${status}`, () =>
      serve({ routes: [Things] }, async (server) => {
        const hasBody = method === 'POST'
        const answer = await server.inject({ method, url, ...(hasBody && { payload: { a: 1 } }) })
        assert.deepEqual([answer.statusCode, method === 'HEAD' ? '' : answer.body], [status, body])
      }))
  }

  const added: [where: string, options: Pick<PluginOptions, 'imports'>, setup?: (server: Server) => void][] = [
    ['setup', {}, (server) => void server.addHttpMethod('REPORT', { hasBody: true })],
    ['a shared plugin function', { imports: [use(sharedFunction((server) => void server.addHttpMethod('REPORT', { hasBody: true })))] }],
  ]
  for (const [where, options, setup = () => {}] of added) {
    test(`has the methods that ${where} adds`, async () => {
      @Controller('/reports')
      class Reports {
        @Action('REPORT', '/:id')
        report({ body }: Request) {
          return { body }
        }
      }
      @Plugin({ ...options, routes: [Reports] })
      class App {
        setup(server: Server) {
          setup(server)
        }
      }
      const server = await bootstrap(App)
      const answer = await server.inject({ method: 'REPORT', url: '/reports/7', payload: { a: 1 } })
      assert.deepEqual([answer.statusCode, answer.body], [200, '{"body":{"a":1}}'])
      await server.close()
    })
  }

  test('is refused, with its place, if nothing adds its method', async () => {
    @Controller('/reports')
    class Reports {
      @Action('REPORT', '/:id')
      report() {}
    }
    @Plugin({ routes: [Reports] })
    class App {}
    await assert.rejects(bootstrap(App), {
      code: 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED',
      message: "App > Reports.report: REPORT method is not supported. Call server.addHttpMethod('REPORT') first.",
    })
  })

  test('answers HEAD by its own method where it has one', () =>
    serve({ routes: [Things] }, async (server) => {
      assert.equal((await server.inject({ method: 'HEAD', url: '/things/only' })).headers['x-seen'], 'yes')
    }))

  test('without a prefix has its routes where its plugin is', () => {
    @Controller()
    class Plain {
      @Get('/plain')
      plain() {
        return 'plain'
      }
    }
    return serve({ prefix: '/v1', routes: [Plain] }, async (server) => {
      assert.equal((await server.inject('/v1/plain')).body, 'plain')
    })
  })

  test('inherits the routes of its parent class, and may replace one', () => {
    @Controller('/more')
    class More extends Things {
      @Get('/:id')
      override async one() {
        return Promise.resolve('replaced')
      }
    }
    return serve({ routes: [More] }, async (server) => {
      assert.equal((await server.inject('/more')).body, '["thing"]')
      assert.equal((await server.inject('/more/1')).body, 'replaced')
    })
  })

  test('may be a route class too', () => {
    @Controller('/both')
    @Route({ method: 'GET', path: '/single' })
    class Both {
      handle() {
        return 'handle'
      }
      @Get('/method')
      method() {
        return 'method'
      }
    }
    return serve({ routes: [Both] }, async (server) => {
      assert.equal((await server.inject('/single')).body, 'handle')
      assert.equal((await server.inject('/both/method')).body, 'method')
    })
  })

  test('may have symbols as method names', () => {
    const kSecret = Symbol('secret')
    @Controller('/symbol')
    class Symbolic {
      @Get()
      [kSecret]() {
        return 'secret'
      }
    }
    return serve({ routes: [Symbolic] }, async (server) => {
      assert.equal((await server.inject('/symbol')).body, 'secret')
    })
  })
})

describe('a route class', () => {
  test('may answer several methods', () => {
    @Route({ method: ['GET', 'POST'], path: '/' })
    class Both {
      handle(request: Request) {
        return request.method
      }
    }
    return serve({ routes: [Both] }, async (server) => {
      assert.equal((await server.inject('/')).body, 'GET')
      assert.equal((await server.inject({ method: 'POST', url: '/' })).body, 'POST')
    })
  })

  test('without a path is at the prefix of its plugin', () => {
    @Route({ method: 'GET' })
    class Home {
      handle() {
        return 'home'
      }
    }
    return serve({ prefix: '/here', routes: [Home] }, async (server) => {
      assert.equal((await server.inject('/here')).body, 'home')
    })
  })

  test('is called with itself as this, its server below request.server', () => {
    @Route({ method: 'GET', path: '/' })
    class Self {
      readonly greeting = 'hello'
      handle(request: Request) {
        return `${this.greeting} ${request.server.hasPlugin('Own')}`
      }
    }
    return serve({ name: 'Own', prefix: '/p', routes: [Self] }, async (server) => {
      assert.equal((await server.inject('/p')).body, 'hello true')
    })
  })

  test('hands its own options to its route: limits, error handler, constraints', () => {
    @Route({
      method: 'POST',
      path: '/',
      bodyLimit: 4,
      constraints: { host: 'a.example' },
      errorHandler: (error, _request, reply) => reply.code(error.statusCode).send(`mine ${error.statusCode}`),
    })
    class Limited {
      handle() {
        return 'small'
      }
    }
    return serve({ routes: [Limited] }, async (server) => {
      const ask = (payload: string, host: string) =>
        server.inject({ method: 'POST', url: '/', payload, headers: { host, 'content-type': 'text/plain' } })
      assert.equal((await ask('1234', 'a.example')).body, 'small')
      assert.equal((await ask('12345', 'a.example')).body, 'mine 413')
      assert.equal((await ask('1234', 'b.example')).statusCode, 404)
    })
  })

  test('has a time and a log of its own', () => {
    @Route({
      method: 'GET',
      path: '/',
      handlerTimeout: 20,
      childLoggerFactory: (logger, bindings) => logger.child({ ...bindings, own: true }),
    })
    class Slow {
      handle(request: Request) {
        assert.equal(request.routeOptions.url, '/')
        return new Promise<void>(() => {})
      }
    }
    return serve({ routes: [Slow] }, async (server) => {
      const alive = setTimeout(() => {}, 2000)
      assert.equal((await server.inject('/')).statusCode, 503)
      clearTimeout(alive)
    })
  })

  test('has its path as route name in its config, beside what it was given', () => {
    @Route({ method: 'GET', path: '/', config: { a: 1, b: 1 } })
    @Config({ b: 2, c: 2 })
    class Shows {
      handle(request: Request) {
        return request.routeOptions.config
      }
    }
    return serve({ name: 'Shop', routes: [Shows] }, async (server) => {
      const { a, b, c, route } = (await server.inject('/')).json()
      assert.deepEqual({ a, b, c, route }, { a: 1, b: 2, c: 2, route: 'Shop > Shows' })
    })
  })
})

test('the option config of a route replaces keys of its controller, whether these are in the option or in @Config', async () => {
  @Controller('/users', { config: { a: 'option', b: 'option', c: 'option', d: 'option' } })
  @Config({ b: 'controller', c: 'controller', d: 'controller' })
  class Users {
    @Get({ path: '', config: { c: 'route', d: 'route' } })
    @Config({ d: 'method' })
    list(request: Request) {
      return request.routeOptions.config
    }
  }
  await serve({ routes: [Users] }, async (server) => {
    const { a, b, c, d } = (await server.inject('/users')).json()
    assert.deepEqual([a, b, c, d], ['option', 'controller', 'route', 'method'])
  })
})

test('a path without its first slash has it all the same, below a prefix and where there is none', async () => {
  @Controller('users')
  class Users {
    @Get('all')
    all() {
      return 'all'
    }
  }
  @Route({ method: 'GET', path: 'one' })
  class One {
    handle() {
      return 'one'
    }
  }
  await serve({ routes: [Users, One] }, async (server) => {
    assert.deepEqual([(await server.inject('/users/all')).body, (await server.inject('/one')).body], ['all', 'one'])
  })
  await serve({ prefix: 'api', routes: [Users, One] }, async (server) => {
    assert.deepEqual([(await server.inject('/api/users/all')).body, (await server.inject('/api/one')).body], ['all', 'one'])
  })
})

describe('paths that differ beside the names of their parameters', () => {
  const paths: Record<string, string> = {
    '/:id': '/42',
    '/:id.json': '/42.json',
    '/:from-:to': '/1-2',
    '/at/:hour(^\\d+$)': '/at/12',
    '/at/:name': '/at/noon',
    '/a::b': '/a:b',
    '/a::c': '/a:c',
  }

  test('are routes of their own', async () => {
    const answering = (path: string): Class => {
      class Answer {
        handle() {
          return path
        }
      }
      Route({ method: 'GET', path })(Answer)
      return Answer
    }
    await serve({ routes: Object.keys(paths).map(answering) }, async (server) => {
      for (const [path, url] of Object.entries(paths)) assert.equal((await server.inject(url)).body, path)
    })
  })
})

describe('a declared status', () => {
  @Controller('/jobs')
  class Jobs {
    @Post({ path: '/', status: 202 })
    start(request: Request, reply: Reply) {
      if (request.query['full'] === 'yes') return reply.code(429).send({ retry: true })
      if (request.query['fail'] === 'yes') throw new Error('broken')
      return { started: true }
    }
  }
  const ask = (query: string): Promise<[number, unknown]> =>
    serve({ routes: [Jobs] }, async (server) => {
      const answer = await server.inject({ method: 'POST', url: `/jobs${query}` })
      return [answer.statusCode, answer.json()]
    })

  test('is that of a returned value', async () => {
    assert.deepEqual(await ask(''), [202, { started: true }])
  })
  test('gives way to another that the handler chooses', async () => {
    assert.deepEqual(await ask('?full=yes'), [429, { retry: true }])
  })
  test('gives way to an error', async () => {
    assert.deepEqual(await ask('?fail=yes'), [500, { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' }])
  })
})

describe('prefixes', () => {
  @Route({ method: 'GET', path: '/leaf' })
  class Leaf {
    handle(request: Request) {
      return request.routeOptions.url
    }
  }
  @Route({ method: 'GET', path: '/' })
  class Index {
    handle(request: Request) {
      return `index ${request.routeOptions.url}`
    }
  }
  const plugin = (options: PluginOptions): Class => {
    class Made {}
    Plugin(options)(Made)
    return Made
  }

  test('of plugins add up, with one slash between their parts', async () => {
    const Inner = plugin({ prefix: 'inner/', routes: [Leaf] })
    const Outer = plugin({ prefix: '/outer/', imports: [Inner] })
    await serve({ prefix: '/root', imports: [Outer] }, async (server) => {
      assert.equal((await server.inject('/root/outer/inner/leaf')).body, '/root/outer/inner/leaf')
    })
  })

  test('of an application hold for the plugin functions that it imports too', async () => {
    const leaf = async (instance: Server) => void instance.get('/leaf', ({ routeOptions }) => routeOptions.url)
    await serve({ prefix: '/app', imports: [use(leaf), use(leaf, { prefix: '/more' })] }, async (server) => {
      for (const url of ['/app/leaf', '/app/more/leaf']) assert.equal((await server.inject(url)).body, url)
    })
  })

  test('given by use replace the plugin’s own', async () => {
    await serve({ imports: [use(plugin({ prefix: '/own', routes: [Leaf] }), { prefix: '/given' })] }, async (server) => {
      assert.equal((await server.inject('/given/leaf')).body, '/given/leaf')
    })
  })

  test('of a shared plugin are those of its routes only', async () => {
    const Shared = plugin({
      shared: true,
      prefix: '/shared',
      routes: [Leaf, Index],
      imports: [plugin({ prefix: '/below', routes: [Leaf] })],
    })
    await serve({ prefix: '/app', imports: [Shared], routes: [Leaf] }, async (server) => {
      for (const url of ['/app/leaf', '/app/shared/leaf', '/app/shared/below/leaf']) assert.equal((await server.inject(url)).body, url)
      assert.equal((await server.inject('/app/shared')).body, 'index /app/shared')
    })
  })

  test('answer with and without a slash at the end where a route is at /', async () => {
    await serve({ prefix: '/app', routes: [Index] }, async (server) => {
      assert.equal((await server.inject('/app')).body, 'index /app')
      assert.equal((await server.inject('/app/')).body, 'index /app/')
    })
  })

  test('of a shared plugin answer with, without or with and without the slash, as the route says', async () => {
    const routes = (['slash', 'no-slash', 'both'] as const).map((mode) => {
      class Index {
        handle() {
          return mode
        }
      }
      Route({ method: 'GET', path: '/', prefixTrailingSlash: mode })(Index)
      class Shared {}
      Plugin({ prefix: `/${mode}`, routes: [Index] })(Shared)
      return shared(Shared)
    })
    await serve({ imports: routes }, async (server) => {
      const statuses: Record<string, number[]> = {}
      for (const mode of ['slash', 'no-slash', 'both'])
        statuses[mode] = [(await server.inject(`/${mode}`)).statusCode, (await server.inject(`/${mode}/`)).statusCode]
      assert.deepEqual(statuses, { slash: [404, 200], 'no-slash': [200, 404], both: [200, 200] })
    })
  })

  test('for HEAD alone answer only with the slash, below the prefix of a context, of the root and of a shared plugin', async () => {
    class Index {
      handle() {
        return undefined
      }
    }
    Route({ method: 'HEAD', path: '/' })(Index)
    class Own {}
    Plugin({ prefix: '/own', routes: [Index] })(Own)
    class Shared {}
    Plugin({ prefix: '/shared', routes: [Index] })(Shared)
    await serve({ prefix: '/root', routes: [Index], imports: [Own, shared(Shared)] }, async (server) => {
      const statuses: number[][] = []
      for (const url of ['/root', '/root/own', '/root/shared'])
        statuses.push([
          (await server.inject({ method: 'HEAD', url })).statusCode,
          (await server.inject({ method: 'HEAD', url: `${url}/` })).statusCode,
        ])
      assert.deepEqual(statuses, [
        [404, 200],
        [404, 200],
        [404, 200],
      ])
    })
  })

  test('answer only without the slash where the route says so', async () => {
    @Route({ method: 'GET', path: '/', prefixTrailingSlash: 'no-slash' })
    class Strict {
      handle() {
        return ''
      }
    }
    await serve({ prefix: '/app', routes: [Strict] }, async (server) => {
      assert.equal((await server.inject('/app')).statusCode, 200)
      assert.equal((await server.inject('/app/')).statusCode, 404)
    })
  })

  test('may hold parameters', async () => {
    @Route({ method: 'GET', path: '/users/:user' })
    class Shows {
      handle(request: Request) {
        return request.params
      }
    }
    await serve({ prefix: '/tenants/:tenant', routes: [Shows] }, async (server) => {
      assert.deepEqual((await server.inject('/tenants/t/users/u')).json(), { tenant: 't', user: 'u' })
    })
  })
})

describe('the status of a route', () => {
  test('is not that of a redirect, unless it is one of a redirect', async () => {
    @Controller()
    class Pages {
      @Post({ path: '/made', status: 201 })
      make(_request: Request, reply: Reply) {
        return reply.redirect('/to')
      }
      @Post({ path: '/chosen', status: 201 })
      choose(_request: Request, reply: Reply) {
        return reply.code(202).redirect('/to')
      }
      @Get({ path: '/moved', status: 308 })
      move(_request: Request, reply: Reply) {
        return reply.redirect('/to')
      }
    }
    await serve({ routes: [Pages] }, async (server) => {
      const ask = async (method: 'GET' | 'POST', url: string) => (await server.inject({ method, url })).statusCode
      assert.deepEqual([await ask('POST', '/made'), await ask('POST', '/chosen'), await ask('GET', '/moved')], [302, 202, 308])
    })
  })

  for (const status of [100, 199, 600, 1000, 204.5, Number.NaN, '201'] as number[]) {
    test(`is a fault if it is ${JSON.stringify(status)}`, () => {
      @Controller('/')
      class Replies {
        @Get({ path: '/', status })
        one() {}
      }
      @Plugin({ routes: [Replies] })
      class App {}
      assert.throws(() => check(App), /App > Replies\.one has the status \S+, but a reply has a whole number from 200 to 599/)
    })
  }

  test('may be any from 200 to 599', async () => {
    @Controller('/')
    class Replies {
      @Get({ path: '/first', status: 200 })
      first() {
        return 'first'
      }
      @Get({ path: '/last', status: 599 })
      last() {
        return 'last'
      }
    }
    await serve({ routes: [Replies] }, async (server) => {
      assert.equal((await server.inject('/first')).statusCode, 200)
      assert.equal((await server.inject('/last')).statusCode, 599)
    })
  })
})

test('the options of a controller hold for its routes, unless a route has its own', async () => {
  @Controller('/notes', {
    bodyLimit: 10,
    config: { a: 1, b: 1 },
    errorHandler: (_error, _request, reply) => reply.code(418).send('controller'),
  })
  class Notes {
    @Post('/')
    add(request: Request) {
      return request.routeOptions.config
    }
    @Post({ path: '/long', bodyLimit: 1000, config: { b: 2 } })
    long(request: Request) {
      return [request.routeOptions.config['a'], request.routeOptions.config['b']]
    }
  }
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify('a text of 20 letters') }
  assert.deepEqual(await askListening({ routes: [Notes] }, '/notes', post), { status: 418, body: 'controller', errors: [] })
  assert.deepEqual(await askListening({ routes: [Notes] }, '/notes/long', post), { status: 200, body: '[1,2]', errors: [] })
})

test('an unknown option of a controller is one fault, at the controller', () => {
  @Controller('/notes', { path: '/x', bodyLimt: 10 } as never)
  class Notes {
    @Get('/a')
    a() {}
    @Get('/b')
    b() {}
  }
  class App {}
  Plugin({ routes: [Notes] })(App)
  assert.throws(
    () => check(App),
    ({ faults }: WiringError) => {
      assert.deepEqual(
        faults.map(({ message }) => message),
        [
          "App > Notes: @Controller has no option 'path'. The first argument is the prefix; a path stands in @Get(), @Post() ….",
          "App > Notes: @Controller has no option 'bodyLimt'. Did you mean 'bodyLimit'?",
        ],
      )
      return true
    },
  )
})
