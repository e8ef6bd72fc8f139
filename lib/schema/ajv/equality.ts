/**
 * Equality of JSON values for `const`, `enum` and `uniqueItems`. ajv's own comparison calls the `toString` and `valueOf` of objects that
 * a client sent, and compares every item of a list with every other.
 */
import type { KeywordCxt } from 'ajv'

/** Returns a primitive value that equal JSON values have in common; for a value that is not JSON, the value itself. */
function identityOf(value: unknown): unknown {
  if (isJsonObject(value)) return writeSorted(value)
  // The identity of a text differs from the identity of an object by its quotes.
  return typeof value === 'string' ? JSON.stringify(value) : value === 0 ? 0 : value
}

/** Whether two JSON values are equal. The comparison ends at the first difference, so its time depends on the smaller of the two values. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || typeof a !== 'object' || b === null || typeof b !== 'object') return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (Array.isArray(b) || !isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(b)
  return (
    Object.keys(a).length === names.length &&
    names.every((name) => Object.hasOwn(a, name) && isEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
  )
}

/** Whether a list contains a value, compared as JSON. */
export function isAmong(value: unknown, list: readonly unknown[]): boolean {
  return list.some((entry) => isEqual(value, entry))
}

/** The values of a list in a schema (`enum`), prepared for finding a value fast. */
interface Listed {
  readonly primitives: ReadonlySet<unknown>
  /** The lists and objects among the values, as texts that {@link writeSorted} makes. */
  readonly texts: ReadonlySet<string>
  readonly longest: number
}

const listedByList = new WeakMap<readonly unknown[], Listed>()

/**
 * Whether a list in a schema contains a value. The time does not grow with the number of objects in the list, because a request may make
 * the server look up each item of a long list. The list must never change, because the sets made from it are kept.
 */
export function isListed(value: unknown, list: readonly unknown[]): boolean {
  let listed = listedByList.get(list)
  if (listed === undefined) {
    const texts = new Set(list.filter(isJsonObject).map(writeSorted))
    const longest = Math.max(0, ...[...texts].map(({ length }) => length))
    listedByList.set(list, (listed = { primitives: new Set(list.filter((entry) => !isJsonObject(entry))), texts, longest }))
  }
  if (!isJsonObject(value)) return listed.primitives.has(value)
  const text = listed.texts.size === 0 ? undefined : writeWithin(value, listed.longest)
  return text !== undefined && listed.texts.has(text)
}

/**
 * Numbers for lists and objects, the same number for equal ones. Each list or object is numbered only once, even if several lists around it
 * are searched for duplicates. The numbers are valid as long as no value is changed.
 */
class Numbering {
  readonly #numbers = new WeakMap<object, string>()
  /** The number of each list or object, by a text of its content. In this text, inner lists and objects are replaced by their numbers. */
  readonly #byContent = new Map<string, string>()

  identify(value: unknown): unknown {
    if (!isJsonObject(value)) return identityOf(value)
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const content = Array.isArray(value) ? `[${value.map((item) => this.#write(item)).join()}]` : this.#writeObject(value)
    let number = this.#byContent.get(content)
    if (number === undefined) this.#byContent.set(content, (number = `#${this.#byContent.size}`))
    this.#numbers.set(value, number)
    return number
  }

  #writeObject(object: object): string {
    return `{${Object.keys(object)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${this.#write((object as Record<string, unknown>)[name])}`)
      .join()}}`
  }

  #write(value: unknown): string {
    return String(value !== null && typeof value === 'object' && !isJsonObject(value) ? writeSorted(value) : this.identify(value))
  }
}

/** The numbering of the validation that is running; `undefined` if that validation has none. */
let numbering: Numbering | undefined

/** Runs a validation in which values are numbered, because it searches lists within lists for duplicates. */
export function withNumbering<Result>(validate: () => Result): Result {
  const outer = numbering
  numbering = new Numbering()
  try {
    return validate()
  } finally {
    numbering = outer
  }
}

/** Finds the last two items of a list that are equal. @returns their indexes; `undefined` if all items differ */
export function findDuplicates(list: readonly unknown[]): [first: number, second: number] | undefined {
  if (list.length < 2) return undefined
  const seen = new Map<unknown, number>()
  for (let index = list.length - 1; index >= 0; index--) {
    const identity = numbering === undefined ? identityOf(list[index]) : numbering.identify(list[index])
    const second = seen.get(identity)
    if (second !== undefined) return [index, second]
    seen.set(identity, index)
  }
  return undefined
}

/** Whether a value is an object of JSON: a list or a plain object. */
function isJsonObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && (Array.isArray(value) || isPlainInAnyRealm(value))
}

/** Whether an object is a plain one. Objects from another `vm` context count too, although they have another `Object.prototype`. */
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

/**
 * Returns the text that {@link writeSorted} makes of a value; `undefined` if the text is longer than a limit. The time is in proportion to
 * the limit.
 */
function writeWithin(value: any, limit: number): string | undefined {
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'string' && value.length > limit) return undefined
    const text = writeSorted(value)
    return text.length > limit ? undefined : text
  }
  const isList = Array.isArray(value)
  const names: string[] = isList ? value : Object.keys(value)
  if (names.length > limit) return undefined
  if (!isList) names.sort()
  let text = isList ? '[' : '{'
  for (let index = 0; index < names.length; index++) {
    const name = isList ? '' : writeWithin(names[index], limit - text.length)
    if (name === undefined) return undefined
    const item = writeWithin(isList ? value[index] : value[names[index]!], limit - text.length - name.length)
    if (item === undefined) return undefined
    text += `${index === 0 ? '' : ','}${name}${isList ? '' : ':'}${item}`
  }
  text += isList ? ']' : '}'
  return text.length > limit ? undefined : text
}

/** Whether ajv's own code for `const` and `enum` compares with `===` only, because the schema lists no objects. */
export function comparesPrimitives({ $data, schema }: KeywordCxt): boolean {
  return !$data && [schema].flat().every((entry: unknown) => entry === null || typeof entry !== 'object') && !Array.isArray(schema?.[0])
}
