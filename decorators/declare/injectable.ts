/** Providers: `@Injectable`, and the entries of a plugin's `providers`. */
import { addMetadata, type Class, getMetadata, metadataKey } from './metadata.js'
import type { InjectEntry, Token, TokenValue } from './tokens.js'

/**
 * The lifetime of a provider's instances: as long as the context (`context`, the default), or as long as a request (`request`). With
 * `transient`, each injection gets a new instance.
 */
export type ProviderScope = 'context' | 'request' | 'transient'

/** The types of the values that a list of tokens injects. */
export type Injected<I extends readonly unknown[]> = { -readonly [K in keyof I]: TokenValue<I[K]> }

/**
 * A provider: a class, or a token with the value that is injected for it.
 * ```ts
 * const providers: Provider[] = [
 *   Users, // an instance of the class
 *   { provide: Users, useClass: SqlUsers }, // an instance of another class
 *   { provide: CONFIG, useValue: config }, // the value
 *   { provide: DB, useFactory: connect, inject: [CONFIG] }, // the value that the factory returns
 *   { provide: Reader, useExisting: Users }, // the same instance as for the other token
 * ]
 * ```
 */
export type Provider<T = any> =
  | Class<T>
  | { provide: Token<T>; useClass: Class<T>; scope?: ProviderScope }
  | { provide: Token<T>; useValue: T }
  | { provide: Token<T>; useExisting: Token<T> }
  | FactoryProvider<T>

/**
 * A provider whose value is the result of a function. A promise is awaited: at boot, or for a request-scoped provider in each request that
 * uses it. {@link factory} makes such a provider and checks its types.
 */
export interface FactoryProvider<T = any> {
  provide: Token<T>
  useFactory: (...dependencies: any[]) => T | Promise<T>
  /** The tokens of the factory's arguments. Default: none. */
  inject?: readonly InjectEntry[]
  /** How long the value lives. Default: `context`. */
  scope?: ProviderScope
  /**
   * Whether the result of the factory belongs to this provider. Then alcove calls `onReady` and `onListen` of the result, and ends it with
   * the scope. Default true. Set false if the factory returns a value that is kept elsewhere, such as the pool of a tenant from a cache. A
   * dependency that the factory returns is never owned.
   */
  owned?: boolean
}

/**
 * Makes a factory provider. The compiler checks the parameters of the factory against `inject`.
 * ```ts
 * factory(DB, [CONFIG], async (config) => connect(config.url))
 * ```
 */
export function factory<T, const I extends readonly InjectEntry[]>(
  provide: Token<T>,
  inject: I,
  useFactory: (...dependencies: Injected<I> extends infer P extends unknown[] ? P : never) => T | Promise<T>,
  options: { scope?: ProviderScope; owned?: boolean } = {},
): FactoryProvider<T> & { readonly inject: I } {
  return { provide, inject, useFactory: useFactory as (...dependencies: any[]) => T | Promise<T>, ...options }
}

/** The scopes that a provider can have. */
export const providerScopes: readonly ProviderScope[] = ['context', 'request', 'transient']

export const injectableKey = metadataKey<{ scope?: ProviderScope }>({
  decorator: '@Injectable',
  standsOn: ['plugin', 'route', 'controller', 'job', 'provider', 'hook', 'handler class', 'shared schema'],
  place: 'above a class',
  isInherited: true,
})

/**
 * Marks a class as a provider and sets its scope, `context` by default. A compiler with `emitDecoratorMetadata` emits the types of the
 * constructor's parameters only for classes with a decorator; without these types, write `static inject`. A subclass has the scope of its
 * parent class, unless it has its own `@Injectable`.
 * ```ts
 * @Injectable({ scope: 'request' })
 * class Tx { constructor(private readonly db: Db) {} }
 * ```
 */
export function Injectable(options: { scope?: ProviderScope } = {}) {
  return <C extends Class>(...args: [target: C, context?: unknown]): C => addMetadata(args, injectableKey, options)
}

/**
 * Returns the scope that the nearest `@Injectable` of a class and its parent classes sets; `undefined` if none of them has `@Injectable`.
 */
export function getProviderScope(Class: Class): ProviderScope | undefined {
  const options = getMetadata(Class, injectableKey)
  return options && (options.scope ?? 'context')
}
