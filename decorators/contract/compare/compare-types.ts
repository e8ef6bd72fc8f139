/** The types of a comparison of two versions of an application's interface. */
import type { Answer } from '../subsumption/compare.js'

/** A change of a route between two versions of an interface, or a place where it is unknown whether old clients still work. */
export interface Change {
  /** The place of the change in the route: `body`, `query limit`, `reply 200`, `security`; `route` for the route as a whole. */
  readonly part: string
  /**
   * The effect on old clients. `compatible`: it is proven that the server still takes each old request, or that each new reply fits the old
   * schema. `breaking`: an example shows the opposite. `unknown`: there is neither a proof nor an example.
   */
  readonly answer: Answer
  /** The place in the changed body or parameter as a JSON Pointer (RFC 6901). Absent if the change is about the whole body or parameter. */
  readonly path?: string
  /** The change in words. */
  readonly reason: string
  /** A value that the server took and takes no more, or that the server did not send and may send now. */
  readonly example?: unknown
}

/** A route, compared in two versions of an interface. */
export interface ComparedRoute {
  /** The method and the path: `GET /pets/{petId}`. */
  readonly route: string
  readonly state: 'kept' | 'added' | 'removed'
  /** The worst answer of the route's changes; `compatible` if there are no changes. */
  readonly answer: Answer
  readonly changes: readonly Change[]
}

const order: readonly Answer[] = ['compatible', 'unknown', 'breaking']

/** Returns the worst of these answers: `breaking` is worse than `unknown`, and `unknown` is worse than `compatible`. */
export function worstOf(answers: readonly Answer[]): Answer {
  return order[Math.max(0, ...answers.map((answer) => order.indexOf(answer)))]!
}
