/**
 * Mistakes that do not compile. Each begins with a comment: the mistake, then `->` and a part of what the compiler says of it, or `=>` if
 * the compiler hides the reason. tests/mistakes compiles this file and looks for the messages.
 */
import {
  bootstrap,
  type Class,
  Config,
  Controller,
  extend,
  factory,
  Get,
  Hook,
  HttpError,
  Injectable,
  Model,
  type Next,
  optional,
  pick,
  Plugin,
  Post,
  ref,
  type Reply,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  Schema,
  type Server,
  shared,
  testServer,
  token,
  use,
} from 'alcove'

class Cats {
  all() {
    return ['Tom']
  }
}
class Dogs {
  bark() {}
}
const CONFIG = token<{ url: string }>('CONFIG')
/** A decorator without a value, which a hook sets. */
const Account = requestDecorator('account').as<{ name: string }>()
const User = requestDecorator('user', null).as<{ name: string } | null>()
const named = { response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } } as const
const counted = { response: { 200: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } } } as const
const byId = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const
const created = { body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } as const
@Controller('/account')
class ReadsAccount {
  @Get()
  get({ account }: RouteRequest<unknown, [typeof Account]>) {
    return account.name
  }
}
class ReadsUser {
  @Get()
  get({ user }: RouteRequest<unknown, [typeof User]>) {
    return user
  }
}
@Plugin()
class Files {
  setup(_instance: Server, _options: { path: string }) {}
}
class Guard {
  preHandler(request: Request) {
    return request.headers['x-key'] !== undefined
  }
}
@Controller('/cats')
class CatsController {
  @Get('/:id', byId)
  one({ params }: RouteRequest<typeof byId>) {
    return { id: params.id }
  }
}

