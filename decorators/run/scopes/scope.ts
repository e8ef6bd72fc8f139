/**
 * The scope of a context: its instances, and their construction.
 *
 * A provider is always constructed in the scope that owns it, from dependencies that this scope sees. tsyringe, which only this file
 * imports, constructs classes with the lifetime of their context. tsyringe gets every dependency from here, because its own search would
 * find registrations that are global to the process. Request-scoped instances are constructed from the same provider records without a
 * container (./request-scopes.ts), which takes a sixth of the time.
 */
// tsyringe needs reflect-metadata, which ../declare/metadata.js imports, to be loaded before it.
import { container, injectable, type InjectionToken } from 'tsyringe'
import type { Server } from '../../../lib/index.js'
import { type Class, withConstructorParameters } from '../../declare/metadata.js'
import { type Ambient, LOGGER, SERVER, type Token, tokenKey, tokenName } from '../../declare/tokens.js'
import { ResolutionError } from '../../wiring/faults.js'
import { type Dependency, labelOfRecord, type PresentDependency, type ProviderRecord } from '../../wiring/provider-record.js'
import { endInstance, type Lifetimes } from './lifetimes.js'

/**
 * A constructed value, wrapped in an object. A promise of the value itself would call its `then` method if it has one, as a server instance
 * has while it boots.
 */
interface Constructed {
  readonly value: unknown
}

/** A function that makes the handle for a dependency with `ambient`. */
export type HandleMaker = (dependency: PresentDependency, record: ProviderRecord) => Ambient<unknown>

/** The instances of one context, for the lifetime of the application. */
export class Scope {
  readonly #instances = new Map<ProviderRecord, unknown>()
  readonly #pending = new Map<ProviderRecord, Promise<Constructed>>()
  /** The lifetimes of all instances of the application. */
  readonly #lifetimes: Lifetimes
  readonly #ownerOf: (record: ProviderRecord) => Scope
  /** Makes the handle for a dependency with `ambient`. */
  readonly handleOf: HandleMaker
  /** The server instance of the context; `undefined` until the context is loaded. */
  instance: Server | undefined

  constructor(lifetimes: Lifetimes, ownerOf: (record: ProviderRecord) => Scope, handleOf: HandleMaker) {
    this.#lifetimes = lifetimes
    this.#ownerOf = ownerOf
    this.handleOf = handleOf
  }

  /**
   * Constructs a context-scoped provider that this scope owns, after its dependencies. Further calls return the same value. Asynchronous
   * factories are awaited.
   */
  async construct(record: ProviderRecord): Promise<Constructed> {
    let pending = this.#pending.get(record)
    if (pending === undefined) {
      pending = this.#constructNew(record)
      this.#pending.set(record, pending)
    }
    const constructed = await pending
    this.#instances.set(record, constructed.value)
    return constructed
  }

