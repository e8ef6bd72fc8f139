/** Mistakes with controllers, routes, handlers and replies. */
import {
  Action,
  type BootstrappedServer,
  type Class,
  Config,
  Controller,
  Get,
  Hook,
  HttpError,
  Injectable,
  Patch,
  Plugin,
  Post,
  type Reply,
  type Request,
  Route,
  Schema,
} from 'alcove'
import { plugin, route } from '../fixtures/applications.js'
import { boot, loose, type Mistake, request } from './mistake.js'

const noop = async (): Promise<void> => {}
const query = { querystring: { type: 'object' } } as const
const Roles = (...roles: string[]) => Config({ roles })

/** A controller with one route, of these options. */
function get(options: unknown, handle: (...args: any[]) => unknown = () => 'ok'): { routes: Class[] } {
  @Controller('/cats')
  class Cats {
    @Get(loose(options))
    all(first: Request, second: Reply) {
      return handle(first, second)
    }
  }
  return { routes: [Cats] }
}
/** An option of a route. */
const option = (says: string, given: object, cure: string | RegExp): Mistake =>
  boot(says, 'App > Cats.all', cure, () => get({ path: '/', ...given }))

const places: Mistake[] = [
  boot('a class with @Get but without @Controller', 'App lists Cats among its routes', '@Controller()', () => {
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a route class without a name', 'App lists a route (GET /cats)', 'Declare it with a name', () => {
    const Nameless = Route({ method: 'GET', path: '/cats' })(
      class {
        handle() {}
      },
    )
    return { routes: [Nameless] }
  }),
  boot('a route whose method alcove calls at the end of the instance', 'App > Cats.dispose', 'Give the method another name', () => {
    @Controller('/cats')
    class Cats {
      @Post()
      dispose() {}
    }
    return { routes: [Cats] }
  }),
  boot('a call of @Get for a method that does not exist', 'App > Cats.al', 'It stands above a method', () => {
    class Cats {
      static {
        Controller('/cats')(this)
        ;(Get() as (...args: unknown[]) => void)(this.prototype, 'al')
      }
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a controller without routes', 'App > Cats', 'Write @Get(), @Post()', () => {
    @Controller('/cats')
    class Cats {
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a route class without handle', 'App > GetCats', 'handle(request, reply)', () => {
    class GetCats {
      get() {}
    }
    Route({ method: 'GET', path: '/' })(loose(GetCats))
    return { routes: [GetCats] }
  }),
  boot('a route class with @Get on another method', 'App > GetCats.more', 'above a method of a class with @Controller()', () => {
    @Route({ method: 'GET', path: '/' })
    class GetCats {
      handle() {}
      @Get('/more')
      more() {}
    }
    return { routes: [GetCats] }
  }),
  boot('undefined among the routes', 'App lists undefined', 'circle of imports', () => ({ routes: [undefined] })),
  boot('an instance among the routes', 'App lists', /class/, () => ({ routes: [new (class Cats {})()] })),
  boot('options in the place of the prefix', 'App > Cats', "@Controller('/users'", () => {
    @Controller(loose({ path: 'cats', version: '1' }))
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a list in the place of the prefix', 'App > Cats', "@Controller('/users'", () => {
    @Controller(loose(['cats', 'dogs']))
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a text in the place of the options of a controller', 'App > Cats', /option/, () => {
    @Controller('/cats', loose('v1'))
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a path among the options of a controller', 'App > Cats: @Controller', 'The first argument is the prefix', () => {
    @Controller('/', loose({ path: '/cats' }))
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Hook on a method of a controller that is not a route', 'App > Cats.guard', 'above a route, a controller or a method', () => {
    @Controller('/')
    class Cats {
      @Get()
      all() {}
      @Hook('preHandler', noop)
      guard() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Schema on a method that is not a route', 'App > Cats.helper', 'a method with @Get(), @Post()', () => {
    @Controller('/')
    class Cats {
      @Get()
      all() {}
      @Schema(query)
      helper() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Hook on a method of a service', 'App > Repo.log', 'in a plugin class, above the method', () => {
    class Repo {
      @Hook('onRequest')
      log() {}
    }
    return { providers: [Repo] }
  }),
  boot('@Get on a method of a service', 'App > Repo.all', '@Controller()', () => {
    class Repo {
      @Get()
      all() {}
    }
    return { providers: [Repo] }
  }),
  boot('@Roles above a module', 'App has @Config', 'above a route, a controller or a method', () => {
    @Roles('admin')
    @Plugin()
    class App {}
    return App
  }),
  boot('@Roles on a method that is not a route', 'App > Cats.helper has @Config', 'a method with @Get(), @Post()', () => {
    @Controller('/')
    class Cats {
      @Get()
      all() {}
      @Roles('admin')
      helper() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Config with a text', 'App > Cats.all', 'Write @Config({ roles: … })', () => {
    @Controller('/')
    class Cats {
      @Get()
      @Config(loose('admin'))
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Config with a list, above a controller', 'App > Cats', 'Write @Config({ roles: … })', () => {
    @Controller('/')
    @Config(loose(['admin']))
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Schema above a controller', 'App > Cats has @Schema', 'a method with @Get(), @Post()', () => {
    @Controller('/')
    class Cats {
      @Get()
      all() {}
    }
    Schema(query)(loose(Cats))
    return { routes: [Cats] }
  }),
  boot('@Hook with a function above a module', "App has @Hook('preHandler', …)", 'hooks: { preHandler: … }', () => {
    @Plugin()
    class App {}
    Hook('preHandler', noop)(App)
    return App
  }),
  boot('@Hook with a function on a method of a module', "App has @Hook('preHandler', …)", "write @Hook('preHandler') on a method", () => {
    @Plugin()
    class App {
      @Hook('preHandler', noop)
      guard() {}
    }
    return App
  }),
  boot('@Get on a static method', 'App > Cats.all', 'it is a static member', () => {
    @Controller('/')
    class Cats {
      @Get()
      static all() {}
      @Get('/one')
      one() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Get on a getter', 'App > Cats.all', /method/, () => {
    @Controller('/')
    class Cats {
      @Get()
      get all() {
        return 'ok'
      }
    }
    return { routes: [Cats] }
  }),
  boot('@Get and @Post on one method', 'App > Cats.all', '@Action([', () => {
    @Controller('/')
    class Cats {
      @Get()
      @Post()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Schema twice on one method', 'App > Cats.all', 'Keep one of them', () => {
    @Controller('/')
    class Cats {
      @Get()
      @Schema(query)
      @Schema({ params: { type: 'object' } })
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Controller twice above one class', 'App > Cats', 'Keep one of them', () => {
    @Controller('/')
    @Controller('/cats')
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Controller above a base class only', 'App lists Cats among its routes', '@Controller()', () => {
    @Controller('/')
    class Base {
      @Get()
      all() {}
    }
    class Cats extends Base {}
    return { routes: [Cats] }
  }),
  boot('@Schema of a helper in a base class', 'App > Cats.helper', 'the method is not a route', () => {
    class Base {
      @Schema(query)
      helper() {}
    }
    @Controller('/')
    class Cats extends Base {
      @Get()
      all() {}
    }
    return { routes: [Cats] }
  }),
]

const declared: Mistake[] = [
  option('url as the path of a route', { url: '/all' }, 'Write path: ….'),
  option('method among the options of @Get', { method: 'PUT' }, '@Action(method'),
  option('a hook among the options of a route', { preHandler: noop }, "@Hook('preHandler'"),
  option('schema among the options of a route', { schema: query }, 'Write it after the options'),
  option('httpCode among the options of a route', { httpCode: 201 }, 'Write status: ….'),
  option('statusCode among the options of a route', { statusCode: 201 }, 'Write status: ….'),
  option('version among the options of a route', { version: '1' }, "constraints: { version: '…' }"),
  option('host among the options of a route', { host: 'a' }, "constraints: { host: '…' }"),
  option('a misspelt option of a route', { bodyLimt: 1 }, "Did you mean 'bodyLimit'?"),
  option('a status that replies do not have', { status: 1000 }, 'from 200 to 599'),
  option('a status that is a text', { status: '201' }, 'from 200 to 599'),
  option('bodyLimit as a text', { bodyLimit: '1mb' }, 'Write bodyLimit: 1048576'),
  option('bodyLimit below 0', { bodyLimit: -1 }, 'bytes above 0'),
  option('handlerTimeout as a text', { handlerTimeout: '5s' }, 'milliseconds'),
  option('an error handler of a route that is a text', { errorHandler: 'x' }, 'Write a function, or a class with a method errorHandler'),
  option('a constraint that the server does not know', { constraints: { lang: 'de' } }, /constraint/i),
  option('constraints that are not an object', { constraints: '1.0.0' }, /constraint/i),
  option('config that is not an object', { config: 'admin' }, /config/),
  option('a log level that does not exist', { logLevel: 'loud' }, /level/i),
  option('a validator compiler of a route that is an object', { validatorCompiler: {} }, /function/),
  option('a path that is a list', { path: ['/a', '/b'] }, "Write path: '/:id'"),
  boot('a list of paths, as Nest takes them', 'App > Cats.all', "Write @Get('/path') above one method for each path", () =>
    get(['/a', '/b']),
  ),
  boot('a number as the path', 'App > Cats', /path/, () => get(5)),
  boot('a path with an expression that does not end', 'App > Cats.all', /\//, () => get('/:id(')),
  boot('a path with two parameters of one name', /Cats/, /id/, () => get('/:id/dogs/:id')),
  boot('a wildcard within a path', 'App > Cats.all', /wildcard/i, () => get('/*/all')),
  boot('a method that does not exist', 'App > Cats.all', /FETCH/, () => {
    @Controller('/')
    class Cats {
      @Action(loose('FETCH'), '/')
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a method of Node that nothing adds', 'App > Cats.all', "Call server.addHttpMethod('PURGE') first", () => {
    @Controller('/')
    class Cats {
      @Action(loose('PURGE'), '/')
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a method that does not exist, added in setup', 'App', "'FETCH' is none of ACL", () => {
    @Plugin({})
    class App {
      setup(server: BootstrappedServer) {
        server.addHttpMethod('FETCH')
      }
    }
    return App
  }),
  boot('a body schema on a method that setup adds', 'App > Cats.all', 'Use POST, PUT or PATCH', () => {
    @Controller('/')
    class Cats {
      @Action(loose('PURGE'), '/', { body: { type: 'object' } })
      all() {}
    }
    @Plugin({ routes: [Cats] })
    class App {
      setup(server: BootstrappedServer) {
        server.addHttpMethod('PURGE', { hasBody: true })
      }
    }
    return App
  }),
  boot('a method that is undefined', 'App > Cats.all', /method/i, () => {
    @Controller('/')
    class Cats {
      @Action(loose(undefined), '/')
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('a route class without a method', 'App > GetCats', /method/i, () => {
    @Route(loose({ path: '/' }))
    class GetCats {
      handle() {}
    }
    return { routes: [GetCats] }
  }),
  boot('a route class without options', 'App lists GetCats', '@Route({ method, path })', () => {
    class GetCats {
      handle() {}
    }
    Route(loose(undefined))(GetCats)
    return { routes: [GetCats] }
  }),
  boot('two methods of a controller with one path', 'App > Cats.all', 'another path, or constraints', () => {
    @Controller('/')
    class Cats {
      @Get('/:id')
      one() {}
      @Get('/:name')
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('two controllers with one path', 'App > Made and by App > Made', 'another path, or constraints', () => ({
    routes: [route('/', () => 1), route('/', () => 2)],
  })),
  boot('a parameter in the schema that the path does not have', 'App > Cats.one', 'Write it in the path (:id)', () => {
    @Controller('/cats')
    class Cats {
      @Get('/:name')
      @Schema({ params: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } } as const)
      one() {}
    }
    return { routes: [Cats] }
  }),
  boot('a body schema on GET', 'App > Cats.all', 'Use POST, PUT or PATCH', () => {
    @Controller('/')
    class Cats {
      @Get()
      @Schema({ body: { type: 'object' } } as const)
      all() {}
    }
    return { routes: [Cats] }
  }),
  boot('@Get without parentheses', /Cats/, /@Get\(\)|method/, () => {
    class Cats {
      all() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Cats.prototype, 'all')!
    const given = (Get as (...args: unknown[]) => unknown)(Cats.prototype, 'all', descriptor)
    Object.defineProperty(Cats.prototype, 'all', (given as PropertyDescriptor | undefined) ?? descriptor)
    Controller('/')(Cats)
    return { routes: [Cats] }
  }),
  boot('@Controller without parentheses', 'App lists', '@Controller()', () => {
    @Injectable()
    class Cats {
      @Get()
      all() {}
    }
    return { routes: [(Controller as (...args: unknown[]) => unknown)(Cats)] }
  }),
]

/** A mistake in a handler, with what its reply or the log says. */
const handler = (
  says: string,
  cure: string | RegExp,
  handle: (request: Request, reply: Reply) => unknown,
  place: string | RegExp = '/cats',
  ask = {},
): Mistake => request(says, place, cure, () => get('/', handle), { path: '/cats', ...ask })

const handlers: Mistake[] = [
  handler('a handler that sets a status and never sends', /handler/i, (_request, reply) => reply.code(201), '/cats', { timesOut: true }),
  handler('a handler that takes the reply and forgets it', /handler/i, (_request, _reply) => undefined, '/cats', { timesOut: true }),
  handler('a handler whose promise never settles', /handler/i, () => new Promise(() => {}), '/cats', { timesOut: true }),
  handler('a handler that sends twice', 'return reply', (_request, reply) => {
    reply.send('one')
    return reply.send('two')
  }),
  handler('a handler that sends and returns', 'return reply', async (_request, reply) => {
    void reply.send('one')
    return 'two'
  }),
  handler('a handler that throws a text', /no cat/, () => {
    throw 'no cat'
  }),
  handler('a handler that throws undefined', /undefined/i, () => {
    throw undefined
  }),
  handler('a handler that throws an Error', /no cat/, () => {
    throw new Error('no cat')
  }),
  handler('a handler that throws an HttpError with a status of success', /400 to 599/, () => {
    throw new HttpError(200, 'fine')
  }),
  handler('a handler that sets a status out of range', /invalid status code: 1000/, (_request, reply) => reply.code(1000).send('x')),
  handler('a handler that sets a status as a word', /invalid status code: created/, (_request, reply) =>
    reply.code(loose('created')).send('x'),
  ),
  handler('a handler that returns an object with a circle', /circular/i, () => {
    const cat: Record<string, unknown> = {}
    cat['self'] = cat
    return cat
  }),
  handler('a handler that returns a BigInt in an object', /BigInt/, () => ({ id: 1n })),
  handler('a handler that returns a function', /payload of invalid type/, () => () => 'ok'),
  handler('a handler that returns a symbol', /payload of invalid type|symbol/i, () => Symbol('ok')),
  handler('a handler that returns an object as text/html', /payload of invalid type/, (_request, reply) =>
    reply.type('text/html').send({ a: 1 }),
  ),
  handler('a handler that returns an async generator', /generator|iterable|Readable/i, async function* () {
    yield 'one'
  }),
  handler('a handler that returns a generator', /generator|iterable|Readable/i, function* () {
    yield 'one'
  }),
  handler('a handler that sets a header with a line break', /header/i, (_request, reply) => reply.header('x-a', 'a\nb').send('x')),
  handler('a handler that reads the body like in Nest, as its first parameter', /undefined/, (dto: any) => dto.body.name),
  request('a handler that loses its this', 'GET /', 'undefined', () => {
    const all = async function (this: { cats: string[] } | undefined): Promise<string> {
      return this!.cats.join()
    }
    const detached = all.bind(undefined)
    return { routes: [route('/', () => detached())] }
  }),
  request('a request with a method that the controller lacks', '/cats', 'not found', () => get('/'), { path: '/cats', method: 'POST' }),
  request('a request below a prefix that is written twice', '/cats/cats', 'not found', () => get('/'), { path: '/cats/cats' }),
  request('a request without the version of the route', '/cats', 'not found', () => get({ path: '/', constraints: { version: '1.0.0' } }), {
    path: '/cats',
  }),
  request('a body that no parser reads', '/', 'Unsupported Media Type', () => ({ routes: [route('/', () => 1, 'POST')] }), {
    method: 'POST',
    body: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  request(
    'a controller method that overrides a route of its parent and fails',
    'PATCH /',
    'no cat',
    () => {
      class Base {
        @Patch()
        change() {}
      }
      @Controller('/')
      class Cats extends Base {
        override change() {
          throw new Error('no cat')
        }
      }
      return { routes: [Cats] }
    },
    { method: 'PATCH' },
  ),
  boot('a module below a prefix that a route of its parent has', 'App > Api > Made', 'another path, or constraints', () => ({
    routes: [route('/api', () => 1)],
    imports: [plugin('Api', { prefix: '/api', routes: [route('/', () => 2)] })],
  })),
]

export const routes: readonly Mistake[] = [...places, ...declared, ...handlers]
