/** Mistakes with providers and what they depend on. */
import 'reflect-metadata'
import {
  bootstrap,
  type Class,
  Controller,
  factory,
  Get,
  Hook,
  Injectable,
  LOGGER,
  optional,
  optionsFrom,
  Plugin,
  REQUEST,
  SERVER,
  token,
  use,
} from 'alcove'
import { plugin } from '../fixtures/applications.js'
import { boot, call, loose, type Mistake, request, short } from './mistake.js'

class Cats {
  all() {
    return ['Tom']
  }
}
class Dogs {
  all() {
    return ['Rex']
  }
}
const CONFIG = token<{ url: string }>('CONFIG')

@Controller('/')
class CatsController {
  static readonly inject = [Cats] as const
  constructor(readonly cats: Cats) {}
  @Get()
  all() {
    return this.cats.all()
  }
}

@Injectable({ scope: 'request' })
class Tx {}

/** A class with one parameter and the given tokens. */
function asking(name: string, ...inject: unknown[]): Class {
  class Asking {
    static readonly inject = inject
    readonly given: unknown[]
    constructor(...given: unknown[]) {
      this.given = given
    }
  }
  return Object.defineProperty(Asking, 'name', { value: name })
}

/** A class as the compiler describes it to the wiring: with the types of its constructor. */
function typed(name: string, ...types: unknown[]): Class {
  const Typed =
    types.length === 1
      ? class {
          constructor(readonly a: unknown) {}
        }
      : class {
          constructor(
            readonly a: unknown,
            readonly b: unknown,
          ) {}
        }
  Reflect.defineMetadata('design:paramtypes', types, Typed)
  return Object.defineProperty(Typed, 'name', { value: name })
}

const visibility: Mistake[] = [
  boot('a controller injects a service that no module lists', 'CatsController (in App)', 'Add it to the providers of App', () => ({
    routes: [CatsController],
  })),
  boot('a service injects a service that no module lists', 'Repo (in App)', 'Add it to the providers of App', () => ({
    providers: [asking('Repo', Cats)],
  })),
  boot('a module class injects a service that no module lists', /App \(in App\)/, 'Add it to the providers of App', () => {
    @Plugin({ providers: [] })
    class App {
      static readonly inject = [Cats] as const
      constructor(readonly cats: Cats) {}
    }
    return App
  }),
  boot('a service of a sibling module', 'CatsController (in App > Api)', 'or share that plugin', () => ({
    imports: [plugin('CatsModule', { providers: [Cats] }), plugin('Api', { routes: [CatsController] })],
  })),
  boot(
    'a service of an imported module without shared, which Nest would export',
    'is provided in App > CatsModule',
    'or share that plugin',
    () => ({
      imports: [plugin('CatsModule', { providers: [Cats] })],
      routes: [CatsController],
    }),
  ),
  boot('a service that a shared module keeps private', 'private to App > CatsModule', 'Remove it from private', () => ({
    imports: [plugin('CatsModule', { shared: true, providers: [Cats], private: [Cats] })],
    routes: [CatsController],
  })),
  boot('private names a token that the module does not provide', 'App', 'Add it to providers', () => ({ private: [Cats] })),
  boot('a token that is misspelt', 'Repo (in App)', /which no plugin provides\. Add it/, () => ({
    providers: [{ provide: 'CONFIG', useValue: 1 }, asking('Repo', 'CONIFG')],
  })),
  boot('a second token of the same name', 'App provides another token of the same name', 'Import the same one in both places', () => ({
    providers: [{ provide: CONFIG, useValue: { url: '' } }, asking('Repo', token('CONFIG'))],
  })),
  boot('a hook class injects a service that no module lists', 'Guard (in App)', 'Add it to the providers of App', () => {
    class Guard {
      static readonly inject = [Cats] as const
      constructor(readonly cats: Cats) {}
      preHandler() {}
    }
    return { hooks: { preHandler: Guard } }
  }),
  boot('a hook class of a route injects a service that no module lists', 'Guard (in App)', 'Add it to the providers of App', () => {
    class Guard {
      static readonly inject = [Cats] as const
      constructor(readonly cats: Cats) {}
      preHandler() {}
    }
    @Controller('/')
    class Guarded {
      @Get()
      @Hook('preHandler', Guard)
      all() {}
    }
    return { routes: [Guarded] }
  }),
  boot('a factory injects what no module provides', 'DB (in App)', 'Add it to the providers of App', () => ({
    providers: [factory(token<object>('DB'), [CONFIG], (config) => config)],
  })),
  boot('options from a provider that no module lists', 'the options of jwt (in App)', 'Add it to the providers of App', () => {
    const jwt = async (): Promise<void> => {}
    return { imports: [use(jwt, optionsFrom([CONFIG], (config) => config) as never)] }
  }),
  boot('an alias of a token that nothing provides', "'cats' (in App)", 'Add it to the providers of App', () => ({
    providers: [{ provide: 'cats', useExisting: Cats }],
  })),
  boot('two providers of one token in a module', 'App', 'Keep one of the entries', () => ({
    providers: [Cats, { provide: Cats, useValue: new Cats() }],
  })),
  boot('a service that the importing module and a shared one both list', 'App > CatsModule', 'Keep one of them', () => ({
    providers: [Cats],
    imports: [plugin('CatsModule', { shared: true, providers: [Cats] })],
  })),
  boot('two shared modules with an internal OPTIONS token each', 'App > A, App > B', 'list it in private', () => ({
    imports: ['A', 'B'].map((name) => plugin(name, { shared: true, providers: [{ provide: 'OPTIONS', useValue: name }] })),
  })),
]

