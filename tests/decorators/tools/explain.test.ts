/** What an application looks like from above, and what one route sees. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, Controller, createServer, explain, Get, Hook, Plugin, requestDecorator, Route, type RouteRequest, use } from 'alcove'
import { App as Contracted } from '../../../samples/contract/app.js'
import { App as Contexts } from '../../../samples/contexts/app.js'

const Tenant = requestDecorator('tenant', 'none')

class Clock {}
class Ledger {}

const invoice = { params: { id: { type: 'integer' } }, response: { '2xx': { type: 'object' }, default: { type: 'object' } } } as const

class Guard {
  preHandler(): void {}
}

@Controller('/invoices')
@Hook('preHandler', Guard)
class Invoices {
  @Get('/:id', invoice)
  one(_request: RouteRequest<typeof invoice, [typeof Tenant]>) {
    return {}
  }
}

@Route({ method: 'GET', path: '/' })
class Home {
  handle() {
    return {}
  }
}

@Plugin({ requires: [Tenant], prefix: '/billing', providers: [Ledger], routes: [Invoices] })
class Billing {
  @Hook('onRequest')
  meter(): void {}
}

@Plugin({
  decorateRequest: [Tenant],
  providers: [Clock],
  imports: [Billing],
  routes: [Home],
  hooks: { onRequest: async function trace() {} },
})
class App {}

test('the tree of contexts shows prefixes, request decorators and routes', async () => {
  await using server = await bootstrap(Contexts)
  assert.equal(
    String(explain(server)),
    `App  (request.answer)
├── AuthenticatedPlugin
│   └── GET /one
└── PublicPlugin  (request.foo)
    ├── GET /two
    ├── POST /greetings
    └── GrandchildPlugin  (request.bar)
        └── GET /three`,
  )
})

test('a route tells its hooks in order with the plugin that each came from, what it sees and what is hidden', async () => {
  await using server = await bootstrap(App)
  const route = explain(server).route('GET /billing/invoices/:id')
  assert.deepEqual(
    route.hooks.map(({ hook, from }) => [hook, from]),
    [
      ['onRequest', 'App'],
      ['onRequest', 'App > Billing'],
      ['preHandler', 'route'],
    ],
  )
  assert.deepEqual(
    [Object.keys(route.engines), Object.keys(route.responses), route.place],
    [['params'], ['2xx', 'default'], 'App > Billing > Invoices.one'],
  )
  assert.deepEqual(route.visible.requestDecorators, [{ name: 'tenant', from: 'App' }])
  assert.deepEqual(
    route.visible.providers.map(({ name, from }) => `${name} ${from}`),
    ['Clock App', 'Ledger App > Billing'],
  )
  const home = explain(server).route('/')
  assert.deepEqual(home.hidden.providers, [{ name: 'Ledger', from: 'App > Billing', scope: 'context' }])
  assert.match(String(home), /hidden from it:\n {2}Ledger {2}\(App > Billing\)/)
})

test('hooks of a shared plugin are told where they landed', async () => {
  const wrapped = Object.assign(async (instance: any) => void instance.addHook('onRequest', async function shared() {}), {
    [Symbol.for('skip-override')]: true,
  })
  @Plugin({ imports: [use(wrapped)], routes: [Home] })
  class Importing {}
  await using server = await bootstrap(Importing)
  assert.deepEqual(
    explain(server)
      .route('/')
      .hooks.map(({ name, from }) => `${name} ${from}`),
    ['bound shared Importing'].map((text) => text.replace('bound ', '')),
  )
})

test('a server without classes is explained by its contexts alone', async () => {
  await using server = createServer({ name: 'Api' })
  server.decorateRequest('answer', 42)
  server.get('/', () => ({}))
  await server.ready()
  assert.deepEqual(explain(server).route('/').visible, { requestDecorators: [{ name: 'answer', from: 'Api' }], providers: [] })
})

test('an unknown route is an error that names those there are', async () => {
  await using server = await bootstrap(App)
  assert.throws(
    () => explain(server).route('/nothing'),
    /There is no route '\/nothing'\. Routes are: GET \/, GET \/billing\/invoices\/:id\./,
  )
})

test('an unknown route of a server without routes is an error that says so', async () => {
  await using server = createServer()
  await server.ready()
  assert.throws(() => explain(server).route('/nothing'), /^TypeError: There is no route '\/nothing'\. The server has no routes\.$/)
})

test('a route is found by each of its methods, and one of several versions by its line of the tree', async () => {
  await using server = createServer()
  server.route({ method: ['GET', 'POST'], url: '/both', handler: () => 'both' })
  for (const version of ['1.0.0', '2.0.0']) server.get('/v', { constraints: { version } }, () => version)
  await server.ready()
  const explanation = explain(server)
  for (const name of ['GET /both', 'POST /both', 'GET, POST /both', '/both']) assert.equal(explanation.route(name).url, '/both')
  assert.throws(() => explanation.route('GET /v'), {
    message: "'GET /v' names 2 routes: GET /v  { version: '1.0.0' }, GET /v  { version: '2.0.0' }. Write one of these.",
  })
  const line = /GET \/v.*2\.0\.0.*/.exec(String(explanation))![0]
  assert.deepEqual(explanation.route(line).constraints, { version: '2.0.0' })
})

