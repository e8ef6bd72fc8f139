import 'reflect-metadata'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Ambient,
  ambient,
  bootstrap,
  check,
  type Class,
  Config,
  Controller,
  Delete,
  type Fault,
  Get,
  Hook,
  hookNames,
  Injectable,
  Plugin,
  Post,
  requestDecorator,
  ResolutionError,
  Route,
  type RouteSchema,
  Schema,
  stream,
  testServer,
  token,
  shared,
  use,
  WiringError,
  Without,
} from 'alcove'
import { Idempotent, IdempotencyPlugin, MemoryStore } from 'alcove/idempotency'
import fastifyPlugin from 'fastify-plugin'
import { type FaultCode, faults } from '../../../decorators/wiring/faults.js'
import { faultsOfEachKind } from '../../fixtures/fault-samples.js'

/** Every class of the faulty applications counts itself here when it is constructed. */
let constructed = 0
class Counted {
  constructor() {
    constructed++
  }
}

const Foo = requestDecorator('foo', 'foo')
const Visitor = requestDecorator('visitor').as<string>()
class SetVisitor {
  static readonly sets = [Visitor] as const
  onRequest() {}
}
class ReadVisitor {
  static readonly requires = [Visitor] as const
  onSend() {}
}
@Without(Visitor)
@Route({ method: 'GET', path: '/open' })
class OpenRoute {
  handle() {}
}
const CLOCK = token<() => number>('CLOCK')
class Plain {}

// Classes that hold together what they must not.
class Repo extends Counted {}
@Plugin({ providers: [Repo] })
class UsersPlugin extends Counted {}

@Route({ method: 'GET', path: '/invoice' })
class InvoiceRoute extends Counted {
  constructor(readonly repo: Repo) {
    super()
  }
  handle(): void {}
}
@Plugin({ routes: [InvoiceRoute] })
class BillingPlugin extends Counted {}

class ChickenEgg extends Counted {
  static readonly inject: readonly unknown[] = ['egg']
  constructor(readonly egg: unknown) {
    super()
  }
}
class Egg extends Counted {
  static readonly inject = [ChickenEgg] as const
  constructor(readonly chicken: ChickenEgg) {
    super()
  }
}

@Injectable({ scope: 'request' })
class Tx extends Counted {}
@Injectable()
class Cache extends Counted {
  constructor(readonly tx: Tx) {
    super()
  }
}

class Db {}
@Injectable()
class Handle extends Counted {
  static readonly inject = [ambient(Db)] as const
  constructor(readonly db: Ambient<Db>) {
    super()
  }
}

class Bare extends Counted {
  constructor(readonly plain: Plain) {
    super()
  }
}
class BareTwo extends Counted {
  constructor(
    readonly one: Plain,
    readonly two: Plain,
  ) {
    super()
  }
}
@Injectable()
class AsksText extends Counted {
  constructor(
    readonly plain: Plain,
    readonly text: string,
  ) {
    super()
  }
}
interface Shape {
  side: number
}
@Injectable()
class AsksShape extends Counted {
  constructor(readonly shape: Shape) {
    super()
  }
}
class TooEarly extends Counted {
  constructor(readonly later: unknown) {
    super()
  }
}
// What the compiler emits for a class that is still undefined in a circle of imports.
Reflect.defineMetadata('design:paramtypes', [undefined], TooEarly)
class ShortList extends Counted {
  static readonly inject = [Plain] as const
  constructor(
    readonly one: Plain,
    readonly two: Plain,
  ) {
    super()
  }
}

class IdleGuard {
  async preHandler() {}
}
@Route({ method: 'GET', path: '/fine' })
class Fine {
  handle() {}
}
class Silent extends Counted {}
Route({ method: 'GET', path: '/' })(Silent as never)
@Controller('/sessions')
class Sessions {
  @Delete() dispose(): void {}
}

@Controller('/lifecycle')
class Lifecycle {
  @Get('/a') onReady(): void {}
  @Get('/b') onListen(): void {}
  @Get('/c') onClose(): void {}
  @Get('/d') dispose(): void {}
  @Get('/e') [Symbol.dispose](): void {}
  @Get('/f') [Symbol.asyncDispose](): void {}
}

@Injectable({ scope: 'request' })
@Controller('/lifecycle-of-requests')
class LifecycleOfRequests {
  @Get() onRequestEnd(): void {}
}

@Controller('/idle')
class Idle extends Counted {}
class Guard extends Counted {}
@Route({ method: 'GET', path: '/guarded' })
@Hook('preHandler', Guard as never)
class Guarded extends Counted {
  handle(): void {}
}
@Route({ method: 'POST', path: '/kept' }, { response: { 200: stream({ type: 'object' }) } } as const)
@Idempotent()
class Kept extends Counted {
  async *handle() {
    yield {}
  }
}
@Route({ method: 'GET', path: '/hooked' })
@Hook('preHandlr' as never, (() => {}) as never)
class Hooked extends Counted {
  handle(): void {}
}
@Route({ method: 'GET', path: '/referring' })
@Schema({ response: { 200: { $ref: 'model#' } } } as const)
class Referring extends Counted {
  handle(): void {}
}
@Schema({ type: 'object' } as never)
class NoId extends Counted {}
@Controller('/things')
class Things extends Counted {
  @Get('/:id')
  @Schema({ body: { type: 'object' } } as const)
  one(): void {}
}
@Controller('/things')
class OtherThings extends Counted {
  @Post()
  add(): void {}
  @Get('/:name')
  one(): void {}
}
@Controller('/at')
class Hours {
  @Get('/:hour(^\\d+$)')
  one(): void {}
}
@Controller('/at')
class OtherHours {
  @Get('/:name(^(?:noon|midnight)$)')
  one(): void {}
}
@Controller('/things')
class SoundThings extends Counted {
  @Get('/:id')
  one(): void {}
}