const constructors: Mistake[] = [
  boot('an interface as the type of a parameter', 'Argument 1 of Repo (in App)', 'write static inject', () => ({
    providers: [typed('Repo', Object)],
  })),
  boot('a text as the type of a parameter', 'Argument 2 of Repo (in App)', 'write static inject', () => ({
    providers: [Cats, typed('Repo', Cats, String)],
  })),
  boot('a list of services as the type of a parameter', 'Argument 1 of Repo (in App)', 'write static inject', () => ({
    providers: [typed('Repo', Array)],
  })),
  boot('a function as the type of a parameter', 'Argument 1 of Repo (in App)', 'write static inject', () => ({
    providers: [typed('Repo', Function)],
  })),
  boot('a class that is declared in a circle of imports', 'Argument 1 of Repo (in App)', 'Declare it first', () => ({
    providers: [typed('Repo', undefined)],
  })),
  short(
    'the engine fails before alcove is asked; docs/reference/errors.md explains it',
    boot('a class that is declared further down, whose type the compiler reads at once', "Cannot access 'Later'", '', () => {
      @Injectable()
      class Early {
        constructor(readonly later: Later) {}
      }
      class Later {}
      return { providers: [Early, Later] }
    }),
  ),
  boot('a service without @Injectable that has parameters', 'Repo (in App)', 'put a decorator on it (@Injectable())', () => {
    class Repo {
      constructor(readonly cats: Cats) {}
    }
    return { providers: [Cats, Repo] }
  }),
  boot('a subclass without @Injectable that has parameters of its own', 'Child (in App)', 'put a decorator on it (@Injectable())', () => {
    @Injectable()
    class Parent {
      constructor(readonly cats: Cats) {}
    }
    class Child extends Parent {
      constructor(readonly dogs: Dogs) {
        super(new Cats())
      }
    }
    return { providers: [Cats, Dogs, Child] }
  }),
  boot('static inject with too few tokens', 'Repo (in App)', 'List one for each argument', () => {
    class Repo {
      static readonly inject = [Cats]
      constructor(
        readonly cats: Cats,
        readonly dogs: Dogs,
      ) {}
    }
    return { providers: [Cats, Dogs, Repo] }
  }),
  boot('static inject that is not a list', 'Repo (in App)', 'static inject', () => {
    class Repo {
      static readonly inject = Cats
      constructor(readonly cats: Cats) {}
    }
    return { providers: [Cats, Repo] }
  }),
  boot(
    'static inject with undefined, of a circle of imports',
    'Entry 1 of the tokens that Repo (in App) injects',
    'Declare it first',
    () => ({
      providers: [asking('Repo', undefined)],
    }),
  ),
  boot('optional() of undefined', 'Entry 1 of the tokens that Repo (in App) injects', 'Declare it first', () => ({
    providers: [asking('Repo', optional(loose(undefined)))],
  })),
  boot('forwardRef as a token', 'Repo (in App)', /token/, () => ({
    providers: [Cats, asking('Repo', { forwardRef: () => Cats })],
  })),
  boot('a number as a token', 'Repo (in App)', /token/, () => ({ providers: [asking('Repo', 5)] })),
  boot('an instance as a token', 'Repo (in App)', /list the class|token/, () => ({ providers: [Cats, asking('Repo', new Cats())] })),
  boot('services that inject each other', "A (App) -> 'B' (App) -> A (App)", 'move the shared part', () => {
    const A = asking('A', 'B')
    return { providers: [A, { provide: 'B', useClass: asking('B', A) }] }
  }),
  boot('a service that injects itself', 'A (App) -> A (App)', 'move the shared part', () => {
    class A {
      static readonly inject: unknown[] = []
      constructor(readonly self: unknown) {}
    }
    A.inject.push(A)
    return { providers: [A] }
  }),
  boot('an alias of itself', "'a' (App) -> 'a' (App)", 'move the shared part', () => ({ providers: [{ provide: 'a', useExisting: 'a' }] })),
  boot('a service whose constructor throws', 'App > Repo', 'no database', () => {
    class Repo {
      constructor() {
        throw new Error('no database')
      }
    }
    return { providers: [Repo] }
  }),
]

