/** The comparison of two states of an interface, as data. */
import type { Answer } from '../subsumption/compare.js'

/** A change of a route, or a part of it for which the answer is not known. */
export interface Change {
  /** The part of the route: `body`, `query limit`, `reply 200`, `security`; `route` for the route as a whole. */
  readonly part: string
  /**
   * `compatible`: it is proven that each request is still taken, or that each reply fits what clients expect. `breaking`: there is an
   * example that is not. `unknown`: neither is known.
   */
  readonly answer: Answer
  /** The place in the value as a JSON Pointer (RFC 6901). Absent if the change is about the whole part. */
  readonly path?: string
  /** The change in words. */
  readonly reason: string
  /** A value that was taken and is not any more, or that was not sent and now may be. */
  readonly example?: unknown
}

/** A route in two states of an interface. */
export interface ComparedRoute {
  /** The method and the path: `GET /pets/{petId}`. */
  readonly route: string
  readonly state: 'kept' | 'added' | 'removed'
  /** The worst answer of the changes; `compatible` if there are none. */
  readonly answer: Answer
  readonly changes: readonly Change[]
}

const order: readonly Answer[] = ['compatible', 'unknown', 'breaking']

/** Returns the worst of some answers. */
export function worstOf(answers: readonly Answer[]): Answer {
  return order[Math.max(0, ...answers.map((answer) => order.indexOf(answer)))]!
}
