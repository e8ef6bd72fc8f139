/** Test servers mount any part of an application. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  arrayOf,
  bootstrap,
  Action,
  Controller,
  Delete,
  Get,
  Head,
  Hook,
  HttpError,
  httpError,
  Injectable,
  Job,
  Model,
  type Next,
  Plugin,
  PLUGIN_OPTIONS,
  Post,
  type Reply,
  REQUEST,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  type Server,
  shared,
  stream,
  testServer,
  type TestServer,
  token,
  use,
  WiringError,
} from 'alcove'
import { FormApp, PhotosController } from '../../fixtures/form-app.js'

const Answer = requestDecorator('answer', 42)
const GREETING = token<string>('GREETING')

class Users {
  find(id: number): { name: string } | undefined {
    return id === 1 ? { name: 'Ada' } : undefined
  }
}

const one = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const
const create = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  querystring: { shout: { type: 'boolean', default: false } },
} as const

@Injectable()
@Controller('/users')
class UsersController {
  constructor(private readonly users: Users) {}

  @Get('/:id', one)
  one({ params }: RouteRequest<typeof one>) {
    const user = this.users.find(params.id)
    if (user === undefined) throw new HttpError(404, 'No such user')
    return user
  }

  @Post({ status: 201 }, create)
  create({ body, query }: RouteRequest<typeof create>) {
    return { name: query.shout ? body.name.toUpperCase() : body.name }
  }
}

@Route({ method: 'GET', path: '/answer' })
class GetAnswer {
  static readonly inject = [GREETING] as const
  constructor(private readonly greeting: string) {}
  handle(request: RouteRequest<unknown, [typeof Answer]>) {
    return { answer: request.answer, greeting: this.greeting }
  }
}

@Plugin({ providers: [Users], routes: [UsersController] })
class UsersPlugin {}

@Plugin({ requires: [Answer], routes: [GetAnswer] })
class AnswerPlugin {}

@Plugin({
  prefix: '/api',
  decorateRequest: [Answer],
  providers: [{ provide: GREETING, useValue: 'hello' }],
  imports: [UsersPlugin, AnswerPlugin],
})
class App {}

test('a subtree is mounted with stubs for what its ancestors would give', async () => {
  await using app = await testServer(AnswerPlugin, {
    provide: [
      [Answer, 1],
      [GREETING, 'hi'],
    ],
  })
  const { status, body } = await app.call(GetAnswer)
  assert.deepEqual({ status, body }, { status: 200, body: { answer: 1, greeting: 'hi' } })
})

test('a class as stub of a class is constructed, with what the other stubs provide', async () => {
  class Clock {
    now(): string {
      return 'now'
    }
  }
  class Journal {
    read(): string[] {
      return []
    }
  }
  class FakeJournal {
    static readonly inject = [Clock] as const
    constructor(private readonly clock: Clock) {}
    read(): string[] {
      return [this.clock.now()]
    }
  }
  @Route({ method: 'GET', path: '/journal' })
  class GetJournal {
    static readonly inject = [Journal] as const
    constructor(private readonly journal: Journal) {}
    handle() {
      return this.journal.read()
    }
  }
  @Plugin({ routes: [GetJournal] })
  class JournalPlugin {}
  const stubs = [
    [Journal, FakeJournal],
    [Clock, { now: () => 'noon' }],
  ] as const
  await using app = await testServer(JournalPlugin, { provide: stubs })
  assert.deepEqual(await app.call(GetJournal).expect(200), ['noon'])
  await assert.rejects(testServer(JournalPlugin, { provide: [[Journal, FakeJournal]] }), /FakeJournal.* asks for Clock/)
})

test('without its stubs a subtree does not start, and the error names what is missing', async () => {
  await assert.rejects(testServer(AnswerPlugin), (error: WiringError) => {
    assert.deepEqual(error.faults.map((fault) => fault.code).sort(), ['PROVIDER_UNKNOWN', 'REQUIREMENT_NOT_MET'])
    return true
  })
})

test('an override replaces a provider where it is declared, at any depth', async () => {
  class FakeUsers {
    find(id: number) {
      return { name: `user ${id}` }
    }
  }
  await using app = await testServer(App, {
    override: [
      [Users, FakeUsers],
      [Answer, 7],
    ],
  })
  assert.deepEqual((await app.call(UsersController, 'one', { params: { id: 9 } })).body, { name: 'user 9' })
  assert.equal((await app.call(GetAnswer).expect(200)).answer, 7)
  assert.ok(app.resolve(Users) instanceof FakeUsers)
})

test('an override by a class keeps the scope of what it replaces, in whatever form that was given', async () => {
  let made = 0
  class Fake {
    readonly number = ++made
  }
  @Route({ method: 'GET', path: '/' })
  class Ask {
    static readonly inject: readonly string[] = ['by factory', 'by value']
    constructor(
      readonly byFactory: Fake,
      readonly byValue: Fake,
    ) {}
    handle() {
      return [this.byFactory.number, this.byValue.number]
    }
  }
  @Plugin({
    providers: [
      { provide: 'by factory', useFactory: () => null, scope: 'request' },
      { provide: 'by value', useValue: null },
    ],
    routes: [Ask],
  })
  class App {}
  await using app = await testServer(App, {
    override: [
      ['by factory', Fake],
      ['by value', Fake],
    ],
  })
  const answers = [(await app.inject('/')).json(), (await app.inject('/')).json()]
  assert.equal(answers[0][1], answers[1][1])
  assert.notEqual(answers[0][0], answers[1][0])
})

test('an override by a class keeps the scope of a class, whatever scope the substitute has', async () => {
  let made = 0
  class Counted {
    readonly number = ++made
  }
  class Plain extends Counted {}
  @Injectable({ scope: 'request' })
  class Scoped extends Counted {}
  abstract class ByOther extends Counted {}
  @Route({ method: 'GET', path: '/' })
  class Ask {
    static readonly inject = [Plain, Scoped, ByOther] as const
    readonly all: readonly Counted[]
    constructor(plain: Plain, scoped: Scoped, byOther: ByOther) {
      this.all = [plain, scoped, byOther]
    }
    handle() {
      return this.all.map(({ number }) => number)
    }
  }
  @Plugin({ providers: [Plain, Scoped, { provide: ByOther, useClass: Scoped }], routes: [Ask] })
  class App {}
  @Injectable({ scope: 'request' })
  class FakeOfRequests extends Counted {}
  class FakeOfContexts extends Counted {}
  await using app = await testServer(App, {
    override: [
      [Plain, FakeOfRequests],
      [Scoped, FakeOfContexts],
      [ByOther, FakeOfContexts],
    ],
  })
  const answers: number[][] = [(await app.inject('/')).json(), (await app.inject('/')).json()]
  assert.deepEqual(
    [0, 1, 2].map((index) => answers[0]![index] === answers[1]![index]),
    [true, false, false],
  )
})

test('a test server takes the logger that the test made', async () => {
  const lines: unknown[] = []
  const note = (_values: unknown, text?: string): void => void lines.push(text)
  const log = { level: 'error', trace() {}, debug() {}, info() {}, warn() {}, error: note, fatal: note, child: () => log }
  await using app = await testServer(UsersPlugin, {
    override: [[Users, { find: () => assert.fail('no users') }]],
    server: { loggerInstance: log },
  })
  assert.equal((await app.inject('/users/1')).statusCode, 500)
  assert.deepEqual(lines, ['no users'])
})

test('an override may be an object', async () => {
  await using app = await testServer(UsersPlugin, { override: [[Users, { find: () => ({ name: 'fake' }) }]] })
  assert.deepEqual((await app.call(UsersController, 'one', { params: { id: 3 } })).body, { name: 'fake' })
})

test('an override that replaces nothing is an error', async () => {
  class Other {}
  await assert.rejects(
    testServer(UsersPlugin, { override: [[Other, new Other()]] }),
    /Nothing to override: in UsersPlugin, Other is neither a provider/,
  )
})

describe('a class that is listed as a route or job and as a provider', () => {
  @Controller('/counts')
  class Counts {
    count = 0
    @Get()
    next() {
      this.count += 1
      return { count: this.count }
    }
  }
  @Job({ every: 1_000_000 })
  class Reset {
    static readonly inject = [Counts] as const
    runs = 0
    constructor(private readonly counts: Counts) {}
    run() {
      this.counts.count = 0
      this.runs += 1
    }
  }
  @Plugin({ routes: [Counts], jobs: [Reset] })
  class Inner {}
  @Plugin({ providers: [Counts, Reset], imports: [Inner] })
  class Outer {}

  test('has one instance', async () => {
    await using app = await testServer(Outer)
    await app.inject('/counts')
    assert.equal(app.resolve(Counts).count, 1)
    await app.server.runJob(Reset)
    assert.deepEqual([app.resolve(Counts).count, app.resolve(Reset).runs], [0, 1])
  })

  test('is replaced as both by an override', async () => {
    await using app = await testServer(Outer, { override: [[Counts, { count: 7, next: () => ({ count: 7 }) }]] })
    assert.equal((await app.inject('/counts')).body, '{"count":7}')
    const lacking = { count: 7 } as unknown as Counts
    await assert.rejects(testServer(Outer, { override: [[Counts, lacking]] }), /whose method next Outer > Inner > Counts\.next calls, but/)
  })
})

test('an override of a route is an error', async () => {
  await assert.rejects(
    testServer(UsersPlugin, { override: [[UsersController, UsersController]] }),
    /Nothing to override: in UsersPlugin, UsersController is neither a provider/,
  )
})

test('a call fills in params, query and body, and gives status and parsed body', async () => {
  await using app = await testServer(App)
  const created = await app.call(UsersController, 'create', { body: { name: 'Ada' }, query: { shout: true } })
  assert.deepEqual([created.status, created.body], [201, { name: 'ADA' }])
  const missing = await app.call(UsersController, 'one', { params: { id: 2 } })
  assert.equal(missing.status, 404)
  const invalid = await app.inject({ method: 'POST', url: '/api/users', payload: {} })
  assert.equal(invalid.json().message, "body should have required property 'name'")
})

test('what needs nothing of ancestors is the root context, as in bootstrap', async () => {
  @Controller()
  class Motto {
    @Get()
    motto() {
      return 'one rule'
    }
  }
  @Plugin({
    decorate: { motto: 'one rule' },
    routes: [Motto],
    errorHandler: (error: { code: string }, _request, reply) => reply.code(400).send(error.code),
  })
  class App {}
  await using app = await testServer(App)
  assert.equal((app.server as unknown as { motto: string }).motto, 'one rule')
  // Bad URLs are the root context's to answer.
  assert.equal((await app.inject('/%E0%A4')).body, 'ALC_ERR_BAD_URL')
})

test('a call of a class that is not mounted names the routes that are', async () => {
  await using app = await testServer(AnswerPlugin, {
    provide: [
      [Answer, 1],
      [GREETING, 'hi'],
    ],
  })
  await assert.rejects(
    async () => app.call(UsersController, 'one', { params: { id: 1 } }),
    /UsersController is not a route of the mounted plugin\. Its routes are: Test > AnswerPlugin > GetAnswer/,
  )
})

test('a call of a method that is no route names the routes of its class, and one where there are none says so', async () => {
  await using app = await testServer(UsersPlugin)
  await assert.rejects(async () => (app as any).call(UsersController, 'two', {}), /UsersController has no route two; it has one, create\./)
  @Plugin({})
  class Empty {}
  await using empty = await testServer(Empty)
  await assert.rejects(async () => empty.call(UsersController, 'one', { params: { id: 1 } }), /Its routes are: none\./)
})

test('a call fills in parameters of every kind, sends headers, and gives a text as it is', async () => {
  @Controller()
  class Files {
    @Get('/')
    root({ headers }: RouteRequest) {
      return `root ${headers['x-a']}`
    }
    @Get('/files/:kind(^[a-z]+$)/:id?')
    file({ params }: { params: any }) {
      return { ...params }
    }
    @Get('/rest/*')
    rest({ params }: { params: any }) {
      return { ...params }
    }
    @Post('/empty')
    empty(_request: RouteRequest, reply: any) {
      reply.code(204).send()
    }
    @Get('/empty-text')
    emptyText(_request: RouteRequest, reply: any) {
      reply.type('text/plain').send('')
    }
    @Get('/nothing')
    nothing() {}
  }
  @Plugin({ routes: [Files] })
  class App {}
  await using app = await testServer(App)
  const call = async (member: string, input: object): Promise<unknown> => (await app.call(Files, member as 'file', input as never)).body
  assert.equal(await call('root', { headers: { 'x-a': 'b' } }), 'root b')
  assert.deepEqual(await call('file', { params: { kind: 'a', id: 'b/c d' } }), { kind: 'a', id: 'b/c d' })
  assert.deepEqual(await call('file', { params: { kind: 'a' } }), { kind: 'a' })
  assert.deepEqual(await call('rest', { params: { '*': 'a/b' } }), { '*': 'a/b' })
  assert.deepEqual([await call('empty', {}), await call('nothing', {}), await call('emptyText', {})], [undefined, undefined, ''])
  await assert.rejects(call('file', { params: { id: 1 } }), /Files\.file has the parameter 'kind': pass \{ params: \{ "kind": … \} \}\./)
  await assert.rejects(call('rest', {}), /Files\.rest has the parameter '\*': pass \{ params: \{ "\*": … \} \}\./)
})

test('a call of a GET or HEAD route with a body is refused, as no client sends it', async () => {
  @Controller()
  class Notes {
    @Get('/notes')
    list() {
      return []
    }
    @Head('/notes/head')
    head() {}
    @Action(['get', 'post'], '/notes/both')
    both() {}
    @Delete('/notes')
    remove({ body }: RouteRequest) {
      return body
    }
  }
  @Plugin({ routes: [Notes] })
  class App {}
  await using app = await testServer(App)
  const refused = (member: string, method: string) => ({
    name: 'TypeError',
    message: `App > Notes.${member} is called with ${method}, which has no body: pass { query: … }, or leave body out.`,
  })
  await assert.rejects(async () => app.call(Notes, 'list', { body: {} }), refused('list', 'GET'))
  await assert.rejects(async () => app.call(Notes, 'list', { body: null }), refused('list', 'GET'))
  await assert.rejects(async () => app.call(Notes, 'head', { body: 'x' }), refused('head', 'HEAD'))
  await assert.rejects(async () => app.call(Notes, 'both', { body: {} }), refused('both', 'GET'))
  assert.deepEqual(await app.call(Notes, 'list', { body: undefined }).expect(200), [])
  assert.deepEqual(await app.call(Notes, 'remove', { body: { n: 1 } }).expect(200), { n: 1 })
})

test('a provider is given as the mounted plugin sees it, else as the first plugin below that declares it', async () => {
  @Plugin({ routes: [UsersController], providers: [Users, { provide: 'inner', useValue: 1 }] })
  class Inner {}
  @Plugin({ imports: [Inner] })
  class Bare {}
  await using app = await testServer(Bare, { provide: [['outer', 2]] })
  assert.ok(app.resolve(Users) instanceof Users)
  assert.equal(app.resolve('inner'), 1)
  assert.equal(app.resolve('outer'), 2)
})

test('a stub of a request decorator is shared until a hook sets another, which is its request’s own', async () => {
  const User = requestDecorator('user').as<{ name: string }>()
  @Route({ method: 'GET', path: '/user' })
  class GetUser {
    handle(request: RouteRequest<unknown, [typeof User]>) {
      const before = request.user
      const { name } = request.query as { name?: string }
      if (name !== undefined) request.user = { name }
      return [before.name, request.user.name]
    }
  }
  @Plugin({ requires: [User], routes: [GetUser] })
  class Users {}
  await using app = await testServer(Users, { provide: [[User, { name: 'stub' }]] })
  assert.deepEqual((await app.inject('/user?name=own')).json(), ['stub', 'own'])
  assert.deepEqual((await app.inject('/user')).json(), ['stub', 'stub'])
})

test('hundreds run side by side without touching each other', async () => {
  const names = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await using app = await testServer(UsersPlugin, { override: [[Users, { find: () => ({ name: `n${index}` }) }]] })
      return (await app.call(UsersController, 'one', { params: { id: 1 } }).expect(200)).name
    }),
  )
  assert.deepEqual(
    names,
    Array.from({ length: 200 }, (_, index) => `n${index}`),
  )
})

test('a route with constraints is called with the headers that they ask for', async () => {
  @Controller('/versions')
  class Versions {
    @Get({ path: '/', constraints: { version: '2.1.0' } })
    two() {
      return 'two'
    }
    @Get({ path: '/', constraints: { host: 'other.example' } })
    other() {
      return 'other'
    }
  }
  @Plugin({ routes: [Versions] })
  class App {}
  await using app = await testServer(App)
  assert.equal((await app.call(Versions, 'two')).body, 'two')
  assert.equal((await app.call(Versions, 'other')).body, 'other')
})

test('a value that is a class is replaced by a class, not by an instance of it', async () => {
  class Model {
    static readonly table: string = 'real'
  }
  class FakeModel {
    static readonly table: string = 'fake'
  }
  const MODEL = token<{ table: string }>('MODEL')
  @Route({ method: 'GET', path: '/table' })
  class Table {
    static readonly inject = [MODEL] as const
    constructor(private readonly model: { table: string }) {}
    handle() {
      return this.model.table
    }
  }
  @Plugin({ providers: [{ provide: MODEL, useValue: Model }], routes: [Table] })
  class App {}
  await using app = await testServer(App, { override: [[MODEL, FakeModel]] as never })
  assert.equal((await app.call(Table)).body, 'fake')
})

test('a value in place of a provider that the mounted plugin declares itself is a fault', async () => {
  await assert.rejects(testServer(UsersPlugin, { provide: [[Users, { find: () => undefined }]] }), {
    name: 'WiringError',
    message:
      'The wiring of UsersPlugin is wrong:\n  - UsersPlugin provides Users itself, so `provide` would have no effect. To replace a provider of the mounted plugin, use `override`.\nFor an explanation: npx alcove errors PROVIDE_UNUSED',
  })
  @Plugin({ imports: [shared(UsersPlugin)] })
  class Sharing {}
  await assert.rejects(testServer(Sharing, { provide: [[Users, { find: () => undefined }]] }), /Sharing provides Users itself/)
  @Plugin({ imports: [UsersPlugin] })
  class Above {}
  await (await testServer(Above, { provide: [[Users, { find: () => undefined }]] })).close()
})

test('a call makes a form of an object, with files, and writes a body in the media type of its route', async () => {
  await using app = await testServer(FormApp)
  const body = { title: 'a', file: new Blob(['1']), pages: [new Uint8Array([50]), new Blob(['3'])], tags: ['x', 'y'] }
  const received = { title: 'a', file: 'file 1', pages: ['file 2', 'file 3'], tags: ['x', 'y'], stars: 1 }
  assert.deepEqual(await app.call(PhotosController, 'add', { body }).expect(200), received)
  assert.deepEqual(await app.call(PhotosController, 'replace', { body }).expect(200), received)
})

test('a handler that takes no request is called with the parameters of its path, and its dates arrive as text', async () => {
  const dated = {
    response: {
      200: {
        type: 'object',
        required: ['at', 'day'],
        properties: {
          at: { type: 'string', format: 'date-time' },
          day: { type: 'string', format: 'date' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  } as const
  @Controller('/logs/:id')
  class Logs {
    @Get('', dated)
    read() {
      return { at: new Date(0), day: new Date(0), tags: ['a'] as readonly string[] }
    }
  }
  @Plugin({ routes: [Logs] })
  class App {}

  await using app = await testServer(App)
  const { status, body } = await app.call(Logs, 'read', { params: { id: 1 } })
  assert.equal(status, 200)
  const at: string = body.at
  assert.deepEqual([at, body.day, body.tags], ['1970-01-01T00:00:00.000Z', '1970-01-01', ['a']])
})

/** Asks a test server through a socket. */
async function ask(app: TestServer, path: string, init: RequestInit = {}): Promise<[number, string]> {
  const reply = await fetch((await app.server.listen({ port: 0 })) + path, init)
  return [reply.status, await reply.text()]
}

