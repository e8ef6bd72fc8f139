import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  Get,
  Hook,
  type Optional,
  Plugin,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  type Server,
  shared,
  testServer,
  use,
  Without,
  WiringError,
} from 'alcove'
import { route } from '../../../fixtures/applications.js'

interface User {
  readonly name: string
}
const CurrentUser = requestDecorator('user').as<User>()
type WithUser = RouteRequest<unknown, [typeof CurrentUser]>

class RequireUser {
  static readonly sets = [CurrentUser] as const
  onRequest(request: WithUser) {
    request.user = { name: 'Ada' }
  }
}

class RolesGuard {
  static readonly requires = [CurrentUser] as const
  preHandler({ user }: WithUser) {
    assert.equal(user.name, 'Ada')
  }
}

@Route({ method: 'GET', path: '/me' })
class Me {
  handle({ user }: WithUser) {
    return user.name
  }
}

/** Returns the faults of an application as lines: `CODE: message`. */
async function faultsOf(App: Class): Promise<string[]> {
  try {
    await using server = await testServer(App)
    void server
    return []
  } catch (error) {
    assert.ok(error instanceof WiringError, String(error))
    return error.faults.map(({ code, message }) => `${code}: ${message}`)
  }
}

async function reply(App: Class, url = '/me'): Promise<string> {
  await using server = await bootstrap(App)
  return (await server.inject(url)).body
}

test('a route reads what a hook of its plugin sets', async () => {
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [Me] })
  class App {}
  assert.equal(await reply(App), 'Ada')
})

test('a route reads what a hook of an ancestor or of a shared plugin sets', async () => {
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, imports: [Account] })
  class Above {}
  @Plugin({ shared: true, decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser } })
  class Login {}
  @Plugin({ imports: [Account, Login] })
  class Beside {}
  assert.deepEqual([await reply(Above), await reply(Beside)], ['Ada', 'Ada'])
})

test('a hook of a plugin below a shared one reads what a hook of the importing plugin sets', async () => {
  class Roles {
    static readonly requires = [CurrentUser] as const
    onRequest({ user }: WithUser) {
      assert.equal(user.name, 'Ada')
    }
  }
  @Plugin({ requires: [CurrentUser], hooks: { onRequest: Roles }, routes: [Me] })
  class Account {}
  @Plugin({ imports: [Account] })
  class Bundle {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, imports: [shared(Bundle)] })
  class App {}
  assert.equal(await reply(App), 'Ada')
})

test('a route of a plugin that requires a decorator is refused if no hook sets it', async () => {
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  @Plugin({ requires: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [] })
  class Other {
    setup(server: Server) {
      server.get('/other', () => 'other')
    }
  }
  @Plugin({ decorateRequest: [CurrentUser], imports: [Account, Other] })
  class App {}
  assert.deepEqual(await faultsOf(App), [
    'DECORATOR_NOT_SET: App > Account > Me: the plugin requires request.user, but no hook that runs before its handler sets it. List RequireUser, which sets it, in hooks of the plugin or of an ancestor, or above the route. A route that does without it says so: @Without(…).',
  ])
})

test('a decorator that no hook class sets is refused, also if nothing requires it', async () => {
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  @Plugin({ decorateRequest: [CurrentUser], imports: [Account] })
  class Read {}
  @Plugin({ decorateRequest: [CurrentUser] })
  class Unread {}
  const [notSet] = await faultsOf(Read)
  const unread = (): void => check(Unread)
  assert.match(notSet!, /^DECORATOR_NOT_SET: .* Write static sets = \[ … \] in the hook class that sets it/)
  assert.throws(unread, {
    message:
      "The wiring of Unread is wrong:\n  - Unread adds request.user without a value, but no hook class has it in static sets. Write static sets = [ … ] in the hook class that sets it, or give it a value: requestDecorator('user', …).\nFor an explanation: npx alcove errors DECORATOR_NEVER_SET",
  })
})

