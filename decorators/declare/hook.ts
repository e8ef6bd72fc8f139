/** `@Hook` and `@Config`: the hooks that run for a route, and the `config` that these hooks can read. */
import {
  type HookName,
  hookNames,
  type Hooks,
  type HttpErrorClass,
  type LifecycleHookName,
  type Reply,
  type RouteSchema,
} from '../../lib/index.js'
import { guardHookNames, type Narrowed, runsBeforeHandler } from '../../lib/internal.js'
import {
  addMetadata,
  type Class,
  type ClassAndMethodDecorator,
  type Decorated,
  getDecoratedMembers,
  getMetadataByClass,
  metadataKey,
} from './metadata.js'
import type {
  MethodOf,
  NameOf,
  NamesAskedByHook,
  NoSuchMethod,
  PlainName,
  PublicIfAsking,
  UnstatedNames,
  WronglyInjected,
} from './proofs.js'
import type { CheckedDescriptor } from './schema.js'
import type { RequestDecorator } from './tokens.js'

const kHook = metadataKey<HookDeclaration>({
  decorator: '@Hook',
  // Above a plugin class, `@Hook` is another fault.
  standsOn: ['route', 'controller', 'action', 'handler', 'plugin', 'plugin method'],
  place: 'above a route, a controller or a method with @Get(), @Post() …; in a plugin class, above the method that is the hook',
  isRepeatable: true,
  isInherited: true,
})
export const configKey = metadataKey<Record<string, unknown>>({
  decorator: '@Config',
  standsOn: ['route', 'controller', 'action', 'handler'],
  place: 'above a route, a controller or a method with @Get(), @Post() …',
  isRepeatable: true,
  isInherited: true,
})

/**
 * A hook of a route or controller: a function, or a class with a method of the hook's name. The class is constructed with its dependencies
 * injected, like a provider.
 */
export type RouteHook<N extends LifecycleHookName = LifecycleHookName> = Hooks[N] | HookClass<N>

type HookClass<N extends LifecycleHookName> = Class<{ [K in N]: (...args: any[]) => K extends GuardHookName ? NoBoolean : unknown }>

export { guardHookNames, runsBeforeHandler }
export type GuardHookName = (typeof guardHookNames)[number]

/**
 * The types that a hook which can refuse a request may return: anything but a boolean. Returning `false` would not refuse the request; such
 * a hook must throw an `HttpError` instead.
 */
type NoBoolean = NoBooleanYet | PromiseLike<NoBooleanYet | object>
type NoBooleanYet = void | undefined | null | string | number | bigint | symbol | (object & { then?: undefined }) | Reply<any, any>

/** Calls the next `around` hook or, in the last hook, the handler. Returns a promise of the result. */
export type Next<T = unknown> = () => Promise<T>

/**
 * A hook that surrounds the handler: a function, or a class with a method `around`. The result of the hook is the payload of the reply, so
 * the hook returns the result of `next()`, or another value.
 */
export type AroundHook = AroundFunction | Class<{ around: AroundFunction }>
type AroundFunction = (request: any, next: Next<any>) => unknown

/** The names of the hooks that a class may have as methods: all hooks of the server, and `around`. */
export type ClassHookName = HookName | 'around'

export const classHookNames: readonly ClassHookName[] = [...hookNames, 'around']

/**
 * The key of a static member of the framework's hook classes: the names of those hooks of the class that run before all others. An `around`
 * hook is then the outermost one, and another hook of a route runs before the hooks of the contexts.
 */
export const kFirstHooks = Symbol('alcove.first-hooks')

/** Whether a hook runs before all other hooks of the same name. */
export function isFirstHook(hook: unknown, name: ClassHookName): boolean {
  const names = typeof hook === 'function' ? (hook as { [kFirstHooks]?: readonly ClassHookName[] })[kFirstHooks] : undefined
  return names?.includes(name) === true
}

/**
 * The key of a static member of the framework's hook classes: the name of their decorator, if a route has only one of its hooks. The
 * decorator of a method then replaces the one of its controller.
 */
export const kReplacedBy = Symbol('alcove.replaced-by')

