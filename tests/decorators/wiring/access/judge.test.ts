/** Mistakes that access rules find: each row breaks a rule of `@Plugin({ access })`, and the fault has the place and the cure. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AccessRule,
  access,
  bootstrap,
  check,
  type Class,
  Controller,
  type Fault,
  Get,
  Hook,
  Plugin,
  type PluginOptions,
  Post,
  Route,
  rule,
  type Server,
  shared,
  testServer,
  token,
  use,
  WiringError,
} from 'alcove'
import fastifyPlugin from 'fastify-plugin'

const neverConstructed = (): never => assert.fail('a class was constructed')

class RequireUser {
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } }
  onRequest(): void {}
}
class LateUser extends RequireUser {
  onResponse(): void {}
}
class RolesGuard {
  preHandler(): void {}
}
class Transaction {
  around(_request: unknown, next: () => Promise<unknown>): Promise<unknown> {
    return next()
  }
}
/** Runs after the handler. */
class Audit {
  onSend(): void {}
}
class Twice {
  onRequest(): void {}
  preHandler(): void {}
}
async function checkKey(): Promise<void> {}
async function limit(): Promise<void> {}

class Db {
  constructor() {
    neverConstructed()
  }
}
class Mailer {}
const REPLICA = token<Db>('REPLICA')

@Controller('/users')
class Users {
  constructor() {
    neverConstructed()
  }
  @Get() list(): void {}
  @Get('/:id') find(): void {}
  @Post() add(): void {}
}
@Hook('preHandler', RolesGuard)
@Controller('/reports')
class Reports {
  @Get() list(): void {}
}
@Route({ method: 'POST', path: '/login' })
class Login {
  handle(): void {}
}
@Route({ method: 'GET', path: '/health' })
class Health {
  handle(): string {
    return 'ok'
  }
}

@Route({ method: 'GET', path: '/claimed' }, { security: [{ bearer: [] }] })
class Claimed {
  handle(): void {}
}
@Route({ method: 'GET', path: '/' })
class AtPrefix {
  handle(): void {}
}
@Plugin({ routes: [Login] })
class OpenPlugin {}

const named = (name: string, options: object): Class => {
  const made = { [name]: class {} }[name] as Class
  Plugin(options as PluginOptions)(made)
  return made
}
/** An application, with its rules. */
const app = (options: object, ...rules: AccessRule[]): Class => named('App', { ...options, access: rules })

/** Returns the faults that `check` throws. */
function faultsOf(App: Class): readonly Fault[] {
  try {
    check(App)
    return []
  } catch (error) {
    assert.ok(error instanceof WiringError, String(error))
    return error.faults
  }
}

interface Row {
  readonly title: string
  readonly app: Class
  /** The code and the place of each fault, and words of its text and of its cure. */
  readonly found: readonly (readonly [code: string, place: string, ...words: string[]])[]
}

const everywhere = rule.routes('/**').run(RequireUser)

