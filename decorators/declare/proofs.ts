/** Types that read the requirements of classes and hooks: request decorators, dependencies and the options of their plugin. */
import type { Class } from './metadata.js'
import type { askedDecorators, HookSetDecorator, OptionalToken, PluginOptionsToken, RequestDecorator, TokenValue } from './tokens.js'

/**
 * The type `T`, or `never` if `T` is `any`, as for an import that the compiler has not found and has reported already. The tuples are
 * needed because a condition directly on such a type is not decided.
 */
export type NotAny<T> = [unknown] extends [T] ? never : T

/** The name of a request decorator. */
export type NameOf<D> = D extends RequestDecorator<infer Name> ? Name : never

/** The name of a request decorator that has a value at the start of each request; `never` for a decorator that a hook sets. */
export type NameAtStart<D> = D extends HookSetDecorator ? never : NameOf<D>

/** The names of the request decorators that hook classes set. */
export type NamesSetByHook<H> = H extends readonly (infer E)[]
  ? NamesSetByHook<E>
  : H extends { readonly sets: readonly (infer D)[] }
    ? NameOf<D>
    : never

// A request of type `any` asks for `unknown`, which is the name of nothing.
type AskedNames<Q> = Q extends { readonly [askedDecorators]?: infer Name } ? (unknown extends Name ? never : Name) : never

/** The names of the request decorators that methods of a class read. */
export type NamesAskedBy<C> = C extends abstract new (...args: any[]) => infer I
  ? { [M in keyof I]: I[M] extends (request: infer Q, ...rest: any[]) => any ? AskedNames<Q> : never }[keyof I]
  : never

/**
 * The compile error for a method that reads request decorators but is not public, because a plugin sees only public methods of a class. `T`
 * and `D` are the prototype and the descriptor of the method, or `T` is the method itself and `N` the context of a standard decorator.
 */
export type PublicIfAsking<T, N, D> = N extends keyof T
  ? unknown
  : [Exclude<NamesAskedByHook<T extends Method ? T : D extends TypedPropertyDescriptor<infer F> ? F : never>, undefined>] extends [never]
    ? unknown
    : N extends { readonly name: NameOfOwner<N> }
      ? unknown
      : { error: 'the method reads a request decorator, so it must be public: a plugin sees only public methods' }
type NameOfOwner<N> = N extends ClassMethodDecoratorContext<infer This> ? keyof This : never
type Method = (...args: any[]) => unknown

/**
 * The type of method names if a decorator is called as a function (`Get('/')(this.prototype, 'list')`), otherwise `never`. The two cases
 * differ in the type `D` of the descriptor: only a compiler passes a descriptor.
 */
export type PlainName<D> = unknown extends D ? string | symbol : never

/** The type of the method that is named when a decorator is called as a function; `never` if the name is not that of a public method. */
export type MethodOf<T, N> = N extends keyof T ? (T[N] extends Method ? T[N] : never) : never

/** The compile error for a decorator that is called as a function with a name that no public method of the class has. */
export type NoSuchMethod = {
  error: "the class has no public method of this name: write Get('/')(this.prototype, 'list') for the method list"
}

/** The names of the request decorators that a hook reads: a function, a class, or a list of hooks. */
export type NamesAskedByHook<H> = H extends readonly (infer E)[]
  ? NamesAskedByHook<E>
  : H extends Class
    ? NamesAskedBy<H>
    : H extends (request: infer Q, ...rest: any[]) => unknown
      ? AskedNames<Q>
      : never

/**
 * The names of the request decorators that a hook reads but does not list in `static requires` or `static sets`. For a list of hooks: the
 * names for all of them.
 */
export type UnstatedNames<H> = H extends readonly (infer E)[]
  ? UnstatedNames<E>
  : H extends unknown
    ? Exclude<
        NamesAskedByHook<H>,
        | (H extends { readonly requires: readonly (infer D)[] } ? NameOf<D> : never)
        | (H extends { readonly sets: readonly (infer D)[] } ? NameOf<D> : never)
        | undefined
      >
    : never

/** The names of the request decorators that an error handler reads, if the handler is a class. */
export type NamesAskedByErrorHandler<H> =
  H extends Class<{ errorHandler: (error: any, request: infer Q, ...rest: any[]) => unknown }> ? AskedNames<Q> : never

/**
 * The class `C` if its `static inject` does not fit its constructor, otherwise `never`. A list without `as const` has no length to compare,
 * so it is checked at run time, with the wiring.
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

/** The types of plugin options for which classes, or providers with a list `inject`, ask: a tuple for each `pluginOptions<T>()`. */
export type WantedOptions<C> = C extends { readonly inject: readonly (infer K)[] } ? WantedBy<K> : never
type WantedBy<K> = K extends PluginOptionsToken<infer T> ? [T] : K extends OptionalToken<infer P> ? WantedBy<P> : never
