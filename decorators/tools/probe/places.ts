/** The places in a value where another value is tried, and the values to try there. */
import { behindReference, type ComponentSchemas } from '../../contract/openapi/component-references.js'
import { put } from '../values/fitting.js'

type Schema = any

/** The kind of a generated request: `valid`, or the way in which it departs from the requests that the route accepts. */
export type Kind = 'valid' | 'boundary' | 'mistyped' | 'oversized' | 'poisoned' | 'garbled'

/** A place in a value: the names and indexes that lead to the place, and the schema there. */
export interface Place {
  readonly path: readonly (string | number)[]
  readonly schema: Schema
}

/** A value to try at a place. */
export interface Candidate {
  readonly kind: Kind
  readonly value: unknown
}

const MAX_DEPTH = 5
const MAX_PLACES = 200
/** The length of a text that is tried if no schema limits it, and (`MANY`) the length of such a list. */
const LONG = 10_000
const MANY = 1000

/** The names that objects inherit, or that change the prototype of an object into which they are copied. */
const hostileNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'length']
const hostileTexts = [
  ...hostileNames,
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "' OR 1=1 --",
  '<script>',
  '%00',
  '${x}',
  '-1',
  'NaN',
  '1e400',
]

/** Returns the places of a schema, including the places in alternatives. */
export function placesOf(schema: Schema, components: ComponentSchemas): Place[] {
  const places: Place[] = []
  const visit = (raw: Schema, path: Place['path'], depth: number): void => {
    if (places.length >= MAX_PLACES || depth > MAX_DEPTH * 2 || path.length > MAX_DEPTH) return
    const at = behindReference(raw, components)
    if (at === null || typeof at !== 'object') return void places.push({ path, schema: {} })
    const alternatives = [...(at.allOf ?? []), ...(at.oneOf ?? []), ...(at.anyOf ?? [])]
    if (alternatives.length === 0 || at.type !== undefined) places.push({ path, schema: at })
    for (const [name, property] of Object.entries(at.properties ?? {})) visit(property, [...path, name], depth + 1)
    if (at.items !== undefined) visit(at.items, [...path, 0], depth + 1)
    for (const each of alternatives) visit(each, path, depth + 1)
  }
  visit(schema, [], 0)
  return places
}

/**
 * Returns the values to try at a place.
 * @param isText whether the value is sent as a text, in a URL or a header
 */
export function candidatesAt({ schema }: Place, isText: boolean): Candidate[] {
  const as = (kind: Kind, values: readonly unknown[]): Candidate[] => values.map((value) => ({ kind, value }))
  const types: readonly string[] = [schema.type ?? []].flat()
  const has = (...names: string[]): boolean => types.length === 0 || names.some((name) => types.includes(name))
  const found = [...as('boundary', [...(schema.enum ?? []), ...('default' in schema ? [schema.default] : [])].slice(0, 10))]
  const isOpenText = has('string') && schema.enum === undefined && !('const' in schema)
  if (isOpenText) found.push(...textCandidates(schema, isText))
  if (has('integer', 'number')) found.push(...as('boundary', numbersOf(schema)))
  if (has('array') && !isText) found.push(...listCandidates(schema))
  if (has('object') && !isText) found.push(...objectCandidates(schema))
  found.push(...as('mistyped', isText ? ['', 'text', '-1', '1.5', 'true'] : [null, true, 0, '', 'text', [], {}, [[]], { a: 1 }]))
  if (!isOpenText) found.push(...as('poisoned', ['__proto__', 'constructor']))
  return found
}

function textCandidates({ minLength = 0, maxLength }: Schema, isText: boolean): Candidate[] {
  const lengths = [minLength - 1, minLength, minLength + 1, ...(maxLength === undefined ? [] : [maxLength, maxLength + 1])]
  const bounded = [...new Set(lengths)].filter((length) => length >= 0 && length <= LONG * 10)
  const long = isText ? LONG / 10 : LONG
  return [
    ...bounded.map((length): Candidate => ({ kind: 'boundary', value: 'a'.repeat(length) })),
    { kind: 'boundary', value: ' ' },
    { kind: 'boundary', value: '😀' },
    ...(maxLength === undefined || maxLength >= long ? [{ kind: 'oversized', value: 'a'.repeat(long) } as const] : []),
    ...hostileTexts.map((value): Candidate => ({ kind: 'poisoned', value })),
  ]
}

function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number[] {
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((each) => typeof each === 'number')
  return [...new Set([...bounds.flatMap((bound) => [bound - 1, bound, bound + 1]), 0, 1, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308])]
}

function listCandidates({ minItems = 0, maxItems }: Schema): Candidate[] {
  const sizes = [0, minItems - 1, minItems, ...(maxItems === undefined ? [] : [maxItems, maxItems + 1])]
  return [
    ...[...new Set(sizes)]
      .filter((size) => size >= 0 && size <= MANY)
      .map((size): Candidate => ({ kind: 'boundary', value: new Repeated(size) })),
    ...(maxItems === undefined ? [{ kind: 'oversized', value: new Repeated(MANY) } as const] : []),
    { kind: 'mistyped', value: [null] },
  ]
}

/** A list of `size` fitting items, which are generated when the request is made. */
export class Repeated {
  constructor(readonly size: number) {}
}

/** An object with additional members, which are added when the request is made. A member that is `undefined` is removed. */
export class Extended {
  constructor(readonly members: readonly (readonly [string, unknown])[]) {}
}

function objectCandidates({ properties = {}, required = [] }: Schema): Candidate[] {
  const without = Object.keys(properties).map((name): Candidate => {
    return { kind: required.includes(name) ? 'mistyped' : 'boundary', value: new Extended([[name, undefined]]) }
  })
  const poisons: [string, unknown][] = [
    ['__proto__', { isAdmin: true }],
    ['constructor', { prototype: { isAdmin: true } }],
    ['toString', 1],
    ['hasOwnProperty', 1],
    ['extra', 1],
  ]
  return [
    ...without,
    ...poisons.map((member): Candidate => ({ kind: 'poisoned', value: new Extended([member]) })),
    { kind: 'oversized', value: new Extended([['deep', nested(100)]]) },
    { kind: 'oversized', value: new Extended(Array.from({ length: MANY }, (_, index) => [`extra${index}`, index] as const)) },
  ]
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = { deep: value }
  return value
}

/** Returns a copy of a value in which the value at a place is replaced. Missing objects and lists on the way are created. */
export function withValueAt(holder: unknown, path: Place['path'], make: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return make(holder)
  const isList = typeof step === 'number'
  const copy: object = isList ? (Array.isArray(holder) ? [...(holder as unknown[])] : []) : {}
  if (!isList && holder !== null && typeof holder === 'object') for (const [name, value] of Object.entries(holder)) put(copy, name, value)
  put(copy, step, withValueAt(Object.getOwnPropertyDescriptor(copy, step)?.value, rest, make))
  return copy
}

/** Returns the value at a place; `undefined` if the place does not exist. */
export function valueAt(holder: unknown, path: Place['path']): unknown {
  let at = holder
  for (const step of path) {
    if (at === null || typeof at !== 'object') return undefined
    at = Object.getOwnPropertyDescriptor(at, step)?.value
  }
  return at
}
