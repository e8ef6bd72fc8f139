/** Mistakes that leave a route open, or let it answer with more than it should: guards, what they set, shared schemas, and access rules. */
import {
  type Class,
  Controller,
  Get,
  Hook,
  HttpError,
  Model,
  optional,
  Plugin,
  ref,
  requestDecorator,
  Route,
  rule,
  type Server,
  shared,
  use,
  Without,
} from 'alcove'
import { plugin, route } from '../fixtures/applications.js'
import { boot, loose, type Mistake } from './mistake.js'

const CurrentUser = requestDecorator('user').as<{ name: string }>()
const Tenant = requestDecorator('tenant', '')

class RequireUser {
  static readonly sets = [CurrentUser] as const
  onRequest(request: object) {
    Object.assign(request, { user: { name: 'Ada' } })
  }
}
class RolesGuard {
  static readonly requires = [CurrentUser] as const
  preHandler() {}
}
class Guard {
  onRequest() {
    throw new HttpError(401)
  }
}
class LateGuard {
  static readonly sets = [CurrentUser] as const
  preHandler() {}
}
class Early {
  static readonly requires = [CurrentUser] as const
  onRequest() {}
}
class Unknown {
  static readonly requires = [CurrentUser] as const
  notFoundHandler() {}
}
class Audit {
  static readonly requires = [CurrentUser] as const
  onResponse() {}
}

const me = (): Class => route('/me', ({ user }) => user.name)
const open = (): Class => route('/open', () => 'open')
/** A plugin with options that the compiler would refuse. */
const area = (options: object, name = 'Area'): Class => plugin(name, loose(options))
const adding = { decorateRequest: [CurrentUser] }
const asking = { requires: [CurrentUser] }

class FullUser extends Model({
  $id: 'User',
  type: 'object',
  properties: { name: { type: 'string' }, passwordHash: { type: 'string' } },
} as const) {}
class PublicUser extends Model({ $id: 'User', type: 'object', properties: { name: { type: 'string' } } } as const) {}
class Address extends Model({ $id: 'Address', type: 'object', properties: { city: { type: 'string' } } } as const) {}

/** A route that answers with a schema. */
function answering(schema: object, path = '/answer'): Class {
  class Answer {
    handle() {
      return { name: 'Ada', passwordHash: 'hash' }
    }
  }
  Route({ method: 'GET', path }, loose({ response: { 200: schema } }))(loose(Answer))
  return Answer
}

/** A controller with a method that has decorators, and one that has none. */
function controller(...decorators: ((...args: any[]) => void)[]): Class {
  @Controller()
  class Users {
    @Get('/me')
    me() {}
    @Get('/open')
    open() {}
  }
  for (const decorate of decorators) decorate(Users.prototype, 'me', Object.getOwnPropertyDescriptor(Users.prototype, 'me'))
  return Users
}

const idle: Mistake[] = [
  boot('a guard that is only provided', 'App provides Guard', 'hooks: { onRequest: Guard }', () => ({
    providers: [Guard],
    routes: [me()],
  })),
  boot('a guard that is provided for a token', 'App provides Guard', 'hooks: { onRequest: Guard }', () => ({
    providers: [{ provide: 'guard', useClass: Guard }],
    routes: [me()],
  })),
  boot('a guard that is provided in a plugin below', 'App > Area provides Guard', 'hooks: { onRequest: Guard }', () => ({
    imports: [area({ providers: [Guard], routes: [me()] })],
  })),
  boot('a plugin with a guard that is imported as a child', 'App > Area declares onRequest', 'shared(Area)', () => ({
    imports: [area({ hooks: { onRequest: Guard } })],
    routes: [me()],
  })),
  boot('a plugin with a guard method that is imported as a child', 'App > Area declares preHandler', 'shared(Area)', () => {
    class Area {
      guard() {}
    }
    Hook('preHandler')(Area.prototype, 'guard', Object.getOwnPropertyDescriptor(Area.prototype, 'guard'))
    Plugin()(Area)
    return { imports: [Area], routes: [me()] }
  }),
  boot('an error handler in a plugin without routes', 'App > Area declares errorHandler', 'shared(Area)', () => ({
    imports: [area({ errorHandler: () => 'hidden' })],
    routes: [me()],
  })),
  boot('a parser in a plugin without routes', 'App > Area declares contentTypeParsers', 'shared(Area)', () => ({
    imports: [area({ contentTypeParsers: [{ type: 'text/csv', parse: async () => [] }] })],
    routes: [me()],
  })),
  boot('a guard as the schema formatter of a plugin without routes', 'App > Area declares schemaErrorFormatter', 'shared(Area)', () => ({
    imports: [area({ schemaErrorFormatter: () => new Error('x') })],
    routes: [me()],
  })),
  boot('a guard in a list of hooks under a name that is none', "'guards'", 'Hooks are', () => ({
    hooks: { guards: Guard },
    routes: [me()],
  })),
  boot('a guard as an option of @Plugin', "no option 'guards'", 'App', () => ({ guards: [Guard], routes: [me()] })),
]

