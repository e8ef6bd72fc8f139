/** The result of `alcove diff`. */
import type { Change, ComparedRoute } from '../../contract/compare/compare-types.js'
import type { ContractNote } from '../../contract/document/contract-types.js'
import type { Answer } from '../../contract/subsumption/compare.js'

/** The document that `alcove diff --json` prints. Members may be added to it; if existing members change, `version` is another number. */
export interface DiffReport {
  readonly version: 1
  /** The worst answer of all routes, and of the document as a whole. */
  readonly answer: Answer
  /** The old state, as it was given to the command. */
  readonly old: string
  readonly new: string
  /** Changes that are about no single route. */
  readonly changes: readonly Change[]
  /** All routes of both states. */
  readonly routes: readonly ComparedRoute[]
  /** Changes that no request shows, such as guards and providers: a reviewer decides about them. */
  readonly review: readonly ReviewedChange[]
  /** The parts of the documents that were not compared, with the reasons. */
  readonly notes: readonly DiffNote[]
  /** Whether json-schema-faker generated values. Without it, fewer examples are found, and more answers are unknown. */
  readonly generates: boolean
}

export interface DiffNote extends ContractNote {
  readonly state: 'old' | 'new'
}

/** A change that no request shows. */
export interface ReviewedChange {
  /** The kind of the change: `hook-lost`. */
  readonly kind: string
  /** The path of the plugin, or of the class and method of a route. */
  readonly place: string
  /** The change as a sentence. */
  readonly text: string
}

/** The exit code of the command for each answer. */
export const exitCodes: Readonly<Record<Answer, number>> = { compatible: 0, breaking: 1, unknown: 2 }
