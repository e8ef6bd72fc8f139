/** The types of what `explain` returns about routes and plugins. */
import type { RouteDescription } from '../../lib/index.js'

/** The description of one route, with what it sees. */
export interface RouteExplanation extends RouteDescription {
  /** The decorators and providers that it sees, with the contexts that declare them. */
  readonly visible: Visibility
  /** Those that other contexts declare and the route does not see. */
  readonly hidden: Visibility
  /** The same as text. */
  toString(): string
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
