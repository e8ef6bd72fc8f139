/** The type of the description that `explain` returns for one route. */
import type { RouteDescription } from '../../lib/index.js'

/** The description of one route. */
export interface RouteExplanation extends RouteDescription {
  /** Path of its context. */
  readonly context: string
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
