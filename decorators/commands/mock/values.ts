/** Values for schemas: examples first, or else generated ones, which are valid. */
import { pathToFileURL } from 'node:url'
import { createDocumentValidator, type DocumentValidator, isObject } from '../../../lib/internal.js'
import type { ContractMedia } from '../../contract/document/contract-types.js'
import type { OpenApiSchema } from '../../contract/index.js'
import { behindReference, type ComponentSchemas } from '../../contract/openapi/component-references.js'
import { resolvePeer } from '../../contract/peer.js'

/** The package json-schema-faker, as far as it is used here. */
interface Faker {
  generateSync(schema: object, options: object): unknown
}

/**
 * How values are generated: first with most of what may be left out, then smaller, but behind more references, so that recursion ends and
 * long chains of references are followed. Each is tried with several seeds.
 */
const sizes = [
  { optionalsProbability: 0.8, maxDefaultItems: 3, refDepthMax: 3 },
  { optionalsProbability: 0.6, maxDefaultItems: 2, refDepthMax: 5 },
  { optionalsProbability: 0.2, maxDefaultItems: 1, refDepthMax: 9 },
  { optionalsProbability: 0, maxDefaultItems: 0, refDepthMax: 20 },
]
const SEEDS = 10
const MAX_ATTEMPTS = sizes.length * SEEDS

export class Values {
  readonly #faker: Faker
  readonly #validator: DocumentValidator
  readonly #schemas: ComponentSchemas
  readonly #generated = new Map<OpenApiSchema, unknown>()
  #seed: number

  /** @throws ALC_ERR_PEER_MISSING if json-schema-faker is not installed */
  static async create(schemas: ComponentSchemas, seed: number): Promise<Values> {
    const faker = (await import(pathToFileURL(resolvePeer('json-schema-faker', 'alcove mock')).href)) as Faker
    return new Values(faker, await createDocumentValidator(), schemas, seed)
  }

  private constructor(faker: Faker, validator: DocumentValidator, schemas: ComponentSchemas, seed: number) {
    this.#faker = faker
    this.#validator = validator
    this.#schemas = schemas
    this.#seed = seed
  }

  /** The example of a media type: its own, the first of several, or that of its schema. */
  exampleOf({ example, examples = {}, schema }: ContractMedia): { readonly value: unknown } | undefined {
    if (example !== undefined) return { value: example }
    const named = Object.values(examples).find(hasValue)
    if (named !== undefined) return { value: named.value }
    const { examples: [first] = [] } = behindReference(schema, this.#schemas) as { examples?: readonly unknown[] }
    return first === undefined ? undefined : { value: first }
  }

  /** What is wrong with a value. */
  problemOf(schema: OpenApiSchema, value: unknown): string | undefined {
    return this.#validator.compile('value', schema, this.#schemas)(value)
  }

  /** A valid value; the same for each request unless another one is asked for. @throws Error if none is found */
  generate(schema: OpenApiSchema, isAnother = false): unknown {
    if (!isAnother && this.#generated.has(schema)) return this.#generated.get(schema)
    const value = this.#valid(schema, isAnother ? (this.#seed += MAX_ATTEMPTS) : this.#seed)
    if (!isAnother) this.#generated.set(schema, value)
    return value
  }

  #valid(schema: OpenApiSchema, seed: number): unknown {
    const find = this.#validator.compile('value', schema, this.#schemas)
    const whole = { ...(isObject(schema) ? schema : {}), components: { schemas: this.#schemas } }
    let problem: string | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const options = { seed: seed + attempt, ...sizes[Math.floor(attempt / SEEDS)], useExamplesValue: true, useDefaultValue: true }
      try {
        const value = this.#faker.generateSync(whole, options)
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
