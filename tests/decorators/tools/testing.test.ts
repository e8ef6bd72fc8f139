/** Test servers mount any part of an application. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Controller,
  Get,
  HttpError,
  Injectable,
  Plugin,
  Post,
  requestDecorator,
  Route,
  type RouteRequest,
  Schema,
  shared,
  testServer,
  token,
  WiringError,
} from 'alcove'

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

  @Get('/:id')
  @Schema(one)
  one({ params }: RouteRequest<typeof one>) {
    const user = this.users.find(params.id)
    if (user === undefined) throw new HttpError(404, 'No such user')
    return user
  }

  @Post({ status: 201 })
  @Schema(create)
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
  assert.equal((await app.call(GetAnswer)).body.answer, 7)
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

test('an override may be an object', async () => {
  await using app = await testServer(UsersPlugin, { override: [[Users, { find: () => ({ name: 'fake' }) }]] })
  assert.deepEqual((await app.call(UsersController, 'one', { params: { id: 3 } })).body, { name: 'fake' })
})

test('an override that replaces nothing is an error', async () => {
  class Other {}
  await assert.rejects(
    testServer(UsersPlugin, { override: [[Other, new Other()]] }),
    /Nothing to override: no plugin in UsersPlugin provides Other/,
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
  }
  @Plugin({ routes: [Files] })
  class App {}
  await using app = await testServer(App)
  const call = async (member: string, input: object): Promise<unknown> => (await app.call(Files, member as never, input as never)).body
  assert.equal(await call('root', { headers: { 'x-a': 'b' } }), 'root b')
  assert.deepEqual(await call('file', { params: { kind: 'a', id: 'b/c d' } }), { kind: 'a', id: 'b/c d' })
  assert.deepEqual(await call('file', { params: { kind: 'a' } }), { kind: 'a', id: '' })
  assert.deepEqual(await call('rest', { params: { '*': 'a/b' } }), { '*': 'a/b' })
  assert.equal(await call('empty', {}), '')
  await assert.rejects(call('file', { params: { id: 1 } }), /Files\.file has the parameter 'kind': pass \{ params: \{ "kind": … \} \}\./)
  await assert.rejects(call('rest', {}), /Files\.rest has the parameter '\*': pass \{ params: \{ "\*": … \} \}\./)
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
  const User = requestDecorator('user', null).as<{ name: string }>()
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
      return (await app.call(UsersController, 'one', { params: { id: 1 } })).body.name
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
      'The wiring of UsersPlugin is wrong:\n  - UsersPlugin provides Users itself, so `provide` would have no effect. To replace a provider of the mounted plugin, use `override`.',
  })
  @Plugin({ imports: [shared(UsersPlugin)] })
  class Sharing {}
  await assert.rejects(testServer(Sharing, { provide: [[Users, { find: () => undefined }]] }), /Sharing provides Users itself/)
  @Plugin({ imports: [UsersPlugin] })
  class Above {}
  await (await testServer(Above, { provide: [[Users, { find: () => undefined }]] })).close()
})
