/** What describe says of an application, by its class and by its server. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import {
  type ApplicationDescription,
  bootstrap,
  check,
  type Class,
  Controller,
  createServer,
  type Fault,
  Get,
  Hook,
  Injectable,
  Plugin,
  Post,
  ref,
  Route,
  Schema,
  type Server,
  shared,
  use,
  declareReplies,
} from 'alcove'
import { describe, openapi } from 'alcove/contract'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { builds } from '../../fixtures/both-builds.js'
import * as ownContract from '../../fixtures/standard/contract.js'
import { App as FromFastify, TenantApp } from '../../../samples/coming-from/fastify.js'
import { App as FromNest } from '../../../samples/coming-from/nest.js'
import { App as Configured } from '../../../samples/configuration/app.js'
import { App as Contexts, SharingApp } from '../../../samples/contexts/app.js'
import { App as Contracted, listRoutes } from '../../../samples/contract/app.js'
import { App as Events } from '../../../samples/events/app.js'
import { App as First } from '../../../samples/first/app.js'
import { App as Roles } from '../../../samples/roles/app.js'
import { UploadPlugin } from '../../../samples/upload/app.js'

const quiet = { logger: false } as const

/** For `assert.throws`: an error with this fault and no other. */
const hasOneFault =
  (code: string, place: string, message: string) =>
  ({ faults }: { faults: readonly Fault[] }): true => {
    assert.deepEqual(
      faults.map((fault) => [fault.code, fault.place, fault.message]),
      [[code, place, message]],
    )
    return true
  }

/** An application that uses everything that a description shows. */
@Schema({ $id: 'Note', type: 'object', required: ['text'], properties: { text: { type: 'string' }, next: { $ref: 'Note#' } } })
class Note {}

class Guard {
  static readonly responses = { 401: { type: 'object', properties: { reason: { type: 'string' } } } }
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } }
  onRequest(): void {}
  onSend(): void {}
}
class Problems {
  static readonly responses = { '4xx': Note, default: { description: 'failed', content: { 'text/plain': { schema: { type: 'string' } } } } }
  errorHandler(_error: Error, _request: unknown, reply: { send: (text: string) => void }): void {
    reply.send('failed')
  }
}
class Nothing {
  notFoundHandler(): string {
    return 'nothing'
  }
}
class Formatter {
  schemaErrorFormatter(): Error {
    return new Error('wrong')
  }
}
class Timer {
  async around(_request: unknown, next: () => Promise<unknown>): Promise<unknown> {
    return next()
  }
}

@Controller('/notes', { docs: { tags: ['notes'] } })
@Hook('preHandler', async function ofController() {})
class Notes {
  @Get({ path: '/:id', docs: { summary: 'One note' } })
  @Schema({ params: { id: { type: 'integer' } }, response: { 200: ref(Note), 404: { description: 'none', type: 'null' } } })
  @Hook('around', Timer)
  find() {
    return { text: '' }
  }
  @Post({ status: 201, bodyLimit: 100, handlerTimeout: 50, errorHandler: Problems })
  @Schema({ body: ref(Note), headers: { 'X-Token': { type: 'string' } }, querystring: z.object({ page: z.coerce.number() }) })
  add() {
    return {}
  }
  @Post({ path: '/texts', constraints: { version: '1.0.0', host: /x$/ }, attachValidation: true, schemaErrorFormatter: Formatter })
  @Schema({
    body: { content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: z.object({ a: z.string() }) } } },
  })
  texts() {}
}

@Route({ method: ['GET', 'DELETE'], path: '/', exposeHeadRoute: false })
class Home {
  handle() {
    return 'home'
  }
}

@Plugin({
  shared: true,
  prefix: '/shared',
  hooks: { preHandler: async function ofShared() {} },
  routes: [Home],
  docs: { tags: ['shared'] },
  contentTypeParsers: [{ type: 'text/x-shared', parseAs: 'string', parse: async (_request: unknown, body: unknown) => body }],
})
class Shared {}