/** Leaves out the hooks of a route, in the order of their declaration, that a later declaration of the same decorator replaces. */
export function withoutReplaced(hooks: readonly HookDeclaration[]): readonly HookDeclaration[] {
  return hooks.filter(({ name, hook }, index) => {
    const decorator = replacingDecorator(hook)
    return (
      decorator === undefined ||
      !hooks.some((other, at) => at > index && other.name === name && replacingDecorator(other.hook) === decorator)
    )
  })
}

function replacingDecorator(hook: unknown): string | undefined {
  return typeof hook === 'function' ? (hook as { [kReplacedBy]?: string })[kReplacedBy] : undefined
}

/**
 * The key of a static member of the framework's hook classes: a function that returns why a route with a given schema cannot have the hook,
 * and the cure.
 */
export const kRouteProblem = Symbol('alcove.route-problem')

/** Returns why a route with this schema cannot have a hook, and the cure; `undefined` if the route can have the hook. */
export function problemOfRoute(hook: unknown, schema: RouteSchema | undefined): readonly [problem: string, cure: string] | undefined {
  if (typeof hook !== 'function') return undefined
  return (hook as { [kRouteProblem]?: (schema: RouteSchema) => readonly [string, string] | undefined })[kRouteProblem]?.(schema ?? {})
}

/** One use of `@Hook`: the name of the hook, and the hook function or class. */
export interface HookDeclaration {
  readonly name: ClassHookName
  /**
   * The hook function or class. It is absent if the decorated method itself is the hook, and `undefined` if this was the second argument.
   */
  readonly hook?: RouteHook | AroundHook | undefined
}

/**
 * Adds a hook to routes, or to the context of a plugin.
 *
 * Above a method of a plugin class, the method is the hook, in the plugin's context and below. Above a route class, a controller or a
 * controller's method, the second argument is the hook of the routes: a function, or a class with a method of the hook's name.
 * ```ts
 * @Controller('/admin')
 * class AdminController {
 *   @Hook('preHandler', RolesGuard) @Get('/report') report() { … }
 * }
 *
 * @Plugin({ routes: [AdminController] })
 * class App {
 *   @Hook('preHandler') authenticate(request: RouteRequest) { … }
 * }
 * ```
 * A hook class lists the request decorators that it reads in `static requires`, and the request decorators that it sets in `static sets`.
 * The boot fails if a route with this hook does not see one of them, or if a request decorator is read before a hook has set it.
 * ```ts
 * class RequireUser {
 *   static readonly sets = [CurrentUser] as const
 *   onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) { request.user = find(request.id) }
 * }
 * class RolesGuard {
 *   static readonly requires = [CurrentUser] as const
 *   preHandler(request: RouteRequest<unknown, [typeof CurrentUser]>) { … }
 * }
 * ```
 * A method that is not asynchronous and has no parameter `done` is complete when it returns. A hook stops a request by throwing an error or
 * sending a reply.
 *
 * An `around` hook surrounds the handler: it runs after the preHandler hooks, and its result is the payload of the reply. `next()` calls
 * the handler, and may be called more than once.
 * ```ts
 * class Transaction {
 *   static readonly inject = [Db] as const
 *   constructor(private readonly db: Db) {}
 *   around(request: RouteRequest, next: Next) { return this.db.transaction(() => next()) }
 * }
 * @Controller('/transfers')
 * class TransfersController {
 *   @Hook('around', Transaction) @Post() transfer(request: RouteRequest) { … }
 * }
 * ```
 */
export function Hook(name: ClassHookName): MethodDecoratorOnly
export function Hook<N extends keyof HooksByName, H extends HooksByName[N]>(
  name: N,
  hook: H & CheckedHook<H> & CheckedResult<N, H>,
): ClassAndMethodDecorator
export function Hook(name: ClassHookName, ...hooks: (RouteHook | AroundHook)[]): ClassAndMethodDecorator {
  // More than one hook is a fault: the list of them is kept, which the check of entries reports.
  const hook = hooks.length > 1 ? (hooks as unknown as RouteHook) : hooks[0]
  return (...args: unknown[]) => addMetadata(args, kHook, hooks.length === 0 ? { name } : { name, hook })
}

