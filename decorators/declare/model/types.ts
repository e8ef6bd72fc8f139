/** The types of models: of their instances, and of schemas that are composed from them. This file has no code at run time. */
import type { schemaType, TypedSchema } from '../../../lib/index.js'
import type { DefaultKeys, FromObject, inputType, NamedType, sendableSchema, Side } from '../../../lib/internal.js'
import type { Class } from '../metadata.js'

type AnyFunction = (...args: any[]) => any

/** The type-level key of a model class's schema. It does not exist at run time. */
export declare const modelSchema: unique symbol

/** The type-level key of the class to which a `ref` with a function leads. It does not exist at run time. */
declare const laterClass: unique symbol

/** The type of the values that an object schema describes. Other keywords, such as `if` and `anyOf`, do not narrow this type. */
export type FieldsOfSchema<S, For extends Side = 'handler'> =
  NamedType<S> extends infer T ? ([T] extends [never] ? FromObject<S, For> : T) : never

/** The type of a model's instances. A field with a `ref` to a later class has the type of this class, with its methods. */
export type ModelType<S> = NamedType<S> extends infer T ? ([T] extends [never] ? FromObject<WithLaterClasses<S>> : T) : never
/** The type of the values that a model's constructor takes. Fields with a default may be omitted, because the constructor fills them in. */
export type ModelValues<S> = S extends { readonly properties: infer P }
  ? [DefaultKeys<P>] extends [never]
    ? ModelType<S>
    : OptionalBy<ModelType<S>, DefaultKeys<P>>
  : ModelType<S>
type OptionalBy<T, Name> = Omit<T, Name & keyof T> & { [K in Name & keyof T]?: T[K] | undefined }
type WithLaterClasses<S> = S extends { readonly [laterClass]: infer T }
  ? TypedSchema<T>
  : S extends Described
    ? S
    : S extends object
      ? { [K in keyof S]: WithLaterClasses<S[K]> }
      : S
type Described = { readonly [schemaType]: unknown } | { readonly '~standard': unknown }

/** A reference to the shared schema of a class that is declared later. Its values have the type of the class's fields. */
export interface LaterReference<T> {
  readonly $ref: string
  readonly [schemaType]: FieldsOf<T, string>
  readonly [sendableSchema]: TypedSchema<FieldsOf<T, SentDate>>
  readonly [inputType]: FieldsOf<T, SentDate>
  readonly [laterClass]: T
}

/** A date in JSON is a text. The serializer, and a client, write a `Date` as a text. */
export type SentDate = Date | string

/**
 * The fields of a class that JSON can represent: without methods and private members, also in nested classes. A field that is a `Date` has
 * the type `InPlaceOfDate`.
 */
export type FieldsOf<T, InPlaceOfDate = Date> = { [K in keyof T as T[K] extends AnyFunction ? never : K]: FieldsIn<T[K], InPlaceOfDate> }
export type FieldsIn<T, InPlaceOfDate = Date> = unknown extends T
  ? T
  : T extends Date
    ? InPlaceOfDate
    : T extends Uint8Array
      ? T
      : T extends readonly unknown[]
        ? { [K in keyof T]: FieldsIn<T[K], InPlaceOfDate> }
        : T extends object
          ? FieldsOf<T, InPlaceOfDate>
          : T

/** The JSON Schema type of a schema, such as a library's schema, as far as the compiler knows it. */
export type DescribedBy<S> = [NamedType<S>] extends [never] ? S : SchemaOfFields<FieldsOfSchema<S>>

/** The JSON Schema type of a class or of a schema, as far as the compiler knows it. */
export type SchemaOf<M> = M extends { readonly [modelSchema]: infer S }
  ? DescribedBy<S>
  : M extends Class<infer T>
    ? SchemaOfClass<FieldsOf<T>>
    : M

interface SchemaOfClass<T> {
  readonly properties: { readonly [K in keyof T]-?: FieldSchema<Exclude<T[K], undefined>> }
  readonly required: readonly RequiredOf<T>[]
}
/** The schema of a field of a class. */
interface FieldSchema<T> {
  readonly [schemaType]: FieldsIn<T, string>
  readonly [sendableSchema]: TypedSchema<FieldsIn<T, SentDate>>
  readonly [inputType]: FieldsIn<T, SentDate>
}

interface SchemaOfFields<T> {
  readonly properties: { readonly [K in keyof T]-?: TypedSchema<Exclude<T[K], undefined>> }
  readonly required: readonly RequiredOf<T>[]
}
type RequiredOf<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? never : K }[keyof T]

/** The properties of a class or of a schema. */
export type PropertiesOf<M> = SchemaOf<M> extends { readonly properties: infer P } ? P : {}
export type RequiredNames<M> = SchemaOf<M> extends { readonly required: readonly (infer R)[] } ? R : never

/** The type of the schema of an object with the properties `P`, of which the properties `R` are required. */
export type ObjectSchema<P, R> = { readonly type: 'object'; readonly properties: P } & ([R] extends [never]
  ? unknown
  : { readonly required: readonly R[] })
