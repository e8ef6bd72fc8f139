/** `@Schema`: sets the schemas of a route, or makes a class the type of a shared schema. */
import type { Readable } from 'node:stream'
import type { FromSchema, Reply, ReplyDecorations, RouteSchema, SchemaRequest, SharedSchema } from '../../lib/index.js'
import type { Converted, EntryType, ForeignReply, ReplyMembers, RouteSchemaKey, SchemasOf, SendableEntry } from '../../lib/internal.js'
import { addMetadata, type Class, type Decorated, getOwnMetadata, lineage, metadataKey } from './metadata.js'
import type { FieldsIn } from './model/types.js'
import type { MethodOf, NoSuchMethod, PlainName } from './proofs.js'

const kSchema = metadataKey<RouteSchema & SharedSchema>({
  decorator: '@Schema',
  names: '@Schema or @Get(path, schema)',
  standsOn: ['route', 'action', 'handler', 'shared schema'],
  place: 'above a class with @Route or a method with @Get(), @Post() …; with an $id, above a class that is a shared schema',
})

type AnyFunction = (...args: any[]) => any

/**
 * The type of the values that a handler may return: the bodies that the schemas of success responses allow. A string with a date format may
 * be a `Date`, members with a default may be absent, and arrays may be readonly. `unknown` if no success response has a schema.
 */
export type RouteResult<S> = SentBody<SchemasOf<S>, never>
type SentBody<S, X> = S extends { readonly response: infer R }
  ? OrUnknown<{ [K in keyof R]: `${K & (string | number)}` extends SuccessKey ? SendableEntry<R[K], X> : never }[keyof R]>
  : unknown
type SuccessKey = `2${string}` | 'default'
// The bodies that clients receive. Most results fit this type, which is less work for the compiler than all that may be sent.
type SuccessBody<S> = S extends { readonly response: infer R }
  ? OrUnknown<{ [K in keyof R]: `${K & (string | number)}` extends SuccessKey ? EntryType<R[K]> : never }[keyof R]>
  : unknown
type OrUnknown<Body> = [Body] extends [never] ? unknown : Body

// A reply is also a promise, of nothing: its type is kept.
type ResultOf<R> = R extends ReplyMembers<any, any> ? R : Awaited<R>
// A handler that takes the reply of the schema may have sent it. Any other handler has to return the payload, unless a status has none.
type Sent<F, S> = Reply<S, any> | (F extends (request: any) => unknown ? Nothing<S> : SendsAnything<F> extends true ? Nothing<S> : void)
// The plain `Reply` sends what no schema describes.
type SendsAnything<F> = F extends (request: any, reply: infer P, ...rest: any[]) => unknown
  ? unknown extends P
    ? false
    : P extends ReplyMembers<infer Described, any>
      ? unknown extends Described
        ? true
        : false
      : false
  : false
type Nothing<S> = S extends { readonly response: infer R }
  ? [Extract<`${keyof R & (string | number)}`, '204' | '205' | '304'>] extends [never]
    ? null extends SuccessBody<S>
      ? void
      : never
    : void
  : void
// Bytes do not go through the serializer, so a handler may return a stream of bytes instead.
type BytesOf<Body> = [Uint8Array] extends [Body] ? Readable | ReadableStream | globalThis.Response : never

// Compares the parts of the request that schemas describe. @Plugin checks the request decorators.
export type Fits<F, S> = F extends (request: infer Q, reply: infer P, ...rest: any[]) => infer R
  ? [SchemaRequest<S>] extends [Pick<Q, keyof Q & DescribedPart<S>>]
    ? [ReplyMembers<S, 200>] extends [DescribedReply<P>]
      ? [R] extends [SuccessBody<S> | ForeignReply]
        ? unknown
        : [ResultOf<R>] extends [Allowed<F, S>]
          ? unknown
          : { error: FaultText<ResultOf<R>, F, S>; returned: Returned<ResultOf<R>, F, S>; allowed: Expected<ResultOf<R>, F, S> }
      : { error: 'the handler asks for the reply of another schema: write reply: Reply<typeof schema>, with the schema of the route' }
    : {
        error: 'the handler asks for another request than the schema describes'
        asked: { [K in WrongParts<Q, SchemaRequest<S>>]: Q[K] }
        given: { [K in WrongParts<Q, SchemaRequest<S>>]: SchemaRequest<S>[K] }
      }
  : never
