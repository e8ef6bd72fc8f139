/** A route as it was declared, before it is compiled. */
import type { DeclaredReplies } from '../types/description.js'
import type { RouteHandler, RouteShorthandOptions } from '../types/route.js'
import type { kPlace } from '../util/symbols.js'

/** Where a decorated class declares a route, and what its decorators say of it. */
export interface RoutePlace {
  /** The path of the class that declares the route: `App > PublicPlugin > GetTwo` */
  readonly path: string
  /** The status of the route's replies, unless the handler sets another. */
  readonly status: number
  /** The `around` hooks of the route, outermost first. They are part of its handler. */
  readonly arounds: readonly { readonly name: string; readonly from: string; readonly replies: DeclaredReplies | undefined }[]
  /** Returns a sentence that says what to write so that the route sees the shared schema with this `$id`. */
  readonly cureOfUnlistedSchema: (id: string) => string
}

/** The options of a declared route, as `onRoute` hooks get and may change them. */
export interface DeclaredOptions extends RouteShorthandOptions<any> {
  method: string | string[]
  /** The path of the route: without the prefix of its context until the route is declared in that context, with the prefix after that. */
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
   * Whether the framework made the route, a HEAD route beside a GET route. A HEAD route that the application declares replaces such a
   * route.
   */
  readonly isImplicitHead: boolean
  readonly options: DeclaredOptions
}