describe('an override of a class that the framework calls', () => {
  let made: string[] = []
  class Directory {
    constructor() {
      made.push('Directory')
    }
    knows(): boolean {
      return false
    }
  }
  class Guard {
    static readonly inject = [Directory] as const
    constructor(private readonly directory: Directory) {
      made.push('Guard')
    }
    preHandler(_request: Request) {
      if (!this.directory.knows()) throw new HttpError(403, 'refused')
    }
  }
  class Envelope {
    around(_request: Request, next: Next) {
      return next().then((data) => ({ data }))
    }
  }
  class ApiErrors {
    errorHandler(_error: Error, _request: Request, reply: Reply) {
      return reply.code(418).send('real')
    }
  }
  class Nowhere {
    notFoundHandler() {
      return 'real'
    }
  }
  class Issues {
    schemaErrorFormatter() {
      return new Error('real')
    }
  }
  class Csv {
    parse(_request: Request, text: string): unknown {
      return text
    }
  }
  @Controller()
  class Things {
    @Get('/guarded')
    @Hook('preHandler', Guard)
    guarded() {
      return 'in'
    }
    @Get({ path: '/fails', errorHandler: ApiErrors })
    fails() {
      throw new Error('failed')
    }
    @Get('/wrapped')
    @Hook('around', Envelope)
    wrapped() {
      return 1
    }
    @Get({ path: '/checked', schemaErrorFormatter: Issues }, { querystring: { type: 'object', required: ['q'] } })
    checked() {}
    @Post('/csv')
    csv({ body }: Request) {
      return { body }
    }
  }
  @Plugin({
    prefix: '/api',
    providers: [Directory],
    routes: [Things],
    errorHandler: ApiErrors,
    notFoundHandler: Nowhere,
    contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse: Csv }],
  })
  class Api {}
  @Plugin({ imports: [Api] })
  class App {}

  test('replaces a guard of a route by a class, which is constructed with its own dependencies, and not the guard', async () => {
    class Seen {
      static readonly inject = [Directory] as const
      constructor(private readonly directory: Directory) {
        made.push('Seen')
      }
      preHandler(request: Request) {
        if (request.headers['x-key'] !== 'a') throw new HttpError(401, String(this.directory.knows()))
      }
    }
    made = []
    await using app = await testServer(App, { override: [[Guard, Seen]] })
    assert.deepEqual(made, ['Directory', 'Seen'])
    assert.equal((await ask(app, '/api/guarded', { headers: { 'x-key': 'a' } }))[0], 200)
    assert.deepEqual((await app.inject('/api/guarded')).statusCode, 418)
  })
  test('replaces it by an object, and dependencies that only the guard has are not needed', async () => {
    @Plugin({ routes: [Things] })
    class Alone {}
    const seen: string[] = []
    await using app = await testServer(Alone, { override: [[Guard, { preHandler: ({ url }: Request) => void seen.push(url) }]] })
    assert.deepEqual([await ask(app, '/guarded'), seen], [[200, 'in'], ['/guarded']])
  })
  test('replaces a hook class of a plugin', async () => {
    @Plugin({ hooks: { preHandler: [Guard] }, providers: [Directory], imports: [Api] })
    class Guarded {}
    await using app = await testServer(Guarded, { override: [[Guard, { preHandler: () => undefined }]] })
    assert.deepEqual(await ask(app, '/api/wrapped'), [200, '{"data":1}'])
  })
  test('replaces a guard that is a provider, in the scope that it has there', async () => {
    let count = 0
    class Counting {
      readonly number = ++count
      preHandler(_request: Request) {}
    }
    for (const [scope, expected] of [
      ['request', 2],
      ['context', 1],
      ['transient', 1],
    ] as const) {
      @Plugin({ providers: [Directory, { provide: Guard, useClass: Guard, scope }], routes: [Things] })
      class Scoped {}
      count = 0
      await using app = await testServer(Scoped, { override: [[Guard, Counting]] })
      assert.equal((await app.inject('/guarded')).statusCode, 200)
      assert.equal((await app.inject('/guarded')).statusCode, 200)
      assert.equal(count, expected, scope)
    }
  })
  test('keeps the scope of a request-scoped guard', async () => {
    @Injectable({ scope: 'request' })
    class PerRequest extends Guard {}
    @Controller()
    class Kept {
      @Get()
      @Hook('preHandler', PerRequest)
      get() {}
    }
    @Plugin({ routes: [Kept] })
    class OfRequests {}
    let count = 0
    class Counting {
      readonly number = ++count
      preHandler(_request: Request) {}
    }
    await using app = await testServer(OfRequests, { override: [[PerRequest, Counting]] })
    await app.inject('/')
    await app.inject('/')
    assert.equal(count, 2)
  })
  test('replaces around hooks, error handlers, not-found handlers, formatters and parsers, of plugins and of routes', async () => {
    class Split {
      parse(_request: Request, text: string): unknown {
        return text.split(',')
      }
    }
    await using app = await testServer(App, {
      override: [
        [Envelope, { around: async () => 'no envelope' }],
        [ApiErrors, { errorHandler: (error: Error, _request: Request, reply: Reply) => reply.code(500).send(`fake ${error.message}`) }],
        [Nowhere, { notFoundHandler: () => 'fake' }],
        [Issues, { schemaErrorFormatter: () => new Error('issues') }],
        [Csv, Split],
      ],
    })
    assert.deepEqual(await ask(app, '/api/wrapped'), [200, 'no envelope'])
    const body = async (url: string): Promise<string> => (await app.inject(url)).body
    assert.equal(await body('/api/fails'), 'fake failed')
    assert.equal(await body('/api/nowhere'), 'fake')
    assert.equal(await body('/api/checked'), 'fake issues')
    const csv = { method: 'POST', url: '/api/csv', payload: 'a,b', headers: { 'content-type': 'text/csv' } } as const
    assert.deepEqual((await app.inject(csv)).json(), { body: ['a', 'b'] })
  })
  test('by something without the method is a fault that names the substitute, the class and the place', async () => {
    class Empty {}
    for (const [substitute, given] of [
      [Empty, 'Empty'],
      [{}, 'Object'],
      [new Empty(), 'an instance of Empty'],
      [null, 'null'],
    ] as const) {
      await assert.rejects(testServer(App, { override: [[Guard, substitute]] as never }), {
        name: 'WiringError',
        message: `The wiring of App is wrong:\n  - ${given} takes the place of Guard, whose method preHandler App > Api > Things.guarded calls, but has no such method. Write it in the class, or pass an object that has it.\nFor an explanation: npx alcove errors SUBSTITUTE_WITHOUT_METHOD`,
      })
    }
    await assert.rejects(testServer(App, { override: [[ApiErrors, Empty]] as never }), (error: WiringError) => {
      const text = (place: string) => `Empty takes the place of ApiErrors, whose method errorHandler ${place} calls,`
      assert.equal(error.faults.length, 2)
      assert.ok(error.faults[0]!.message.startsWith(text('App > Api')))
      assert.ok(error.faults[1]!.message.startsWith(text('App > Api > Things.fails')))
      return true
    })
    @Plugin({ providers: [Guard, Directory], routes: [Things] })
    class Provided {}
    await assert.rejects(
      testServer(Provided, { override: [[Guard, Empty]] as never }),
      /Empty takes the place of Guard, whose method preHandler/,
    )
  })
  test('by a formatter that is request-scoped, or a class whose dependencies are missing, is a fault', async () => {
    class NeedsRequest {
      static readonly inject = [REQUEST] as const
      constructor(readonly request: Request) {}
      schemaErrorFormatter() {
        return new Error()
      }
    }
    await assert.rejects(
      testServer(App, { override: [[Issues, NeedsRequest]] as never }),
      /has Issues as schemaErrorFormatter, but each request/,
    )
    class Unknown {
      static readonly inject = [GREETING] as const
      constructor(private readonly greeting: string) {}
      preHandler(_request: Request) {
        return this.greeting
      }
    }
    await assert.rejects(testServer(App, { override: [[Guard, Unknown]] }), /Unknown \(in App > Api\) asks for GREETING/)
  })
})