test('a hook of one route counts for this route only, and @Without exempts another', async () => {
  @Controller()
  class Users {
    @Get('/me')
    @Hook('onRequest', RequireUser)
    me({ user }: WithUser) {
      return user.name
    }
    @Get('/login')
    login({ user }: RouteRequest<unknown, [Optional<typeof CurrentUser>]>) {
      return user?.name ?? 'nobody'
    }
  }
  @Plugin({ requires: [CurrentUser], decorateRequest: [CurrentUser], routes: [Users] })
  class App {}
  assert.match((await faultsOf(App)).join(), /^DECORATOR_NOT_SET: App > Users\.login: /)

  class Exempt extends Users {
    @Without(CurrentUser)
    @Get('/login')
    override login(request: RouteRequest<unknown, [Optional<typeof CurrentUser>]>) {
      return super.login(request)
    }
  }
  Controller()(Exempt)
  @Plugin({ requires: [CurrentUser], decorateRequest: [CurrentUser], routes: [Exempt] })
  class Mixed {}
  assert.deepEqual([await reply(Mixed), await reply(Mixed, '/login')], ['Ada', 'nobody'])
})

test('@Without is refused if the plugin does not require the decorator, or if a hook sets it', async () => {
  @Route({ method: 'GET', path: '/open' })
  @Without(CurrentUser)
  class Open {
    handle() {
      return 'open'
    }
  }
  @Plugin({ requires: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [Open] })
  class Guarded {}
  @Plugin({ prefix: '/unguarded', routes: [Open] })
  class Unguarded {}
  @Plugin({ decorateRequest: [CurrentUser], imports: [Guarded, Unguarded] })
  class App {}
  assert.deepEqual(await faultsOf(App), [
    'WITHOUT_NEEDLESS: App > Guarded > Open has @Without for request.user, but the hook RequireUser sets it for this route: @Without takes no hook away. Remove the decorator, or move the route into a plugin without this hook.',
    'WITHOUT_NEEDLESS: App > Unguarded > Open has @Without for request.user, which its plugin does not require. Remove the decorator.',
  ])
})

test('a hook reads only what an earlier hook has set', async () => {
  class EarlyRoles {
    static readonly requires = [CurrentUser] as const
    onRequest({ user }: WithUser) {
      void user
    }
  }
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: [EarlyRoles, RequireUser] }, routes: [Me] })
  class Early {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { preHandler: RolesGuard, onRequest: RequireUser }, routes: [Me] })
  class Later {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: [RequireUser, EarlyRoles] }, routes: [Me] })
  class Ordered {}
  assert.deepEqual(await faultsOf(Early), [
    'DECORATOR_NOT_SET: Early has the hook EarlyRoles, which reads request.user, but at GET /me no hook that runs earlier sets it. List RequireUser, which sets it, in hooks of the plugin or of an ancestor, or above the route.',
  ])
  assert.deepEqual(await faultsOf(Later), [])
  assert.deepEqual(await faultsOf(Ordered), [])
})

test('a hook of a shared plugin runs before those of its importer, and those of a parent before those of a child', async () => {
  @Plugin({ requires: [CurrentUser], hooks: { preHandler: RolesGuard }, routes: [Me] })
  class Child {}
  class LateUser {
    static readonly sets = [CurrentUser] as const
    preHandler(request: WithUser) {
      request.user = { name: 'Ada' }
    }
  }
  @Plugin({ decorateRequest: [CurrentUser], hooks: { preHandler: LateUser }, imports: [Child] })
  class ParentSets {}
  assert.equal(await reply(ParentSets), 'Ada')

  @Plugin({ shared: true, requires: [CurrentUser], hooks: { preHandler: RolesGuard } })
  class SharedRoles {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { preHandler: LateUser }, routes: [Me], imports: [shared(SharedRoles)] })
  class SharedReads {}
  assert.match((await faultsOf(SharedReads)).join(), /^DECORATOR_NOT_SET: SharedReads > SharedRoles has the hook RolesGuard/)
})

