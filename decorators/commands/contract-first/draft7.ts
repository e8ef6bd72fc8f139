/**
 * Converts schemas of JSON Schema 2020-12 to draft 7, which routes take. References are changed to the shared schemas of the application.
 */
import { formatNames, holdingOf, isContainer, isObject, toPointer } from '../../../lib/internal.js'
import type { OpenApiSchema } from '../../contract/index.js'
import { componentOf } from '../../contract/openapi/component-references.js'

type Schema = any

/** The options that the server's validator (ajv) needs for the schemas of an application. */
export interface Needs {
  /** Whether the validator must not be strict, because the strict mode of ajv would refuse the schemas. */
  isLax: boolean
  /** The formats in the schemas that alcove does not know. The server does not validate them. */
  readonly formats: Set<string>
}

interface SchemaPlace {
  readonly pointer: string
  /** Whether the schema describes a property, where ajv fills in a default. */
  readonly isProperty: boolean
}

/** The keywords that draft 7 lacks, each with a text for a note that says what is lost. */
const lost: Readonly<Record<string, string>> = {
  unevaluatedProperties:
    'Draft 7 of JSON Schema has no unevaluatedProperties. Write additionalProperties: false in the schema that lists all.',
  unevaluatedItems: 'Draft 7 of JSON Schema has no unevaluatedItems.',
  minContains: 'Draft 7 of JSON Schema has no minContains: one item has to match contains.',
  maxContains: 'Draft 7 of JSON Schema has no maxContains.',
  $dynamicRef: 'Draft 7 of JSON Schema has no $dynamicRef. Write $ref.',
  $dynamicAnchor: 'Draft 7 of JSON Schema has no $dynamicAnchor.',
}
/** The keywords that restrict no value and that the strict mode of ajv refuses, because ajv does not know them. */
const unknownToAjv: ReadonlySet<string> = new Set(['discriminator', 'xml', 'externalDocs'])

export class Draft7 {
  readonly needs: Needs = { isLax: false, formats: new Set() }
  readonly #note: (pointer: string, reason: string) => void

  constructor(note: (pointer: string, reason: string) => void) {
    this.#note = note
  }

  /**
   * Converts a schema to draft 7.
   * @param pointer the place of the schema in the OpenAPI document
   * @param isProperty whether the schema becomes a property in the params, query, headers or body of a route
   */
  convert(schema: OpenApiSchema, pointer: string, isProperty = false): Schema {
    return this.#convert(schema, { pointer, isProperty })
  }

  /**
   * Converts a schema to draft 7 for use as the whole schema of a route's body, params, query or headers. A route would read `{}` as
   * shorthand for an object without properties, and a schema whose keywords all contain schemas as shorthand for an object with these
   * properties, so such schemas are written differently.
   * @param pointer the place of the schema in the OpenAPI document
   */
  convertRequestPart(schema: OpenApiSchema, pointer: string): Schema {
    const converted: Schema = this.convert(schema, pointer)
    if (!isObject(converted)) return converted === false ? { not: {} } : true
    if (Object.keys(converted).length === 0) return true
    return Object.entries(converted).every(([key, value]) => isObject(value) && !key.startsWith('$')) ? { allOf: [converted] } : converted
  }

  #convert(schema: Schema, place: SchemaPlace): Schema {
    if (!isObject(schema)) return schema
    const { pointer } = place
    const result: Record<string, Schema> = {}
    for (const [keyword, value] of Object.entries<Schema>(schema)) {
      const at = `${pointer}/${keyword}`
      if (lost[keyword] !== undefined) this.#note(at, lost[keyword])
      else if (keyword === '$ref') result['$ref'] = `${componentOf(String(value))}#`
      else if (keyword === 'pattern' && !isPattern(value)) this.#note(at, `This is not a regular expression with the flag u.`)
      else if (keyword === 'dependentRequired' || keyword === 'dependentSchemas') this.#addDependencies(result, value, at)
      else if (keyword === 'prefixItems') result['items'] = this.#list(value, at)
      else if (keyword === 'items' && schema['prefixItems'] !== undefined) result['additionalItems'] = this.#convert(value, below(at))
      else {
        if (keyword.startsWith('x-') || unknownToAjv.has(keyword)) this.needs.isLax = true
        if (keyword === 'default' && !place.isProperty) this.needs.isLax = true
        if (keyword === 'format' && !formatNames.has(String(value))) this.needs.formats.add(String(value))
        result[keyword] = this.#valueOf(keyword, value, at)
      }
    }
    return result
  }

  #valueOf(keyword: string, value: Schema, at: string): Schema {
    switch (holdingOf(keyword)) {
      case 'schema':
      case 'schema or list':
        return Array.isArray(value) ? this.#list(value, at) : this.#convert(value, below(at))
      case 'list':
        return this.#list(value, at)
      case 'map':
        return this.#map(keyword, value, at)
      default:
        return value
    }
  }

  #list(value: Schema, at: string): Schema {
    return Array.isArray(value) ? value.map((entry, index) => this.#convert(entry, below(`${at}/${index}`))) : value
  }

  #map(keyword: string, value: Schema, at: string): Schema {
    if (!isContainer(value)) return value
    const entries = Object.entries(value).filter(([name]) => {
      const isKept = keyword !== 'patternProperties' || isPattern(name)
      if (!isKept) this.#note(at + toPointer([name]), 'This is not a regular expression with the flag u.')
      return isKept
    })
    const isProperty = keyword === 'properties'
    return Object.fromEntries(entries.map(([name, entry]) => [name, this.#convert(entry, { pointer: at + toPointer([name]), isProperty })]))
  }

  /** Adds the dependencies of `dependentRequired` or `dependentSchemas` to `dependencies`, the one keyword that draft 7 has for both. */
  #addDependencies(result: Record<string, Schema>, value: Schema, at: string): void {
    const present: Record<string, Schema> = result['dependencies'] ?? {}
    const added = Object.entries<Schema>(value ?? {}).map(([name, entry]): [string, Schema] => {
      const own = Array.isArray(entry) ? entry : this.#convert(entry, below(at))
      const other = present[name]
      return [name, other === undefined ? own : { allOf: [own, other].map((each) => (Array.isArray(each) ? { required: each } : each)) }]
    })
    result['dependencies'] = { ...present, ...Object.fromEntries(added) }
  }
}

function below(pointer: string): SchemaPlace {
  return { pointer, isProperty: false }
}

/** Whether ajv can compile a value as a pattern: a regular expression with the flag u. */
function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Whether an alternative (`anyOf`, `oneOf`, `not`, `if`) in these schemas contains a default, directly or through references. The strict
 * mode of ajv refuses such a default.
 * @param shared the shared schemas by `$id`
 */
export function hasDefaultInAlternative(schemas: readonly Schema[], shared: ReadonlyMap<string, Schema>): boolean {
  const seen = new Set<Schema>()
  const hasDefault = (schema: Schema): boolean => {
    if (!isContainer(schema) || seen.has(schema)) return false
    seen.add(schema)
    const { $ref, default: defaultValue } = schema as Record<string, Schema>
    if (defaultValue !== undefined) return true
    if (typeof $ref === 'string' && hasDefault(shared.get($ref.slice(0, -1)))) return true
    return Object.values(schema).some(hasDefault)
  }
  const visit = (schema: Schema): boolean => {
    if (!isContainer(schema)) return false
    return Object.entries(schema).some(([keyword, value]) =>
      ['anyOf', 'oneOf', 'not', 'if'].includes(keyword) ? hasDefault(value) : visit(value),
    )
  }
  return schemas.some(visit)
}
