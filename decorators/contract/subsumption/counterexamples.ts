/**
 * Searches a counterexample if it is not proven that one schema allows all values of another: a value that the other schema allows and the
 * first does not.
 */
import { type Candidates, MAX_ITEMS } from './candidates.js'
import type { Doubt, Hint, Step } from './doubts.js'
import type { Schema } from './schemas.js'
import { itemSchemas, type Shape, shapeOf } from './shapes.js'

/**
 * The number of values that are generated for each shape, type and size: at one place of a value, and (`OF_WHOLE`) for the whole schema.
 */
const OF_PLACE = 3
const OF_WHOLE = 10
/** The number of whole payloads that are tried for one value of a member or an item. */
const ATTEMPTS = 2

export interface Search {
  readonly candidates: Candidates
  /** Whether a value is valid for the schema `narrow` and invalid for the schema `wide`. */
  isCounterexample(value: unknown): boolean
}

/**
 * Searches a counterexample at the places in values that a doubt (an unproven comparison of two schemas) names. Returns `undefined` if none
 * is found.
 */
export function counterexampleOf(doubt: Doubt, search: Search): { readonly value: unknown } | undefined {
  for (const hint of doubt.hints) {
    for (const value of valuesFor(hint, search.candidates)) if (search.isCounterexample(value)) return { value }
  }
  return undefined
}

/** Searches a counterexample, which is a value that another schema refuses, among generated values of `narrow`. */
export function anyCounterexample(narrow: Schema, search: Search): { readonly value: unknown } | undefined {
  for (const value of search.candidates.of([narrow], OF_WHOLE)) if (search.isCounterexample(value)) return { value }
  return undefined
}

/** Makes whole values that have, at the place of a hint, a value that may be refused. */
function* valuesFor(hint: Hint, candidates: Candidates): Iterable<unknown> {
  for (const value of hint.tries) yield* wholes(value, hint, candidates)
  for (const value of candidates.of([hint.focus], OF_PLACE, hint.levels.at(-1)))
    yield* wholes(hint.isDoubled === true ? doubled(value) : value, hint, candidates)
}

/** Makes whole values that contain a given value at the end of a path, from the inside out, by the schemas of each level. */
function* wholes(value: unknown, { path, levels }: Hint, candidates: Candidates): Iterable<unknown> {
  if (path.length === 0) return yield value
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let whole: unknown = value
    for (let level = path.length - 1; level >= 0; level--) whole = around(whole, path[level]!, levels[level]!, candidates, attempt)
    if (whole !== undefined) yield whole
  }
}

/**
 * Makes an object or a list that fits the schemas of `level` and has the given value at `step`. Returns `undefined` if there is no given
 * value.
 */
function around(value: unknown, step: Step, level: ReadonlySet<Schema>, candidates: Candidates, attempt: number): unknown {
  if (value === undefined) return undefined
  const shape = shapeOf(level)
  const isFree = attempt === 0 && demandsNothingBut(step, shape)
  if (typeof step === 'number') {
    const base = isFree ? [] : candidates.holderOf(shape, step, attempt)
    const list: unknown[] = Array.isArray(base) ? [...(base as unknown[])] : []
    for (let index = list.length; index < Math.min(MAX_ITEMS, Math.max(step, shape.minItems)); index++)
      list.push(firstOf(candidates.of(itemSchemas(shape.items, index), 1)))
    list[step] = value
    return list
  }
  const base = isFree ? {} : candidates.holderOf(shape, step, attempt)
  const object = base !== null && typeof base === 'object' ? base : {}
  // A member may be named `__proto__`.
  return Object.fromEntries([...Object.entries(object), [step, value]])
}

/** Whether an object or list of the shape needs no member or item except the one at `step`. */
function demandsNothingBut(step: Step, { required, minProperties, minItems, contains, dependents }: Shape): boolean {
  if (typeof step === 'number') return minItems <= step + 1 && contains.length === 0 && step === 0
  return [...required].every((name) => name === step) && minProperties <= 1 && dependents.length === 0
}

function firstOf(values: Iterable<unknown>): unknown {
  for (const value of values) return value
  return null
}

function doubled(value: unknown): unknown {
  return Array.isArray(value) && value.length > 0 ? [...(value as unknown[]), value[0]] : value
}
