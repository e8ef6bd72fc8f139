/**
 * Scopes: the providers of each context, their instances, and how they are made and ended.
 *
 * A provider is always made in the scope that owns it, with what that scope sees. tsyringe (this is the only file that knows
 * it) constructs classes that live as long as their context; it is handed every dependency and never searches by itself, for
 * its own search would reach registrations that are global to the process. Request-scoped instances are made from the same
 * plan without a container, which costs a sixth of the time.
 */
// tsyringe wants reflect-metadata, which ./metadata.js brings, to be there first.
import { type Class, describeParameters } from '../declare/metadata.js'
import { container, injectable, type InjectionToken } from 'tsyringe'
import type { Logger, Request, Server } from '../../lib/index.js'
import { ResolutionError } from '../wiring/faults.js'
import type { PluginNode } from '../wiring/module-tree.js'
import type { ProviderScope } from '../declare/injectable.js'
import { LOGGER, REQUEST, SERVER, type Token, tokenKey } from '../declare/tokens.js'

/** What a dependency was found to be: a provider, one of the built-in values, or nothing (optional). */
export type Dependency =
  | { readonly token: Token<any>; readonly provider: ProviderRecord }
  | { readonly token: Token<any>; readonly builtIn: Token<any> }
  | { readonly token: Token<any>; readonly missing: true }

/** A provider, or a class that is only made and not asked for: a route, a plugin, a hook. */
export interface ProviderRecord {
  readonly token: Token<any>
  readonly kind: 'class' | 'value' | 'factory' | 'existing'
  /** The class, factory or value. */
  readonly source: any
  readonly scope: ProviderScope
  /** The plugin that lists it. */
  readonly plugin: PluginNode
  /** `Repo (in App > UsersPlugin)` */
  readonly place: string
  readonly tokens: readonly { token: Token<any>; isOptional: boolean }[]
  /** Filled in by the proof of the wiring. */
  dependencies: readonly Dependency[]
  /** Whether it is made anew for each request, because it or something it depends on is request-scoped. */
  isRequestBound: boolean
}

/** What was made, in a box: a promise would wait for a value that has a `then` itself, as a server instance that boots has. */
interface Made {
  readonly value: unknown
}

/** The instances of one context, while the application lives. */
export class Scope {
  readonly #instances = new Map<ProviderRecord, unknown>()
  readonly #pending = new Map<ProviderRecord, Promise<Made>>()
  /** Instances in the order in which they were made, for the whole application. */
  readonly #lifetimes: Lifetimes
  readonly #owners: (record: ProviderRecord) => Scope
  instance: Server | undefined

  constructor(lifetimes: Lifetimes, owners: (record: ProviderRecord) => Scope) {
    this.#lifetimes = lifetimes
    this.#owners = owners
  }

  /** Makes a context-scoped provider of ours, what it depends on first. Asynchronous factories are awaited. */
  async make(record: ProviderRecord): Promise<Made> {
    let pending = this.#pending.get(record)
    if (pending === undefined) {
      pending = this.#construct(record)
      this.#pending.set(record, pending)
    }
    const made = await pending
    this.#instances.set(record, made.value)
    return made
  }

  /** What a record is made of, in the order in which it asks. */
  async dependenciesOf(record: ProviderRecord): Promise<unknown[]> {
    const values: unknown[] = []
    for (const dependency of record.dependencies) values.push((await this.#dependency(dependency, record)).value)
    return values
  }

  async #construct(record: ProviderRecord): Promise<Made> {
    const values = await this.dependenciesOf(record)
    const given: unknown = record.kind === 'class' ? construct(record, values) : runSource(record, values)
    const value = record.kind === 'factory' ? await given : given
    if (record.kind !== 'value' && record.kind !== 'existing') this.#lifetimes.add(value)
    return { value }
  }

  async #dependency(dependency: Dependency, record: ProviderRecord): Promise<Made> {
    if ('missing' in dependency) return { value: undefined }
    if ('builtIn' in dependency) return { value: this.builtIn(dependency.builtIn, record) }
    const { provider } = dependency
    // A transient one is made for each injection, where it is owned.
    return provider.scope === 'transient' ? this.#owners(provider).#construct(provider) : this.#owners(provider).make(provider)
  }

  /** A built-in value outside of any request. */
  builtIn(token: Token<any>, record: ProviderRecord): unknown {
    if (token === SERVER) return this.instance
    if (token === LOGGER) return this.instance!.log
    return record.plugin.importOptions
  }