@Plugin({
  prefix: '/inner',
  hooks: { onRequest: Guard, onSend: Guard, around: Timer },
  imports: [Shared],
  routes: [Notes, Home],
  errorHandler: Problems,
  schemaErrorFormatter: Formatter,
  contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse: async (_request: unknown, body: unknown) => body }],
  deprecated: true,
  docs: { 'x-team': 'notes' },
})
class Inner {
  @Hook('onResponse')
  count(): void {}
  @Hook('onReady')
  start(): void {}
}

@Plugin({ schemas: [Note], imports: [Inner], routes: [Home], notFoundHandler: Nothing, hooks: { onRoute: () => {} } })
class Rich {}

@Plugin({ imports: [use(UploadPlugin, { directory: tmpdir(), limit: 10 })] })
class Upload {}

const applications: readonly [name: string, App: Class][] = [
  ['an application with everything', Rich],
  ['samples/first', First],
  ['samples/contexts', Contexts],
  ['samples/contexts, shared', SharingApp],
  ['samples/configuration', Configured],
  ['samples/contract', Contracted],
  ['samples/events', Events],
  ['samples/roles', Roles],
  ['samples/upload', Upload],
  ['samples/coming-from/nest', FromNest],
  ['samples/coming-from/fastify', FromFastify],
  ['samples/coming-from/fastify, with tenants', TenantApp],
]

/** What plugin functions and setup() add to a server is not known of its class. */
function withoutUnknown(server: ApplicationDescription, known: ApplicationDescription): ApplicationDescription {
  const { mayAddRoutes } = known
  if (mayAddRoutes.length === 0) return server
  const of = (route: ApplicationDescription['routes'][number]): string =>
    [route.place, route.isAutomatic, route.url, route.methods].join(' ')
  const routes = server.routes.flatMap((route) => {
    const other = known.routes.find((each) => of(each) === of(route))
    if (other === undefined) return []
    const names = other.hooks.map((hook) => JSON.stringify(hook))
    return { ...route, hooks: route.hooks.filter((hook) => names.includes(JSON.stringify(hook))) }
  })
  const contexts = Object.entries(server.schemas).filter(([path]) => path in known.schemas)
  return { ...server, routes, schemas: Object.fromEntries(contexts), mayAddRoutes }
}

process.env['DATABASE_URL'] = 'postgres://localhost/test'
process.env['GREETING'] = 'Hello'
for (const [name, App] of applications) {
  test(`a class and its server have the same description: ${name}`, async () => {
    const known = describe(App, quiet)
    await using server = await bootstrap(App, quiet)
    assert.ok(known.routes.length > 0)
    assert.deepEqual(withoutUnknown(describe(server), known), known)
  })
}

test('a description is plain data, which JSON carries', () => {
  for (const [, App] of applications) {
    const known = describe(App)
    assert.deepEqual(JSON.parse(JSON.stringify(known)), known)
  }
})

test('options of the server are part of the description of a class', () => {
  const [route] = describe(First, { handlerTimeout: 0, bodyLimit: 7 }).routes.filter(({ methods }) => methods.includes('POST'))
  assert.deepEqual(route!.limits, { bodyLimit: 7 })
  assert.equal('503' in route!.responses, false)
  assert.throws(() => describe(First, { bodylimit: 7 } as never), { code: 'ALC_ERR_INIT_OPTS_INVALID' })
  assert.deepEqual(describe(First, { jobs: false }), describe(First), 'the options of bootstrap include jobs')
})

test('to describe a class, nothing is constructed and no plugin function runs', () => {
  const fail = (): never => {
    throw new Error('must not run')
  }
  @Injectable()
  class Failing {
    constructor() {
      fail()
    }
    onRequest(): void {}
    errorHandler(): void {}
  }
  @Route({ method: 'GET', path: '/' })
  class FailingRoute extends Failing {
    handle() {
      return {}
    }
  }
  @Plugin({
    providers: [Failing, { provide: 'db', useFactory: fail }],
    imports: [use(fail as () => void), shared(use(async () => fail()))],
    hooks: { onRequest: Failing, onRoute: fail },
    errorHandler: Failing,
    routes: [FailingRoute],
  })
  class App extends Failing {
    setup(): void {
      fail()
    }
  }
  const { routes, mayAddRoutes } = describe(App, { logger: { stream: { write: fail } } as never, serverFactory: fail })
  assert.deepEqual(
    routes.map(({ methods, place }) => [...methods, place]),
    [
      ['GET', 'App > FailingRoute'],
      ['HEAD', 'App > FailingRoute'],
    ],
  )
  assert.deepEqual(mayAddRoutes, ['App.setup', 'App > fail', 'App > an anonymous function'])
})

