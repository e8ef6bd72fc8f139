/** Runs work outside of requests, such as `server.run` and jobs, in a separate scope. */
import type { Logger, Observer, RequestOutcome, Server, StepInProgress } from '../../../lib/index.js'
import { beginBackgroundWork, observerOfServer } from '../../../lib/internal.js'
import { ResolutionError } from '../../wiring/faults.js'
import { labelOfRecord, type ProviderRecord } from '../../wiring/provider-record.js'
import type { Figures } from './figures.js'
import type { Scope } from './scope.js'
import { type ScopeStorage, UnitScope } from './unit-scope.js'

/**
 * A function that is called after work and its instances have ended. A closing server still waits for this call.
 * @param failure the error of the work, also if the work could not begin; `undefined` if the work has completed
 * @param log the logger of the work
 */
export type Settle = (failure: { readonly error: unknown } | undefined, log: Logger) => Promise<void>

/** The scope of work outside of requests, with the instances that belong to the work. */
export class BackgroundScope extends UnitScope {
  override readonly request = undefined
  override readonly log: Logger
  readonly #label: string
  readonly #controller = new AbortController()
  #outcome: RequestOutcome = { kind: 'completed', status: undefined, error: undefined }
  #beforeEnd: (() => Promise<void>) | undefined
  #observer: Observer | undefined
  readonly #figures: Figures | undefined
  /** The running call of `onRequestEnd` of those instances that end before the work counts as completed. */
  #concluding: Promise<void> | undefined

  /**
   * @param label the name of the work in messages: `the work 'send invoices' of App > Billing`
   * @param figures counts the open scopes; `undefined` if there is no observer
   */
  constructor(
    label: string,
    log: Logger,
    ownerOf: (record: ProviderRecord) => Scope,
    storage: ScopeStorage | undefined,
    figures: Figures | undefined,
  ) {
    super(ownerOf, storage)
    this.#label = label
    this.#figures = figures
    this.log = log
  }

  /** The signal that is aborted when the server begins to close. */
  override get signal(): AbortSignal {
    return this.#controller.signal
  }

  override endedError(name: string): ResolutionError {
    return new ResolutionError(`${name} was asked for after ${this.#label} had ended.`)
  }

  protected override outcome(): RequestOutcome {
    return this.#outcome
  }

  protected override observe(record: ProviderRecord): StepInProgress | undefined {
    return this.#observer?.begin({ kind: 'provider', name: labelOfRecord(record) }, undefined)
  }

  protected override setBeforeEnd(call: () => Promise<void>): void {
    this.#beforeEnd = call
  }

  /**
   * Runs the work, calls `onRequestEnd` of its instances with the outcome, and ends the instances. A closing server waits for all of this.
   * @throws the error of the work, or of an instance that ends before the work counts as completed; ResolutionError if the server has
   * closed, or no longer waits for the work; the error of `settle`
   */
  async run<T>(server: Server, work: () => T | PromiseLike<T>, settle?: Settle): Promise<T> {
    const askToEnd = (): void => this.#controller.abort()
    const end = beginBackgroundWork(server, { label: this.#label, askToEnd, abandon: () => this.#abandon() })
    if (end === undefined) {
      const error = new ResolutionError(`${this.#label} cannot begin: the server has closed.`)
      await settle?.({ error }, this.log)
      throw error
    }
    const call = (): Promise<T> => (settle === undefined ? this.inside(() => this.#work(work)) : this.#settled(work, settle))
    const observer = observerOfServer(server)
    this.#observer = observer
    this.#figures?.noteOpened()
    try {
      return await (observer === undefined ? call() : observer.work(this.#label, call))
    } finally {
      this.#figures?.noteEnded()
      end()
    }
  }

  async #settled<T>(work: () => T | PromiseLike<T>, settle: Settle): Promise<T> {
    let result: T
    try {
      result = await this.inside(() => this.#work(work))
    } catch (error) {
      await settle({ error }, this.log)
      throw error
    }
    await settle(undefined, this.log)
    return result
  }

  async #work<T>(work: () => T | PromiseLike<T>): Promise<T> {
    try {
      const result = await work()
      if (this.hasEnded)
        throw new ResolutionError(
          `${this.#label} has ended too late: the server no longer waited for it, and its instances were told that it was aborted.`,
        )
      await this.#conclude()
      return result
    } catch (error) {
      if (this.#outcome.kind === 'completed') this.#outcome = { kind: 'failed', status: undefined, error }
      if (!this.hasEnded) await this.#conclude()
      throw error
    } finally {
      await this.end()
    }
  }

  #conclude(): Promise<void> {
    return (this.#concluding = this.#concludeAll())
  }

  async #concludeAll(): Promise<void> {
    // An instance that ends may have constructed another one.
    for (let call = this.#beforeEnd; call !== undefined; call = this.#beforeEnd) {
      this.#beforeEnd = undefined
      await call()
    }
  }

  /** Ends the instances although the work is still running, because the closing server no longer waits. */
  async #abandon(): Promise<void> {
    if (this.#concluding === undefined) this.#outcome = { kind: 'aborted', status: undefined, error: undefined }
    await this.#concluding?.catch(() => {})
    await this.end()
  }
}
