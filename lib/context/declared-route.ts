/** A route as it was declared, before it is compiled. */
import type { DeclaredReplies } from '../types/description.js'
import type { RouteHandler, RouteShorthandOptions } from '../types/route.js'
import { inspect } from '../util/node/modules.js'
import type { kPlace } from '../util/symbols.js'

/** The place in a decorated class that declares a route, and the settings from its decorators. */
export interface RoutePlace {
  /** The path of the class that declares the route: `App > PublicPlugin > GetTwo` */
  readonly path: string
  /** The status of the route's replies, unless the handler sets another. */
  readonly status: number
  /** The `around` hooks of the route, outermost first. They are part of the route's handler. */
  readonly arounds: readonly { readonly name: string; readonly from: string; readonly replies: DeclaredReplies | undefined }[]
  /** Returns a sentence that tells the application how to make the shared schema with this `$id` visible to the route. */
  readonly cureOfUnlistedSchema: (id: string) => string
}

/** The options of a declared route. `onRoute` hooks get them and may change them. */
export interface DeclaredOptions extends RouteShorthandOptions<any> {
  method: string | string[]
  /**
   * The path of the route. Until the route is declared in its context, the path has no prefix; after that it includes the prefix of the
   * context.
   */
  url: string
  path?: string
  /** The path of the route, without the prefix of its context. */
  routePath?: string
  /** The prefix of the route's context. */
  prefix?: string
  [kPlace]?: RoutePlace
  handler: RouteHandler<any>
}

/** A route and the context that it was declared in. */
export interface DeclaredRoute {
  readonly method: string | string[]
  /** The path of the route, prefix included. */
  readonly url: string
  /**
   * The path that `request.routeOptions` and `onRoute` hooks show. A route `/` below a prefix may have two paths; this is the first of
   * them.
   */
  readonly shownUrl: string
  /**
   * Whether the route is a HEAD route that the framework made for a GET route. A HEAD route that the application declares replaces such a
   * route.
   */
  readonly isImplicitHead: boolean
  readonly options: DeclaredOptions
}

/** Returns the constraints of a route as a text, which is equal for equal constraints, also for regular expressions. */
export function textOfConstraints(constraints: object | undefined): string {
  return constraints === undefined ? '{}' : inspect(constraints, { sorted: true, depth: null })
}
