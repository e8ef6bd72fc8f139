/** The types of a route's calls, from the types of its method. This file has no code at run time. */
import type { InjectResponse, Reply } from '../../lib/index.js'
import type { EntryType, ReadonlyArrays, SentPart } from '../../lib/internal.js'
import type { RequestSchemas } from '../declare/tokens.js'
import type { FormFile } from '../client/forms.js'
import type { EventStream } from '../client/streams.js'
import type { CallOptions, ErrorStatus, HeaderValues, HttpReply, Payload, QueryValues, StatusOf, SuccessStatus } from '../client/runtime.js'

type AnyMethod = (...args: any[]) => unknown
type RequestOf<H> = H extends (request: infer Q, ...rest: any[]) => unknown ? Q : never

/** The methods of a class that can be routes: their first parameter, if they have one, can be a request. */
export type RouteMethod<T> = {
  [M in keyof T & string]: T[M] extends (request: infer Q, ...rest: any[]) => unknown ? (Q extends Primitive ? never : M) : never
}[keyof T & string]
type Primitive = string | number | bigint | boolean | symbol | null | undefined

type PartsOf<Q> = RequestSchemas<Q> extends infer S ? (unknown extends S ? UntypedParts<Q> : DescribedParts<S>) : never

/** The parts that schemas describe. Of the others a class says nothing. */
type DescribedParts<S> = (S extends { readonly params: infer P } ? Part<'params', SentPart<P>> : AnyParams) &
  (S extends { readonly querystring: infer P } | { readonly query: infer P } ? Part<'query', SentValues<SentPart<P>>> : AnyQuery) &
  (S extends { readonly headers: infer P } ? Part<'headers', SentHeaders<SentPart<P>>> : AnyHeaders) &
  // Cookies of any name are among the options of a call.
  (S extends { readonly cookies: infer P } ? Part<'cookies', SentValues<SentPart<P>>> : unknown) &
  (S extends { readonly body: infer B } ? BodyPart<SentBody<B, S>> : { readonly body?: unknown })

/** The parts of a request whose type is written out, such as `{ params: { id: string } }`. */
type UntypedParts<Q> = (Q extends { params: infer P } ? (string extends keyof P ? AnyParams : Part<'params', P>) : AnyParams) &
  (Q extends { query: infer P } ? (string extends keyof P ? AnyQuery : Part<'query', SentValues<ReadonlyArrays<P>>>) : AnyQuery) &
  (Q extends { headers: infer P } ? ({} extends P ? AnyHeaders : Part<'headers', SentHeaders<RequiredOf<P>>>) : AnyHeaders) &
  (Q extends { body: infer P } ? BodyPart<ReadonlyArrays<P>> : { readonly body?: unknown })

interface AnyParams {
  readonly params?: Readonly<Record<string, string | number | boolean>>
}
interface AnyQuery {
  readonly query?: QueryValues
}
interface AnyHeaders {
  readonly headers?: HeaderValues
}

type Part<K extends string, T> = {} extends T ? { readonly [key in K]?: T } : { readonly [key in K]: T }
// A body that is left out is validated as null.
type BodyPart<T> = null extends T ? { readonly body?: T } : undefined extends T ? { readonly body?: T } : { readonly body: T }

/** Values that are left out if they are `undefined`. */
type SentValues<T> = { readonly [K in keyof T]: {} extends Pick<T, K> ? T[K] | undefined : T[K] }
// The type of all headers has an index signature, which takes others than those of the schema.
type SentHeaders<T> = SentValues<{ [K in keyof T as K extends string ? Lowercase<K> : K]: T[K] }> & HeaderValues
type RequiredOf<H> = { [K in keyof H as string extends K ? never : {} extends Pick<H, K> ? never : K]: H[K] }

type SentBody<B, S> = B extends { readonly content: infer C }
  ? { [Type in keyof C]: C[Type] extends { readonly schema: infer Each } ? BodyOfType<Lowercase<Type & string>, Each> : unknown }[keyof C]
  : SentPart<B> | (S extends { readonly consumes: readonly (infer Type)[] } ? Payload | ConsumedForm<Type, B> : never)
type BodyOfType<Type extends string, S> = Type extends `${string}json`
  ? SentPart<S>
  : Type extends `multipart/${string}`
    ? FormData | FormValues<SentPart<S>>
    : Type extends `${string}urlencoded`
      ? URLSearchParams | SentPart<S>
      : Type extends `text/${string}`
        ? string
        : Payload