// Without a schema of cookies, a member of this name is one that a plugin has added.
type DescribedPart<S> = 'cookies' extends keyof S ? AnyPart & keyof SchemaRequest<S> : Exclude<AnyPart, 'cookies'>
type AnyPart = 'body' | 'params' | 'query' | 'headers' | 'cookies'
type WrongParts<Q, SchemaTypes> = {
  [K in keyof Q & keyof SchemaTypes]: K extends AnyPart ? ([SchemaTypes[K]] extends [Q[K]] ? never : K) : never
}[keyof Q & keyof SchemaTypes]

type Allowed<F, S> = 0 extends 1 & F ? unknown : SentBody<S, Converted> | BytesOf<RouteResult<S>> | Sent<F, S>

// The compiler visits this branch for every route, and computes the members of the fault only if it shows them.
type Kind<R, F, S> = [Exclude<R, void | undefined>] extends [Allowed<F, S>]
  ? F extends (request: any) => unknown
    ? 'nothing'
    : 'reply'
  : Extract<R, ReplyMembers<any, any>> extends Reply<S, any>
    ? [R] extends [AsyncIterable<unknown>]
      ? 'stream'
      : 'value'
    : 'reply'
type FaultText<R, F, S> = {
  nothing: 'the handler may return nothing, but the schema describes a value'
  stream: 'the handler returns something that the schema does not allow'
  value: 'the handler returns something that the schema does not allow'
  reply: 'the handler sends the reply of an unknown schema: write reply: Reply<typeof schema>, with the schema of the route'
}[Kind<R, F, S>]
// Of a type with many members the compiler shows only the first ones, so only the wrong members are named.
type Returned<R, F, S> = Kind<R, F, S> extends 'value' ? Misfits<Exclude<R, ReplyMembers<any, any> | void>, SentBody<S, Converted>, 0> : R
type Expected<R, F, S> = [Kind<R, F, S>, Exclude<R, ReplyMembers<any, any> | void>] extends ['value', infer V extends object]
  ? Misfits<V, SentBody<S, Converted>, 1>
  : RouteResult<S>

// The members of a value that do not fit (`Side` 0), or what they should be (1). A union is shown as a whole.
type Misfits<R, A, Side> = [R] extends [object]
  ? IsOne<R> extends true
    ? OneObject<A> extends infer O
      ? [O] extends [never]
        ? Whole<R, A, Side>
        : R extends readonly (infer RE)[]
          ? O extends readonly (infer AE)[]
            ? Misfits<RE, AE, Side>[]
            : Whole<R, A, Side>
          : O extends readonly unknown[]
            ? Whole<R, A, Side>
            : { [K in WrongKeys<R, O>]: K extends keyof R ? (K extends keyof O ? Misfits<R[K], O[K], Side> : never) : Missing<O, K, Side> }
      : never
    : Whole<R, A, Side>
  : Whole<R, A, Side>
type Whole<R, A, Side> = Side extends 0 ? R : A
type Missing<O, K, Side> = Side extends 0 ? 'missing' : K extends keyof O ? O[K] : never
type WrongKeys<R, O> = {
  [K in keyof O]-?: K extends keyof R ? ([R[K]] extends [O[K]] ? never : K) : {} extends Pick<O, K> ? never : K
}[keyof O]
// The one object among the allowed types, without the types that are sent instead of it.
type OneObject<A> =
  Exclude<Extract<A, object>, { toJSON: AnyFunction } | AsyncIterable<unknown>> extends infer O
    ? IsOne<O> extends true
      ? O
      : never
    : never
type IsOne<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? true : false) : never

// The plain `Reply` promises nothing of its payloads, so it fits any schema.
type DescribedReply<P> = unknown extends P
  ? unknown
  : P extends ReplyMembers<infer Described, any>
    ? unknown extends Described
      ? unknown
      : ReplyMembers<Described, any>
    : ReplyDecorations extends P
      ? unknown
      : P

