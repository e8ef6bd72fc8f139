/** The lock of an application: who can reach what, as plain data that is kept in a repository and compared. */
import type { DeprecationDescription, SecurityRequirement } from '../../lib/index.js'
import type { ProviderScope } from '../declare/injectable.js'

/** The plugins of an application with their routes, as `alcove.lock` has them. */
export interface Lock {
  /** The plugins, ordered by path and prefix. */
  readonly plugins: readonly LockedPlugin[]
}

/** A plugin class of the application. A class that is imported twice is two plugins. */
export interface LockedPlugin {
  /** The names from the application to the plugin: `App > Users`. */
  readonly path: string
  /** The full prefix of the routes of the plugin; empty if there is none. */
  readonly prefix: string
  /** Whether the plugin declares in the context of the plugin that imports it. */
  readonly isShared: boolean
  /** The providers that the plugin lists, ordered by name. */
  readonly gives: readonly LockedProvider[]
  /** The providers of other plugins that the plugin's classes and factories ask for, ordered by name. */
  readonly needs: readonly LockedNeed[]
  /**
   * The code that runs at boot and may declare what the lock does not have, such as routes and hooks: `setup`, and the names of imported
   * plugin functions.
   */
  readonly runs: readonly string[]
  /** The name of the handler for unknown paths. Absent if the plugin has none. */
  readonly notFound?: string
  /** The jobs that the plugin lists, ordered by name. */
  readonly jobs: readonly LockedJob[]
  /** The routes that the plugin declares, ordered by URL and methods. Without the HEAD routes that were made for GET routes. */
  readonly routes: readonly LockedRoute[]
}

/** A job that a plugin lists. */
export interface LockedJob {
  /** The name of the class. */
  readonly name: string
  readonly lifetime: 'context' | 'request'
  readonly kind: 'queue' | 'cron' | 'every' | 'event'
  /** The name of the queue, the pattern of cron with its time zone, the time between two runs, or the event and when it is handled. */
  readonly when: string
  /** The digest of the schema of the input; `opaque` if a library does not show the schema. Absent for a job that runs at times. */
  readonly input?: string
}

/** A provider that a plugin lists. */
export interface LockedProvider {
  /** The name of the token. */
  readonly name: string
  readonly lifetime: ProviderScope
  /** Whether only the plugin itself sees the provider. */
  readonly isPrivate: boolean
}

/** A provider that a plugin takes from another plugin. */
export interface LockedNeed {
  /** The name of the token. */
  readonly name: string
  /** The provider that is injected. `undefined` if the token is optional and no visible plugin provides it. */
  readonly provider:
    | { readonly lifetime: ProviderScope; /** The path of the plugin that lists the provider. */ readonly from: string }
    | undefined
}

/** A route that a plugin class declares. */
export interface LockedRoute {
  readonly methods: readonly string[]
  /** The path as declared, with the prefix: `/users/:id`. */
  readonly url: string
  /** The constraints that a request must match besides method and path, ordered by name: `{ version: '2.0.0' }`. */
  readonly constraints: Readonly<Record<string, string>>
  /** The class and method that answer, without the path of the plugin: `Users.find`. */
  readonly handler: string
  /** The lifetime of the class that answers. */
  readonly lifetime: 'context' | 'request'
  /** When the deprecation began and when the route may end; `true` without dates. Absent if the route is not deprecated. */
  readonly deprecated?: true | DeprecationDescription
  /** The hooks of the route, in the order in which they run. */
  readonly hooks: readonly LockedHook[]
  /** The security requirements, of which a request must satisfy one. */
  readonly security: readonly SecurityRequirement[]
  /**
   * The digests of the schemas, by part of the request: `params`, `body`. `opaque` if a library does not show the schema, so that no digest
   * can be made.
   */
  readonly input: Readonly<Record<string, string>>
  /**
   * The digests of the schemas, by status, range or `default`, without the replies of the framework itself. `empty` if the reply has no
   * body, `undeclared` if its payload is not known.
   */
  readonly replies: Readonly<Record<string, string>>
  /** The limits of a request: `bodyLimit` in bytes, `handlerTimeout` in ms. */
  readonly limits: Readonly<Record<string, number>>
}

/** A hook of a route. */
export interface LockedHook {
  /** The stage in which the hook runs: `onRequest`. */
  readonly hook: string
  /** The name of the function, class or method of the plugin class. */
  readonly name: string
  /** The path of the context that added the hook; `route` if the route has the hook itself. */
  readonly from: string
}