const values: Mistake[] = [
  boot('a route that reads a user which no hook sets', 'App > Me', 'Write static sets', () => ({
    ...adding,
    ...asking,
    routes: [named(me(), 'Me')],
  })),
  boot('a route beside the guarded plugin', 'App > Open > Me', 'List RequireUser', () => ({
    ...adding,
    imports: [
      area({ ...asking, hooks: { onRequest: RequireUser }, routes: [open()] }),
      area({ ...asking, routes: [named(me(), 'Me')] }, 'Open'),
    ],
  })),
  boot('a route above the guarded plugin', 'App > Me', 'List RequireUser', () => ({
    ...adding,
    ...asking,
    routes: [named(me(), 'Me')],
    imports: [area({ ...asking, hooks: { onRequest: RequireUser }, routes: [open()] })],
  })),
  boot('a guard above one method of a controller only', 'App > Users.open', '@Without(…)', () => ({
    ...adding,
    ...asking,
    routes: [controller(Hook('onRequest', RequireUser as never))],
  })),
  boot('a guard that is imported as a child', 'App > Me', 'List RequireUser', () => ({
    ...adding,
    ...asking,
    routes: [named(me(), 'Me')],
    imports: [area({ ...asking, hooks: { onRequest: RequireUser }, routes: [open()] })],
  })),
  boot('a guard that sets after the one that reads', 'App has the hook RolesGuard', 'List LateGuard', () => ({
    ...adding,
    hooks: { preHandler: [RolesGuard, LateGuard] },
    routes: [me()],
  })),
  boot('a guard that reads in a stage before the one that sets', 'App has the hook Early', 'List LateGuard', () => ({
    ...adding,
    hooks: { onRequest: Early, preHandler: LateGuard },
    routes: [me()],
  })),
  boot('a guard of roles without the guard of users', 'App has the hook RolesGuard', 'Write static sets', () => ({
    ...adding,
    hooks: { preHandler: RolesGuard },
    routes: [me()],
  })),
  boot('a guard of roles above a route without the guard of users', 'App > Users.me has the hook RolesGuard', 'Write static sets', () => ({
    ...adding,
    routes: [controller(Hook('preHandler', RolesGuard as never))],
  })),
  boot(
    'a guard of roles in a shared plugin, before the guard of its importer',
    'App > Area has the hook RolesGuard',
    'List LateGuard',
    () => ({
      ...adding,
      hooks: { preHandler: LateGuard },
      routes: [me()],
      imports: [shared(area({ hooks: { preHandler: RolesGuard } }))],
    }),
  ),
  boot('a log of users, also for requests that a guard has refused', 'App has Audit as onResponse hook', 'Optional', () => ({
    ...adding,
    hooks: { onRequest: RequireUser, onResponse: Audit },
    routes: [me()],
  })),
  boot('a not-found handler that reads a user which only a route sets', 'App > Area', 'List RequireUser', () => ({
    ...adding,
    imports: [area({ ...asking, prefix: '/area', notFoundHandler: Unknown, routes: [hooked(open(), RequireUser)] })],
  })),
  boot('another decorator of the same name in an ancestor', 'App > Area', 'Use one requestDecorator', () => ({
    decorateRequest: [requestDecorator('user', 'a text')],
    imports: [area({ ...asking, routes: [me()] })],
  })),
  boot(
    'a plugin function that sets the user, imported after the guard that reads it',
    'App > Area has the hook Early',
    'Import sets',
    () => ({
      routes: [me()],
      imports: [
        shared(area({ hooks: { onRequest: Early } })),
        shared(
          use(
            async function sets(server: Server) {
              server.decorateRequest('user', null)
            },
            {},
            { sets: [CurrentUser] },
          ),
        ),
      ],
    }),
  ),
  boot('a decorator that nothing sets or reads', 'App adds request.user', 'Write static sets', () => ({ ...adding, routes: [open()] })),
  boot('static set, instead of sets', 'App > Misspelt', 'static sets', () => ({
    ...adding,
    hooks: {
      onRequest: class Misspelt {
        static readonly set = [CurrentUser] as const
        onRequest() {}
      },
    },
    routes: [me()],
  })),
  boot('sets with a decorator that has a value', "App lists 'tenant'", 'Leave out its value', () => ({
    decorateRequest: [Tenant],
    hooks: {
      onRequest: class SetTenant {
        static readonly sets = [Tenant] as const
        onRequest() {}
      },
    },
    routes: [me()],
  })),
  boot('sets with a name', "App lists 'user'", 'requestDecorator', () => ({
    hooks: {
      onRequest: class SetName {
        static readonly sets = ['user'] as const
        onRequest() {}
      },
    },
    routes: [me()],
  })),
  boot('sets in a hook that runs after the handler', "App lists 'user' in hooks.onSend", 'too late', () => ({
    ...adding,
    hooks: {
      onSend: class SetLate {
        static readonly sets = [CurrentUser] as const
        onSend() {}
      },
    },
    routes: [me()],
  })),
  boot('sets of a decorator that no context adds', 'App with the hook RequireUser', 'decorateRequest', () => ({
    hooks: { onRequest: RequireUser },
    routes: [me()],
  })),
  boot('a plugin function that only adds the decorator', 'App > Me', 'Write static sets', () => ({
    ...asking,
    imports: [shared(use(async (server: Server) => void server.decorateRequest('user', null), {}, { decorates: [CurrentUser] }))],
    routes: [named(me(), 'Me')],
  })),
  boot('sets of a plugin function that does not add the decorator', 'App', 'Correct the list', () => ({
    ...asking,
    imports: [shared(use(async () => {}, {}, { sets: [CurrentUser] }))],
    routes: [me()],
  })),
  boot('@Without beside the guard', 'App > Users.me has @Without', 'move the route', () => ({
    ...adding,
    ...asking,
    hooks: { onRequest: RequireUser },
    routes: [controller(Without(CurrentUser))],
  })),
  boot('@Without in a plugin that requires nothing', 'App > Users.me has @Without', 'Remove the decorator', () => ({
    routes: [controller(Without(CurrentUser))],
  })),
  boot('@Without with a name', "App > Users.me lists 'user' in @Without", 'requestDecorator', () => ({
    routes: [controller(Without(loose('user')))],
  })),
  boot('an optional decorator in static requires', 'App lists Object', 'requestDecorator', () => ({
    ...adding,
    hooks: {
      onRequest: RequireUser,
      preHandler: class Perhaps {
        static readonly requires = [optional(loose(CurrentUser))] as const
        preHandler() {}
      },
    },
    routes: [me()],
  })),
]

