/** Mistakes with modules: the options of `@Plugin`, imports, sharing, request decorators, plugin functions. */
import { bootstrap, type Class, Controller, Get, Injectable, Plugin, requestDecorator, Route, type Server, shared, use } from 'alcove'
import fastifyPlugin from 'fastify-plugin'
import { plugin, route } from '../fixtures/applications.js'
import { boot, call, loose, type Mistake } from './mistake.js'

class Cats {}
@Controller('/cats')
class CatsController {
  @Get()
  all() {}
}
const User = requestDecorator('user', null)
const Api = (options: object): Class => plugin('Api', loose(options))
const noop = async (): Promise<void> => {}

/** An option that Nest has, or a misspelt one. */
const unknown = (option: string, cure: string, value: unknown = []): Mistake =>
  boot(`the option ${option} of a module`, 'App > Api: @Plugin', cure, () => ({ imports: [Api({ [option]: value })] }))
/** An option with a value of another kind. */
const wrong = (option: string, what: string, value: unknown, cure: string | RegExp): Mistake =>
  boot(`the option ${option} of a module is ${what}`, 'App > Api', cure, () => ({
    imports: [Api({ routes: [CatsController], [option]: value })],
  }))

const options: Mistake[] = [
  unknown('controllers', 'Write routes: [ … ].'),
  unknown('exports', 'Import this plugin with shared(…)'),
  unknown('provders', "Did you mean 'providers'?"),
  unknown('hook', "Did you mean 'hooks'?", {}),
  unknown('errorHandlers', "Did you mean 'errorHandler'?"),
  unknown('guards', 'Write hooks: { preHandler: … }.'),
  unknown('interceptors', 'Write hooks: { around: … }.'),
  unknown('middleware', 'Write hooks: { onRequest: … }.'),
  unknown('filters', 'Write errorHandler'),
  unknown('pipes', '@Get(path, schema)'),
  unknown('onRequest', 'Write hooks: { onRequest: … }.'),
  unknown('setup', 'as a method of the class'),
  unknown('global', 'Provide it in the root plugin', true),
  wrong('providers', 'one provider instead of a list', Cats, 'providers: [ … ]'),
  wrong('imports', 'one module instead of a list', CatsController, 'imports: [ … ]'),
  wrong('routes', 'one controller instead of a list', CatsController, 'routes: [ … ]'),
  wrong('routes', 'an object', { cats: CatsController }, 'routes: [ … ]'),
  wrong('schemas', 'an object', { Cat: { $id: 'Cat' } }, 'schemas: [ … ]'),
  wrong('requires', 'one decorator instead of a list', User, 'requires: [ … ]'),
  wrong('decorateRequest', 'one decorator instead of a list', User, 'decorateRequest: [ … ]'),
  wrong('private', 'one token instead of a list', Cats, 'private: [ … ]'),
  wrong('contentTypeParsers', 'an object', { 'text/csv': noop }, 'contentTypeParsers: [ … ]'),
  wrong('hooks', 'a list of guards', [class Guard {}], 'hooks: { onRequest: … }'),
  wrong('hooks', 'a guard', class Guard {}, 'hooks: { onRequest: … }'),
  wrong('prefix', 'a list', ['/a'], "prefix: '/users'"),
  wrong('prefix', 'a number', 1, "prefix: '/users'"),
  boot('the name of a module is a class', '@Plugin has Cats as name', "Write name: 'Users'", () => ({ name: Cats })),
  wrong('shared', 'a text', 'yes', 'shared: true'),
  wrong('decorateRequest', 'a list of names', ['user'], 'requestDecorator'),
  wrong('requires', 'a list of names', ['user'], 'requestDecorator'),
  wrong('decorateRequest', 'an object that all requests would share', { user: {} }, /null|getter/),
  boot('decorate names a member that the server has', /App/, "'listen' has already been added", () => ({ decorate: { listen: 1 } })),
  wrong('errorHandler', 'a text', 'handle', /function/),
  wrong('notFoundHandler', 'a text', 'handle', /function/),
  wrong('validatorCompiler', 'an object', {}, /function/),
  wrong('serializerCompiler', 'an object', {}, /function/),
  wrong('schemaErrorFormatter', 'asynchronous', async () => new Error('no'), /synchronous|async/),
  wrong('contentTypeParsers', 'a list of functions', [noop], 'Write { type, parse }'),
  wrong('contentTypeParsers', 'a list without parse', [{ type: 'text/csv' }], /function/),
  wrong(
    'contentTypeParsers',
    'a list with a misspelt limit',
    [{ type: 'text/csv', parse: noop, bodyLimt: 9 }],
    "Did you mean 'bodyLimit'?",
  ),
  boot(
    'a shared module has another validatorCompiler than the module that imports it',
    'App > Api has the option',
    'Keep one of them',
    () => ({
      validatorCompiler: () => () => true,
      imports: [shared(Api({ validatorCompiler: () => () => true }))],
    }),
  ),
  wrong(
    'contentTypeParsers',
    'a list with two for a type',
    [1, 2].map(() => ({ type: 'text/csv', parse: noop })),
    /already present/,
  ),
  wrong('schemas', 'a list with undefined', [undefined], '$id'),
  wrong('schemas', 'a list with one without $id', [{ type: 'object' }], '$id'),
  wrong('schemas', 'a list with a class without @Schema', [Cats], "@Schema({ $id: 'Cats'"),
  wrong('schemas', 'a list with one $id twice', [{ $id: 'Cat' }, { $id: 'Cat' }], 'keep one of the entries'),
]

