/** Finds values for schemas: examples of the contract, or else valid generated values. */
import { createDocumentValidator, type DocumentValidator, isObject } from '../../../lib/internal.js'
import type { ContractMedia } from '../../contract/document/contract-types.js'
import { Generator, SIZES } from '../../contract/document/generator.js'
import type { OpenApiSchema } from '../../contract/index.js'
import { behindReference, type ComponentSchemas } from '../../contract/openapi/component-references.js'

/** The number of generated values of each size that are tried. */
const SEEDS = 10
const MAX_ATTEMPTS = SIZES * SEEDS

export class Values {
  readonly #generator: Generator
  readonly #validator: DocumentValidator
  readonly #schemas: ComponentSchemas
  readonly #generated = new Map<OpenApiSchema, unknown>()
  readonly #seed: number
  /** The seed of the last value that was generated anew. */
  #lastSeed: number

  /**
   * Creates the source of values for the schemas of one contract.
   * @param seed a number that decides which values are generated
   * @throws ALC_ERR_PEER_MISSING if json-schema-faker is not installed
   */
  static async create(schemas: ComponentSchemas, seed: number): Promise<Values> {
    return new Values(await Generator.load('alcove mock'), await createDocumentValidator(), schemas, seed)
  }

  private constructor(generator: Generator, validator: DocumentValidator, schemas: ComponentSchemas, seed: number) {
    this.#generator = generator
    this.#validator = validator
    this.#schemas = schemas
    this.#seed = seed
    this.#lastSeed = seed
  }

  /**
   * Finds an example of a media type: its `example`, the first of its `examples`, or the first example of its schema. Returns `undefined`
   * if there is none.
   */
  exampleOf({ example, examples = {}, schema }: ContractMedia): { readonly value: unknown } | undefined {
    if (example !== undefined) return { value: example }
    const named = Object.values(examples).find(hasValue)
    if (named !== undefined) return { value: named.value }
    const { examples: [first] = [] } = behindReference(schema, this.#schemas) as { examples?: readonly unknown[] }
    return first === undefined ? undefined : { value: first }
  }

  /** Describes why a value is not valid for a schema. Returns `undefined` if the value is valid. */
  problemOf(schema: OpenApiSchema, value: unknown): string | undefined {
    return this.#validator.compile('value', schema, this.#schemas)(value)
  }

  /**
   * Generates a valid value for a schema. Returns the same value each time, unless `isAnother` is true.
   * @param isAnother whether to generate a new value
   * @throws Error if no valid value is found
   */
  generate(schema: OpenApiSchema, isAnother = false): unknown {
    if (!isAnother && this.#generated.has(schema)) return this.#generated.get(schema)
    const value = this.#valid(schema, isAnother ? (this.#lastSeed += MAX_ATTEMPTS) : this.#seed)
    if (!isAnother) this.#generated.set(schema, value)
    return value
  }

  #valid(schema: OpenApiSchema, seed: number): unknown {
    const find = this.#validator.compile('value', schema, this.#schemas)
    let problem: string | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        const given = isObject(schema) ? schema : {}
        const value = this.#generator.generate(given, this.#schemas, seed + attempt, Math.floor(attempt / SEEDS))
        problem = find(value)
        if (problem === undefined) return value
      } catch (error) {
        problem = (error as Error).message
      }
    }
    throw new Error(`No valid value was found for the schema: ${problem}. Write an example of it in the document.`)
  }
}

export function hasValue(example: unknown): example is { readonly value: unknown } {
  return isObject(example) && 'value' in example
}
