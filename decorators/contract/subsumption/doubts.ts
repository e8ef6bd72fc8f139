/**
 * Doubts: the reasons why it is not proven that one schema allows all values of another schema, with the places where a counterexample may
 * be found.
 */
import type { Conjunction, Schema } from './schemas.js'
import type { Shape } from './shapes.js'

/** A step into a value: the name of a member, or the index of an item. */
export type Step = string | number

/**
 * A place in a value where a counterexample to the comparison of two schemas may be found, which is a value that only one of them allows.
 */
export interface Hint {
  readonly path: readonly Step[]
  /**
   * The schemas that the values on the way to the place must fit: first those of the whole value, last those of the value at the place.
   * Alternatives (`anyOf`, `oneOf`) are chosen already.
   */
  readonly levels: readonly ReadonlySet<Schema>[]
  /** A further schema for the value at the place, which describes the values that may be refused. */
  readonly focus: Schema
  /** Values to try at the place before values are generated. */
  readonly tries: readonly unknown[]
  /** Whether the first item of the list at the place is repeated, to find a list with equal items. */
  readonly isDoubled?: true
}

export interface Doubt {
  /** The place in the values where the comparison of the two schemas is not proven. */
  readonly path: readonly Step[]
  /** The reason in words: the values that the one schema allows, and the other values that may come. */
  readonly reason: string
  /** The reason to report if a counterexample is found. Default: `reason`. */
  readonly shown?: string
  readonly hints: readonly Hint[]
}

/** The result of comparing two schemas: an empty list is a proof that the one schema allows all values of the other. */
export type Doubts = readonly Doubt[]

export const proven: Doubts = []

/** The most doubts (unproven comparisons) that are returned for one place. */
const MAX_DOUBTS = 12
const MAX_HINTS = 6

/** The methods of the proof that the checks of single keywords call. */
export interface Prover {
  /** Proves that each value that fits all schemas of `narrow` also fits all schemas of `wide`. */
  subsumes(wide: Conjunction, narrow: Conjunction): Doubts
  /** Proves that each value of a shape fits the schema `wide`. */
  takes(wide: Schema, shape: Shape): Doubts
  /** Whether it is proven that no value fits all these schemas. */
  isEmpty(conjunction: Conjunction): boolean
  /** Returns the shapes of the values that fit both a shape and a schema; `undefined` if there are too many shapes. */
  meet(shape: Shape, schema: Schema): readonly Shape[] | undefined
  /** Whether a value fits a schema; `undefined` if no validator can be made of the schema. */
  accepts(schema: Schema, value: unknown): boolean | undefined
  /** Returns the schema that a reference leads to. */
  resolve(reference: string): Schema
  make(schema: Readonly<Record<string, unknown>>): Schema
}

/**
 * Returns a doubt: a reason why it is not proven that a schema allows all values of a shape.
 * @param focus the keywords of a schema for the values that may be refused
 * @param tries values to try first as counterexamples
 */
export function doubt(prover: Prover, shape: Shape, reason: string, focus: object = {}, tries: readonly unknown[] = []): Doubts {
  const hint = { path: [], levels: [shape.schemas], focus: prover.make(focus as Record<string, unknown>), tries }
  return [{ path: [], reason, hints: [hint] }]
}

/** Returns a doubt (a reason why a comparison is not proven) without a place where a counterexample may be found. */
export function vague(reason: string): Doubts {
  return [{ path: [], reason, hints: [] }]
}

/** Converts the doubts from comparing the member or item at `step` to doubts about the whole value. */
export function within(shape: Shape, step: Step, doubts: Doubts): Doubts {
  return doubts.map(({ path, hints, ...others }) => ({
    ...others,
    path: [step, ...path],
    hints: hints.map((hint) => ({ ...hint, path: [step, ...hint.path], levels: [shape.schemas, ...hint.levels] })),
  }))
}

/** Joins lists of doubts (unproven comparisons). Doubts with the same reason and place are merged. */
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

/** Merges the doubts about the alternatives of `anyOf` or `oneOf` to one doubt, because a value must fit only one alternative. */
export function anyOfThem(reason: string, shown: string, all: readonly Doubts[]): Doubts {
  const hints = all.flat().flatMap((each) => each.hints)
  return [{ path: [], reason, shown, hints: hints.slice(0, MAX_HINTS) }]
}
