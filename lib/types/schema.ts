/**
 * TypeScript types from schemas: the types of a handler's request and of its payloads, computed from the schemas of its route. This
 * file has no code at run time.
 */
import type { IncomingHttpHeaders } from 'node:http'

/** The key of a schema's TypeScript type. It does not exist at run time. */
export declare const schemaType: unique symbol

/** A schema that names the TypeScript type that it describes, such as the result of `ref(User)`. */
export interface TypedSchema<T> {
  readonly [schemaType]: T
}

declare const itemSchema: unique symbol
declare const itemOfEvent: unique symbol

/** A response that is a stream of items with the schema `S`, the result of `stream(…)`. Its clients receive an async iterable. */
export interface StreamSchema<S> extends TypedSchema<AsyncIterable<FromSchema<S>>> {
  /** It does not exist at run time. */
  readonly [itemSchema]: S
}

/** An item of a stream with fields of its own, the result of `event(…)`. */
export interface StreamEvent<T> {
  /** It does not exist at run time. */
  readonly [itemOfEvent]: T
}

/** The key of the type that may be sent for such a schema, if it is another one. It does not exist at run time. */
export declare const sendableType: unique symbol

/** The key of the type that clients send for such a schema, if it is another one. It does not exist at run time. */
export declare const inputType: unique symbol

/** Whose values a schema describes: those that a handler receives, with its defaults filled in, or those that clients send. */
export type Side = 'handler' | 'client'

/** A schema that follows Standard Schema (https://standardschema.dev): of Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/**
 * The type of a schema, by schema library. Augment this interface to support another library:
 * ```ts
 * declare module 'alcove' {
 *   interface SchemaTypes<S> { mine: S extends MySchema<infer T> ? T : never }
 * }
 * ```
 * An entry must be `never` for schemas of other libraries. If every entry is `never`, the schema is read as JSON Schema
 * ({@link FromJson}).
 */
export interface SchemaTypes<S> {
  standard: S extends { readonly '~standard': { readonly types?: { readonly input: infer T } | undefined } } ? T : never
  typebox: S extends { static: infer T; params: unknown } ? T : never
}

/** The type that a schema or its library names; `never` for JSON Schema. */
export type NamedType<S> = S extends { readonly [schemaType]: infer T } ? T : SchemaTypes<S>[keyof SchemaTypes<S>]

/** The type of the values that a schema accepts; for clients, lists are readonly, and a property with a default may be left out. */
export type FromSchema<S, For extends Side = 'handler'> =
  // The type of a class that is still being declared must not be compared with anything, not even with `never`.
  S extends TypedSchema<infer T>
    ? For extends 'client'
      ? InputOfTyped<S, T>
      : T
    : SchemaTypes<S>[keyof SchemaTypes<S>] extends infer T
      ? [T] extends [never]
        ? FromJson<S, For>
        : T
      : never
type InputOfTyped<S, T> = S extends { readonly [inputType]: infer I } ? I : T

/** The type of the values that a JSON Schema (draft 7, `as const`) accepts. */
export type FromJson<S, For extends Side = 'handler'> = S extends { readonly nullable: true }
  ? FromKeywords<S, For> | null
  : FromKeywords<S, For>

// The common case comes first, because the compiler takes each of these steps for every property of every schema.
type FromKeywords<S, For extends Side> = [keyof S & ('const' | 'enum' | 'anyOf' | 'oneOf' | 'allOf')] extends [never]
  ? FromTyped<S, For>
  : FromValues<S, For>

type FromValues<S, For extends Side> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromSchema<A, For>
      : S extends { readonly oneOf: readonly (infer O)[] }
        ? FromSchema<O, For>
        : S extends { readonly allOf: infer A extends readonly unknown[] }
          ? Every<A, For>
          : FromTyped<S, For>

type FromTyped<S, For extends Side> = S extends { readonly type: infer T }
  ? T extends keyof ByType<S, For>
    ? ByType<S, For>[T]
    : T extends readonly (infer E)[]
      ? ByType<S, For>[E & keyof ByType<S, For>]
      : unknown
  : S extends { readonly properties: unknown }
    ? FromObject<S, For>
    : unknown

interface ByType<S, For extends Side> {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  array: FromArray<S, For>
  object: FromObject<S, For>
}

