/** When instances start and end: `onReady` after the boot, and one of four closing methods at the end of their scope. */
import type { Logger } from '../../lib/index.js'
import { settleWithin } from '../../lib/internal.js'
import { isPromise } from './promises.js'

/** The instances that live as long as the application, in the order in which they were constructed. */
export class Lifetimes {
  readonly #instances: unknown[] = []

  add(value: unknown): void {
    if (value !== null && typeof value === 'object') this.#instances.push(value)
  }

  /** Calls `onReady()` of each instance that has it, in the order in which they were constructed. */
  async ready(): Promise<void> {
    for (const value of this.#instances) await (value as { onReady?: () => unknown }).onReady?.()
  }

  /** Ends all instances in reverse order, each one once. */
  async end(log: Logger): Promise<void> {
    while (this.#instances.length > 0) await endInstance(this.#instances.pop(), log)
  }
}

/** The methods that end an instance; the first that it has is called. */
const endMethods = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'] as const

/**
 * Ends an instance by its own method. A failure is logged and not thrown, because the other instances have to be ended too.
 * @param limit ms after which an asynchronous end counts as failed. Default: no limit
 */
export async function endInstance(value: any, log: Logger, limit?: number): Promise<void> {
  if (value === null || typeof value !== 'object') return
  try {
    const endMethod = endMethods.find((name) => typeof value[name] === 'function')
    if (endMethod === undefined) return
    const ended: unknown = value[endMethod]()
    if (isPromise(ended)) await (limit === undefined ? ended : settleWithin(limit, ended))
  } catch (error) {
    log.error({ err: error }, `${classNameOf(value)} could not be closed`)
  }
}

function classNameOf(value: any): string {
  try {
    return value.constructor.name
  } catch {
    return 'a provider'
  }
}