test('a hook that also runs for refused requests must not require what a hook sets', async () => {
  class Audit {
    static readonly requires = [CurrentUser] as const
    onResponse({ user }: WithUser) {
      void user
    }
  }
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  const options: object = { decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser, onResponse: Audit }, imports: [Account] }
  @Plugin(options)
  class App {}
  assert.deepEqual(await faultsOf(App), [
    'DECORATOR_READ_LATE: App has Audit as onResponse hook, which reads request.user: onResponse also runs for a request that a hook refused before it was set. Take it out of static requires and read it as Optional: RouteRequest<…, [Optional<typeof …>]>.',
  ])
})

test('the not-found handler of a plugin that requires a decorator needs the hook in its context', async () => {
  class Unknown {
    static readonly requires = [CurrentUser] as const
    notFoundHandler({ user }: WithUser) {
      return user.name
    }
  }
  @Plugin({ requires: [CurrentUser], prefix: '/area', notFoundHandler: Unknown })
  class Area {}
  @Plugin({ decorateRequest: [CurrentUser], imports: [Area] })
  class Open {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, imports: [Area] })
  class Guarded {}
  assert.match(
    (await faultsOf(Open)).join(),
    /^DECORATOR_NOT_SET: Open > Area has the not-found handler Unknown, which reads request\.user, but at unknown paths below \/area no hook/,
  )
  assert.equal(await reply(Guarded, '/area/unknown'), 'Ada')

  const options: object = { notFoundHandler: Unknown }
  @Plugin(options)
  class Unseen {}
  assert.match((await faultsOf(Unseen)).join(), /^REQUIREMENT_NOT_MET: Unseen with the not-found handler Unknown requires/)
  class Wrong {
    static readonly requires = ['user']
    notFoundHandler() {}
  }
  @Plugin({ notFoundHandler: Wrong })
  class Listed {}
  assert.deepEqual(await faultsOf(Listed), [
    "ENTRY_INVALID: Listed lists 'user' in notFoundHandler, in static requires of Wrong. Write a decorator that requestDecorator('name', value) made.",
  ])
})

test('a not-found handler that does not read the decorator needs no hook that sets it', async () => {
  @Plugin({ requires: [CurrentUser], prefix: '/area', notFoundHandler: () => 'none', routes: [] })
  class Area {}
  @Route({ method: 'GET', path: '/own' })
  @Hook('onRequest', RequireUser)
  class Own {
    handle({ user }: WithUser) {
      return user.name
    }
  }
  @Plugin({ decorateRequest: [CurrentUser], requires: [CurrentUser], routes: [Own], imports: [Area] })
  class App {}
  assert.equal(await reply(App, '/area/unknown'), 'none')
})

test('a decorator of the same name that another call made is not the required one', async () => {
  const Text = requestDecorator('user', 'a text').as<string>()
  const Numbered = requestDecorator('user').as<number>()
  class SetNumber {
    static readonly sets = [Numbered] as const
    onRequest(request: RouteRequest<unknown, [typeof Numbered]>) {
      request.user = 1
    }
  }
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  @Plugin({ decorateRequest: [Text], imports: [Account] })
  class Value {}
  @Plugin({ decorateRequest: { user: 'a text' }, imports: [Account] })
  class ByName {}
  @Plugin({ decorateRequest: [Numbered], hooks: { onRequest: SetNumber }, imports: [Account] })
  class SetByHook {}
  @Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: SetNumber }, imports: [Account] })
  class SetWrongly {}
  const sessions = async (server: Server): Promise<void> => void server.decorateRequest('user', null)
  @Plugin({ imports: [shared(use(sessions, {}, { sets: [Numbered] })), Account] })
  class OfFunction {}
  const faultOf = (place: string, adder: string): string[] => [
    `DECORATOR_AMBIGUOUS: ${place} names a request decorator 'user', but ${adder} adds another one of that name, whose value may have another type. Use one requestDecorator(…) at both places, or give one of them another name.`,
  ]
  assert.deepEqual(await faultsOf(Value), faultOf('Value > Account', 'Value'))
  assert.deepEqual(await faultsOf(ByName), faultOf('ByName > Account', 'ByName'))
  assert.deepEqual(await faultsOf(SetByHook), faultOf('SetByHook > Account', 'SetByHook'))
  assert.deepEqual(await faultsOf(SetWrongly), faultOf('SetWrongly with the hook SetNumber', 'SetWrongly'))
  assert.deepEqual(await faultsOf(OfFunction), faultOf('OfFunction > Account', 'OfFunction'))
  await assert.rejects(testServer(Account, { provide: [[Text, 'a text']] }), {
    message: /names a request decorator 'user', but Test adds another/,
  })

  @Plugin({ decorateRequest: { user: null }, hooks: { onRequest: RequireUser }, imports: [Account] })
  class WithoutValue {}
  @Plugin({ decorateRequest: [CurrentUser.as<User>()], hooks: { onRequest: RequireUser }, imports: [Account] })
  class Narrowed {}
  assert.deepEqual([await reply(WithoutValue), await reply(Narrowed)], ['Ada', 'Ada'])
})

