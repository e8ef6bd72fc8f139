/** Facts about a library's schema that its definition tells without running the schema. */

/** A JSON Schema, by its keywords. */
export type JsonSchema = Readonly<Record<string, any>>

export interface Reading {
  /**
   * The JSON Schema that was read. If the reading is exact, it accepts the same values as the schema of the library. Otherwise it only
   * tells the types that texts are to be coerced to.
   */
  readonly json: JsonSchema
  /**
   * Whether `json` says everything: for each value that JSON can express, the schema of the library accepts the value if `json` does, and
   * returns it unchanged except for properties that `additionalProperties: false` removes.
   */
  readonly isExact: boolean
  /** Whether a property with this schema may be absent. */
  readonly isOptional: boolean
}

export const exact = (json: JsonSchema): Reading => ({ json, isExact: true, isOptional: false })
export const inexact = (json: JsonSchema): Reading => ({ json, isExact: false, isOptional: false })

/** The reading of a schema about which nothing is known, so that no text is coerced. */
export const unknown: Reading = inexact({})

/** Whether the name of a property means the same to each library, because no object inherits a property of this name. */
export function isOrdinaryName(name: string): boolean {
  return !(name in Object.prototype)
}

/**
 * Returns the JSON Schema that allows only these values. It states a type if all values have the same type, so that texts can be coerced to
 * that type.
 */
export function oneOfValues(values: readonly unknown[]): JsonSchema {
  const types = new Set(values.filter((value) => value !== null).map((value) => typeof value))
  return { ...(types.size === 1 && { type: nullableTypes([...types], values.includes(null)) }), enum: values }
}

/** Returns a schema that also allows `null`; `{}` if the given schema states no type. */
export function orNull(json: JsonSchema): JsonSchema {
  if (json['type'] === undefined) return {}
  return {
    ...json,
    type: nullableTypes([json['type']].flat(), true),
    ...(json['enum'] !== undefined && { enum: [...new Set([...json['enum'], null])] }),
  }
}

function nullableTypes(types: readonly string[], isNullable: boolean): string | readonly string[] {
  const all = [...new Set([...types, ...(isNullable ? ['null'] : [])])]
  return all.length === 1 ? all[0]! : all
}

/** Returns the JSON Schema of values that have one of several types; `{}` if one of the schemas states more than a type. */
export function oneOfTypes(alternatives: readonly JsonSchema[]): JsonSchema {
  const types = alternatives.map((json) => (Object.keys(json).join() === 'type' ? [json['type']].flat() : undefined))
  if (types.length === 0 || types.includes(undefined)) return {}
  return { type: [...new Set(types.flat())] }
}

/** Makes the reading of an object schema from the readings of its properties. */
export function objectOf(properties: Readonly<Record<string, Reading>>): Reading {
  const entries = Object.entries(properties)
  const required = entries.filter(([, reading]) => !reading.isOptional).map(([name]) => name)
  const json = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, reading]) => [name, reading.json])),
    ...(required.length > 0 && { required }),
  }
  return entries.every(([name, reading]) => reading.isExact && isOrdinaryName(name)) ? exact(json) : inexact(json)
}
