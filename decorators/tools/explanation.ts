/** The types of the explanations of routes and plugins that `explain` returns. */
import type { RouteDescription } from '../../lib/index.js'

/** The description of one route, with the decorators and providers that it sees. */
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

/** The use of a shared plugin instance by a plugin that imports it and makes no new one. */
export interface PluginUse {
  /** The path of the instance that is used: `App > Users`. */
  readonly plugin: string
  /** The path of the plugin that uses the instance. */
  readonly by: string
}

/** The use of a shared plugin instance, with the path of the context in which `explain` shows it. */
export interface ContextUse extends PluginUse {
  readonly context: string
}
