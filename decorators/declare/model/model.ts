/** `Model`: makes classes whose fields come from a schema. */
import type { SharedSchema } from '../../../lib/index.js'
import type { NamedType } from '../../../lib/internal.js'
import { isOfStandard, isPlainObject, isStandardSchema, libraryOf, suggestName, readStandardSchema } from '../../../lib/internal.js'
import type { Class } from '../metadata.js'
import { setModelSchema } from '../schema.js'
import { isObjectSchema } from './read-object-schema.js'
import type { DescribedBy, modelSchema, ModelType, ModelValues } from './types.js'

/** The base class that {@link Model} returns. Its instances have the fields that the schema describes. */
export interface ModelClass<S> {
  /** Takes the values of the fields. An omitted field gets the default of the schema. */
  new (...values: {} extends ModelValues<S> ? [values?: ModelValues<S>] : [values: ModelValues<S>]): ModelType<S>
  /** The JSON Schema of the model, which plugins register. */
  readonly schema: DescribedBy<S>
  readonly [modelSchema]: S
}

/** The keywords that {@link Model} adds to a composed schema or a library's schema. */
export interface ModelOptions {
  readonly $id?: string
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: unknown
  readonly [extension: `x-${string}`]: unknown
}
const knownOptions = ['$id', 'title', 'description', 'deprecated', 'examples', 'additionalProperties']

type CheckedModel<S, O> = S extends { readonly properties: object }
  ? '$id' extends keyof S | keyof O
    ? unknown
    : '~kind' extends keyof S // of TypeBox 1, whose types leave out the $id
      ? unknown
      : CheckedLibrary<S, { error: "a model has an $id: write it in the schema, or as the second argument { $id: 'Article' }" }>
  : CheckedLibrary<S, { error: 'a model is an object with properties' }>
// Of a library's schema the compiler knows only the type of the values. The boot finds out whether there is an $id.
type CheckedLibrary<S, Fault> = [NamedType<S>] extends [never]
  ? Fault
  : [NamedType<S>] extends [object]
    ? unknown
    : { error: 'a model is an object with properties' }
type CheckedOptions<O> = { readonly [K in Exclude<keyof O, keyof ModelOptions>]: never }

/**
 * Makes a base class of a schema. A class that extends the base class has the typed fields of the schema, and is a shared schema: list the
 * class in `schemas` of a plugin, and refer to it with `ref`. The class may have methods.
 * ```ts
 * class Article extends Model({
 *   $id: 'Article',
 *   type: 'object',
 *   required: ['id', 'title'],
 *   properties: { id: { type: 'integer' }, title: { type: 'string' } },
 * }) {
 *   get slug() { return this.title.toLowerCase() }
 * }
 * const find = { response: { 200: ref(Article) } } as const
 * ```
 * The body of a request is a plain object, and a handler may return a plain object too. `new Article(values)` sets the fields that the
 * schema lists, without validation; an omitted field gets its default. A field with an initializer in the class replaces the value. If a
 * class repeats a field for its type, write `declare`, because `useDefineForClassFields` (the default from ES2022) would set the field to
 * `undefined`.
 *
 * A subclass of `Article` has the fields of `Article`, but is not a shared schema. `pick`, `omit`, `partial` and `extend` make further
 * schemas of `Article`.
 * @param schema a JSON Schema of an object (draft 7), a schema of TypeBox, or a Standard Schema that JSON Schema can express. With Zod,
 * these are objects, lists and unions of texts, numbers, booleans and fixed values, with limits.
 * @param options keywords to add, such as the `$id` of a schema that has none
 * @throws TypeError if the schema does not describe an object with properties, or if JSON Schema cannot express the library's schema. If
 * there is no `$id`, the boot fails with the fault SCHEMA_WITHOUT_ID.
 */
