/**
 * Reads the definition of a schema of Zod 4 (`_zod.def`, which Zod documents for tools). Each type of schema and each check that can be
 * read exactly is listed here with all keys that its definition may have. Anything else, also additions of a later Zod, is not exact, and
 * is validated by Zod itself.
 */
import { ignoreRejection } from '../../util/promises.js'
import { exact, inexact, isOrdinaryName, objectOf, oneOfTypes, oneOfValues, orNull, type Reading, unknown } from './reading.js'

/** The most levels of nested schemas that are read. */
const MAX_DEPTH = 40

/** A function that reads the definition of one type of schema. Its parameter `read` reads the schemas inside of it. */
type Reader = (def: any, read: (schema: any) => Reading) => Reading

const readers: Readonly<Record<string, Reader>> = {
  string: (def) => withChecks(def, 'string', ['type', 'checks'], lengthLimits('Length')),
  number: (def) => withChecks(def, 'number', ['type', 'checks', 'check', 'format', 'abort'], readNumberCheck),
  boolean: (def) => withChecks(def, 'boolean', ['type', 'checks'], () => undefined),
  null: (def) => (hasOnly(def, ['type']) ? exact({ type: 'null' }) : unknown),
  enum: readEnum,
  literal: (def) =>
    readValues(def, def.values, ['type', 'values'], (value) => value === null || typeof value === 'string' || isPlainValue(value)),
  array: readArray,
  object: readObject,
  union: readUnion,
  optional: (def, read) => ({ ...readInner(def, read), isOptional: true }),
  nullable(def, read) {
    const { json, isExact, isOptional } = readInner(def, read)
    return { json: orNull(json), isExact: isExact && json['type'] !== undefined, isOptional }
  },
  // None of the following kinds is exact: what is read tells only which types texts are coerced to.
  default: (def, read) => ({ ...inexact(read(def.innerType).json), isOptional: true }),
  prefault: (def, read) => ({ ...inexact(read(def.innerType).json), isOptional: true }),
  catch: (def, read) => ({ ...inexact(read(def.innerType).json), isOptional: true }),
  readonly: (def, read) => ({ ...read(def.innerType), isExact: false }),
  nonoptional: (def, read) => inexact(read(def.innerType).json),
  // A function before the type needs the text that the client sent.
  pipe: (def, read) => (def.in._zod.def.type === 'transform' ? unknown : { ...read(def.in), isExact: false }),
  intersection: (def, read) => inexact({ allOf: [read(def.left).json, read(def.right).json] }),
  record: (def, read) => inexact({ type: 'object', additionalProperties: read(def.valueType).json }),
}

export function readZod(schema: object): Reading {
  const path = new Set<object>()
  const done = new Map<object, Reading>()
  return read(schema)

  function read(node: any): Reading {
    const known = done.get(node)
    if (known !== undefined) return known
    // The schemas of a circle say the same at every depth, but no JSON Schema without references does.
    if (path.has(node) || path.size > MAX_DEPTH) return unknown
    const def = Object.hasOwn(node, '_zod') ? node._zod.def : undefined
    const kind: unknown = def?.type
    if (typeof kind !== 'string' || !Object.hasOwn(readers, kind)) return unknown
    // `z.coerce` reads texts in its own way.
    if (def.coerce === true) return unknown
    path.add(node)
    const ofKind = readers[kind]!(def, read)
    path.delete(node)
    const reading = ofKind.isExact && !isOfZod(node, kind) ? { ...ofKind, isExact: false } : ofKind
    done.set(node, reading)
    return reading
  }
}

/** Whether a schema is an instance of a class of Zod itself. A class that is derived from a class of Zod has further traits. */
function isOfZod(node: any, kind: string): boolean {
  return [...(node._zod.traits ?? [''])].every((trait: string) => {
    const name = /^[$_]?Zod(?:Mini)?(\w+)$/.exec(trait)?.[1]?.toLowerCase()
    return name !== undefined && ['type', 'check', kind, `${kind}jit`, `${kind}format`, `check${kind}format`].includes(name)
  })
}

/** Whether a definition has no other keys than these. A custom message (`error`) is a further key, which only Zod itself can apply. */
function hasOnly(def: object, keys: readonly string[]): boolean {
  return Object.entries(def).every(([key, value]) => value === undefined || keys.includes(key))
}

function isPlainValue(value: unknown): boolean {
  return typeof value === 'boolean' || Number.isFinite(value)
}

/**
 * A function that returns the JSON Schema keywords for a check; `undefined` if JSON Schema cannot express the check. `accepts` runs the
 * check on a value, and returns whether the check accepts the value. `Check` is the class of the check.
 */
type CheckReader = (
  def: any,
  accepts: (value: unknown) => boolean,
  Check: unknown,
) => readonly [keyword: string, limit: number][] | undefined

