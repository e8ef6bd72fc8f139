/** Decorators of applications and plugins: they keep a value of a class or method, by which `providersWith` finds the instances. */
import {
  addMetadata,
  type ClassAndMethodDecorator,
  getDecoratedMembers,
  getNearestMetadata,
  type MetadataKey,
  metadataKey,
} from './metadata.js'

declare const metadataValue: unique symbol

/** A decorator that {@link metadataDecorator} made. Written without a value if `T` allows `undefined`. */
export interface MetadataDecorator<T> {
  (...value: undefined extends T ? [value?: T] : [value: T]): ClassAndMethodDecorator
  /** Its name in errors, without the `@`. */
  readonly name: string
  /** Tells it from other functions. It does not exist at run time. */
  readonly [metadataValue]: T
}

/** What `server.providersWith(decorator)` returns: one entry for each use of the decorator. */
export interface DecoratedProvider<T = unknown> {
  /** An instance that lives as long as its context: a provider, a plugin, a route, a controller or a hook class. */
  readonly instance: any
  /** The name of the decorated method; `undefined` if the class is decorated. */
  readonly method: string | symbol | undefined
  /** What the decorator was written with. */
  readonly value: T
  /** For messages: `App > Jobs.cleanUp` */
  readonly place: string
}

/** Wrapped, because `undefined` means a value that does not exist yet, for example in a circle of imports. */
interface Kept<T> {
  readonly value: T
}

const keys = new WeakMap<object, MetadataKey<Kept<unknown>>>()
let isAnyMade = false

/** Whether the process has such decorators at all. */
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
 * It holds for subclasses, unless they or their overriding methods have their own. Several on one class or method all count.
 * @param name its name in errors
 */
export function metadataDecorator<T = void>(name: string): MetadataDecorator<T> {
  const key = metadataKey<Kept<unknown>>({
    decorator: `@${name}`,
    standsOn: ['plugin', 'route', 'controller', 'provider', 'hook', 'method'],
    place: 'above a class that a plugin lists as provider, route or hook, above a plugin, or above a method of one of these',
    isRepeatable: true,
    isInherited: true,
    isFindable: true,
  })
  const decorator = (...given: readonly unknown[]): ClassAndMethodDecorator => {
    const kept = given.length > 0 && given[0] === undefined ? undefined : { value: given[0] }
    return (...args: unknown[]) => addMetadata(args, key, kept as Kept<unknown>)
  }
  Object.defineProperty(decorator, 'name', { value: name })
  keys.set(decorator, key)
  isAnyMade = true
  return decorator as unknown as MetadataDecorator<T> // its mark is only in the type
}

/** The key of a decorator. @throws TypeError if {@link metadataDecorator} did not make it */
export function keyOfDecorator(decorator: unknown): MetadataKey<Kept<unknown>> {
  const key = typeof decorator === 'function' ? keys.get(decorator) : undefined
  if (key === undefined) throw new TypeError('providersWith takes a decorator that metadataDecorator() returned, without calling it.')
  return key
}

/** The uses of a decorator in a class: above the class first, then above its methods. */
export function getUses(Class: object, key: MetadataKey<Kept<unknown>>): Pick<DecoratedProvider, 'method' | 'value'>[] {
  return [undefined, ...getDecoratedMembers(Class, key)].flatMap((method) =>
    getNearestMetadata(Class, key, method).map(({ value }) => ({ method, value })),
  )
}
