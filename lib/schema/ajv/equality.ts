/**
 * Equality of JSON values for `const`, `enum` and `uniqueItems`. ajv's own comparison calls the `toString` and `valueOf` of objects that
 * a client sent, and compares every item of a list with every other.
 */
import type { KeywordCxt } from 'ajv'

/** Returns a primitive that is the same for all equal JSON values; for a value that is not JSON, the value itself. */
function identityOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? JSON.stringify(value) : value === 0 ? 0 : value
  return Array.isArray(value) || isPlainInAnyRealm(value) ? writeSorted(value) : value
}

export function isEqual(a: unknown, b: unknown): boolean {
  return identityOf(a) === identityOf(b)
}

/** Whether a list contains a value. */
export function isAmong(value: unknown, list: readonly unknown[]): boolean {
  const identity = identityOf(value)
  return list.some((entry) => identityOf(entry) === identity)
}

const identitiesByList = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Whether a list contains a value. The list must never change, as one in a schema: its identities are kept. */
export function isListed(value: unknown, list: readonly unknown[]): boolean {
  let identities = identitiesByList.get(list)
  if (identities === undefined) identitiesByList.set(list, (identities = new Set(list.map(identityOf))))
  return identities.has(identityOf(value))
}

/** The indexes of the last two items that are equal. */
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

/** Also for objects made in another `vm` context, whose `Object.prototype` is a different one. */
function isPlainInAnyRealm(value: object): boolean {
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

/** Whether ajv's own code for `const` and `enum` compares with `===` only: the schema lists no objects. */
export function comparesPrimitives({ $data, schema }: KeywordCxt): boolean {
  return !$data && [schema].flat().every((entry: unknown) => entry === null || typeof entry !== 'object') && !Array.isArray(schema?.[0])
}
