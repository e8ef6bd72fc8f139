/** The types of the arguments and replies of `call`, derived from the types of a route's method. This file has no code at run time. */
import type { InjectResponse, Reply } from '../../lib/index.js'
import type { EntryType, ReadonlyArrays, SentPart } from '../../lib/internal.js'
import type { RequestSchemas } from '../declare/tokens.js'
import type { FormFile } from '../client/forms.js'
import type { EventStream } from '../client/streams.js'
import type { CallOptions, ErrorStatus, HeaderValues, HttpReply, Payload, QueryValues, StatusOf, SuccessStatus } from '../client/runtime.js'

type AnyMethod = (...args: any[]) => unknown
type RequestOf<H> = H extends (request: infer Q, ...rest: any[]) => unknown ? Q : never

/**
 * The names of the methods of a class that can be routes: methods without parameters, or with a first parameter that is not a primitive
 * type.
 */
export type RouteMethod<T> = {
  [M in keyof T & string]: T[M] extends (request: infer Q, ...rest: any[]) => unknown ? (Q extends Primitive ? never : M) : never
}[keyof T & string]
type Primitive = string | number | bigint | boolean | symbol | null | undefined

type PartsOf<Q> = RequestSchemas<Q> extends infer S ? (unknown extends S ? UntypedParts<Q> : DescribedParts<S>) : never

/** The params, query, headers, cookies and body of a request, typed by its schemas. Without a schema, the type is general. */
type DescribedParts<S> = (S extends { readonly params: infer P } ? Part<'params', SentPart<P>> : AnyParams) &
  (S extends { readonly querystring: infer P } | { readonly query: infer P } ? Part<'query', SentValues<SentPart<P>>> : AnyQuery) &
  (S extends { readonly headers: infer P } ? Part<'headers', SentHeaders<SentPart<P>>> : AnyHeaders) &
  // Cookies of any name are among the options of a call.
  (S extends { readonly cookies: infer P } ? Part<'cookies', SentValues<SentPart<P>>> : unknown) &
  (S extends { readonly body: infer B } ? BodyPart<SentBody<B, S>> : { readonly body?: unknown })

/** The params, query, headers and body of a request whose type is written without schemas, such as `{ params: { id: string } }`. */
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

/** The values of a query string or of headers. An optional value may be `undefined`; the value is then not sent. */
type SentValues<T> = { readonly [K in keyof T]: {} extends Pick<T, K> ? T[K] | undefined : T[K] }
// A request may have headers that the schema does not name, so an index signature is added.
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
/** The fields of a form. A field whose schema describes bytes is a file. */
type FormValues<T> = [keyof T] extends [never] ? never : { [K in keyof T]: Field<T[K]> }
type Field<T> = [unknown] extends [T]
  ? T
  : [Uint8Array] extends [T]
    ? Exclude<T, string | Uint8Array> | FormFile
    : T extends readonly (infer Item)[]
      ? readonly Field<Item>[]
      : T
/** The options of a call in a test. A request by `inject` is sent once, and answered in the process of the test. */
type TestCallOptions = Pick<CallOptions, 'signal' | 'cookies'>

/**
 * The arguments of `call`: one object with the params, query, headers, cookies and body of the request, and the options of the call. The
 * type is written out as one object, so that an editor shows its properties instead of the schemas.
 */
export type CallInput<H> =
  PartsOf<RequestOf<H>> extends infer Parts
    ? {} extends Parts
      ? [parts?: { [K in keyof Parts]: Parts[K] } & TestCallOptions]
      : [parts: { [K in keyof Parts]: Parts[K] } & TestCallOptions]
    : never

/**
 * The type of a value after a client has received it: in JSON, dates are texts, and methods are absent. An async iterable becomes an
 * `EventStream`. Bytes and other streams become `unknown`, because their type does not say which bytes the client gets.
 */
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
// A handler that sends its reply by itself returns no payload, so the type is unknown.
type Returned<R> = Exclude<Awaited<R>, Reply<any, any> | void> extends infer T ? ([T] extends [never] ? unknown : Received<T>) : never

/**
 * The payload of errors that the framework sends: `{ statusCode, code?, error, message }`, or problem details (RFC 9457) with
 * `errorFormat: 'problem'`.
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

/** A reply with a success status for which the route declares no schema. */
export interface SuccessReply<Body> extends HttpReply<SuccessStatus, Body, InjectResponse> {}
/** A reply with an error status for which the route declares no schema. */
export interface ErrorReply<Declared = never> extends HttpReply<Exclude<ErrorStatus, Declared>, ErrorPayload, InjectResponse> {}

/**
 * The replies to the calls of a method: a union of the replies in the request's schema, by status, and one reply for all undeclared errors.
 * If no success reply is declared, the body of a success has the method's return type. The union is not an alias, so that an editor shows
 * its members.
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

/**
 * The statuses for which an entry of `response` holds: a single status, or all statuses of a range or of `default` that have no more
 * specific entry.
 */
type StatusesFor<K, Keys> = K extends 'default'
  ? Exclude<SuccessStatus | ErrorStatus, Covered<Exclude<Keys, 'default'>>>
  : [ExactStatus<K>] extends [never]
    ? Exclude<RangeStatus<K>, ExactStatus<Keys>>
    : ExactStatus<K>
type Covered<Keys> = ExactStatus<Keys> | RangeStatus<Keys>
type ExactStatus<K> = K extends number ? K : K extends `${infer Status extends number}` ? Status : never
type RangeStatus<K> = K extends `${infer Class extends number}${'xx' | 'XX'}` ? StatusOf<Class> : never
