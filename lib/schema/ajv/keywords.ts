/** The keywords that the default validation engine defines differently from ajv. */
import type { Ajv as AjvInstance, CodeGen, CodeKeywordDefinition, Name as NameOf } from 'ajv'
import * as ajvModule from 'ajv'
import { BoundedMap } from '../../util/bounded-map.js'
import { formats } from './formats.js'
import { comparesPrimitives, findDuplicates, isAmong, isEqual, isListed } from './equality.js'

const { Name, _, str } = ajvModule

/** The functions and formats that the code of compiled validators refers to. */
export const helpers = { isEqual, isAmong, isListed, findDuplicates, isMultiple, formats }

/**
 * Adds a reference to a helper to the code of a validator, and returns its name there. In a build, the code gets all helpers as the
 * parameter `helpers`.
 */
function referToHelper(gen: CodeGen, name: keyof typeof helpers): NameOf {
  return gen.scopeValue('func', { ref: helpers[name], code: _`helpers.${new Name(name)}` })
}

/**
 * Redefines `const`, `enum` and `uniqueItems`, so that they call no method of a value that a client sent. `const` and `enum` take time in
 * proportion to the values that the schema lists, `uniqueItems` in proportion to the size of the value. `nullable` beside an `enum` allows
 * null, as in replies.
 */
export function compareValues(jsv: AjvInstance): void {
  for (const [keyword, compareFixed, compareGiven, limit] of [
    ['const', 'isEqual', 'isEqual', 1],
    // For lists longer than this, ajv's code loops over the list with its own equality.
    ['enum', 'isListed', 'isAmong', 200],
  ] as const) {
    const definition = jsv.getKeyword(keyword) as CodeKeywordDefinition
    jsv.removeKeyword(keyword)
    jsv.addKeyword({
      ...definition,
      code(context) {
        const allowsNull = keyword === 'enum' && (context.parentSchema as { nullable?: unknown }).nullable === true
        if (!allowsNull && comparesPrimitives(context) && [context.schema].flat().length < limit + 1) return definition.code(context)
        const isMatch = referToHelper(context.gen, context.$data ? compareGiven : compareFixed)
        const isWrong = _`!${isMatch}(${context.data}, ${context.schemaCode})`
        context.fail$data(allowsNull ? _`${context.data} !== null && ${isWrong}` : isWrong)
      },
    })
  }
  jsv.removeKeyword('uniqueItems')
  jsv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    $data: true,
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(context) {
      const { gen, data, schema, schemaCode, $data } = context
      if (!$data && !schema) return
      const duplicates = gen.const('duplicates', _`${referToHelper(gen, 'findDuplicates')}(${data})`)
      context.setParams({ i: _`${duplicates}[0]`, j: _`${duplicates}[1]` })
      context.fail$data(_`${schemaCode} !== false && ${duplicates} !== undefined`)
    },
  })
}

/**
 * Redefines `items`, so that the keywords after a list of schemas always run. In ajv's own code, a value with fewer items than the list has
 * schemas skips `contains`, `uniqueItems` and keywords of plugins, because these run only if a variable is true that was never set.
 */
export function continueAfterTuples(jsv: AjvInstance): void {
  const definition = jsv.getKeyword('items') as CodeKeywordDefinition
  jsv.removeKeyword('items')
  jsv.addKeyword({
    ...definition,
    before: 'contains',
    code(context) {
      if (!Array.isArray(context.schema)) return definition.code(context)
      const ok = (valid: NameOf): void => context.ok(_`${valid} !== false`)
      definition.code(Object.assign(Object.create(context) as typeof context, { ok }))
    },
  })
}

/**
 * Redefines `multipleOf`, so that it calculates with decimal digits: 19.99 is a multiple of 0.01, although the quotient of the two doubles
 * is not a whole number.
 */
export function divideDecimals(jsv: AjvInstance): void {
  jsv.removeKeyword('multipleOf')
  jsv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: {
      message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
      params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
    },
    code(context) {
      const isMultipleOf = referToHelper(context.gen, 'isMultiple')
      context.fail$data(_`!${isMultipleOf}(${context.data}, ${context.schemaCode})`)
    },
    $data: true,
  })
}

/** A divisor (the value of `multipleOf`) by its decimal digits, with numbers that were computed from it. */
interface Divisor {
  readonly digits: bigint
  readonly exponent: number
  /** 10 to the power of the number of decimals of the divisor; 0 if doubles cannot hold multiples of the divisor times this power. */
  readonly scale: number
  /** The divisor times `scale`. */
  readonly scaled: number
  /** The remainders of powers of ten, divided by `digits`, by the exponents of the powers. Doubles have less than 700 such exponents. */
  readonly remainders: (bigint | undefined)[]
}

const MAX_KEPT_DIVISORS = 100
/** The divisors that were used, by their texts. The map is bounded, because with `$data` clients choose divisors. */
const divisors = new BoundedMap<Divisor>(MAX_KEPT_DIVISORS)

function divisorOf(value: number): Divisor {
  const key = String(value)
  let divisor = divisors.get(key)
  if (divisor === undefined) {
    const [digits, exponent] = decimal(value)
    const scaled = Number(digits)
    const isSmall = exponent <= 0 && exponent >= -15 && scaled < MAX_EXACT
    divisors.set(key, (divisor = { digits, exponent, scale: isSmall ? 10 ** -exponent : 0, scaled, remainders: [] }))
  }
  return divisor
}

/** The limit up to which a double has exactly one decimal notation of 15 digits. */
const MAX_EXACT = 1e15

function isMultiple(value: number, by: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(by)) return value % by === 0
  // The divisor may come from the data ($data).
  if (!Number.isFinite(value) || !(by > 0)) return false
  const divisor = divisorOf(by)
  const { scale, scaled, remainders } = divisor
  if (scale !== 0 && Math.abs(value * scale) < MAX_EXACT) {
    const whole = Math.round(value * scale)
    return whole / scale === value && whole % scaled === 0
  }
  const [digits, exponent] = decimal(value)
  const shift = exponent - divisor.exponent
  // The value has more decimals than any multiple.
  if (shift < 0) return value === 0
  const remainder = (remainders[shift] ??= 10n ** BigInt(shift) % divisor.digits)
  return (digits * remainder) % divisor.digits === 0n
}

/** Returns a number as its decimal digits and a power of ten. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(power) - fraction.length]
}

/**
 * Adds a keyword to ajv that refuses ±Infinity. Coercion turns `"Infinity"` and `"1e400"` into this value, and ajv does not apply `minimum`
 * and `maximum` to it. The keyword runs wherever a schema has `type`, after coercion.
 */
export function refuseNonFiniteNumbers(jsv: AjvInstance): void {
  const keyword = 'alcove-finite'
  jsv.addKeyword({
    keyword,
    schemaType: [],
    allowUndefined: true,
    error: { message: 'must be a finite number' },
    code(context) {
      const types = [context.parentSchema['type']].flat()
      if (types.includes('number') || types.includes('integer'))
        context.fail(_`typeof ${context.data} == "number" && !isFinite(${context.data})`)
    },
  })
  const definition = jsv.getKeyword(keyword)
  // Set after registration, because ajv registers the implemented keywords anew, and `type` must stay as it is.
  if (typeof definition === 'object') definition['implements'] = ['type']
}
