/**
 * Compares two schemas: proves that the first allows all values of the second, or finds a value that the first does not allow, or answers
 * that neither was found.
 */
import { createDocumentValidator, toPointer } from '../../../lib/internal.js'
import type { Generator } from '../document/generator.js'
import type { ComponentSchemas } from '../openapi/component-references.js'
import { Candidates } from './candidates.js'
import { anyCounterexample, counterexampleOf, type Search } from './counterexamples.js'
import { type Doubts, proven, vague } from './doubts.js'
import { Proof } from './proof.js'
import { type Schema, SchemaPool, type Side } from './schemas.js'
import { shapesOf, typesOf } from './shapes.js'
import { type Reading, Validators } from './validators.js'

/**
 * The answer to a comparison of two schemas: `compatible` if there is a proof, `breaking` if there is a counterexample, `unknown` if there
 * is neither.
 */
export type Answer = 'compatible' | 'breaking' | 'unknown'

/** A place in a value at which the one schema does not allow all values of the other schema, or is not proven to do so. */
export interface Finding {
  readonly answer: 'breaking' | 'unknown'
  /** The place in the value as a JSON Pointer (RFC 6901); empty for the whole value. */
  readonly path: string
  readonly reason: string
  /** A value that the sender's schema allows and the receiver's schema does not. Present if the answer is `breaking`. */
  readonly example?: unknown
}

export interface ComparisonOptions {
  /** Whether objects may have members that their schema does not name. Default: `false`. */
  readonly strict?: boolean
  /** The generator of values; `undefined` if json-schema-faker is not installed. */
  readonly generator?: Generator | undefined
  /** A number that decides which values are generated. */
  readonly seed?: number
}

/** Compares schemas of two OpenAPI documents, an old and a new one. */
export class SchemaComparison {
  readonly #pool: SchemaPool
  readonly #validators: Validators
  readonly #proof: Proof
  readonly #candidates: Candidates
  readonly #isClosed: boolean

  /** Creates a comparison of the schemas of two documents. @param components the component schemas of both documents, by name */
  static async create(components: Readonly<Record<Side, ComponentSchemas>>, options: ComparisonOptions = {}): Promise<SchemaComparison> {
    const pool = new SchemaPool(components)
    return new SchemaComparison(pool, new Validators(await createDocumentValidator(), pool), options)
  }

  private constructor(pool: SchemaPool, validators: Validators, options: ComparisonOptions) {
    this.#pool = pool
    this.#validators = validators
    this.#isClosed = options.strict !== true
    this.#candidates = new Candidates(pool, this.#isClosed, options.generator, options.seed ?? 1)
    this.#proof = new Proof(pool, this.#isClosed, (schema, value) => validators.accepts(schema, value))
  }

  /**
   * Compares two schemas: does each value of `narrow` fit `wide`? Returns an empty list if this is proven.
   * @param wide the schema that should allow all values, and its document
   * @param narrow the schema whose values should fit `wide`, and its document
   * @param examples values to try first, such as the examples of the documents
   * @param reading how values arrive: as JSON, or as texts that are coerced
   */
  compare(
    wide: readonly [schema: unknown, side: Side],
    narrow: readonly [schema: unknown, side: Side],
    examples: readonly unknown[] = [],
    reading: Reading = 'json',
  ): readonly Finding[] {
    const [one, other] = [wide, narrow].map(([schema, side]) => this.#pool.read(schema, side)) as [Schema, Schema]
    if (one === other) return []
    if (reading === 'text' && this.#isOfTexts(one, other)) return []
    const doubts = this.#proof.compare(one, other)
    const needed = reading === 'text' && doubts.length === 0 ? this.#doubtsOfTexts(one, other) : doubts
    if (needed.length === 0) return []
    return this.#findings(needed, this.#search(one, other, reading), other, examples)
  }

  /** Whether `wide` allows any text, and all values of `narrow` arrive as one text. */
  #isOfTexts(wide: Schema, narrow: Schema): boolean {
    if (typeof wide !== 'object' || !Object.keys(wide).every((each) => each === 'type') || !typesOf(wide).has('string')) return false
    return shapesOf([narrow], this.#pool)?.every(({ types }) => !types.has('array') && !types.has('object')) === true
  }

  /**
   * Returns the reasons why texts, such as parameters, may be refused although each value of `narrow` fits `wide`. A validator coerces
   * texts to types: if a schema has alternatives, a text that was read as a number may be read as a text, and must then fit the keywords of
   * texts.
   */
  #doubtsOfTexts(wide: Schema, narrow: Schema): Doubts {
    const isPlain = wide === true || [wide, narrow].every((schema) => hasOneReading(schema, this.#pool))
    return isPlain ? proven : vague('reads texts by alternatives, which are not compared')
  }

  #search(wide: Schema, narrow: Schema, reading: Reading): Search {
    const asRead = (value: unknown): unknown => (reading === 'text' ? textOf(value) : value)
    return {
      candidates: this.#candidates,
      isCounterexample: (value) => {
        if (value === undefined || (reading === 'text' && !isWritable(value))) return false
        try {
          if (this.#validators.problemOf(narrow, asRead(value), reading, this.#isClosed) !== undefined) return false
          return this.#validators.problemOf(wide, asRead(value), reading) !== undefined
        } catch {
          return false
        }
      },
    }
  }

  #findings(doubts: Doubts, search: Search, narrow: Schema, examples: readonly unknown[]): Finding[] {
    const findings = doubts.map((doubt): Finding => {
      const found = counterexampleOf(doubt, search)
      const { reason, shown = reason } = doubt
      const path = toPointer(doubt.path)
      return found === undefined ? { answer: 'unknown', path, reason } : { answer: 'breaking', path, reason: shown, example: found.value }
    })
    if (findings.some(({ answer }) => answer === 'breaking')) return findings
    const given = examples.find((each) => search.isCounterexample(each))
    const found = given === undefined ? anyCounterexample(narrow, search) : { value: given }
    if (found === undefined) return findings
    const [first, ...others] = findings
    const { reason, shown = reason } = doubts[0]!
    return [{ ...first!, answer: 'breaking', reason: shown, example: found.value }, ...others]
  }
}

/** The most references and nested schemas that are followed. */
const MAX_STEPS = 50

/** The keywords that give a schema alternatives, or that refer to another schema. */
const combining: ReadonlySet<string> = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'])

/** Whether a schema and its nested schemas have exactly one type each, so that a text can be coerced in only one way. */
function hasOneReading(schema: Schema, pool: SchemaPool, steps = 0): boolean {
  if (typeof schema === 'boolean') return true
  const { $ref, type, items = true, prefixItems = [], properties = {}, additionalProperties = true } = schema
  const keywords = Object.keys(schema)
  if ($ref !== undefined && keywords.length === 1 && steps < MAX_STEPS) return hasOneReading(pool.component($ref), pool, steps + 1)
  if (keywords.some((each) => combining.has(each)) || type?.length !== 1) return false
  const within: readonly Schema[] = [items, additionalProperties, ...prefixItems, ...Object.values<Schema>(properties)]
  return steps < MAX_STEPS && within.every((each) => hasOneReading(each, pool, steps + 1))
}

/** Whether a value can be sent as a parameter: as one text, or as several texts. */
function isWritable(value: unknown): boolean {
  const isText = (each: unknown): boolean => each !== null && typeof each !== 'object'
  return Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value)
}

/** Returns a value as the server reads a parameter: as a text, or as a list of texts if there is not exactly one. */
function textOf(value: unknown): unknown {
  const texts = [value].flat().map(String)
  return texts.length === 1 ? texts[0] : texts
}
