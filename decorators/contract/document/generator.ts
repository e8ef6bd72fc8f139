/** Generates values for the schemas of an OpenAPI document, with the optional peer dependency json-schema-faker. */
import { pathToFileURL } from 'node:url'
import type { ComponentSchemas } from '../openapi/component-references.js'
import { resolvePeer } from '../../peer.js'

/** The exports of the package json-schema-faker that alcove uses. */
interface Faker {
  generateSync(schema: object, options: object): unknown
}

/**
 * The options of json-schema-faker, from large values to small ones. Large values have most optional properties. The options for small
 * values let the generator follow more references, so that recursion ends and long chains of references are resolved.
 */
const sizes = [
  { optionalsProbability: 0.8, maxDefaultItems: 3, refDepthMax: 3 },
  { optionalsProbability: 0.6, maxDefaultItems: 2, refDepthMax: 5 },
  { optionalsProbability: 0.2, maxDefaultItems: 1, refDepthMax: 9 },
  { optionalsProbability: 0, maxDefaultItems: 0, refDepthMax: 20 },
]

/** The number of sizes of generated values. Size 0 makes the largest values. */
export const SIZES = sizes.length

export class Generator {
  readonly #faker: Faker

  /**
   * Loads json-schema-faker.
   * @param user the command that needs json-schema-faker, for the error message
   * @throws ALC_ERR_PEER_MISSING if json-schema-faker is not installed
   */
  static async load(user: string): Promise<Generator> {
    return new Generator((await import(pathToFileURL(resolvePeer('json-schema-faker', user)).href)) as Faker)
  }

  private constructor(faker: Faker) {
    this.#faker = faker
  }

  /**
   * Generates a value, which is mostly valid: json-schema-faker does not regard all combinations of keywords.
   * @param schemas the components that references of the schema lead to
   * @param seed a number that decides which value is generated
   * @param size the size of the value, from large (0) to small
   * @throws Error if json-schema-faker finds no value for the schema
   */
  generate(schema: object, schemas: ComponentSchemas, seed: number, size: number): unknown {
    const options = { seed, ...sizes[size], useExamplesValue: true, useDefaultValue: true }
    // If a schema allows any object, json-schema-faker takes each enumerable member that is not a keyword for a value of the object.
    const root = Object.defineProperty({ ...schema }, 'components', { value: { schemas } })
    return this.#faker.generateSync(root, options)
  }
}
