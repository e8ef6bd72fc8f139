/** Tokens that are also their own provider: a plugin lists such a token in `providers`, and classes inject it. */
import type { FactoryProvider } from '../declare/injectable.js'
import type { InjectEntry, TypedToken } from '../declare/tokens.js'

/** A token that is also its own provider. */
export interface ProviderToken<T> extends TypedToken<T>, FactoryProvider<T> {
  readonly provide: ProviderToken<T>
}

/**
 * Makes a token that is also a factory provider.
 * @param make the factory, which gets the token and the values of `inject`
 */
export function createProviderToken<T>(
  name: string,
  inject: readonly InjectEntry[],
  make: (token: ProviderToken<T>, ...values: any[]) => T | Promise<T>,
): ProviderToken<T> {
  // Members of a provider that nothing reads are faults, so that those of the token are not among its own.
  const made = Object.create({ name, key: Symbol(name), toJSON: () => name }) as ProviderToken<T>
  return Object.freeze(Object.assign(made, { provide: made, inject, useFactory: (...values: unknown[]) => make(made, ...values) }))
}
