/** What @Plugin, use and shared allow and refuse. */
import {
  access,
  Controller,
  createServer,
  factory,
  Get,
  Hook,
  HttpError,
  type HttpPart,
  type InjectedErrorHandler,
  type InjectedSchemaErrorFormatter,
  type Next,
  optional,
  type Optional,
  optionsFrom,
  Plugin,
  pluginOptions,
  type Reply,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  rule,
  type SchemaErrorDetail,
  type Server,
  shared,
  token,
  use,
} from 'alcove'

const Answer = requestDecorator('answer', 42)
const Foo = requestDecorator('foo', 'foo')

@Route({ method: 'GET', path: '/' })
class ReadsAnswer {
  handle({ answer, foo }: RouteRequest<unknown, [typeof Answer, Optional<typeof Foo>]>) {
    return { answer, foo }
  }
}

@Controller()
class ReadsFoo {
  @Get()
  foo({ foo }: RouteRequest<unknown, [typeof Foo]>) {
    return { foo }
  }
  helper(_values: { some: string }) {}
}

// A decorator that a route reads must be added or required; an Optional one need not.
Plugin({ decorateRequest: [Answer], routes: [ReadsAnswer] })
Plugin({ requires: [Answer], routes: [ReadsAnswer] })
Plugin({ decorateRequest: { answer: 1 }, routes: [ReadsAnswer] })
// @ts-expect-error `answer` is neither added nor required
Plugin({ decorateRequest: [Foo], routes: [ReadsAnswer] })
// @ts-expect-error the controller's method reads `foo`
Plugin({ requires: [Answer], routes: [ReadsAnswer, ReadsFoo] })
// What an imported plugin function says that it adds counts.
Plugin({ imports: [use(async (_instance: Server) => {}, {}, { decorates: [Answer] })], routes: [ReadsAnswer] })
// @ts-expect-error what it does not say does not
Plugin({ imports: [use(async (_instance: Server) => {})], routes: [ReadsAnswer] })

// Hooks in options know their parameters.
Plugin({ hooks: { onRequest: async (request, reply) => void reply.header('x-id', request.id) } })
// The hooks of a request may be classes.
class Guard {
  onRequest() {}
}
Plugin({ hooks: { onRequest: Guard } })
Plugin({ hooks: { onRequest: [async () => {}, Guard] } })
// @ts-expect-error the class has no such method
Plugin({ hooks: { preHandler: Guard } })
// @ts-expect-error an application hook is a function
Plugin({ hooks: { onReady: Guard } })
// @ts-expect-error there is no such hook
Plugin({ hooks: { onRequests: async () => {} } })

