/**
 * The scope of one unit of work, which is a request or work outside of requests, with the instances that belong to it. They are constructed
 * when first needed, told the outcome of the work, and ended with it.
 */
import type { Logger, Request, RequestOutcome, StepInProgress } from '../../../lib/index.js'
import { isPromiseLike, settleWithin } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { LOGGER, REQUEST } from '../../declare/tokens.js'
import { ResolutionError } from '../../wiring/faults.js'
import { type Dependency, labelOfRecord, type ProviderRecord } from '../../wiring/provider-record.js'
import { classNameOf, endInstance, endsBeforeReply, endsLast, type EndsWithRequest, endsWithRequest, needsEnd } from './lifetimes.js'
import { createWithoutClass, hasMade, type Scope } from './scope.js'

/**
 * The limits for the end of an instance: 10 s, after which the instances on which it depends are ended without waiting further. The end of
 * an instance does not keep the process alive, because a closing server waits for the instances of all requests together.
 */
const instanceEnd = { limit: 10_000, keepsAlive: false }

/** A storage in which handles (`ambient`) find the current scope. */
export interface ScopeStorage {
  run<T>(scope: UnitScope, call: () => T): T
}

export abstract class UnitScope {
  private readonly instances = new Map<ProviderRecord, unknown>()
  /** The instances to end, in the order of construction. */
  private readonly toEnd: unknown[] = []
  /** The instances whose `onRequestEnd` was not called yet, in the order of construction. */
  private toConclude: EndsWithRequest[] = []
  /** The functions to call when the work is over, in the order of their registration. */
  private readonly afterEnd: ((outcome: RequestOutcome) => void)[] = []
  private ending: Promise<void> | undefined
  /** Whether the work is over. No further instances are made, but existing instances can be read until they are ended. */
  hasEnded = false
  /** Whether all instances have been ended. */
  isClosed = false
  private readonly ownerOf: (record: ProviderRecord) => Scope
  private readonly storage: ScopeStorage | undefined

  /** @param storage the storage of the current scope; `undefined` if no class has a handle (`ambient`) */
  constructor(ownerOf: (record: ProviderRecord) => Scope, storage: ScopeStorage | undefined) {
    this.ownerOf = ownerOf
    this.storage = storage
  }

  abstract get log(): Logger

  /** A signal that is aborted if the work should end early, because the client has left or the server closes. */
  abstract get signal(): AbortSignal

  /** The request; `undefined` for work outside of requests. */
  abstract readonly request: Request | undefined

  /** Returns the outcome of the work; before its end, the outcome that is expected so far. */
  protected abstract outcome(): RequestOutcome

  /** Makes the error for a class whose instance is requested after the work is over. */
  abstract endedError(name: string): ResolutionError

  /** Sets the function that is called once before the reply is sent, or before the work counts as completed. */
  protected abstract setBeforeEnd(call: () => Promise<void>): void

  /** Calls a function when the work is over, after `onRequestEnd` of all instances, which may commit a transaction. */
  whenEnded(call: (outcome: RequestOutcome) => void): void {
    this.afterEnd.push(call)
  }

  /** Calls a function with this scope as the current one for handles (`ambient`). */
  inside<T>(call: () => T): T {
    return this.storage === undefined ? call() : this.storage.run(this, call)
  }

  /**
   * Returns the instance of a provider in this scope, or a promise of the instance while an asynchronous factory is making it or one of its
   * dependencies.
   */
  get(record: ProviderRecord): unknown {
    if (record.scope === 'transient') return this.construct(record)
    if (!record.isRequestBound) return isAliasOfLogger(record) ? this.log : this.ownerOf(record).get(record)
    if (this.instances.has(record)) return this.instances.get(record)
    if (this.hasEnded) throw this.endedError(labelOfRecord(record))
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
    const values = record.dependencies.map((dependency, index) => this.dependency(dependency, record, index))
    const value = values.some(isPromiseLike)
      ? Promise.all(values).then((settled) => this.create(record, settled))
      : this.create(record, values)
    // The caller handles a rejection. If another dependency of the caller fails first, nothing awaits this promise: mark it as handled.
    if (isPromiseLike(value)) value.then(undefined, () => {})
    return value
  }

  /** Tells the observer of the server, if there is one, that an instance is being constructed. */
  protected observe(_record: ProviderRecord): StepInProgress | undefined {
    return undefined
  }

  private create(record: ProviderRecord, values: readonly unknown[]): unknown {
    const progress = this.observe(record)
    if (progress === undefined) return this.make(record, values)
    try {
      const value = progress.inside(() => this.make(record, values))
      if (isPromiseLike(value))
        value.then(
          () => progress.end(),
          (error: unknown) => progress.end(error),
        )
      else progress.end()
      return value
    } catch (error) {
      progress.end(error)
      throw error
    }
  }

  private make(record: ProviderRecord, values: readonly unknown[]): unknown {
    const value: unknown = record.kind === 'class' ? new (record.source as Class)(...values) : createWithoutClass(record, values)
    const keep = (instance: unknown): unknown => (hasMade(record, instance, values) ? this.keep(instance) : instance)
    return record.kind === 'factory' && isPromiseLike(value) ? value.then(keep) : keep(value)
  }