type FromArray<S, For extends Side> = S extends { readonly items: infer I }
  ? I extends readonly unknown[]
    ? { -readonly [K in keyof I]: FromSchema<I[K], For> }
    : For extends 'client'
      ? readonly FromSchema<I, For>[]
      : FromSchema<I, For>[]
  : unknown[]

export type FromObject<S, For extends Side = 'handler'> = S extends { readonly properties: infer P }
  ? GivenKeys<S, P, For> extends infer G extends keyof P
    ? Flat<{ -readonly [K in G]: FromSchema<P[K], For> } & { -readonly [K in Exclude<keyof P, G>]?: FromSchema<P[K], For> }>
    : never
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, FromSchema<A, For>>
    : Record<string, unknown>

// A property is present if it is required, or if it has a default, which the validator fills in. So clients may leave that out.
type GivenKeys<S, P, For extends Side> = For extends 'client'
  ? Exclude<RequiredOf<S, P>, DefaultKeys<P>>
  : RequiredOf<S, P> | DefaultKeys<P>
type RequiredOf<S, P> = S extends { readonly required: readonly (infer R)[] } ? R & keyof P : never
type DefaultKeys<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]
type Every<A extends readonly unknown[], For extends Side> = A extends readonly [infer H, ...infer T]
  ? FromSchema<H, For> & Every<T, For>
  : unknown
type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The option `schema` of a route: schemas of the request parts and of the responses. Other keys, such as `tags`, are kept. */
export interface RouteSchema {
  /** The schema of the body, or by media type: `{ content: { 'text/csv': { schema } } }`. Only for methods whose body is validated. */
  readonly body?: unknown
  /** The schema of the query string. */
  readonly querystring?: unknown
  /** Alias of `querystring`. To give both is an error. */
  readonly query?: unknown
  /** The schema of the parameters of the path. */
  readonly params?: unknown
  /** The schema of the headers. Its names may be in upper or lower case. */
  readonly headers?: unknown
  /** The schemas of replies, by status (`200`), range (`2xx`) or `default`. An entry may be `{ description, content: { [mediaType]: { schema } } }`. */
  readonly response?: { readonly [status: string | number]: unknown }
  /** Media types that `body` applies to, in addition to JSON. */
  readonly consumes?: readonly string[]
  // The names that Fastify's generics have: `post<{ Body: User }>` names types, not schemas.
  readonly Body?: never
  readonly Querystring?: never
  readonly Params?: never
  readonly Headers?: never
  readonly Reply?: never
  readonly [other: string]: unknown
}

// In shorthand, the properties stand at the top level of the part: `{ id: { type: 'integer' } }`.
type PartType<S> = NamedType<S> extends infer T ? ([T] extends [never] ? PlainPart<S> : T) : never
type PlainPart<S> = [keyof S & CompleteKeyword] extends [never]
  ? S extends { readonly content: infer C }
    ? C[keyof C] extends { readonly schema: infer B }
      ? FromSchema<B>
      : unknown
    : S extends { readonly [name: string]: object }
      ? FromObject<{ readonly properties: S }>
      : FromJson<S>
  : FromJson<S>
type CompleteKeyword = 'type' | 'properties' | '$ref' | '$id' | 'oneOf' | 'anyOf' | 'allOf' | 'not' | 'if' | 'const' | 'enum'

// A handler receives the output of a library's schema.
type Standard<Output> = { readonly '~standard': { readonly types?: { readonly output: Output } | undefined } }
type RequestPartType<S> =
  S extends Standard<infer O>
    ? O
    : S extends { readonly content: infer C }
      ? C[keyof C] extends { readonly schema: Standard<infer O> }
        ? O
        : PartType<S>
      : // Schemas of TypeBox have every property, of type `any`.
        string extends keyof S
        ? PartType<S>
        : [S] extends [{ readonly [name: string]: Standard<unknown> }]
          ? WithOptional<{ -readonly [K in keyof S]: S[K] extends Standard<infer O> ? O : never }>
          : PartType<S>
type WithOptional<T> = Flat<Omit<T, OptionalKeys<T>> & Partial<Pick<T, OptionalKeys<T>>>>
type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T]