test('the line of the tree names the route without a constraint, if there are others with one', async () => {
  await using server = createServer()
  server.get('/notes', { constraints: { version: '2.0.0' } }, () => 'second')
  server.get('/notes', () => 'any')
  await server.ready()
  assert.equal(explain(server).route('GET /notes').constraints, undefined)
})

test('JSON is plain data', async () => {
  await using server = await bootstrap(App)
  const explanation = explain(server)
  assert.equal(JSON.parse(JSON.stringify(explanation)).routes[0].url, '/')
})

test('a route without schemas has no section of them, and a context without a prefix none of it', async () => {
  @Route({ method: 'GET', path: '/bare' })
  class Bare {
    handle() {
      return {}
    }
  }
  @Plugin({ routes: [Bare] })
  class Inner {}
  @Plugin({ imports: [Inner] })
  class Outer {}
  const server = await bootstrap(Outer)
  const explanation = explain(server)
  assert.doesNotMatch(String(explanation.route('/bare')), /validated|serializers/)
  assert.doesNotMatch(String(explanation), /prefix/)
  await server.close()

  const validating = createServer()
  validating.get('/q', { schema: { querystring: { a: { type: 'string' } } } }, () => '')
  validating.register(async () => {}, { prefix: '/p' })
  await validating.ready()
  assert.match(String(explain(validating).route('/q')), /validated:\n {2}querystring \(ajv\)/)
  assert.match(String(explain(validating)), /prefix \/p/)
  await validating.close()
})

test('routes that differ in their constraints only are told apart', async () => {
  @Controller('/versions')
  class Versions {
    @Get({ path: '/', constraints: { version: '1.0.0' } })
    one() {
      return 'one'
    }
    @Get({ path: '/', constraints: { version: '2.0.0' } })
    two() {
      return 'two'
    }
  }
  @Plugin({ routes: [Versions] })
  class App {}
  const server = await bootstrap(App)
  try {
    const explanation = explain(server)
    assert.match(String(explanation), /GET \/versions {2}\{ version: '1\.0\.0' \}\n.*GET \/versions {2}\{ version: '2\.0\.0' \}/)
    assert.match(String(explanation.routes[1]), /^GET \/versions {2}\{ version: '2\.0\.0' \}\n/)
  } finally {
    await server.close()
  }
})

test('classes in the place of error handlers, not-found handlers, formatters and parsers are shown by their names', async () => {
  class ApiErrors {
    errorHandler() {}
  }
  class OrderErrors extends ApiErrors {}
  class Nowhere {
    notFoundHandler() {}
  }
  class Issues {
    schemaErrorFormatter() {
      return new Error()
    }
  }
  class Csv {
    parse() {}
  }
  @Controller('/orders', { errorHandler: OrderErrors })
  class Orders {
    @Get()
    all() {}
  }
  @Plugin({
    routes: [Orders],
    schemaErrorFormatter: Issues,
    notFoundHandler: Nowhere,
    contentTypeParsers: [{ type: 'text/csv', parse: Csv }],
  })
  class Shop {}
  @Plugin({ imports: [Shop], errorHandler: ApiErrors })
  class App {}
  await using server = await bootstrap(App)
  const explanation = explain(server)
  assert.equal(
    String(explanation),
    `App
└── Shop  (text/csv parsed by Csv.parse; unknown paths answered by Nowhere.notFoundHandler)
    └── GET /orders`,
  )
  const route = explanation.route('GET /orders')
  assert.deepEqual(route.errorHandlers, [
    { name: 'OrderErrors.errorHandler', from: 'route' },
    { name: 'ApiErrors.errorHandler', from: 'App' },
  ])
  const lines = [
    'error handlers, nearest first:',
    '  OrderErrors.errorHandler  (route)',
    '  ApiErrors.errorHandler  (App)',
    '',
    'schema error formatter:',
    '  Issues.schemaErrorFormatter  (App > Shop)',
  ]
  assert.ok(String(route).includes(lines.join('\n')), String(route))
})

test('security, and the responses with what declares each, are shown as text and as data', async () => {
  await using server = await bootstrap(Contracted)
  const explanation = explain(server)
  const route = explanation.route('GET /notes/:id')
  assert.deepEqual(route.security, [{ bearer: [] }])
  assert.match(
    String(route),
    /\nauthentication:\n {2}bearer\n[^]*\nresponses:\n {2}200 application\/json {2}\(route\)\n {2}400 application\/json {2}\(alcove\)\n {2}401 application\/json {2}\(App > NotesPlugin > RequireToken\.onRequest\)\n/,
  )
  assert.equal(String(explanation.route('GET /health')).includes('authentication'), false)
})
