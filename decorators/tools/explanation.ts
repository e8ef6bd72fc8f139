/** The type of what `explain` returns for one route. */
import type { RouteDescription } from '../../lib/index.js'

/** What one route sees. */
export interface RouteExplanation extends RouteDescription {
  /** Path of its context. */
  readonly context: string
  /** What it sees, and which context declares it. */
  readonly visible: Visibility
  /** What exists but cannot be seen from here, and where it is. */
  readonly hidden: Visibility
  /** The same as text. */
  toString(): string
}

interface Visibility {
  readonly requestDecorators: readonly { readonly name: string; readonly from: string }[]
  readonly providers: readonly { readonly name: string; readonly from: string; readonly scope: string }[]
}
