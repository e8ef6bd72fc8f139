/** `@Schema`: the schemas of a route, or a shared schema with the class as its type. */
import type { Reply, ResponseBody, RouteSchema, SchemaReply, SchemaRequest, SharedSchema, TypedSchema } from '../../lib/index.js'
import { type Class, setMetadata, getMetadata, readDecoratorTarget } from './metadata.js'

const kSchema = Symbol('alcove.schema')

type AnyFunction = (...args: any[]) => any

/** The bodies that the declared success responses allow; whatever, where none is declared. */
export type RouteResult<S> = S extends { readonly response: infer R }
  ? {
      [K in keyof R]: K extends number
        ? [`${K}`] extends [`2${string}`]
          ? ResponseBody<S, K>
          : never
        : K extends `2${string}` | 'default'
          ? ResponseBody<{ response: { default: R[K] } }>
          : never
    }[keyof R] extends infer Body
    ? [Body] extends [never]
      ? unknown
      : Body
    : never
  : unknown
type Sent = Reply<any, any>

// The parts that schemas describe; decorator members of the request are @Plugin's to check.
type Fits<F, S> = F extends (request: infer Q, reply: infer P, ...rest: infer _) => infer R
  ? [SchemaRequest<S>] extends [Pick<Q, keyof Q & ('body' | 'params' | 'query' | 'headers')>]
    ? [SchemaReply<S>] extends [PlainReply<P, S>]
      ? [Awaited<R>] extends [RouteResult<S> | Sent | void]
        ? unknown
        : { error: 'the handler returns something that @Schema does not allow'; returned: Awaited<R>; allowed: RouteResult<S> }
      : { error: 'the handler asks for another reply than @Schema describes'; asked: P; given: SchemaReply<S> }
    : { error: 'the handler asks for another request than @Schema describes'; asked: Q; given: SchemaRequest<S> }
  : never

// Where no response is declared, a handler may as well ask for any reply.
type PlainReply<P, S> = S extends { readonly response: unknown } ? P : [Reply] extends [P] ? unknown : P

interface SchemaDecorator<S> {
  /** On a route class: checks `handle` against the schemas. On a model class: checks that its fields fit. */
  <C extends abstract new (...args: any[]) => unknown>(
    target: C & (C extends abstract new (...args: never[]) => { handle: infer H } ? Fits<H, S> : unknown),
    context?: unknown,
  ): void
  /** On a controller's method. */
  <F extends AnyFunction>(prototype: object, name: string | symbol, descriptor: TypedPropertyDescriptor<F> & Fits<F, S>): void
  <F extends AnyFunction>(method: F & Fits<F, S>, context: { kind: string; name: string | symbol }): void
}

/**
 * Gives a route its schemas (body, querystring, params, headers, response), checked against the handler at compile time: above a
 * route class, or above a controller's method.
 * ```ts
 * const find = { params, response: { 200: user } } as const
 * @Get('/:id') @Schema(find)
 * find({ params }: RouteRequest<typeof find>) { … }
 * ```
 * On a class with an `$id` in the schema it declares a shared schema, referred to with {@link ref}.
 * ```ts
 * const user = { $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const
 * @Schema(user) class User { id!: string }
 * ```
 */
export function Schema<const S extends RouteSchema | SharedSchema>(schema: S): SchemaDecorator<S> {
  return ((...args: unknown[]) => setMetadata(readDecoratorTarget(args), kSchema, schema)) as SchemaDecorator<S>
}

export function getSchema(Class: object, member?: string | symbol): (RouteSchema & SharedSchema) | undefined {
  return getMetadata(Class, kSchema, member)
}

/**
 * A reference to the shared schema of a class, with the class as its type. The class must be among the `schemas` of the plugin or
 * of an ancestor.
 * ```ts
 * const list = { response: { 200: { type: 'array', items: ref(User) } } } as const
 * ```
 * @throws TypeError when the class carries no `@Schema` with an `$id`
 */
export function ref<T>(Model: Class<T>): { readonly $ref: string } & TypedSchema<T> {
  const id = getSchema(Model)?.$id
  if (typeof id !== 'string')
    throw new TypeError(`ref(${Model.name}): the class has no @Schema with an $id. Write @Schema({ $id: '${Model.name}', … }) above it.`)
  return { $ref: id.includes('#') ? id : `${id}#` } as { readonly $ref: string } & TypedSchema<T>
}