/** The type of a part of a request as clients send it: before the transformations of a library, and without the defaults. */
export type SentPart<S> = [NamedType<S>] extends [never]
  ? [keyof S & CompleteKeyword] extends [never]
    ? SentShorthand<S>
    : FromJson<S, 'client'>
  : SentNamed<S>
type SentNamed<S> = ReadonlyArrays<FromSchema<S, 'client'>>
type SentShorthand<S> = [S] extends [{ readonly [name: string]: Standard<unknown> }]
  ? WithOptional<{ -readonly [K in keyof S]: SentNamed<S[K]> }>
  : S extends { readonly [name: string]: object }
    ? FromObject<{ readonly properties: S }, 'client'>
    : FromJson<S, 'client'>

/** The type of the body of a request, from the route's schema. The types below are those of the other parts. */
export type BodyOf<S> = S extends { readonly body: infer B } ? RequestPartType<B> : unknown
export type ParamsOf<S> = S extends { readonly params: infer P } ? RequestPartType<P> : Record<string, string>
export type QueryOf<S> = S extends { readonly querystring: infer Q } | { readonly query: infer Q }
  ? RequestPartType<Q>
  : Record<string, string | string[] | undefined>
export type HeadersOf<S> = S extends { readonly headers: infer H }
  ? LowerCaseKeys<RequestPartType<H>> & IncomingHttpHeaders
  : IncomingHttpHeaders
type LowerCaseKeys<T> = T extends object ? { [K in keyof T as K extends string ? Lowercase<K> : K]: T[K] } : T

type ResponseOf<S> = S extends { readonly response: infer R } ? R : undefined
/** The type of one entry of `response`. */
export type EntryType<E> = E extends { readonly content: infer C }
  ? C[keyof C] extends { readonly schema: infer B }
    ? FromSchema<B>
    : unknown
  : PartType<E>
// A numeric key is never a range. Without this test, `Lowercase<200 & string>` would be `never`, which is assignable to everything.
type IsRange<Key, Status> = Key extends string
  ? `${Status & number}` extends `${infer D}${string}`
    ? Lowercase<Key> extends `${D}xx`
      ? true
      : false
    : false
  : false
type RangeKey<R, Status> = { [K in keyof R]: IsRange<K, Status> extends true ? K : never }[keyof R]

/** The type of the body of a reply with this status, by exact code, then range, then `default`. `unknown` if none is declared. */
export type ResponseBody<S, Status = 200> =
  ResponseOf<S> extends infer R
    ? R extends object
      ? Status extends keyof R
        ? EntryType<R[Status]>
        : `${Status & number}` extends keyof R
          ? EntryType<R[`${Status & number}`]>
          : [RangeKey<R, Status>] extends [never]
            ? R extends { readonly default: infer D }
              ? EntryType<D>
              : unknown
            : EntryType<R[RangeKey<R, Status>]>
      : unknown
    : never

// A reply may be sent with more than clients receive: with a `Date` for a string whose format is a date, because the serializer writes its
// text, and with readonly arrays.
export type SendableBody<S, Status = 200> = ReadonlyArrays<ResponseBody<WithDates<S>, Status>>

/** The schemas of a route's responses, with a type for each string that may be sent as a `Date`. */
export type WithDates<S> = S extends { readonly response: infer R } ? { readonly response: DatesIn<R> } : unknown
export type DatesIn<S> = S extends { readonly format: 'date-time' | 'date' | 'time' }
  ? TypedSchema<FromSchema<S> | Date>
  : S extends object
    ? [NamedType<S>] extends [never]
      ? { [K in keyof S]: DatesIn<S[K]> }
      : S extends StreamSchema<infer Item>
        ? TypedSchema<StreamOf<ReadonlyArrays<FromSchema<DatesIn<Item>>>>>
        : S extends { readonly [sendableType]: infer T }
          ? TypedSchema<T>
          : S
    : S
// A generator may yield some of its items as they are, and others with fields.
type StreamOf<T> = AsyncIterable<T | StreamEvent<T>>

export type ReadonlyArrays<T> = unknown extends T
  ? T
  : T extends Date | ((...args: any[]) => unknown)
    ? T
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: ReadonlyArrays<T[K]> }
      : T extends AsyncIterable<unknown>
        ? T
        : T extends object
          ? { [K in keyof T]: ReadonlyArrays<T[K]> }
          : T
