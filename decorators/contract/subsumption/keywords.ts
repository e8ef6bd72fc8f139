/** Compares the keywords of numbers, texts and listed values: proves that they allow all values of a shape (see shapes.ts). */
import { canonicalText } from '../../../lib/internal.js'
import { doubt, type Doubts, proven, type Prover, vague } from './doubts.js'
import type { SchemaObject } from './schemas.js'
import { type Atom, type Bound, type Shape, typesOf } from './shapes.js'

type Check = (wide: SchemaObject, shape: Shape, prover: Prover) => Doubts

/** Values of each type to try as counterexamples. */
const samples: Readonly<Record<Atom, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [0, 1, -1, 7, 100],
  fraction: [0.5, -0.5, 1.25],
  string: ['', 'a', 'text', '0'],
  array: [[]],
  object: [{}],
}
const numberFormats: ReadonlySet<string> = new Set(['int32', 'int64'])
/** The narrower formats of a format: each `int32` is also an `int64`. */
const includes: Readonly<Record<string, readonly string[]>> = { int64: ['int32'] }
const int32: readonly [number, number] = [-(2 ** 31), 2 ** 31 - 1]

export const checks: Readonly<Record<string, Check>> = {
  type: checkType,
  enum: checkEnum,
  minimum: (wide, shape, prover) => checkLow({ value: wide['minimum'], exclusive: false }, shape, prover),
  exclusiveMinimum: (wide, shape, prover) => checkLow({ value: wide['exclusiveMinimum'], exclusive: true }, shape, prover),
  maximum: (wide, shape, prover) => checkHigh({ value: wide['maximum'], exclusive: false }, shape, prover),
  exclusiveMaximum: (wide, shape, prover) => checkHigh({ value: wide['exclusiveMaximum'], exclusive: true }, shape, prover),
  multipleOf: checkMultiple,
  minLength: checkMinLength,
  maxLength: checkMaxLength,
  pattern: checkPattern,
  format: checkFormat,
}

function checkType(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  const types = typesOf(wide)
  const others = [...shape.types].filter((each) => !types.has(each))
  if (others.length === 0) return proven
  const focus = { type: others.map((each) => (each === 'fraction' ? 'number' : each)) }
  const tries = others.flatMap((each) => samples[each])
  const taken = (wide['type'] as readonly string[]).map((type) => plurals[type] ?? type)
  return doubt(prover, shape, `takes ${taken.join(' or ')}, and ${namesOf(others)} may come`, focus, tries)
}

const plurals: Readonly<Record<string, string>> = {
  array: 'lists',
  boolean: 'true and false',
  integer: 'integers',
  null: 'null',
  number: 'numbers',
  object: 'objects',
  string: 'texts',
}

function namesOf(atoms: readonly Atom[]): string {
  const isAnyNumber = atoms.includes('integer') && atoms.includes('fraction')
  const names = atoms.map((atom) => (isAnyNumber && atom === 'fraction' ? 'numbers' : atom === 'fraction' ? 'fractions' : plurals[atom]!))
  return names.filter((name) => !isAnyNumber || name !== 'integers').join(' or ')
}

function checkEnum(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  const listed: readonly unknown[] = wide['enum']
  const shown = canonicalText(listed).slice(1, -1)
  const reason = `takes only ${shown.length > 80 ? `${listed.length} values` : shown}, and other values may come`
  return doubt(
    prover,
    shape,
    reason,
    {},
    [...shape.types].flatMap((each) => samples[each]),
  )
}

function checkLow(low: Bound, shape: Shape, prover: Prover): Doubts {
  if (!isNumeric(shape)) return proven
  const own = shape.formats.has('int32') ? tighter(shape.low, int32[0]) : shape.low
  if (own !== undefined && isAtLeast(own, low, shape)) return proven
  const focus = { type: ['number'], ...(low.exclusive ? { maximum: low.value } : { exclusiveMaximum: low.value }) }
  const come = own === undefined ? 'smaller ones may come' : `numbers from ${own.exclusive ? 'above ' : ''}${own.value} may come`
  const tries = low.exclusive ? [low.value, low.value - 1] : [low.value - 1, Math.ceil(low.value) - 1, low.value - 0.5]
  return doubt(prover, shape, `takes numbers ${low.exclusive ? 'above' : 'from'} ${low.value}, and ${come}`, focus, tries)
}

function checkHigh(high: Bound, shape: Shape, prover: Prover): Doubts {
  if (!isNumeric(shape)) return proven
  const negated = (bound: Bound | undefined): Bound | undefined => bound && { value: -bound.value, exclusive: bound.exclusive }
  const own = shape.formats.has('int32') ? negated(tighter(negated(shape.high), -int32[1])) : shape.high
  if (own !== undefined && isAtLeast(negated(own)!, negated(high)!, shape)) return proven
  const focus = { type: ['number'], ...(high.exclusive ? { minimum: high.value } : { exclusiveMinimum: high.value }) }
  const come = own === undefined ? 'greater ones may come' : `numbers ${own.exclusive ? 'below' : 'up to'} ${own.value} may come`
  const tries = high.exclusive ? [high.value, high.value + 1] : [high.value + 1, Math.floor(high.value) + 1, high.value + 0.5]
  return doubt(prover, shape, `takes numbers ${high.exclusive ? 'below' : 'up to'} ${high.value}, and ${come}`, focus, tries)
}