const rows: readonly Row[] = [
  {
    title: 'a route without its guard',
    app: app({ routes: [Login] }, everywhere),
    found: [
      [
        'ACCESS_HOOK_MISSING',
        'App > Login',
        "App > Login (POST /login) does not run RequireUser, as the access rule routes('/**').run(RequireUser) of App demands.",
        "List it in hooks: { onRequest: RequireUser } of App or of an ancestor, or write @Hook('onRequest', RequireUser) above the route.",
      ],
    ],
  },
  { title: 'a guard of the context', app: app({ routes: [Login], hooks: { onRequest: RequireUser } }, everywhere), found: [] },
  {
    title: 'a guard that is imported as a child, so that it guards only its own routes',
    app: app({ imports: [named('Auth', { hooks: { onRequest: RequireUser }, routes: [Health] })], routes: [Login] }, everywhere),
    found: [
      [
        'ACCESS_HOOK_MISSING',
        'App > Login',
        'RequireUser runs in App > Auth, whose hooks do not reach the route.',
        'share that plugin: write imports: [shared(Auth)] in App.',
      ],
    ],
  },
  {
    title: 'a guard that a shared import gives',
    app: app({ imports: [shared(named('Auth', { hooks: { onRequest: RequireUser } }))], routes: [Login] }, everywhere),
    found: [],
  },
  {
    title: 'one guard of a sibling',
    app: app(
      {
        imports: [named('One', { hooks: { onRequest: RequireUser }, routes: [Login] }), named('Other', { routes: [Health] })],
      },
      everywhere,
    ),
    found: [['ACCESS_HOOK_MISSING', 'App > Other > Health', 'shared(One)']],
  },
  {
    title: 'a plugin two levels below that escapes what its ancestor demands',
    app: app(
      { imports: [named('Api', { imports: [named('Deep', { prefix: '/deep', routes: [Login] })] })], hooks: {} },
      rule.routes('/**').run(RequireUser),
    ),
    found: [['ACCESS_HOOK_MISSING', 'App > Api > Deep > Login', '(POST /deep/login)', 'of App > Api > Deep or of an ancestor']],
  },
  {
    title: 'a rule of a plugin below does not hold beside it',
    app: app({
      imports: [named('Admin', { prefix: '/admin', routes: [Reports], access: [rule.routes('/**').run(RolesGuard)] })],
      routes: [Login],
    }),
    found: [],
  },
  {
    title: 'paths of a plugin are below its prefix, also if the import gives it',
    app: app({
      prefix: '/api',
      imports: [
        use(named('Admin', { prefix: '/x', routes: [Users], access: [rule.routes('/users/**').run(RolesGuard)] }), { prefix: '/admin' }),
      ],
    }),
    found: [
      ['ACCESS_HOOK_MISSING', 'App > Admin > Users.list', '(GET /api/admin/users)'],
      ['ACCESS_HOOK_MISSING', 'App > Admin > Users.find', '(GET /api/admin/users/:id)'],
      ['ACCESS_HOOK_MISSING', 'App > Admin > Users.add', '(POST /api/admin/users)'],
    ],
  },
  {
    title: 'paths of the application are as clients send them',
    app: app({ prefix: '/api', routes: [Login] }, rule.routes('/api/login').run(RequireUser)),
    found: [['ACCESS_HOOK_MISSING', 'App > Login', '(POST /api/login)']],
  },
  {
    title: 'a rule of a shared plugin holds for its own routes',
    app: app({
      imports: [named('Admin', { shared: true, prefix: '/admin', routes: [Health], access: [rule.routes('/health').run(RequireUser)] })],
      routes: [Login],
    }),
    found: [['ACCESS_HOOK_MISSING', 'App > Admin > Health', '(GET /admin/health)']],
  },
  {
    title: 'a hook that runs after the handler does not guard',
    app: app({ routes: [Login], hooks: { onSend: Audit } }, rule.routes('/**').run(Audit as never)),
    found: [['ACCESS_HOOK_MISSING', 'App > Login', 'does not run Audit']],
  },
  {
    title: 'a subclass of a guard is another guard',
    app: app({ routes: [Login], hooks: { onRequest: class Lax extends RequireUser {} } }, everywhere),
    found: [['ACCESS_HOOK_MISSING', 'App > Login', 'does not run RequireUser']],
  },
  {
    title: 'a guard that is only provided',
    app: app({ routes: [Login], providers: [{ provide: RequireUser, useFactory: () => new RequireUser() }] }, everywhere),
    found: [['ACCESS_HOOK_MISSING', 'App > Login', 'does not run RequireUser']],
  },
  {
    title: 'guards in another order',
    app: app({ routes: [Login], hooks: { preHandler: [RolesGuard, Twice] } }, rule.routes('/**').run(Twice, RolesGuard)),
    found: [['ACCESS_HOOKS_UNORDERED', 'App > Login', 'runs RolesGuard before Twice', 'List Twice before RolesGuard']],
  },
  {
    title: 'guards whose stages are in the demanded order',
    app: app(
      { routes: [Login], hooks: { preHandler: [RolesGuard, Twice], onRequest: [Twice, checkKey] } },
      rule.routes('/**').run(Twice, checkKey, RolesGuard),
    ),
    found: [],
  },
  {
    title: 'the guards of a route run after those of its context',
    app: app(
      { routes: [Reports], hooks: { preHandler: Twice } },
      rule.routes('/**').run(Twice, RolesGuard),
      rule.routes(Reports).run(RolesGuard, Twice),
    ),
    found: [['ACCESS_HOOKS_UNORDERED', 'App > Reports.list', 'runs Twice before RolesGuard']],
  },
  {
    title: 'around hooks and functions count',
    app: app({ routes: [Login], hooks: { onRequest: limit, around: Transaction } }, rule.routes('/**').run(limit, Transaction)),
    found: [],
  },
  {
    title: 'an around hook that is missing',
    app: app({ routes: [Login] }, rule.routes('/**').run(Transaction)),
    found: [['ACCESS_HOOK_MISSING', 'App > Login', "@Hook('around', Transaction)"]],
  },
  {
    title: 'two guards missing, and only at the routes that are chosen',
    app: app({ routes: [Users, Login] }, rule.routes('POST /**').except(Login).run(RequireUser, RolesGuard)),
    found: [
      ['ACCESS_HOOK_MISSING', 'App > Users.add', 'does not run RequireUser', '.except(Login).run(RequireUser, RolesGuard) of App demands'],
      ['ACCESS_HOOK_MISSING', 'App > Users.add', 'does not run RolesGuard'],
    ],
  },
  {
    title: 'routes that are chosen by their controller, and left out by their plugin',
    app: app(
      { imports: [OpenPlugin, named('Closed', { routes: [Users, Health] })] },
      rule.routes(Health).run(RequireUser),
      rule.routes('/**').except(Users, OpenPlugin).run(RolesGuard),
    ),
    found: [
      ['ACCESS_HOOK_MISSING', 'App > Closed > Health', 'routes(Health).run(RequireUser)'],
      ['ACCESS_HOOK_MISSING', 'App > Closed > Health', "routes('/**').except(Users, OpenPlugin).run(RolesGuard)"],
    ],
  },
  {
    title: 'a route below a prefix that is answered with and without a slash, once',
    app: app({ imports: [named('Root', { prefix: '/x', routes: [AtPrefix] })] }, everywhere),
    found: [['ACCESS_HOOK_MISSING', 'App > Root > AtPrefix', '(GET /x)']],
  },
  {
    title: 'each of two imports of one plugin',
    app: app({ imports: ['/a', '/b'].map((prefix) => use(OpenPlugin, { prefix })) }, rule.routes('/a/**').run(RequireUser)),
    found: [['ACCESS_HOOK_MISSING', 'App > OpenPlugin > Login', '(POST /a/login)']],
  },

  // public
  {
    title: 'a public route that is not listed, and a listed one that has a guard',
    app: app(
      { imports: [named('Guarded', { hooks: { onRequest: RequireUser }, routes: [Health] })], routes: [Login] },
      rule.public({ exactly: ['GET /health'] }),
    ),
    found: [
      ['ACCESS_PUBLIC_UNLISTED', 'App > Login', "add 'POST /login' to exactly", 'static security = { … }'],
      [
        'ACCESS_PUBLIC_GUARDED',
        'App > Guarded > Health',
        'requires bearer',
        "public({ exactly: ['GET /health'] }) of App names it as public",
      ],
    ],
  },
  {
    title: 'the entry to write is below the prefix of the plugin',
    app: app({ imports: [named('Api', { prefix: '/api', routes: [Login], access: [rule.public({ exactly: [] })] })] }),
    found: [['ACCESS_PUBLIC_UNLISTED', 'App > Api > Login', '(POST /api/login) is public', "add 'POST /login' to exactly"]],
  },
  {
    title: 'exactly the public routes',
    app: app(
      { imports: [named('Guarded', { hooks: { onRequest: RequireUser }, routes: [Users] })], routes: [Login, Health] },
      rule.public({ exactly: [Login, '/health'] }),
    ),
    found: [],
  },
  {
    title: 'a guard that declares no security leaves a route public',
    app: app({ routes: [Reports] }, rule.public({ exactly: [] })),
    found: [['ACCESS_PUBLIC_UNLISTED', 'App > Reports.list', 'no guard that it runs requires anything']],
  },
  {
    title: 'a class that declares security leaves a route public if it runs only after the handler',
    app: app({ hooks: { onResponse: LateUser }, routes: [Login] }, rule.public({ exactly: [] })),
    found: [['ACCESS_PUBLIC_UNLISTED', 'App > Login', 'no guard that it runs requires anything']],
  },
  {
    title: 'security of a plugin function that its import declares',
    app: app(
      {
        imports: [shared(use(fastifyPlugin(limit), undefined, { security: { key: { type: 'apiKey', name: 'x-key', in: 'header' } } }))],
        routes: [Login],
      },
      rule.public({ exactly: [] }),
    ),
    found: [],
  },
  {
    title: 'a route whose schema says that it is guarded, while no guard runs',
    app: app(
      { imports: [named('Guarded', { hooks: { onRequest: RequireUser }, routes: [Health] })], routes: [Claimed] },
      rule.public({ exactly: [] }),
    ),
    found: [['ACCESS_PUBLIC_UNLISTED', 'App > Claimed', 'no guard that it runs requires anything']],
  },

  // every
  {
    title: 'routes for which a function does not hold',
    app: app(
      { routes: [Users, Health] },
      rule.every(({ methods }) => !methods.includes('POST')),
      rule.routes('GET /**').every((route) => (route.url === '/health' ? 'it is about health' : true)),
      rule.routes(Health).every((() => undefined) as never),
      rule.routes(Health).every((async () => true) as never),
    ),
    found: [
      ['ACCESS_ROUTE_REFUSED', 'App > Users.add', 'App > Users.add (POST /users) breaks the access rule', 'its function returned false'],
      ['ACCESS_ROUTE_REFUSED', 'App > Health', ': it is about health.', 'routes(…).except(…).every(…)'],
      ['ACCESS_ROUTE_REFUSED', 'App > Health', 'its function returned nothing'],
      ['ACCESS_ROUTE_REFUSED', 'App > Health', 'its function returned Promise'],
    ],
  },

  // neverSees
  {
    title: 'a provider of an ancestor that a plugin sees',
    app: app({
      providers: [Db],
      imports: [named('Billing', { routes: [Login], access: [rule.neverSees(Db)], imports: [named('Bills', { routes: [Health] })] })],
    }),
    found: [
      [
        'ACCESS_PROVIDER_SEEN',
        'App > Billing',
        'App > Billing sees Db of App, which the access rule neverSees(Db) of App > Billing forbids',
        'list it in private of App',
      ],
      ['ACCESS_PROVIDER_SEEN', 'App > Billing > Bills'],
    ],
  },
  {
    title: 'a provider that a plugin below brings itself',
    app: app(
      {
        imports: [
          named('Data', { providers: [Db] }),
          named('Billing', { imports: [named('Bills', { providers: [Db], routes: [Health] })] }),
        ],
      },
      rule.neverSees(Mailer),
    ),
    found: [['ACCESS_RULE_IDLE', 'App', 'names Mailer, which no plugin provides']],
  },
  {
    title: 'a provider under another token',
    app: app({
      imports: [
        shared(named('Data', { providers: [Db, { provide: REPLICA, useExisting: Db }], private: [Db] })),
        named('Billing', { routes: [Login], access: [rule.neverSees(Db)] }),
      ],
    }),
    found: [['ACCESS_PROVIDER_SEEN', 'App > Billing', 'sees Db of App > Data as REPLICA']],
  },
  {
    title: 'a private provider and one of a sibling are not seen',
    app: app({
      providers: [Db],
      private: [Db],
      imports: [named('Data', { providers: [Mailer] }), named('Billing', { routes: [Login], access: [rule.neverSees(Db, Mailer)] })],
    }),
    found: [],
  },

  // rules that would prove nothing
  {
    title: 'patterns and classes that match no route',
    app: app(
      { routes: [Login, Users] },
      rule.routes('/logn', Health).run(RequireUser),
      rule.routes(Login).except('/users', 'GET /login').run(RolesGuard),
      rule.public({ exactly: [Login, Users, '/signup'] }),
      rule.routes('/**').except('/**').run(RequireUser),
    ),
    found: [
      [
        'ACCESS_RULE_IDLE',
        'App',
        "The access rule routes('/logn', Health).run(RequireUser) of App names '/logn', which matches no route, so it would prove nothing.",
      ],
      ['ACCESS_RULE_IDLE', 'App', 'names Health, which matches no route'],
      ['ACCESS_RULE_IDLE', 'App', "names '/users', which matches none of its routes"],
      ['ACCESS_RULE_IDLE', 'App', "names 'GET /login', which matches none of its routes"],
      ['ACCESS_HOOK_MISSING', 'App > Login', 'RolesGuard'],
      ['ACCESS_RULE_IDLE', 'App', "names '/signup', which matches no route"],
      ['ACCESS_RULE_IDLE', 'App', 'names no route, so it would prove nothing'],
    ],
  },
  {
    title: 'rules without a hook, a route or a provider',
    app: app(
      { routes: [Login] },
      (rule.routes('/**').run as () => AccessRule)(),
      (rule.routes as () => ReturnType<typeof rule.routes>)().run(RequireUser),
      (rule.neverSees as () => AccessRule)(),
    ),
    found: [
      ['ACCESS_RULE_IDLE', 'App', 'names no hook'],
      ['ACCESS_RULE_IDLE', 'App', 'names no route'],
      ['ACCESS_RULE_IDLE', 'App', 'names no provider'],
    ],
  },
  {
    title: 'entries that are no rules, and rules that name something undefined',
    app: app(
      { routes: [Login] },
      undefined as never,
      RequireUser as never,
      rule.routes(undefined as never).run(undefined as never),
      rule.neverSees(undefined as never),
    ),
    found: [
      [
        'ENTRY_INVALID',
        'App',
        'lists undefined (a class used before its declaration, or a circle of imports) in access.',
        "Write rule.routes('/**').run(RequireUser)",
      ],
      ['ENTRY_INVALID', 'App', 'lists RequireUser in access.'],
      ['ENTRY_INVALID', 'App', 'in the access rule routes(undefined).run(undefined)', 'Declare it first'],
      ['ENTRY_INVALID', 'App', 'in the access rule neverSees('],
    ],
  },
  {
    title: 'an option that is not a list',
    app: named('App', { routes: [Login], access: everywhere }),
    found: [['OPTION_INVALID', 'App', 'access', 'a list']],
  },
]