test('a plugin function may set a decorator, according to its import', async () => {
  async function sessions(server: Server) {
    server.decorateRequest('user', null)
    server.addHook('onRequest', async (request: Request) => void Object.assign(request, { user: { name: 'Ada' } }))
  }
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class Account {}
  @Plugin({ imports: [shared(use(sessions, {}, { sets: [CurrentUser] })), Account] })
  class Sets {}
  @Plugin({ imports: [shared(use(sessions, {}, { decorates: [CurrentUser] })), Account] })
  class Adds {}
  assert.equal(await reply(Sets), 'Ada')
  assert.match((await faultsOf(Adds)).join(), /^DECORATOR_NOT_SET: Adds > Account > Me/)
})

test('a plugin function sets a decorator for hooks that are declared after its import', async () => {
  async function sessions(server: Server) {
    server.decorateRequest('user', null)
    server.addHook('onRequest', async (request: Request) => void Object.assign(request, { user: { name: 'Ada' } }))
  }
  class ReadEarly {
    static readonly requires = [CurrentUser] as const
    onRequest({ user }: WithUser) {
      assert.equal(user.name, 'Ada')
    }
  }
  const imported = shared(use(sessions, {}, { sets: [CurrentUser] }))
  @Plugin({ shared: true, requires: [CurrentUser], hooks: { onRequest: ReadEarly } })
  class Early {}
  @Plugin({ shared: true, requires: [CurrentUser], hooks: { preHandler: RolesGuard } })
  class Later {}
  @Plugin({ requires: [CurrentUser], hooks: { onRequest: ReadEarly }, routes: [Me] })
  class Child {}
  class ReadHook {
    static readonly requires = [CurrentUser] as const
    onRequest() {}
  }
  // Nothing else in this application has to do with the decorator.
  @Plugin({ shared: true, requires: [], hooks: { onRequest: ReadHook } })
  class Alone {}
  @Plugin({ imports: [Alone, imported], routes: [route('/', () => '')] })
  class OnlyHook {}
  assert.match((await faultsOf(OnlyHook)).join(), /^DECORATOR_NOT_SET: OnlyHook > Alone has the hook ReadHook/)
  @Plugin({ imports: [Early, imported, Child] })
  class Reads {}
  @Plugin({ imports: [Later, imported, Early, Child] })
  class Ordered {}
  assert.deepEqual(await faultsOf(Reads), [
    'DECORATOR_NOT_SET: Reads > Early has the hook ReadEarly, which reads request.user, but at GET /me no hook that runs earlier sets it. Import sessions, which sets it, in the plugin or in an ancestor, before shared plugins whose hooks read it.',
  ])
  assert.equal(await reply(Ordered), 'Ada')
})

test('a test gives the value of a decorator that hooks set', async () => {
  @Plugin({ requires: [CurrentUser], hooks: { preHandler: RolesGuard }, routes: [Me] })
  class Account {}
  await using server = await testServer(Account, { provide: [[CurrentUser, { name: 'Ada' }]] })
  assert.equal((await server.inject('/me')).body, 'Ada')
})