function withChecks(def: any, type: string, keys: readonly string[], readCheck: CheckReader): Reading {
  // `z.int()` is a number that is its own check.
  const checks: any[] = [...(def.check === undefined ? [] : [{ _zod: { def } }]), ...(def.checks ?? [])]
  const json: Record<string, any> = { type }
  for (const { _zod: zod } of checks) {
    const check = zod.def
    const isOwn = [...(zod.traits ?? [])].every((trait: string) => /^[$_]?Zod/.test(trait))
    const limits =
      isOwn &&
      readCheck(
        check,
        (value) => {
          const payload = { value, issues: [] }
          zod.check(payload)
          return payload.issues.length === 0
        },
        zod.constr,
      )
    if (limits === undefined || limits === false) return inexact({ type })
    for (const [keyword, limit] of limits) {
      const stricter = /^(?:min|exclusiveMin)/.test(keyword) ? Math.max : Math.min
      json[keyword] = json[keyword] === undefined ? limit : stricter(json[keyword], limit)
    }
    if (check.check === 'number_format') json['type'] = 'integer'
  }
  return hasOnly(def, keys) ? exact(json) : inexact({ type: json['type'] })
}

/**
 * The pattern of the source of the condition that Zod itself gives to checks of length, unless a bundler has minified it. If another
 * condition has replaced it, the check may not run for some values.
 */
const ownCondition = /^\(payload\) => \{ const val = payload\.value; return !(?:util\.)?nullish\(val\) && val\.length !== undefined; \}$/

/** The length of the longest text that is made at boot to find out how a check counts characters. */
const MAX_PROBED_LENGTH = 100_000

function lengthLimits(suffix: 'Length' | 'Items'): CheckReader {
  return (def, accepts, Check) => {
    const limit: unknown = def.minimum ?? def.maximum ?? def.length
    if (!Number.isInteger(limit) || (limit as number) < 0 || (limit as number) > MAX_PROBED_LENGTH) return undefined
    if (!hasOnly(def, ['check', 'when', 'minimum', 'maximum', 'length']) || !isOwnCondition(def, Check)) return undefined
    // JSON Schema counts the characters of a text. Earlier versions of Zod count UTF-16 units, of which this character has two.
    if (suffix === 'Length' && !accepts('😀'.repeat(limit as number))) return undefined
    if (suffix === 'Length' && def.check === 'min_length' && (limit as number) > 1 && accepts('😀'.repeat((limit as number) - 1)))
      return undefined
    const [min, max] = [[`min${suffix}`, limit] as const, [`max${suffix}`, limit] as const]
    return { min_length: [min], max_length: [max], length_equals: [min, max] }[def.check as string] as ReturnType<CheckReader>
  }
}

function isOwnCondition(def: any, Check: unknown): boolean {
  const { when } = def
  if (when === undefined) return true
  if (typeof when !== 'function') return false
  const source = String(when)
  return ownCondition.test(source.replace(/\s+/g, ' ')) || source === String(conditionOf(def, Check))
}

/** Returns the condition that Zod gives to a check with this definition, which has another source in a minified bundle. */
function conditionOf(def: object, Check: unknown): unknown {
  try {
    return new (Check as new (def: object) => any)({ ...def, when: undefined })._zod.def.when
  } catch {
    return undefined
  }
}

function readNumberCheck(def: any): ReturnType<CheckReader> {
  if (def.check === 'number_format') {
    if (def.format !== 'safeint' || !hasOnly(def, ['type', 'check', 'checks', 'format', 'abort'])) return undefined
    return [
      ['minimum', Number.MIN_SAFE_INTEGER],
      ['maximum', Number.MAX_SAFE_INTEGER],
    ]
  }
  if (!hasOnly(def, ['check', 'value', 'inclusive']) || !Number.isFinite(def.value)) return undefined
  if (def.check === 'greater_than') return [[def.inclusive === true ? 'minimum' : 'exclusiveMinimum', def.value]]
  return def.check === 'less_than' ? [[def.inclusive === true ? 'maximum' : 'exclusiveMaximum', def.value]] : undefined
}

function readValues(def: any, values: readonly unknown[], keys: readonly string[], isReadable: (value: unknown) => boolean): Reading {
  if (!values.every(isReadable) || values.length === 0) return unknown
  const json = oneOfValues([...new Set(values)])
  return hasOnly(def, keys) ? exact(json) : inexact(json)
}

function readEnum(def: any): Reading {
  const { entries } = def
  const values: unknown[] = Object.values(entries)
  // TypeScript's enums of numbers list their names as values too.
  const own = values.filter((value) => typeof value !== 'string' || typeof entries[value] !== 'number')
  if (own.some((value) => typeof value === 'number'))
    return own.every((value) => typeof value === 'number') ? inexact({ type: 'number' }) : unknown
  return readValues(def, values, ['type', 'entries'], (value) => typeof value === 'string')
}

