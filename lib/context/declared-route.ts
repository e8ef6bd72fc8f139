/** A route as it was declared, before it is compiled. */
import type { Contract } from '../types/description.js'
import type { RouteHandler, RouteShorthandOptions } from '../types/route.js'
import type { kPlace } from '../util/symbols.js'

/** Where a decorated class declares a route. */
export interface RoutePlace {
  /** `App > PublicPlugin > GetTwo` */
  readonly path: string
  /** The status of its replies, unless the handler sets another. */
  readonly status: number
  /** Its `around` hooks, outermost first. They are part of its handler. */
  readonly arounds: readonly { readonly name: string; readonly from: string; readonly contract: Contract | undefined }[]
  /** What to write so that the route sees a shared schema. */
  readonly cureOfMissingSchema: (id: string) => string
}

/** The options of a declared route, as `onRoute` hooks get and may change them. */
export interface DeclaredOptions extends RouteShorthandOptions<any> {
  method: string | string[]
  /** Below the prefix of the context until the route is declared there, then the whole path. */
  url: string
  path?: string
  /** The path below the prefix. */
  routePath?: string
  /** The prefix of the context. */
  prefix?: string
  [kPlace]?: RoutePlace
  handler: RouteHandler<any>
}

/** A route and the context that it was declared in. */
export interface DeclaredRoute {
  readonly method: string | string[]
  /** prefix included */
  readonly url: string
  /** The path that `request.routeOptions` shows: that of the first variant of `/` below a prefix, which `onRoute` hooks get too. */
  readonly shownUrl: string
  /** A HEAD route that the framework made beside a GET route. It is replaced by one that the application declares. */
  readonly isImplicitHead: boolean
  readonly options: DeclaredOptions
}