describe('an override of an imported plugin', () => {
  let made: string[] = []
  const MAIL = token<string>('MAIL')
  @Plugin({ prefix: '/mail', providers: [{ provide: MAIL, useFactory: () => (made.push('MAIL'), 'real') }] })
  class Mail {
    constructor() {
      made.push('Mail')
    }
    setup(_instance: Server, _options: { url: string }) {
      made.push('setup')
    }
  }
  @Controller('/box')
  class Box {
    static readonly inject = [MAIL, PLUGIN_OPTIONS] as const
    constructor(
      private readonly mail: string,
      private readonly options: unknown,
    ) {}
    @Get()
    read() {
      return [this.mail, this.options]
    }
  }
  @Plugin({ providers: [{ provide: MAIL, useValue: 'fake' }], routes: [Box] })
  class FakeMail {}
  @Controller('/send')
  class Send {
    static readonly inject = [MAIL] as const
    constructor(private readonly mail: string) {}
    @Get()
    send() {
      return this.mail
    }
  }

  test('takes its place with the prefix and the options of the import; the original is not constructed', async () => {
    @Plugin({ imports: [use(Mail, { url: 'smtp://a', prefix: '/post' })] })
    class App {}
    made = []
    await using app = await testServer(App, { override: [[Mail, FakeMail]] })
    assert.deepEqual(await ask(app, '/post/box'), [200, '["fake",{"url":"smtp://a","prefix":"/post"}]'])
    assert.deepEqual((await app.call(Box, 'read')).body, ['fake', { url: 'smtp://a', prefix: '/post' }])
    assert.deepEqual(made, [])
  })
  test('is shared where the original is, by the import or by its own @Plugin', async () => {
    @Plugin({ shared: true, providers: [{ provide: MAIL, useValue: 'real' }] })
    class SharedMail {}
    @Plugin({ imports: [shared(use(Mail, { url: 'a' }))], routes: [Send] })
    class ByImport {}
    @Plugin({ imports: [SharedMail], routes: [Send] })
    class ByItself {}
    @Plugin({ imports: [use(SharedMail, { prefix: '/mail' })], routes: [Send] })
    class WithOptions {}
    for (const [App, original] of [
      [ByImport, Mail],
      [ByItself, SharedMail],
      [WithOptions, SharedMail],
    ] as const) {
      await using app = await testServer(App, { override: [[original, FakeMail]] })
      assert.deepEqual(await ask(app, '/send'), [200, 'fake'])
    }
  })
  test('holds wherever it is imported, also for plugins that only use a shared instance', async () => {
    @Plugin({ imports: [shared(use(Mail, { url: 'a' }))], routes: [Send] })
    class First {}
    @Plugin({ prefix: '/second', imports: [use(Mail, { url: 'b' })] })
    class Second {}
    @Plugin({ imports: [First, Second] })
    class App {}
    made = []
    await using app = await testServer(App, { override: [[Mail, FakeMail]] })
    assert.deepEqual(await ask(app, '/send'), [200, 'fake'])
    assert.deepEqual((await app.inject('/second/box')).json(), ['fake', { url: 'b' }])
    assert.deepEqual(made, [])
  })
  test('lets provide give what the substitute does not', async () => {
    @Plugin()
    class Silent {}
    @Plugin({ imports: [shared(use(Mail, { url: 'a' }))], routes: [Send] })
    class App {}
    await using app = await testServer(App, { provide: [[MAIL, 'provided']], override: [[Mail, Silent]] })
    assert.deepEqual(await ask(app, '/send'), [200, 'provided'])
  })
  test('replaces a plugin function by another, in the same context and with the options of the import', async () => {
    const plugin = Object.assign(async (_instance: Server, _options: { from: string }) => void made.push('function'), {
      [Symbol.for('skip-override')]: true,
    })
    @Controller()
    class Reads {
      @Get()
      read({ answer }: RouteRequest<unknown, [typeof Answer]>) {
        return answer
      }
    }
    @Plugin({ imports: [use(plugin, { from: 'a' }, { decorates: [Answer] })], routes: [Reads] })
    class App {}
    made = []
    const fake = async (instance: Server, { from }: { from: string }) => void instance.decorateRequest('answer', from)
    await using app = await testServer(App, { override: [[plugin, fake]] })
    assert.deepEqual([await ask(app, '/'), made], [[200, 'a'], []])
  })
  test('by something that is not a plugin is a fault', async () => {
    const plugin = async () => {}
    @Plugin({ imports: [use(Mail, { url: 'a' }), use(plugin)] })
    class App {}
    class Plain {}
    for (const [original, substitute, text] of [
      [Mail, Plain, 'App imports Mail, which Plain cannot replace. Write a class with @Plugin() instead of it.'],
      [Mail, new Plain(), 'App imports Mail, which an instance of Plain cannot replace. Write a class with @Plugin() instead of it.'],
      [Mail, plugin, 'App imports Mail, which plugin cannot replace. Write a class with @Plugin() instead of it.'],
      [plugin, FakeMail, 'App imports plugin, which FakeMail cannot replace. Write a plugin function instead of it.'],
    ] as const) {
      await assert.rejects(testServer(App, { override: [[original, substitute]] as never }), {
        message: `The wiring of App is wrong:\n  - ${text}\nFor an explanation: npx alcove errors SUBSTITUTE_NOT_A_PLUGIN`,
      })
    }
  })
  test('of the mounted plugin is a fault, with and without stubs', async () => {
    for (const provide of [[], [['a', 1]]] as never[]) {
      await assert.rejects(testServer(FakeMail, { provide, override: [[FakeMail, Mail]] as never }), {
        message:
          'The wiring of FakeMail is wrong:\n  - FakeMail is the mounted plugin, which `override` does not replace. Mount its substitute: testServer(Substitute).\nFor an explanation: npx alcove errors OVERRIDE_OF_MOUNTED',
      })
    }
  })
  test('that a replaced plugin would import is not used, which is a fault', async () => {
    @Plugin({ imports: [use(Mail, { url: 'a' })] })
    class Outer {}
    @Plugin()
    class NoOuter {}
    @Plugin({ imports: [Outer] })
    class App {}
    await assert.rejects(
      testServer(App, {
        override: [
          [Outer, NoOuter],
          [Mail, FakeMail],
        ],
      }),
      /Nothing to override: in App, Mail is neither a provider nor a request decorator, a hook class,/,
    )
  })
})