// controllers in a module -> 'controllers' does not exist
Plugin({ controllers: [CatsController] })
// exports of a module -> @Plugin has no such option
Plugin({ providers: [Cats], exports: [Cats] })
// a misspelt option of a module -> Did you mean to write 'providers'?
Plugin({ provders: [Cats] })
// hook for hooks -> @Plugin has no such option
Plugin({ routes: [], hook: {} })
// one provider instead of a list -> readonly Provider
Plugin({ providers: Cats })
// an instance among the providers -> 'Cats' is not assignable to type 'Provider'
Plugin({ providers: [new Cats()] })
// an instance among the routes -> provides no match for the signature 'new
Plugin({ routes: [new CatsController()] })
// a dynamic module of Nest -> 'module' does not exist
Plugin({ imports: [{ module: Files, providers: [] }] })
// a name instead of a request decorator -> RequestDecorator
Plugin({ decorateRequest: ['user'] })
// a class that does not fit its token -> a provider gives something else than its token stands for
Plugin({ providers: [{ provide: Cats, useClass: Dogs }] })
// a value that does not fit its token -> a provider gives something else than its token stands for
Plugin({ providers: [{ provide: CONFIG, useValue: { uri: '' } }] })
// a value that is undefined -> a provider gives something else than its token stands for
Plugin({ providers: [{ provide: CONFIG, useValue: undefined }] })
// a factory that forgets to return -> a provider gives something else than its token stands for
Plugin({ providers: [{ provide: CONFIG, useFactory: () => {} }] })
// an alias of another kind -> a provider gives something else than its token stands for
Plugin({ providers: [{ provide: Cats, useExisting: Dogs }] })
// a factory whose parameters do not fit its tokens -> Types of parameters 'dogs'
factory(CONFIG, [Cats], (dogs: Dogs) => ({ url: String(dogs) }))
// a factory that reads an optional dependency at once -> possibly 'undefined'
factory(CONFIG, [optional(Cats)], (cats) => ({ url: cats.all().join() }))
// static inject in another order than the constructor -> static inject of a class does not fit its constructor
class Swapped {
  static readonly inject = [Dogs, Cats] as const
  constructor(_cats: Cats, _dogs: Dogs) {}
}
Plugin({ providers: [Swapped] })
// static inject with too few tokens -> static inject of a class does not fit its constructor
class TooFew {
  static readonly inject = [Cats] as const
  constructor(_cats: Cats, _dogs: Dogs) {}
}
Plugin({ providers: [TooFew] })
// a scope of Nest -> '"singleton"' is not assignable
Injectable({ scope: 'singleton' })
// an import without the options of its setup -> the setup of a plugin needs options
Plugin({ imports: [Files] })
// shared() without the options of its setup -> the setup of a plugin needs options
shared(Files)
// a misspelt option of an import -> Did you mean to write 'path'?
use(Files, { pth: '/' })
// a route that reads a request decorator which is not there -> a route reads a request decorator that this plugin neither adds
Plugin({ routes: [ReadsUser] })
// a route that reads a request decorator without a value, which no hook sets -> with a hook that sets it
Plugin({ decorateRequest: [Account], routes: [ReadsAccount] })
// an error handler that reads a user which the error may come before -> read it as Optional
Plugin({
  requires: [Account],
  errorHandler: class {
    errorHandler(_error: Error, { account }: RouteRequest<unknown, [typeof Account]>, reply: Reply) {
      return reply.send({ account })
    }
  },
})
// a list of routes of the type Class[] -> list the classes themselves
Plugin({ routes: [Cats] as Class[] })
// an error handler of one route that reads a user which the error may come before -> Property 'user' is missing
Get({
  errorHandler: class {
    errorHandler(_error: Error, { user }: RouteRequest<unknown, [typeof User]>) {
      return user
    }
  },
})
// a hook that reads a request decorator which is not there -> a hook reads a request decorator that this plugin neither adds
Plugin({ hooks: { preHandler: async ({ user }: RouteRequest<unknown, [typeof User]>) => void user } })
// options in the place of the prefix of a controller -> parameter of type 'string'
Controller({ path: 'cats' })
// url as the path of a route -> 'url' does not exist
Route({ method: 'GET', url: '/' })
// statusCode as the status of a route -> 'statusCode' does not exist
Get({ path: '/', statusCode: 201 })
// a method that does not exist -> '"FETCH"' is not assignable
Route({ method: 'FETCH', path: '/' })
// bodyLimit as a text -> 'string' is not assignable to type 'number'
Post({ path: '/', bodyLimit: '1mb' })
// parms for params -> not a part of requests or replies
Schema({ parms: { type: 'object' } })
// responses of OpenAPI -> not a part of requests or replies
Schema({ responses: { 200: { type: 'object' } } })
// ref() to a name -> parameter of type 'Class
ref('Cat')
class Cat extends Model({ $id: 'Cat', type: 'object', required: ['name'], properties: { name: { type: 'string' } } }) {}
// a model without $id -> a model has an $id
Model({ type: 'object', properties: {} })
// a model of a text -> a model is an object with properties
Model({ $id: 'Name', type: 'string' })
// a misspelt property in pick() -> '"nmae"' is not assignable
pick(Cat, 'nmae')
// a property that is there already in extend() -> these properties are there already
extend(Cat, { properties: { name: { type: 'integer' } } })
// a value of another type for a field of a model -> 'number' is not assignable to type 'string'
new Cat({ name: 1 })
// a handler that returns what its schema does not allow -> the handler returns something that the schema does not allow
class ReturnsOther {
  @Get('', named)
  get() {
    return { title: 'x' }
  }
}
// a handler that reads what its schema does not have -> the handler asks for another request than the schema describes
class ReadsOther {
  @Get('/:id', byId)
  get({ params }: { params: { id: string } }) {
    return params.id
  }
}
// a handler with the reply of another schema -> write reply: Reply<typeof schema>
class RepliesOther {
  @Get('', named)
  get(_request: Request, reply: Reply<typeof counted>) {
    return reply.send({ count: 1 })
  }
}
// a DTO of another shape as the first parameter of a handler -> the handler asks for another request than the schema describes
class TakesDto {
  @Post('', created)
  create(dto: { body: { name: number } }) {
    return dto.body.name
  }
}
// a body without a schema -> 'request.body' is of type 'unknown'
class ReadsBody {
  @Post()
  create(request: RouteRequest) {
    return request.body.name
  }
}
// a property of the body that the schema does not have -> 'nmae' does not exist
class Misspells {
  @Post('/', created)
  create({ body }: RouteRequest<typeof created>) {
    return body.nmae
  }
}
// @Get without parentheses -> is not assignable to parameter of type 'string | RouteClassOptions'
class WithoutParentheses {
  @Get
  all() {}
}
// a guard that returns a boolean -> NoBoolean
Hook('preHandler', Guard)
// a guard of a module that returns a boolean -> NoBoolean
Plugin({ hooks: { preHandler: Guard } })
// a guard with canActivate -> 'preHandler' is missing
class Activates {
  canActivate() {}
}
Hook('preHandler', Activates)
// an interceptor with intercept -> Property 'around' is missing
class Intercepts {
  intercept(_request: Request, next: Next) {
    return next()
  }
}
Hook('around', Intercepts)
// a misspelt hook -> '"preHandlr"' is not assignable to parameter of type
Hook('preHandlr', () => {})
// a misspelt hook of a module -> 'onRequst' does not exist
Plugin({ hooks: { onRequst: () => {} } })
// @Hook without the name of the hook -> is not assignable to parameter of type 'ClassHookName'
Hook(Guard)
// a class as a hook of the application -> 'typeof Starts' is not assignable to type
class Starts {
  onReady() {}
}
Plugin({ hooks: { onReady: Starts } })
// bootstrap without await -> does not exist on type 'Promise<BootstrappedServer>'
bootstrap(Files).listen({ port: 3000 })
const server = await bootstrap(Files)
// listen(3000) -> 'ListenOptions'
server.listen(3000)
// a misspelt option of listen -> 'prot' does not exist
server.listen({ prot: 3000 })
// a status as a text -> parameter of type 'number'
throw0(new HttpError('404'))
// an override that does not fit its token -> 'Dogs' is not assignable to type 'Dogs &
await testServer(Files, { override: [[Cats, new Dogs()]] })
// an override written as a provider of Nest -> '{ useValue: Dogs; }' is not assignable to type
await testServer(Files, { override: [[Cats, { useValue: new Dogs() }]] })
// a stub with a misspelt member -> "is not a public member of the class"
await testServer(Files, { provide: [[Cats, { lal: () => ['Tom'] }]] })
// a stub with a member of another type -> is not assignable to type 'string[]'
await testServer(Files, { provide: [[Cats, { all: () => 'Tom' }]] })
// @Config with a text -> 'string' is not assignable to parameter of type
Config('admin')
// a misspelt option of testServer -> Did you mean to write 'override'?
await testServer(Files, { overide: [] })
const app = await testServer(Files)
// a call of a method that is not there -> parameter of type '"one"'
await app.call(CatsController, 'two', { params: { id: 1 } })
// a call with a parameter of another type -> 'string' is not assignable to type 'number'
await app.call(CatsController, 'one', { params: { id: 'x' } })

declare function throw0(error: Error): void
void [ReturnsOther, ReadsOther, RepliesOther, TakesDto, ReadsBody, Misspells, WithoutParentheses]

// a handler without return -> the handler may return nothing
export class Forgotten {
  @Get('/', named)
  async get() {}
}

// a handler whose result may be nothing -> the handler may return nothing
export class Maybe {
  @Get('/', named)
  async get() {
    return [{ name: 'Tom' }].at(0)
  }
}

// the payload of a plain Reply -> write reply: Reply<typeof schema>
export class PlainReply {
  @Get('/', named)
  get(_request: Request, reply: Reply) {
    return reply.send({ title: 'Tom' })
  }
}

// a status that the schema does not declare -> UndeclaredStatus<409>
export class Undeclared {
  @Get('/', named)
  get(_request: Request, reply: Reply<typeof named>) {
    return reply.code(409).send({ title: 'Tom' })
  }
}

// an around hook that drops the result -> write return next()
Hook('around', async (_request: Request, next: Next) => {
  await next()
})

// an onSend hook that returns an object -> the payload is serialized already
Hook('onSend', async () => ({ wrapped: true }))