  // A slow factory may complete after the scope has ended, for example if the client went away: its instance is ended at once.
  private keep(instance: unknown): unknown {
    if (this.hasEnded) void this.endLate(instance)
    else if (needsEnd(instance) && !this.toEnd.includes(instance)) {
      this.toEnd.push(instance)
      if (endsWithRequest(instance)) {
        // The end of the list is concluded first.
        if (endsLast(instance)) this.toConclude.unshift(instance)
        else this.toConclude.push(instance)
        if (endsBeforeReply(instance)) this.setBeforeEnd(() => this.inside(() => this.endBeforeReply()))
      }
    }
    return instance
  }

  private async endLate(instance: unknown): Promise<void> {
    if (endsWithRequest(instance)) await this.conclude(instance, this.outcome())
    await endInstance(instance, this.log)
  }

  /**
   * Calls `onRequestEnd` of the instances that end before the reply, in reverse order of construction. If a call fails, the remaining
   * instances are told that the request has failed.
   * @throws the first error, unless the request had failed before
   */
  private async endBeforeReply(): Promise<void> {
    let failure: RequestOutcome | undefined
    const expected = this.outcome()
    const ending = this.toConclude.filter(endsBeforeReply)
    this.toConclude = this.toConclude.filter((instance) => !endsBeforeReply(instance))
    // The time of the request may pass, or its client may leave, while an instance ends. An instance that ends last keeps the reply for
    // another request, so what has begun as a success is completed by all.
    const isKept = ending.some(endsLast)
    for (const instance of ending.toReversed()) {
      const outcome = failure ?? (isKept ? expected : this.outcome())
      try {
        await instance.onRequestEnd(outcome)
      } catch (error) {
        if (outcome.kind !== 'completed') this.logFailure(instance, error)
        else failure = { kind: 'failed', status: undefined, error: error ?? new Error(`${classNameOf(instance)}.onRequestEnd failed`) }
      }
    }
    if (failure !== undefined && expected.kind === 'completed') throw failure.error
  }

  private async conclude(instance: EndsWithRequest, outcome: RequestOutcome): Promise<void> {
    try {
      await settleWithin(instanceEnd.limit, Promise.resolve(instance.onRequestEnd(outcome)), instanceEnd.keepsAlive)
    } catch (error) {
      this.logFailure(instance, error)
    }
  }

  private logFailure(instance: EndsWithRequest, error: unknown): void {
    this.log.error({ err: error }, `${classNameOf(instance)}.onRequestEnd failed`)
  }

  private dependency(dependency: Dependency, record: ProviderRecord, index: number): unknown {
    if ('missing' in dependency) return undefined
    if (dependency.isAmbient) return this.ownerOf(record).handleOf(dependency, record)
    if ('provider' in dependency) return this.get(dependency.provider)
    if (dependency.builtIn === REQUEST) return this.request ?? withoutRequest(record, index)
    if (dependency.builtIn === LOGGER) return this.log
    return this.ownerOf(record).builtIn(dependency.builtIn, record)
  }

  /**
   * Calls `onRequestEnd` of the instances with the outcome, and ends the instances, both in reverse order of construction. Further calls
   * have no effect.
   * @returns a promise if an instance ends asynchronously
   */
  end(): Promise<void> | undefined {
    if (this.hasEnded) return this.ending
    this.hasEnded = true
    const pending: unknown[] = []
    for (const value of this.instances.values()) if (isPromiseLike(value)) pending.push(value)
    const isConcluded = this.toConclude.length === 0 && pending.length === 0 && this.afterEnd.length === 0
    if (this.toEnd.length === 0 && isConcluded) this.isClosed = true
    else this.ending = this.inside(() => (isConcluded ? this.endInstances() : this.endAll(pending)))
    return this.ending
  }

  /**
   * Ends all instances, after the instances that are still being made.
   * @param pending the promises of instances that are still being made, or could not be made
   */
  private async endAll(pending: readonly unknown[]): Promise<void> {
    // An instance that is still being made uses the ones that would be ended first.
    if (pending.length > 0) await settleWithin(instanceEnd.limit, Promise.allSettled(pending), instanceEnd.keepsAlive).catch(() => {})
    const outcome = this.outcome()
    while (this.toConclude.length > 0) await this.conclude(this.toConclude.pop()!, outcome)
    for (const call of this.afterEnd) call(outcome)
    await this.endInstances()
  }

  private endInstances(): Promise<void> | undefined {
    while (this.toEnd.length > 0) {
      const ending = endInstance(this.toEnd.pop(), this.log, instanceEnd)
      if (ending !== undefined) return ending.then(() => this.endInstances())
    }
    this.isClosed = true
    return undefined
  }
}

/** Whether a provider is an alias (`useExisting`) of `LOGGER`, which has another value in each request and job. */
function isAliasOfLogger({ kind, dependencies: [aliased] }: ProviderRecord): boolean {
  return kind === 'existing' && aliased !== undefined && 'builtIn' in aliased && aliased.builtIn === LOGGER
}

/** Returns `undefined` for an optional parameter `REQUEST` outside of requests. @throws ResolutionError if the parameter is not optional */
function withoutRequest(record: ProviderRecord, index: number): undefined {
  if (!record.tokens[index]!.isOptional) throw requestMissing(labelOfRecord(record))
}

/** Makes the error for a class or a handle that needs the request outside of requests. */
export function requestMissing(consumer: string): ResolutionError {
  return new ResolutionError(`${consumer} needs the request, but the work is no request. Inject optional(REQUEST) if it can do without.`)
}
