/** Prints JSON values as TypeScript. `Code` objects within a value are printed as code; no other value can become code. */

/** A text of code that is printed unchanged, instead of a value. */
export class Code {
  constructor(readonly stringLiteral: string) {}
}

/** An object that is printed with a spread before its members: `{ ...ref(Pet), description: 'A pet' }`. */
export class WithSpread {
  constructor(
    readonly spread: Code,
    readonly rest: Readonly<Record<string, unknown>>,
  ) {}
}

/** The greatest length of a printed line, in characters. Only a value that cannot be divided makes a longer line. */
const WIDTH = 138

/**
 * Returns a value as TypeScript, on several lines if one line would be too long.
 * @param depth the indentation depth of the line on which the value begins
 * @param before the number of characters before the value on this line
 */
export function print(value: unknown, depth = 0, before = 0): string {
  const line = onOneLine(value)
  if (before + depth * 2 + line.length <= WIDTH || !isDivisible(value)) return line
  const inner = '  '.repeat(depth + 1)
  const outer = '  '.repeat(depth)
  if (Array.isArray(value)) return `[\n${value.map((entry) => `${inner}${print(entry, depth + 1)},\n`).join('')}${outer}]`
  const { spread, entries } = spreadAndEntries(value)
  const members = entries.map(([key, entry]) => member(key, entry, () => print(entry, depth + 1, keyText(key).length + 2)))
  return `{\n${[...spread, ...members].map((memberText) => `${inner}${memberText},\n`).join('')}${outer}}`
}

function isDivisible(value: unknown): value is object {
  if (value === null || typeof value !== 'object' || value instanceof Code) return false
  return value instanceof WithSpread || Object.keys(value).length > 0
}

function onOneLine(value: unknown): string {
  if (value instanceof Code) return value.stringLiteral
  if (typeof value === 'string') return text(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const { spread, entries } = spreadAndEntries(value)
  const members = [...spread, ...entries.map(([key, entry]) => member(key, entry, () => onOneLine(entry)))]
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function member(key: string, entry: unknown, write: () => string): string {
  return entry instanceof Code && entry.stringLiteral === key ? key : `${keyText(key)}: ${write()}`
}

function spreadAndEntries(value: object): { readonly spread: readonly string[]; readonly entries: readonly [string, unknown][] } {
  const isSpread = value instanceof WithSpread
  return {
    spread: isSpread ? [`...${value.spread.stringLiteral}`] : [],
    entries: Object.entries(isSpread ? value.rest : value).filter(([, entry]) => entry !== undefined),
  }
}

/**
 * Returns a name as the key of an object. The key `__proto__` is written in brackets, because `__proto__: …` would set the prototype of the
 * object.
 */
function keyText(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$|^(?:0|[1-9]\d{0,8})$/.test(name) ? name : text(name)
}

/**
 * Returns a text as a string literal. Characters are escaped if they could end the literal or its line, are invisible, or change the
 * direction of writing.
 */
export function text(value: string): string {
  const escaped = JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return value.includes("'") ? escaped : `'${escaped.slice(1, -1).replaceAll('\\"', '"')}'`
}