test('a stub may have only those members of a class that the test needs', async () => {
  class Store {
    private readonly rows = ['a']
    list() {
      return this.rows
    }
    drop() {}
  }
  @Controller('/rows')
  class Rows {
    static readonly inject = [Store] as const
    constructor(private readonly store: Store) {}
    @Get()
    all() {
      return this.store.list()
    }
  }
  @Plugin({ routes: [Rows] })
  class RowsPlugin {}
  class FakeStore {
    list() {
      return ['fake']
    }
  }
  const answer = async (app: TestServer) => {
    assert.deepEqual(await app.call(Rows, 'all').expect(200), ['fake'])
    await app.close()
  }
  await answer(await testServer(RowsPlugin, { provide: [[Store, { list: () => ['fake'] }]] }))
  await answer(await testServer(RowsPlugin, { provide: [[Store, FakeStore]] }))
})

describe('a part whose ancestors have what it refers to', () => {
  class Ticket extends Model({ $id: 'Ticket', type: 'object', properties: { id: { type: 'integer' } } } as const) {}
  @Controller('/tickets')
  class Tickets {
    @Get('', { response: { 200: arrayOf(Ticket) } })
    all() {
      return [{ id: 7, secret: 'x' }]
    }
    @Get('/raw', { response: { 200: { $ref: 'Raw#' } } })
    raw() {
      return { id: 7, secret: 'x' }
    }
  }
  @Plugin({ name: 'Part', routes: [Tickets] })
  class Part {}

  test('knows its models, and gets other shared schemas by an option', async () => {
    const Raw = { $id: 'Raw', type: 'object', properties: { id: { type: 'integer' } } }
    await using app = await testServer(Part, { schemas: [Raw] })
    assert.deepEqual(await app.call(Tickets, 'all').expect(200), [{ id: 7 }])
    assert.deepEqual((await app.inject('/tickets/raw')).json(), { id: 7 })
  })

  test('is refused without them, with the option to write', async () => {
    await assert.rejects(testServer(Part), /list a schema with \$id: 'Raw' in schemas of Part or of an ancestor, or of testServer: /)
  })

  test('is refused without a provider or request decorator, with the option to write', async () => {
    class Asks {
      static readonly inject = [GREETING] as const
      constructor(readonly greeting: string) {}
    }
    @Plugin({ name: 'Part', requires: [Answer], providers: [Asks] })
    class Asking {}
    await assert.rejects(testServer(Asking), (error: Error) => {
      assert.match(error.message, /asks for GREETING, .* write testServer\(…, \{ provide: \[\[GREETING, stub\]\] \}\)\./)
      assert.match(error.message, /'answer', which is not visible there\. .* write testServer\(…, \{ provide: \[\[…, value\]\] \}\)\./)
      return true
    })
    await assert.rejects(bootstrap(Asking), (error: Error) => !error.message.includes('testServer'))
  })

  test('is refused with one schema in the place of the list', async () => {
    await assert.rejects(testServer(Part, { schemas: Ticket as never }), {
      message: /^testServer has .*Ticket.* as schemas, which is not a list\./,
    })
  })
})