const schemas: Mistake[] = [
  boot('a model beside a listed one of the same $id', 'App > Area refers to PublicUser', 'another $id', () => ({
    schemas: [FullUser],
    imports: [area({ routes: [answering(ref(PublicUser))] })],
  })),
  boot('two models of one $id in one plugin', 'App refers to PublicUser', 'another $id', () => ({
    routes: [answering(ref(FullUser), '/full'), answering(ref(PublicUser), '/public')],
  })),
  boot('a model below one of the same $id that a route above refers to', 'App > Area refers to PublicUser', 'another $id', () => ({
    routes: [answering(ref(FullUser), '/full')],
    imports: [area({ routes: [answering(ref(PublicUser), '/public')] })],
  })),
  boot('a model by its name, which only ref knows', 'App > Answer', 'Write ref(Address)', () => ({
    routes: [answering({ $ref: 'Address#' })],
    imports: [area({ routes: [answering(ref(Address), '/known')] })],
  })),
  boot('a model by its name, which a sibling lists', 'App > Area > Answer', 'shared(Listing)', () => ({
    imports: [area({ routes: [answering({ $ref: 'Address#' })] }), area({ schemas: [Address] }, 'Listing')],
  })),
  boot('a list of models that names one twice', 'App lists Address', 'keep one', () => ({ schemas: [Address, Address], routes: [open()] })),
]

