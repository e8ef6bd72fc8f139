/**
 * TypeScript types from schemas: the types of a handler's request and of its payloads, computed from the schemas of its route. This
 * file has no code at run time.
 */
/** The key under which the type of a schema contains the TypeScript type of its values. It does not exist at run time. */
export declare const schemaType: unique symbol

/** A schema whose type contains the TypeScript type of its values, such as the result of `ref(User)`. */
export interface TypedSchema<T> {
  readonly [schemaType]: T
}

declare const itemSchema: unique symbol
declare const itemOfEvent: unique symbol

/** A response that is a stream of items with the schema `S`, the result of `stream(…)`. Clients receive an async iterable. */
export interface StreamSchema<S> extends TypedSchema<AsyncIterable<FromSchema<S>>> {
  /** The schema of an item. It does not exist at run time. */
  readonly [itemSchema]: S
}

/** An item of a stream with `event`, `id` or `retry`, the result of `event(…)`. */
export interface StreamEvent<T> {
  /** The item. It does not exist at run time. */
  readonly [itemOfEvent]: T
}

/** The key under which the type of a schema contains the schema of the values that handlers may send. It does not exist at run time. */
export declare const sendableSchema: unique symbol

/** The key of the type that clients send, in the type of a schema whose handlers receive another type. It does not exist at run time. */
export declare const inputType: unique symbol

/**
 * The side whose values a type describes: `handler` for the values that a handler receives, with defaults filled in, `client` for the
 * values that clients send.
 */
export type Side = 'handler' | 'client'

/** A schema that follows Standard Schema (https://standardschema.dev), such as the schemas of Zod, Valibot and ArkType. */
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
 * The type of the values of a schema, in one entry for each schema library. Augment this interface to support another library:
 * ```ts
 * declare module 'alcove' {
 *   interface SchemaTypes<S> { mine: S extends MySchema<infer T> ? T : never }
 * }
 * ```
 * An entry must be `never` for schemas of other libraries. If every entry is `never`, the schema is read as JSON Schema ({@link FromJson}).
 */
export interface SchemaTypes<S> {
  standard: S extends { readonly '~standard': { readonly types?: { readonly input: infer T } | undefined } } ? T : never
  typebox: S extends { static: infer T; params: unknown } ? T : never
}

/** The type that a schema itself, or the library of the schema, states for its values; `never` for plain JSON Schema. */
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
type FromKeywords<S, For extends Side> = [keyof S & ('const' | 'enum' | 'anyOf' | 'oneOf' | 'allOf' | 'format')] extends [never]
  ? FromTyped<S, For>
  : FromValues<S, For>

type FromValues<S, For extends Side> = S extends { readonly format: 'binary' }
  ? FromTyped<S, For> | Uint8Array
  : S extends { readonly const: infer C }
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

/** The type of the objects that a JSON Schema accepts, from its `properties`, `required` and `additionalProperties`. */
export type FromObject<S, For extends Side = 'handler'> = S extends { readonly properties: infer P }
  ? PresentKeys<S, P, For> extends infer G extends keyof P
    ? Flat<{ -readonly [K in G]: FromSchema<P[K], For> } & { -readonly [K in Exclude<keyof P, G>]?: FromSchema<P[K], For> }>
    : never
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, FromSchema<A, For>>
    : Record<string, unknown>

// A property is present if it is required, or if it has a default, which the validator fills in. So clients may leave out a property with a
// default.
type PresentKeys<S, P, For extends Side> = For extends 'client'
  ? Exclude<RequiredOf<S, P>, DefaultKeys<P>>
  : RequiredOf<S, P> | DefaultKeys<P>
type RequiredOf<S, P> = S extends { readonly required: readonly (infer R)[] } ? R & keyof P : never
/** The names of the properties that have a default. */
export type DefaultKeys<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]
type Every<A extends readonly unknown[], For extends Side> = A extends readonly [infer H, ...infer T]
  ? FromSchema<H, For> & Every<T, For>
  : unknown
type Flat<T> = { [K in keyof T]: T[K] } & {}

// In shorthand, the properties stand at the top level of the part: `{ id: { type: 'integer' } }`. `{}` is the schema of any value.
type PartType<S> = NamedType<S> extends infer T ? ([T] extends [never] ? PlainPart<S> : T) : never
type PlainPart<S> = [keyof S & CompleteKeyword] extends [never]
  ? S extends { readonly content: infer C }
    ? C[keyof C] extends { readonly schema: infer B }
      ? FromSchema<B>
      : unknown
    : IsShorthand<S> extends true
      ? FromObject<{ readonly properties: S }>
      : FromJson<S>
  : FromJson<S>
