/**
 * Decorators that applications and plugins make with `metadataDecorator`. Such a decorator stores a value for a class or method, by which
 * `providersWith` finds the instances.
 */
import {
  addMetadata,
  type ClassAndMethodDecorator,
  getDecoratedMembers,
  getNearestMetadata,
  type MetadataKey,
  metadataKey,
} from './metadata.js'

declare const metadataValue: unique symbol

/** A decorator made by {@link metadataDecorator}. It takes a value of the type `T`, which may be omitted if `T` allows `undefined`. */
export interface MetadataDecorator<T> {
  (...value: undefined extends T ? [value?: T] : [value: T]): ClassAndMethodDecorator
  /** The name of the decorator in errors, without the `@`. */
  readonly name: string
  /** A mark that distinguishes metadata decorators from other functions for the compiler. It does not exist at run time. */
  readonly [metadataValue]: T
}

/** An entry of the result of `server.providersWith(decorator)`: an instance, with one use of the decorator in its class. */
export interface DecoratedProvider<T = unknown> {
  /**
   * The instance whose class or method has the decorator: a provider, a plugin, a route, a controller or a hook class with the lifetime of
   * its context.
   */
  readonly instance: any
  /** The name of the decorated method; `undefined` if the decorator is above the class. */
  readonly method: string | symbol | undefined
  /** The argument of the decorator. */
  readonly value: T
  /** The path of the decorated class or method, for messages: `App > Jobs.cleanUp` */
  readonly place: string
}

/**
 * The value of one use of a metadata decorator, wrapped in an object. If the object itself is `undefined`, the value did not exist yet when
 * the decorator was called, for example in a circle of imports.
 */
interface Kept<T> {
  readonly value: T
}

const keys = new WeakMap<object, MetadataKey<Kept<unknown>>>()
let isAnyMade = false

/** Whether {@link metadataDecorator} was called in this process. */
export function hasMetadataDecorators(): boolean {
  return isAnyMade
}

/**
 * Makes a decorator for classes and methods. A plugin such as a scheduler finds the instances of these classes with
 * `server.providersWith(decorator)`.
 * ```ts
 * const Cron = metadataDecorator<{ pattern: string }>('Cron')
 * class Jobs { @Cron({ pattern: '0 3 * * *' }) cleanUp() { … } }
 *
 * for (const { instance, method = 'run', value } of server.providersWith(Cron)) schedule(value.pattern, () => instance[method]())
 * ```
 * The decorator also holds for subclasses, unless a subclass or its overriding method has the same decorator. Each of several uses on one
 * class or method counts.
 * @param name the name of the decorator in errors
 */
export function metadataDecorator<T = void>(name: string): MetadataDecorator<T> {
  const key = metadataKey<Kept<unknown>>({
    decorator: `@${name}`,
    standsOn: ['plugin', 'route', 'controller', 'job', 'provider', 'hook', 'method'],
    place: 'above a class that a plugin lists as provider, route or hook, above a plugin, or above a method of one of these',
    isRepeatable: true,
    isInherited: true,
    isFindable: true,
  })
  const decorator = (...decoratorArguments: readonly unknown[]): ClassAndMethodDecorator => {
    const kept = decoratorArguments.length > 0 && decoratorArguments[0] === undefined ? undefined : { value: decoratorArguments[0] }
    return (...args: unknown[]) => addMetadata(args, key, kept as Kept<unknown>)
  }
  Object.defineProperty(decorator, 'name', { value: name })
  keys.set(decorator, key)
  isAnyMade = true
  return decorator as unknown as MetadataDecorator<T> // its mark is only in the type
}

/**
 * Returns the key under which the values of a metadata decorator are stored.
 * @throws TypeError if {@link metadataDecorator} did not make the decorator
 */
export function keyOfDecorator(decorator: unknown): MetadataKey<Kept<unknown>> {
  const key = typeof decorator === 'function' ? keys.get(decorator) : undefined
  if (key === undefined) throw new TypeError('providersWith takes a decorator that metadataDecorator() returned, without calling it.')
  return key
}

/** Returns the uses of a decorator in a class: above the class first, then above its methods. */
export function getUses(Class: object, key: MetadataKey<Kept<unknown>>): Pick<DecoratedProvider, 'method' | 'value'>[] {
  return [undefined, ...getDecoratedMembers(Class, key)].flatMap((method) =>
    getNearestMetadata(Class, key, method).map(({ value }) => ({ method, value })),
  )
}