type ConsumedForm<Type, B> = Extract<Type, `multipart/${string}`> extends never ? never : FormValues<SentPart<B>>
/** The fields of a form. A file has the type of bytes in the schema. */
type FormValues<T> = [keyof T] extends [never] ? never : { [K in keyof T]: Field<T[K]> }
type Field<T> = [unknown] extends [T]
  ? T
  : [Uint8Array] extends [T]
    ? Exclude<T, string | Uint8Array> | FormFile
    : T extends readonly (infer Item)[]
      ? readonly Field<Item>[]
      : T
/**
 * The arguments of a call: the parts of a request, as the method reads them, and how it is sent. The parts are written out as one object
 * here, and not by an alias, so that an editor shows them and not the schemas that they are made from.
 */
export type CallInput<H> =
  PartsOf<RequestOf<H>> extends infer Parts
    ? {} extends Parts
      ? [parts?: { [K in keyof Parts]: Parts[K] } & CallOptions]
      : [parts: { [K in keyof Parts]: Parts[K] } & CallOptions]
    : never

/** A value as it arrives: JSON has texts for dates and no methods, and a client sees no bytes of streams by their type. */
type Received<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? { [K in keyof T]: Received<T[K]> }
    : T extends AsyncIterable<infer Item>
      ? EventStream<Received<Item>>
      : T extends Uint8Array | { pipe: AnyMethod } | { getReader: AnyMethod } | globalThis.Response
        ? unknown
        : T extends { toJSON(...args: any[]): infer J }
          ? Received<J>
          : T extends object
            ? { [K in keyof T as T[K] extends AnyMethod ? never : K]: Received<T[K]> }
            : T
// A handler that sends its reply by itself returns nothing that could be read.
type Returned<R> = Exclude<Awaited<R>, Reply<any, any> | void> extends infer T ? ([T] extends [never] ? unknown : Received<T>) : never

/**
 * What the framework answers for errors: `{ statusCode, code?, error, message }`, or with `errors: 'problem'` problem details (RFC 9457).
 */
export interface ErrorPayload {
  readonly statusCode?: number
  readonly code?: string
  readonly error?: string
  readonly message?: string
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly instance?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string; readonly part: string }[]
}

/** A reply with a success status that no schema declares. */
export interface SuccessReply<Body> extends HttpReply<SuccessStatus, Body, InjectResponse> {}
/** A reply with an error status that no schema declares. */
export interface ErrorReply<Declared = never> extends HttpReply<Exclude<ErrorStatus, Declared>, ErrorPayload, InjectResponse> {}

/**
 * The replies to a method's calls: those that the schema of its request declares, by status, and one for the errors that it does not.
 * Without a schema, what the method returns. An editor shows the union itself, because no alias has it as a whole.
 */
export type RepliesOf<H> = H extends (...args: any[]) => infer Result
  ? RequestSchemas<RequestOf<H>> extends { readonly response: infer Declared }
    ?
        | {
            [K in keyof Declared]: HttpReply<StatusesFor<K, keyof Declared>, Received<EntryType<Declared[K]>>, InjectResponse>
          }[keyof Declared]
        | ([Extract<Covered<keyof Declared>, SuccessStatus>] extends [never] ? SuccessReply<Returned<Result>> : never)
        | ('default' extends keyof Declared ? never : ErrorReply<{ [K in keyof Declared]: Covered<K> }[keyof Declared]>)
    : SuccessReply<Returned<Result>> | ErrorReply
  : never

/** The statuses for which an entry of `response` holds: itself, or those of a range or of all that no nearer entry has. */
type StatusesFor<K, Keys> = K extends 'default'
  ? Exclude<SuccessStatus | ErrorStatus, Covered<Exclude<Keys, 'default'>>>
  : [ExactStatus<K>] extends [never]
    ? Exclude<RangeStatus<K>, ExactStatus<Keys>>
    : ExactStatus<K>
type Covered<Keys> = ExactStatus<Keys> | RangeStatus<Keys>
type ExactStatus<K> = K extends number ? K : K extends `${infer Status extends number}` ? Status : never
type RangeStatus<K> = K extends `${infer Class extends number}${'xx' | 'XX'}` ? StatusOf<Class> : never
