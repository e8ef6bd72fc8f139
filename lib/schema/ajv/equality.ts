/**
 * Equality of JSON values for `const`, `enum` and `uniqueItems`. The engine's own calls the `toString` and `valueOf` of what a
 * client sent, and compares each item of a list with each other.
 */
import type { KeywordCxt } from 'ajv'

/** A text, or the value itself where it is no JSON: values are equal when these are. */
function identityOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? JSON.stringify(value) : value === 0 ? 0 : value
  return Array.isArray(value) || isPlain(value) ? writeSorted(value) : value
}

export function isEqual(a: unknown, b: unknown): boolean {
  return identityOf(a) === identityOf(b)
}

export function isAmong(value: unknown, list: readonly unknown[]): boolean {
  const identity = identityOf(value)
  return list.some((entry) => identityOf(entry) === identity)
}

const fixed = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Whether a value is among those of a list that stays as it is: a schema's own. */
export function isListed(value: unknown, list: readonly unknown[]): boolean {
  let identities = fixed.get(list)
  if (identities === undefined) fixed.set(list, (identities = new Set(list.map(identityOf))))
  return identities.has(identityOf(value))
}

/** The last two items that are equal. */
export function findDuplicates(list: readonly unknown[]): [first: number, second: number] | undefined {
  const seen = new Map<unknown, number>()
  for (let index = list.length - 1; index >= 0; index--) {
    const identity = identityOf(list[index])
    const second = seen.get(identity)
    if (second !== undefined) return [index, second]
    seen.set(identity, index)
  }
  return undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

function writeSorted(value: any): string {
  if (Array.isArray(value)) return `[${value.map(writeSorted).join()}]`
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? JSON.stringify(value) : String(value)
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${writeSorted(value[name])}`)
    .join()}}`
}

/** Whether the engine's own code for `const` and `enum` compares by reference alone. */
export function comparesPrimitives({ $data, schema }: KeywordCxt): boolean {
  return !$data && [schema].flat().every((entry: unknown) => entry === null || typeof entry !== 'object') && !Array.isArray(schema?.[0])
}