test('routes that functions and setup() add are in the description of the server only', async () => {
  async function more(instance: Server) {
    instance.get('/function', { exposeHeadRoute: false }, () => '')
  }
  @Plugin({ imports: [use(more)] })
  class App {
    setup(instance: Server) {
      instance.get('/setup', { exposeHeadRoute: false }, () => '')
    }
  }
  const { routes, mayAddRoutes } = describe(App)
  assert.deepEqual([routes, mayAddRoutes], [[], ['App.setup', 'App > more']])
  await using server = await bootstrap(App, quiet)
  assert.deepEqual(
    describe(server).routes.map(({ url, context }) => [url, context]),
    [
      ['/setup', 'App'],
      ['/function', 'App > more'],
    ],
  )
  assert.deepEqual(describe(server).mayAddRoutes, [])
})

test('a plugin that is used with two prefixes is named once among those that may add routes', () => {
  @Plugin({})
  class BranchPlugin {
    setup() {}
  }
  @Plugin({ imports: [use(BranchPlugin, { prefix: '/north' }), use(BranchPlugin, { prefix: '/south' })] })
  class App {}
  assert.deepEqual(describe(App).mayAddRoutes, ['App > BranchPlugin.setup'])
})

test('a class with faults is refused with all of them', () => {
  @Plugin({ routes: [class Plain {}] as never, prefx: '/x' } as never)
  class App {}
  assert.throws(
    () => describe(App),
    (error: any) => error.code === 'ALC_ERR_WIRING' && error.faults.length === 2,
  )
})

test('the sample lists the replies of its routes, and these are the replies that its routes give', async () => {
  assert.deepEqual(listRoutes(), [
    'GET /health (open): 503',
    'GET /notes/:id (bearer): 200, 400, 401, 404, 503',
    'POST /notes (bearer): 201, 400, 401, 413, 415, 503',
  ])
  await using server = await bootstrap(Contracted, quiet)
  const base = await server.listen({ port: 0 })
  const statusOf = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: 'Bearer letmein', 'content-type': 'application/json', ...(init.headers as object) }
    return (await fetch(base + path, { ...init, headers })).status
  }
  const post = { method: 'POST', body: '{"text":"a"}' }
  assert.deepEqual(
    await Promise.all([
      statusOf('/notes/1'),
      statusOf('/notes/x'),
      statusOf('/notes/1', { headers: { authorization: '' } }),
      statusOf('/notes/2'),
      statusOf('/notes', post),
      statusOf('/notes', { ...post, body: '{}' }),
      statusOf('/notes', { ...post, headers: { authorization: '' } }),
      statusOf('/notes', { ...post, body: JSON.stringify({ text: 'a'.repeat(1_100_000) }) }),
      statusOf('/notes', { ...post, headers: { 'content-type': 'a/b' } }),
    ]),
    [200, 400, 401, 404, 201, 400, 401, 413, 415],
  )
})

const problem = { type: 'object', properties: { reason: { type: 'string' } } } as const
const other = { type: 'object', properties: { other: { type: 'string' } } } as const
const basic = { type: 'http', scheme: 'basic' } as const

/** The responses and security of each route, by its URL. */
function answers({ routes }: ApplicationDescription): Record<string, unknown> {
  const told = routes.map(({ url, responses, security }) => [url, { from: responses['401']?.from ?? [], security }])
  return Object.fromEntries(told)
}

