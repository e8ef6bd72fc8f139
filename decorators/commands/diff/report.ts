/** The result of `alcove diff`. */
import type { Change, ComparedRoute } from '../../contract/compare/compare-types.js'
import type { ContractNote } from '../../contract/document/contract-types.js'
import type { Answer } from '../../contract/subsumption/compare.js'

/** The document that `alcove diff --json` prints. New members may be added; if existing members change, the number `version` changes. */
export interface DiffReport {
  readonly version: 1
  /** The worst answer among all routes and `changes`. */
  readonly answer: Answer
  /** The argument of the command for the old version. */
  readonly old: string
  readonly new: string
  /** The changes that do not belong to a single route. */
  readonly changes: readonly Change[]
  /** All routes of the old and of the new version of the application. */
  readonly routes: readonly ComparedRoute[]
  /** The changes that do not appear in the interface, such as in guards and providers. A reviewer must assess them. */
  readonly review: readonly ReviewedChange[]
  /** The places of the documents that were not compared, with the reasons. */
  readonly notes: readonly DiffNote[]
  /** Whether json-schema-faker generated values. Without generated values, fewer examples are found, and more answers are `unknown`. */
  readonly generates: boolean
}

export interface DiffNote extends ContractNote {
  readonly state: 'old' | 'new'
}

/** A change that does not appear in the interface, and that a reviewer must assess. */
export interface ReviewedChange {
  /** The kind of the change: `hook-lost`. */
  readonly kind: string
  /** The path of the plugin, or of the class and method of a route. */
  readonly place: string
  /** The change as a sentence. */
  readonly text: string
}

/** The exit code of `alcove diff` for each answer. */
export const exitCodes: Readonly<Record<Answer, number>> = { compatible: 0, breaking: 1, unknown: 2 }