function isNumeric({ types }: Shape): boolean {
  return types.has('integer') || types.has('fraction')
}

function tighter(bound: Bound | undefined, value: number): Bound {
  return bound === undefined || bound.value < value ? { value, exclusive: false } : bound
}

/** Whether all numbers from the bound `own` upwards are also within the lower bound `low`. */
function isAtLeast(own: Bound, low: Bound, { types }: Shape): boolean {
  if (own.value > low.value || (own.value === low.value && (own.exclusive || !low.exclusive))) return true
  if (types.has('fraction')) return false
  const first = own.exclusive ? Math.floor(own.value) + 1 : Math.ceil(own.value)
  return low.exclusive ? first > low.value : first >= low.value
}

function checkMultiple({ multipleOf: step }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!isNumeric(shape)) return proven
  const known = shape.types.has('fraction') ? shape.multiples : [...shape.multiples, 1]
  if (known.some((each) => isMultiple(each, step))) return proven
  const base = known.length === 0 ? [1, 0.5, 0.1, 0.001] : known.flatMap((each) => [each, each * 2, each * 3, each * 7])
  const start = shape.low === undefined ? [] : [1, 2, 3, 4, 5].map((each) => Math.ceil(shape.low!.value) + each)
  return doubt(prover, shape, `takes multiples of ${step}, and other numbers may come`, { type: ['number'] }, [...base, ...start])
}

/**
 * Whether each multiple of `value` is a multiple of `step`. Nothing is proven of fractions such as 0.1, because the validator rounds when
 * it divides by them; fractions such as 0.5 and 0.25 are exact.
 */
function isMultiple(value: number, step: number): boolean {
  const isExact = (each: number): boolean => Number.isInteger(each * 2 ** 20)
  return value === step || (isExact(value) && isExact(step) && Number.isInteger(value / step))
}

function checkMinLength({ minLength: least }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!shape.types.has('string') || shape.minLength >= least) return proven
  const come = shape.minLength === 0 ? 'shorter ones may come' : `texts of ${shape.minLength} characters may come`
  const focus = { type: ['string'], maxLength: least - 1 }
  return doubt(prover, shape, `takes texts of at least ${characters(least)}, and ${come}`, focus, ['a'.repeat(shape.minLength)])
}

/** The greatest length of a text that is tried as a counterexample. */
const MAX_TEXT = 100_000

function checkMaxLength({ maxLength: most }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!shape.types.has('string') || shape.maxLength <= most) return proven
  const come = shape.maxLength === Infinity ? 'longer ones may come' : `texts of ${shape.maxLength} characters may come`
  const focus = { type: ['string'], minLength: most + 1 }
  const tries = most < MAX_TEXT ? ['a'.repeat(most + 1), '1'.repeat(most + 1)] : []
  return doubt(prover, shape, `takes texts of at most ${characters(most)}, and ${come}`, focus, tries)
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

function checkPattern({ pattern }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!shape.types.has('string') || shape.patterns.has(pattern)) return proven
  const come = shape.patterns.size === 0 ? 'other texts may come' : `texts that match ${[...shape.patterns].join(' and ')} may come`
  return doubt(prover, shape, `takes texts that match ${pattern}, and ${come}`, { type: ['string'] }, ['', 'a', 'A', '0', ' ', 'é', '-'])
}

function checkFormat({ format }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  const isOfNumbers = numberFormats.has(format)
  if (isOfNumbers ? !isNumeric(shape) : !shape.types.has('string')) return proven
  if (isOfNumbers && !shape.types.has('fraction') && isWithinFormat(format, shape)) return proven
  if (shape.formats.has(format) || includes[format]?.some((each) => shape.formats.has(each)) === true) return proven
  const reason = `takes the format ${format}, and ${shape.formats.size === 0 ? 'other values' : `the format ${[...shape.formats].join(', ')}`} may come`
  if (isOfNumbers) return doubt(prover, shape, reason, { type: ['number'] }, [0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 64])
  return doubt(prover, shape, reason, { type: ['string'] }, ['', 'a', 'not one', '1'])
}

/** Whether all integers of a shape fit a number format (`int32`, `int64`). */
function isWithinFormat(format: string, { low, high }: Shape): boolean {
  const [least, most] = int32
  return format === 'int64' || (low !== undefined && high !== undefined && low.value >= least && high.value <= most)
}

/** Proves that a schema allows the listed values of a shape, by validating each of them. */
export function checkValues(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  for (const value of shape.values!) {
    const isTaken = prover.accepts(wide, value)
    if (isTaken === true) continue
    const comes = [...shape.schemas].map((part) => prover.accepts(part, value))
    if (comes.includes(false)) continue
    if (isTaken === undefined || comes.includes(undefined)) return vague('has a schema that the validator cannot read')
    return doubt(prover, shape, `does not take ${shorten(value)}, which may come`, { enum: [value] }, [value])
  }
  return proven
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