const entries: Mistake[] = [
  boot('an instance among the providers', 'App lists an instance of Cats', 'A provider is a class', () => ({ providers: [new Cats()] })),
  boot('undefined among the providers', 'App lists undefined', 'A provider is a class', () => ({ providers: [undefined] })),
  boot('a list within the providers', 'App lists', 'A provider is a class', () => ({ providers: [[Cats, Dogs]] })),
  boot('one provider instead of a list', 'App', /list|\[/, () => ({ providers: Cats })),
  boot('a function that makes the service among the providers', 'App', /useFactory/, () => ({ providers: [() => new Cats()] })),
  boot('a token without a source', 'App lists CONFIG', 'useClass | useValue', () => ({ providers: [{ provide: CONFIG }] })),
  boot('a source without a token', 'App', '{ provide, useClass', () => ({ providers: [{ useValue: 1 }] })),
  boot('a token that is undefined, of a circle of imports', /App.*undefined/, '{ provide, useClass', () => ({
    providers: [{ provide: undefined, useValue: 1 }],
  })),
  boot('an instance as useClass', 'The provider of Cats (in App)', 'or useValue for the value itself', () => ({
    providers: [{ provide: Cats, useClass: new Cats() }],
  })),
  boot('a function as useClass', 'The provider of Cats (in App)', /useFactory/, () => ({
    providers: [{ provide: Cats, useClass: () => new Cats() }],
  })),
  boot('a class as useFactory', 'The provider of Cats (in App)', /useClass/, () => ({ providers: [{ provide: Cats, useFactory: Cats }] })),
  boot('a value as useFactory', "The provider of 'url' (in App)", 'or useValue for the value itself', () => ({
    providers: [{ provide: 'url', useFactory: 'text' }],
  })),
  boot('undefined as useExisting', "The provider of 'cats' (in App)", 'a token', () => ({
    providers: [{ provide: 'cats', useExisting: undefined }],
  })),
  boot('a factory with parameters, without inject', "'db' (in App)", 'inject', () => ({
    providers: [{ provide: 'db', useFactory: (config: { url: string }) => config.url }],
  })),
  boot('a factory with fewer tokens than parameters', "'db' (in App)", 'inject', () => ({
    providers: [Cats, { provide: 'db', inject: [Cats], useFactory: (cats: Cats, dogs: Dogs) => [cats, dogs.all()] }],
  })),
  boot('undefined among the tokens of a factory', "Entry 1 of the tokens that 'db' (in App) injects", 'Declare it first', () => ({
    providers: [{ provide: 'db', inject: [undefined], useFactory: (config: unknown) => config }],
  })),
  boot('the tokens of a factory as one token', "App: the provider of 'db'", 'Write inject: [ … ]', () => ({
    providers: [Cats, { provide: 'db', inject: Cats, useFactory: (cats: Cats) => cats }],
  })),
  boot('inject beside useClass', 'App: the provider of Cats', 'Write static inject', () => ({
    providers: [{ provide: Cats, useClass: Cats, inject: [] }],
  })),
  boot('useValue beside useClass', "App: the provider of 'cats'", 'Its options are: provide, useClass', () => ({
    providers: [{ provide: 'cats', useValue: 1, useClass: Cats }],
  })),
  boot('a misspelt option of a provider', "App: the provider of 'cats'", "Did you mean 'scope'?", () => ({
    providers: [{ provide: 'cats', useClass: Cats, scop: 'request' }],
  })),
  boot('a misspelt source of a provider', 'App', /useValue/, () => ({ providers: [{ provide: 'cats', useVale: 1 }] })),
  boot('a factory that throws', "App > 'db'", 'no database', () => ({
    providers: [
      {
        provide: 'db',
        useFactory: () => {
          throw new Error('no database')
        },
      },
    ],
  })),
  boot('a factory that fails, whose value a class of another plugin asks for first', "[context: App > 'db']", 'no such folder', () => ({
    imports: [plugin('Health', { shared: true, providers: [asking('Checks', 'db')] })],
    providers: [factory('db', [], () => Promise.reject(new Error('no such folder')))],
  })),
  boot('a factory whose promise never settles', "The factory of 'db' (in App)", 'raise pluginTimeout', () => ({
    providers: [{ provide: 'db', useFactory: () => new Promise(() => {}) }],
  })),
]

const scopes: Mistake[] = [
  boot(
    'a service that injects a request-scoped one',
    'Cache lives as long as App',
    "Make Cache request-scoped too ({ scope: 'request' })",
    () => ({
      providers: [Tx, asking('Cache', Tx)],
    }),
  ),
  boot('a service that injects the request', 'Cache lives as long as App', 'Make Cache request-scoped too', () => ({
    providers: [asking('Cache', REQUEST)],
  })),
  boot('a factory that injects the request', "'tenant' lives as long as App", "request-scoped too ({ scope: 'request' })", () => ({
    providers: [{ provide: 'tenant', inject: [REQUEST], useFactory: (given: unknown) => given }],
  })),
  boot('a module class that injects the request', 'App lives as long as App', 'It is made once at boot', () => {
    @Plugin()
    class App {
      static readonly inject = [REQUEST] as const
      constructor(readonly request: unknown) {}
    }
    return App
  }),
  boot('options of a plugin from the request', 'the options of jwt', 'It is made once at boot', () => {
    const jwt = async (): Promise<void> => {}
    return { imports: [use(jwt, optionsFrom([REQUEST], (given) => given) as never)] }
  }),
  boot("@Injectable({ scope: 'singleton' })", 'App > Cats', 'Scopes are: context, request, transient', () => {
    @Injectable({ scope: loose('singleton') })
    class Cats {}
    return { providers: [Cats] }
  }),
  boot('@Injectable({ scope: Scope.REQUEST }), a number', 'App > Cats', 'Scopes are: context, request, transient', () => {
    @Injectable({ scope: loose(2) })
    class Cats {}
    return { providers: [Cats] }
  }),
  boot("@Injectable('request')", 'App > Cats', "Write @Injectable({ scope: 'request' })", () => {
    @Injectable(loose('request'))
    class Cats {}
    return { providers: [Cats] }
  }),
  boot('a misspelt option of @Injectable', 'App > Cats', "Did you mean 'scope'?", () => {
    @Injectable(loose({ scop: 'request' }))
    class Cats {}
    return { providers: [Cats] }
  }),
  boot('an unknown scope of a factory', "App: the provider of 'a'", 'Scopes are: context, request, transient', () => ({
    providers: [{ provide: 'a', useFactory: () => 1, scope: 'session' }],
  })),
  boot('@Injectable without parentheses', 'App', /@Injectable\(\)|class/, () => {
    class Cats {}
    return { providers: [Injectable(Cats as never)] }
  }),
  call(
    'a request-scoped service is resolved outside of a request',
    'Tx (in App)',
    'exists only while a request is served',
    'request',
    async () => {
      await using server = closing(await bootstrap(plugin('App', { providers: [Tx] })))
      server.own.resolve(Tx)
    },
  ),
  call('the request is resolved outside of a request', 'REQUEST', 'exists only while a request is served', 'request', async () => {
    await using server = closing(await bootstrap(plugin('App')))
    server.own.resolve(REQUEST)
  }),
  call('a transient service is resolved', 'Cats (in App)', 'each injection gets an instance of its own', 'request', async () => {
    await using server = closing(await bootstrap(plugin('App', { providers: [{ provide: Cats, useClass: Cats, scope: 'transient' }] })))
    server.own.resolve(Cats)
  }),
  call(
    'a service of a child module is resolved from the root',
    'not visible in App',
    'It is provided in App > CatsModule',
    'request',
    async () => {
      await using server = closing(await bootstrap(plugin('App', { imports: [plugin('CatsModule', { providers: [Cats] })] })))
      server.own.resolve(Cats)
    },
  ),
  call('a service that nothing provides is resolved', 'not visible in App', 'No plugin provides it', 'request', async () => {
    await using server = closing(await bootstrap(plugin('App')))
    server.own.resolve(Cats)
  }),
  boot('a built-in token is provided', 'App', /SERVER|LOGGER/, () => ({
    providers: [
      { provide: LOGGER, useValue: 1 },
      { provide: SERVER, useValue: 1 },
    ],
  })),
  request('a request-scoped factory that throws', 'GET /', 'no tenant', () => {
    @Controller('/')
    class Tenants {
      static readonly inject = ['tenant'] as const
      constructor(readonly tenant: unknown) {}
      @Get()
      all() {}
    }
    const provider = {
      provide: 'tenant',
      scope: 'request',
      useFactory: () => {
        throw new Error('no tenant')
      },
    }
    return { providers: [provider], routes: [Tenants] }
  }),
]

function closing<T extends { close(): Promise<unknown> }>(own: T): AsyncDisposable & { own: T } {
  return { own, [Symbol.asyncDispose]: async () => void (await own.close()) }
}

export const dependencies: readonly Mistake[] = [...visibility, ...constructors, ...entries, ...scopes]