describe('an access rule finds', () => {
  for (const { title, app: App, found } of rows) {
    test(title, () => {
      const faults = faultsOf(App)
      assert.deepEqual(
        faults.map(({ code, place }) => [code, place]),
        found.map(([code, place]) => [code, place]),
        faults.map(({ message }) => message).join('\n'),
      )
      for (const [index, [, , ...words]] of found.entries())
        for (const text of words) assert.ok(faults[index]!.message.includes(text), `${text}\nis not in\n${faults[index]!.message}`)
    })
  }
})

test('faults of access rules and of declared replies are reported together', () => {
  class Contradicting {
    static readonly responses = { 401: { type: 'string' } }
    onRequest(): void {}
  }
  @Controller('/notes')
  class Notes {
    @Get('/', { response: { 401: { type: 'object' } } }) list(): void {}
  }
  assert.deepEqual(
    faultsOf(app({ routes: [Notes], hooks: { onRequest: Contradicting } }, everywhere)).map(({ code }) => code),
    ['RESPONSE_CONTRADICTED', 'ACCESS_HOOK_MISSING'],
  )
})

/** Adds routes by code: in its context and in one below. */
@Plugin({ prefix: '/back' })
class BackDoor {
  setup(instance: Server): void {
    instance.get('/', () => 'open')
    instance.register(async function inside(inner: Server) {
      inner.get('/inner', () => 'open')
      inner.get('/guarded', { onRequest: checkKey }, () => 'closed')
    })
  }
}

