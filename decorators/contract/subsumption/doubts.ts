/** Doubts: why it is not proven that one schema takes all values of another, and where to look for a value that it does not take. */
import type { Conjunction, Schema } from './schemas.js'
import type { Shape } from './shapes.js'

/** A step from a value into it: the name of a member, or the index of an item. */
export type Step = string | number

/** A place at which a value that is not taken may be found. */
export interface Hint {
  readonly path: readonly Step[]
  /**
   * The schemas that the values on the way to the place fit, the whole value first, and last those of the value at the place. Their
   * alternatives are chosen.
   */
  readonly levels: readonly ReadonlySet<Schema>[]
  /** A schema that the refused value at the place also fits. */
  readonly focus: Schema
  /** Values to try at the place before others are generated. */
  readonly tries: readonly unknown[]
  /** Whether the value at the place is a list whose first item is repeated. */
  readonly isDoubled?: true
}

export interface Doubt {
  /** The place in the value that the reason is about. */
  readonly path: readonly Step[]
  /** The reason in words: which values the wide schema takes, and which others the narrow one allows. */
  readonly reason: string
  /** The reason if a value that is not taken is found; by default the same. */
  readonly shown?: string
  readonly hints: readonly Hint[]
}

/** The answer to the question whether a schema takes all values of another one: yes, if there is no doubt. */
export type Doubts = readonly Doubt[]

export const proven: Doubts = []

/** The most doubts that are kept of one place. */
const MAX_DOUBTS = 12
const MAX_HINTS = 6

/** The parts of the proof that the checks of single keywords use. */
export interface Prover {
  /** Proves that each value of the one conjunction fits the other one. */
  subsumes(wide: Conjunction, narrow: Conjunction): Doubts
  /** Proves that each value of a shape fits a schema, which is about the same value. */
  takes(wide: Schema, shape: Shape): Doubts
  /** Whether it is proven that no value fits the conjunction. */
  isEmpty(conjunction: Conjunction): boolean
  /** Returns the shapes of the values that have a shape and fit a schema; `undefined` if there are too many. */
  meet(shape: Shape, schema: Schema): readonly Shape[] | undefined
  /** Whether a value fits a schema; `undefined` if no validator can be made of the schema. */
  accepts(schema: Schema, value: unknown): boolean | undefined
  /** Returns the schema that a reference leads to. */
  resolve(reference: string): Schema
  make(schema: Readonly<Record<string, unknown>>): Schema
}

/**
 * Returns a doubt about values of a shape.
 * @param focus the keywords that a value which is not taken has besides the shape
 * @param tries values to try first
 */
export function doubt(prover: Prover, shape: Shape, reason: string, focus: object = {}, tries: readonly unknown[] = []): Doubts {
  const hint = { path: [], levels: [shape.schemas], focus: prover.make(focus as Record<string, unknown>), tries }
  return [{ path: [], reason, hints: [hint] }]
}

/** Returns a doubt for which there is no place to look for a value. */
export function vague(reason: string): Doubts {
  return [{ path: [], reason, hints: [] }]
}

/** Returns the doubts about a member or an item as doubts about the whole value. */
export function within(shape: Shape, step: Step, doubts: Doubts): Doubts {
  return doubts.map(({ path, hints, ...others }) => ({
    ...others,
    path: [step, ...path],
    hints: hints.map((hint) => ({ ...hint, path: [step, ...hint.path], levels: [shape.schemas, ...hint.levels] })),
  }))
}

/** Joins doubts, each reason at a place once. */
export function join(all: readonly Doubts[]): Doubts {
  const found = new Map<string, Doubt>()
  for (const each of all.flat()) {
    const key = JSON.stringify([each.path, each.reason])
    const known = found.get(key)
    if (known !== undefined) found.set(key, { ...known, hints: [...known.hints, ...each.hints].slice(0, MAX_HINTS) })
    else if (found.size < MAX_DOUBTS) found.set(key, each)
  }
  return [...found.values()]
}

/** Makes one doubt of the doubts about alternatives: each of them alone would do. */
export function anyOfThem(reason: string, shown: string, all: readonly Doubts[]): Doubts {
  const hints = all.flat().flatMap((each) => each.hints)
  return [{ path: [], reason, shown, hints: hints.slice(0, MAX_HINTS) }]
}