// A schema with an $id may be a shared one, with any keyword. If the names of the keys are not known, they are checked at boot.
export type CheckedParts<S> = [keyof S] extends [RouteSchemaKey]
  ? unknown
  : S extends { readonly $id: unknown }
    ? unknown
    : string extends keyof S
      ? unknown
      : {
          readonly [
            K in Exclude<keyof S, RouteSchemaKey>
          ]: 'not a part of requests or replies: body, params, querystring, headers, cookies, response'
        }

/**
 * The decorator that {@link Schema} returns for the schemas of a route. Above a route class, its type checks `handle` against the schemas;
 * above a method of a controller, it checks the method. There is one signature for all places and for standard and experimental decorators,
 * because TypeScript 7 reports an error only for the last overload.
 */
type SchemaDecorator<S> = <T, const N, D>(
  target: T & FitsTarget<T, S>,
  nameOrContext?: N & NameOfMethod<T, N> & FitsNamed<T, N, D, S>,
  descriptor?: CheckedDescriptor<D, D extends TypedPropertyDescriptor<infer F> ? Fits<F, S> : unknown>,
) => Decorated<T, N>

/**
 * The type of a method's descriptor, or the compile error `Fault` of the method. It is not an intersection of both: with
 * exactOptionalPropertyTypes, the compiler would compare the optional members of the descriptor with themselves, and report `undefined`.
 */
export type CheckedDescriptor<D, Fault> = unknown extends Fault ? D : Fault

// The target is a class, the method itself (standard decorators), or the prototype, whose descriptor is checked.
type FitsTarget<T, S> = T extends abstract new (...args: never[]) => { handle: infer H }
  ? Fits<H, S>
  : T extends AnyFunction
    ? Fits<T, S>
    : T extends object
      ? unknown
      : { error: '@Schema stands above a class or a method' }

// A shared schema has another decorator, because the compiler takes the steps of its check for every target.
type DecoratorOf<S> = '$id' extends keyof S ? ModelDecorator<S> : SchemaDecorator<S>
type ModelDecorator<S> = <T>(target: T & FitsTarget<T, S> & FitsModel<T, S>, context?: unknown) => Decorated<T>

// A class without fields says nothing, and neither does a schema without properties.
type FitsModel<T, S> = T extends abstract new (...args: never[]) => infer Model
  ? [keyof Model] extends [never]
    ? unknown
    : FromSchema<S> extends infer Value
      ? unknown extends Value
        ? unknown
        : string extends keyof Value
          ? unknown
          : [Differing<Model, Value>] extends [never]
            ? unknown
            : {
                error: 'the fields of the class are not those that its schema describes'
                fields: { [K in Differing<Model, Value>]: K extends keyof Model ? Model[K] : 'missing' }
                described: { [K in Differing<Model, Value>]: K extends keyof Value ? Value[K] : 'missing' }
              }
      : never
  : unknown
type Differing<Model, Value> =
  | Exclude<keyof Value, keyof Model>
  | {
      [K in keyof Model]-?: K extends keyof Value
        ? [Model[K], Value[K]] extends [Value[K], Model[K]]
          ? never
          : [Comparable<FieldsIn<Model[K]>>, Comparable<Value[K]>] extends [Comparable<Value[K]>, Comparable<FieldsIn<Model[K]>>]
            ? never
            : K
        : // A schema allows further properties: an optional field may be one of these. Methods are not data.
          undefined extends Model[K]
          ? never
          : Model[K] extends AnyFunction
            ? never
            : K
    }[keyof Model]
// The type behind a `$ref` is not known, and JSON has texts for dates.
type Comparable<T> = unknown extends T
  ? any
  : T extends Date
    ? string
    : T extends AnyFunction
      ? T
      : T extends object
        ? { -readonly [K in keyof T]: Comparable<T[K]> }
        : T

