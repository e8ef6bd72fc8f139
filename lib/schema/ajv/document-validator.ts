/**
 * Validates values by the schemas of OpenAPI documents, which are JSON Schema 2020-12. Only a server under test does this, so this module
 * is loaded only there.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** A function that checks a value. Returns its problem as a text; `undefined` if the value is valid. */
export type FindProblem = (value: unknown) => string | undefined

/** A schema in JSON Schema 2020-12. */
type Schema = boolean | object

/** A validator that compiles the schemas of one OpenAPI document. */
export class DocumentValidator {
  readonly #exact = createAjv(false)
  readonly #coercing = createAjv('array')

  /**
   * Compiles a schema of the OpenAPI document.
   * @param name the name of the value in the texts of problems: `body`
   * @param components the schemas that references `#/components/schemas/…` lead to
   */
  compile(name: string, schema: Schema, components: object): FindProblem {
    return finder(this.#exact, name, { ...objectForm(schema), components: { schemas: components } })
  }

  /**
   * Adds a schema that other schemas refer to. It is compiled once for all of them.
   * @param id the text of the references that lead to the schema
   */
  add(id: string, schema: Schema): void {
    for (const ajv of [this.#exact, this.#coercing]) ajv.addSchema(objectForm(schema), id, false, false)
  }

  /**
   * Compiles the schema of a header. The value of a header is a text, which is coerced to the types of the schema.
   * @param name the name of the header in the texts of problems
   */
  compileForText(name: string, schema: Schema, components: object): FindProblem {
    const wrapped = { properties: { [name]: schema }, components: { schemas: components } }
    const find = finder(this.#coercing, '', wrapped)
    return (value) => find({ [name]: value })
  }
}

function createAjv(coerceTypes: false | 'array'): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, coerceTypes })
  ajvFormats.default(ajv)
  return ajv
}

function objectForm(schema: Schema): object {
  return typeof schema === 'object' ? schema : { allOf: [schema] }
}

function finder(ajv: Ajv2020, dataVar: string, schema: object): FindProblem {
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar }))
}
