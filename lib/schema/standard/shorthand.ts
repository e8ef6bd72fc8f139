/** Shorthand with Standard Schemas: `querystring: { page: z.number().default(1) }`. */
import type { StandardSchema } from '../../types/schema.js'
import { toPointer } from '../../util/json-pointer.js'
import { ignoreRejection, isPromiseLike } from '../../util/promises.js'
import { mapReferences } from '../json-schema/references.js'
import { validateOf } from './library-validate.js'
import { tryToConvert } from './standard-schema.js'

type Properties = Readonly<Record<string, StandardSchema>>
type Result = Awaited<ReturnType<StandardSchema['~standard']['validate']>>

const propertiesBySchema = new WeakMap<object, Properties>()

/** Returns the properties of a schema that {@link createShorthand} made; `undefined` for any other schema. */
export function shorthandProperties(schema: object): Properties | undefined {
  return propertiesBySchema.get(schema)
}

/**
 * Makes one schema from the schemas of several properties. Each of these schemas decides whether its property may be absent. Properties
 * that are not listed are kept.
 */
export function createShorthand(properties: Properties): StandardSchema {
  const entries = Object.entries(properties)
  const validators = entries.map(([, property]) => validateOf(property))
  const schema = {
    '~standard': {
      version: 1,
      vendor: entries[0]![1]['~standard'].vendor,
      validate(value: unknown) {
        if (value === null || typeof value !== 'object' || Array.isArray(value)) return { issues: [{ message: 'should be object' }] }
        const object: Record<string, unknown> = { ...value }
        const results = entries.map(([name], index) => {
          const result = validators[index]!(Object.hasOwn(object, name) ? object[name] : undefined)
          // If a later property throws, the promises of earlier properties are not awaited.
          ignoreRejection(result)
          return result
        })
        return results.some(isPromiseLike)
          ? Promise.all(results.map(async (result) => result)).then((settled) => combineResults(entries, object, settled))
          : combineResults(entries, object, results as Result[])
      },
      jsonSchema: {
        input: () => ({ ...convertProperties(entries, 'input'), ...requiredOf(entries) }),
        output: () => convertProperties(entries, 'output'),
      },
    },
  } as const
  propertiesBySchema.set(schema, properties)
  return schema
}

function convertProperties(entries: [string, StandardSchema][], side: 'input' | 'output'): Record<string, unknown> {
  const properties = entries.map(([name, property]) => {
    const place = `#/properties${toPointer([encodeURIComponent(name)])}`
    const json = tryToConvert(property, side) ?? {}
    // The schema of a property was a document of its own.
    return [name, mapReferences(json, (reference) => (reference.startsWith('#') ? place + reference.slice(1) : reference))]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Returns the keyword `required` with the properties that must be present. Only schemas of Zod say whether they accept an absent value. */
function requiredOf(entries: [string, StandardSchema][]): { required?: string[] } {
  const required = entries.filter(([, property]) => needsValue(property)).map(([name]) => name)
  return required.length === 0 ? {} : { required }
}

function needsValue(schema: object): boolean {
  if (!('_zod' in schema)) return false
  const { optin, def } = schema._zod as { optin?: unknown; def: { type?: unknown } }
  return optin === undefined && def.type !== 'any' && def.type !== 'unknown'
}

function combineResults(entries: [string, StandardSchema][], value: Record<string, unknown>, results: readonly Result[]): Result {
  const issues = results.flatMap((result, index) =>
    // The issues of ArkType are a special class, whose methods do not return plain arrays.
    Array.from(result.issues ?? [], (issue) => ({
      // The members are read when they are needed, as the library may compute them.
      get message() {
        return issue.message
      },
      get input() {
        return (issue as { input?: unknown }).input
      },
      get data() {
        return (issue as { data?: unknown }).data
      },
      get received() {
        return (issue as { received?: unknown }).received
      },
      path: [entries[index]![0], ...(issue.path ?? [])],
    })),
  )
  if (results.some((result) => result.issues !== undefined)) return { issues }
  entries.forEach(([name], index) => {
    const output = (results[index] as { value: unknown }).value
    if (output !== undefined || Object.hasOwn(value, name)) value[name] = output
  })
  return { value }
}