test('a route has the declared responses and security of all that covers it, and not of siblings and descendants', () => {
  const route = (path: string, hook?: Class): Class<{ handle(): void }> => {
    class Answer {
      handle() {}
    }
    if (hook) Hook('onRequest', hook as never)(Answer)
    Route({ method: 'GET', path })(Answer)
    return Answer
  }
  class Own {
    static responses = { 401: problem }
    static security = { key: { type: 'apiKey', in: 'header', name: 'x-key', scopes: ['write'] } }
    onRequest() {}
  }
  const wrapped = fp(async () => {}, { name: 'wrapped' })
  const encapsulated = async (): Promise<void> => {}
  @Plugin({ hooks: { onRequest: Guard }, routes: [route('/guarded'), route('/twice', Own)] })
  class Guarded {}
  @Plugin({ shared: true, routes: [route('/sharing')] })
  class Sharing {
    static responses = { 401: problem }
    static security = { basic }
  }
  @Plugin({ imports: [Sharing, Guarded], routes: [route('/importing')] })
  class Importing {}
  @Plugin({ imports: [use(wrapped, {}, { security: { basic }, responses: { 401: problem } })], routes: [route('/wrapped')] })
  class Wrapped {}
  @Plugin({ imports: [use(encapsulated, {}, { security: { basic } })], routes: [route('/free')] })
  class Free {}
  @Plugin({ imports: [Importing, Wrapped, Free], routes: [route('/')] })
  class App {}
  const own = 'App > Importing > Guarded > Guard.onRequest'
  assert.deepEqual(answers(describe(App)), {
    '/': { from: [], security: [] },
    '/importing': { from: ['App > Importing > Sharing'], security: [{ basic: [] }] },
    '/sharing': { from: ['App > Importing > Sharing'], security: [{ basic: [] }] },
    '/guarded': { from: ['App > Importing > Sharing', own], security: [{ basic: [], bearer: [] }] },
    '/twice': {
      from: ['App > Importing > Sharing', own, 'App > Importing > Guarded > Answer > Own.onRequest'],
      security: [{ basic: [], bearer: [], key: ['write'] }],
    },
    '/wrapped': { from: ['App > Wrapped > wrapped'], security: [{ basic: [] }] },
    '/free': { from: [], security: [] },
  })
  const { securitySchemes } = describe(App)
  assert.deepEqual(securitySchemes['key'], {
    scheme: { type: 'apiKey', in: 'header', name: 'x-key' },
    from: ['App > Importing > Guarded > Answer > Own.onRequest'],
  })
  assert.deepEqual(securitySchemes['basic']!.from, ['App > Importing > Sharing', 'App > Wrapped > wrapped'])
})

test('the declared replies of an encapsulated plugin function hold for the routes that the function adds', async () => {
  async function admin(instance: Server) {
    instance.get('/admin', { exposeHeadRoute: false }, () => '')
  }
  @Plugin({ imports: [use(admin, {}, { security: { basic }, responses: { 401: problem } })], routes: [Home] })
  class App {}
  await using server = await bootstrap(App, quiet)
  assert.deepEqual(answers(describe(server)), {
    '/admin': { from: ['App > admin'], security: [{ basic: [] }] },
    '/': { from: [], security: [] },
  })
})

test('two guards of one route with different replies of one status may both answer', () => {
  class One {
    static responses = { 401: problem }
    onRequest() {}
  }
  class Two {
    static responses = { 401: other, 403: Note }
    preHandler() {}
  }
  @Plugin({ hooks: { onRequest: One, preHandler: Two }, routes: [Home] })
  class App {}
  const [route] = describe(App).routes
  assert.deepEqual(route!.responses['401']!.content, { 'application/json': { anyOf: [problem, other] } })
  assert.equal((route!.responses['403']!.content['application/json'] as { $id: string }).$id, 'Note')
})

test('a shared schema that a route sees is referred to, also in the response of a guard', () => {
  class Refusing {
    static responses = { 403: Note }
    onRequest() {}
  }
  @Plugin({ schemas: [Note], hooks: { onRequest: Refusing }, routes: [Home] })
  class App {}
  const { routes, schemas } = describe(App)
  assert.deepEqual(routes[0]!.responses['403']!.content, { 'application/json': { $ref: 'Note#' } })
  assert.deepEqual(Object.keys(schemas['App']!), ['Note'])
})