// Error handlers, not-found handlers, formatters and parsers are functions, whose parameters are known, or classes.
class ApiErrors {
  errorHandler(error: Error, _request: RouteRequest<unknown, [typeof Answer]>, reply: Reply) {
    return reply.code(500).send(error.message)
  }
}
class NotFound {
  notFoundHandler({ foo }: RouteRequest<unknown, [typeof Foo]>) {
    return foo
  }
}
class Csv {
  parse(_request: RouteRequest<unknown, [typeof Answer]>, text: string) {
    return text.split(',')
  }
}
class Issues implements InjectedSchemaErrorFormatter {
  schemaErrorFormatter([first]: SchemaErrorDetail[], part: HttpPart) {
    return new Error(`${part}: ${first?.message}`)
  }
}
class RouteErrors {
  errorHandler(error: HttpError, { body }: RouteRequest<{ body: { name: { type: 'string' } } }>, reply: Reply) {
    return reply.code(error.statusCode).send(body)
  }
}
const csv = { type: 'text/csv', parseAs: 'string', parse: Csv } as const
Plugin({
  decorateRequest: [Answer, Foo],
  errorHandler: ApiErrors,
  notFoundHandler: NotFound,
  schemaErrorFormatter: Issues,
  contentTypeParsers: [csv],
})
Plugin({
  errorHandler: (error, request, reply) => reply.code(500).send(`${request.id} ${error.message}`),
  notFoundHandler: (request, reply) => reply.code(404).send(request.url),
  schemaErrorFormatter: ([first], part) => new Error(`${part}: ${first?.message}`),
  contentTypeParsers: [{ type: 'text/csv', parse: (_request, _stream, done) => done(null) }],
})
Get({ errorHandler: RouteErrors, schemaErrorFormatter: Issues })
Controller('/', { errorHandler: RouteErrors, schemaErrorFormatter: Issues })
// @ts-expect-error `answer` is neither added nor required
Plugin({ errorHandler: ApiErrors })
// @ts-expect-error `foo` is neither added nor required
Plugin({ requires: [Answer], errorHandler: ApiErrors, notFoundHandler: NotFound })
// @ts-expect-error `answer` is neither added nor required
Plugin({ contentTypeParsers: [csv] })
// @ts-expect-error the class has no such method
Plugin({ errorHandler: Issues })
// @ts-expect-error the class has no such method
Plugin({ notFoundHandler: ApiErrors })
// @ts-expect-error the class has no such method
Plugin({ schemaErrorFormatter: ApiErrors })
// @ts-expect-error the class has no such method
Plugin({ contentTypeParsers: [{ type: 'text/csv', parse: Issues }] })
// @ts-expect-error the class has no such method
Get({ errorHandler: Issues })
// @ts-expect-error the class has no such method
Controller('/', { schemaErrorFormatter: ApiErrors })
class Misordered implements InjectedErrorHandler {
  // @ts-expect-error the reply is the third parameter
  errorHandler(_error: Error, _reply: Reply, _request: Request) {}
}
// @ts-expect-error the reply is the third parameter
Plugin({ errorHandler: Misordered })
Plugin({
  // @ts-expect-error the error is needed at once
  schemaErrorFormatter: class {
    async schemaErrorFormatter() {
      return new Error('later')
    }
  },
})
Plugin({
  // @ts-expect-error an instance is not a class
  errorHandler: new ApiErrors(),
})

// An option that does not exist is refused, also beside right ones.
// @ts-expect-error
Plugin({ routes: [], hook: { onRequest: async () => {} } })
// @ts-expect-error
Plugin({ controllers: [], providers: [] })
// @ts-expect-error
use(async (_instance: Server) => {}, {}, { decorate: [Answer] })
// @ts-expect-error
Route({ method: 'GET', url: '/' })
// @ts-expect-error
Get({ path: '/', statusCode: 201 })

// Options reach a plugin class typed.
@Plugin({ providers: [] })
class Tables {
  setup(_instance: Server, _options: { table: string }) {}
}
@Plugin()
class Plain {}

use(Tables, { table: 'users' })
use(Tables, { table: 'users', prefix: '/users' })
use(Plain)
use(Plain, { prefix: '/plain' })
shared(use(Plain))
// @ts-expect-error the option is a string
use(Tables, { table: 1 })
// @ts-expect-error the option is missing
use(Tables)
const sized = async (_instance: Server, _options: { size: number }) => {}
// @ts-expect-error the function takes no such option
use(sized, { sise: 1 })
// Options made of providers are those of the function, of what the tokens stand for.
const SIZE = token<number>('SIZE')
use(
  sized,
  optionsFrom([SIZE], (size) => ({ size: size + 1 })),
)
use(
  sized,
  // @ts-expect-error the option is a number
  optionsFrom([SIZE], (size) => ({ size: String(size) })),
)
// The same for a plugin class, but for the prefix: the paths of its routes must be known before.
use(
  Tables,
  optionsFrom([SIZE], async (size) => ({ table: String(size) })),
)
use(
  Tables,
  // @ts-expect-error the option is a string
  optionsFrom([SIZE], (table) => ({ table })),
)
use(
  Tables,
  // @ts-expect-error the prefix cannot be computed
  optionsFrom([SIZE], (size) => ({ table: String(size), prefix: '/tables' })),
)
use(
  Tables,
  optionsFrom([SIZE], (size) => ({ table: String(size) }), { prefix: '/tables' }),
)
use(
  Tables,
  // @ts-expect-error there is no such option
  optionsFrom([SIZE], (size) => ({ table: String(size) }), { prefx: '/tables' }),
)

