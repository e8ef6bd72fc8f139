/**
 * What can be said of a schema without compiling it: its text, and whether it is sure to compile.
 *
 * The check is sound, not complete: it knows a part of JSON Schema, and everything about that part. Whatever it does not know
 * (conditions, tuples, `$id`s, keywords of plugins, …) it leaves to the engine.
 */

type Schema = any

/** Schemas in schemas, far below what engines can recurse into. */
const MAX_DEPTH = 40
/** Objects in objects. */
const MAX_NESTING = 500

/**
 * The JSON text of a value, keys in their order; `undefined` where the text does not say it all (functions, `undefined`, class
 * instances, circles).
 */
export function jsonText(value: unknown): string | undefined {
  return isJson(value, new Set()) ? JSON.stringify(value) : undefined
}

function isJson(value: unknown, around: Set<object>): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || around.has(value) || around.size > MAX_NESTING) return false
  if (!Array.isArray(value) && !isPlain(value)) return false
  around.add(value)
  // Symbols and hidden properties (TypeBox has both) mean nothing to the engines.
  for (const key of Object.keys(value)) if (!isJson((value as Record<string, unknown>)[key], around)) return false
  around.delete(value)
  // A list with holes.
  return !Array.isArray(value) || Object.keys(value).length === value.length
}