/** A plugin class, named App unless it says otherwise. */
function app(options: Parameters<typeof Plugin>[0], name = 'App'): Class {
  const Made = Object.defineProperty(class extends Counted {}, 'name', { value: name })
  Plugin(options)(Made)
  return Made
}

const circleImports: Class[] = []
const CircleA = app({ imports: circleImports }, 'A')
const CircleB = app({ imports: [CircleA] }, 'B')
circleImports.push(CircleB)

@Route({ method: 'GET', path: '/' })
class HookedHandle extends Counted {
  @Hook('onRequest')
  handle(): void {}
}
@Route({ method: 'GET', path: '/' })
class UndeclaredHook extends Counted {
  @Hook('onRequest', undefined as never)
  handle(): void {}
}
class PluginWithRouteHooks extends Counted {
  @Hook('preHandler', () => {})
  method(): void {}
}
Plugin({ name: 'App' })(PluginWithRouteHooks)
Hook('onRequest', () => {})(PluginWithRouteHooks)

class MethodHooked extends Counted {
  @Hook('onRequst' as never)
  log(): void {}
}
Plugin({ name: 'App' })(MethodHooked)

@Plugin({ routes: [SoundThings] })
class ThingsPlugin {}

@Controller('/parts')
class WrongParts extends Counted {
  @Get()
  @Schema<RouteSchema>({ parms: {}, body: undefined })
  all(): void {}
}
@Controller('/streams')
class MisplacedStreams extends Counted {
  @Get()
  @Schema<RouteSchema>({ params: stream({ type: 'object' }), response: { 404: stream({ type: 'object' }) } })
  all(): void {}
}
@Controller('/content')
class WrongContent extends Counted {
  @Get()
  @Schema<RouteSchema>({
    response: { 200: { content: { 'text/plain': { schema: { type: 'string' } }, 'application/*+json': { schema: { type: 'object' } } } } },
  })
  all(): void {}
}
class WrongPrefix extends Counted {
  @Get()
  all(): void {}
}
Controller({ path: '/wrong' } as never)(WrongPrefix)

@Controller('/replies')
class WrongStatus extends Counted {
  @Post({ path: '/', status: 1000 })
  add(): void {}
}
@Controller('/replies')
class WrongParams extends Counted {
  @Get('/:id')
  @Schema({ params: { type: 'object', required: ['id', 'page'] } } as const)
  one(): void {}
}
async function adding(): Promise<void> {}
@Plugin({ name: 'JwtPlugin' })
class JwtPlugin extends Counted {}

@Controller('/undefined')
class UndefinedSchema extends Counted {
  @Get()
  @Schema(undefined as RouteSchema | undefined as RouteSchema)
  all(): void {}
}
@Injectable({ scope: 'singleton' as never })
class UnknownScope extends Counted {}
@Controller('/twice')
@Hook('onReady' as 'onRequest', () => {})
class WrongDecorators extends Counted {
  @Get()
  all(): void {}
}
@Controller('/once')
class Repeated extends Counted {
  @Get()
  @Get('/again')
  all(): void {}
}
@Config({ roles: ['admin'] })
@Plugin({ name: 'App' })
class Unread extends Counted {}

const knownHooks = `Hooks are: ${hookNames.join(', ')}, around.`