// The same programmatically: a function written in place knows its parameters.
const server = createServer()
server.register(async (instance) => void instance.get('/', (request) => request.id))
server.register(async (instance, options) => void instance.decorate('size', options.size.toFixed()), { size: 1 })
server.register(
  (instance, options, done) => {
    instance.decorate('size', options.size.toFixed())
    done()
  },
  { size: 1, prefix: '/sized' },
)
// @ts-expect-error the option is a number
server.register(async (_instance: Server, _options: { size: number }) => {}, { size: 'large' })
// Of a plugin whose types are not known, any options are taken.
declare const untyped: (...parameters: unknown[]) => any
server.register(untyped, { size: 1 })
// A function in the call has a Server and the options of the call; so has a function of the parent that makes the options.
server.register(
  async (instance, options) => {
    const at: Server = instance
    // @ts-expect-error no such option
    at.decorate('size', options.sise)
  },
  (parent) => ({ size: parent.prefix.length }),
)
// @ts-expect-error no such option
server.register(async (_instance: Server, _options: { size: number }) => {}, { sise: 1 })
// @ts-expect-error the option is missing
server.register(async (_instance: Server, _options: { size: number }) => {})
server.register(async (_instance: Server, _options: { size?: number }) => {})
server.register(async (_instance: Server, _options: { size?: number }) => {}, { prefix: '/sized' })
// The linters know that the result need not be awaited, and it is a server and a promise.
server.register(async () => {}).register(async () => {})
const registered: PromiseLike<undefined> & { __linterBrands: 'SafePromiseLike' } = server.register(async () => {})
export const registering = async () => await registered

// Plugins that were typed for another server, with their options: functions, modules, and promises of both.
interface OtherServer {
  unlike(this: OtherServer): void
}
interface Size {
  size: number
}
declare const other: (instance: OtherServer, options: Size, done: (error?: Error) => void) => void
declare const otherAsync: (instance: OtherServer, options: { size?: number }) => Promise<void>
declare const bare: (instance: OtherServer) => Promise<void>
server.register(other, { size: 1, prefix: '/sized' })
server.register(other, (parent) => ({ size: parent.prefix.length }))
server.register(otherAsync)
server.register(otherAsync, { size: 1, logLevel: 'warn' })
server.register(bare)
server.register(bare, { prefix: '/bare' })
server.register({ default: other }, { size: 1 })
server.register(Promise.resolve(other), { size: 1 })
server.register(Promise.resolve({ default: other }), { size: 1 })
// @ts-expect-error the option is missing
server.register(other)
// @ts-expect-error the option is a number
server.register(other, { size: 'large' })
// @ts-expect-error no such option
server.register(otherAsync, { sise: 1 })
// @ts-expect-error the option is missing
server.register(Promise.resolve({ default: other }))
// @ts-expect-error the option is a number
server.register({ default: other }, { size: 'large' })
// @ts-expect-error the options of the parent's function are checked, too
server.register(other, () => ({ size: 'large' }))
// @ts-expect-error not a plugin
server.register('other', {})

// What static inject lists is held against the constructor.
class Clock {
  now(): number {
    return 0
  }
}
const NAME = token<string>('NAME')
class Fits {
  static readonly inject = [Clock, NAME, optional(Clock)] as const
  constructor(_clock: Clock, _name: string, _other?: Clock) {}
}
class Swapped {
  static readonly inject = [NAME, Clock] as const
  constructor(_clock: Clock, _name: string) {}
}
class TooFew {
  static readonly inject = [Clock] as const
  constructor(_clock: Clock, _name: string) {}
}
class Unlisted {
  static readonly inject: unknown[] = []
}
Plugin({ providers: [Clock, { provide: NAME, useValue: 'x' }, Fits, Unlisted] })
// @ts-expect-error the tokens are in another order than the arguments
Plugin({ providers: [Swapped] })
// @ts-expect-error an argument has no token
Plugin({ providers: [{ provide: Clock, useClass: TooFew }] })

// The options of a plugin, typed where a provider takes them.
class Table {
  static readonly inject = [pluginOptions<{ table: string }>()] as const
  constructor(_options: { table: string }) {}
}
class WrongTable {
  static readonly inject = [pluginOptions<{ table: string }>()] as const
  constructor(_options: { table: number }) {}
}
Plugin({ providers: [Table] })
// @ts-expect-error the plugin gives a string
Plugin({ providers: [WrongTable] })

