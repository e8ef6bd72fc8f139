/** Providers: the decorator `@Injectable`, and the types of the entries of a plugin's `providers`. */
import { addMetadata, type Class, getMetadata, metadataKey } from './metadata.js'
import type { InjectEntry, Token, TokenValue } from './tokens.js'

/**
 * The lifetime of a provider's instances: the lifetime of the context (`context`, the default) or of a request (`request`). With
 * `transient`, each injection gets a new instance.
 */
export type ProviderScope = 'context' | 'request' | 'transient'

/** The types of the values that are injected for a list of tokens. */
export type Injected<I extends readonly unknown[]> = { -readonly [K in keyof I]: TokenValue<I[K]> }

/** A provider: a class, or a token with the source of its value. */
export type Provider<T = any> =
  | Class<T>
  | { provide: Token<T>; useClass: Class<T>; scope?: ProviderScope }
  | { provide: Token<T>; useValue: T }
  | { provide: Token<T>; useExisting: Token<T> }
  | FactoryProvider<T>

/**
 * A provider whose value is the result of a function. If the result is a promise, the promise is awaited: at boot, or for a request-scoped
 * provider in each request that needs the value. {@link factory} makes such a provider and checks its types.
 */
export interface FactoryProvider<T = any> {
  provide: Token<T>
  useFactory: (...dependencies: any[]) => T | Promise<T>
  /** The tokens of the factory's arguments, in order. Default: none. */
  inject?: readonly InjectEntry[]
  /** The lifetime of the value. Default: `context`. */
  scope?: ProviderScope
  /**
   * Whether alcove manages the lifetime of the result: calls its `onReady` and `onListen`, and disposes of it at the end of the scope.
   * Default true. Set false if the factory returns a value that is kept elsewhere, such as the pool of a tenant from a cache. If the
   * factory returns one of its dependencies, alcove never disposes of it here.
   */
  owned?: boolean
}

/** Makes a factory provider. The compiler checks the parameters of the factory against the tokens. */
export function factory<T, const I extends readonly InjectEntry[]>(
  provide: Token<T>,
  inject: I,
  useFactory: (...dependencies: Injected<I> extends infer P extends unknown[] ? P : never) => T | Promise<T>,
  options: { scope?: ProviderScope; owned?: boolean } = {},
): FactoryProvider<T> & { readonly inject: I } {
  return { provide, inject, useFactory: useFactory as (...dependencies: any[]) => T | Promise<T>, ...options }
}

/** The scopes that a provider may have. */
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
 * parent class, unless it is decorated with `@Injectable` itself.
 * ```ts
 * @Injectable({ scope: 'request' })
 * class Tx { constructor(private readonly db: Db) {} }
 * ```
 */
export function Injectable(options: { scope?: ProviderScope } = {}) {
  return <C extends Class>(...args: [target: C, context?: unknown]): C => addMetadata(args, injectableKey, options)
}

/** Returns the scope from the nearest `@Injectable` of a class and its parent classes; `undefined` if there is no `@Injectable`. */
export function getProviderScope(Class: Class): ProviderScope | undefined {
  const options = getMetadata(Class, injectableKey)
  return options && (options.scope ?? 'context')
}

/** The key of a static member of the framework's own classes: the sentence that says what to import if no plugin provides the class. */
export const kMissingCure = Symbol('alcove.missing-cure')