const cases: { code: FaultCode; title: string; app: Class; text: string }[] = [
  {
    code: 'APPLICATION_NOT_A_PLUGIN',
    title: 'an application without @Plugin',
    app: Plain,
    text: 'Plain is not a plugin, so it cannot be the application. Write @Plugin({ … }) above the class.',
  },
  {
    code: 'NOT_A_PLUGIN',
    title: 'a class without @Plugin in imports',
    app: app({ imports: [app({ imports: [Plain] }, 'Middle')] }),
    text: 'App > Middle imports Plain, which is not a plugin. Write @Plugin({ … }) above the class, or import a plugin function with use(Plain).',
  },
  {
    code: 'NOT_A_PLUGIN',
    title: 'use() of a class without @Plugin',
    app: app({ imports: [use(Plain)] }),
    text: 'App imports Plain, which is not a plugin. Write @Plugin({ … }) above the class, or import a plugin function with use(Plain).',
  },
  {
    code: 'UNKNOWN_OPTION',
    title: 'an option that @Plugin does not have',
    app: app({ imports: [app({ controllers: [] } as never, 'Api')] }),
    text: "App > Api: @Plugin has no option 'controllers'. Write routes: [ … ].",
  },
  {
    code: 'CONTROLLER_PREFIX_INVALID',
    title: 'options in the place of the prefix of a controller',
    app: app({ routes: [WrongPrefix] }),
    text: "App > WrongPrefix has @Controller with a prefix that is not a string. Write @Controller('/users'), with options for all its routes as the second argument: @Controller('/users', { … }). Those of one route stand in @Get(), @Post() ….",
  },
  {
    code: 'UNKNOWN_SCOPE',
    title: 'a scope that does not exist',
    app: app({ providers: [UnknownScope] }),
    text: "App > UnknownScope has the scope 'singleton', which does not exist. Scopes are: context, request, transient.",
  },
  {
    code: 'CLASS_WITHOUT_NAME',
    title: 'a route class without a name',
    app: app({
      routes: [
        Route({ method: 'GET', path: '/now' })(
          class {
            handle() {}
          },
        ),
      ],
    }),
    text: 'App lists a route (GET /now) without a name, so that errors could not say which class they are about. Declare it with a name: class GetUser { … }. A class that is an argument has only the name after the word class, which a minifier drops unless it is told to keep names.',
  },
  {
    code: 'DECORATOR_UNREAD',
    title: 'a decorator that has no effect where it stands',
    app: Unread,
    text: 'App has @Config, which has no effect there: the class is a plugin. It stands above a route, a controller or a method with @Get(), @Post() ….',
  },
  {
    code: 'DECORATOR_UNDEFINED',
    title: 'schemas that are undefined',
    app: app({ routes: [UndefinedSchema] }),
    text: 'App > UndefinedSchema.all has @Schema or @Get(path, schema) with undefined, often because of a circle of imports. Declare what it names before the class.',
  },
  {
    code: 'DECORATOR_REPEATED',
    title: 'a method with two routes',
    app: app({ routes: [Repeated] }),
    text: "App > Repeated.all has @Get, @Post … or @Action more than once, but only one counts. For several HTTP methods write @Action(['GET', 'POST'], path); for another path write another method.",
  },
  {
    code: 'HOOK_OF_APPLICATION',
    title: 'a hook of the application on a route',
    app: app({ routes: [WrongDecorators] }),
    text: "App > WrongDecorators.all has @Hook('onReady', …), but onReady is a hook of the application, not of requests. In a plugin class write @Hook('onReady') on a method, or list the function in hooks: { onReady: … }.",
  },
  {
    code: 'HOOK_CLASS_IDLE',
    title: 'a guard that is only provided',
    app: app({ providers: [IdleGuard], routes: [Fine] }),
    text: "App provides IdleGuard, which has the hook preHandler, but nothing lists it as a hook or injects it: the hook never runs. List it in hooks: { preHandler: IdleGuard }, or above a route: @Hook('preHandler', IdleGuard). If only server.resolve finds it, provide it by useFactory.",
  },
  {
    code: 'CONTEXT_WITHOUT_ROUTES',
    title: 'a plugin whose guard is thought to cover the importing one',
    app: app({ imports: [app({ hooks: { preHandler: IdleGuard } }, 'Auth')], routes: [Fine] }),
    text: 'App > Auth declares preHandler in its own context, but no route is in or below it: no request ever meets them. Import it with shared(Auth), so that it declares in App, or declare them there. If code adds its routes, add them in setup.',
  },
  {
    code: 'STATUS_INVALID',
    title: 'a status that replies do not have',
    app: app({ routes: [WrongStatus] }),
    text: 'App > WrongStatus.add has the status 1000, but a reply has a whole number from 200 to 599. Correct it, or leave it out for 200.',
  },
  {
    code: 'PARAMETER_NOT_IN_PATH',
    title: 'a required parameter that the path does not have',
    app: app({ routes: [WrongParams] }),
    text: "App > WrongParams.one requires 'page' in the schema of params, but its path /replies/:id has no such parameter: every request would get 400. Write it in the path (:page) or in a prefix, or leave it out of required.",
  },
  {
    code: 'DECORATES_NOT_SHARED',
    title: 'request decorators listed for a plugin function that declares in a context of its own',
    app: app({ imports: [use(adding, {}, { decorates: [Foo] })] }),
    text: "App lists request decorators in use(adding, …), by decorates or sets, but this plugin function declares in a context of its own: routes of App would not see 'foo'. Write shared(use(adding, …)), or wrap the function with fastify-plugin.",
  },
  {
    code: 'DECORATES_OF_CLASS',
    title: 'request decorators listed for a plugin class',
    app: app({ imports: [use(JwtPlugin, {}, { decorates: [Foo] })] }),
    text: 'App lists request decorators in use(JwtPlugin, …), by decorates or sets, which are for plugin functions. Import the class with shared(…): routes of App then see its request decorators.',
  },
  {
    code: 'IMPORT_CIRCLE',
    title: 'plugins that import each other',
    app: app({ imports: [CircleA] }),
    text: 'A imports itself: A > B > A. Move what both need into a plugin that each of them imports.',
  },
  {
    code: 'NOT_A_ROUTE',
    title: 'a plain class in routes',
    app: app({ routes: [Plain] }),
    text: 'App lists Plain among its routes, but it is neither a route nor a controller. Write @Route({ method, path }) above a class with handle(), or @Controller() above one with @Get() methods.',
  },
  {
    code: 'NOT_A_ROUTE',
    title: 'an undefined entry in routes',
    app: app({ routes: [undefined as never] }),
    text: 'App lists undefined (a class used before its declaration, or a circle of imports) among its routes, but it is neither a route nor a controller. Write @Route({ method, path }) above a class with handle(), or @Controller() above one with @Get() methods.',
  },
  {
    code: 'ROUTE_WITHOUT_HANDLE',
    title: 'a route class without handle',
    app: app({ routes: [Silent] }),
    text: 'App > Silent has no method handle(request, reply). A class with @Route answers its requests there.',
  },
  {
    code: 'ROUTE_NAMED_AS_LIFECYCLE',
    title: 'a route whose method alcove would call when the instance ends',
    app: app({ routes: [Sessions] }),
    text: 'App > Sessions.dispose is a route, but alcove itself calls a method dispose() when the instance ends, without guards. Give the method another name.',
  },
  {
    code: 'CONTROLLER_WITHOUT_ROUTES',
    title: 'a controller without routes',
    app: app({ routes: [Idle] }),
    text: 'App > Idle is a controller without routes. Write @Get(), @Post() … above its methods.',
  },
  {
    code: 'UNKNOWN_HOOK',
    title: 'an unknown hook in the option hooks',
    app: app({ hooks: { onRequst: () => {} } as never }),
    text: `App names the hook 'onRequst', which does not exist. ${knownHooks}`,
  },
  {
    code: 'UNKNOWN_HOOK',
    title: 'an unknown hook on a method of a plugin',
    app: MethodHooked,
    text: `App names the hook 'onRequst', which does not exist. ${knownHooks}`,
  },
  {
    code: 'UNKNOWN_HOOK',
    title: 'an unknown hook on a route',
    app: app({ routes: [Hooked] }),
    text: `App > Hooked names the hook 'preHandlr', which does not exist. ${knownHooks}`,
  },
  {
    code: 'HOOK_CLASS_WITHOUT_METHOD',
    title: 'a hook class without the method of the hook',
    app: app({ routes: [Guarded] }),
    text: 'App > Guarded runs Guard as preHandler hook, but the class has no method preHandler(request, reply). Name the method after the hook.',
  },
  {
    code: 'HOOK_UNFIT',
    title: 'a route with a streamed reply that should be kept',
    app: app({ imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone' })], routes: [Kept] }),
    text: 'App > Kept has a streamed reply, which @Idempotent cannot keep. Leave @Idempotent out, or answer with one payload.',
  },
  {
    code: 'DECORATOR_UNDEFINED',
    title: 'a hook of a route whose class is not declared yet',
    app: app({ routes: [UndeclaredHook] }),
    text: "App > UndeclaredHook has @Hook('onRequest', …) with undefined, often because of a circle of imports. Declare what it names before the class.",
  },
  {
    code: 'HOOK_WITHOUT_FUNCTION',
    title: 'a hook of a route that names nothing to run',
    app: app({ routes: [HookedHandle] }),
    text: "App > HookedHandle has @Hook('onRequest') without a function. Write the function or class to run: @Hook('onRequest', …). Only in a plugin class does @Hook turn the method itself into a hook.",
  },
  {
    code: 'SCHEMA_WITHOUT_ID',
    title: 'a shared schema without $id',
    app: app({ schemas: [NoId] }),
    text: "App lists NoId among its schemas, but it has no $id. Write class NoId extends Model({ $id: 'NoId', … }), or @Schema({ $id: 'NoId', … }) above the class.",
  },
  {
    code: 'SCHEMA_NOT_VISIBLE',
    title: 'a reference to a shared schema of a sibling',
    app: app({ imports: [app({ schemas: [{ $id: 'model', type: 'object' }] }, 'Models'), app({ routes: [Referring] }, 'Api')] }),
    text: "App > Api > Referring refers to the schema 'model', which is not visible there. It is declared in App > Models. Declare it in an ancestor, or share that plugin: write imports: [shared(Models)] in App.",
  },
  {
    code: 'BODY_SCHEMA_ON_BODYLESS_METHOD',
    title: 'a body schema on GET',
    app: app({ routes: [Things] }),
    text: 'App > Things.one has a body schema, but bodies of GET requests are not validated. Use POST, PUT or PATCH, or leave out the schema.',
  },
  {
    code: 'DUPLICATE_ROUTE',
    title: 'the same method and path twice, whatever the parameter is called',
    app: app({ routes: [SoundThings], imports: [app({ routes: [OtherThings] }, 'Other')] }),
    text: 'GET /things/:name is declared twice: by App > SoundThings.one and by App > Other > OtherThings.one. Give one of them another path, or constraints.',
  },
  {
    code: 'DUPLICATE_ROUTE',
    title: 'the same method and path twice, whatever the expression of the parameter is',
    app: app({ routes: [Hours, OtherHours] }),
    text: 'GET /at/:name(^(?:noon|midnight)$) is declared twice: by App > Hours.one and by App > OtherHours.one. Give one of them another path, or constraints.',
  },
  {
    code: 'PLUGIN_IMPORTED_TWICE',
    title: 'a plugin with routes that two plugins import',
    app: app({ imports: [app({ imports: [ThingsPlugin] }, 'A'), app({ imports: [ThingsPlugin] }, 'B')] }),
    text: 'App > A and App > B each import ThingsPlugin: it has two instances, and both declare GET /things/:id. Import shared(ThingsPlugin) in App: that one instance then serves both, and their own imports may stay. For two instances, give the imports different prefixes with use(ThingsPlugin, { prefix }).',
  },
  {
    code: 'DUPLICATE_DECORATOR',
    title: 'two request decorators of one name in one plugin',
    app: app({ decorateRequest: [Foo, requestDecorator('foo', 2)] }),
    text: "App adds the request decorator 'foo' twice. Give one of them another name.",
  },
  {
    code: 'DUPLICATE_DECORATOR',
    title: 'a request decorator that an ancestor adds too',
    app: app({ decorateRequest: [Foo], imports: [app({ decorateRequest: { foo: 1 } }, 'Child')] }),
    text: "App > Child adds the request decorator 'foo', but it already sees one of that name, added by App. Give one of them another name.",
  },
  {
    code: 'REQUIREMENT_NOT_MET',
    title: 'a required decorator that a sibling adds',
    app: app({ imports: [app({ requires: [Foo] }, 'Asking'), app({ decorateRequest: [Foo] }, 'Giving')] }),
    text: "App > Asking requires the request decorator 'foo', which is not visible there. It is added in App > Giving. Add it in an ancestor, or share that plugin: write imports: [shared(Giving)] in App.",
  },
  {
    code: 'REQUIREMENT_NOT_MET',
    title: 'a required decorator that nobody adds',
    app: app({ requires: [Foo] }),
    text: "App requires the request decorator 'foo', which is not visible there. Add it to decorateRequest of an ancestor, or, if a plugin function adds it, to decorates: use(fn, options, { decorates: [ … ] }).",
  },
  {
    code: 'DECORATOR_AMBIGUOUS',
    title: 'a required decorator in whose place an ancestor adds another one of that name',
    app: app({ decorateRequest: { visitor: 'Ada' }, requires: [Visitor] }),
    text: "App names a request decorator 'visitor', but App adds another one of that name, whose value may have another type. Use one requestDecorator(…) at both places, or give one of them another name.",
  },
  {
    code: 'DECORATOR_NOT_SET',
    title: 'a required decorator that no hook sets',
    app: app({ decorateRequest: [Visitor], requires: [Visitor], routes: [InvoiceRoute], providers: [Repo] }),
    text: 'App > InvoiceRoute: the plugin requires request.visitor, but no hook that runs before its handler sets it. Write static sets = [ … ] in the hook class that sets it, and list the class in hooks of the plugin or of an ancestor.',
  },
  {
    code: 'DECORATOR_READ_LATE',
    title: 'a hook that also runs for refused requests, and reads what a hook sets',
    app: app({
      decorateRequest: [Visitor],
      hooks: { onRequest: SetVisitor, onSend: ReadVisitor },
      routes: [InvoiceRoute],
      providers: [Repo],
    }),
    text: 'App has ReadVisitor as onSend hook, which reads request.visitor: onSend also runs for a request that a hook refused before it was set. Take it out of static requires and read it as Optional: RouteRequest<…, [Optional<typeof …>]>.',
  },
  {
    code: 'DECORATOR_NEVER_SET',
    title: 'a decorator without a value that nobody sets',
    app: app({ decorateRequest: [Visitor] }),
    text: "App adds request.visitor without a value, but no hook class has it in static sets. Write static sets = [ … ] in the hook class that sets it, or give it a value: requestDecorator('visitor', …).",
  },
  {
    code: 'WITHOUT_NEEDLESS',
    title: 'a route that does without what its plugin does not require',
    app: app({ routes: [OpenRoute] }),
    text: 'App > OpenRoute has @Without for request.visitor, which its plugin does not require. Remove the decorator.',
  },
  {
    code: 'PROVIDER_NOT_VISIBLE',
    title: 'a provider of a sibling',
    app: app({ imports: [UsersPlugin, BillingPlugin] }),
    text: 'InvoiceRoute (in App > BillingPlugin) asks for Repo, which is not visible there. It is provided in App > UsersPlugin. Provide it in BillingPlugin or an ancestor, or share that plugin: write imports: [shared(UsersPlugin)] in App.',
  },
  {
    code: 'PROVIDER_UNKNOWN',
    title: 'a provider that nobody provides',
    app: app({ imports: [BillingPlugin] }),
    text: 'InvoiceRoute (in App > BillingPlugin) asks for Repo, which no plugin provides. Add it to the providers of BillingPlugin or of an ancestor.',
  },
  {
    code: 'PROVIDER_AMBIGUOUS',
    title: 'a token provided twice in one context',
    app: app({ providers: [Repo, { provide: Repo, useValue: new Plain() }] }),
    text: 'Repo is provided twice in App: App lists it twice. Keep one of the entries, or give the other its own token.',
  },
  {
    code: 'PROVIDER_AMBIGUOUS',
    title: 'a token of a plugin that is shared twice, for two prefixes',
    app: app({ imports: ['/one', '/two'].map((prefix) => shared(use(UsersPlugin, { prefix }))) }),
    text: 'Repo is provided twice in App: App > UsersPlugin is shared twice. Keep one of the imports, or do not share them: each then has a context of its own.',
  },
  {
    code: 'PROVIDER_AMBIGUOUS',
    title: 'a token that a shared plugin provides too',
    app: app({ providers: [Repo], imports: [app({ shared: true, providers: [Repo] }, 'Sharing')] }),
    text: 'Repo is provided more than once in App: by App, App > Sharing. Keep one of them, give the other its own token, or list it in private of a shared plugin that alone needs it.',
  },
  {
    code: 'PROVIDER_PRIVATE',
    title: 'a dependency that a shared plugin keeps for itself',
    app: app({ imports: [app({ shared: true, providers: [Repo], private: [Repo] }, 'Sharing')], routes: [InvoiceRoute] }),
    text: 'InvoiceRoute (in App) asks for Repo, which is private to App > Sharing. Remove it from private there, or ask for another provider of that plugin.',
  },
  {
    code: 'PRIVATE_NOT_PROVIDED',
    title: 'a private token without a provider',
    app: app({ private: [Repo] }),
    text: 'App lists Repo in private, but not among its providers. Add it to providers, or remove it from private.',
  },
  {
    code: 'PROVIDER_INVALID',
    title: 'a provider that says not what it gives',
    app: app({ providers: [{ provide: CLOCK } as never] }),
    text: 'App lists CLOCK among its providers. A provider is a class, or { provide, useClass | useValue | useFactory | useExisting }.',
  },
  {
    code: 'PROVIDER_INVALID',
    title: 'a provider without a token',
    app: app({ providers: [{ useValue: 1 } as never] }),
    text: 'App lists Object among its providers. A provider is a class, or { provide, useClass | useValue | useFactory | useExisting }.',
  },
  {
    code: 'END_INVALID',
    title: 'an end of a request that does not exist',
    app: app({
      providers: [
        class Transaction {
          static readonly endsBefore = 'response'
        },
      ],
    }),
    text: "Transaction (in App) has static endsBefore = 'response', which has no effect. Write static readonly endsBefore = 'reply', and a method onRequestEnd(outcome).",
  },
  {
    code: 'CIRCULAR_DEPENDENCY',
    title: 'classes that depend on each other',
    app: app({ providers: [{ provide: 'egg', useExisting: Egg }, Egg, ChickenEgg] }),
    text: 'Circular dependency: Egg (App) -> ChickenEgg (App) -> Egg (App). Let one of them take what it needs as an argument, or move the shared part into a third provider.',
  },
  {
    code: 'CIRCULAR_DEPENDENCY',
    title: 'aliases that stand for each other',
    app: app({
      providers: [
        { provide: 'a', useExisting: 'b' },
        { provide: 'b', useExisting: 'a' },
      ],
    }),
    text: "Circular dependency: 'a' (App) -> 'b' (App) -> 'a' (App). Let one of them take what it needs as an argument, or move the shared part into a third provider.",
  },
  {
    code: 'CIRCULAR_DEPENDENCY',
    title: 'an alias of itself',
    app: app({ providers: [{ provide: 'a', useExisting: 'a' }] }),
    text: "Circular dependency: 'a' (App) -> 'a' (App). Let one of them take what it needs as an argument, or move the shared part into a third provider.",
  },
  {
    code: 'CAPTIVE_REQUEST_SCOPE',
    title: 'a provider of a context that depends on one of a request',
    app: app({ providers: [Tx, Cache] }),
    text: "Cache lives as long as App but depends on request-scoped Tx. Make Cache request-scoped too ({ scope: 'request' }), or inject ambient(Tx) and read its `current` in each request.",
  },
  {
    code: 'AMBIENT_NEEDLESS',
    title: 'a handle of a provider that lives as long as its context',
    app: app({ providers: [Db, Handle] }),
    text: 'Handle (in App) injects ambient(Db), but Db is not request-scoped: its `current` would always be the same. Inject Db itself.',
  },
  {
    code: 'NO_CONSTRUCTOR_TYPES',
    title: 'a constructor argument without a type at run time',
    app: app({ providers: [Plain, Bare] }),
    text: 'Bare (in App) has a constructor argument, but its type is not known at run time. Write static inject = [/* its tokens */] as const in the class; or put a decorator on it (@Injectable()) and compile with tsc and emitDecoratorMetadata (tsx and esbuild emit no types).',
  },
  {
    code: 'NO_CONSTRUCTOR_TYPES',
    title: 'two constructor arguments without types at run time',
    app: app({ providers: [Plain, BareTwo] }),
    text: 'BareTwo (in App) has 2 constructor arguments, but their types are not known at run time. Write static inject = [/* its tokens */] as const in the class; or put a decorator on it (@Injectable()) and compile with tsc and emitDecoratorMetadata (tsx and esbuild emit no types).',
  },
  {
    code: 'UNKNOWN_CONSTRUCTOR_TYPE',
    title: 'a string as constructor argument',
    app: app({ providers: [Plain, AsksText] }),
    text: 'Argument 2 of AsksText (in App) has no token: at run time its type is String. Interfaces, unions, primitive types and `import type` do not identify a provider; write static inject = [/* its tokens */] as const.',
  },
  {
    code: 'UNKNOWN_CONSTRUCTOR_TYPE',
    title: 'an interface as constructor argument',
    app: app({ providers: [AsksShape] }),
    text: 'Argument 1 of AsksShape (in App) has no token: at run time its type is Object. Interfaces, unions, primitive types and `import type` do not identify a provider; write static inject = [/* its tokens */] as const.',
  },
  {
    code: 'CLASS_USED_BEFORE_DECLARATION',
    title: 'an argument whose class was not there yet',
    app: app({ providers: [TooEarly] }),
    text: 'Argument 1 of TooEarly (in App) was undefined when the class was decorated: its class is declared further down, or in a circle of imports. Declare it first; in a circle, move what both modules need into a third one.',
  },
  {
    code: 'INJECT_COUNT',
    title: 'static inject with fewer tokens than arguments',
    app: app({ providers: [Plain, ShortList] }),
    text: 'ShortList (in App) lists 1 token in static inject, but its constructor takes 2 arguments. List one for each argument: optional(…) for one that may be missing.',
  },
]

function faultsOf(App: Class): WiringError {
  try {
    check(App)
  } catch (error) {
    assert.ok(error instanceof WiringError, String(error))
    return error
  }
  return assert.fail('the wiring was found to be right')
}

function textsOf(App: Class): Pick<Fault, 'code' | 'message'>[] {
  return faultsOf(App).faults.map(({ code, message }) => ({ code, message }))
}

describe('a fault of wiring says what is wrong, where, and what to write instead:', () => {
  for (const { code, title, app: App, text } of cases) {
    test(title, () => {
      const error = faultsOf(App)
      const [found, ...others] = error.faults
      assert.deepEqual([found!.code, found!.message, others], [code, text, []])
      // The place begins with the application.
      assert.equal(error.message, `The wiring of ${found!.path[0]} is wrong:\n  - ${text}\nFor an explanation: npx alcove errors ${code}`)
    })
  }

  test('a shared plugin function that does not add the decorators listed for it, found when it is registered', async () => {
    const claims = use(
      fastifyPlugin(async () => {}),
      {},
      { decorates: [Foo] },
    )
    await assert.rejects(bootstrap(app({ imports: [claims] })), (error: WiringError) => {
      assert.equal(
        error.message,
        "The wiring of App is wrong:\n  - App lists the request decorator 'foo' in use(…), by decorates or sets, but the plugin does not add it. Correct the list.\nFor an explanation: npx alcove errors DECORATES_UNTRUE",
      )
      return true
    })
  })

  test('functions in @Hook on a plugin class and on its methods, which nothing would run', () => {
    const text = (hook: string): string =>
      `App has @Hook('${hook}', …) with a function, which is for routes and controllers. In a plugin class write @Hook('${hook}') on a method, or list the function in hooks: { ${hook}: … }.`
    assert.deepEqual(textsOf(PluginWithRouteHooks), [
      { code: 'HOOK_NOT_A_METHOD', message: text('onRequest') },
      { code: 'HOOK_NOT_A_METHOD', message: text('preHandler') },
    ])
  })

  test('an override that replaces nothing', async () => {
    await assert.rejects(testServer(app({}), { override: [[CLOCK, Date.now]] }), {
      message:
        'The wiring of App is wrong:\n  - Nothing to override: in App, CLOCK is neither a provider nor a request decorator, a hook class, a class in the place of an error handler, not-found handler, formatter or parser, or an imported plugin. To supply something that an ancestor provides, use `provide`.\nFor an explanation: npx alcove errors OVERRIDE_UNUSED',
    })
  })

  test('parts of a schema that are misspelt or undefined, in the order of the schema', () => {
    assert.deepEqual(textsOf(app({ routes: [WrongParts] })), [
      {
        code: 'SCHEMA_PART_UNKNOWN',
        message:
          "App > WrongParts.all has a schema for 'parms', which is not a part of requests or replies, so it would have no effect. Did you mean 'params'?",
      },
      {
        code: 'SCHEMA_PART_UNDEFINED',
        message:
          'App > WrongParts.all has undefined as the schema of body, often because of a circle of imports. Declare the schema before the class, or leave the part out.',
      },
    ])
  })

  test('keys of content that are no media types', () => {
    assert.deepEqual(textsOf(app({ routes: [WrongContent] })), [
      {
        code: 'MEDIA_TYPE_INVALID',
        message:
          "App > WrongContent.all has 'application/*+json' in the content of response 200, which is no media type, so its schema would be used for nothing. Write a media type, such as application/json, or a range: application/* or */*.",
      },
    ])
  })

  test('streams that are not responses of success, each with its part and its cure', () => {
    assert.deepEqual(textsOf(app({ routes: [MisplacedStreams] })), [
      {
        code: 'STREAM_MISPLACED',
        message: 'App > MisplacedStreams.all has stream(…) in params, where it has no effect. Only a response can be a stream.',
      },
      {
        code: 'STREAM_MISPLACED',
        message:
          'App > MisplacedStreams.all has stream(…) in response 404, where it has no effect. A stream is a reply of success. Write it under 200.',
      },
    ])
  })

  test('routes with the name of each method that alcove itself calls, and when it calls it', () => {
    const texts = textsOf(app({ routes: [Lifecycle, LifecycleOfRequests] }))
    assert.deepEqual(
      texts.map(({ code, message }) => [code, /itself calls a method (.*), without guards/.exec(message)?.[1]]),
      [
        'onReady() after the boot',
        'onListen() when the server listens',
        'onClose() when the instance ends',
        'dispose() when the instance ends',
        '[Symbol.dispose]() when the instance ends',
        '[Symbol.asyncDispose]() when the instance ends',
        'onRequestEnd() when a request ends',
      ].map((text) => ['ROUTE_NAMED_AS_LIFECYCLE', text]),
    )
  })

  test('every kind of fault is provoked above', () => {
    const provokedByTests = [
      'ACCESS_HOOK_MISSING',
      'ACCESS_HOOKS_UNORDERED',
      'ACCESS_PUBLIC_UNLISTED',
      'ACCESS_PUBLIC_GUARDED',
      'ACCESS_ROUTE_REFUSED',
      'ACCESS_PROVIDER_SEEN',
      'ACCESS_RULE_IDLE',
      'OPERATION_ID_REPEATED',
      'OPTION_INVALID',
      'SCHEMAS_INVALID',
      'HOOK_ASYNC_WITH_DONE',
      'HOOK_GENERATOR',
      'PARAMETER_REPEATED',
      'NOT_FOUND_HANDLER_REPEATED',
      'ERROR_FORMATS_DIFFER',
      'CONTEXT_SETTINGS_DIFFER',
      'LIFECYCLE_METHOD_UNKNOWN',
      'PROVIDER_BUILT_IN',
      'INJECT_INVALID',
      'PLUGIN_OF_OTHER_COPY',
      'DECORATOR_OF_OTHER_COPY',
      'ENTRY_INVALID',
      'PROVIDER_SOURCE_INVALID',
      'INJECT_UNDEFINED',
      'PROVIDE_UNUSED',
      'DECORATES_UNTRUE',
      'HOOK_NOT_A_METHOD',
      'HANDLER_INVALID',
      'HANDLER_CLASS_WITHOUT_METHOD',
      'FORMATTER_INVALID',
      'OVERRIDE_UNUSED',
      'DECORATOR_UNFINDABLE',
      'PREFIX_COMPUTED',
      'SETUP_OUTSIDE_PREFIX',
      'LIFECYCLE_METHOD_UNCALLED',
      'OVERRIDE_OF_MOUNTED',
      'SUBSTITUTE_WITHOUT_METHOD',
      'SUBSTITUTE_NOT_A_PLUGIN',
      'SCHEMA_PART_UNKNOWN',
      'SCHEMA_PART_UNDEFINED',
      'MEDIA_TYPE_INVALID',
      'STREAM_MISPLACED',
      'DESCRIPTION_INVALID',
      'RESPONSE_CONTRADICTED',
      'RESPONSE_SCHEMA_HIDDEN',
      'SECURITY_SCHEME_AMBIGUOUS',
      'SECURITY_SCHEME_UNKNOWN',
      'SCHEMA_ID_REPEATED',
      'MODEL_HAS_TWO_SCHEMAS',
      'REFERENCE_INVALID',
      'REQUIRED_NOT_LISTED',
      'SCHEMA_NOT_LISTED',
      'NOT_A_JOB',
      'JOB_WITHOUT_RUN',
      'JOB_TRIGGER_INVALID',
      'CRON_INVALID',
      'JOB_REPEATED',
      'QUEUE_AMBIGUOUS',
      'QUEUE_UNTAKEN',
      'EVENT_UNHANDLED',
      'EVENT_UNEMITTED',
    ]
    const provoked = new Set<string>([...cases.map(({ code }) => code), ...provokedByTests])
    assert.deepEqual(
      Object.keys(faults).filter((code) => !provoked.has(code)),
      [],
    )
  })
})

test('a fault has its place as a path and as a list, its cure by itself, and where its kind is described', () => {
  assert.deepEqual(faultsOf(app({ imports: [UsersPlugin, BillingPlugin] })).faults, [
    {
      code: 'PROVIDER_NOT_VISIBLE',
      place: 'App > BillingPlugin > InvoiceRoute',
      path: ['App', 'BillingPlugin', 'InvoiceRoute'],
      message:
        'InvoiceRoute (in App > BillingPlugin) asks for Repo, which is not visible there. It is provided in App > UsersPlugin. Provide it in BillingPlugin or an ancestor, or share that plugin: write imports: [shared(UsersPlugin)] in App.',
      cure: 'Provide it in BillingPlugin or an ancestor, or share that plugin: write imports: [shared(UsersPlugin)] in App.',
      docs: 'docs/reference/errors.md#provider_not_visible',
    },
  ])
})

test('the place of a fault is that of the class or method which is to be changed, also if its text begins with something else', () => {
  const placesOf = (App: Class): string[] => faultsOf(App).faults.map(({ place }) => place)
  assert.deepEqual(placesOf(app({ routes: [Things, OtherThings], imports: [app({ providers: [ChickenEgg] }, 'Birds')] })), [
    'App > Things.one',
    'App > OtherThings.one',
    'App > Birds > ChickenEgg',
  ])
  assert.deepEqual(placesOf(app({ imports: [CircleA] })), ['App > A > B'])
  assert.deepEqual(placesOf(app({ providers: [{ provide: CLOCK, useValue: Date.now, scope: 'singleton' } as never] })), ['App', 'App'])
})

test('the cure of each kind of fault is whole sentences, which stand at the end of its text', () => {
  for (const { code, message, cure } of faultsOfEachKind) {
    assert.match(cure, /^[A-Z][^]{8,}[.?]$/, code)
    assert.match(message.slice(0, -cure.length), /[.?] $/, code)
    assert.ok(message.endsWith(cure), code)
  }
})

test('all faults of an application are reported at once, in the order of its tree, each one once', () => {
  const Faulty = app({
    imports: [Plain, app({ routes: [Silent, InvoiceRoute] }, 'Routes'), app({ providers: [Cache], requires: [Foo] }, 'Providers')],
    routes: [Idle],
  })
  const error = faultsOf(Faulty)
  assert.deepEqual(
    error.faults.map(({ code }) => code),
    ['CONTROLLER_WITHOUT_ROUTES', 'NOT_A_PLUGIN', 'ROUTE_WITHOUT_HANDLE', 'PROVIDER_UNKNOWN', 'PROVIDER_UNKNOWN', 'REQUIREMENT_NOT_MET'],
  )
  assert.match(error.message, /^The wiring of App has 6 faults:\n {2}- /)
  const lines = error.message.split('\n')
  assert.equal(lines.length, 8)
  assert.equal(
    lines.at(-1),
    'For an explanation: npx alcove errors CONTROLLER_WITHOUT_ROUTES NOT_A_PLUGIN ROUTE_WITHOUT_HANDLE PROVIDER_UNKNOWN REQUIREMENT_NOT_MET',
  )
  assert.equal(error.name, 'WiringError')
  assert.equal(error.code, 'ALC_ERR_WIRING')
})

test('bootstrap reports the same faults as check, before any constructor or factory runs', async () => {
  constructed = 0
  const Faulty = app({
    providers: [Repo, { provide: CLOCK, useFactory: () => (constructed++, Date.now) }],
    imports: [app({ providers: [Cache] }, 'Child')],
  })
  await assert.rejects(bootstrap(Faulty), { name: 'WiringError', message: faultsOf(Faulty).message })
  assert.equal(constructed, 0)
})

test('check constructs nothing and says nothing when all is well', () => {
  constructed = 0
  check(app({ providers: [Repo], imports: [BillingPlugin] }))
  assert.equal(constructed, 0)
})

test('the method of NestJS on a plugin is reported at the place of the plugin, on another class below it', () => {
  class Mails {
    onModuleInit() {}
  }
  @Plugin({ providers: [Mails] })
  class Users {
    onModuleDestroy() {}
  }
  @Plugin({ imports: [Users] })
  class App {}
  assert.throws(
    () => check(App),
    (error: Error) => {
      assert.match(error.message, /- App > Users has the method onModuleDestroy/)
      assert.match(error.message, /- App > Users > Mails has the method onModuleInit/)
      return true
    },
  )
})

test('a wiring error shows no stack of the framework', () => {
  const error = faultsOf(Plain)
  assert.equal(error.stack, `WiringError: ${error.message}`)
})

test('an error of resolution has its name and code', () => {
  const error = new ResolutionError('gone')
  assert.deepEqual([error.name, error.code], ['ResolutionError', 'ALC_ERR_RESOLUTION'])
})
