/**
 * Proves that one schema (`wide`) allows all values of another schema (`narrow`), which is called subsumption. A proof goes through the
 * keywords of `wide` and the alternatives of `narrow`. If a comparison meets itself below a member or an item, it counts as proven: a
 * smallest counterexample cannot contain a smaller one.
 */
import { checkList } from './arrays.js'
import { anyOfThem, doubt, type Doubts, join, proven, type Prover, vague } from './doubts.js'
import { checks, checkValues } from './keywords.js'
import { closeShape } from './closing.js'
import { checkObject } from './objects.js'
import { acceptsScalar } from './scalars.js'
import type { Conjunction, Schema, SchemaObject, SchemaPool } from './schemas.js'
import { type Atom, itemSchemas, memberSchemas, type Shape, shapeOf, shapesOf } from './shapes.js'

/** The most steps that one comparison takes, so that no document keeps the command busy for long. */
const MAX_STEPS = 20_000
/** The deepest nesting of members and items that is compared. */
const MAX_DEPTH = 60
/** The most values of a member by which a shape is split to tell alternatives of `anyOf` and `oneOf` apart. */
const MAX_CASES = 64
/** The most pairs of alternatives of `oneOf` for which a value that fits both is searched. */
const MAX_PAIRS = 4

/** The error that ends a comparison of too many steps. */
class TooLargeError extends Error {}

/** A comparison that has begun and has not ended. */
interface Open {
  readonly depth: number
  readonly index: number
}

export class Proof implements Prover {
  readonly #isClosed: boolean
  readonly #pool: SchemaPool
  readonly #accepts: (schema: Schema, value: unknown) => boolean | undefined
  readonly #known = new Map<string, Doubts>()
  readonly #empty = new Map<string, boolean>()
  readonly #open = new Map<string, Open>()
  readonly #openEmpty = new Set<string>()
  #depth = 0
  #steps = 0
  /** The index of the outermost unfinished comparison that was assumed to be proven. */
  #assumed = Infinity

  /**
   * @param isClosed whether objects must not have members that their schema does not name
   * @param accepts returns whether a value fits a schema; `undefined` if no validator can be made of the schema
   */
  constructor(pool: SchemaPool, isClosed: boolean, accepts: (schema: Schema, value: unknown) => boolean | undefined) {
    this.#pool = pool
    this.#isClosed = isClosed
    this.#accepts = accepts
  }

  /** Compares two schemas. Returns an empty list if `wide` allows all values of `narrow`. */
  compare(wide: Schema, narrow: Schema): Doubts {
    this.#steps = 0
    this.#depth = 0
    this.#open.clear()
    this.#openEmpty.clear()
    this.#assumed = Infinity
    try {
      return this.#conjunction([wide], [narrow])
    } catch (error) {
      if (error instanceof TooLargeError) return vague(error.message)
      throw error
    }
  }

  subsumes(wide: Conjunction, narrow: Conjunction): Doubts {
    this.#depth++
    try {
      return this.#conjunction(wide, narrow)
    } finally {
      this.#depth--
    }
  }