const imports: Mistake[] = [
  boot('an application without @Plugin', 'Cats', 'Write @Plugin({ … }) above the class', () => Cats),
  boot('an instance as the application', 'an instance of Cats', 'Write @Plugin({ … }) above the class', () => bootstrap(loose(new Cats()))),
  boot('the application is undefined', 'undefined', 'Write @Plugin({ … }) above the class', () => bootstrap(loose(undefined))),
  boot('@Plugin without parentheses', 'not a plugin', 'Write @Plugin({ … }) above the class', () => Plugin(Cats as never)),
  boot('an import without @Plugin', 'App > Api imports Cats', 'Write @Plugin({ … }) above the class', () => ({
    imports: [Api({ imports: [Cats] })],
  })),
  boot('an import of undefined, of a circle of imports', 'App imports undefined', /circle of imports/, () => ({ imports: [undefined] })),
  boot('an import of an instance', 'App imports', /class/, () => ({ imports: [new Cats()] })),
  boot('an import of a name', 'App imports', 'Write @Plugin', () => ({ imports: ['CatsModule'] })),
  boot('an import of a promise of a module', 'App imports', 'Await the module and import its class', () => ({
    imports: [Promise.resolve({ default: Cats })],
  })),
  boot('an import of a plugin function without use', 'App imports jwt', 'with use(jwt)', () => ({ imports: [async function jwt() {}] })),
  boot('forwardRef: an import of a function that returns the module', 'App imports', 'with use(', () => ({ imports: [() => Cats] })),
  boot('an import of a dynamic module of Nest', 'App imports', 'use(Cats, { … })', () => ({ imports: [{ module: Cats, providers: [] }] })),
  boot('an import of a controller', 'App imports CatsController', /routes/, () => ({ imports: [CatsController] })),
  boot('use() of a class without @Plugin', 'App imports Cats', 'Write @Plugin', () => ({ imports: [use(Cats)] })),
  boot('use() of undefined', 'App imports undefined', /circle of imports/, () => ({ imports: [use(undefined)] })),
  boot('use() with an unknown third option', 'App: use(noop, …)', "Did you mean 'decorates'?", () => ({
    imports: [use(noop, {}, loose({ decorate: [] }))],
  })),
  boot('use() with a prefix that is a number', 'App', /prefix/, () => ({ imports: [use(Api({}), loose({ prefix: 1 }))] })),
  boot('options as the second argument of shared()', 'App: shared(Api, …)', 'Write shared(use(Api, …))', () => ({
    imports: [(shared as (...args: unknown[]) => never)(Api({}), { prefix: '/api' })],
  })),
  boot('a name as the options of @Plugin', 'App: @Plugin', 'Write @Plugin({ … })', () => {
    class App {}
    Plugin(loose('CatsModule'))(App)
    return App
  }),
  boot('shared() of a class without @Plugin', 'App imports Cats', 'Write @Plugin', () => ({ imports: [shared(Cats)] })),
  boot('a module that imports itself', 'Api > Api', 'Move what both need', () => {
    const imports: Class[] = []
    imports.push(plugin('Api', { imports }))
    return { imports }
  }),
  boot('two modules that import each other', 'A > B > A', 'Move what both need', () => {
    const imports: Class[] = []
    const A = plugin('A', { imports })
    imports.push(plugin('B', { imports: [A] }))
    return { imports: [A] }
  }),
  boot('one module with a controller in two modules', 'App > A and App > B', 'Import shared(CatsModule) in App', () => {
    const module = plugin('CatsModule', { routes: [CatsController] })
    return { imports: [plugin('A', { imports: [module] }), plugin('B', { imports: [module] })] }
  }),
  boot('one module with a controller twice in one module', 'App imports CatsModule twice', 'Keep one of these imports', () => {
    const module = plugin('CatsModule', { routes: [CatsController] })
    return { imports: [module, module] }
  }),
  boot('a module among the routes', 'App lists Api among its routes', /imports/, () => ({ routes: [Api({})] })),
  boot('a module among the providers', 'App', /imports/, () => ({ providers: [Api({})] })),
  boot('a controller among the providers', 'App > CatsController', 'that a plugin lists in routes', () => ({
    providers: [CatsController],
  })),
  boot('a service among the routes', 'App lists Cats among its routes', /providers|@Controller\(\)/, () => ({ routes: [Cats] })),
  boot('a class that is a module and a controller', 'App', 'that a plugin lists in routes', () => {
    @Controller('/')
    @Plugin()
    class App {
      @Get()
      all() {}
    }
    return App
  }),
  boot('setup that throws', 'App > Files', 'no such folder', () => {
    @Plugin()
    class Files {
      setup() {
        throw new Error('no such folder')
      }
    }
    return { imports: [Files] }
  }),
  boot('setup whose promise never settles', 'App > Files.setup was not over', 'raise pluginTimeout', () => {
    @Plugin()
    class Files {
      setup() {
        return new Promise(() => {})
      }
    }
    return { imports: [Files] }
  }),
  boot('setup as an option of a provider class, without @Plugin', 'App imports Files', 'Write @Plugin', () => {
    class Files {
      setup() {}
    }
    return { imports: [Files] }
  }),
  boot('two not-found handlers for one prefix', 'App > Api', 'Keep one of them', () => ({
    notFoundHandler: noop,
    imports: [plugin('Api', { shared: true, notFoundHandler: noop })],
  })),
  boot('two not-found handlers for one prefix, of siblings', 'App > Orders', 'Keep one of them', () => ({
    imports: [plugin('Users', { prefix: '/a/:x', notFoundHandler: noop }), plugin('Orders', { prefix: '/a/:y/', notFoundHandler: noop })],
  })),
  boot('two not-found handlers for one prefix, of functions', 'App > Orders', 'Keep one of them', () => ({
    imports: ['Users', 'Orders'].map((name) => {
      const declare = async (server: Server): Promise<void> => void server.setNotFoundHandler(noop)
      return use(Object.defineProperty(declare, 'name', { value: name }), { prefix: '/a' })
    }),
  })),
  boot(
    '@Injectable() and imports in the wrong file: a second copy of a service as token',
    'App provides another token of the same name',
    'Import the same one in both places',
    () => {
      @Injectable()
      class Reads {
        static readonly inject = [class Cats {}] as const
        constructor(readonly cats: object) {}
      }
      return { providers: [Cats, Reads] }
    },
  ),
]

