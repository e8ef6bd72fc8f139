/** `@Hook` and `@Config`: the hooks that run for a route, and the `config` that these hooks can read. */
import type { HookName, Hooks, LifecycleHookName, Reply } from '../../lib/index.js'
import { appendMetadata, type Class, getMemberMetadata, getMetadata, readDecoratorTarget } from './metadata.js'

const kHooks = Symbol('alcove.hooks')
const kConfig = Symbol('alcove.config')

/** A hook of a route or controller: a function, or a class with a method of the hook's name. The class is injected as a provider. */
export type RouteHook<N extends LifecycleHookName = LifecycleHookName> = Hooks[N] | HookClass<N>

type HookClass<N extends LifecycleHookName> = Class<{ [K in N]: (...args: any[]) => K extends GuardHookName ? NoBoolean : unknown }>

/** The hooks that can refuse a request. */
type GuardHookName = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'

/** What such a hook may return. `false` would not refuse the request: throw an `HttpError` instead. */
type NoBoolean = NoBooleanYet | PromiseLike<NoBooleanYet | object>
type NoBooleanYet = void | undefined | null | string | number | bigint | symbol | (object & { then?: undefined }) | Reply<any, any>

/** One use of `@Hook`. */
export interface HookDeclaration {
  readonly name: HookName
  /** `undefined` if the decorated method itself is the hook. */
  readonly hook: RouteHook | undefined
}

/**
 * Adds a hook.
 *
 * On a method of a plugin class, the method is the hook, in the plugin's context and below. On a route class, a controller or a
 * controller's method, the second argument is the hook of that route: a function, or a class with a method of the hook's name.
 * ```ts
 * @Hook('preHandler') authenticate(request: RouteRequest) { … }
 * @Hook('preHandler', RolesGuard) @Get('/report') report() { … }
 * ```
 * A method that is not asynchronous and has no `done` parameter is done when it returns. It stops a request by throwing an error or
 * sending a reply.
 */
export function Hook<N extends LifecycleHookName>(name: N, hook: RouteHook<N>): ClassAndMethodDecorator
export function Hook(name: HookName): MethodDecoratorOnly
export function Hook(name: HookName, hook?: RouteHook): ClassAndMethodDecorator {
  return (...args: unknown[]) => appendMetadata(readDecoratorTarget(args), kHooks, { name, hook } satisfies HookDeclaration)
}

/** A decorator for classes and methods, compiled as TypeScript's own or as a standard decorator. Returned by `Hook` and `Config`. */
export type ClassAndMethodDecorator = (...args: any[]) => void
type MethodDecoratorOnly = (target: any, name: any, descriptor?: any) => void

/** The hooks that decorators declare on a class or on one of its methods, in the order of the source text. */
export function getHooks(Class: object, member?: string | symbol): readonly HookDeclaration[] {
  return getMetadata<HookDeclaration[]>(Class, kHooks, member) ?? []
}

/** The methods of a plugin class that are hooks themselves. */
export function getHookMethods(Class: object): { member: string | symbol; name: HookName }[] {
  return getMemberMetadata<HookDeclaration[]>(Class, kHooks).flatMap(({ member, value }) =>
    value.filter((entry) => entry.hook === undefined).map((entry) => ({ member, name: entry.name })),
  )
}

/** Hooks with a function or class on a plugin class or its methods. They would never run: only routes and controllers take them. */
export function getMisplacedHooks(Class: object): HookDeclaration[] {
  const onMethods = getMemberMetadata<HookDeclaration[]>(Class, kHooks).flatMap(({ value }) => value)
  return [...getHooks(Class), ...onMethods.filter((entry) => entry.hook !== undefined)]
}

/**
 * Adds values to the `config` of a route, or of all routes of a controller. Hooks read them as `request.routeOptions.config`. An
 * application can build its own decorators from it:
 * ```ts
 * const Roles = (...roles: string[]) => Config({ roles })
 * ```
 */
export function Config(values: Record<string, unknown>): ClassAndMethodDecorator {
  return (...args: unknown[]) => appendMetadata(readDecoratorTarget(args), kConfig, values)
}

/** The values of all `@Config` on a class or method. If several set the same key, the upper one counts. */
export function getConfig(Class: object, member?: string | symbol): Record<string, unknown> {
  return Object.assign({}, ...(getMetadata<Record<string, unknown>[]>(Class, kConfig, member) ?? []).toReversed()) as Record<
    string,
    unknown
  >
}
