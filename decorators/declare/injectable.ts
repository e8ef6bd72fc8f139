/** Providers as plugins declare them. */
import { type Class, setMetadata, getMetadata, readDecoratorTarget } from './metadata.js'
import type { OptionalToken, Token, TokenValue } from './tokens.js'

/**
 * How long an instance lives: as long as its context (default), as long as a request, or for one injection.
 */
export type ProviderScope = 'context' | 'request' | 'transient'

/** The values that a list of tokens stands for. */
export type Injected<I extends readonly unknown[]> = { -readonly [K in keyof I]: TokenValue<I[K]> }

/**
 * A provider: a class, or what to give for a token.
 * ```ts
 * Users                                                    // an instance of the class
 * { provide: Users, useClass: SqlUsers }                   // an instance of another class
 * { provide: CONFIG, useValue: config }                    // the value
 * { provide: DB, useFactory: connect, inject: [CONFIG] }   // what the factory gives
 * { provide: Reader, useExisting: Users }                  // what the other token stands for
 * ```
 */
export type Provider<T = any> =
  | Class<T>
  | { provide: Token<T>; useClass: Class<T>; scope?: ProviderScope }
  | { provide: Token<T>; useValue: T }
  | { provide: Token<T>; useExisting: Token<T> }
  | FactoryProvider<T>

/**
 * A factory; it may be asynchronous, then it is awaited, at boot or for the request that it is made for. {@link factory} checks its
 * types.
 */
export interface FactoryProvider<T = any> {
  provide: Token<T>
  useFactory: (...dependencies: any[]) => T | Promise<T>
  /** What the factory is called with. Default: nothing. */
  inject?: readonly (Token<any> | OptionalToken)[]
  /** Default `context`. */
  scope?: ProviderScope
}

/**
 * Writes a factory provider whose parameters are checked against `inject`.
 * ```ts
 * factory(DB, [Config], async config => connect(config.url))
 * ```
 */
export function factory<T, const I extends readonly (Token<any> | OptionalToken)[]>(
  provide: Token<T>,
  inject: I,
  useFactory: (...dependencies: Injected<I> extends infer P extends unknown[] ? P : never) => T | Promise<T>,
  options: { scope?: ProviderScope } = {},
): FactoryProvider<T> {
  return { provide, inject, useFactory: useFactory as (...dependencies: any[]) => T | Promise<T>, ...options }
}

const kScope = Symbol('alcove.provider-scope')

/**
 * Marks a class that is injected: its constructor's types reach the container (where the compiler emits them), and it may name its
 * scope, `context` by default.
 * ```ts
 * @Injectable({ scope: 'request' })
 * class Tx { constructor(private readonly db: Db) {} }
 * ```
 */
export function Injectable(options: { scope?: ProviderScope } = {}) {
  return (...args: [target: Class, context?: unknown]): void => setMetadata(readDecoratorTarget(args), kScope, options.scope ?? 'context')
}

export function getProviderScope(Class: Class): ProviderScope | undefined {
  return getMetadata<ProviderScope>(Class, kScope)
}
