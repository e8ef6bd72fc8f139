/**
 * Answers two questions about a schema without compiling it: what its text is, and whether it is certain to compile.
 *
 * The check is sound, but not complete. It covers a subset of JSON Schema. A schema that uses anything else (conditions, tuples, `$id`s,
 * keywords of plugins, …) may compile, but is not certain to compile.
 */
import { isPlainObject } from '../../util/objects.js'
import { followPointer, type ReferenceTarget, splitReference } from '../json-schema/references.js'
import { keywords, typeNames } from '../json-schema/vocabulary.js'

type Schema = any

/** The most levels of nested schemas that are checked; the engines can recurse much deeper. */
const MAX_SCHEMA_DEPTH = 40
/** The most levels of nested objects and arrays in a value. */
const MAX_JSON_DEPTH = 500

/**
 * Returns the JSON text of a value, its keys in their order; `undefined` if the text would lose something (a function, `undefined`, a class
 * instance, a circle).
 */
export function jsonText(value: unknown): string | undefined {
  return isJsonValue(value, new Set()) ? JSON.stringify(value) : undefined
}

function isJsonValue(value: unknown, around: Set<object>): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || around.has(value) || around.size > MAX_JSON_DEPTH) return false
  if (!Array.isArray(value) && !isPlainObject(value)) return false
  around.add(value)
  // The engines ignore symbols and non-enumerable properties. TypeBox has both.
  for (const key of Object.keys(value)) if (!isJsonValue((value as Record<string, unknown>)[key], around)) return false
  around.delete(value)
  // A sparse array has fewer keys than its length.
  return !Array.isArray(value) || Object.keys(value).length === value.length
}

/** Whether a schema, given as text, means the same everywhere: it contains no reference and no other keyword with `$`. */
export function standsAlone(text: string): boolean {
  return !text.includes('"$')
}

/** The facts about an engine that decide which schemas are certain to compile in it. */
export interface EngineKnowledge {
  /** Whether `allOf`, `anyOf` and `oneOf` compile. The serializer merges their schemas, which may fail. */
  readonly hasCombinators: boolean
  /** Whether circular references compile. They may send the serializer into an endless recursion. */
  readonly hasCircles: boolean
  /** Whether unknown keywords, and keywords that do not apply to the stated type, are errors. */
  readonly isStrict: boolean
  readonly formats: { has(format: string): boolean }
}

/** The position of a subschema, and the restrictions from the schemas around it. */
interface SchemaPosition {
  /** The document in which local references (`#/…`) are resolved. */
  readonly document: Schema
  /** The types that a value can have at this position; empty: any type. */
  readonly types: readonly string[]
  /** Whether the position is inside of `anyOf` or `oneOf`, where defaults are errors. */
  readonly isAlternative: boolean
  /** Whether the position is the schema of a named property, which may have a default. */
  readonly isProperty: boolean
  readonly depth: number
}

const knownTypes: ReadonlySet<unknown> = new Set(typeNames)

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Keywords that reject no value, each with a function that checks the value that a schema gives the keyword. */
const annotationChecks: Record<string, (value: unknown) => boolean> = {
  title: isText,
  description: isText,
  $comment: isText,
  examples: (value) => Array.isArray(value) && isData(value, 0),
  deprecated: isBoolean,
  readOnly: isBoolean,
  writeOnly: isBoolean,
}

/** Keywords that may reject a value, each with a function that checks the value that a schema gives the keyword. */
const assertionChecks: Record<string, (value: any) => boolean> = {
  required: (value) => Array.isArray(value) && value.every(isName) && new Set(value).size === value.length,
  minProperties: isCount,
  maxProperties: isCount,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isBoolean,
  minLength: isCount,
  maxLength: isCount,
  pattern: isPattern,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  const: (value) => isData(value, 0),
  enum: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => entry === null || typeof entry !== 'object') &&
    new Set(value).size === value.length,
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

// Names become part of generated code. Only the engine can tell whether it handles quotes and line ends in them.
function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '__proto__' && !value.startsWith('$') && !/[\\'"`\p{Cc}\u2028\u2029]/u.test(value)
}

/** Whether a value is plain data that no engine can mistake for a schema. */
function isData(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return value !== undefined
  return depth < MAX_SCHEMA_DEPTH && Object.entries(value).every(([key, entry]) => isName(key) && isData(entry, depth + 1))
}