// A hook class that can refuse a request returns no boolean: `false` would let it pass.
class ReturnsBoolean {
  preHandler(request: Request) {
    return request.headers['x-key'] !== undefined
  }
}
class ReturnsPromiseOfBoolean {
  async preHandler(request: Request) {
    return Promise.resolve(request.headers['x-key'] !== undefined)
  }
}
class ReturnsNothing {
  async preHandler(request: Request, reply: Reply) {
    if (request.headers['x-key'] === undefined) return reply.code(401).send()
    return undefined
  }
}
class ReturnsPayload {
  preSerialization() {
    return false
  }
}
Hook('preHandler', ReturnsNothing)
Hook('preSerialization', ReturnsPayload)
// @ts-expect-error: boolean
Hook('preHandler', ReturnsBoolean)
// @ts-expect-error: a promise of boolean
Hook('preHandler', ReturnsPromiseOfBoolean)
Plugin({ hooks: { preHandler: [ReturnsNothing], preSerialization: ReturnsPayload } })
// @ts-expect-error: boolean
Plugin({ hooks: { preHandler: ReturnsBoolean } })

// A plugin whose setup needs options is imported with them.
@Plugin()
class Optionally {
  setup(_instance: Server, _options: { table?: string }) {}
}
Plugin({ imports: [Plain, Optionally, use(Tables, { table: 'users' }), shared(use(Tables, { table: 'users' })), shared(Plain)] })
// @ts-expect-error the table is missing
Plugin({ imports: [Plain, Tables] })
// @ts-expect-error the same if it is shared
shared(Tables)

// A hook may read the request decorators that the routes of its plugin may read.
class ReadsFooFirst {
  preHandler({ foo }: RouteRequest<unknown, [typeof Foo]>) {
    if (foo === '') throw new Error(foo)
  }
}
const readsFoo = async ({ foo }: RouteRequest<unknown, [typeof Foo]>) => void foo
class ReadsAnything {
  onRequest(request: any) {
    void request.foo
  }
}
Plugin({ decorateRequest: [Foo], hooks: { preHandler: ReadsFooFirst, onRequest: [ReadsAnything] } })
Plugin({ requires: [Foo], hooks: { preHandler: [readsFoo, ReadsFooFirst] } })
// @ts-expect-error `foo` is neither added nor required
Plugin({ requires: [Answer], hooks: { preHandler: ReadsFooFirst } })
// @ts-expect-error the same in a list
Plugin({ hooks: { onRequest: async () => {}, preHandler: [ReadsFooFirst] } })

class Surrounds {
  around(_request: Request, next: Next<string>) {
    return next().then((result) => ({ result }))
  }
}
Hook('around', Surrounds)
Hook('around', (_request, next) => next())
Plugin({ hooks: { around: [Surrounds, async (_request, next) => next()] } })
// @ts-expect-error: a class without the method
Hook('around', ReturnsNothing)

// A hook says which request decorators it requires: the boot checks that the routes with it see them.
class RequiresFoo {
  static readonly requires = [Foo, Answer] as const
  preHandler({ foo }: RouteRequest<unknown, [typeof Foo, Optional<typeof Answer>]>) {
    void foo
  }
}
class RequiresOther {
  static readonly requires = [Answer] as const
  preHandler({ foo, answer }: RouteRequest<unknown, [typeof Foo, typeof Answer]>) {
    return [foo, answer]
  }
}
Hook('preHandler', RequiresFoo)
Hook('onRequest', ReadsAnything)
Hook('preHandler', async (request, reply) => void reply.header('x-id', request.id))
// @ts-expect-error `foo` is not required
Hook('preHandler', ReadsFooFirst)
// @ts-expect-error the same beside one that is required
Hook('preHandler', RequiresOther)
// @ts-expect-error the same for a function
Hook('preHandler', readsFoo)
// @ts-expect-error the same for a hook that surrounds the handler
Hook('around', ({ foo }: RouteRequest<unknown, [typeof Foo]>, next) => foo && next())

