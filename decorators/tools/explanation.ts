/** The types of the explanations of routes and plugins that `explain` returns. */
import type { ProviderScope } from '../declare/injectable.js'
import type { ContextDescription, RouteDescription } from '../../lib/index.js'

/** The description of a route, with the decorators and providers that the route sees. */
export interface RouteExplanation extends RouteDescription {
  /** The decorators and providers that the route sees, with the contexts that declare them. */
  readonly visible: Visibility
  /** The decorators and providers that the route does not see, with the contexts that declare them. */
  readonly hidden: Visibility
  /** Returns the explanation as text. */
  toString(): string
}

interface Visibility {
  readonly requestDecorators: readonly { readonly name: string; readonly from: string }[]
  readonly providers: readonly { readonly name: string; readonly from: string; readonly scope: string }[]
}

/** An import of a plugin for which no instance was made, because the importing plugin uses a shared instance. */
export interface PluginUse {
  /** The path of the shared instance: `App > Users`. */
  readonly plugin: string
  /** The path of the plugin that imports the shared instance. */
  readonly by: string
}

/** An import of a plugin that uses a shared instance, with the path of the context in which `explain` shows the use. */
export interface ContextUse extends PluginUse {
  readonly context: string
}

/** A plugin class of the application, with its providers, its constructed classes and its jobs. */
export interface PluginExplanation {
  /** The names from the application to the plugin: `App > Users`. */
  readonly path: string
  /** The path of the context in which the plugin declares: for a shared plugin the context of the importing plugin. */
  readonly context: string
  /** The full prefix of the plugin's routes; empty if there is none. */
  readonly prefix: string
  /** Whether the plugin declares in the context of the plugin that imports it. */
  readonly isShared: boolean
  /** The providers that the plugin lists. */
  readonly providers: readonly ProviderExplanation[]
  /** The plugin class itself, and the classes of its routes, jobs, hooks and handlers. They are constructed, and no class can inject them. */
  readonly classes: readonly ConstructedExplanation[]
  /** The jobs that the plugin lists. */
  readonly jobs: readonly JobExplanation[]
}

/** A job of a plugin. */
export interface JobExplanation {
  /** The name of the class. */
  readonly name: string
  /** Whether the job takes from a queue (`queue`), runs on a schedule (`cron`, `every`), or handles an event (`event`). */
  readonly kind: 'queue' | 'cron' | 'every' | 'event'
  /**
   * The trigger of the job: the name of the queue, the cron pattern with its time zone, the time between two runs, or the event and when it
   * is handled: `mails`, `0 3 * * *`, `10000 ms`, `user.registered later`.
   */
  readonly when: string
}

/** A provider or class with its dependencies. */
export interface ConstructedExplanation {
  readonly name: string
  /** The lifetime of the instances. A provider that depends on a request-scoped provider is request-scoped too. */
  readonly lifetime: ProviderScope
  /** The dependencies, in the order of the constructor's parameters. */
  readonly needs: readonly NeedExplanation[]
}

export interface ProviderExplanation extends ConstructedExplanation {
  /** Whether only the plugin that lists the provider sees it. */
  readonly isPrivate: boolean
}

/** A dependency of a provider or class. */
export interface NeedExplanation {
  readonly name: string
  /** The path of the plugin that lists the provider. Absent for a built-in value, and for an optional token without a provider. */
  readonly from?: string
}

/** The data of an explanation: the output of `alcove explain --json`. */
export interface ExplanationDocument {
  readonly version: 1
  readonly root: ContextDescription
  readonly routes: readonly RouteExplanation[]
  readonly uses: readonly PluginUse[]
  /** The plugin classes, each before the plugins that it imports. Empty for a server that `createServer` made. */
  readonly plugins: readonly PluginExplanation[]
}
