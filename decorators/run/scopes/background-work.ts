/** Runs work that is no request in a scope of its own: `server.run`. */
import type { Logger, RequestOutcome, Server } from '../../../lib/index.js'
import { beginBackgroundWork } from '../../../lib/internal.js'
import { ResolutionError } from '../../wiring/faults.js'
import type { ProviderRecord } from '../../wiring/provider-record.js'
import type { Ambients } from './ambients.js'
import type { Scope } from './scope.js'
import { UnitScope } from './unit-scope.js'

/** The instances of work that is no request. */
export class BackgroundScope extends UnitScope {
  override readonly request = undefined
  override readonly log: Logger
  readonly #controller = new AbortController()
  #outcome: RequestOutcome = { kind: 'completed', status: undefined, error: undefined }
  #beforeEnd: (() => Promise<void>) | undefined

  constructor(log: Logger, ownerOf: (record: ProviderRecord) => Scope) {
    super(ownerOf)
    this.log = log
  }

  /** The signal that is aborted when the server begins to close. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  protected override outcome(): RequestOutcome {
    return this.#outcome
  }

  protected override setBeforeEnd(call: () => Promise<void>): void {
    this.#beforeEnd = call
  }

  askToEnd(): void {
    this.#controller.abort()
  }

  /** Ends the instances although the work goes on. */
  abandon(): void {
    this.#outcome = { kind: 'aborted', status: undefined, error: undefined }
    void this.end()
  }

  /**
   * Runs the work, tells the instances how it has ended, and ends them.
   * @throws the error of the work, or of an instance that ends before the work counts as completed
   */
  async run<T>(work: () => T | PromiseLike<T>): Promise<T> {
    try {
      const result = await work()
      await this.#callBeforeEnd()
      return result
    } catch (error) {
      if (this.#outcome.kind === 'completed') this.#outcome = { kind: 'failed', status: undefined, error }
      await this.#callBeforeEnd()
      throw error
    } finally {
      if (!this.hasEnded) await this.end()
    }
  }

  async #callBeforeEnd(): Promise<void> {
    const call = this.#beforeEnd
    this.#beforeEnd = undefined
    if (!this.hasEnded) await call?.()
  }
}

/**
 * Runs work in a scope, and lets a server that closes wait for it.
 * @param label the work in messages: `the work 'send invoices' of App > Billing`
 * @throws ResolutionError if the server has closed
 */
export async function runInBackground<T>(
  server: Server,
  label: string,
  scope: BackgroundScope,
  ambients: Ambients | undefined,
  work: () => T | PromiseLike<T>,
): Promise<T> {
  const end = beginBackgroundWork(server, { label, askToEnd: () => scope.askToEnd(), abandon: () => scope.abandon() })
  if (end === undefined) throw new ResolutionError(`${label} cannot begin: the server has closed.`)
  try {
    return await scope.run(() => (ambients === undefined ? work() : ambients.run(scope, work)))
  } finally {
    end()
  }
}