describe('a route that answers with an error which it does not list', () => {
  class NoRoom extends httpError(409, { type: 'object', properties: { until: { type: 'integer' } } }) {}
  @Controller('/rooms', {})
  class Rooms {
    @Get('/unlisted')
    unlisted() {
      throw new NoRoom({ until: 12 })
    }
    @Get({ path: '/listed', throws: [NoRoom] })
    listed() {
      throw new NoRoom({ until: 12 })
    }
    @Get('/plain')
    plain() {
      throw new HttpError(409)
    }
  }
  @Plugin({ name: 'Hotel', routes: [Rooms] })
  class Hotel {}
  const fault = {
    code: 'ALC_ERR_ERROR_UNLISTED',
    message:
      'Hotel > Rooms.unlisted answered with the error NoRoom (409), which it does not list. ' +
      'Write throws: [NoRoom] in the options of the route, of its controller or of a plugin above it.',
  }

  test('fails the test that calls it, each time, with its place and the cure', async () => {
    await using app = await testServer(Hotel)
    await assert.rejects(app.call(Rooms, 'unlisted'), fault)
    await assert.rejects(app.call(Rooms, 'unlisted'), fault)
    await assert.rejects(app.inject('/rooms/unlisted'), fault)
    assert.equal((await app.call(Rooms, 'listed')).status, 409)
    assert.equal((await app.call(Rooms, 'plain')).status, 409)
  })

  test('fails the test when it closes the server, if the request came over the network', async () => {
    const app = await testServer(Hotel)
    const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
    assert.equal((await fetch(`${address}/rooms/unlisted`)).status, 409)
    await assert.rejects(app.close(), fault)
  })

  test('does not, if an ancestor lists it: the test names what it lists', async () => {
    await using app = await testServer(Hotel, { throws: [NoRoom] })
    const { status, response } = await app.call(Rooms, 'unlisted')
    assert.deepEqual([status, response.json().until], [409, 12])
  })

  test('is a warning in the log of an application, once', async () => {
    const warnings: string[] = []
    const stream = { write: (line: string) => void warnings.push(JSON.parse(line).msg) }
    const server = await bootstrap(Hotel, { logger: { level: 'warn', stream } })
    for (let index = 0; index < 2; index++) assert.equal((await server.inject('/rooms/unlisted')).statusCode, 409)
    await server.close()
    assert.deepEqual(warnings, [fault.message])
  })
})