test('check and bootstrap refuse a declared response that a schema of the route contradicts', async () => {
  @Controller('/a')
  class Contradicting {
    @Get('/exact')
    @Schema({ response: { 401: other } })
    exact() {}
    @Get('/range')
    @Schema({ response: { '4xx': other } })
    range() {}
    @Get('/same')
    @Schema({ response: { 401: { description: 'not known', ...problem } } })
    same() {}
  }
  @Plugin({ hooks: { onRequest: Guard }, routes: [Contradicting] })
  class App {}
  const faults = [
    'App > Guard.onRequest declares the response 401 (application/json) with another schema than App > Contradicting.exact has for 401, by which its replies are serialized. Write the same schema in both, or leave it out of the route.',
    'App > Guard.onRequest declares the response 401 (application/json) with another schema than App > Contradicting.range has for 4xx, by which its replies are serialized. Write the same schema in both, or leave it out of the route.',
  ]
  const isExpected = (error: any): true => {
    assert.deepEqual(
      error.faults.map(({ code, message }: Fault) => ({ code, message })),
      faults.map((message) => ({ code: 'RESPONSE_CONTRADICTED', message })),
    )
    return true
  }
  assert.throws(() => check(App), isExpected)
  await assert.rejects(bootstrap(App, quiet), isExpected)
  assert.throws(() => describe(App), isExpected)
})

test('a declared response that refers to a shared schema which a covered route does not see is a fault', () => {
  class Referring {
    static responses = { 403: { type: 'array', items: { $ref: 'Note#' } } }
    onRequest() {}
  }
  @Plugin({ prefix: '/having', schemas: [Note], routes: [Home] })
  class Having {}
  @Plugin({ imports: [Having], hooks: { onRequest: Referring }, routes: [Home] })
  class App {}
  const isExpected = hasOneFault(
    'RESPONSE_SCHEMA_HIDDEN',
    'App > Home',
    "A declared response of App > Referring.onRequest refers to the schema 'Note', which App > Home does not see. It is declared in App > Having. Declare it in an ancestor, or share that plugin: write imports: [shared(Having)] in App.",
  )
  assert.throws(() => check(App), isExpected)
  assert.throws(() => describe(App), isExpected)
  @Plugin({ schemas: [Note], hooks: { onRequest: Referring }, routes: [Home] })
  class Seeing {}
  check(Seeing)
})

test('a declared response that refers to a schema which no context has is a fault, unless code may add the schema', async () => {
  const nested = { $id: 'Outer', type: 'object', properties: { inner: { $id: 'Inner', type: 'object' } } }
  class Referring {
    static responses = {
      401: { $ref: 'Nowhere#' },
      403: { type: 'array', items: { $ref: 'Outer#/properties/iner' } },
      // These lead to a schema.
      409: { $ref: '#/definitions/a', definitions: { a: { $ref: 'Inner' } } },
      410: { anyOf: [{ $ref: 'http://json-schema.org/draft-07/schema#' }, { enum: [{ $ref: 'Data#' }] }] },
    }
    onRequest() {}
  }
  @Plugin({ schemas: [nested], hooks: { onRequest: Referring }, routes: [Home] })
  class App {}
  const isExpected = (error: any): true => {
    assert.deepEqual(
      error.faults.map(({ code, place, message }: Fault) => [code, place, message]),
      ['Nowhere#', 'Outer#/properties/iner'].map((reference) => [
        'REFERENCE_INVALID',
        'App > Referring.onRequest',
        `App > Referring.onRequest refers to '${reference}' in a declared response, which leads nowhere. Correct it, or list the schema in schemas of the plugin or of an ancestor.`,
      ]),
    )
    return true
  }
  assert.throws(() => check(App), isExpected)
  assert.throws(() => describe(App), isExpected)
  await assert.rejects(bootstrap(App, quiet), isExpected)
  async function adding() {}
  @Plugin({ imports: [use(adding)], schemas: [nested], hooks: { onRequest: Referring }, routes: [Home] })
  class Adding {}
  check(Adding)
  await using server = await bootstrap(Adding, quiet)
  assert.throws(() => describe(server), { code: 'ALC_ERR_WIRING' })
})

