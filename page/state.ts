/** The state of the page: the explanation, the one that it is compared with, and what the reader has chosen. */
import type { Comparison } from './data/compare.js'
import type { Model } from './data/model.js'

export type View = 'routes' | 'wiring' | 'changes'

export interface State {
  model: Model
  comparison: Comparison | undefined
  view: View
  query: string
  /** The title of the chosen route. */
  route: string | undefined
  /** The key of the chosen provider, class or plugin. */
  node: string | undefined
  /** The path of the context to which the list is limited. */
  context: string | undefined
  /** The name of the hook to which the list is limited; `none` limits it to routes without a guard. */
  hook: { readonly name: string } | 'none' | undefined
}

/** The state with the functions that change it and draw the page again. */
export interface Page {
  readonly state: State
  /** Changes what is shown. The address follows, so that it can be kept and sent. */
  go(change: Partial<State>): void
}
