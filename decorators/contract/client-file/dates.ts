/**
 * The places of dates in received values, written into the client file as data, which the client reads if the file was made with `--dates`.
 */
import { componentOf, combinedSchemas } from '../openapi/component-references.js'
import { isDate } from './schema-types.js'
import { literal } from './type-texts.js'

type Schema = any

/**
 * The places of dates in a value. `1`: the value itself is a date. A text: the value has the dates of the component with this name. A list:
 * first the dates in the named members of an object or the items of a list, then the dates in all other members.
 */
export type Dates = 1 | string | readonly [members: Readonly<Record<string, Dates>>, others?: Dates]

/** Finds the dates in schemas: the properties of the format `date-time`, for which a client has the type `Date`. */
export class DateFinder {
  readonly #components: Readonly<Record<string, Schema>>
  readonly #found = new Map<string, Dates | undefined>()
  readonly #ids = new Map<Schema, number>()
  /**
   * The sets of schemas that are being searched, by the ids of their schemas, each with its name. A set is named only if it contains
   * itself.
   */
  readonly #open = new Map<string, string | undefined>()

  constructor(components: Readonly<Record<string, Schema>>) {
    this.#components = components
  }

  /**
   * Finds the places of dates in the values of a schema.
   * @param schemas the alternative schemas of the value
   * @returns the places of the dates; `undefined` if there are none
   * @throws TypeError if a property is a date in one alternative, and may be another text in another alternative
   */
  find(schemas: readonly Schema[]): Dates | undefined {
    if (!schemas.some((schema) => this.#reachesDate(schema))) return undefined
    const alternatives = schemas.flatMap(schemaAlternatives)
    const objects = alternatives.filter((schema) => this.#combinedSchemas(schema).some(hasMembers))
    const [only] = objects
    if (objects.length === 1 && hasReference(only)) return this.#findComponent(componentOf(only.$ref))
    const combined = alternatives.flatMap((schema) => this.#combinedSchemas(schema)).filter(hasMembers)
    const key = combined.map((each) => this.#idOf(each)).join()
    if (this.#open.has(key)) {
      // No component has a space in its name, so the names differ.
      this.#open.set(key, ` ${key}`)
      return ` ${key}`
    }
    this.#open.set(key, undefined)
    const dates = this.#findIn(combined)
    const name = this.#open.get(key)
    this.#open.delete(key)
    if (name === undefined) return dates
    this.#found.set(name, dates)
    return name
  }

  #findIn(schemas: readonly Schema[]): Dates | undefined {
    const names = new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))
    const members = [...names].flatMap((name): [string, Dates][] => {
      const own = schemas.flatMap((schema) => schemasOf(schema, name))
      const dates = own.some(isDate) ? this.#certain(name, own) : this.find(own)
      return dates === undefined ? [] : [[name, dates]]
    })
    const others = this.find(schemas.flatMap(otherSchemas))
    if (members.length === 0 && others === undefined) return undefined
    return others === undefined ? [Object.fromEntries(members)] : [Object.fromEntries(members), others]
  }

  #idOf(schema: Schema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  /**
   * Returns the TypeScript code of the dates of all components. The code is complete once `find` was called for the replies of all routes.
   */
  ofComponents(): string {
    return literal(Object.fromEntries([...this.#found].filter(([, dates]) => dates !== undefined)))
  }

  #certain(name: string, schemas: readonly Schema[]): Dates {
    if (schemas.every((schema) => isDate(schema) || !this.#mayBeText(schema))) return 1
    throw new TypeError(
      `The property '${name}' is a date-time in one alternative of a reply and may be another text in another, so clients cannot tell when it is a Date. Rename one of them, or write the client without dates.`,
    )
  }

  #mayBeText(schema: Schema): boolean {
    return this.#combinedSchemas(schema).some((combined) => {
      if (typeof combined === 'boolean') return combined
      if (combined.const !== undefined || Array.isArray(combined.enum))
        return [combined.const, combined.enum].flat().some((each) => typeof each === 'string')
      if (combined.type !== undefined) return [combined.type].flat().includes('string')
      return !['$ref', 'anyOf', 'oneOf', 'allOf', 'properties'].some((keyword) => keyword in combined)
    })
  }

  #findComponent(name: string): string {
    if (!this.#found.has(name)) {
      // The component is known before it is searched, because it may refer to itself.
      this.#found.set(name, undefined)
      this.#found.set(name, this.#findIn(this.#combinedSchemas(this.#components[name]).filter(hasMembers)))
    }
    return name
  }

  #reachesDate(schema: Schema, seen = new Set<Schema>()): boolean {
    if (schema === null || typeof schema !== 'object' || seen.has(schema)) return false
    seen.add(schema)
    if (Object.values(schema.properties ?? {}).some(isDate)) return true
    const target = typeof schema.$ref === 'string' ? this.#components[componentOf(schema.$ref)] : undefined
    return [target, ...Object.values(schema)].some((each) => this.#reachesDate(each, seen))
  }

  #combinedSchemas(schema: Schema): Schema[] {
    return combinedSchemas(schema, this.#components, ['anyOf', 'oneOf', 'allOf'])
  }
}

function hasReference(schema: Schema): boolean {
  return typeof schema?.$ref === 'string' && Object.keys(schema).length === 1
}

/** Returns the alternatives of a schema that consists of `anyOf` or `oneOf` alone; otherwise a list of the schema itself. */
function schemaAlternatives(schema: Schema): Schema[] {
  const [keyword, ...others] = Object.keys(schema ?? {}).filter((key) => key !== 'description')
  return others.length === 0 && (keyword === 'anyOf' || keyword === 'oneOf') ? schema[keyword].flatMap(schemaAlternatives) : [schema]
}

/** Whether a schema has keywords that describe the members of objects or lists. */
function hasMembers(schema: Schema): boolean {
  return ['properties', 'additionalProperties', 'patternProperties', 'items', 'prefixItems'].some((key) => schema?.[key] !== undefined)
}

/** Returns the schemas that an object schema has for the property `name`. */
function schemasOf({ properties, additionalProperties, patternProperties }: Schema, name: string): Schema[] {
  if (properties !== undefined && Object.hasOwn(properties, name)) return [properties[name]]
  return [additionalProperties, ...Object.values(patternProperties ?? {})].filter((schema) => schema !== undefined && schema !== false)
}

/** Returns the schemas of members without a declared name: the items of lists, and the properties of objects that allow any name. */
function otherSchemas({ items, prefixItems, additionalProperties, patternProperties }: Schema): Schema[] {
  const all = [items, additionalProperties, ...(prefixItems ?? []), ...Object.values(patternProperties ?? {})]
  return all.filter((schema) => schema !== null && typeof schema === 'object')
}

/** Returns the code that a client file contains only if it was made with the option `dates`. */
export function dateReader(components: string): string {
  return `
type Dates = 0 | 1 | string | readonly [members: { readonly [name: string]: Dates }, others?: Dates]
const datesOf: { readonly [component: string]: Dates } = ${components}

/** Makes dates of texts, where the schema of the reply has some. */
function readDates(value: any, route: any, status: number): unknown {
  const { dates = {} } = route
  return withDates(value, dates[status] ?? dates[\`\${\`\${status}\`[0]}xx\`] ?? dates.default)
}

function withDates(value: any, places: Dates | undefined): unknown {
  const dates: any = typeof places === 'string' ? datesOf[places] : places
  if (dates === 1) return typeof value === 'string' ? new Date(value) : value
  if (dates && value && typeof value === 'object')
    for (const name of Object.keys(value)) value[name] = withDates(value[name], Object.hasOwn(dates[0], name) ? dates[0][name] : dates[1])
  return value
}
`
}