  /** An instance that was made. @throws ResolutionError when it is request-scoped */
  get(record: ProviderRecord): unknown {
    if (record.isRequestBound) throw new ResolutionError(`${record.place} is request-scoped: it exists only while a request is served.`)
    if (record.scope === 'transient')
      throw new ResolutionError(`${record.place} is transient: it is made anew for each class that injects it.`)
    if (!this.#instances.has(record))
      throw new ResolutionError(`${record.place} does not exist yet: the application is still being constructed.`)
    return this.#instances.get(record)
  }

  owner(record: ProviderRecord): Scope {
    return this.#owners(record)
  }
}

/** Lets tsyringe construct a class from dependencies that are already there. */
function construct(record: ProviderRecord, values: readonly unknown[]): unknown {
  const Class = record.source as Class
  describeToTsyringe(Class, record)
  const own = container.createChildContainer()
  own.register(Class, { useClass: Class })
  // By token, in the order of the parameters: a transient dependency asked for twice is two instances.
  const waiting = new Map<InjectionToken, unknown[]>()
  for (const [index, { token }] of record.dependencies.entries()) {
    const key = tokenKey(token) as InjectionToken
    const queue = waiting.get(key)
    if (queue !== undefined) queue.push(values[index])
    else {
      const first = [values[index]]
      waiting.set(key, first)
      own.register(key, { useFactory: () => first.shift() })
    }
  }
  return own.resolve(Class)
}

// tsyringe knows only classes that were announced to it, with what their constructors ask for.
function describeToTsyringe(Class: Class, { tokens }: ProviderRecord): void {
  describeParameters(
    Class,
    tokens.map(({ token, isOptional }) => ({ token: tokenKey(token), isOptional })),
  )
  injectable()(Class)
}

function runSource({ kind, source }: ProviderRecord, values: readonly unknown[]): unknown {
  if (kind === 'factory') return (source as (...dependencies: unknown[]) => unknown)(...values)
  return kind === 'existing' ? values[0] : source
}

/** The instances that one request needs, made when first asked for and ended after its response. */
export class RequestScope {
  private readonly instances = new Map<ProviderRecord, unknown>()
  private readonly made: unknown[] = []
  private isOver = false
  private readonly request: Request
  private readonly owners: (record: ProviderRecord) => Scope

  constructor(request: Request, owners: (record: ProviderRecord) => Scope) {
    this.request = request
    this.owners = owners
  }

  /** An instance for this request; a promise where an asynchronous factory takes part. */
  get(record: ProviderRecord): unknown {
    if (record.scope === 'transient') return this.construct(record)
    if (!record.isRequestBound) return this.owners(record).get(record)
    if (this.instances.has(record)) return this.instances.get(record)
    const value = this.construct(record)
    this.instances.set(record, value)
    // Who asks once it is there need not wait.
    if (isPromise(value))
      value.then(
        (instance) => this.instances.set(record, instance),
        () => {},
      )
    return value
  }

  private construct(record: ProviderRecord): unknown {
    const values = record.dependencies.map((dependency) => this.dependency(dependency, record))
    const value = values.some(isPromise) ? Promise.all(values).then((settled) => this.make(record, settled)) : this.make(record, values)
    // A failure is for who asked; where a sibling failed first, nobody does.
    if (isPromise(value)) value.then(undefined, () => {})
    return value
  }

  private make(record: ProviderRecord, values: readonly unknown[]): unknown {
    const value: unknown = record.kind === 'class' ? new (record.source as Class)(...values) : runSource(record, values)
    if (record.kind === 'class' || record.kind === 'factory') {
      if (isPromise(value)) return value.then((instance) => this.keep(instance))
      this.keep(value)
    }
    return value
  }

  // What comes only after the request is over (a client that went away, a slow factory) is ended at once.
  private keep(instance: unknown): unknown {
    if (this.isOver) void endInstance(instance, this.request.log)
    else this.made.push(instance)
    return instance
  }

  private dependency(dependency: Dependency, record: ProviderRecord): unknown {
    if ('missing' in dependency) return undefined
    if ('provider' in dependency) return this.get(dependency.provider)
    if (dependency.builtIn === REQUEST) return this.request
    if (dependency.builtIn === LOGGER) return this.request.log
    return this.owners(record).builtIn(dependency.builtIn, record)
  }

  /** Ends what this request made, last first. */
  async end(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    while (this.made.length > 0) await endInstance(this.made.pop(), this.request.log, ENDING)
  }
}

/** ms that an instance of a request has to end, before those that it was made of end without it */
const ENDING = 10_000

export function isPromise(value: unknown): value is Promise<unknown> {
  return value != null && typeof (value as Promise<unknown>).then === 'function'
}

/** What was made, in order, so that it can be ended in reverse order, once. */
export class Lifetimes {
  readonly #made: unknown[] = []

  add(value: unknown): void {
    if (value !== null && typeof value === 'object') this.#made.push(value)
  }

  /** Calls `onReady()` of those that have it, in the order in which they were made. */
  async ready(): Promise<void> {
    for (const value of this.#made) await (value as { onReady?: () => unknown }).onReady?.()
  }

  async end(log: Logger): Promise<void> {
    while (this.#made.length > 0) await endInstance(this.#made.pop(), log)
  }
}

const endings = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'] as const

/** Ends an instance in the way that it offers. What fails is logged: the others must end all the same. */
async function endInstance(value: any, log: Logger, limit?: number): Promise<void> {
  if (value === null || typeof value !== 'object') return
  try {
    const ending = endings.find((name) => typeof value[name] === 'function')
    if (ending === undefined) return
    const ended: unknown = value[ending]()
    if (isPromise(ended)) await (limit === undefined ? ended : within(limit, ended))
  } catch (error) {
    log.error({ err: error }, `${nameOf(value)} could not be closed`)
  }
}

/** @throws Error where the promise is not settled in time */
function within(limit: number, promise: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`It did not end within ${limit} ms`)), limit)
    timer.unref()
    promise.then(resolve, reject)
    promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    )
  })
}

function nameOf(value: any): string {
  try {
    return value.constructor.name
  } catch {
    return 'a provider'
  }
}
