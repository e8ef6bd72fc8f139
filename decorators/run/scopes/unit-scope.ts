/**
 * The instances that belong to one unit of work, a request or work that is no request: constructed when first asked for, told how the work
 * has ended, and ended with it.
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
 * Limits for the end of an instance. The instance may take 10 s; after that, the instances that it depends on are ended without waiting for
 * it. A server that closes waits for all instances of requests together; after that, nothing keeps the process alive.
 */
const instanceEnd = { limit: 10_000, keepsAlive: false }

/** A storage in which handles find the current scope. */
export interface ScopeStorage {
  run<T>(scope: UnitScope, call: () => T): T
}

export abstract class UnitScope {
  private readonly instances = new Map<ProviderRecord, unknown>()
  /** The instances to end, in the order in which they were constructed. */
  private readonly toEnd: unknown[] = []
  /** The instances whose `onRequestEnd` is still to be called, in the order in which they were constructed. */
  private toConclude: EndsWithRequest[] = []
  private ending: Promise<void> | undefined
  /** Whether the work is over. No instance is made any more, but those that are left can be read until they are ended. */
  hasEnded = false
  /** Whether all instances have been ended. */
  isClosed = false
  private readonly ownerOf: (record: ProviderRecord) => Scope
  private readonly storage: ScopeStorage | undefined

  /** @param storage `undefined` if no class has a handle */
  constructor(ownerOf: (record: ProviderRecord) => Scope, storage: ScopeStorage | undefined) {
    this.ownerOf = ownerOf
    this.storage = storage
  }

  abstract get log(): Logger

  /** The signal that is aborted if the work is to end early: the client has left, or the server closes. */
  abstract get signal(): AbortSignal

  /** The request; `undefined` for work that is no request. */
  abstract readonly request: Request | undefined

  /** Returns how the work has ended; if it has not ended yet, how it will end. */
  protected abstract outcome(): RequestOutcome

  /** Makes the error of a class that is asked for when the work is over. */
  abstract endedError(name: string): ResolutionError

  /** Sets the function that is called once before the reply is sent, or before the work counts as completed. */
  protected abstract setBeforeEnd(call: () => Promise<void>): void

  /** Calls a function when the work is over, as `onRequestEnd` of an instance is called. */
  whenEnded(onRequestEnd: (outcome: RequestOutcome) => void): void {
    this.keep({ onRequestEnd })
  }

  /** Calls a function in whose async context handles find this scope. */
  inside<T>(call: () => T): T {
    return this.storage === undefined ? call() : this.storage.run(this, call)
  }

  /** Returns the instance of this scope, or a promise of it if an asynchronous factory that takes part has not completed. */
  get(record: ProviderRecord): unknown {
    if (record.scope === 'transient') return this.construct(record)
    if (!record.isRequestBound) return this.ownerOf(record).get(record)
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

  /** Tells the observer of the server, if there is one, that an instance is being made. */
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
   * Tells the instances that end before the reply how the request ends, in reverse order. If one of them fails, the request has failed: the
   * others are told so.
   * @throws the first error, unless the request had failed before
   */
  private async endBeforeReply(): Promise<void> {
    let outcome = this.outcome()
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
   * Tells the instances how the request has ended, and ends them, both in reverse order, once.
   * @returns a promise if an instance ends later
   */
  end(): Promise<void> | undefined {
    if (this.hasEnded) return this.ending
    this.hasEnded = true
    const pending: unknown[] = []
    for (const value of this.instances.values()) if (isPromiseLike(value)) pending.push(value)
    if (this.toEnd.length === 0 && pending.length === 0) this.isClosed = true
    else
      this.ending = this.inside(() => (this.toConclude.length === 0 && pending.length === 0 ? this.endInstances() : this.endAll(pending)))
    return this.ending
  }

  /** @param pending the promises of instances that are still being made, or could not be made */
  private async endAll(pending: readonly unknown[]): Promise<void> {
    // An instance that is still being made uses the ones that would be ended first.
    if (pending.length > 0) await settleWithin(instanceEnd.limit, Promise.allSettled(pending), instanceEnd.keepsAlive).catch(() => {})
    if (this.toConclude.length > 0) {
      const outcome = this.outcome()
      while (this.toConclude.length > 0) await this.conclude(this.toConclude.pop()!, outcome)
    }
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

/** Returns what a parameter for the request gets if there is none: nothing if it is optional. @throws ResolutionError otherwise */
function withoutRequest(record: ProviderRecord, index: number): undefined {
  if (!record.tokens[index]!.isOptional) throw requestMissing(labelOfRecord(record))
}

/** Makes the error for a class or a handle that needs the request in work that is no request. */
export function requestMissing(consumer: string): ResolutionError {
  return new ResolutionError(`${consumer} needs the request, but the work is no request. Inject optional(REQUEST) if it can do without.`)
}