type IsShorthand<S> = [keyof S] extends [never] ? false : S extends { readonly [name: string]: object } ? true : false
type CompleteKeyword = 'type' | 'properties' | '$ref' | '$id' | 'oneOf' | 'anyOf' | 'allOf' | 'not' | 'if' | 'const' | 'enum'

// A handler receives the output of a library's schema.
type Standard<Output> = { readonly '~standard': { readonly types?: { readonly output: Output } | undefined } }
/** The type of a part of a request, as handlers receive it. */
export type RequestPartType<S> =
  S extends Standard<infer O>
    ? O
    : S extends { readonly content: infer C }
      ? C[keyof C] extends { readonly schema: Standard<infer O> }
        ? O
        : PartType<S>
      : // Schemas of TypeBox have every property, of type `any`; `{}` has none.
        [string extends keyof S ? never : keyof S] extends [never]
        ? PartType<S>
        : [S] extends [{ readonly [name: string]: Standard<unknown> }]
          ? WithOptional<{ -readonly [K in keyof S]: S[K] extends Standard<infer O> ? O : never }>
          : PartType<S>
type WithOptional<T> = Flat<Omit<T, OptionalKeys<T>> & Partial<Pick<T, OptionalKeys<T>>>>
type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T]

/**
 * The type of a request's body, as handlers receive it. A body that JSON Schema allows to be `null` may be absent, and is `undefined` then.
 * The schema of a library gets `undefined` itself, so its output has the type already.
 */
export type RequestBodyType<B> = B extends
  | Standard<unknown>
  | { readonly content: { readonly [type: string]: { readonly schema: Standard<unknown> } } }
  ? RequestPartType<B>
  : RequestPartType<B> extends infer T
    ? null extends T
      ? T | undefined
      : T
    : never

/** The type of a part of a request as clients send it: before the transformations of a library, and without the defaults. */
export type SentPart<S> = [NamedType<S>] extends [never]
  ? [keyof S & CompleteKeyword] extends [never]
    ? SentShorthand<S>
    : FromJson<S, 'client'>
  : SentNamed<S>
type SentNamed<S> = ReadonlyArrays<FromSchema<S, 'client'>>
type SentShorthand<S> =
  IsShorthand<S> extends false
    ? FromJson<S, 'client'>
    : [S] extends [{ readonly [name: string]: Standard<unknown> }]
      ? WithOptional<{ -readonly [K in keyof S]: SentNamed<S[K]> }>
      : FromObject<{ readonly properties: S }, 'client'>

/** The key of a route's schemas in the types of its route decorator and of its requests. It does not exist at run time. */
export declare const routeSchema: unique symbol
/** The schemas in the type of a route decorator. Any other type is itself taken as the schemas. */
export type SchemasOf<S> = S extends { readonly [routeSchema]: infer R } ? R : S

type ResponseOf<S> = S extends { readonly response: infer R } ? R : undefined
/** The type of the payload that one entry of a route's `response` describes. */
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

/** The type of a reply's body for this status: declared for the status, else for its range, else as `default`; otherwise `unknown`. */
export type ResponseBody<S, Status = 200> =
  ResponseOf<SchemasOf<S>> extends infer R
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

/** The type of the values that may be sent as the body of a reply with this status: {@link Sendable} of the response schema. */
export type SendableBody<S, Status = 200, X = never> =
  ResponseOf<S> extends infer R
    ? R extends object
      ? Status extends keyof R
        ? SendableEntry<R[Status], X>
        : `${Status & number}` extends keyof R
          ? SendableEntry<R[`${Status & number}`], X>
          : [RangeKey<R, Status>] extends [never]
            ? R extends { readonly default: infer D }
              ? SendableEntry<D, X>
              : Undeclared<R, Status>
            : SendableEntry<R[RangeKey<R, Status>], X>
      : unknown
    : never
// The keys of a schema whose type does not list them are not known.
type Undeclared<R, Status> = [keyof R] extends [never]
  ? unknown
  : string extends keyof R
    ? unknown
    : number extends keyof R | Status
      ? unknown
      : UndeclaredStatus<Status>

/** The payload type of a status that the schema of the route does not declare. No value has this type. */
export type UndeclaredStatus<Status> = {
  readonly error: 'the schema of the route declares no response with this status'
  readonly status: Status
}

/** The type of the values that may be sent for one entry of a route's `response`. */
export type SendableEntry<E, X = never> = E extends { readonly content: infer C }
  ? C[keyof C] extends { readonly schema: infer B }
    ? Sendable<B, X>
    : unknown
  : [NamedType<E>] extends [never]
    ? [keyof E & CompleteKeyword] extends [never]
      ? E extends { readonly [name: string]: object }
        ? SendableObject<{ readonly properties: E }, X>
        : SendableJson<E, X>
      : SendableJson<E, X>
    : Sendable<E, X>

