/** Mistakes in tests: with `testServer`, `check` and `explain`. */
import {
  check,
  type Class,
  Controller,
  explain,
  Get,
  Injectable,
  Model,
  Plugin,
  ref,
  requestDecorator,
  Schema,
  testServer,
  type TestServer,
} from 'alcove'
import { plugin, route } from '../fixtures/applications.js'
import { call, loose, type Mistake } from './mistake.js'

class Cats {
  all() {
    return ['Tom']
  }
}
@Controller('/cats')
class CatsController {
  static readonly inject = [Cats] as const
  constructor(readonly cats: Cats) {}
  @Get('/:id')
  @Schema({ params: { type: 'object', properties: { id: { type: 'integer' } } } } as const)
  one() {
    return this.cats.all()
  }
}
const User = requestDecorator('user', null).as<string | null>()
@Plugin({ providers: [Cats], routes: [CatsController] })
class CatsModule {}
@Plugin({ routes: [CatsController] })
class Routes {}
class Ticket extends Model({ $id: 'Ticket', type: 'object', properties: { id: { type: 'integer' } } } as const) {}
@Controller('/tickets')
class TicketsController {
  @Get()
  @Schema({ response: { 200: ref(Ticket) } })
  all() {
    return { id: 1 }
  }
}
@Plugin({ routes: [TicketsController] })
class Tickets {}

/** A test server that cannot be made. */
const mounting = (says: string, place: string | RegExp, cure: string | RegExp, Mounted: unknown, options: object = {}): Mistake =>
  call(says, place, cure, 'boot', async () => (await testServer(loose(Mounted), options)).close())
/** A wrong call of a test server. */
const calling = (says: string, place: string | RegExp, cure: string | RegExp, run: (app: TestServer) => unknown): Mistake =>
  call(says, place, cure, 'request', async () => {
    await using app = await testServer(CatsModule)
    await run(app)
  })

export const testing: readonly Mistake[] = [
  mounting('a module whose ancestor provides a service, alone', 'CatsController (in Routes)', 'Add it to the providers', Routes),
  mounting(
    'a module whose ancestor adds a request decorator, alone',
    'Api requires',
    'Add it to decorateRequest',
    plugin('Api', { requires: [User] }),
  ),
  mounting('one shared schema instead of a list', 'testServer', 'Write schemas: [ … ]', Tickets, { schemas: Ticket }),
  mounting('a class without a schema among the schemas', 'Test lists Cats among its schemas', 'Write', Tickets, {
    schemas: [Ticket, Cats],
  }),
  mounting('a class that is not a module', 'Cats is not a plugin', 'Write @Plugin({ … }) above the class', Cats),
  mounting('undefined', 'undefined', 'Write @Plugin({ … }) above the class', undefined),
  mounting('the metadata of a testing module of Nest', /not a plugin/, 'Write @Plugin({ … }) above the class', { providers: [Cats] }),
  mounting('override of what no module provides', 'CatsModule', 'use `provide`', CatsModule, { override: [[class Dogs {}, {}]] }),
  mounting('override of a request decorator that no module adds', 'CatsModule', 'use `provide`', CatsModule, { override: [[User, 'ada']] }),
  mounting('provide of what the module provides itself', 'CatsModule', 'use `override`', CatsModule, { provide: [[Cats, {}]] }),
  mounting('a misspelt option', /testServer/, "Did you mean 'override'?", CatsModule, { overide: [[Cats, {}]] }),
  mounting('one override instead of a list', /override/, /\[\[/, CatsModule, { override: [Cats, {}] }),
  mounting('an override of undefined', /override/, /undefined/, CatsModule, { override: [[undefined, {}]] }),
  mounting('options of the server among those of the test', /testServer/, /server: \{/, CatsModule, { logger: false }),
  calling(
    'a call of a class that is not a route',
    'Cats is not a route of the mounted plugin',
    'Its routes are: CatsModule > CatsController.one',
    (app) => app.call(loose(Cats)),
  ),
  calling('a call of a method that is not a route', 'CatsController has no route all', 'it has one', (app) =>
    (app.call as (...args: unknown[]) => unknown)(CatsController, 'all'),
  ),
  calling('a call of a controller without its method', 'CatsController has no route handle', 'it has one', (app) =>
    (app.call as (...args: unknown[]) => unknown)(CatsController),
  ),
  calling('a call without the parameter of the path', 'CatsModule > CatsController.one', 'pass { params: { "id": … } }', (app) =>
    app.call(CatsController, 'one'),
  ),
  calling('a service that nothing provides', 'CatsModule', 'No plugin provides it', (app) => app.resolve(class Dogs {})),
  call('a handler that takes the reply and sends nothing', 'the handler Silent > ', 'it neither sent a reply', 'request', async () => {
    const lines: string[] = []
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
    const Silent = plugin('Silent', { routes: [route('/', (_request, _reply) => {})] })
    await using app = await testServer(Silent, { server: { handlerTimeout: 100, logger } })
    await app.inject('/')
    if (lines.length > 0) throw new Error(lines.join(''))
  }),
  call('check of a class that is not a module', 'Cats is not a plugin', 'Write @Plugin({ … }) above the class', 'boot', () => check(Cats)),
  call('explain of a route that does not exist', /GET \/dogs|\/dogs/, /GET \/cats/, 'request', async () => {
    await using app = await testServer(CatsModule)
    explain(app.server).route('GET /dogs')
  }),
  call('all faults of an application at once, not only the first', /Cats[\s\S]*Dogs/, /2 faults/, 'boot', () => {
    @Injectable()
    class Reads {
      static readonly inject: readonly Class[] = [Cats, class Dogs {}]
      constructor(
        readonly cats: unknown,
        readonly dogs: unknown,
      ) {}
    }
    check(plugin('App', { providers: [Reads], routes: [route('/', () => 1)] }))
  }),
]
