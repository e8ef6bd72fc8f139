/** `providersWith`: finds the instances whose classes or methods have a decorator made by `metadataDecorator`. */
import type { Logger } from '../../lib/index.js'
import {
  type DecoratedProvider,
  getUses,
  hasMetadataDecorators,
  keyOfDecorator,
  type MetadataDecorator,
} from '../declare/metadata-decorator.js'
import { type Class, lineage, type MetadataKey, ownEntries } from '../declare/metadata.js'
import { ResolutionError } from '../wiring/faults.js'
import { nameOf } from '../wiring/value-names.js'
import { ancestors, type PluginNode } from '../wiring/nodes.js'

/** An instance with the lifetime of its context, and the plugin that constructs it. */
export interface PluginInstance {
  readonly plugin: PluginNode
  /** Whether the instance is an instance of the plugin class itself. */
  readonly isPlugin: boolean
  readonly instance: unknown
}

/** An instance whose class, or one of its parent classes, has decorators made by `metadataDecorator`. */
interface Decorated extends Pick<PluginInstance, 'plugin' | 'instance'> {
  readonly Class: Class
  readonly keys: ReadonlySet<MetadataKey<any>>
  /** The path of the class: `App > Jobs` */
  readonly path: string
}

export class DecoratedProviders {
  readonly #collect: () => PluginInstance[]
  #all: readonly Decorated[] | undefined
  /** The plugins in whose contexts `providersWith` was called, by the key of the decorator. */
  readonly #asked = new Map<MetadataKey<any>, Set<PluginNode>>()
  #isOpen = false

  /** @param collect returns all instances, in the order of the module tree; called once, when all instances exist */
  constructor(collect: () => PluginInstance[]) {
    this.#collect = collect
  }

  /** Allows calls of {@link find}, because all instances are constructed. */
  open(): void {
    this.#isOpen = true
  }

  /**
   * Returns the uses of a decorator among the instances of a context and of the contexts below.
   * @param isOwn whether the call comes from the context of `owner`. The context of a plugin function below it has no instances.
   * @throws ResolutionError before {@link open} was called
   */
  find<T>(owner: PluginNode, decorator: MetadataDecorator<T>, isOwn = true): DecoratedProvider<T>[] {
    const key = keyOfDecorator(decorator)
    if (!this.#isOpen)
      throw new ResolutionError(
        `providersWith(${decorator.name}) was called in ${owner.path} before all providers are constructed. Call it in onReady or later.`,
      )
    if (!isOwn) return []
    const asked = this.#asked.get(key)
    if (asked === undefined) this.#asked.set(key, new Set([owner]))
    else asked.add(owner)
    const found = this.#decorated().filter(({ plugin, keys }) => keys.has(key) && ancestors(plugin).includes(owner))
    // Several tokens may lead to one instance.
    const first = new Map(found.toReversed().map((entry) => [entry.instance, entry]))
    return found.filter((entry) => first.get(entry.instance) === entry).flatMap((entry) => decoratorUses<T>(entry, key))
  }

  /** Logs a warning for each used decorator for which no plugin has called `providersWith` so far. A plugin may still call it later. */
  warnOfUnread(log: Logger): void {
    if (!hasMetadataDecorators()) return
    const unread = new Map<string, Set<string>>()
    for (const entry of this.#decorated()) {
      for (const key of entry.keys) {
        const asked = this.#asked.get(key)
        if (asked !== undefined && ancestors(entry.plugin).some((plugin) => asked.has(plugin))) continue
        const places = unread.get(key.decorator) ?? new Set()
        unread.set(key.decorator, places)
        for (const { place } of decoratorUses(entry, key)) places.add(place)
      }
    }
    for (const [decorator, places] of unread)
      log.warn(
        `${decorator} has no effect yet at ${[...places].join(', ')}: when the server was ready, no plugin of that context or of one above it had called providersWith(${decorator.slice(1)}). Import the plugin that does with shared(…).`,
      )
  }

  #decorated(): readonly Decorated[] {
    this.#all ??= this.#collect().flatMap(({ plugin, isPlugin, instance }) => {
      const Class = classOf(instance)
      const keys = Class === undefined ? [] : findableKeys(Class)
      return keys.length === 0
        ? []
        : [{ plugin, instance, Class: Class!, keys: new Set(keys), path: isPlugin ? plugin.path : `${plugin.path} > ${nameOf(Class)}` }]
    })
    return this.#all
  }
}

function decoratorUses<T>({ instance, Class, path }: Decorated, key: MetadataKey<any>): DecoratedProvider<T>[] {
  return getUses(Class, key).map(({ method, value }) => ({
    instance,
    method,
    value: value as T,
    place: method === undefined ? path : `${path}.${String(method)}`,
  }))
}

function findableKeys(Class: Class): MetadataKey<any>[] {
  return lineage(Class)
    .flatMap(ownEntries)
    .map(({ key }) => key)
    .filter(({ isFindable }) => isFindable === true)
}

/** Returns the class of an instance, which may be a provided value or the result of a factory; `undefined` if it has no class. */
function classOf(instance: unknown): Class | undefined {
  if (instance === null || typeof instance !== 'object') return undefined
  const { constructor: Class } = (Object.getPrototypeOf(instance) ?? {}) as { constructor?: unknown }
  return typeof Class === 'function' ? (Class as Class) : undefined
}