const ticks = { response: { 200: stream({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) } } as const

@Controller('/ticks')
class TicksController {
  @Get('/three', ticks)
  async *three(_request: RouteRequest<typeof ticks>) {
    for (const n of [1, 2, 3]) yield { n }
  }
}

test('a call reads the items of a stream that ends', async () => {
  @Plugin({ routes: [TicksController] })
  class TicksApp {}
  await using app = await testServer(TicksApp)
  const numbers: number[] = []
  for await (const { n } of await app.call(TicksController, 'three').expect(200)) numbers.push(n)
  assert.deepEqual(numbers, [1, 2, 3])
})

test('a call sends cookies with the types of their schema, and any others of a route without one', async () => {
  const find = {
    cookies: { type: 'object', required: ['session'], properties: { session: { type: 'string' }, page: { type: 'integer', default: 1 } } },
  } as const
  @Controller('/cookies')
  class Cookies {
    @Get('', find)
    find({ cookies }: RouteRequest<typeof find>) {
      return cookies
    }
    @Get('/plain')
    plain({ headers }: Request) {
      return { cookie: headers.cookie }
    }
  }
  @Plugin({ routes: [Cookies] })
  class App {}
  await using app = await testServer(App)
  assert.deepEqual((await app.call(Cookies, 'find', { cookies: { session: 'a; b', page: 7 } })).body, { session: 'a; b', page: 7 })
  assert.deepEqual((await app.call(Cookies, 'find', { cookies: { session: 'a', page: undefined } })).body, { session: 'a', page: 1 })
  assert.deepEqual((await app.call(Cookies, 'plain', { cookies: { a: '1' } })).body, { cookie: 'a=1' })
  // @ts-expect-error the session is needed
  assert.equal((await app.call(Cookies, 'find')).status, 400)
})
