/** Types that read what classes and hooks ask for: request decorators, dependencies and the options of their plugin. */
import type { Class } from './metadata.js'
import type { askedDecorators, OptionalToken, PluginOptionsToken, RequestDecorator, TokenValue } from './tokens.js'

/**
 * Nothing for `any`: the compiler has reported an import that was not found, and its type tells nothing. The tuples are needed, as a
 * condition on the type of such an import is never decided.
 */
export type NotAny<T> = [unknown] extends [T] ? never : T

/** The name of a request decorator. */
export type NameOf<D> = D extends RequestDecorator<infer Name> ? Name : never

// A request of type `any` asks for `unknown`, which is the name of nothing.
type AskedNames<Q> = Q extends { readonly [askedDecorators]?: infer Name } ? (unknown extends Name ? never : Name) : never

/** The names of the request decorators that the methods of a class read. */
export type NamesAskedBy<C> = C extends abstract new (...args: any[]) => infer I
  ? { [M in keyof I]: I[M] extends (request: infer Q, ...rest: any[]) => any ? AskedNames<Q> : never }[keyof I]
  : never

/** The same for a hook, function or class, or a list of them. */
export type NamesAskedByHook<H> = H extends readonly (infer E)[]
  ? NamesAskedByHook<E>
  : H extends Class
    ? NamesAskedBy<H>
    : H extends (request: infer Q, ...rest: any[]) => unknown
      ? AskedNames<Q>
      : never

/** The same for an error handler that is a class. */
export type NamesAskedByErrorHandler<H> =
  H extends Class<{ errorHandler: (error: any, request: infer Q, ...rest: any[]) => unknown }> ? AskedNames<Q> : never

/**
 * A class whose `static inject` does not fit its constructor. Without `as const` the list has no length to compare: it is checked at run
 * time, with the wiring.
 */
export type WronglyInjected<C> = C extends { readonly inject: infer I extends readonly unknown[] }
  ? number extends I['length']
    ? never
    : C extends abstract new (...args: infer A) => unknown
      ? { -readonly [K in keyof I]: TokenValue<I[K]> } extends A
        ? never
        : C
      : never
  : never

/** What classes, or providers with a list `inject`, want the options of their plugin to be: a tuple for each `pluginOptions<T>()`. */
export type WantedOptions<C> = C extends { readonly inject: readonly (infer K)[] } ? WantedBy<K> : never
type WantedBy<K> = K extends PluginOptionsToken<infer T> ? [T] : K extends OptionalToken<infer P> ? WantedBy<P> : never
