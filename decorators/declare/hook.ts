/** `@Hook` and `@Config`: what runs around a route, and what it tells those hooks of itself. */
import type { HookName, Hooks, LifecycleHookName } from '../../lib/index.js'
import { type Class, appendMetadata, getMemberMetadata, getMetadata, readDecoratorTarget } from './metadata.js'

const kHooks = Symbol('alcove.hooks')
const kConfig = Symbol('alcove.config')

/** A hook of a route or controller: a function, or a provider class whose method of the hook's name is run. */
export type RouteHook<N extends LifecycleHookName = LifecycleHookName> = Hooks[N] | Class<{ [K in N]: (...args: any[]) => unknown }>

export interface HookNote {
  readonly name: HookName
  readonly hook: RouteHook | undefined
}

/**
 * On a method of a plugin class: runs the method as this hook of the plugin's context.
 * On a route, a controller or a controller's method, with a function or a provider class: runs it for that route.
 * ```ts
 * @Hook('preHandler') authenticate(request: RouteRequest) { … }
 * @Hook('preHandler', RolesGuard) @Get('/report') report() { … }
 * ```
 * A method that is synchronous and takes no `done` is over when it returns; it stops a request by throwing or replying.
 */
export function Hook<N extends LifecycleHookName>(name: N, hook: RouteHook<N>): ClassAndMethodDecorator
export function Hook(name: HookName): MethodDecoratorOnly
export function Hook(name: HookName, hook?: RouteHook): ClassAndMethodDecorator {
  return (...args: unknown[]) => appendMetadata(readDecoratorTarget(args), kHooks, { name, hook } satisfies HookNote)
}

/** What `Hook` and `Config` give: applies to classes and methods, under TypeScript's own and under standard decorators. */
export type ClassAndMethodDecorator = (...args: any[]) => void
type MethodDecoratorOnly = (target: any, name: any, descriptor?: any) => void

/** The hooks noted on a class or on one of its methods, in the order in which they are written. */
export function getHooks(Class: object, member?: string | symbol): readonly HookNote[] {
  return getMetadata<HookNote[]>(Class, kHooks, member) ?? []
}

/** The methods of a plugin class that are hooks themselves. */
export function getHookMethods(Class: object): { member: string | symbol; name: HookName }[] {
  return getMemberMetadata<HookNote[]>(Class, kHooks).flatMap(({ member, value }) =>
    value.filter((entry) => entry.hook === undefined).map((entry) => ({ member, name: entry.name })),
  )
}

/** The hooks of a plugin class that are no method of it: these are for routes. */
export function getMisplacedHooks(Class: object): HookNote[] {
  const onMethods = getMemberMetadata<HookNote[]>(Class, kHooks).flatMap(({ value }) => value)
  return [...getHooks(Class), ...onMethods.filter((entry) => entry.hook !== undefined)]
}

/**
 * Adds to the `config` of a route (or of all routes of a controller), readable in hooks as `request.routeOptions.config`.
 * Decorators of an application are made of it:
 * ```ts
 * const Roles = (...roles: string[]) => Config({ roles })
 * ```
 */
export function Config(values: Record<string, unknown>): ClassAndMethodDecorator {
  return (...args: unknown[]) => appendMetadata(readDecoratorTarget(args), kConfig, values)
}

export function getConfig(Class: object, member?: string | symbol): Record<string, unknown> {
  return Object.assign({}, ...(getMetadata<Record<string, unknown>[]>(Class, kConfig, member) ?? []).toReversed()) as Record<
    string,
    unknown
  >
}