function named(RouteClass: Class, name: string): Class {
  return Object.defineProperty(RouteClass, 'name', { value: name })
}

function hooked(RouteClass: Class, hook: Class): Class {
  Hook('onRequest', loose(hook))(RouteClass)
  return RouteClass
}

const everywhere = { access: [rule.routes('/**').run(Guard)] }
class Ledger {}

const rules: Mistake[] = [
  boot(
    'a plugin two levels below that has no guard',
    'App > Area > Deep > Made (GET /open)',
    'List it in hooks: { onRequest: Guard }',
    () => ({
      ...everywhere,
      imports: [area({ imports: [area({ routes: [open()] }, 'Deep')] })],
    }),
  ),
  boot('a guard of a sibling', 'App > Area > Made (GET /open)', 'shared(Auth)', () => ({
    ...everywhere,
    imports: [area({ routes: [open()] }), area({ hooks: { onRequest: Guard }, routes: [route('/own', () => 'own')] }, 'Auth')],
  })),
  boot('a route that setup adds beside the guards', 'App > Area > GET /back', 'List it in hooks: { onRequest: Guard }', () => ({
    ...everywhere,
    imports: [
      plugin(
        'Area',
        {},
        class {
          setup(instance: Server) {
            instance.get('/back', () => 'open')
          }
        },
      ),
    ],
  })),
  boot('guards in the wrong order', 'App > Made (GET /open) runs RolesGuard before Timer', 'List Timer before RolesGuard', () => {
    class Timer {
      preHandler() {}
    }
    return {
      decorateRequest: [CurrentUser],
      hooks: { onRequest: RequireUser, preHandler: [RolesGuard, Timer] },
      routes: [open()],
      access: [rule.routes('/**').run(Timer, RolesGuard)],
    }
  }),
  boot('a rule for a path that no route has', "routes('/amdin/**').run(Guard) of App", 'Correct it, or take it out', () => ({
    routes: [open()],
    access: [rule.routes('/amdin/**').run(Guard)],
  })),
  boot('a rule with a class from a circle of imports', 'App lists undefined', 'Declare it first', () => ({
    routes: [open()],
    access: [rule.routes('/**').run(loose(undefined))],
  })),
  boot('a public route that the list does not name', 'App > Made (GET /open) is public', "add 'GET /open' to exactly", () => ({
    routes: [open()],
    access: [rule.public({ exactly: [] })],
  })),
  boot('a public route of the list that got a guard', 'App > Made (GET /open) requires key', 'Take it out of exactly', () => ({
    hooks: {
      onRequest: class RequireKey {
        static readonly security = { key: { type: 'apiKey', in: 'header', name: 'x-key' } }
        onRequest() {}
      },
    },
    routes: [open()],
    access: [rule.public({ exactly: ['/open'] })],
  })),
  boot('a provider that a plugin must not see', 'App > Area sees Ledger of App', 'list it in private of App', () => ({
    providers: [Ledger],
    imports: [area({ routes: [open()], access: [rule.neverSees(Ledger)] })],
  })),
  boot(
    'a provider that a plugin sees under another name',
    'App > Area sees Ledger of App > Data as',
    "list 'BOOKS' in private of App > Data",
    () => ({
      imports: [
        shared(area({ providers: [Ledger, { provide: 'BOOKS', useExisting: Ledger }], private: [Ledger] }, 'Data')),
        area({ routes: [open()], access: [rule.neverSees(Ledger)] }),
      ],
    }),
  ),
]

export const guards: readonly Mistake[] = [...idle, ...values, ...schemas, ...rules]
