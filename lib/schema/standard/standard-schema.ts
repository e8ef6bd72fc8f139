/** Schemas that follow Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType and others. */
import type { StandardSchema } from '../../types/schema.js'

/** The most levels of a schema that are searched; the engines refuse deeper schemas. */
const MAX_DEPTH = 40

/** The values that a JSON Schema describes: those that a library accepts, or those that it returns. */
type Side = 'input' | 'output'

/** A schema that can be converted to JSON Schema; many of them are Standard Schemas too. */
interface Convertible {
  readonly '~standard': {
    readonly vendor?: unknown
    readonly jsonSchema: { readonly [S in Side]: (options: object) => Record<string, unknown> }
  }
}

/** Whether a value is a Standard Schema, which carries its own `validate`. Schemas of ArkType are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return typeof standardOf(schema)?.validate === 'function'
}

/** Whether a schema offers JSON Schema of its input. */
function isConvertible(schema: unknown): schema is Convertible {
  return typeof standardOf(schema)?.jsonSchema?.input === 'function'
}

/** Whether a value says that it follows any part of Standard Schema. */
export function isOfStandard(value: unknown): value is object {
  return standardOf(value) !== undefined
}

function standardOf(schema: any): any {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) return undefined
  const standard: unknown = schema['~standard']
  return standard !== null && typeof standard === 'object' ? standard : undefined
}

const names: Readonly<Record<string, string>> = { zod: 'Zod', valibot: 'Valibot', arktype: 'ArkType' }

/** Returns the name of the library that made a schema, as the library spells it. */
export function libraryOf(schema: StandardSchema): string {
  const { vendor } = schema['~standard']
  return Object.hasOwn(names, vendor) ? names[vendor]! : vendor || 'a Standard Schema'
}

/** Returns the JSON Schema of the values of a side. @throws the library's error if the schema cannot be converted */
function convert(schema: Convertible, side: Side, libraryOptions?: object): Record<string, unknown> {
  const { $schema: _dialect, ...converted } = schema['~standard'].jsonSchema[side]({
    target: 'draft-07',
    ...(libraryOptions !== undefined && { libraryOptions }),
  })
  return converted
}

/** Options for Zod: a part of a schema that JSON Schema cannot express is described as any value. Without them Zod throws. */
const lenient = { unrepresentable: 'any' }

/** Returns a JSON Schema that describes a schema for readers and for coercion, as far as the library can; `undefined` if it cannot. */
export function tryToConvert(schema: unknown, side: Side = 'input'): Record<string, unknown> | undefined {
  try {
    return isConvertible(schema) ? convert(schema, side, lenient) : undefined
  } catch {
    return undefined
  }
}

/** Returns the JSON Schema of a schema of a library, for an engine that reads nothing else. @throws Error if the library offers none */
export function libraryJsonSchema(schema: object): Record<string, unknown> {
  const library = isStandardSchema(schema) ? libraryOf(schema) : 'its library'
  if (!isConvertible(schema)) {
    throw new Error(
      `the schema of ${library} offers no JSON Schema. Wrap it, as toStandardJsonSchema of @valibot/to-json-schema does, or write JSON Schema`,
    )
  }
  return convert(schema, 'input')
}

/** The Standard Schema from which each JSON Schema for documentation was made. */
const originals = new WeakMap<object, object>()

/**
 * Returns the JSON Schema by which documentation plugins describe a part of requests: if the library offers no JSON Schema, one that allows
 * any value. A schema that is not a Standard Schema is returned as it is.
 */
export function documentPart(schema: any, part: string): any {
  if (!isStandardSchema(schema)) return schema
  const documented = tryToConvert(schema) ?? (part === 'body' ? {} : { type: 'object', properties: {} })
  originals.set(documented, schema)
  return documented
}

/**
 * Returns a schema as the application wrote it, also if {@link documentPart} has replaced it by JSON Schema. (A route that has several
 * paths may be compiled from options in which this was done already.)
 */
export function originalOf(schema: any): any {
  return originals.get(schema) ?? schema
}

/**
 * Throws if JSON Schema contains a schema of a library: the engines would read the library's object as keywords, and ignore its checks.
 * @throws Error
 */
export function assertNoStandardWithin(schema: unknown): void {
  const place = findStandard(schema, '#', 0)
  if (place === undefined) return
  throw new Error(`the schema of a library stands within JSON Schema, at ${place}. Write all of the part in the library, or as JSON Schema`)
}

function findStandard(schema: unknown, path: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH || schema === null || typeof schema !== 'object') return undefined
  for (const [key, value] of Object.entries(schema)) {
    const found = isOfStandard(value) ? `${path}/${key}` : findStandard(value, `${path}/${key}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