export function Model<const S extends object, const O extends ModelOptions = {}>(
  schema: S & CheckedModel<S, O>,
  options?: O & CheckedOptions<O>,
): ModelClass<S>
export function Model(original: unknown, options: ModelOptions = {}): Class & { readonly schema: unknown } {
  const schema = readModelSchema(original, options)
  const defaults = Object.entries<any>(schema.properties).map(([name, property]) => [name, property?.default] as const)
  class Base {
    static readonly schema = schema

    constructor(values: Readonly<Record<string, unknown>> = {}) {
      for (const [name, byDefault] of defaults) {
        // Accessors of a class may hold the values. A name that every object inherits is a value only if it is the object's own.
        const isGiven = !(name in Object.prototype) || Object.hasOwn(values, name)
        const ownValue = isGiven ? values[name] : undefined
        // No instance may change the default of another.
        const value: unknown = ownValue === undefined ? structuredClone(byDefault) : ownValue
        if (value !== undefined) Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
      }
    }
  }
  setModelSchema(Base, schema)
  return Base
}

type Properties = Readonly<Record<string, unknown>>

function readModelSchema(original: unknown, options: ModelOptions): SharedSchema & { readonly properties: Properties } {
  for (const key of Object.keys(options)) if (!key.startsWith('x-') && !knownOptions.includes(key)) throw new TypeError(unknownOption(key))
  const json = isOfStandard(original) ? readLibrary(original) : original
  if (!isPlainObject(json) || !isObjectSchema(json)) throw new TypeError(`Model: ${describeMistake(json)}. ${cureOfObject}`)
  const { $id = options.$id } = json
  if (options.$id !== undefined && $id !== options.$id)
    throw new TypeError(`Model: the schema has the $id '${$id}', and the second argument '${options.$id}'. Keep one of them.`)
  for (const [name, property] of Object.entries(json.properties)) checkProperty(name, property, $id)
  return { ...json, ...options }
}

const cureOfObject = "Write the schema of an object: { $id: 'Article', type: 'object', properties: { … } }."

function describeMistake(value: unknown): string {
  if (typeof value === 'function') return `${value.name} is a class or a function, not a schema`
  if (value === undefined) return 'the schema is undefined, often because of a circle of imports'
  return 'the schema is not that of an object with properties, which is what the instances of a class are'
}

function unknownOption(key: string): string {
  const cure = suggestName(key, knownOptions, 'Write it in the schema: Model({ …, … }).')
  return `Model: the second argument has no option '${key}'. ${cure}`
}

function checkProperty(name: string, property: unknown, $id: unknown): void {
  const place = `Model(${typeof $id === 'string' ? `'${$id}'` : '…'}): the property '${name}'`
  if (property === undefined)
    throw new TypeError(`${place} is undefined, often because of a circle of imports. Declare its schema first, or write ref(() => …).`)
  // Schemas of ArkType are functions.
  if (typeof property !== 'function' || isOfStandard(property)) return
  const { name: Class } = property as Class
  throw new TypeError(`${place} is the class or function ${Class}, not a schema. Write ref(${Class}).`)
}

/**
 * Returns the JSON Schema of a library's schema.
 * @throws TypeError if JSON Schema cannot express the library's schema
 */
function readLibrary(schema: object): unknown {
  if (!isStandardSchema(schema)) throw new TypeError(`Model: the schema has no validate of Standard Schema. ${cureOfObject}`)
  const { json, isExact, isOptional } = readStandardSchema(schema)
  if (isExact && !isOptional) return json
  const properties = Object.entries('shape' in schema ? (schema.shape as object) : {})
  const names = properties
    .filter(([, property]) => isStandardSchema(property) && !readStandardSchema(property).isExact)
    .map(([name]) => name)
  const place = names.length === 0 ? '' : ` in ${names.map((name) => `'${name}'`).join(', ')}`
  throw new TypeError(
    `Model: the schema of ${libraryOf(schema)} says more${place} than JSON Schema can, so a reference to it would not check everything. ` +
      `Write the model as JSON Schema, or use the schema of ${libraryOf(schema)} itself as a part of a route.`,
  )
}
