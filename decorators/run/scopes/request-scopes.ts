/**
 * The scope of a request: the instances that belong to it, and when they are ended.
 *
 * A scope is opened by the first part of a request that needs an instance. It ends when the request is over: when its response is sent or
 * its client has left, its last hooks have run, and its handler and its hooks have settled, whichever comes last. Handlers and hooks that
 * never settle are waited for until 30 s after the response, or until the server has closed.
 */
import type { Request, RequestOutcome, Server } from '../../../lib/index.js'
import {
  isPromiseLike,
  noteCloseStep,
  noteIncomplete,
  outcomeOf,
  setBeforeHead,
  settleWithin,
  whenRequestIsOver,
} from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { LOGGER, REQUEST } from '../../declare/tokens.js'
import { ResolutionError } from '../../wiring/faults.js'
import type { Dependency, ProviderRecord } from '../../wiring/provider-record.js'
import { classNameOf, endInstance, endsBeforeReply, type EndsWithRequest, endsWithRequest } from './lifetimes.js'
import { createWithoutClass, hasMade, type Scope } from './scope.js'

/**
 * Limits for the end of an instance of a request. The instance may take 10 s; after that, the instances that it depends on are ended
 * without waiting for it. A server that closes waits for all instances together (`CLOSE_LIMIT`); after that, nothing keeps the process
 * alive.
 */
const instanceEnd = { limit: 10_000, keepsAlive: false }

/** Milliseconds that request scopes may take to end when the server closes. */
const CLOSE_LIMIT = 1_000

const kRequestScope = Symbol('alcove.request-scope')

interface ScopedRequest extends Request {
  [kRequestScope]: RequestScope | null
}

/** The records of a plugin's classes, and how their instances are found. */
export interface Instances {
  /** The record of the plugin class itself. */
  readonly plugin: ProviderRecord
  readonly constructedClasses: ReadonlyMap<Class, ProviderRecord>
  /**
   * Returns the instance of a class that lives as long as its context.
   * @throws ResolutionError if the instance is not constructed yet
   */
  readonly find: (record: ProviderRecord) => unknown
  readonly openScope: RequestScopes['open']
}

/** The scopes of all requests of an application, which this class opens and ends. */
export class RequestScopes {
  readonly #ownerOf: (record: ProviderRecord) => Scope
  /** Number of scopes that are being ended. */
  #endingCount = 0
  #onSettled: (() => void) | undefined

  constructor(ownerOf: (record: ProviderRecord) => Scope) {
    this.#ownerOf = ownerOf
  }

  /** Adds the member of a request that holds its scope. */
  addTo(server: Server): void {
    server.decorateRequest(kRequestScope, null)
  }

