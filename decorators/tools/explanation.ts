/** The types of what `explain` returns about routes and plugins. */
import type { HookDescription, RouteDescription } from '../../lib/index.js'

/** The description of one route. */
export interface RouteExplanation extends Omit<RouteDescription, 'hooks'> {
  /** The hooks of the route, in the order in which they run. `around` stands between preHandler and preSerialization, outermost first. */
  readonly hooks: readonly ExplainedHook[]
  /** Path of its context. */
  readonly context: string
  /** The decorators and providers that it sees, with the contexts that declare them. */
  readonly visible: Visibility
  /** Those that other contexts declare and the route does not see. */
  readonly hidden: Visibility
  /** The same as text. */
  toString(): string
}

/** A hook of a route, `around` included. */
export interface ExplainedHook extends Omit<HookDescription, 'hook'> {
  readonly hook: HookDescription['hook'] | 'around'
}

interface Visibility {
  readonly requestDecorators: readonly { readonly name: string; readonly from: string }[]
  readonly providers: readonly { readonly name: string; readonly from: string; readonly scope: string }[]
}

/** A plugin that another one imports without making an instance of it. */
export interface PluginUse {
  /** Path of the instance: `App > Users`. */
  readonly plugin: string
  /** Path of the plugin that imports it. */
  readonly by: string
}

/** A use with the path of the context in which it is shown. */
export interface ContextUse extends PluginUse {
  readonly context: string
}