test('a route that setup adds cannot escape: the boot fails before the server listens', async () => {
  const App = app(
    { imports: [BackDoor], routes: [Reports] },
    rule.routes('/back/**').except('/back/guarded').run(checkKey),
    rule.routes('/back/guarded').run(checkKey),
  )
  check(App)
  await assert.rejects(bootstrap(App), ({ faults }: WiringError) => {
    assert.deepEqual(
      faults.map(({ code, place }) => [code, place]),
      [
        ['ACCESS_HOOK_MISSING', 'App > BackDoor > GET /back'],
        ['ACCESS_HOOK_MISSING', 'App > BackDoor > inside > GET /back/inner'],
      ],
    )
    assert.match(faults[0]!.message, /^App > BackDoor > GET \/back does not run checkKey, as the access rule/)
    return true
  })
})

test('a rule of a plugin holds for the contexts that its setup makes', async () => {
  @Plugin({ access: [rule.routes('/**').run(checkKey)] })
  class Inner extends BackDoor {}
  @Plugin({ imports: [use(Inner, { prefix: '/in' })] })
  class App {}
  await assert.rejects(bootstrap(App), /App > Inner > inside > GET \/in\/inner does not run checkKey/)
})

test('hooks of classes, methods and functions guard the routes that code adds', async () => {
  @Plugin({ hooks: { onRequest: RequireUser }, imports: [BackDoor], access: [rule.routes('/**').run(RequireUser, limit)] })
  class App {
    @Hook('preHandler') async own(): Promise<void> {}
    setup(instance: Server): void {
      instance.addHook('onRequest', limit)
    }
  }
  await using server = await bootstrap(App)
  access(server).routes('/back/**').run(RequireUser, limit, App.prototype.own)
  assert.throws(() => access(server).routes('/back/**').run(checkKey), /App > BackDoor > inside > GET \/back\/inner does not run checkKey/)
})

test('a pattern that only code can fulfil is judged at boot', async () => {
  const wrong = app({ imports: [BackDoor] }, rule.routes('/bakc/**').run(checkKey))
  check(wrong)
  await assert.rejects(bootstrap(wrong), /names '\/bakc\/\*\*', which matches no route, so it would prove nothing/)
  await using server = await bootstrap(app({ imports: [BackDoor] }, rule.routes('/back/guarded').run(checkKey)))
  assert.equal((await server.inject('/back/guarded')).statusCode, 200)
})

test('a HEAD route has the hooks of its GET route, and is not listed beside it', () => {
  check(app({ routes: [Health] }, rule.public({ exactly: ['GET /health'] })))
  assert.deepEqual(
    faultsOf(app({ routes: [Health] }, rule.routes('HEAD /health').run(RequireUser))).map(({ code }) => code),
    ['ACCESS_RULE_IDLE'],
  )
})

test('a plugin that is tested without its ancestors is not judged, as an ancestor may run the guard', async () => {
  const Admin = named('Admin', { routes: [Login], access: [everywhere] })
  await using mounted = await testServer(Admin)
  assert.throws(() => access(mounted.server).routes('/**').run(RequireUser), WiringError)
})