test('a test may give the value in a plugin with routes that do without it', async () => {
  @Controller()
  class Users {
    @Get('/me')
    me({ user }: WithUser) {
      return user.name
    }
    @Get('/open')
    @Without(CurrentUser)
    open() {
      return 'open'
    }
  }
  @Plugin({ requires: [CurrentUser], routes: [Users] })
  class Account {}
  await using server = await testServer(Account, { provide: [[CurrentUser, { name: 'Ada' }]] })
  assert.deepEqual([(await server.inject('/me')).body, (await server.inject('/open')).body], ['Ada', 'open'])
})

test('sets takes decorators without a value, in hooks that run before the handler', async () => {
  const Valued = requestDecorator('valued', 1)
  class Sets {
    static readonly sets = [Valued, 'user', CurrentUser]
    onRequest() {}
    onSend() {}
  }
  const options: object = { decorateRequest: [CurrentUser, Valued], hooks: { onRequest: Sets, onSend: Sets }, routes: [Me] }
  @Plugin(options)
  class App {}
  const late = 'It runs too late to set it for a handler: only onRequest, preParsing, preValidation, preHandler and around can.'
  assert.deepEqual(await faultsOf(App), [
    "ENTRY_INVALID: App lists 'valued' in hooks.onRequest, in static sets of Sets. Leave out its value, because a hook sets it: requestDecorator('valued').as<…>().",
    "ENTRY_INVALID: App lists 'user' in hooks.onRequest, in static sets of Sets. Write a decorator that requestDecorator('name', value) made.",
    "ENTRY_INVALID: App lists 'valued' in hooks.onSend, in static sets of Sets. Leave out its value, because a hook sets it: requestDecorator('valued').as<…>().",
    "ENTRY_INVALID: App lists 'user' in hooks.onSend, in static sets of Sets. Write a decorator that requestDecorator('name', value) made.",
    `ENTRY_INVALID: App lists 'user' in hooks.onSend, in static sets of Sets. ${late}`,
  ])
})

test('a decorator that is not visible is reported once', async () => {
  @Plugin({ requires: [CurrentUser], routes: [Me] })
  class App {}
  assert.deepEqual(
    (await faultsOf(App)).map((line) => line.split(':')[0]),
    ['REQUIREMENT_NOT_MET'],
  )
})

test('@Without of a class says nothing about methods of its subclasses', async () => {
  @Without(CurrentUser)
  @Controller('/base')
  class Base {
    @Get('/in')
    logIn() {
      return 'in'
    }
  }
  @Controller('/session')
  class Session extends Base {
    @Get('/own')
    own({ user }: WithUser) {
      return user.name
    }
  }
  @Controller('/set')
  class Guarded {
    @Get()
    @Hook('onRequest', RequireUser)
    me({ user }: WithUser) {
      return user.name
    }
  }
  @Plugin({ requires: [CurrentUser], decorateRequest: [CurrentUser], routes: [Session, Guarded] })
  class App {}
  const faults = await faultsOf(App)
  assert.equal(faults.length, 1)
  assert.match(faults[0]!, /^DECORATOR_NOT_SET: App > Session\.own: /)
})

test('an around hook sets nothing for the not-found handler', async () => {
  class SetAround {
    static readonly sets = [CurrentUser] as const
    around(request: WithUser, next: () => Promise<unknown>) {
      request.user = { name: 'Ada' }
      return next()
    }
  }
  class Unknown {
    static readonly requires = [CurrentUser] as const
    notFoundHandler() {}
  }
  @Plugin({
    requires: [CurrentUser],
    decorateRequest: [CurrentUser],
    hooks: { around: SetAround },
    notFoundHandler: Unknown,
    routes: [Me],
  })
  class App {}
  const faults = await faultsOf(App)
  assert.equal(faults.length, 1)
  assert.match(faults[0]!, /^DECORATOR_NOT_SET: App has the not-found handler Unknown, /)
})