test('a function declares replies as a class does, and a class may be written in them for its schema', async () => {
  const guard = declareReplies(async function guard() {}, { responses: { 403: Note }, security: { basic } })
  const handler = declareReplies(
    function handler(error: Error) {
      throw error
    },
    { responses: { 500: Note } },
  )
  @Plugin({ schemas: [Note], hooks: { preHandler: guard }, errorHandler: handler, routes: [Home] })
  class App {}
  const known = describe(App)
  const [{ responses, security }] = known.routes as [(typeof known.routes)[0]]
  assert.deepEqual([responses['403']!.from, responses['500']!.from, security], [['App > guard'], ['App > handler'], [{ basic: [] }]])
  assert.deepEqual(responses['403']!.content, { 'application/json': { $ref: 'Note#' } })
  await using server = await bootstrap(App, quiet)
  assert.deepEqual(describe(server), known)
})

test('a route is open if the hook that declares how clients authenticate runs only after the handler', () => {
  class Audit {
    static security = { basic }
    static responses = { 401: problem }
    onRequest(): void {}
    onResponse(): void {}
    around(_request: unknown, next: () => Promise<unknown>): Promise<unknown> {
      return next()
    }
  }
  const route = (path: string, ...hooks: readonly string[]): Class<{ handle(): void }> => {
    class Answer {
      handle() {}
    }
    for (const hook of hooks) Hook(hook as never, Audit as never)(Answer)
    Route({ method: 'GET', path })(Answer)
    return Answer
  }
  @Plugin({ routes: [route('/after', 'onResponse')] })
  class Open {}
  const late = describe(Open)
  assert.deepEqual(
    [late.routes[0]!.security, late.securitySchemes, late.routes[0]!.responses['401']!.from],
    [[], {}, ['Open > Answer > Audit.onResponse']],
  )
  @Plugin({ routes: [route('/both', 'onResponse', 'onRequest'), route('/around', 'around')] })
  class Guarded {}
  assert.deepEqual(
    describe(Guarded).routes.map(({ methods, url, security }) => `${methods.join()} ${url}: ${JSON.stringify(security)}`),
    ['/both', '/around'].flatMap((url) => ['GET', 'HEAD'].map((method) => `${method} ${url}: [{"basic":[]}]`)),
  )
})

test('two security schemes of one name are refused, of classes at boot and of functions by describe', async () => {
  class Basic {
    static security = { bearer: basic }
    onRequest() {}
  }
  @Plugin({ hooks: { onRequest: Basic }, routes: [Home] })
  class Inside {}
  @Plugin({ prefix: '/b', hooks: { onRequest: Guard }, routes: [Home] })
  class Beside {}
  @Plugin({ imports: [Inside, Beside] })
  class App {}
  assert.throws(
    () => check(App),
    hasOneFault(
      'SECURITY_SCHEME_AMBIGUOUS',
      'App > Beside > Guard.onRequest',
      "The security scheme 'bearer' is declared by App > Inside > Basic.onRequest, and with other values by App > Beside > Guard.onRequest. Write the same scheme in both, or give one of them another name.",
    ),
  )
})

test('a security scheme that a route requires and nothing declares is refused: of a class at boot, of a server by describe', async () => {
  @Route({ method: 'GET', path: '/' })
  @Schema({ security: [{ barer: [] }] })
  class Own {
    handle() {}
  }
  @Plugin({ routes: [Own] })
  class Alone {}
  const fault = hasOneFault(
    'SECURITY_SCHEME_UNKNOWN',
    'Alone > Own',
    "Alone > Own requires the security scheme 'barer', which nothing declares. Declare it in the guard that checks it: static security = { barer: { type: 'http', scheme: 'bearer' } }.",
  )
  assert.throws(() => check(Alone), fault)
  await assert.rejects(bootstrap(Alone, quiet), fault)
  // A plugin function may declare it when it runs, as @fastify/swagger does.
  @Plugin({ imports: [use(() => {})], routes: [Own] })
  class WithFunction {}
  check(WithFunction)
  await using server = await bootstrap(WithFunction, quiet)
  assert.throws(() => describe(server), /WithFunction > Own requires the security scheme 'barer', which nothing declares/)
  const noted: string[] = []
  openapi(WithFunction, { info: { title: 'A', version: '1' }, onWarning: ({ message }) => noted.push(message) })
  assert.match(noted.join(), /GET \/ \(WithFunction > Own\): nothing that is known without a start declares the security scheme 'barer'/)
})

