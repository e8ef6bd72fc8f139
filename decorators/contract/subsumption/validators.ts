/** Compiles validators of schemas in the common form (see schemas.ts), with which possible counterexamples are tried. */
import type { DocumentValidator } from '../../../lib/internal.js'
import { holdingOf } from '../../../lib/internal.js'
import { componentOf } from '../openapi/component-references.js'
import { namesMembers } from './closing.js'
import { type Conjunction, mapValues, type Schema, type SchemaObject, type SchemaPool } from './schemas.js'

/** How a value is read: as JSON, or as the text of a parameter or header, which is coerced to the types of the schema. */
export type Reading = 'json' | 'text'

/** The keywords whose nested schemas describe the same value as the schema itself. */
const sameValue: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'])
/** The keywords whose nested schemas are not closed, because a value may be valid although it does not fit them. */
const turned: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames'])
/** Whether the objects of a schema have only the named members (`closed`), or any other members too (`open`). */
type Form = 'closed' | 'open'

export class Validators {
  readonly #validator: DocumentValidator
  readonly #pool: SchemaPool
  readonly #made = new Map<string, (value: unknown) => string | undefined>()
  readonly #named = new Map<Schema, boolean>()
  /** The number under which each component was added to the validator, by name. */
  readonly #numbers = new Map<string, number>()

  constructor(validator: DocumentValidator, pool: SchemaPool) {
    this.#validator = validator
    this.#pool = pool
  }

  /** Whether a value fits a schema; `undefined` if no validator can be made of the schema. */
  accepts(schema: Schema, value: unknown): boolean | undefined {
    try {
      return this.problemOf(schema, value) === undefined
    } catch {
      return undefined
    }
  }

  /**
   * Describes why a value does not fit a schema. Returns `undefined` if it fits.
   * @param isClosed whether members that the schema does not name are refused
   * @throws Error if no validator can be made of the schema
   */
  problemOf(schema: Schema, value: unknown, reading: Reading = 'json', isClosed = false): string | undefined {
    const key = `${this.#pool.idOf(schema)} ${reading} ${isClosed}`
    let find = this.#made.get(key)
    if (find === undefined) this.#made.set(key, (find = this.#compile(schema, reading, isClosed)))
    try {
      return find(value)
    } catch (error) {
      // The values that are tried are small. A schema that overflows the stack leads to itself, and would do so again with each of them.
      if (error instanceof RangeError) this.#made.set(key, () => rethrow(error))
      throw error
    }
  }

  #compile(schema: Schema, reading: Reading, isClosed: boolean): (value: unknown) => string | undefined {
    const added = Object.entries(this.#pool.componentsOf([schema])).filter(([name]) => !this.#numbers.has(name))
    // All have their numbers before they are added, because they refer to each other.
    for (const [name] of added) this.#numbers.set(name, this.#numbers.size)
    for (const [name, component] of added) {
      this.#validator.add(this.#idOf(name, 'open'), this.#open(component))
      this.#validator.add(this.#idOf(name, 'closed'), this.#closedWithin(component))
    }
    const wanted = isClosed ? this.#closed(schema) : this.#open(schema)
    return reading === 'text' ? this.#validator.compileForText('value', wanted, {}) : this.#validator.compile('value', wanted, {})
  }

  #idOf(name: string, form: Form): string {
    return `${form}:${this.#numbers.get(name)}`
  }

  /** Returns a schema whose references lead to the components that were added to the validator. */
  #open(schema: Schema): Schema {
    if (typeof schema === 'boolean') return schema
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]): [string, unknown] => {
        if (keyword === '$ref') return [keyword, this.#idOf(componentOf(value), 'open')]
        return [keyword, mapHeld(keyword, value, (each) => this.#open(each))]
      }),
    )
  }

  /** Returns a schema that refuses members which it does not name, unless the schema allows them expressly. */
  #closed(schema: Schema): Schema {
    const inner = this.#closedWithin(schema)
    if (typeof inner === 'boolean' || 'unevaluatedProperties' in inner || !this.#namesMembers(schema)) return inner
    return { ...inner, unevaluatedProperties: false }
  }

  /** Closes the objects in nested members and items of a schema, but not the value that the schema itself describes. */
  #closedWithin(schema: Schema): Schema {
    if (typeof schema === 'boolean') return schema
    const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if (keyword === '$ref') return [keyword, this.#idOf(componentOf(value), 'closed')]
      const map = turned.has(keyword) ? this.#open : sameValue.has(keyword) ? this.#closedWithin : this.#closed
      return [keyword, mapHeld(keyword, value, (each) => map.call(this, each))]
    })
    const { required = [], dependentRequired = {}, dependentSchemas = {} } = schema
    // A member that a schema demands or looks at is named by it.
    const named: readonly string[] = [...required, ...Object.entries<string[]>(dependentRequired).flat(2), ...Object.keys(dependentSchemas)]
    const closed = Object.fromEntries(entries)
    // Beside additionalProperties all members are named anyway.
    if (named.length === 0 || 'additionalProperties' in schema) return closed
    return { ...closed, properties: { ...Object.fromEntries(named.map((name) => [name, true])), ...(closed['properties'] as object) } }
  }

  /** Whether a schema names members of the object that it describes, itself or by a reference or an alternative. */
  #namesMembers(schema: Schema, way: readonly Schema[] = []): boolean {
    if (typeof schema === 'boolean' || way.includes(schema)) return false
    const known = this.#named.get(schema)
    if (known !== undefined) return known
    const parts = [...sameValue].flatMap((keyword) => (keyword in schema ? heldBy(keyword, schema[keyword]) : []))
    if (schema['$ref'] !== undefined) parts.push(this.#pool.component(schema['$ref']))
    const names = namesMembers(schema['properties'] ?? {}) || parts.some((each) => this.#namesMembers(each, [...way, schema]))
    // On the way, a schema that leads to itself is not decided.
    if (names || way.length === 0) this.#named.set(schema, names)
    return names
  }
}

function rethrow(error: Error): never {
  throw error
}

function heldBy(keyword: string, value: any): Schema[] {
  return holdingOf(keyword) === 'map' ? Object.values(value) : [value].flat()
}

function mapHeld(keyword: string, value: any, map: (schema: Schema) => Schema): unknown {
  switch (holdingOf(keyword)) {
    case 'schema':
    case 'schema or list':
      return map(value)
    case 'list':
      return value.map(map)
    case 'map':
      return mapValues(value as Record<string, Schema>, map)
    default:
      return value
  }
}

/** Returns one schema that demands all schemas of a list. */
export function allOf(conjunction: Conjunction): Schema {
  const others = conjunction.filter((each) => each !== true)
  if (others.length === 0) return true
  return others.length === 1 ? others[0]! : ({ allOf: others } satisfies SchemaObject)
}