// What static inject of a hook class lists is held against its constructor, wherever the hook is named.
class SwappedHook {
  static readonly inject = [NAME, Clock] as const
  constructor(_clock: Clock, _name: string) {}
  onRequest() {}
}
// @ts-expect-error the tokens are in another order than the arguments
Hook('onRequest', SwappedHook)
// @ts-expect-error the same in a plugin
Plugin({ hooks: { onRequest: SwappedHook } })
// @ts-expect-error the same in a list
Plugin({ hooks: { onRequest: [ReadsAnything, SwappedHook] } })

// A method of a plugin that is a hook may read what its plugin adds or requires.
@Plugin({ decorateRequest: [Foo] })
class SetsFoo {
  @Hook('onRequest')
  set(request: RouteRequest<unknown, [typeof Foo]>) {
    request.foo = 'set'
  }
}
// @ts-expect-error `foo` is neither added nor required
@Plugin({ requires: [Answer] })
class ReadsFooUnasked {
  @Hook('onRequest')
  read({ foo, answer }: RouteRequest<unknown, [typeof Foo, typeof Answer]>) {
    return [foo, answer]
  }
}
void [SetsFoo, ReadsFooUnasked]

// What pluginOptions stands for is what setup takes.
class HookOptions {
  static readonly inject = [pluginOptions<{ table: string }>()] as const
  constructor(_options: { table: string }) {}
  onRequest() {}
}
class Repo {
  static readonly inject = [optional(pluginOptions<{ table: string }>())] as const
  constructor(_options?: { table: string }) {}
}
@Plugin({ providers: [Table, Repo, factory(NAME, [pluginOptions<{ table: string }>()], ({ table }) => table)] })
class Fitting {
  static readonly inject = [pluginOptions<{ size: number }>()] as const
  constructor(_options: { size: number }) {}
  setup(_instance: Server, _options: { table: string; size: number }) {}
}
// @ts-expect-error the table is a number
@Plugin({ providers: [Table] })
class OtherOptions {
  setup(_instance: Server, _options: { table: number }) {}
}
// @ts-expect-error the same for an optional dependency
@Plugin({ providers: [Repo] })
class OptionalOptions {
  setup(_instance: Server, _options: { table?: string }) {}
}
// @ts-expect-error the same for a factory
@Plugin({ providers: [{ provide: NAME, useFactory: () => '', inject: [pluginOptions<{ table: string }>()] }] })
class FactoryOptions {
  setup(_instance: Server, _options: { table: number }) {}
}
// @ts-expect-error the same for a hook
@Plugin({ hooks: { onRequest: HookOptions } })
class OptionsOfHook {
  setup(_instance: Server, _options: { table: number }) {}
}
// @ts-expect-error the same for the plugin itself
@Plugin()
class OwnOptions {
  static readonly inject = [pluginOptions<{ size: number }>()] as const
  constructor(_options: { size: number }) {}
  setup(_instance: Server, _options: { size: string }) {}
}
// @ts-expect-error nothing says which options the plugin takes
@Plugin({ providers: [Table] })
class UnknownOptions {}
void [Fitting, OtherOptions, OptionalOptions, FactoryOptions, OptionsOfHook, OwnOptions, UnknownOptions]

// Access rules name hooks that run before handlers.
class RunsBefore {
  constructor(readonly key: string) {}
  onRequest() {}
}
class RunsAfter {
  onSend() {}
}
@Plugin({
  access: [
    rule
      .routes('/**', RunsBefore)
      .except('/open')
      .run(RunsBefore, () => undefined),
    rule.every(({ limits }) => limits.bodyLimit !== undefined || 'it reads a body without a limit'),
    rule.public({ exactly: ['/open', RunsBefore] }),
    rule.neverSees(NAME, RunsBefore),
  ],
})
class Ruled {}
// @ts-expect-error this hook runs after the handler
rule.routes('/**').run(RunsAfter)
// @ts-expect-error a rule names at least one hook
rule.routes('/**').run()
// @ts-expect-error a rule names at least one route
rule.routes()
// @ts-expect-error a function without a result proves nothing
rule.every(() => {})
// @ts-expect-error a promise is not a result
rule.every(async () => true)
// @ts-expect-error the list is written, also if it is empty
rule.public({})
// @ts-expect-error a choice of routes is not yet a rule
Plugin({ access: [rule.routes('/**')] })
// @ts-expect-error a test checks rules, and is not one
Plugin({ access: [access(Ruled).every(() => true)] })
