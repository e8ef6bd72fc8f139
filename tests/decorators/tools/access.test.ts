/** `access`: access rules as tests. What each rule finds stands in wiring/access/judge.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  access,
  bootstrap,
  check,
  Controller,
  createServer,
  Get,
  HttpError,
  Plugin,
  Post,
  rule,
  type Server,
  use,
  WiringError,
} from 'alcove'

const neverConstructed = (): never => assert.fail('a class was constructed')

class RequireUser {
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } }
  constructor() {
    neverConstructed()
  }
  onRequest(): void {
    throw new HttpError(401, 'Who are you?')
  }
}
class Db {
  constructor() {
    neverConstructed()
  }
}

@Controller('/invoices')
class Invoices {
  @Get() list(): void {}
  @Post({ bodyLimit: 10 }) add(): void {}
}
@Plugin({ prefix: '/billing', routes: [Invoices], hooks: { onRequest: RequireUser } })
class Billing {}
@Controller('/sessions')
class Sessions {
  @Post() login(): void {}
}
@Plugin({ imports: [Billing], routes: [Sessions], providers: [Db] })
class App {}

test('rules that hold throw nothing, construct nothing, and can be written one after the other', () => {
  access(App)
    .routes('/billing/**')
    .run(RequireUser)
    .public({ exactly: [Sessions] })
    .every(({ limits }) => limits.bodyLimit === undefined || limits.bodyLimit <= 1_048_576)
    .plugin(Billing)
    .routes('/invoices', 'POST /invoices')
    .run(RequireUser)
})

test('a rule that does not hold throws one error with a fault for each route: its place, what is missing, and the cure', () => {
  assert.throws(
    () =>
      access(App)
        .routes('/**')
        .run(Db as never),
    (error) => {
      assert.ok(error instanceof WiringError)
      const by = "does not run Db, as the access rule routes('/**').run(Db) of access(App) demands."
      assert.deepEqual(
        error.faults.map(({ place, message }) => [place, message.slice(0, message.indexOf(' List'))]),
        [
          ['App > Sessions.login', `App > Sessions.login (POST /sessions) ${by}`],
          ['App > Billing > Invoices.list', `App > Billing > Invoices.list (GET /billing/invoices) ${by}`],
          ['App > Billing > Invoices.add', `App > Billing > Invoices.add (POST /billing/invoices) ${by}`],
        ],
      )
      assert.match(error.message, /^The wiring of App has 3 faults:\n {2}- App > Sessions\.login/)
      return true
    },
  )
})

test('rules of a plugin are judged for it and for all below, wherever it is imported', () => {
  assert.throws(
    () => access(App).plugin(Billing).neverSees(Db),
    /App > Billing sees Db of App, which the access rule neverSees\(Db\) of access\(App\)\.plugin\(Billing\) forbids/,
  )
  @Plugin({ imports: [use(Billing, { prefix: '/one' }), use(Billing, { prefix: '/other' })] })
  class Both {}
  assert.throws(
    () =>
      access(Both)
        .plugin(Billing)
        .public({ exactly: [Invoices] }),
    ({ faults }: WiringError) => faults.length === 4 && /\/other\/invoices/.test(faults[3]!.message),
  )
})

test('a plugin that the application does not import is a mistake', () => {
  @Plugin()
  class Other {}
  assert.throws(() => access(App).plugin(Other), /access\(App\) names the plugin Other, which App does not import/i)
})

test('the options of the server are part of what every sees', () => {
  const isSmall = ({ limits }: { limits: { bodyLimit?: number } }): boolean | string =>
    (limits.bodyLimit ?? 0) <= 100 || `a body may have ${limits.bodyLimit} bytes`
  access(App, { bodyLimit: 100 }).every(isSmall)
  assert.throws(() => access(App).every(isSmall), /App > Sessions\.login \(POST \/sessions\) breaks .*: a body may have 1048576 bytes/)
})

test('a server is judged with the routes that code added; a class says what it does not know', async () => {
  @Plugin({ prefix: '/files' })
  class Files {
    setup(instance: Server): void {
      instance.get('/:name', () => 'file')
    }
  }
  @Plugin({ imports: [Files, Billing] })
  class WithFiles {}
  assert.throws(
    () => access(WithFiles).routes('/files/**').run(RequireUser),
    /If WithFiles > Files\.setup adds it at boot, judge the server that boots: access\(server\)\./,
  )
  @Plugin({ imports: [Files] })
  class OnlyFiles {}
  await using server = await bootstrap(OnlyFiles)
  assert.throws(
    () => access(server).routes('/files/**').run(RequireUser),
    /OnlyFiles > Files > GET \/files\/:name does not run RequireUser/,
  )
  access(server).public({ exactly: ['GET /files/:name'] })
})

test('an application with other faults shows these, and a server without classes is refused', () => {
  class Needs {
    static readonly inject = [Db] as const
    constructor(readonly db: Db) {}
  }
  @Plugin({ providers: [Needs] })
  class Broken {}
  assert.throws(() => access(Broken), /asks for Db, which no plugin provides/)
  assert.throws(() => access(createServer()), /access takes a plugin class, or a server that bootstrap or testServer made/)
})

test('a rule is a value that several plugins may have', () => {
  const guarded = rule.routes('/**').run(RequireUser)
  @Plugin({ imports: [Billing], access: [guarded] })
  class One {}
  @Plugin({ imports: [Billing], routes: [Sessions], access: [guarded] })
  class Other {}
  check(One)
  assert.throws(() => check(Other), /Other > Sessions\.login \(POST \/sessions\) does not run RequireUser/)
  assert.throws(() => Object.assign(guarded, { kind: 'none' }), TypeError)
})