/**
 * The type of the values that may be sent for a schema. It allows more than the type that clients receive ({@link FromSchema}), because the
 * serializer fills in defaults, leaves out members that are `undefined`, and writes dates as texts; arrays may be readonly. `X` is
 * {@link Converted} or `never`.
 */
export type Sendable<S, X = never> = [NamedType<S>] extends [never]
  ? SendableJson<S, X>
  : S extends StreamSchema<infer Item>
    ? StreamOf<Sendable<Item, X>>
    : S extends { readonly [sendableSchema]: infer M }
      ? Sendable<M, X>
      : ReadonlyArrays<NamedType<S>>
// A generator may yield some of its items as they are, and others with fields.
type StreamOf<T> = AsyncIterable<T | StreamEvent<T>>

/** The values that the serializer converts, besides dates. Only the types of payloads to send have them; types of received bodies do not. */
export type Converted = bigint | URL | { toJSON: unknown }

// The steps of FromJson.
type SendableJson<S, X> = S extends { readonly nullable: true } ? SendableKeywords<S, X> | null : SendableKeywords<S, X>
type SendableKeywords<S, X> = [keyof S & ('const' | 'enum' | 'anyOf' | 'oneOf' | 'allOf')] extends [never]
  ? SendableTyped<S, X>
  : SendableValues<S, X>
type SendableValues<S, X> = S extends { readonly const: unknown } | { readonly enum: unknown }
  ? FromValues<S, 'handler'>
  : S extends { readonly anyOf: readonly (infer A)[] }
    ? Sendable<A, X>
    : S extends { readonly oneOf: readonly (infer O)[] }
      ? Sendable<O, X>
      : S extends { readonly allOf: infer A extends readonly unknown[] }
        ? EverySendable<A, X>
        : SendableTyped<S, X>
type EverySendable<A extends readonly unknown[], X> = A extends readonly [infer H, ...infer T]
  ? Sendable<H, X> & EverySendable<T, X>
  : unknown

type SendableTyped<S, X> = S extends { readonly type: infer T }
  ? T extends keyof SendableByType<S, X>
    ? SendableByType<S, X>[T]
    : T extends readonly (infer E)[]
      ? SendableByType<S, X>[E & keyof SendableByType<S, X>]
      : unknown
  : S extends { readonly properties: unknown }
    ? SendableObject<S, X>
    : unknown

interface SendableByType<S, X> {
  string: S extends { readonly format: infer F } ? (F extends keyof SendableByFormat<X> ? string | SendableByFormat<X>[F] : string) : string
  number: number
  integer: number | Extract<X, bigint>
  boolean: boolean
  null: null
  array: S extends { readonly items: infer I }
    ? I extends readonly unknown[]
      ? { readonly [K in keyof I]: Sendable<I[K], X> }
      : readonly Sendable<I, X>[]
    : readonly unknown[]
  object: SendableObject<S, X>
}

interface SendableByFormat<X> {
  date: Date
  time: Date
  'date-time': Date
  binary: Uint8Array
  uri: Extract<X, URL>
  url: Extract<X, URL>
  'uri-reference': Extract<X, URL>
}

type SendableObject<S, X> = [X] extends [never] ? SendableMembers<S, X> : SendableMembers<S, X> | WithJson<SendableMembers<S, X>>
/** An object that the serializer replaces by the result of its `toJSON`. */
interface WithJson<T> {
  toJSON(): T
}
type SendableMembers<S, X> = S extends { readonly properties: infer P }
  ? SentKeys<S, P> extends infer G extends keyof P
    ? Flat<{ -readonly [K in G]: Sendable<P[K], X> } & { -readonly [K in Exclude<keyof P, G>]?: Sendable<P[K], X> | undefined }>
    : never
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, Sendable<A, X>>
    : Record<string, unknown>
// The serializer fills in a default.
type SentKeys<S, P> = Exclude<S extends { readonly required: readonly (infer R)[] } ? R & keyof P : never, DefaultKeys<P>>

/** The type of a class, or of a library's schema, with readonly arrays, so that such arrays may be sent too. */
export type ReadonlyArrays<T> = unknown extends T
  ? T
  : T extends Date | Uint8Array | ((...args: any[]) => unknown)
    ? T
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: ReadonlyArrays<T[K]> }
      : T extends AsyncIterable<unknown>
        ? T
        : T extends object
          ? { [K in keyof T]: ReadonlyArrays<T[K]> }
          : T
