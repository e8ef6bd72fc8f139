/** The types of a route's calls, from the types of its method. This file has no code at run time. */
import type { InjectResponse, Reply } from '../../lib/index.js'
import type { EntryType } from '../../lib/internal.js'
import type { RequestSchemas } from '../declare/tokens.js'
import type {
  CallOptions,
  ErrorStatus,
  EventStream,
  HeaderValues,
  HttpReply,
  QueryValues,
  StatusOf,
  SuccessStatus,
} from '../client/runtime.js'

type AnyMethod = (...args: any[]) => unknown
type RequestOf<H> = H extends (request: infer Q, ...rest: any[]) => unknown ? Q : never

// A handler that does not read a part, or takes no request, says nothing of it.
type Part<Q, K extends string, Any> = Q extends { [key in K]: infer T }
  ? {} extends T
    ? { readonly [key in K]?: T }
    : { readonly [key in K]: T }
  : { readonly [key in K]?: Any }
// The type of all headers has an index signature and optional members; those of the schema that are required stand out of it.
type RequiredHeaders<H> = { [K in keyof H as string extends K ? never : {} extends Pick<H, K> ? never : K]: H[K] }
type HeadersPart<Q> = Q extends { headers: infer H }
  ? {} extends H
    ? { readonly headers?: HeaderValues }
    : { readonly headers: RequiredHeaders<H> & HeaderValues }
  : { readonly headers?: HeaderValues }

type PartsOf<Q> = Part<Q, 'params', Readonly<Record<string, string | number | boolean>>> & {
  readonly query?: Q extends { query: infer T } ? Partial<T> : QueryValues
} & HeadersPart<Q> &
  Part<Q, 'body', unknown>

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

/** A value as it arrives: JSON has texts for dates, and a client sees no bytes of streams by their type. */
type Received<T> = unknown extends T
  ? T
  : T extends Date
    ? string
    : T extends AnyMethod
      ? T
      : T extends AsyncIterable<infer Item>
        ? EventStream<Received<Item>>
        : T extends Uint8Array | { pipe: AnyMethod } | { getReader: AnyMethod } | globalThis.Response
          ? unknown
          : T extends object
            ? { [K in keyof T]: Received<T[K]> }
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
