/** Finds the place of the value that a serializer could not write: the engine's error names the value, but not its place. */
import { toPointer } from '../../util/json-pointer.js'
import { isObject } from '../../util/objects.js'
import { resolveReference } from '../json-schema/references.js'
import { matchesName } from '../json-schema/schema-keys.js'

type Schema = any
type Path = readonly (string | number)[]

/** The schemas that a serializer was compiled from. */
export interface SerializerSource {
  readonly schema: Schema
  /** The shared schemas by `$id`. */
  readonly shared: Record<string, Schema>
}

/** The most values that the search looks at, because the payload may be a long list. */
const MAX_VALUES = 100_000

const combinators = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else']

/**
 * Finds the place of the value that a serializer could not write.
 * @param message the message of the engine's error
 * @returns a JSON Pointer to the value, which is empty if the payload itself is the value or if the value was not found; `undefined` for an
 * error that is not about a value
 */
export function findUnserializable({ schema, shared }: SerializerSource, payload: unknown, message: string): string | undefined {
  const [, text, kind] = /^The value "([^]*)" cannot be converted to an? ([\w-]+)\.$/.exec(message) ?? []
  const [, missing] = /^"(.*)" is required!$/s.exec(message) ?? []
  // Errors about types that may be several name the place in the schema.
  if (text === undefined && missing === undefined) return message.endsWith('does not match schema definition.') ? '' : undefined
  const fails: Fails =
    missing === undefined
      ? (at, value) => (([at.type].flat().includes(kind) || at.format === kind) && String(value) === text ? [] : undefined)
      : (at, value) => (isRequired(at, missing) && isObject(value) && value[missing] === undefined ? [missing] : undefined)
  try {
    return toPointer(new Search(shared, fails).find(schema, payload, schema) ?? [])
  } catch {
    return '' // A getter of the payload throws, or the payload contains itself.
  }
}

function isRequired({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}

/**
 * A function that returns the path from a value to the part of it that cannot be written: an empty path for the value itself; `undefined`
 * if everything can be written.
 */
type Fails = (schema: Schema, value: unknown) => Path | undefined

/** A walk through a payload along its schema. */
class Search {
  readonly #shared: Record<string, Schema>
  readonly #fails: Fails
  #left = MAX_VALUES

  constructor(shared: Record<string, Schema>, fails: Fails) {
    this.#shared = shared
    this.#fails = fails
  }

  find(schema: Schema, original: any, document: Schema): Path | undefined {
    if (!isObject(schema) || original === undefined || this.#left-- <= 0) return undefined
    if (typeof schema['$ref'] === 'string') {
      const target = resolveReference(schema['$ref'], document, this.#shared)
      return target && this.find(target.schema, original, target.document)
    }
    const value: unknown = original instanceof Date || typeof original?.toJSON !== 'function' ? original : original.toJSON()
    const found = this.#fails(schema, value)
    if (found !== undefined) return found
    for (const branch of combinators.flatMap((keyword) => schema[keyword] ?? [])) {
      const within = this.find(branch, value, document)
      if (within !== undefined) return within
    }
    return Array.isArray(value)
      ? this.#findInList(schema, value, document)
      : isObject(value)
        ? this.#findInObject(schema, value, document)
        : undefined
  }

  #findInList({ items, additionalItems }: Schema, list: readonly unknown[], document: Schema): Path | undefined {
    for (const [index, item] of list.entries()) {
      const path = this.find(Array.isArray(items) ? (items[index] ?? additionalItems) : items, item, document)
      if (path !== undefined) return [index, ...path]
    }
    return undefined
  }

  #findInObject(
    { properties, patternProperties, additionalProperties }: Schema,
    object: Record<string, unknown>,
    document: Schema,
  ): Path | undefined {
    for (const name of new Set([...Object.keys(properties ?? {}), ...Object.keys(object)])) {
      const pattern = Object.keys(patternProperties ?? {}).find((source) => matchesName(source, name))
      const schema = properties?.[name] ?? (pattern === undefined ? additionalProperties : patternProperties[pattern])
      const path = this.find(schema, object[name], document)
      if (path !== undefined) return [name, ...path]
    }
    return undefined
  }
}
