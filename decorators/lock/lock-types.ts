/**
 * The types of the lock of an application: its plugins, routes and access rules as plain data, which is kept in a repository and compared.
 */
import type { DeprecationDescription, SecurityRequirement } from '../../lib/index.js'
import type { ProviderScope } from '../declare/injectable.js'

/** The plugins of an application with their routes, as written in `alcove.lock`. */
export interface Lock {
  /** The plugins, ordered by path and prefix. */
  readonly plugins: readonly LockedPlugin[]
}

/** A plugin class of the application. If a class is imported twice, each import is a plugin. */
export interface LockedPlugin {
  /** The names from the application to the plugin: `App > Users`. */
  readonly path: string
  /** The full prefix of the routes of the plugin; empty if there is none. */
  readonly prefix: string
  /** Whether the plugin declares in the context of the plugin that imports it. */
  readonly isShared: boolean
  /** The providers that the plugin lists, ordered by name. */
  readonly gives: readonly LockedProvider[]
  /** The providers of other plugins on which the plugin's classes and factories depend, ordered by name. */
  readonly needs: readonly LockedNeed[]
  /**
   * The code that runs at boot and may declare routes and hooks that are not in the lock: `setup`, and the names of imported plugin
   * functions.
   */
  readonly runs: readonly string[]
  /** The name of the handler for unknown paths. Absent if the plugin has none. */
  readonly notFound?: string
  /** The jobs that the plugin lists, ordered by name. */
  readonly jobs: readonly LockedJob[]
  /** The routes that the plugin declares, ordered by URL and methods. HEAD routes that were added to GET routes are left out. */
  readonly routes: readonly LockedRoute[]
}

/** A job that a plugin lists. */
export interface LockedJob {
  /** The name of the class. */
  readonly name: string
  readonly lifetime: 'context' | 'request'
  readonly kind: 'queue' | 'cron' | 'every' | 'event'
  /**
   * The trigger of the job: the name of the queue, the cron pattern with its time zone, the time between two runs, or the event and when it
   * is handled.
   */
  readonly when: string
  /** The digest of the schema of the input; `opaque` if a library does not reveal the schema. Absent for a scheduled job. */
  readonly input?: string
}

/** A provider that a plugin lists. */
export interface LockedProvider {
  /** The name of the provider's token. */
  readonly name: string
  readonly lifetime: ProviderScope
  /** Whether only the plugin itself sees the provider. */
  readonly isPrivate: boolean
}

/** A dependency on a provider of another plugin. */
export interface LockedNeed {
  /** The name of the provider's token. */
  readonly name: string
  /** The provider that is injected. `undefined` if the token is optional and no visible plugin provides it. */
  readonly provider:
    | { readonly lifetime: ProviderScope; /** The path of the plugin that lists the provider. */ readonly from: string }
    | undefined
}

/** A route that a plugin class declares. */
export interface LockedRoute {
  readonly methods: readonly string[]
  /** The declared path, including the prefix: `/users/:id`. */
  readonly url: string
  /** The constraints that a request must match in addition to method and path, ordered by name: `{ version: '2.0.0' }`. */
  readonly constraints: Readonly<Record<string, string>>
  /** The class and method that handle the route, without the path of the plugin: `Users.find`. */
  readonly handler: string
  /** The lifetime of the class that handles the route. */
  readonly lifetime: 'context' | 'request'
  /** The dates of the deprecation; `true` if there are no dates. Absent if the route is not deprecated. */
  readonly deprecated?: true | DeprecationDescription
  /** The hooks of the route, in the order in which they run. */
  readonly hooks: readonly LockedHook[]
  /** The security requirements, of which a request must satisfy one. */
  readonly security: readonly SecurityRequirement[]
  /**
   * The digests of the schemas of `params`, `querystring`, `headers`, `cookies` and `body`. `opaque` if a library does not reveal the
   * schema, so that no digest can be made.
   */
  readonly input: Readonly<Record<string, string>>
  /**
   * The digests of the reply schemas by status, range or `default`, without the replies of the framework itself. `empty` if the reply has
   * no body, `undeclared` if its payload is unknown.
   */
  readonly replies: Readonly<Record<string, string>>
  /** The limits of the route: `bodyLimit` in bytes, `handlerTimeout` in ms. */
  readonly limits: Readonly<Record<string, number>>
}

/** A hook of a route. */
export interface LockedHook {
  /** The stage in which the hook runs: `onRequest`. */
  readonly hook: string
  /** The name of the hook function or hook class, or of the plugin class's method. */
  readonly name: string
  /** The path of the context that added the hook; `route` if the route itself declares the hook. */
  readonly from: string
}