  /** Returns the scope of a request, which all of its hooks and its handler share. @throws ResolutionError if the request is over */
  readonly open = (request: Request): RequestScope => {
    let scope = (request as ScopedRequest)[kRequestScope]
    if (scope === null) {
      scope = (request as ScopedRequest)[kRequestScope] = new RequestScope(request, this.#ownerOf)
      const opened = scope
      whenRequestIsOver(request, () => this.#end(opened))
    } else if (scope.hasEnded)
      throw new ResolutionError('The request is over, and its scope has ended: its handler or hook comes too late.')
    return scope
  }

  #end(scope: RequestScope): void {
    const ending = scope.end()
    if (ending === undefined) return
    this.#endingCount++
    void ending.then(this.#noteEnd)
  }

  readonly #noteEnd = (): void => {
    this.#endingCount--
    if (this.#endingCount === 0) this.#onSettled?.()
  }

  /** Waits at most `CLOSE_LIMIT` for the scopes that are being ended. The instances that they depend on must be ended too. */
  async settled(server: Server): Promise<void> {
    if (this.#endingCount === 0) return
    noteCloseStep(server, 'request scopes')
    try {
      await settleWithin(CLOSE_LIMIT, new Promise<void>((resolve) => (this.#onSettled = resolve)))
    } catch {
      server.log.error(`${this.#endingCount} request scopes did not end within ${CLOSE_LIMIT} ms while the server closed`)
      noteIncomplete(server)
    }
  }
}

/** The instances of one request: constructed when first asked for, ended with the scope. */
export class RequestScope {
  private readonly instances = new Map<ProviderRecord, unknown>()
  /** The instances to end, in the order in which they were constructed. */
  private readonly toEnd: unknown[] = []
  /** The instances whose `onRequestEnd` is still to be called, in the order in which they were constructed. */
  private toConclude: EndsWithRequest[] = []
  hasEnded = false
  private readonly request: Request
  private readonly ownerOf: (record: ProviderRecord) => Scope

  constructor(request: Request, ownerOf: (record: ProviderRecord) => Scope) {
    this.request = request
    this.ownerOf = ownerOf
  }

  /** Returns the instance for this request, or a promise of it if an asynchronous factory that takes part has not completed. */
  get(record: ProviderRecord): unknown {
    if (record.scope === 'transient') return this.construct(record)
    if (!record.isRequestBound) return this.ownerOf(record).get(record)
    if (this.instances.has(record)) return this.instances.get(record)
    const value = this.construct(record)
    this.instances.set(record, value)
    // Once the promise is fulfilled, the instance replaces it: later callers do not have to wait.
    if (isPromiseLike(value))
      value.then(
        (instance) => this.instances.set(record, instance),
        () => {},
      )
    return value
  }

  private construct(record: ProviderRecord): unknown {
    const values = record.dependencies.map((dependency) => this.dependency(dependency, record))
    const value = values.some(isPromiseLike)
      ? Promise.all(values).then((settled) => this.create(record, settled))
      : this.create(record, values)
    // The caller handles a rejection. If another dependency of the caller fails first, nothing awaits this promise: mark it as handled.
    if (isPromiseLike(value)) value.then(undefined, () => {})
    return value
  }

  private create(record: ProviderRecord, values: readonly unknown[]): unknown {
    const value: unknown = record.kind === 'class' ? new (record.source as Class)(...values) : createWithoutClass(record, values)
    const keep = (instance: unknown): unknown => (hasMade(record, instance, values) ? this.keep(instance) : instance)
    return record.kind === 'factory' && isPromiseLike(value) ? value.then(keep) : keep(value)
  }

  // A slow factory may complete after the scope has ended, for example if the client went away: its instance is ended at once.
  private keep(instance: unknown): unknown {
    if (this.hasEnded) void this.endLate(instance)
    else if (!this.toEnd.includes(instance)) {
      this.toEnd.push(instance)
      if (endsWithRequest(instance)) {
        this.toConclude.push(instance)
        if (endsBeforeReply(instance)) setBeforeHead(this.request, () => this.endBeforeReply())
      }
    }
    return instance
  }

  private async endLate(instance: unknown): Promise<void> {
    if (endsWithRequest(instance)) await this.conclude(instance, outcomeOf(this.request))
    await endInstance(instance, this.request.log)
  }

  /**
   * Tells the instances that end before the reply how the request ends, in reverse order. If one of them fails, the request has failed: the
   * others are told so.
   * @throws the first error, unless the request had failed before
   */
  private async endBeforeReply(): Promise<void> {
    let outcome = outcomeOf(this.request)
    const hadFailed = outcome.kind !== 'completed'
    const ending = this.toConclude.filter(endsBeforeReply)
    this.toConclude = this.toConclude.filter((instance) => !endsBeforeReply(instance))
    for (const instance of ending.toReversed())
      try {
        await instance.onRequestEnd(outcome)
      } catch (error) {
        if (outcome.kind !== 'completed') this.logFailure(instance, error)
        else outcome = { kind: 'failed', status: undefined, error: error ?? new Error(`${classNameOf(instance)}.onRequestEnd failed`) }
      }
    if (outcome.kind === 'failed' && !hadFailed) throw outcome.error
  }

  private async conclude(instance: EndsWithRequest, outcome: RequestOutcome): Promise<void> {
    try {
      await settleWithin(instanceEnd.limit, Promise.resolve(instance.onRequestEnd(outcome)), instanceEnd.keepsAlive)
    } catch (error) {
      this.logFailure(instance, error)
    }
  }

  private logFailure(instance: EndsWithRequest, error: unknown): void {
    this.request.log.error({ err: error }, `${classNameOf(instance)}.onRequestEnd failed`)
  }

  private dependency(dependency: Dependency, record: ProviderRecord): unknown {
    if ('missing' in dependency) return undefined
    if ('provider' in dependency) return this.get(dependency.provider)
    if (dependency.builtIn === REQUEST) return this.request
    if (dependency.builtIn === LOGGER) return this.request.log
    return this.ownerOf(record).builtIn(dependency.builtIn, record)
  }

  /**
   * Tells the instances how the request has ended, and ends them, both in reverse order, once.
   * @returns a promise if an instance ends later
   */
  end(): Promise<void> | undefined {
    this.hasEnded = true
    return this.toConclude.length === 0 ? this.endInstances() : this.concludeAll().then(() => this.endInstances())
  }

  private async concludeAll(): Promise<void> {
    const outcome = outcomeOf(this.request)
    while (this.toConclude.length > 0) await this.conclude(this.toConclude.pop()!, outcome)
  }

  private endInstances(): Promise<void> | undefined {
    while (this.toEnd.length > 0) {
      const ending = endInstance(this.toEnd.pop(), this.request.log, instanceEnd)
      if (ending !== undefined) return ending.then(() => this.endInstances())
    }
    return undefined
  }
}
