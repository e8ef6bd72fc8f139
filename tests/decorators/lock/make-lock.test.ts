/** The locks of real applications, and of applications with mistakes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Class,
  Controller,
  Get,
  HttpError,
  Injectable,
  Job,
  Hook,
  Model,
  optional,
  Plugin,
  type PluginOptions,
  Post,
  queue,
  ref,
  Route,
  shared,
  token,
  use,
  WiringError,
} from 'alcove'
import { z } from 'zod'
import { compareLocks } from '../../../decorators/lock/compare-locks.js'
import { makeLock } from '../../../decorators/lock/make-lock.js'
import { parseLock } from '../../../decorators/lock/parse-lock.js'
import { writeLock } from '../../../decorators/lock/write-lock.js'

const neverConstructed = (): never => assert.fail('a class was constructed')

class RequireUser {
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } }
  constructor() {
    neverConstructed()
  }
  onRequest(): void {}
}
class RolesGuard {
  preHandler(): void {}
}
class Audit {
  onResponse(): void {}
}
class Db {
  constructor() {
    neverConstructed()
  }
}
@Injectable({ scope: 'request' })
class Session {}
@Injectable({ scope: 'transient' })
class Stamp {}
const METRICS = token<object>('METRICS')

/** A schema of a library that does not show it as JSON Schema. */
const opaque = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const

class Note extends Model({ type: 'object', properties: { text: { type: 'string', maxLength: 80 } } }, { $id: 'Note' }) {}

class Users {
  static readonly inject = [Db, Session, optional(METRICS)] as const
  constructor(
    readonly db: Db,
    readonly session: Session,
    readonly metrics: object | undefined,
  ) {}
}
Injectable({ scope: 'request' })(Users)

@Hook('preHandler', RolesGuard)
@Controller('/users')
class UsersController {
  static readonly inject = [Users] as const
  constructor(_users: Users) {
    neverConstructed()
  }
  @Get('/', { response: { 200: { type: 'array', items: ref(Note) } } })
  list(): object[] {
    return []
  }
  @Post({ status: 204, bodyLimit: 100 }, { body: opaque, response: { 204: { type: 'null' } } })
  add(): void {}
}

@Route({ method: 'GET', path: '/health', constraints: { version: '1.0.0' } })
class Health {
  handle(): string {
    return 'ok'
  }
}

class Unknown {
  notFoundHandler(): never {
    throw new HttpError(404, 'nothing here')
  }
}

async function cors(): Promise<void> {
  neverConstructed()
}

@Plugin({ shared: true, providers: [Db, Stamp], schemas: [Note] })
class DataPlugin {}
@Plugin({
  prefix: '/api',
  providers: [Users, { provide: 'limit', useValue: 3 }],
  private: ['limit'],
  routes: [UsersController],
  hooks: { onRequest: RequireUser },
})
class ApiPlugin {
  setup(): void {
    neverConstructed()
  }
}
@Plugin({
  providers: [Session],
  imports: [DataPlugin, ApiPlugin, use(cors)],
  routes: [Health],
  hooks: { onResponse: Audit },
  notFoundHandler: Unknown,
})
class App {}

test('a lock has the plugins, providers and routes of an application, and nothing is constructed', () => {
  const text = writeLock(makeLock(App, { handlerTimeout: 0 }))
  assert.deepEqual(text.split('\n').slice(2), [
    '',
    'plugin App',
    '  gives Session, request',
    '  runs cors',
    '  notFound Unknown',
    '  route GET /health',
    '    constraints version 1.0.0',
    '    handler Health, context',
    '    hooks onResponse Audit (App)',
    '    replies 404 undeclared',
    '',
    'plugin App > ApiPlugin',
    '  prefix /api',
    "  gives 'limit', context, private",
    '  gives Users, request',
    '  needs Db, context, of App > DataPlugin',
    '  needs METRICS, nothing',
    '  needs Session, request, of App',
    '  runs setup',
    '  route GET /api/users',
    '    handler UsersController.list, request',
    '    hooks onRequest RequireUser (App > ApiPlugin), preHandler RolesGuard (route), onResponse Audit (App)',
    '    security bearer',
    '    replies 200 6754a3a2607e',
    '  route POST /api/users',
    '    handler UsersController.add, request',
    '    hooks onRequest RequireUser (App > ApiPlugin), preHandler RolesGuard (route), onResponse Audit (App)',
    '    security bearer',
    '    input body opaque',
    '    replies 204 empty',
    '    limits bodyLimit 100',
    '',
    'plugin App > DataPlugin',
    '  shared',
    '  gives Db, context',
    '  gives Stamp, transient',
    '',
  ])
  assert.deepEqual(parseLock(text), makeLock(App, { handlerTimeout: 0 }))
})

test('the order of imports, routes and providers in the code does not change the lock', () => {
  @Plugin({
    notFoundHandler: Unknown,
    hooks: { onResponse: Audit },
    routes: [Health],
    imports: [use(cors), ApiPlugin, DataPlugin],
    providers: [Session],
  })
  class Reordered {}
  const lock = writeLock(makeLock(Reordered)).replaceAll('Reordered', 'App')
  assert.equal(lock, writeLock(makeLock(App)))
})

test('a route below a prefix that is answered with and without a slash has one entry', () => {
  @Route({ method: 'GET', path: '/' })
  class AtPrefix {
    handle(): void {}
  }
  @Plugin({ prefix: '/x', routes: [AtPrefix] })
  class Area {}
  @Plugin({ imports: [Area] })
  class Root {}
  assert.deepEqual(
    makeLock(Root).plugins.flatMap(({ routes }) => routes.map(({ url }) => url)),
    ['/x'],
  )
})