const functions: Mistake[] = [
  boot('a request decorator that a sibling adds', 'App > Api requires', 'Add it in an ancestor, or share that plugin', () => ({
    imports: [Api({ requires: [User] }), plugin('Auth', { decorateRequest: [User] })],
  })),
  boot('a request decorator that no module adds', 'App requires', 'Add it to decorateRequest', () => ({ requires: [User] })),
  boot('a request decorator that an ancestor adds too', 'App > Api adds', 'Give one of them another name', () => ({
    decorateRequest: [User],
    imports: [Api({ decorateRequest: { user: 1 } })],
  })),
  boot('decorates for a plugin function with a context of its own', 'in use(jwt, …)', 'Write shared(use(jwt, …))', () => ({
    imports: [use(async function jwt() {}, {}, { decorates: [User] })],
  })),
  boot('decorates for a plugin function that does not add it', "App lists the request decorator 'user'", 'Correct the list', () => ({
    imports: [
      use(
        fastifyPlugin(async () => {}),
        {},
        { decorates: [User] },
      ),
    ],
  })),
  boot('a name in decorates, instead of a request decorator', "App lists 'user' in decorates of use(jwt, …)", 'requestDecorator', () => ({
    imports: [
      use(
        fastifyPlugin(async function jwt() {}),
        {},
        loose({ decorates: ['user'] }),
      ),
    ],
  })),
  boot('one request decorator as decorates, as a name', "App lists 'user' in decorates of use(jwt, …)", 'requestDecorator', () => ({
    imports: [
      use(
        fastifyPlugin(async function jwt() {}),
        {},
        loose({ decorates: 'user' }),
      ),
    ],
  })),
  boot('decorates for a module class', 'in use(Api, …)', 'Import the class with shared(…)', () => ({
    imports: [use(Api({}), {}, { decorates: [User] })],
  })),
  boot('a plugin function that throws', 'App', 'no key', () => ({
    imports: [
      use(async () => {
        throw new Error('no key')
      }),
    ],
  })),
  boot('a plugin function that never calls done', 'App > jwt was being registered', "call 'done'", () => ({
    imports: [use(function jwt(_instance: Server, _options: object, _done: () => void) {})],
  })),
  boot('a plugin function whose dependency is not registered', 'session', /cookie/, () => ({
    imports: [use(fastifyPlugin(async () => {}, { name: 'session', dependencies: ['cookie'] }))],
  })),
  boot('a plugin function for another version of Fastify', 'old', /version/, () => ({
    imports: [use(fastifyPlugin(async () => {}, { name: 'old', fastify: '3.x' }))],
  })),
  boot('a plugin function that reads a decorator which is not there', 'session', /cookie/, () => ({
    imports: [use(fastifyPlugin(async () => {}, { name: 'session', decorators: { request: ['cookie'] } }))],
  })),
  boot('a plugin function with a request decorator that exists', 'App', /already|user/, () => ({
    decorateRequest: [User],
    imports: [use(fastifyPlugin(async (instance: Server) => void instance.decorateRequest('user', null)))],
  })),
  boot('two plugin functions with the same route', /App/, /GET.*\/cats|another path/, () => ({
    imports: [1, 2].map(() => use(async (instance: Server) => void instance.get('/cats', () => []))),
  })),
  boot('a plugin function with the route of a controller', /App/, /GET.*\/cats/, () => ({
    imports: [use(async (instance: Server) => void instance.get('/cats', () => []))],
    routes: [CatsController],
  })),
  boot('a route function without @Route among the routes', 'App lists', 'Write @Route', () => ({ routes: [() => 'ok'] })),
  boot('a controller of a second module with the same path', 'App > Made and by App > Api > Made.', 'another path, or constraints', () => ({
    routes: [route('/', () => 1)],
    imports: [Api({ routes: [route('/', () => 2)] })],
  })),
  call('a decorator after the boot', 'late', /ready|start/, 'request', async () => {
    const server = await bootstrap(plugin('App'))
    try {
      server.decorate('late', 1)
    } finally {
      await server.close()
    }
  }),
  call('a route after the boot', 'Cannot add route', /already started/, 'request', async () => {
    const server = await bootstrap(plugin('App'))
    try {
      server.get('/late', () => 1)
    } finally {
      await server.close()
    }
  }),
  boot('@Route on a class that is a module', 'App', 'that a plugin lists in routes', () => {
    @Route({ method: 'GET', path: '/' })
    @Plugin()
    class App {
      handle() {}
    }
    return App
  }),
]

export const plugins: readonly Mistake[] = [...options, ...imports, ...functions]
