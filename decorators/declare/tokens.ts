/**
 * Tokens, under which providers are asked for, and typed handles for request decorators.
 */
import type { Logger, Request, SchemaRequest, Server } from '../../lib/index.js'
import type { Class } from './metadata.js'

declare const valueType: unique symbol

/** A token with a type. Two tokens are never the same, whatever their names. */
export interface TypedToken<T> {
  /** What errors call it. */
  readonly name: string
  /** The symbol under which the value is kept. */
  readonly key: symbol
  readonly [valueType]?: T
}

/** What a provider is asked for by: a class, a typed token, a symbol or a string. */
export type Token<T = unknown> = Class<T> | (abstract new (...args: any[]) => T) | TypedToken<T> | symbol | string

/** The type of the value that a token stands for. */
export type TokenValue<K> =
  K extends TypedToken<infer T>
    ? T
    : K extends abstract new (...args: any[]) => infer T
      ? T
      : K extends OptionalToken<infer O>
        ? TokenValue<O> | undefined
        : unknown

/**
 * Makes a typed token, for values that have no class.
 * ```ts
 * const CLOCK = token<() => Date>('CLOCK')
 * @Plugin({ providers: [{ provide: CLOCK, useValue: () => new Date() }] })
 * ```
 */
export function token<T>(name: string): TypedToken<T> {
  return Object.freeze({ name, key: Symbol(name) })
}

/** A dependency that may be missing, in `static inject`: it is `undefined` where nothing visible provides it. */
export interface OptionalToken<K = Token> {
  readonly optional: K
}

/**
 * Marks an entry of `static inject` as optional: what it stands for is `undefined` where nothing visible provides it.
 * ```ts
 * static readonly inject = [DB, optional(Mailer)] as const
 * constructor(private readonly db: Db, private readonly mailer: Mailer | undefined) {}
 * ```
 */
export function optional<K extends Token<any>>(asked: K): OptionalToken<K> {
  return Object.freeze({ optional: asked })
}

/** The server instance of the context that a provider lives in. */
export const SERVER: TypedToken<Server> = token<Server>('SERVER')
/** The logger of that context; inside a request scope the request's, whose lines carry its id. */
export const LOGGER: TypedToken<Logger> = token<Logger>('LOGGER')
/** The current request. Asking for it makes a provider request-scoped. */
export const REQUEST: TypedToken<Request> = token<Request>('REQUEST')
/** The options that the plugin was imported with (`use(PluginClass, options)`); {@link pluginOptions} gives them a type. */
export const PLUGIN_OPTIONS: TypedToken<unknown> = token<unknown>('PLUGIN_OPTIONS')

/**
 * {@link PLUGIN_OPTIONS} with the type that the plugin takes.
 * ```ts
 * static readonly inject = [pluginOptions<{ table: string }>()] as const
 * ```
 */
export function pluginOptions<O>(): TypedToken<O> {
  return PLUGIN_OPTIONS as TypedToken<O>
}

export const builtInTokens: readonly TypedToken<any>[] = [SERVER, LOGGER, REQUEST, PLUGIN_OPTIONS]

/** What identifies a token: the class, the symbol, the string. */
export function tokenKey(asked: Token<any>): object | symbol | string {
  return isTypedToken(asked) ? asked.key : asked
}

function isTypedToken(value: unknown): value is TypedToken<unknown> {
  return value !== null && typeof value === 'object' && typeof (value as TypedToken<unknown>).key === 'symbol' && 'name' in value
}

export function tokenName(asked: unknown): string {
  if (typeof asked === 'function') return asked.name || 'an anonymous class'
  if (isTypedToken(asked)) return asked.name
  return typeof asked === 'symbol' ? (asked.description ?? String(asked)) : `'${String(asked)}'`
}

/** A typed handle for a member that a context adds to its requests. */
export interface RequestDecorator<Name extends string = string, T = any> {
  readonly kind: 'request decorator'
  /** The member of the request. */
  readonly name: Name
  /** What each request starts with. */
  readonly value: unknown
  /** The same decorator with another type, for values that hooks fill in later. */
  as<U>(): RequestDecorator<Name, U>
  readonly [valueType]?: T
}

/**
 * Declares a request decorator.
 * ```ts
 * export const Answer = requestDecorator('answer', 42)
 * export const CurrentUser = requestDecorator('user', null).as<User | null>()
 * ```
 * A plugin adds it with `decorateRequest: [Answer]`; a route sees it as `request.answer`.
 */
export function requestDecorator<const Name extends string, T>(name: Name, value: T): RequestDecorator<Name, T> {
  const handle = { kind: 'request decorator' as const, name, value, as: () => handle }
  return Object.freeze(handle) as RequestDecorator<Name, T>
}

/** In the list of a {@link RouteRequest}: a decorator that is visible only if some plugin shares it; it may be undefined. */
export interface Optional<D> {
  readonly optionalDecorator: D
}

type DecoratorMembers<D> =
  D extends Optional<RequestDecorator<infer Name, infer T>>
    ? { [K in Name]?: T }
    : D extends RequestDecorator<infer Name, infer T>
      ? { [K in Name]: T }
      : unknown
type AllMembers<D extends readonly unknown[]> = D extends readonly [infer First, ...infer Rest]
  ? DecoratorMembers<First> & AllMembers<Rest>
  : unknown

/**
 * The request of a route with the schema `S` that reads the request decorators `D`.
 * ```ts
 * handle(request: RouteRequest<typeof schema, [typeof Answer, Optional<typeof Bar>]>) { … }
 * ```
 */
export type RouteRequest<S = unknown, D extends readonly unknown[] = []> = SchemaRequest<S> &
  AllMembers<D> & { readonly [askedDecorators]?: NamesOf<D[number]> }

/** Where a request type says which decorators it cannot do without. Never present at run time. */
export declare const askedDecorators: unique symbol
type NamesOf<D> = D extends RequestDecorator<infer Name> ? Name : never