test('a route has its own deprecation, or that of its controller or nearest context', () => {
  const since = new Date('2026-06-30T00:00:00Z')
  @Controller('/old', { deprecated: { since: '2026-01-31', sunset: '2026-12-31', link: '/changes' } })
  class Old {
    @Get()
    list() {}
    @Get({ path: '/kept', deprecated: false })
    keep() {}
    @Get({ path: '/undated', deprecated: true })
    undated() {}
  }
  @Controller('/other')
  class Other {
    @Get()
    list() {}
  }
  @Plugin({ routes: [Old, Other], deprecated: { since } })
  class Area {}
  @Plugin({ imports: [Area], routes: [NotesController] })
  class Root {}
  const lock = makeLock(Root)
  assert.deepEqual(Object.fromEntries(lock.plugins.flatMap(({ routes }) => routes.map(({ url, deprecated }) => [url, deprecated]))), {
    '/:id': undefined,
    '/old': { since: '2026-01-31', sunset: '2026-12-31', link: '/changes' },
    '/old/kept': undefined,
    '/old/undated': true,
    '/other': { since: '2026-06-30' },
  })
  assert.deepEqual(parseLock(writeLock(lock)), lock)
})

test('an application with faults has no lock', () => {
  @Plugin({ routes: [UsersController] })
  class Broken {}
  assert.throws(() => makeLock(Broken), WiringError)
})

/** Makes an application of a parent and a child, in which a mistake changes the options of one of them. */
function applicationOf({
  parent = {},
  child = {},
  isShared = false,
}: {
  parent?: PluginOptions
  child?: PluginOptions
  isShared?: boolean
}): Class {
  class Child {}
  const options: PluginOptions = { prefix: '/notes', routes: [NotesController], ...child }
  Plugin(options)(Child)
  class Parent {}
  Plugin({ hooks: { onRequest: RequireUser }, schemas: [Note], imports: [isShared ? shared(Child) : Child], ...parent })(Parent)
  return Parent
}

@Controller('')
class NotesController {
  @Get('/:id', { response: { 200: ref(Note) } })
  find(): object {
    return {}
  }
}
class Wider extends Model(
  { type: 'object', properties: { text: { type: 'string', maxLength: 80 }, owner: { type: 'string' } } },
  { $id: 'Note' },
) {}
class LateGuard {
  preHandler(): void {}
}
class WiderController {
  find(): object {
    return {}
  }
}
Controller('')(WiderController)
Get('/:id', { response: { 200: ref(Wider) } })(
  WiderController.prototype,
  'find',
  Object.getOwnPropertyDescriptor(WiderController.prototype, 'find'),
)

const mistakes: readonly (readonly [title: string, now: Parameters<typeof applicationOf>[0], ...changes: string[]])[] = [
  [
    'a guard is taken out of the parent',
    { parent: { hooks: {} } },
    'GET /notes/:id lost the guard RequireUser (onRequest) of Parent',
    'GET /notes/:id requires nothing instead of bearer',
  ],
  [
    'a guard runs after the body was read',
    { parent: { hooks: { preHandler: LateGuard } } },
    'GET /notes/:id lost the guard RequireUser (onRequest) of Parent',
    'GET /notes/:id gained the guard LateGuard (preHandler) of Parent',
    'GET /notes/:id requires nothing instead of bearer',
  ],
  [
    'a guard moves from the parent to the child',
    { parent: { hooks: {} }, child: { hooks: { onRequest: RequireUser } } },
    'GET /notes/:id gets the guard RequireUser (onRequest) of Parent > Child instead of Parent',
  ],
  [
    'the error of a class changes what is answered',
    { child: { routes: [WiderController] }, parent: { schemas: [Wider] } },
    'GET /notes/:id is answered by WiderController.find instead of NotesController.find',
    'GET /notes/:id reply 200 changed',
  ],
  [
    'a prefix is taken out',
    { child: { prefix: '/open' } },
    'GET /notes/:id is gone (it was answered by Parent > Child > NotesController.find)',
    'GET /open/:id is new (answered by Parent > Child > NotesController.find, after RequireUser)',
    'Parent > Child has the prefix /open instead of /notes',
  ],
  ['a plugin is shared', { isShared: true }, 'Parent > Child declares in the context of the plugin that imports it'],
]

for (const [title, now, ...changes] of mistakes) {
  test(`a lock shows that ${title}`, () => {
    const found = compareLocks(makeLock(applicationOf({})), makeLock(applicationOf(now)))
    assert.deepEqual(
      found.map(({ text }) => text),
      changes,
    )
  })
}

test('the input of a queue has a digest if its library shows it as JSON Schema, and is opaque if not', () => {
  const inputOf = (input: object): unknown => {
    const MAILS = queue('mails', { input })
    class Send {
      run(): void {}
    }
    Job({ queue: MAILS })(Send)
    class Mails {}
    Plugin({ providers: [MAILS], jobs: [Send] })(Mails)
    return makeLock(Mails).plugins[0]!.jobs[0]!.input
  }
  const one = inputOf(z.object({ to: z.string() }))
  assert.match(String(one), /^[0-9a-f]{12}$/)
  assert.notEqual(inputOf(z.object({ to: z.string(), cc: z.string() })), one)
  assert.equal(inputOf(opaque), 'opaque')
})
