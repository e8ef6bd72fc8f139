/** `rule`: rules about the hooks that routes run, the routes that are public, and the providers that plugins see. */
import type { RouteDescription } from '../../../lib/index.js'
import type { GuardHookName } from '../hook.js'
import type { Class } from '../metadata.js'
import type { Token } from '../tokens.js'

/**
 * Routes that a rule names: a pattern of paths, or a class.
 *
 * A pattern is a path as a route declares it, and may have a method before it: `/users/:id`, `POST /login`. `*` means any characters within
 * one part of a path, `**` any number of parts: `/admin/**` is `/admin` and all below it. A class is a route class, a controller, or a
 * plugin class, which means all routes in and below the plugin.
 */
export type RouteChoice = string | Class

/** The names of the hooks that run before the handler of a route. */
type HookBeforeHandler = GuardHookName | 'around'

/** A hook that a rule demands: a class with a method that runs before the handler, or a function. */
export type DemandedHook =
  | { [N in HookBeforeHandler]: Class<Record<N, (...args: any[]) => unknown>> }[HookBeforeHandler]
  | ((...args: any[]) => unknown)

/** Judges one route: returns true if the route is right, and a text that says what is wrong if it is not. */
export type RouteJudge = (route: RouteDescription) => boolean | string

/** The demand of a rule. */
export type AccessDemand =
  | { readonly of: 'hooks'; readonly routes: RouteSelection; readonly hooks: readonly DemandedHook[] }
  | { readonly of: 'routes'; readonly routes: RouteSelection; readonly judge: RouteJudge }
  | { readonly of: 'public'; readonly exactly: readonly RouteChoice[] }
  | { readonly of: 'providers'; readonly hidden: readonly Token<any>[] }

/** The routes that a rule is about. */
export interface RouteSelection {
  readonly chosen: readonly RouteChoice[]
  readonly except: readonly RouteChoice[]
}

/** A rule about who can reach what, made by {@link rule}, for the option `access` of `@Plugin`. */
export interface AccessRule {
  readonly kind: 'access rule'
  readonly demand: AccessDemand
}

/** The rules that can be written. `R` is what each of them returns. */
export interface AccessRules<R> {
  /**
   * Chooses routes. Each pattern and each class must match a route.
   * ```ts
   * rule.routes('/admin/**').run(RequireUser, RolesGuard)
   * rule.routes('/**').except('POST /login', UsersController).run(RequireUser)
   * ```
   */
  routes(first: RouteChoice, ...more: readonly RouteChoice[]): RouteRules<R>
  /** Demands that a function holds for each route. The function gets the description of the route, as `describe` makes it. */
  every(judge: RouteJudge): R
  /**
   * Demands that these routes, and no others, are public. A route is public if no guard that it runs requires anything of a client. A guard
   * says what it requires in `static security`; what only the schema of a route says does not count, as nothing enforces it.
   */
  public(options: { readonly exactly: readonly RouteChoice[] }): R
  /** Demands that no provider of these tokens is visible in the plugin, nor in any plugin below it. */
  neverSees(first: Token<any>, ...more: readonly Token<any>[]): R
}

/** The rules for the routes that {@link AccessRules.routes} chose. */
export interface RouteRules<R> {
  /** Leaves routes out. Each pattern and each class must match a route that was chosen. */
  except(first: RouteChoice, ...more: readonly RouteChoice[]): RouteRules<R>
  /**
   * Demands that each of the routes runs these hooks before its handler, in this order. Hooks of the route itself count, and those that it
   * gets from its context.
   */
  run(first: DemandedHook, ...more: readonly DemandedHook[]): R
  /** Demands that a function holds for each of the routes. The function gets the description of the route, as `describe` makes it. */
  every(judge: RouteJudge): R
}

/** Makes the functions that write rules. @param finish is called with each rule, and returns what the function returns */
export function rulesFor<R>(finish: (rule: AccessRule) => R): AccessRules<R> {
  const make = (demand: AccessDemand): R => finish(Object.freeze({ kind: 'access rule', demand }))
  const choose = (routes: RouteSelection): RouteRules<R> => ({
    except: (...choices) => choose({ ...routes, except: [...routes.except, ...choices] }),
    run: (...hooks) => make({ of: 'hooks', routes, hooks }),
    every: (judge) => make({ of: 'routes', routes, judge }),
  })
  return {
    routes: (...chosen) => choose({ chosen, except: [] }),
    every: (judge) => make({ of: 'routes', routes: { chosen: ['/**'], except: [] }, judge }),
    public: ({ exactly }) => make({ of: 'public', exactly }),
    neverSees: (...hidden) => make({ of: 'providers', hidden }),
  }
}

/**
 * Makes rules about who can reach what, for the option `access` of `@Plugin`. A rule holds for the plugin and for all that it imports, so
 * that no plugin below can escape it: a route that breaks it is a fault of the wiring.
 * ```ts
 * @Plugin({
 *   prefix: '/admin',
 *   imports: [MetricsPlugin, BillingPlugin],
 *   access: [rule.routes('/**').run(RequireUser, RolesGuard), rule.neverSees(Db)],
 * })
 * class AdminPlugin {}
 * ```
 * Paths are below the prefix of the plugin; those of the application are as clients send them. `access(App)` checks the same rules in a
 * test.
 */
export const rule: AccessRules<AccessRule> = Object.freeze(rulesFor((made) => made))