function isPlain(value: unknown): value is Record<string, any> {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether the meaning of a schema depends on nothing but itself. */
export function standsAlone(text: string): boolean {
  return !text.includes('"$')
}

/** What an engine makes of schemas. */
export interface EngineKnowledge {
  /** `allOf`, `anyOf`, `oneOf`: the serializer merges schemas for them, which may fail. */
  readonly hasCombinators: boolean
  /** References that lead back: the serializer may run in circles. */
  readonly hasCircles: boolean
  /** Keywords that are errors where they mean nothing. */
  readonly isStrict: boolean
  readonly formats: { has(format: string): boolean }
}

interface Place {
  /** The document that local references are resolved in. */
  readonly document: Schema
  /** Types that a value can have here; empty: any. */
  readonly types: readonly string[]
  /** Below `anyOf` or `oneOf`, where defaults are errors. */
  readonly isAlternative: boolean
  /** A named property, which may have a default. */
  readonly isProperty: boolean
  readonly depth: number
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** The types of values that a keyword applies to. */
const appliesTo: Record<string, readonly string[]> = {
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string', 'number', 'integer'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  exclusiveMinimum: ['number', 'integer'],
  exclusiveMaximum: ['number', 'integer'],
  multipleOf: ['number', 'integer'],
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

const annotations: Record<string, (value: unknown) => boolean> = {
  title: isText,
  description: isText,
  $comment: isText,
  examples: (value) => Array.isArray(value) && isData(value, 0),
  deprecated: isBoolean,
  readOnly: isBoolean,
  writeOnly: isBoolean,
}

const assertions: Record<string, (value: any) => boolean> = {
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

// Names end up in generated code; those with quotes and line ends are the engine's to judge.
function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '__proto__' && !value.startsWith('$') && !/[\\'"`\p{Cc}\u2028\u2029]/u.test(value)
}

/** Plain values in which no engine can see a schema. */
function isData(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return value !== undefined
  return depth < MAX_DEPTH && Object.entries(value).every(([key, entry]) => isName(key) && isData(entry, depth + 1))
}

const draft7 = 'http://json-schema.org/draft-07/schema'

// Ids that URI resolution leaves as they are.
const plainId = /^(?:https?:\/\/[a-z0-9]+(?:[.-][a-z0-9]+)*(?:\/\w[\w.-]*)+|\w[\w.-]*)$/

/** Knows which schemas are sure to compile beside the shared ones of a context. */
export class SchemaCheck {
  readonly #shared: Record<string, Schema>
  readonly #knowledge: EngineKnowledge
  /** Nodes that references lead to and that were found good: not below alternatives, and there. */
  readonly #good = [new Set<object>(), new Set<object>()] as const
  /** Those of the schema being looked at: they are good if all of it is. */
  #seen: readonly [Set<object>, Set<object>] = [new Set(), new Set()]
  /** Those that the one being looked at is reached through. */
  readonly #open = new Set<object>()

  constructor(shared: Record<string, Schema>, knowledge: EngineKnowledge) {
    this.#shared = shared
    this.#knowledge = knowledge
  }

  /** Whether the shared schemas can be registered without a fault. */
  get isSharedSound(): boolean {
    if (jsonText(this.#shared) === undefined) return false
    return Object.entries(this.#shared).every(([id, schema]) => {
      if (!plainId.test(id) || !isPlain(schema) || schema['$id'] !== id) return false
      const { $id: _id, ...rest } = schema
      return this.#acceptsDocument(rest, schema)
    })
  }

  /** Whether a schema, plain JSON, is sure to compile, without as much as a warning. */
  isSound(schema: Schema): boolean {
    return isPlain(schema) && this.#acceptsDocument(schema, schema)
  }

  #acceptsDocument(root: Schema, document: Schema): boolean {
    this.#seen = [new Set(), new Set()]
    this.#open.clear()
    this.#open.add(document)
    if (!this.#accepts(root, { document, types: [], isAlternative: false, isProperty: false, depth: 0 })) return false
    for (const index of [0, 1] as const) for (const node of this.#seen[index]) this.#good[index].add(node)
    return true
  }

  #accepts(schema: Schema, place: Place): boolean {
    if (typeof schema === 'boolean') return place.depth > 0
    if (!isPlain(schema) || place.depth > MAX_DEPTH) return false
    if ('$ref' in schema) return this.#acceptsReference(schema, place)
    const { isStrict } = this.#knowledge
    const types = this.#typesOf(schema, place)
    if (types === undefined) return false
    for (const key of Object.keys(schema)) {
      const value = schema[key]
      if (Object.hasOwn(appliesTo, key) && isStrict && !appliesTo[key]!.some((type) => types.includes(type))) return false
      if (!this.#acceptsKeyword(key, value, schema, types, place)) return false
    }
    return true
  }

  #acceptsKeyword(key: string, value: any, schema: Schema, types: readonly string[], place: Place): boolean {
    const { hasCombinators, isStrict, formats } = this.#knowledge
    const { document, isAlternative, depth } = place
    const below = { document, types: [], isAlternative, isProperty: false, depth: depth + 1 }
    switch (key) {
      case 'type':
        return true
      case '$schema':
        return depth === 0 && (value === draft7 || value === `${draft7}#`)
      case 'nullable':
        return isBoolean(value) && 'type' in schema && (value || ![schema['type']].flat().includes('null'))
      case 'default':
        return isData(value, 0) && (!isStrict || (place.isProperty && !isAlternative))
      case 'format':
        return formats.has(value)
      case 'properties':
        return (
          isPlain(value) && Object.keys(value).every((name) => isName(name) && this.#accepts(value[name], { ...below, isProperty: true }))
        )
      case 'definitions':
      case '$defs':
        return isPlain(value) && Object.keys(value).every((name) => isName(name) && this.#accepts(value[name], below))
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
    const check = Object.hasOwn(assertions, key) ? assertions[key] : Object.hasOwn(annotations, key) ? annotations[key] : undefined
    if (check !== undefined) return check(value)
    return !isStrict && (key === 'example' || key.startsWith('x-')) && isData(value, 0)
  }

  /** The types that a value can have in a schema; `undefined` where they are stated wrongly, or at odds with those around. */
  #typesOf(schema: Schema, { types: around }: Place): readonly string[] | undefined {
    if (!('type' in schema)) return around
    const stated: unknown[] = [schema.type].flat()
    if (stated.length === 0 || new Set(stated).size < stated.length) return undefined
    if (!stated.every((type) => typeof type === 'string' && typeNames.has(type))) return undefined
    const types = schema.nullable === true && !stated.includes('null') ? [...stated, 'null'] : stated
    // More than one beside null is a warning by default.
    if (types.filter((type) => type !== 'null').length > 1) return undefined
    if (around.length > 0 && !types.every((type) => around.includes(type as string))) return undefined
    return types as string[]
  }

  #acceptsReference(schema: Schema, { document, isAlternative, isProperty, depth }: Place): boolean {
    const { $ref: reference, ...beside } = schema
    for (const [key, value] of Object.entries(beside)) {
      const isDefault = key === 'default' && this.#knowledge.isStrict
      if (isDefault ? !(isProperty && !isAlternative && isData(value, 0)) : !(Object.hasOwn(annotations, key) && annotations[key]!(value)))
        return false
    }
    const target = this.#resolve(reference, document)
    if (target === undefined) return false
    // Engines compile all of another document before they look into it.
    if (target.document !== document && !this.#acceptsTarget(target.document, target.document, false, depth)) return false
    return this.#acceptsTarget(target.schema, target.document, isAlternative, depth)
  }

  #acceptsTarget(schema: Schema, document: Schema, isAlternative: boolean, depth: number): boolean {
    if (this.#open.has(schema) && !this.#knowledge.hasCircles) return false
    const index = isAlternative ? 1 : 0
    if (this.#good[index].has(schema) || this.#seen[index].has(schema)) return true
    this.#seen[index].add(schema)
    const { $id: _id, ...rest } = schema
    // References that lead to references may lead in a circle.
    if ('$ref' in rest) return false
    this.#open.add(schema)
    const isGood = this.#accepts(rest, { document, types: [], isAlternative, isProperty: false, depth: depth + 1 })
    this.#open.delete(schema)
    return isGood
  }

  /** Where a reference of the plainest kinds leads: `#`, `#/definitions/a`, `id`, `id#`, `id#/properties/a`. */
  #resolve(reference: unknown, document: Schema): { schema: Schema; document: Schema } | undefined {
    if (typeof reference !== 'string') return undefined
    const [id, pointer = '', ...more] = reference.split('#')
    if (more.length > 0 || !/^(?:\/(?:definitions|properties)\/\w[\w.-]*)*$/.test(pointer)) return undefined
    const target = id === '' ? document : plainId.test(id!) && Object.hasOwn(this.#shared, id!) ? this.#shared[id!] : undefined
    if (!isPlain(target)) return undefined
    // Relative ids are resolved against that of the document they stand in.
    if (id !== '' && '$id' in document && (id!.includes('/') || String(document.$id).includes('/')) && !/^https?:/.test(id!))
      return undefined
    if ('$id' in target && (id === '' ? !plainId.test(String(target['$id'])) : target['$id'] !== id)) return undefined
    let schema: Schema = target
    for (const step of pointer.split('/').slice(1)) {
      if (!isPlain(schema) || !Object.hasOwn(schema, step)) return undefined
      schema = schema[step]
      // A base of its own for what stands in it.
      if (schema?.$id !== undefined) return undefined
    }
    return isPlain(schema) ? { schema, document: target } : undefined
  }
}