type FitsNamed<T, N, D, S> = N extends PlainName<D> ? ([MethodOf<T, N>] extends [never] ? NoSuchMethod : Fits<MethodOf<T, N>, S>) : unknown
type NameOfMethod<T, N> = N extends keyof T
  ? T[N] extends AnyFunction
    ? unknown
    : { error: '@Schema stands above a class or a method' }
  : unknown

/**
 * Makes a class the type of a shared schema, which is a schema with an `$id`. Other schemas refer to the class with `ref`. If the class has
 * fields, the compiler checks that no field is missing, and that each field has the type that the schema describes, or `Date` for a text
 * with a date format. A class that extends `Model(schema)` has its fields from the schema.
 * ```ts
 * const user = { $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const
 * @Schema(user) class User { id!: string }
 * ```
 * With a schema without an `$id`, the decorator sets the schemas of a route, as `@Get(path, schema)` and `@Route(options, schema)` do. In a
 * subclass, above a method whose route is inherited, the decorator replaces the inherited schemas.
 */
export function Schema<const S extends RouteSchema | SharedSchema>(schema: S & CheckedParts<S>): DecoratorOf<S>
export function Schema(first: RouteSchema & SharedSchema, ...more: (RouteSchema & SharedSchema)[]): any {
  return (...args: unknown[]) => {
    // Only one schema counts: further arguments are a fault, as a second decorator is.
    for (const schema of more) addMetadata(args, kSchema, schema)
    return addMetadata(args, kSchema, first)
  }
}

/** Sets the schemas of a route from an argument of the route's decorator: `@Get('/:id', schema)`. */
export function addRouteSchema(args: readonly unknown[], schema: RouteSchema): void {
  addMetadata(args, kSchema, schema)
}

/** The base classes that `Model` made, with their schemas. */
const modelBases = new WeakMap<object, SharedSchema>()

/** Sets the schema of a base class that `Model` made. Classes that extend the base class have the schema too. */
export function setModelSchema(Base: Class, schema: SharedSchema): void {
  modelBases.set(Base, schema)
}

function modelBaseOf(Model: object): SharedSchema | undefined {
  return modelBases.get(Model) ?? modelBases.get(Object.getPrototypeOf(Model) as object)
}

/**
 * Returns the shared schema of a class, from `@Schema` or `extends Model(…)`; `undefined` if there is none. Subclasses do not inherit the
 * schema, because a subclass would have the same `$id` as its parent.
 */
export function getSharedSchema(Model: object): (RouteSchema & SharedSchema) | undefined {
  return getOwnMetadata(Model, kSchema) ?? modelBaseOf(Model)
}

/** Whether a class has two shared schemas: one from `Model` and one from `@Schema`. */
export function hasTwoSchemas(Model: object): boolean {
  return modelBaseOf(Model) !== undefined && getOwnMetadata(Model, kSchema) !== undefined
}

/** Returns the cure in errors for a class without a shared schema: the code to write so that the class has one. */
export function cureOfMissingSchema(Model: object): string {
  const { name } = Model as Class
  if (modelBaseOf(Model) !== undefined) return `Write Model({ $id: '${name}', … }), or the $id in its second argument.`
  const parent = lineage(Model)
    .slice(1)
    .find((at) => modelBaseOf(at) !== undefined) as Class | undefined
  return parent === undefined
    ? `Write class ${name} extends Model({ $id: '${name}', … }), or @Schema({ $id: '${name}', … }) above the class.`
    : `It does not inherit that of ${parent.name}, because two classes cannot have one $id. Write class ${name} extends Model(extend(${parent.name}, { $id: '${name}', properties: { … } })).`
}

/**
 * Returns the schemas of a route, which its class or else the nearest parent class declares. `isRouteClass`: whether the route is the class
 * itself, so that the schemas may be declared above the class.
 */
export function getRouteSchema(Class: object, member: string | symbol, isRouteClass: boolean): RouteSchema | undefined {
  for (const at of lineage(Class)) {
    const schema = getOwnMetadata(at, kSchema, member) ?? (isRouteClass ? getOwnMetadata(at, kSchema) : undefined)
    if (schema !== undefined) return schema
  }
  return undefined
}
