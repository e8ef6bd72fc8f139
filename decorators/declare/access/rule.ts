/** `rule`: access rules, which demand hooks of routes, list the public routes, or hide providers from plugins. */
import type { RouteDescription } from '../../../lib/index.js'
import type { GuardHookName } from '../hook.js'
import type { Class } from '../metadata.js'
import type { Token } from '../tokens.js'

/**
 * The routes that an access rule names: a pattern of paths, or a class.
 *
 * A pattern is a path in the form in which a route declares it, optionally after a method: `/users/:id`, `POST /login`. `*` matches any
 * characters within one path segment, `**` any number of segments: `/admin/**` matches `/admin` and all paths below it. A class is a route
 * class, a controller, or a plugin class, which stands for all routes in and below the plugin.
 */
export type RouteChoice = string | Class

/** The names of the hooks that run before a route's handler. */
type HookBeforeHandler = GuardHookName | 'around'

/** A hook that an access rule demands: a class with a method that runs before the handler, or a function. */
export type DemandedHook =
  | { [N in HookBeforeHandler]: Class<Record<N, (...args: any[]) => unknown>> }[HookBeforeHandler]
  | ((...args: any[]) => unknown)

/** A function that checks one route: returns true if the route satisfies the rule, otherwise false or a text that names the problem. */
export type RouteJudge = (route: RouteDescription) => boolean | string

/** The demand of an access rule, as data. */
export type AccessDemand =
  | { readonly of: 'hooks'; readonly routes: RouteSelection; readonly hooks: readonly DemandedHook[] }
  | { readonly of: 'routes'; readonly routes: RouteSelection; readonly judge: RouteJudge }
  | { readonly of: 'public'; readonly exactly: readonly RouteChoice[] }
  | { readonly of: 'providers'; readonly hidden: readonly Token<any>[] }

/** The routes that an access rule selects. */
export interface RouteSelection {
  readonly chosen: readonly RouteChoice[]
  readonly except: readonly RouteChoice[]
}

/** An access rule for the option `access` of `@Plugin`, made by {@link rule}. */
export interface AccessRule {
  readonly kind: 'access rule'
  readonly demand: AccessDemand
}

/** The methods that make access rules. `R` is the type that each method returns. */
export interface AccessRules<R> {
  /**
   * Selects routes for a rule. Each pattern and each class must match at least one route.
   * ```ts
   * rule.routes('/admin/**').run(RequireUser, RolesGuard)
   * rule.routes('/**').except('POST /login', UsersController).run(RequireUser)
   * ```
   */
  routes(first: RouteChoice, ...more: readonly RouteChoice[]): RouteRules<R>
  /** Demands that a function accepts every route. The function gets the description of a route, as `describe` makes it. */
  every(judge: RouteJudge): R
  /**
   * Demands that exactly these routes are public. A route is public if no guard that it runs requires anything of a client. A guard
   * declares its requirements in `static security`; requirements in the schema of a route do not count, because nothing enforces them.
   */
  public(options: { readonly exactly: readonly RouteChoice[] }): R
  /** Demands that the plugin and the plugins below it see no provider of these tokens. */
  neverSees(first: Token<any>, ...more: readonly Token<any>[]): R
}

/** The rules for the routes that {@link AccessRules.routes} has selected. */
export interface RouteRules<R> {
  /** Excludes selected routes. Each pattern and each class must match at least one selected route. */
  except(first: RouteChoice, ...more: readonly RouteChoice[]): RouteRules<R>
  /**
   * Demands that each selected route runs these hooks before its handler, in this order. Hooks of the route itself and of its context
   * count.
   */
  run(first: DemandedHook, ...more: readonly DemandedHook[]): R
  /** Demands that a function accepts each selected route. The function gets the description of the route, as `describe` makes it. */
  every(judge: RouteJudge): R
}

/** Makes the methods that make access rules. @param finish is called with each rule; the method returns the result of `finish` */
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
 * Makes access rules for the option `access` of `@Plugin`. A rule holds for the plugin and for all plugins that it imports, so that no
 * plugin below can evade the rule. A route that breaks a rule is a fault of the wiring.
 * ```ts
 * @Plugin({
 *   prefix: '/admin',
 *   imports: [MetricsPlugin, BillingPlugin],
 *   access: [rule.routes('/**').run(RequireUser, RolesGuard), rule.neverSees(Db)],
 * })
 * class AdminPlugin {}
 * ```
 * Paths are relative to the prefix of the plugin; in rules of the application, they are the paths that clients send. `access(App)` checks
 * the same rules in a test.
 */
export const rule: AccessRules<AccessRule> = Object.freeze(rulesFor((made) => made))
