/**
 * Validates values by the schemas of OpenAPI documents, which are of JSON Schema 2020-12. Only servers under test do this, so this module
 * is loaded only when it is needed.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** A function that returns the problem of a value as a text; `undefined` if the value is valid. */
export type FindProblem = (value: unknown) => string | undefined

/** A schema of JSON Schema 2020-12. */
type Schema = boolean | object

/** A validator that compiles the schemas of one OpenAPI document. */
export class DocumentValidator {
  readonly #exact = createAjv(false)
  readonly #coercing = createAjv('array')

  /**
   * Compiles a schema of the document.
   * @param name the name of the value in problems: `body`
   * @param components the schemas that references `#/components/schemas/…` lead to
   */
  compile(name: string, schema: Schema, components: object): FindProblem {
    return finder(this.#exact, name, { ...objectForm(schema), components: { schemas: components } })
  }

  /**
   * Adds a schema, which is compiled once for all schemas that refer to it.
   * @param id the text of the references that lead to the schema
   */
  add(id: string, schema: Schema): void {
    for (const ajv of [this.#exact, this.#coercing]) ajv.addSchema(objectForm(schema), id, false, false)
  }

  /**
   * Compiles the schema of a header, whose value is a text that is coerced to the types of the schema.
   * @param name the name of the header in problems
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
