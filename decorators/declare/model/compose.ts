/** Composes schemas from the shared schemas of classes and from other schemas of objects. */
import type { Class } from '../metadata.js'
import { assertNotOfLibrary, readObjectSchema } from './read-object-schema.js'
import { type ModelReference, ref } from './ref.js'
import type { modelSchema, ObjectSchema, PropertiesOf, RequiredNames } from './types.js'

/** A source of composed schemas: a class with a shared schema, or the JSON Schema of an object with properties. */
export type Composable = Class | { readonly properties: object }

type NameIn<M> = keyof PropertiesOf<M> & string

/** The type of a schema with the properties `K` of `M`, which {@link pick} and {@link omit} return. */
export type Picked<M, K> = ObjectSchema<Pick<PropertiesOf<M>, K & keyof PropertiesOf<M>>, RequiredNames<M> & K>

/**
 * Returns a schema with some properties of a class with a shared schema, or of a JSON Schema.
 * ```ts
 * class NewArticle extends Model(pick(Article, 'title', 'body'), { $id: 'NewArticle' }) {}
 * const rename = { body: pick(Article, 'title') } as const
 * ```
 * Keywords that describe the object (`title`, `description`, `additionalProperties`, `patternProperties`, `x-…`) are carried over. A local
 * reference (`#/definitions/…`) then leads to the original schema by its `$id`, so list the original in `schemas` too.
 * @throws TypeError if a name is not a property, or if the schema has a condition on several properties (`allOf`, `if`, `minProperties` …)
 */
export function pick<const M extends Composable, const K extends NameIn<M>>(model: M, ...names: K[]): Picked<M, K> {
  const original = readObjectSchema('pick', model, names)
  return original.select((name) => (names as string[]).includes(name)) as Picked<M, K>
}

/**
 * Returns the schema of a class or a JSON Schema without some of its properties. Other keywords are carried over as by {@link pick}. Like
 * any schema, the result allows further properties, also the omitted ones, unless it has `additionalProperties: false`.
 * ```ts
 * class NewArticle extends Model(omit(Article, 'id'), { $id: 'NewArticle', additionalProperties: false }) {}
 * ```
 * @throws TypeError in the cases in which `pick` throws it
 */
export function omit<const M extends Composable, const K extends NameIn<M>>(
  model: M,
  ...names: K[]
): Picked<M, Exclude<keyof PropertiesOf<M>, K>> {
  const original = readObjectSchema('omit', model, names)
  return original.select((name) => !(names as string[]).includes(name)) as Picked<M, Exclude<keyof PropertiesOf<M>, K>>
}

/**
 * Returns the schema of a class or a JSON Schema in which no property is required. Other keywords are carried over as by {@link pick}. A
 * property with a `default` is still always in validated values, because the validator fills it in: `omit` such a property in the body of a
 * PATCH.
 * ```ts
 * const change = { body: partial(omit(Article, 'id')) } as const
 * ```
 * @throws TypeError in the cases in which `pick` throws it
 */
export function partial<const M extends Composable>(model: M): ObjectSchema<PropertiesOf<M>, never> {
  const { required: _required, ...schema } = readObjectSchema('partial', model).select(() => true)
  return schema as ObjectSchema<PropertiesOf<M>, never>
}

/** The properties and other keywords that {@link extend} adds to a schema. */
export interface Extension {
  readonly $id?: string
  readonly properties?: object
  readonly required?: readonly string[]
  readonly [keyword: string]: unknown
}

type Added<E> = E extends { readonly properties: infer P } ? P : {}
type AddedNames<E> = E extends { readonly required: readonly (infer R)[] } ? R : never
type Identified<E> = E extends { readonly $id: infer I } ? { readonly $id: I } : unknown
/** The type of a schema with the properties of `M` and the added properties of `E`, which {@link extend} returns. */
export type Extended<M, E> = ObjectSchema<PropertiesOf<M> & Added<E>, RequiredNames<M> | AddedNames<E>> & Identified<E>
type CheckedExtension<M, E> = [keyof PropertiesOf<M> & keyof Added<E>] extends [never]
  ? unknown
  : { error: 'these properties are there already: omit them first'; repeated: keyof PropertiesOf<M> & keyof Added<E> }

/**
 * Returns the schema of a class or a JSON Schema with added properties. `required` may also name properties that were optional. Other
 * keywords of the second argument replace the keywords that {@link pick} would carry over.
 * ```ts
 * class Featured extends Model(extend(Article, { $id: 'Featured', required: ['rank'], properties: { rank: { type: 'integer' } } })) {}
 * ```
 * @throws TypeError in the cases in which `pick` throws it, and if an added property exists already
 */
export function extend<const M extends Composable, const E extends Extension>(
  model: M,
  extension: E & CheckedExtension<M, E>,
): Extended<M, E> {
  const { label, select } = readObjectSchema('extend', model)
  const { properties = {}, required = [], ...keywords } = extension as Extension
  if (typeof extension === 'function') {
    const { name } = extension as Class
    throw new TypeError(
      `extend(${label}, ${name}): the second argument is a class. Write { properties: ${name}.schema.properties, required: ${name}.schema.required }.`,
    )
  }
  const { properties: own, required: ownRequired = [], ...carried } = select(() => true)
  const repeated = Object.keys(properties).find((name) => Object.hasOwn(own, name))
  if (repeated !== undefined)
    throw new TypeError(
      `extend(${label}): the property '${repeated}' is there already. Write extend(omit(${label}, '${repeated}'), …) to replace it.`,
    )
  const all = [...new Set([...ownRequired, ...required])]
  return { ...carried, ...keywords, properties: { ...own, ...properties }, ...(all.length > 0 && { required: all }) } as Extended<M, E>
}

/** The keywords that {@link arrayOf} adds to the schema of a list, in addition to `type` and `items`. */
export interface ArrayOptions {
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly description?: string
}

type ItemOf<M> = M extends Class<infer T> ? (M extends { readonly [modelSchema]: infer S } ? ModelReference<T, S> : ModelReference<T>) : M

/**
 * Returns the schema of a list of instances of a class, or of values with a schema.
 * ```ts
 * const all = { response: { 200: arrayOf(Article, { maxItems: 100 }) } } as const
 * ```
 * @throws TypeError if the class has no schema with an `$id`, or if the schema is that of a library
 */
export function arrayOf<const M extends object>(
  model: M,
  options?: ArrayOptions,
): ArrayOptions & { readonly type: 'array'; readonly items: ItemOf<M> }
export function arrayOf(item: object, options: ArrayOptions = {}): object {
  assertNotOfLibrary('arrayOf(…)', item)
  return { ...options, type: 'array', items: typeof item === 'function' ? ref(item as Class) : item }
}