const draft7 = 'http://json-schema.org/draft-07/schema'

// Ids that stay the same when a URI is resolved.
const plainId = /^(?:https?:\/\/[a-z0-9]+(?:[.-][a-z0-9]+)*(?:\/\w[\w.-]*)+|\w[\w.-]*)$/

/** Finds out which schemas are certain to compile together with some shared schemas. */
export class SchemaCheck {
  readonly #shared: Record<string, Schema>
  readonly #knowledge: EngineKnowledge
  /**
   * The targets of references that are known to compile, so that each is checked only once: at index 0 outside of `anyOf` and `oneOf`, at
   * index 1 inside of them.
   */
  readonly #accepted = [new Set<object>(), new Set<object>()] as const
  /**
   * The targets of references that the check of the present schema has met. They are added to `#accepted` once the whole schema is known to
   * compile.
   */
  #pending: readonly [Set<object>, Set<object>] = [new Set(), new Set()]
  /** The documents and targets of references that are being checked right now. A reference to one of them is circular. */
  readonly #ancestors = new Set<object>()

  constructor(shared: Record<string, Schema>, knowledge: EngineKnowledge) {
    this.#shared = shared
    this.#knowledge = knowledge
  }

  /** Whether all shared schemas are certain to compile. */
  get isSharedSound(): boolean {
    if (jsonText(this.#shared) === undefined) return false
    return Object.entries(this.#shared).every(([id, schema]) => {
      if (!plainId.test(id) || !isPlainObject(schema) || schema['$id'] !== id) return false
      const { $id: _id, ...rest } = schema
      return this.#acceptsDocument(rest, schema)
    })
  }

  /** Whether a schema is certain to compile without a warning. The schema must be plain JSON, for which {@link jsonText} returns a text. */
  isSound(schema: Schema): boolean {
    return isPlainObject(schema) && this.#acceptsDocument(schema, schema)
  }

  #acceptsDocument(root: Schema, document: Schema): boolean {
    this.#pending = [new Set(), new Set()]
    this.#ancestors.clear()
    this.#ancestors.add(document)
    if (!this.#accepts(root, { document, types: [], isAlternative: false, isProperty: false, depth: 0 })) return false
    for (const index of [0, 1] as const) for (const node of this.#pending[index]) this.#accepted[index].add(node)
    return true
  }

  #accepts(schema: Schema, position: SchemaPosition): boolean {
    if (typeof schema === 'boolean') return position.depth > 0
    if (!isPlainObject(schema) || position.depth > MAX_SCHEMA_DEPTH) return false
    if ('$ref' in schema) return this.#acceptsReference(schema, position)
    const { isStrict } = this.#knowledge
    const types = this.#typesOf(schema, position)
    if (types === undefined) return false
    for (const key of Object.keys(schema)) {
      const value = schema[key]
      const applicable = keywords.get(key)?.types
      if (isStrict && applicable?.some((type) => types.includes(type)) === false) return false
      if (!this.#acceptsKeyword(key, value, schema, types, position)) return false
    }
    return true
  }

  #acceptsKeyword(key: string, value: any, schema: Schema, types: readonly string[], position: SchemaPosition): boolean {
    const { hasCombinators, isStrict, formats } = this.#knowledge
    const { document, isAlternative, depth } = position
    const below = { document, types: [], isAlternative, isProperty: false, depth: depth + 1 }
    switch (key) {
      case 'type':
        return true
      case '$schema':
        return depth === 0 && (value === draft7 || value === `${draft7}#`)
      case 'nullable':
        return isBoolean(value) && 'type' in schema && (value || ![schema['type']].flat().includes('null'))
      case 'default':
        return isData(value, 0) && (!isStrict || (position.isProperty && !isAlternative))
      case 'format':
        return formats.has(value)
      case 'properties':
        return (
          isPlainObject(value) &&
          Object.keys(value).every((name) => isName(name) && this.#accepts(value[name], { ...below, isProperty: true }))
        )
      case 'definitions':
      case '$defs':
        return isPlainObject(value) && Object.keys(value).every((name) => isName(name) && this.#accepts(value[name], below))
      case 'items':
      case 'additionalProperties':
        return this.#accepts(value, below)
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return (
          hasCombinators &&
          Array.isArray(value) &&
          value.length > 0 &&
          value.every((entry) => this.#accepts(entry, { ...below, types, isAlternative: isAlternative || key !== 'allOf' }))
        )
    }
    const check = Object.hasOwn(assertionChecks, key)
      ? assertionChecks[key]
      : Object.hasOwn(annotationChecks, key)
        ? annotationChecks[key]
        : undefined
    if (check !== undefined) return check(value)
    return !isStrict && (key === 'example' || key.startsWith('x-')) && isData(value, 0)
  }

  /**
   * Returns the types that a value can have in a schema; `undefined` if `type` is invalid or contradicts the types of the schemas around
   * it.
   */
  #typesOf(schema: Schema, { types: around }: SchemaPosition): readonly string[] | undefined {
    if (!('type' in schema)) return around
    const stated: unknown[] = [schema.type].flat()
    if (stated.length === 0 || new Set(stated).size < stated.length) return undefined
    if (!stated.every((type) => knownTypes.has(type))) return undefined
    const types = schema.nullable === true && !stated.includes('null') ? [...stated, 'null'] : stated
    // By default ajv warns of more than one type besides null.
    if (types.filter((type) => type !== 'null').length > 1) return undefined
    if (around.length > 0 && !types.every((type) => around.includes(type as string))) return undefined
    return types as string[]
  }

  #acceptsReference(schema: Schema, { document, isAlternative, isProperty, depth }: SchemaPosition): boolean {
    const { $ref: reference, ...beside } = schema
    for (const [key, value] of Object.entries(beside)) {
      const isDefault = key === 'default' && this.#knowledge.isStrict
      if (
        isDefault
          ? !(isProperty && !isAlternative && isData(value, 0))
          : !(Object.hasOwn(annotationChecks, key) && annotationChecks[key]!(value))
      )
        return false
    }
    const target = this.#resolve(reference, document)
    if (target === undefined) return false
    // The engines compile the whole of another document before they resolve a reference into it.
    if (target.document !== document && !this.#acceptsTarget(target.document, target.document, false, depth)) return false
    return this.#acceptsTarget(target.schema, target.document, isAlternative, depth)
  }

  #acceptsTarget(schema: Schema, document: Schema, isAlternative: boolean, depth: number): boolean {
    if (this.#ancestors.has(schema) && !this.#knowledge.hasCircles) return false
    const index = isAlternative ? 1 : 0
    if (this.#accepted[index].has(schema) || this.#pending[index].has(schema)) return true
    this.#pending[index].add(schema)
    const { $id: _id, ...rest } = schema
    // A chain of references may be circular.
    if ('$ref' in rest) return false
    this.#ancestors.add(schema)
    const isGood = this.#accepts(rest, { document, types: [], isAlternative, isProperty: false, depth: depth + 1 })
    this.#ancestors.delete(schema)
    return isGood
  }

  /**
   * Finds the target of a reference of the simplest kinds: `#`, `#/definitions/a`, `id`, `id#`, `id#/properties/a`.
   * @returns `undefined` for any other reference
   */
  #resolve(reference: unknown, document: Schema): ReferenceTarget | undefined {
    if (typeof reference !== 'string') return undefined
    const { id, fragment } = splitReference(reference)
    if (!/^(?:\/(?:definitions|properties)\/\w[\w.-]*)*$/.test(fragment)) return undefined
    const target = id === '' ? document : plainId.test(id) && Object.hasOwn(this.#shared, id) ? this.#shared[id] : undefined
    if (!isPlainObject(target)) return undefined
    // Relative ids are resolved against the id of the document that contains the reference.
    if (id !== '' && '$id' in document && (id.includes('/') || String(document.$id).includes('/')) && !/^https?:/.test(id)) return undefined
    if ('$id' in target && (id === '' ? !plainId.test(String(target['$id'])) : target['$id'] !== id)) return undefined
    const path = followPointer(target, fragment)
    // An `$id` on the way would change the base that references below it are resolved against.
    if (path === undefined || !path.slice(1).every((schema) => isPlainObject(schema) && schema['$id'] === undefined)) return undefined
    return { schema: path.at(-1), document: target }
  }
}