// One signature for all: of overloads, TypeScript 7 reports only the last, whichever was meant.
type HooksByName = { readonly [N in LifecycleHookName]: RouteHook<N> } & { readonly around: AroundHook }

// The compiler shows a decorator neither the plugin of its class nor the other decorators: the list is checked at boot, for each route.
type CheckedHook<H> = [WronglyInjected<H>] extends [never]
  ? [UnstatedNames<H>] extends [never]
    ? unknown
    : {
        error: 'the hook reads request decorators that it does not require: make it a class with static requires = [ … ]'
        missing: UnstatedNames<H>
      }
  : { error: 'static inject of the hook does not fit its constructor' }

// A signature that names the allowed results would also refuse a promise of `unknown`, and the result of `next()`, which is `any`.
type CheckedResult<N, H> = N extends 'around'
  ? [LostResult<ResultOf<N, H>>] extends [never]
    ? unknown
    : { error: 'the around hook returns nothing: its result is the payload, so write return next()' }
  : N extends 'onSend'
    ? [Unsendable<ResultOf<N, H>>] extends [never]
      ? unknown
      : {
          error: 'the payload is serialized already: an onSend hook returns text, bytes, a stream or nothing'
          returned: Unsendable<ResultOf<N, H>>
        }
    : unknown
type ResultOf<N extends string, H> = H extends abstract new (...args: never[]) => { [K in N]: (...args: any[]) => infer R }
  ? Awaited<R>
  : H extends (...args: any[]) => infer R
    ? Awaited<R>
    : never
type LostResult<R> = 0 extends 1 & R ? never : [R] extends [void] ? R : never
type Unsendable<R> = R extends void | null | string | ArrayBufferView | { pipe: unknown } | ReadableStream | globalThis.Response | Error
  ? never
  : 0 extends 1 & R
    ? never
    : unknown extends R
      ? never
      : R

/** Returns the request decorators that a hook class or a not-found handler class reads: `static requires = [CurrentUser]`. */
export function getRequired(hook: unknown): readonly RequestDecorator[] {
  return staticList(hook, 'requires')
}

/** Returns the request decorators that a hook class sets before the handler runs: `static sets = [CurrentUser]`. */
export function getSet(hook: unknown): readonly RequestDecorator[] {
  return staticList(hook, 'sets')
}

/** Returns the list in a static member of a hook class; an empty list if the value is not a list, which is reported elsewhere. */
function staticList<T>(hook: unknown, name: 'requires' | 'sets' | 'throws'): readonly T[] {
  const list = typeof hook === 'function' ? (Object(hook)[name] as unknown) : undefined
  return Array.isArray(list) ? (list as T[]) : []
}

const kWithout = metadataKey<readonly RequestDecorator[]>({
  decorator: '@Without',
  standsOn: ['route', 'controller', 'action', 'handler'],
  place: 'above a route, a controller or a method with @Get(), @Post() …',
  isRepeatable: true,
  isInherited: true,
})

/**
 * Excludes routes from a request decorator that their plugin requires: no hook needs to set the decorator for these routes. The compiler
 * refuses a handler that reads the decorator, unless as `Optional`.
 * ```ts
 * @Controller('/session')
 * class SessionController {
 *   @Without(CurrentUser) @Post() logIn(request: RouteRequest) { … }
 * }
 * ```
 */
export function Without<const D extends readonly RequestDecorator[]>(...decorators: D): WithoutDecorator<NameOf<D[number]>> {
  return (...args: unknown[]) => addMetadata(args, kWithout, decorators)
}

/**
 * The decorator that {@link Without} returns, for the request decorators with the names `Name`. It has only one signature, like `@Schema`.
 */
export type WithoutDecorator<Name> = <T, const N, D>(
  target: T & Lacking<T, Name>,
  nameOrContext?: N & LackingNamed<T, N, D, Name>,
  descriptor?: CheckedDescriptor<D, D extends TypedPropertyDescriptor<infer F> ? Lacking<F, Name> : unknown>,
) => Decorated<T, N>
type LackingNamed<T, N, D, Name> =
  Named<T, N, D> extends infer Fault ? (unknown extends Fault ? Lacking<MethodOf<T, N>, Name> : Fault) : never