  /** Returns the values of the dependencies of a provider record, in the order of its parameters. */
  async dependenciesOf(record: ProviderRecord): Promise<unknown[]> {
    const values: unknown[] = []
    for (const dependency of record.dependencies) values.push((await this.#dependency(dependency, record)).value)
    return values
  }

  async #constructNew(record: ProviderRecord): Promise<Constructed> {
    const values = await this.dependenciesOf(record)
    // This stays set if the construction fails or never settles.
    this.#lifetimes.constructing = record
    const isMade = record.kind === 'class' || record.kind === 'factory'
    const noteMade = isMade ? this.#lifetimes.boot?.construct(labelOfRecord(record)) : undefined
    const start = performance.now()
    let value: unknown
    try {
      const created: unknown = record.kind === 'class' ? constructWithContainer(record, values) : createWithoutClass(record, values)
      value = record.kind === 'factory' ? await created : created
    } catch (error) {
      noteMade?.(error)
      throw error
    }
    noteMade?.()
    this.#lifetimes.noteTime(record, performance.now() - start)
    this.#lifetimes.constructing = undefined
    const path = `${record.plugin.path} > ${tokenName(record.token)}`
    const label = labelOfRecord(record)
    if (this.#lifetimes.hasEnded) {
      // Nothing else would end the instance.
      if (hasMade(record, value, values)) await endInstance(value, this.instance!.log, { label })
      throw new ResolutionError(`${label} was made too late: the boot had failed.`)
    }
    if (hasMade(record, value, values)) this.#lifetimes.add(value, label, path)
    else if (record.kind === 'value') this.#lifetimes.addForeign(value, path)
    return { value }
  }

  async #dependency(dependency: Dependency, record: ProviderRecord): Promise<Constructed> {
    if ('missing' in dependency) return { value: undefined }
    if (dependency.isAmbient) return { value: this.handleOf(dependency, record) }
    if ('builtIn' in dependency) return { value: this.builtIn(dependency.builtIn, record) }
    const { provider } = dependency
    const owner = this.#ownerOf(provider)
    return provider.scope === 'transient' ? owner.#constructNew(provider) : owner.construct(provider)
  }

  /** Returns the value of a built-in token outside of requests. */
  builtIn(token: Token<any>, record: ProviderRecord): unknown {
    if (token === SERVER) return this.instance
    if (token === LOGGER) return this.instance!.log
    return record.plugin.importOptions
  }

  /**
   * Returns the instance of a provider.
   * @throws ResolutionError if the provider is request-scoped, transient or not yet constructed
   */
  get(record: ProviderRecord): unknown {
    if (record.isRequestBound)
      throw new ResolutionError(`${labelOfRecord(record)} is request-scoped: it exists only while a request is served.`)
    if (record.scope === 'transient')
      throw new ResolutionError(`${labelOfRecord(record)} is transient: each injection gets an instance of its own.`)
    if (!this.#instances.has(record))
      throw new ResolutionError(`${labelOfRecord(record)} does not exist yet: the application is still being constructed.`)
    return this.#instances.get(record)
  }
}

/**
 * Whether a provider has made its value, so that the application must end the value. False for a value that other code made, and for a
 * dependency that a factory returns.
 */
export function hasMade({ kind, isOwned }: ProviderRecord, value: unknown, dependencies: readonly unknown[]): boolean {
  return kind === 'class' || (kind === 'factory' && isOwned && !dependencies.includes(value))
}

/** Constructs a class from its dependencies with tsyringe. */
function constructWithContainer(record: ProviderRecord, values: readonly unknown[]): unknown {
  const Class = record.source as Class
  describeToTsyringe(Class, record)
  const own = container.createChildContainer()
  own.register(Class, { useClass: Class })
  // If a transient dependency is asked for twice, its token has two values: each call of the factory takes the next one.
  const queues = new Map<InjectionToken, unknown[]>()
  for (const [index, { token }] of record.dependencies.entries()) {
    const key = tokenKey(token) as InjectionToken
    const queue = queues.get(key)
    if (queue !== undefined) queue.push(values[index])
    else {
      const first = [values[index]]
      queues.set(key, first)
      own.register(key, { useFactory: () => first.shift() })
    }
  }
  return own.resolve(Class)
}

// tsyringe constructs only classes that were declared to it, with the tokens of their parameters.
function describeToTsyringe(Class: Class, { tokens }: ProviderRecord): void {
  const parameters = tokens.map(({ token, isOptional }) => ({ token: tokenKey(token), isOptional }))
  withConstructorParameters(Class, parameters, () => injectable()(Class))
}

/** Returns the value of a provider that is not a class: a factory, an alias or a value. */
export function createWithoutClass({ kind, source }: ProviderRecord, values: readonly unknown[]): unknown {
  if (kind === 'factory') return (source as (...dependencies: unknown[]) => unknown)(...values)
  return kind === 'existing' ? values[0] : source
}