test('texts of plugins, controllers and routes are inherited by the rule, and the nearest counts', () => {
  @Controller('/c', { docs: { tags: ['controller'], externalDocs: { url: 'https://example.com' } } })
  class Documented {
    @Get({ path: '/own', docs: { tags: ['own'], summary: 'Own', hide: true } })
    own() {}
    @Get('/inherited')
    inherited() {}
    @Get('/schema')
    @Schema({ summary: 'In the schema', description: 'Long', operationId: 'op', deprecated: false, 'x-a': 1, tags: ['schema'] } as never)
    inSchema() {}
  }
  @Plugin({ routes: [Documented], deprecated: true, docs: { 'x-team': 'a' } })
  class Below {}
  @Plugin({ imports: [Below], routes: [Home], docs: { tags: ['app'] } })
  class App {}
  const { routes } = describe(App, { exposeHeadRoutes: false })
  assert.deepEqual(
    routes.map(({ docs, deprecated }) => ({ ...docs, deprecated })),
    [
      { tags: ['app'], deprecated: false },
      { tags: ['own'], summary: 'Own', hide: true, externalDocs: { url: 'https://example.com' }, 'x-team': 'a', deprecated: true },
      { tags: ['controller'], externalDocs: { url: 'https://example.com' }, 'x-team': 'a', deprecated: true },
      {
        tags: ['schema'],
        summary: 'In the schema',
        description: 'Long',
        operationId: 'op',
        'x-a': 1,
        externalDocs: { url: 'https://example.com' },
        'x-team': 'a',
        deprecated: false,
      },
    ],
  )
})

for (const { name, load } of builds) {
  test(`declarations of guards and texts are read from both kinds of decorators (${name})`, async () => {
    const { App } = await load<typeof ownContract>('contract', ownContract)
    const { routes } = describe(App, { exposeHeadRoutes: false })
    assert.deepEqual(
      routes.map(({ responses, security, docs, deprecated }) => ({ content: responses['401']?.content, security, docs, deprecated })),
      [
        {
          content: { 'application/json': { $ref: 'Problem#' } },
          security: [{ bearer: [] }],
          docs: { tags: ['guarded'], summary: 'One' },
          deprecated: true,
        },
        { content: undefined, security: [], docs: { tags: ['guarded'] }, deprecated: true },
      ],
    )
  })
}

test('the texts of a plugin count before those of a plugin that it shares', () => {
  @Plugin({ shared: true, docs: { tags: ['shared'], 'x-shared': true } })
  class Sharing {}
  @Plugin({ imports: [Sharing], routes: [Home], docs: { tags: ['own'] } })
  class App {}
  assert.deepEqual(describe(App).routes[0]!.docs, { tags: ['own'], 'x-shared': true })
})

test('a guard with several hooks declares its replies once', () => {
  const { routes } = describe(Rich)
  const route = routes.find(({ place }) => place === 'Rich > Inner > Notes.add')
  assert.deepEqual(route!.responses['401']!.from, ['Rich > Inner > Guard.onRequest'])
})

test('a server without classes is described too', async () => {
  await using server = createServer({ name: 'Api', logger: false })
  server.get('/:id', { exposeHeadRoute: false, schema: { params: { id: { type: 'integer' } } } }, function one() {})
  await server.ready()
  const { name, routes } = describe(server)
  assert.deepEqual([name, routes[0]!.place, routes[0]!.engines], ['Api', 'one', { params: 'ajv' }])
})