type Named<T, N, D> = N extends PlainName<D> ? ([MethodOf<T, N>] extends [never] ? NoSuchMethod : unknown) : unknown
type Lacking<T, Name> = [Extract<NamesAskedByHook<T>, Name>] extends [never]
  ? unknown
  : { error: 'a handler reads a request decorator that @Without says it does without'; read: Extract<NamesAskedByHook<T>, Name> }

/**
 * Returns the request decorators from which `@Without`, on the class or the method, excludes a route. `@Without` of a class does not hold
 * for methods of its subclasses, because the compiler has not checked those.
 */
export function getLacking(Class: object, member: string | symbol): readonly RequestDecorator[] {
  const implementing = implementerOf(Class, member)
  const above = implementing === undefined ? [] : getMetadataByClass(Object.getPrototypeOf(implementing) as object, kWithout)
  // Parent classes come first.
  const ofClasses = getMetadataByClass(Class, kWithout).slice(above.length)
  return [...ofClasses, ...getMetadataByClass(Class, kWithout, member)].flat(2)
}

/** Returns the nearest class of the lineage that declares the method; `undefined` if no class declares it. */
function implementerOf(Class: object, member: string | symbol): object | undefined {
  for (let at: unknown = Class; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at))
    if (at.prototype !== undefined && Object.hasOwn(at.prototype as object, member)) return at
  return undefined
}

/** Returns the error classes that hook classes throw: `static throws = [Unauthorized]`. */
export function getThrown(hooks: readonly unknown[]): readonly HttpErrorClass[] {
  return hooks.flatMap((hook) => staticList<HttpErrorClass>(hook, 'throws'))
}

type MethodDecoratorOnly = <T, const N, D>(target: T, nameOrContext: N & PublicIfAsking<T, N, D> & Named<T, N, D>, descriptor?: D) => void

/**
 * Returns the hooks that decorators declare on a class or on one of its methods: hooks of parent classes first, hooks of one class in the
 * order of the source text. If a subclass repeats a hook, the hook runs once, at its first place.
 */
export function getHooks(Class: object, member?: string | symbol): readonly HookDeclaration[] {
  const hooks: HookDeclaration[] = []
  for (const own of getMetadataByClass(Class, kHook, member)) {
    const inherited = [...hooks]
    hooks.push(...own.filter(({ name, hook }) => !inherited.some((other) => other.name === name && other.hook === hook)))
  }
  return hooks
}

/** Returns the methods of a plugin class that are themselves hooks (`@Hook` with a name only). */
export function getHookMethods(Class: object): { member: string | symbol; name: ClassHookName }[] {
  return getDecoratedMembers(Class, kHook).flatMap((member) =>
    getHooks(Class, member)
      .filter(({ hook }) => hook === undefined)
      .map(({ name }) => ({ member, name })),
  )
}

/**
 * Returns the uses of `@Hook` in a plugin class whose hook would never run: uses above the class, and uses above a method with a function
 * or class as the hook. Only routes and controllers take such hooks.
 */
export function getMisplacedHooks(Class: object): HookDeclaration[] {
  const onMethods = getDecoratedMembers(Class, kHook).flatMap((member) => getHooks(Class, member))
  return [...getHooks(Class), ...onMethods.filter((entry) => entry.hook !== undefined)]
}

/**
 * Adds values to the `config` of a route, or of all routes of a controller. Hooks read them as `request.routeOptions.config`. An
 * application can build its own decorators from `Config`:
 * ```ts
 * const Roles = (...roles: string[]) => Config({ roles })
 * ```
 */
export function Config(values: Narrowed<'config', Record<string, unknown>>): ClassAndMethodDecorator {
  return (...args: unknown[]) => addMetadata(args, configKey, values)
}

/**
 * Returns the merged values of all `@Config` on a class or method. If several set the same key, the value of the subclass is used, and
 * within one class the value of the upper decorator.
 */
export function getConfig(Class: object, member?: string | symbol): Record<string, unknown> {
  const lists = getMetadataByClass(Class, configKey, member)
  return Object.assign({}, ...lists.flatMap((own) => own.toReversed())) as Record<string, unknown>
}