function readInner(def: any, read: (schema: any) => Reading): Reading {
  const inner = read(def.innerType)
  return hasOnly(def, ['type', 'innerType']) ? inner : { ...inner, isExact: false }
}

function readArray(def: any, read: (schema: any) => Reading): Reading {
  const item = read(def.element)
  const { json, isExact } = withChecks(def, 'array', ['type', 'element', 'checks'], lengthLimits('Items'))
  return isExact && item.isExact && !item.isOptional ? exact({ ...json, items: item.json }) : inexact({ type: 'array', items: item.json })
}

function readObject(def: any, read: (schema: any) => Reading): Reading {
  const { shape, catchall, checks = [] } = def
  const object = objectOf(Object.fromEntries(Object.keys(shape).map((name) => [name, read(shape[name])])))
  const isKnown = hasOnly(def, ['type', 'shape', 'catchall', 'checks']) && checks.length === 0 && Object.keys(shape).every(isOrdinaryName)
  if (!object.isExact || !isKnown) return inexact(object.json)
  // Zod removes unknown keys, keeps them (`z.looseObject`) or refuses them.
  if (catchall === undefined) return exact({ ...object.json, additionalProperties: false })
  return catchall._zod.def.type === 'unknown' && hasOnly(catchall._zod.def, ['type']) ? object : inexact(object.json)
}

function readUnion(def: any, read: (schema: any) => Reading): Reading {
  const options: Reading[] = def.options.map(read)
  const json = oneOfTypes(options.map((option) => option.json))
  const isExact = hasOnly(def, ['type', 'options']) && json['type'] !== undefined && options.every((o) => o.isExact && !o.isOptional)
  return { json, isExact, isOptional: options.some((option) => option.isOptional) }
}

/**
 * The types of Zod schemas that run no possibly asynchronous function of the application, in addition to the types that this file reads.
 * The constant `synchronousChecks` lists such types of checks.
 */
const synchronousKinds = new Set(['any', 'unknown', 'never', 'date', 'bigint', 'tuple', 'nan', 'void', 'undefined', 'template_literal'])
const synchronousChecks = new Set(
  `min_length max_length length_equals greater_than less_than number_format multiple_of string_format overwrite mime_type property
  min_size max_size size_equals bigint_format`.split(/\s+/),
)
/** The keys of functions in a definition whose results Zod never awaits. */
const synchronousFunctions = new Set(['when', 'error', 'tx', 'catchValue'])

/**
 * Whether a schema of Zod certainly runs synchronously. Zod itself cannot tell in advance: it runs every schema synchronously, and an
 * asynchronous one once more. The functions of the application then run twice, and if a promise of the first run is rejected, the process
 * ends.
 */
export function isSynchronous(schema: unknown): boolean {
  const seen = new Set<unknown>()
  return isSafe(schema)

  function isSafe(value: any): boolean {
    if (value === null || typeof value !== 'object' || seen.has(value) || value instanceof RegExp) return true
    seen.add(value)
    if (!Object.hasOwn(value, '_zod')) return Object.values(value).every(isSafe)
    const { def } = value._zod
    const { type, check } = def
    if (check !== undefined && !synchronousChecks.has(check)) return false
    if (type !== undefined && !synchronousKinds.has(type) && (type === 'pipe' || !Object.hasOwn(readers, type))) return false
    // Reading a default may run a function of the application.
    const keys = Object.keys(def).filter((key) => key !== 'defaultValue')
    return keys.every((key) => (typeof def[key] === 'function' ? synchronousFunctions.has(key) : isSafe(def[key])))
  }
}

const guarded = new WeakSet<object>()

/**
 * Makes the checks of a schema handle rejections of their promises. Zod starts all asynchronous checks of a value, and awaits one after the
 * other: once a promise was rejected, nothing awaits the remaining ones, and their rejections would end the process. Zod still gets the
 * same promises.
 */
export function guardChecks(schema: unknown): void {
  const seen = new Set<unknown>()
  visit(schema)

  function visit(value: any): void {
    if (value === null || typeof value !== 'object' || seen.has(value)) return
    seen.add(value)
    if (!Object.hasOwn(value, '_zod')) {
      if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) Object.values(value).forEach(visit)
      return
    }
    const zod = value._zod
    if (typeof zod.check === 'function' && !guarded.has(zod)) {
      guarded.add(zod)
      const check = zod.check as (payload: unknown) => unknown
      Reflect.set(zod, 'check', (payload: unknown) => {
        const result = check(payload)
        ignoreRejection(result)
        return result
      })
    }
    if (zod.def.type === 'lazy') visit(zod.def.getter())
    for (const key of Object.keys(zod.def)) if (key !== 'defaultValue') visit(zod.def[key])
  }
}