  #conjunction(wide: Conjunction, narrow: Conjunction): Doubts {
    const left = wide.filter((each) => each !== true && !narrow.includes(each))
    if (left.length === 0 || narrow.includes(false)) return proven
    const key = `${this.#pool.keyOf(left)}|${this.#pool.keyOf(narrow)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const open = this.#open.get(key)
    if (open !== undefined) return this.#assume(open)
    if (this.#depth > MAX_DEPTH) throw new TooLargeError(`has a schema that is nested more than ${MAX_DEPTH} deep`)
    const index = this.#open.size
    this.#open.set(key, { depth: this.#depth, index })
    const assumedBefore = this.#assumed
    this.#assumed = Infinity
    const doubts = this.#compareShapes(left, narrow)
    this.#open.delete(key)
    // An outcome that rests on a comparison which is still open may change with it.
    if (this.#assumed >= index) this.#known.set(key, doubts)
    this.#assumed = Math.min(assumedBefore, this.#assumed >= index ? Infinity : this.#assumed)
    return doubts
  }

  #assume({ depth, index }: Open): Doubts {
    this.#assumed = Math.min(this.#assumed, index)
    return depth < this.#depth ? proven : vague('has a schema that leads to itself')
  }

  #compareShapes(wide: Conjunction, narrow: Conjunction): Doubts {
    const shapes = shapesOf(narrow, this.#pool)
    if (shapes === undefined) return vague('has a schema with too many alternatives')
    const doubts: Doubts[] = []
    for (const each of shapes) {
      const shape = this.#isClosed ? closeShape(each, this.#pool) : each
      if (this.#isEmptyShape(shape)) continue
      for (const schema of wide) doubts.push(this.takes(schema, shape))
    }
    return join(doubts)
  }

  takes(wide: Schema, shape: Shape): Doubts {
    return this.#takes(wide, shape, [])
  }

  /** @param way the schemas whose references led to `wide` */
  #takes(wide: Schema, shape: Shape, way: readonly Schema[]): Doubts {
    if (wide === true || shape.schemas.has(wide)) return proven
    if (wide === false) return doubt(this, shape, 'does not take it, and it may come')
    if (way.includes(wide)) return vague('has a schema that leads to itself')
    if (++this.#steps > MAX_STEPS) throw new TooLargeError(`has a schema that needs more than ${MAX_STEPS} steps to compare`)
    if (shape.values !== undefined) return checkValues(wide, shape, this)
    const below = (schema: Schema): Doubts => this.#takes(schema, shape, [...way, wide])
    const doubts: Doubts[] = []
    for (const keyword of Object.keys(wide)) {
      const check = checks[keyword]
      if (check !== undefined) doubts.push(check(wide, shape, this))
    }
    const { $ref, allOf, anyOf, oneOf, not, if: condition, then = true, else: other = true } = wide
    if ($ref !== undefined) doubts.push(below(this.#pool.component($ref)))
    if (wide['$dynamicRef'] !== undefined) doubts.push(vague('has the keyword $dynamicRef, which is not compared'))
    for (const each of (allOf ?? []) as Schema[]) doubts.push(below(each))
    doubts.push(checkList(wide, shape, this), checkObject(wide, shape, this))
    if (anyOf !== undefined) doubts.push(this.#takesByOne(anyOf, shape, way.length, false))
    if (oneOf !== undefined) doubts.push(this.#takesByOne(oneOf, shape, way.length, true))
    if (not !== undefined) doubts.push(this.#excludes(not, shape))
    if (condition !== undefined) doubts.push(this.#takesEither(condition, then, other, shape))
    return join(doubts)
  }

  /**
   * Returns the doubts whether each value of a schema (given as one shape) fits one of the alternatives of `anyOf` or `oneOf`.
   * @param level the number of references and splits so far, which bounds how often a shape is split
   * @param isExact whether each value must fit exactly one alternative (`oneOf`)
   */
  #takesByOne(alternatives: readonly Schema[], shape: Shape, level: number, isExact: boolean): Doubts {
    const possible = alternatives.filter((each) => !this.#isDisjoint(shape, each))
    if (possible.length === 0) return doubt(this, shape, fitsNone)
    const found = possible.map((each) => this.takes(each, shape))
    const fitting = found.filter((each) => each.length === 0).length
    if (isExact ? fitting === 1 && possible.length === 1 : fitting > 0) return proven
    const split = level > 3 ? undefined : this.#split(possible, shape)
    if (split !== undefined) return join(split.map((each) => this.#takesByOne(possible, each, level + 1, isExact)))
    if (possible.length === 1) return found[0]!
    if (isExact && fitting > 0) {
      const pairs = possible.flatMap((one, index) => possible.slice(index + 1).map((other) => ({ allOf: [one, other] })))
      const shown = pairs.slice(0, MAX_PAIRS).map((pair) => doubt(this, shape, '', pair))
      return anyOfThem(
        'takes values that fit exactly one alternative of oneOf, and it is not proven that none fits several',
        'takes values that fit exactly one alternative of oneOf, and a value that fits several may come',
        shown,
      )
    }
    return anyOfThem('takes only its alternatives, and it is not proven that each value fits one', fitsNone, found)
  }

  /**
   * Splits a shape into shapes that fit fewer alternatives: by type, or by the values of a member that the alternatives describe. Returns
   * `undefined` if the shape cannot be split.
   */
  #split(alternatives: readonly Schema[], shape: Shape): readonly Shape[] | undefined {
    if (shape.types.size > 1) {
      const kinds: readonly (readonly Atom[])[] = [['null'], ['boolean'], ['integer', 'fraction'], ['string'], ['array'], ['object']]
      const named = kinds.filter((kind) => kind.some((each) => shape.types.has(each)))
      if (named.length > 1) return named.flatMap((kind) => this.#met(shape, { type: kind.map((each) => typeNames[each]) }))
    }
    for (const name of shape.required) {
      const listed = shapesOf(memberSchemas(shape, name), this.#pool)
      const values = listed?.flatMap((each) => each.values ?? [undefined]) ?? [undefined]
      if (values.length < 2 || values.length > MAX_CASES || values.includes(undefined)) continue
      if (!alternatives.some((each) => this.#looksAt(each, name))) continue
      return values.flatMap((value) => this.#met(shape, { properties: { [name]: this.make({ enum: [value] }) } }))
    }
    return undefined
  }

  #met(shape: Shape, schema: object): readonly Shape[] {
    return this.meet(shape, this.make(schema as Record<string, unknown>)) ?? [shape]
  }

  #looksAt(schema: Schema, name: string): boolean {
    const shapes = shapesOf([schema], this.#pool) ?? []
    return shapes.some(({ members }) => members.some(({ properties }) => Object.hasOwn(properties, name)))
  }

  #excludes(not: Schema, shape: Shape): Doubts {
    if (this.#isDisjoint(shape, not)) return proven
    if (shape.nots.some((each) => this.#conjunction([each], [not]).length === 0)) return proven
    return doubt(this, shape, 'takes no values that fit the schema of not, and they may come', isSchemaObject(not) ? { allOf: [not] } : {})
  }

  #takesEither(condition: Schema, then: Schema, other: Schema, shape: Shape): Doubts {
    const doubts: Doubts[] = []
    const fitting = this.meet(shape, condition)
    if (fitting === undefined) return vague('has a schema with too many alternatives in if')
    for (const each of fitting) doubts.push(this.takes(then, each))
    const always = this.takes(condition, shape).length === 0
    if (!always) doubts.push(this.takes(other, shapeOf(new Set([...shape.schemas, this.make({ not: condition })]))))
    return join(doubts)
  }

  meet(shape: Shape, schema: Schema): readonly Shape[] | undefined {
    const shapes = shapesOf([schema], this.#pool, shape.schemas)
    return shapes?.filter((each) => !this.#isEmptyShape(each))
  }

  #isDisjoint(shape: Shape, schema: Schema): boolean {
    if (schema === false || shape.nots.includes(schema)) return true
    return this.meet(shape, schema)?.length === 0
  }

  isEmpty(conjunction: Conjunction): boolean {
    if (conjunction.length === 0) return false
    if (conjunction.includes(false)) return true
    const key = this.#pool.keyOf(conjunction)
    const known = this.#empty.get(key)
    if (known !== undefined) return known
    // Whether a schema that contains itself has any value is decided by its other parts.
    if (this.#openEmpty.has(key)) return false
    if (++this.#steps > MAX_STEPS) throw new TooLargeError(`has a schema that needs more than ${MAX_STEPS} steps to compare`)
    this.#openEmpty.add(key)
    const isEmpty = shapesOf(conjunction, this.#pool)?.every((shape) => this.#isEmptyShape(shape)) === true
    this.#openEmpty.delete(key)
    this.#empty.set(key, isEmpty)
    return isEmpty
  }

  #isEmptyShape(shape: Shape): boolean {
    if (shape.nots.some((each) => each === true || shape.schemas.has(each))) return true
    if (shape.values !== undefined && shape.values.length <= MAX_CASES) {
      return shape.values.every((value) => [...shape.schemas].some((schema) => this.accepts(schema, value) === false))
    }
    // The types that cannot have a value are left out, so that what remains is compared.
    if (shape.types.has('array') && this.#hasNoList(shape)) shape.types = new Set([...shape.types].filter((each) => each !== 'array'))
    if (shape.types.has('object') && this.#hasNoObject(shape)) shape.types = new Set([...shape.types].filter((each) => each !== 'object'))
    return shape.types.size === 0
  }

  #hasNoList({ minItems, items }: Shape): boolean {
    const indices = Array.from({ length: Math.min(minItems, 20) }, (_, index) => index)
    return indices.some((index) => this.isEmpty(itemSchemas(items, index)))
  }

  #hasNoObject(shape: Shape): boolean {
    return [...shape.required].some((name) => this.isEmpty(memberSchemas(shape, name)))
  }

  accepts(schema: Schema, value: unknown): boolean | undefined {
    const isScalar = value === null || typeof value !== 'object'
    return isScalar ? acceptsScalar(schema, value, this.#pool, this.#accepts) : this.#accepts(schema, value)
  }

  resolve(reference: string): Schema {
    return this.#pool.component(reference)
  }

  make(schema: Readonly<Record<string, unknown>>): Schema {
    return this.#pool.make(schema)
  }
}

const fitsNone = 'takes only its alternatives, and a value that fits none may come'

const typeNames: Readonly<Record<Atom, string>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'number',
  fraction: 'number',
  string: 'string',
  array: 'array',
  object: 'object',
}

function isSchemaObject(schema: Schema): schema is SchemaObject {
  return typeof schema === 'object'
}
